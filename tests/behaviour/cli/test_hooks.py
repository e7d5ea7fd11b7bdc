"""Hooks as the assistant starts them: real processes in a real repository, one JSON object in, one or nothing out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from store import EVERYTHING, QuickMemory
from tests.builders_coding import FILE, Repository, repository_in
from tests.builders_edits import RETRY

WORDS = "we keep the search index in Postgres and drop Elasticsearch, since nobody runs the cluster."


def transcript_of(folder: Path) -> Path:
    said = [
        ("user", "u1", None, "Where should the search index live? The token is xoxb-12345678901-abcdefghijkl"),
        ("assistant", "u2", "u1", f"Agreed, {WORDS}"),
        ("user", "u3", "u2", "Good, do that. We decided against Elasticsearch for the same reason before."),
    ]
    transcript = folder / "s1.jsonl"
    transcript.write_text(
        "".join(
            json.dumps(
                {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "message": {"content": text}}
            )
            + "\n"
            for kind, uuid, parent, text in said
        ),
        encoding="utf-8",
    )
    return transcript


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repository_in(tmp_path)


def test_before_an_edit_the_files_decisions_are_told_once_a_session(repository: Repository) -> None:
    silent = repository.before_edit(FILE)
    repository.why(
        "record", "--title", "Charges are tried again with backoff", "--rationale", "the provider blocks bursts",
        "--alternative", "Retry at once: it made the outage of May longer",
        "--set", "service:pay.paths=services/pay/**",
    )  # fmt: skip

    first, second = repository.before_edit(FILE), repository.before_edit(FILE)
    other, elsewhere = repository.before_edit(FILE, "s2"), repository.before_edit("README.md")

    assert (silent, second, elsewhere) == ("", "", "")
    assert 'in force: "Charges are tried again with backoff" because "the provider blocks bursts"' in first
    assert 'not "Retry at once" (lost: "it made the outage of May longer")' in first
    assert other.splitlines()[2:-1] == first.splitlines()[2:-1]


def test_a_prompt_that_names_what_was_turned_down_is_told_why(repository: Repository) -> None:
    repository.why(
        "record", "--title", "No Elasticsearch for search", "--status", "rejected", "--rationale", "nobody runs it"
    )

    told = repository.hook("UserPromptSubmit", prompt="Let us move product search to elasticsearch, shall we?")
    other = repository.hook("UserPromptSubmit", prompt="Fix the typo in the footer, please")

    assert 'REJECTED: "No Elasticsearch for search"' in told["hookSpecificOutput"]["additionalContext"]
    assert other is None


def test_a_turn_that_changed_structure_is_stopped_once(repository: Repository) -> None:
    repository.hook("SessionStart", source="startup")
    repository.write("services/pay/queue.py", RETRY.replace("charge", "enqueue"))  # by a shell or a sub-agent: no tool
    repository.git("add", ".")
    repository.git("commit", "-q", "-m", "By a sub-agent")

    first, second = repository.hook("Stop", stop_hook_active=False), repository.hook("Stop", stop_hook_active=False)

    assert first["decision"] == "block"
    assert "services/pay/queue.py: a new module" in first["reason"]
    assert second is None


@pytest.mark.parametrize("way", ["recorded", "none", "active", "mode", "small"])
def test_nobody_is_stopped_who_recorded_declared_or_changed_little(repository: Repository, way: str) -> None:
    repository.hook("SessionStart", source="startup")
    repository.write("services/pay/queue.py", RETRY if way != "small" else "x = 1\n")
    if way == "recorded":
        repository.why("record", "--title", "Charges go through a queue")
    if way == "none":
        repository.why("none", "--reason", "copied from the template")
    if way == "mode":
        repository.why("hook", "mode", "off")

    assert repository.hook("Stop", stop_hook_active=way == "active") is None


def test_a_reminder_stops_nobody(repository: Repository) -> None:
    repository.why("hook", "mode", "remind")
    repository.hook("SessionStart", source="startup")
    repository.write("services/pay/queue.py", RETRY)

    told = repository.hook("Stop", stop_hook_active=False)

    assert set(told) == {"systemMessage"}


def test_a_sessions_decision_is_kept_with_a_few_quotes_and_its_undo(repository: Repository, tmp_path: Path) -> None:
    transcript = transcript_of(tmp_path)
    repository.why("hook", "mode", "off")
    off = repository.hook("SessionEnd", transcript_path=str(transcript), reason="exit")
    repository.why("hook", "mode", "block")

    told = repository.hook("SessionEnd", transcript_path=str(transcript), reason="exit")
    again = repository.hook("SessionEnd", transcript_path=str(transcript), reason="exit")

    memory = QuickMemory.open(repository.root / ".backstory")
    assert memory is not None
    (decision,) = memory.decisions(EVERYTHING)
    memory.close()
    assert told["systemMessage"].startswith("Backstory recorded “")
    assert f"why forget {decision.id[:12]}" in told["systemMessage"]
    assert (off, again) == (None, None)
    assert decision.place.anchor == "s1/u1"
    assert len(decision.evidence) <= 3
    assert all(len(quote.quote) <= 300 for quote in decision.evidence)
    assert not [
        path
        for path in (repository.root / ".backstory").rglob("*")
        if path.is_file() and b"xoxb-1234" in path.read_bytes()
    ]


def test_without_a_memory_in_the_repository_nothing_happens(repository: Repository) -> None:
    (repository.root / ".backstory").rmdir()

    answers = [
        repository.hook(event) for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")
    ]

    assert answers == [None] * 5
    assert not (repository.root / ".backstory").exists()


@pytest.mark.parametrize("said", ["", "{", "[]", '"x"', "null"])
def test_whatever_goes_wrong_the_assistant_goes_on(repository: Repository, said: str) -> None:
    (repository.root / ".backstory" / "memory.db").write_bytes(b"no database" * 100)

    ran = repository.why("hook", "run", "PreToolUse", said=said)

    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr.startswith("backstory: PreToolUse: ")


def test_hooks_are_installed_for_this_repository_and_removed(repository: Repository) -> None:
    installed = json.loads(repository.why("hook", "install", "--json").stdout)
    written = Path(installed["file"]).read_text(encoding="utf-8")
    again = json.loads(repository.why("hook", "install", "--json").stdout)
    (repository.root / ".backstory").rmdir()
    removed = json.loads(repository.why("hook", "remove", "--json").stdout)

    assert (installed["changed"], again["changed"]) == (True, False)
    assert json.dumps(f'"{sys.executable}" -m bot hook run Stop') in written
    assert removed["files"] == [installed["file"]]
