"""Slack exports of a few messages, written to disk as Slack writes them."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

CHANNELS = [{"id": "C1", "name": "search", "members": ["U1", "U2"]}]
GROUPS = [{"id": "G1", "name": "exec", "members": ["U1"]}]
USERS = [
    {"id": "U1", "team_id": "T1", "profile": {"real_name": "Lena Ortiz"}},
    {"id": "U2", "team_id": "T1", "profile": {"real_name": "Omar Haddad"}},
]


def said(ts: str, text: str, *, user: str = "U1", thread: str | None = None, **more: object) -> dict[str, object]:
    """Return one message as an export has it."""
    return {
        "type": "message",
        "user": user,
        "ts": ts,
        "text": text,
        **({"thread_ts": thread} if thread else {}),
        **more,
    }


def decision_thread(start: int, subject: str = "search", *, loser: str = "Elasticsearch") -> list[dict[str, object]]:
    """Return a thread in which two people settle something in plain words."""
    root = f"{start}.000100"
    return [
        said(root, f"Do we put {subject} on {loser} or keep it on Postgres?", thread=root),
        said(
            f"{start + 60}.000200",
            f"{loser} means a second cluster and nobody on call knows it",
            user="U2",
            thread=root,
        ),
        said(f"{start + 120}.000300", f"Agreed. Decision: {subject} stays on Postgres, not {loser}.", thread=root),
        said(f"{start + 180}.000400", "+1, agreed", user="U2", thread=root),
    ]


def write_export(
    folder: Path,
    days: Mapping[str, Sequence[object] | bytes],
    *,
    channels: object = CHANNELS,
    groups: object = GROUPS,
    users: object = USERS,
) -> Path:
    """Write an export; a root file given as None is absent, one given as text is written as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in (("channels.json", channels), ("groups.json", groups), ("users.json", users)):
        if value is not None:
            (folder / name).write_bytes(_bytes(value))
    for name, messages in days.items():
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_bytes(messages))
    return folder


def zipped(folder: Path, target: Path, *, under: str = "") -> Path:
    """Pack a folder as Slack's zip, optionally below one more folder."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{under}{path.relative_to(folder).as_posix()}")
    return target


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()
