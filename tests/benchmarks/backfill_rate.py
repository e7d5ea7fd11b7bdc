"""How fast history is read without a model, and whether the memory that it takes grows with it.

    python -m tests.benchmarks.backfill_rate [--turns 10000 50000 100000] [--shapes turns jira slack-export]

Each row is a process of its own over a fresh home that imports a generated history: parse, gate, extract, write, index
the words; vectors are made later, apart from this, and not counted. Printed: turns and threads a second (of the
processor too, for a machine that does other things) and the most memory that the process held. About a third of the
threads decides something. `turns-in-one` is one file of JSON lines, the others are many files, as systems export them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from typing import Any

from tests.benchmarks.jira_history import PEOPLE, history
from tests.benchmarks.jira_texts import CHATTER

FIRST = datetime(2024, 11, 4, 8, tzinfo=UTC)
THREADS_A_FILE = 100
CHANNELS = 20
Said = list[tuple[datetime, str, str]]


def conversations(turns: int) -> Iterator[tuple[str, Said]]:
    """Yield threads (name, what was said: when, by whom, what) of so many turns together, the same ones each time."""
    chance, made = random.Random(11), 0
    for batch in count():
        for told in history(THREADS_A_FILE, THREADS_A_FILE // 3, seed=batch):
            at = FIRST + timedelta(minutes=20 * made)
            fields = told.issue["fields"]
            texts = [f"{fields['summary']}. {_plain(fields['description'])}"]
            texts += [_plain(each["body"]) for each in fields["comment"]["comments"]]
            texts[1:1] = [line.format(n="Ana", q=batch, alt="wait", fix="try it") for line in chance.sample(CHATTER, 4)]
            yield (
                f"{batch}-{told.key}",
                [(at + timedelta(minutes=place), chance.choice(PEOPLE), text) for place, text in enumerate(texts)],
            )
            made += len(texts)
            if made >= turns:
                return


def _plain(body: Any) -> str:
    return body if isinstance(body, str) else str(body["content"][0]["content"][0]["text"])


# --- the same talk as each system exports it ---


def as_turns(folder: Path, threads: Iterator[tuple[str, Said]], *, one_file: bool = False) -> None:
    """Write JSON lines, a file for some threads each or one for all."""
    for number in count():
        some = list(islice(threads, THREADS_A_FILE))
        if not some:
            return
        name = "all.jsonl" if one_file else f"{number:05}.jsonl"
        with (folder / name).open("a", encoding="utf-8") as file:
            for thread, said in some:
                for place, (at, by, text) in enumerate(said):
                    turn = {
                        "thread": thread,
                        "id": f"{thread}-{place}",
                        "author": by,
                        "at": at.isoformat(),
                        "text": text,
                    }
                    file.write(f"{json.dumps(turn)}\n")


def as_jira(folder: Path, threads: Iterator[tuple[str, Said]]) -> None:
    """Write search results of Jira, some issues each."""
    for number in count():
        some = list(islice(threads, THREADS_A_FILE))
        if not some:
            return
        issues = [{"key": name, "fields": _fields(said)} for name, said in some]
        (folder / f"{number:05}.json").write_text(json.dumps({"issues": issues}), encoding="utf-8")


def _fields(said: Said) -> dict[str, Any]:
    (at, by, text), *others = said
    comments = [
        {"id": str(place), "author": {"displayName": who}, "body": words, "created": when.isoformat()}
        for place, (when, who, words) in enumerate(others)
    ]
    return {
        "summary": text,
        "created": at.isoformat(),
        "reporter": {"displayName": by},
        "comment": {"comments": comments},
    }


def as_slack(folder: Path, threads: Iterator[tuple[str, Said]]) -> None:
    """Write Slack's export: channels with a file a day."""
    names = [f"channel-{number}" for number in range(CHANNELS)]
    channels = [{"id": f"C{number}", "name": name, "members": []} for number, name in enumerate(names)]
    (folder / "channels.json").write_text(json.dumps(channels), encoding="utf-8")
    for name in names:
        (folder / name).mkdir()
    days: dict[Path, list[Any]] = defaultdict(list)
    for number, (_, said) in enumerate(threads):
        root = f"{said[0][0].timestamp():.6f}"
        for at, by, text in said:
            day = folder / names[number % CHANNELS] / f"{at:%Y-%m-%d}.json"
            ts = f"{at.timestamp():.6f}"
            days[day].append({"type": "message", "user": f"U{by}", "text": text, "ts": ts, "thread_ts": root})
    for day, messages in days.items():
        day.write_text(json.dumps(messages), encoding="utf-8")


SHAPES: dict[str, Callable[[Path, Iterator[tuple[str, Said]]], None]] = {
    "turns": as_turns,
    "jira": as_jira,
    "slack-export": as_slack,
    "turns-in-one": lambda folder, threads: as_turns(folder, threads, one_file=True),
}


# --- measuring ---


def measured(shape: str, turns: int) -> dict[str, Any]:
    """Import a history of so many turns in a process of its own and return what that took."""
    with tempfile.TemporaryDirectory() as folder:
        export, home = Path(folder) / "export", Path(folder) / "home"
        export.mkdir()
        SHAPES[shape](export, conversations(turns))
        source = shape.removesuffix("-in-one")
        child = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, "--child", source, str(export), str(home)], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        told = json.loads(child.stdout.read())
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = 0
        child.stdout.close()
    cpu = told["cpu_s"]
    return {
        "shape": shape, "turns": turns, "threads": told["threads"], "decisions": told["decisions"],
        "turns_a_second": round(turns / told["s"]), "threads_a_second": round(told["threads"] / told["s"]),
        "turns_a_cpu_second": round(turns / cpu), "peak_mb": round(used.ru_maxrss / 1024),
    }  # fmt: skip


def imported(source: str, export: Path, home: Path) -> None:
    """Import in this process and print what came of it."""
    from bot.backfill import import_threads
    from bot.offline import OfflineExtractor
    from bot.sources.document import Documents
    from bot.sources.listed import SOURCES
    from bot.sources.slack_export import SlackExport
    from store import WORKSPACE, Memory

    memory = Memory.open(home, index="off")
    opened = SlackExport(export) if source == "slack-export" else Documents(export, SOURCES[source], scope=WORKSPACE)
    began, cpu = time.perf_counter(), time.process_time()
    with opened as documents:
        tally = import_threads(memory, OfflineExtractor(), documents, pause=time.sleep)
    took = {"s": time.perf_counter() - began, "cpu_s": time.process_time() - cpu}
    memory.close()
    print(json.dumps({"threads": tally.threads, "decisions": tally.decisions, **took}))


def main(given: argparse.Namespace) -> int:
    """Print a line for each shape and size."""
    if given.child:
        source, export, home = given.child
        imported(source, Path(export), Path(home))
        return 0
    for shape in given.shapes:
        for turns in given.turns:
            print(json.dumps(measured(shape, turns)), flush=True)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[10_000, 50_000, 100_000])
    parser.add_argument("--shapes", nargs="+", choices=sorted(SHAPES), default=list(SHAPES))
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    raise SystemExit(main(parser.parse_args()))
