"""`why sync`: take in what other machines recorded, and give what was recorded here.

As light as a cold command: it starts often, from a clock or a hook, and mostly finds nothing new.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing

from bot.cli.frame import FAILED, JSON, OK, Misused, argument_parser, guarded, put, settings_of, tell
from bot.settings import Settings
from store import NoRemote, Synced, SyncOptions

SUMMARY = "Bring this memory and other machines' together over a folder, a git repository or S3."


def summaries() -> list[tuple[str, str]]:
    """Return the command with its line in the help."""
    return [("sync", SUMMARY)]


def run(arguments: Sequence[str]) -> int:
    """Run `why sync` given by its words; returns the exit code: 1 too where something has to wait."""
    parser = argument_parser("why sync", SUMMARY)
    parser.add_argument("remote", metavar="REMOTE", help="A folder, a git address, or s3://bucket/prefix.")
    parser.add_argument(
        "--scope", action="append", default=[], metavar="ID", help="Send this closed channel too (again for another)."
    )
    parser.add_argument("--sign", action="store_true", help="Sign what goes out, from now on at every sync.")
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="WRITER[=KEY]",
        help="Accept another key for a writer: this one, or the next that it signs with.",
    )
    parser.add_argument(
        "--new-writer", action="store_true", help="Write under a new id from now on, as a copied memory must."
    )
    parser.add_argument(
        "--drop-history",
        action="store_true",
        help="Keep nothing in the remote of what stood there before: git's earlier commits, a bucket's old versions.",
    )
    parser.add_argument(JSON.flag, action="store_true", dest="as_json", help=JSON.help)
    given = parser.parse_args([word.encode("utf-8", "replace").decode() for word in arguments[1:]])
    return guarded(lambda: _run(given))


def _run(given: argparse.Namespace) -> int:
    settings = settings_of()
    options = SyncOptions(
        scopes=tuple(_scope(settings, each) for each in given.scope),
        sign=given.sign,
        trust=dict(map(_trusted, given.trust)),
        new_writer=given.new_writer,
        drop_history=given.drop_history,
    )
    try:
        done = _synced(settings, given.remote, options)
    except NoRemote as error:
        raise Misused(str(error)) from None
    put(_document(done), lambda: [_line(done)], as_json=given.as_json)
    if done.writer:
        tell(f"why: this memory was copied or restored: it writes as {done.writer} from now on, and nothing is lost")
    if given.drop_history:
        tell(f"why: {_history(done)}")
    for note in done.notes:
        tell(f"why: {note}")
    for fault in done.faults:
        tell(f"why: waits: {fault.where}: {fault.what}; {fault.remedy}")
    return FAILED if done.faults else OK


def _synced(settings: Settings, remote: str, options: SyncOptions) -> Synced:
    from store import QuickSync

    quick = None if settings.database_url else QuickSync.open(settings.home)
    if quick is None and not settings.database_url:
        from store import Memory  # the whole engine

        Memory.open(settings.home, index="off").close()  # makes the memory first, or carries an older one forward
        quick = QuickSync.open(settings.home)
    if quick is not None:
        with closing(quick):
            for scope in sorted(set(options.scopes) - (quick.scopes() if options.scopes else set())):
                tell(f"why: --scope {scope}: nothing was ever recorded in it here")
            return quick.sync(remote, options)
    from store import Memory

    with closing(Memory.open(settings.home, index="off", servers=settings.servers)) as memory:
        return memory.sync(remote, options)


def _scope(settings: Settings, named: str) -> str:
    """Return a scope's id: as it stands, or a channel's by its id or name."""
    if not named:
        raise Misused("--scope: the id is empty")
    if named == "workspace" or ":" in named:
        return named
    from store import beside_of  # channels' names lie beside the log; only who names one pays for it

    if (beside := beside_of(settings.home, settings.servers)) is not None:
        with closing(beside):
            known = beside.members.find_channel(named)
        if known:
            return f"channel:{known[0]}"
    return f"channel:{named.lstrip('#')}"


def _trusted(given: str) -> tuple[str, str]:
    writer, _, key = given.partition("=")
    if not writer.isalnum() or (key and (len(key) != 64 or not set(key) <= set("0123456789abcdef"))):
        raise Misused(f"--trust {given!r}: a writer's id, or WRITER=KEY with a key of 64 hexadecimal digits")
    return writer, key


def _line(done: Synced) -> str:
    if not (done.received or done.sent or done.objects_written or done.objects_deleted):
        return f"nothing new at {done.remote}"
    line = f"facts: took in {done.received}, sent {done.sent}"
    if done.objects_written or done.objects_deleted:
        line += f" (objects: {done.objects_written} written, {done.objects_deleted} deleted)"
    return f"{line}: {done.remote}"


def _history(done: Synced) -> str:
    if not done.history_dropped:
        return f"{done.remote} keeps nothing of what stood there before"
    return f"what stood in {done.remote} before can't be reached any more; README says how a git server forgets it"


def _document(done: Synced) -> dict[str, object]:
    return {
        "remote": done.remote,
        "received": done.received,
        "sent": done.sent,
        "objects_written": done.objects_written,
        "objects_deleted": done.objects_deleted,
        "waiting": [{"what": each.what, "where": each.where, "remedy": each.remedy} for each in done.faults],
        "history_dropped": done.history_dropped,
        "notes": list(done.notes),
        "writer": done.writer,
    }
