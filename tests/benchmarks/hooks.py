"""What the hooks of a coding session cost: whole processes, beside a large memory and over the team's bot.

    python -m tests.benchmarks.hooks [--home FOLDER] [--decisions 100000] [--runs 40]

Prints JSON: p50 and p95 in ms of each event as the assistant starts it (a bare interpreter beside them says what of it
is Python's own start); the same over a bot on loopback that answers, is not there, or hangs, the first time and while
it is left alone; the tokens that a session of ten edits and five prompts is given; and how many of fifty sessions of
renames, fixes, tests and docs were stopped. With --home a copy of that folder's memory is used.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bot.agents.heard import FOLDER
from bot.agents.quoting import CHARS_A_TOKEN
from store import WORKSPACE, Admission, Alternative, Draft, Load, Memory, Place
from tests.behaviour.slack.test_api import login
from tests.builders_coding import FILE, Repository, repository_in
from tests.builders_edits import ORDINARY, RETRY
from tests.builders_slack import Gateway, staged

CLAIMS = 400
"""Elements of the load that claim a folder, as in a large repository."""
NAMED = "Let us try charges again at once, and look at elasticsearch for the ledger-export"
UNNAMED = "Fix the typo in the footer, please"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=40)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        beside = repository_in(Path(folder, "beside"))
        _fill(beside.root / ".backstory", given.home, given.decisions)
        report = {
            "python_alone_ms": _percentiles(given.runs, lambda: _python(beside)),
            "beside_the_code_ms": _events(beside, given.runs),
            "tokens_a_session": _tokens(beside),
            "stopped_of_50_ordinary": _stopped(Path(folder)),
            "over_the_bot_ms": dict(_over_a_bot(Path(folder), given.runs)),
        }
    print(json.dumps(report, indent=2))


def _fill(home: Path, given: Path | None, decisions: int) -> None:
    if given is not None:
        shutil.copy(given / "memory.db", home / "memory.db")
    memory = Memory.open(home, index="off")
    if given is None:
        memory.receive(Load(decisions=decisions).envelopes())
    for _ in memory.ingest(_claims()):
        pass
    memory.close()


def _claims() -> Iterator[Admission]:
    """Yield folders that elements claim, and a dozen decisions on the one that is edited."""
    for number in range(CLAIMS):
        glob = "services/pay/**" if number == 0 else f"services/part-{number}/**"
        yield _admission(
            f"claim:{number}", f"Part {number} has a home", sets=((f"service:pay-{number}", "paths", glob),)
        )
    for number in range(12):
        yield _admission(
            f"charges:{number}",
            f"Charges are tried again with backoff, in case {number}",
            elements=("service:pay-0",),
            alternatives=(Alternative(option="Retry at once", reason="it made the outage of May longer"),),
        )


def _admission(ref: str, title: str, **fields: Any) -> Admission:
    draft = Draft(title=title, rationale="the provider blocks bursts, and nobody was told", **fields)
    return Admission(
        place=Place(source="file", anchor=ref, ref=ref), basis="1", scope=WORKSPACE,
        drafts=(draft,), provenance="file", recorded_from="ingest",
    )  # fmt: skip


# --- whole processes --------------------------------------------------------------------------


def _percentiles(
    runs: int, work: Callable[[], object], before: Callable[[], object] = lambda: None
) -> dict[str, float]:
    """Return ms of wall time, and of the CPU's beside it: that tells what it costs where others work meanwhile."""
    times, cpu = [], []
    for _ in range(runs):
        before()
        began, used = time.perf_counter(), _cpu_s()
        work()
        times.append((time.perf_counter() - began) * 1000)
        cpu.append((_cpu_s() - used) * 1000)
    p95 = statistics.quantiles(times, n=20)[-1]
    return {"p50": round(statistics.median(times), 1), "p95": round(p95, 1), "cpu": round(statistics.median(cpu), 1)}


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _python(repository: Repository) -> None:
    subprocess.run([sys.executable, "-c", "pass"], env=repository.environment, check=True)


def _edit(path: str) -> Mapping[str, Any]:
    return {"tool_name": "Edit", "tool_input": {"file_path": path}}


def _events(repository: Repository, runs: int) -> dict[str, Any]:
    """Return what each event takes, in sessions that began: each is another, so that everything is told anew."""
    sessions = [f"s{number}" for number in range(runs)]
    fresh: dict[str, Iterator[str]] = {}

    def hook(event: str, story: str, **given: Any) -> dict[str, float]:
        fresh[story] = iter(sessions)
        return _percentiles(runs, lambda: repository.hook(event, session_id=next(fresh[story]), **given))

    found = {
        "SessionStart": hook("SessionStart", "start", source="startup"),
        "PreToolUse, claimed": hook("PreToolUse", "claimed", **_edit(str(repository.root / FILE))),
        "PreToolUse, unclaimed": hook("PreToolUse", "unclaimed", **_edit(str(repository.root / "web/odd_one.ts"))),
        "UserPromptSubmit, named": hook("UserPromptSubmit", "named", prompt=NAMED),
        "UserPromptSubmit, unnamed": hook("UserPromptSubmit", "unnamed", prompt=UNNAMED),
        "Stop, nothing changed": hook("Stop", "still", stop_hook_active=False),
    }
    repository.write("services/pay/queue.py", RETRY.replace("charge", "enqueue"))
    found["Stop, structure changed"] = hook("Stop", "changed", stop_hook_active=False)
    return found


def _tokens(repository: Repository) -> dict[str, int]:
    """Return the tokens that one session is given, at so many characters each."""
    said: list[tuple[str, Mapping[str, Any]]] = [("SessionStart", {"source": "startup"})]
    said += [("PreToolUse", _edit(str(repository.root / f"services/pay/file{n}.py"))) for n in range(5)]
    said += [("PreToolUse", _edit(str(repository.root / f"web/page{n}.ts"))) for n in range(5)]
    said += [("UserPromptSubmit", {"prompt": prompt}) for prompt in (NAMED, UNNAMED, NAMED, UNNAMED, UNNAMED)]
    told = [repository.hook(event, session_id="tokens", **given) for event, given in said]
    texts = [each["hookSpecificOutput"]["additionalContext"] if each else "" for each in told]
    counts = [round(len(text) / CHARS_A_TOKEN) for text in texts]
    return {"all": sum(counts), "most_at_once": max(counts), "events_with_nothing": counts.count(0)}


def _stopped(folder: Path) -> int:
    """Return how many ordinary sessions were stopped, each with its own repository and real hooks."""
    stopped = 0
    for number, session in enumerate(ORDINARY):
        repository = repository_in(folder / f"ordinary-{number}")
        _apply(repository, session.before)
        repository.git("add", "-A")
        repository.git("commit", "-q", "--allow-empty", "-m", "Before")
        repository.hook("SessionStart", source="startup")
        _apply(repository, session.after)
        stopped += repository.hook("Stop", stop_hook_active=False) is not None
    return stopped


def _apply(repository: Repository, texts: Mapping[str, str | None]) -> None:
    for path, text in texts.items():
        if text is not None:
            repository.write(path, text)
        else:
            (repository.root / path).unlink(missing_ok=True)


# --- over a bot -------------------------------------------------------------------------------


def _over_a_bot(folder: Path, runs: int) -> Iterator[tuple[str, Any]]:
    with Gateway() as gateway, staged(folder / "bot", gateway) as stage:
        for _ in stage.memory.ingest(_claims()):
            pass
        token = login(stage, "mia")
        yield "answers", _over(folder / "answers", gateway.url.removesuffix("/slack/events"), token, runs)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        refused = f"http://127.0.0.1:{closed.getsockname()[1]}"
    yield "refused", _over(folder / "refused", refused, "bks_nobody", runs)
    with _hanging() as url:
        yield "hangs", _over(folder / "hangs", url, "bks_nobody", runs)


@contextmanager
def _hanging() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _over(folder: Path, url: str, token: str, runs: int) -> dict[str, Any]:
    repository = repository_in(folder, BACKSTORY_URL=url, BACKSTORY_TOKEN=token)
    repository.hook("SessionStart", source="startup")
    told: list[bool] = []

    def forgetting() -> None:
        repository.hook("SessionEnd")
        repository.hook("SessionStart", source="startup")
        shutil.rmtree(repository.home / FOLDER, ignore_errors=True)

    def edit() -> None:
        told.append(bool(repository.before_edit(FILE)))

    return {
        "first": _percentiles(runs, edit, forgetting),
        "told_the_first_time": sum(told),
        "of": runs,
        "again": _percentiles(runs, lambda: repository.before_edit(FILE)),
    }


if __name__ == "__main__":
    main()
