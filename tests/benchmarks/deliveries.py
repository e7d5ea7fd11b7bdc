"""Webhook deliveries in bursts, with duplicates, edits out of order and bad signatures: none lost, none twice.

    python -m tests.benchmarks.deliveries [--deliveries 20000] [--at-once 16] [--burst 200] [--kills 1]

`why serve` runs as a process of its own over a fresh home; this process delivers over connections that stay open. With
`--kills` it is killed that often on the way and started again, and what got no answer is delivered again. Prints JSON:
what was answered, milliseconds until the 202, deliveries a second, and every difference between what was accepted and
what is kept (exit code 1 if there is one).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.playground import Playground, small_workspace
from store import WORKSPACE, Beside, HookRoute, utc_now
from tests.builders_hooks import SECRET, signed

SOURCES = ("github", "github", "jira", "pagerduty", "turns", "turns", "zoom")
"""What delivers, as often as it stands here; Zoom's deliveries hold no words and are answered all the same."""
DUPLICATES, FORGED = 0.2, 0.1
PAUSE_S = 0.1
"""Between bursts."""
WORKED_OFF_S = 600.0
"""Seconds to wait until what was accepted is worked off."""
FORGED_WORDS = "Decided: everybody may read everything."


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One delivery as its system sends it; `piece` names the part of a thread that it brings, as of `version`."""

    source: str
    key: str
    body: bytes
    headers: Mapping[str, str]
    forged: bool = False
    piece: tuple[str, str, str, str] | None = None
    version: str = ""
    text: str | None = None


@dataclass(slots=True)
class Answers:
    """What came back, and how often each delivery was accepted for the first time."""

    took_ms: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    accepted: set[tuple[str, str]] = field(default_factory=set)
    fresh: Counter[tuple[str, str]] = field(default_factory=Counter)
    unanswered: int = 0


# --- what is delivered ---


def deliveries(number: int, seed: int = 5) -> list[Said]:
    """Return that many deliveries, edits and duplicates somewhat out of order."""
    chance = random.Random(seed)
    fresh = round(number * (1 - DUPLICATES - FORGED))
    said = list(_conversations(chance, fresh))
    again = [chance.choice(said) for _ in range(round(number * DUPLICATES))]
    forged = [_forged(chance.choice(said), count) for count in range(number - len(said) - len(again))]
    order = {id(each): place for place, each in enumerate(said)}
    placed = [(order[id(each)] + chance.uniform(-300, 300), each) for each in said]
    placed += [(order[id(each)] + chance.expovariate(1 / 200), each) for each in again]
    placed += [(chance.uniform(0, fresh), each) for each in forged]
    return [each for _, each in sorted(placed, key=lambda one: one[0])]


def _conversations(chance: random.Random, number: int) -> Iterator[Said]:
    """Yield what is said in many threads: comments, some edited up to three times, some deleted."""
    made = thread = 0
    while made < number:
        thread += 1
        source = chance.choice(SOURCES)
        for comment in range(1, chance.randint(2, 9)):
            for edit in range(chance.choice((1, 1, 1, 2, 4))):
                gone = edit == 3 and chance.random() < 0.5 and source in ("github", "turns")
                if made < number:
                    made += 1
                    yield _delivery(source, thread, comment, edit, gone=gone)


def _delivery(source: str, thread: int, comment: int, edit: int, *, gone: bool) -> Said:
    at = f"2026-05-02T10:{comment:02}:{edit:02}Z"
    text = f"Thread {thread}, comment {comment}, version {edit}: the retry budget of the app is {thread % 7} tries."
    name, number = f"{source}-{thread}-{comment}-{edit}", f"{thread * 100 + comment}"
    body, headers, piece = _BODIES[source](thread, number, at, text, gone)
    raw = json.dumps(body).encode()
    named = dict.fromkeys(headers[:1], name) | dict([headers[1:]] if headers[1:] else [])
    version = "~" if gone and source == "github" else at
    return Said(
        source=source, key=name, body=raw, headers=named, piece=piece, version=version, text=None if gone else text
    )


def _github(thread: int, number: str, at: str, text: str, gone: bool) -> Any:
    body = {
        "action": "deleted" if gone else "edited",
        "repository": {"full_name": "acme/shop"},
        "issue": {"number": thread, "title": f"Thread {thread}", "body": "Retries?",
                  "created_at": "2026-05-02T10:00:00Z", "user": {"login": "ben", "id": 2, "type": "User"},
                  "html_url": f"https://github.com/acme/shop/issues/{thread}"},
        "comment": {"id": int(number), "body": text, "created_at": "2026-05-02T10:00:00Z", "updated_at": at,
                    "user": {"login": "ana", "id": 7, "type": "User"}},
    }  # fmt: skip
    event = ("x-github-delivery", "x-github-event", "issue_comment")
    return body, event, ("github", f"acme/shop#{thread}", "comments", number)


def _jira(thread: int, number: str, at: str, text: str, _gone: bool) -> Any:
    fields = {"summary": f"Thread {thread}", "description": "Retries?", "created": "2026-05-02T10:00:00.000+0000"}
    comment = {"id": number, "author": {"displayName": "Ana"}, "body": text, "created": at, "updated": at}
    body = {"webhookEvent": "comment_updated", "issue": {"key": f"PAY-{thread}", "fields": fields}, "comment": comment}
    return body, ("x-atlassian-webhook-identifier",), ("jira", f"PAY-{thread}", "comments", number)


def _pagerduty(thread: int, number: str, at: str, text: str, _gone: bool) -> Any:
    note = {"id": f"N{number}", "content": text, "incident": {"id": f"P{thread}", "type": "incident_reference"}}
    body = {"event": {"id": f"E{number}{at}", "event_type": "incident.annotated", "occurred_at": at, "data": note}}
    return body, (), ("pagerduty", f"P{thread}", "notes", f"N{number}")


def _turns(thread: int, number: str, at: str, text: str, gone: bool) -> Any:
    turn = {"thread": f"T{thread}", "id": number, "author": "Ana", "at": "2026-05-02T10:00:00Z", "edited": at}
    body = {"turns": [turn if gone else {**turn, "text": text}]}
    return body, ("x-backstory-delivery",), ("turns", f"T{thread}", "turns", number)


def _zoom(_thread: int, _number: str, at: str, text: str, _gone: bool) -> Any:
    return {"event": "meeting.ended", "payload": {"object": {"topic": text, "end_time": at}}}, (), None


_BODIES = {"github": _github, "jira": _jira, "pagerduty": _pagerduty, "turns": _turns, "zoom": _zoom}


def _forged(like: Said, number: int) -> Said:
    """Return what somebody without the secret sends in the name of a system."""
    body = like.body.replace(b"the retry budget", FORGED_WORDS.encode())
    headers = {name: f"forged-{number}" if "deliver" in name or "identifier" in name else value
               for name, value in like.headers.items()}  # fmt: skip
    return Said(source=like.source, key=f"forged-{number}", body=body, headers=headers, forged=True)


# --- delivering ---


class Sender:
    """Delivers over a number of open connections; what gets no answer is delivered again."""

    def __init__(self, port: int, routes: Mapping[str, HookRoute], answers: Answers) -> None:
        """Nothing is connected yet."""
        self._port, self._routes, self._answers = port, routes, answers
        self._open: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    async def burst(self, said: list[Said], at_once: int) -> None:
        """Deliver all of these, so many at once."""
        waiting = iter(said)
        await asyncio.gather(*(self._line(number, waiting) for number in range(at_once)))

    async def _line(self, number: int, waiting: Iterator[Said]) -> None:
        for each in waiting:
            while not await self._delivered(number, each):
                self._answers.unanswered += 1
                await asyncio.sleep(0.2)

    async def _delivered(self, line: int, one: Said) -> bool:
        try:
            if line not in self._open:
                self._open[line] = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._open[line]
            began = time.perf_counter()
            writer.write(self._request(one))
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(each.partition(b":")[2])
                for each in head.split(b"\r\n")
                if each.lower().startswith(b"content-length")
            )
            answer = await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError, StopIteration):
            if line in self._open:
                self._open.pop(line)[1].close()
            return False
        self._note(one, head.split(b" ", 2)[1].decode(), answer, (time.perf_counter() - began) * 1000)
        return not head.startswith(b"HTTP/1.1 503")

    def _request(self, one: Said) -> bytes:
        route = self._routes[one.source]
        path = f"/webhooks/{route.source}/{route.id}"
        secret = "somebody-elses-secret-of-some-length" if one.forged else SECRET
        headers = {**one.headers, **signed(one.source, one.body, at=time.time(), path=path, secret=secret)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        start = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(one.body)}\r\n"
        return f"{start}{lines}\r\n".encode() + one.body

    def _note(self, one: Said, status: str, answer: bytes, took_ms: float) -> None:
        self._answers.statuses[f"{status}{' forged' if one.forged else ''}"] += 1
        if status == "202":
            self._answers.took_ms.append(took_ms)
            said = json.loads(answer)
            if said["kept"]:
                self._answers.accepted.add((one.source, one.key))
                self._answers.fresh[one.source, one.key] += not said["again"]


# --- the bot ---


def started(home: Path, play: Playground, port: int) -> subprocess.Popen[bytes]:
    """Start `why serve` on a home and wait until it listens."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BACKSTORY_", "SLACK_"))}
    kept.pop("ANTHROPIC_API_KEY", None)
    named = {
        "BACKSTORY_HOME": str(home), "PORT": str(port), "SLACK_API_URL": play.api_url,
        "SLACK_BOT_TOKEN": play.bot_token, "SLACK_SIGNING_SECRET": play.signing_secret,
    }  # fmt: skip
    with home.with_name("serve.log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "-m", "bot", "serve"], env=kept | named, stdout=log, stderr=log)
    play.wait_until(lambda: _listens(port), timeout_s=60)
    return process


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


# --- what is kept ---


def differences(home: Path, sent: list[Said], answers: Answers, *, killed: bool) -> Iterator[str]:
    """Yield each way in which what is kept differs from what was accepted."""
    wanted = {(each.source, _key(each)) for each in sent if not each.forged and each.piece}
    newest: dict[tuple[str, str, str, str], Said] = {}
    for each in sent:
        if each.piece and not each.forged and (each.piece not in newest or newest[each.piece].version < each.version):
            newest[each.piece] = each
    with closing(sqlite3.connect(f"file:{home}/inbox.db?mode=ro", uri=True)) as raw:
        rows = raw.execute("SELECT key, state, attempt, note FROM inbox WHERE kind = 'hooked'").fetchall()
        gathered = raw.execute("SELECT count(*), count(DISTINCT key) FROM inbox WHERE kind = 'gathered'").fetchone()
        pieces = {
            tuple(row[:4]): (row[4], row[5])
            for row in raw.execute("SELECT source, thread, kind, piece, version, content FROM hook_pieces")
        }
    kept = {(key.split(":", 2)[1].removeprefix("hook-"), key.split(":", 2)[2]) for key, *_ in rows}
    yield from (f"lost: {each}" for each in sorted(wanted - kept))
    yield from (f"kept, but never sent well: {each}" for each in sorted(kept - wanted))
    yield from (f"{key}: {state}, {note}" for key, state, _, note in rows if (state, note) != ("done", "kept"))
    yield from (f"{key}: worked off {tries} times" for key, _, tries, _ in rows if tries != 1 and not killed)
    if gathered[0] != len(wanted):
        yield f"{len(wanted)} deliveries plan {gathered[0]} readings"
    yield from (f"{each}: accepted {times} times" for each, times in answers.fresh.items() if times != 1 and not killed)
    for piece, said in newest.items():
        version, content = pieces.get(piece, ("", ""))
        if (said.text is None) != (content == "") or (said.text or "") not in content:
            yield f"{piece}: {version} is kept, {said.version} was sent"
    yield from (f"{piece}: was never sent" for piece in pieces if piece not in newest and piece[2] != "opening")
    yield from (f"{piece}: forged" for piece, (_, content) in pieces.items() if FORGED_WORDS in content)
    if answers.statuses["202 forged"] or answers.statuses["401"]:
        yield f"answered wrongly: {dict(answers.statuses)}"


def _key(one: Said) -> str:
    from bot.web.signed import key_of

    return key_of(one.headers, one.body)


def worked_off(home: Path) -> bool:
    """Say whether no delivery waits to be worked off."""
    with closing(sqlite3.connect(f"file:{home}/inbox.db?mode=ro", uri=True)) as raw:
        (left,) = raw.execute("SELECT count(*) FROM inbox WHERE kind = 'hooked' AND state != 'done'").fetchone()
    return int(left) == 0


def main(given: argparse.Namespace) -> int:
    """Deliver, check and print; 1 where something is lost, twice or otherwise different."""
    said = deliveries(given.deliveries)
    answers = Answers()
    routes = {name: HookRoute(id=f"hook-{name}", source=name, secrets=(SECRET,), scope=WORKSPACE) for name in _BODIES}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, Playground(workspace=small_workspace()) as play:
        home = Path(folder) / "home"
        home.mkdir()
        beside = Beside.open(home / "inbox.db", utc_now)
        for route in routes.values():
            beside.hook_routes.keep(route, utc_now())
        beside.close()
        bot = [started(home, play, port)]
        kills = {len(said) * (number + 1) // (given.kills + 1) // given.burst for number in range(given.kills)}
        bursts = [said[start : start + given.burst] for start in range(0, len(said), given.burst)]

        async def delivered() -> float:
            sender, busy_s = Sender(port, routes, answers), 0.0
            for number, some in enumerate(bursts):
                began = time.perf_counter()
                if number in kills:
                    going = asyncio.ensure_future(sender.burst(some, given.at_once))
                    await asyncio.sleep(0.1)
                    bot[-1].send_signal(signal.SIGKILL)
                    bot[-1].wait()
                    bot.append(await asyncio.to_thread(started, home, play, port))
                    await going
                else:
                    await sender.burst(some, given.at_once)
                    busy_s += time.perf_counter() - began
                await asyncio.sleep(PAUSE_S)
            return busy_s

        try:
            busy_s = asyncio.run(delivered())
            ended = time.perf_counter()
            play.wait_until(lambda: worked_off(home), timeout_s=WORKED_OFF_S)
            behind_s = time.perf_counter() - ended
        finally:
            bot[-1].terminate()
            bot[-1].wait(timeout=60)
        found = list(differences(home, said, answers, killed=bool(given.kills)))
    took = sorted(answers.took_ms)
    report = {
        "deliveries": len(said), "answers": dict(answers.statuses), "accepted": len(answers.accepted),
        "without_an_answer": answers.unanswered, "p50_ms": round(statistics.median(took), 1),
        "p99_ms": round(took[int(len(took) * 0.99)], 1), "max_ms": round(took[-1], 1),
        "a_second": round(len(said) / busy_s), "worked_off_after_s": round(behind_s, 1),
        "differences": len(found), "some": found[:10],
    }  # fmt: skip
    print(json.dumps(report, indent=2))
    return 1 if found else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deliveries", type=int, default=20_000)
    parser.add_argument("--at-once", type=int, default=16, help="connections")
    parser.add_argument("--burst", type=int, default=200, help="deliveries between pauses")
    parser.add_argument("--kills", type=int, default=0, help="how often the bot is killed on the way")
    raise SystemExit(main(parser.parse_args()))
