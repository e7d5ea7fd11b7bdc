"""Preflight: a change is held against what was decided, through the command as people and their checks run it."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders_cli import Why
from tests.builders_edits import PROJECT, RETRY
from tests.fakes.pull_requests import PullRequests

FILE = "services/pay/provider.py"
BACKOFF = {
    "title": "Charges are tried again with exponential backoff",
    "rationale": "simple retries made the outage of May longer",
    "ref": "adr:0007",
    "sets": {"service:pay.paths": "services/pay/**", "service:pay.retry_policy": "exponential backoff"},
    "alternatives": [{"option": "Simple retries", "reason": "the provider blocks bursts (incident 318)"}],
}
NO_ELASTIC = {
    "title": "No Elasticsearch for search",
    "status": "rejected",
    "rationale": "nobody runs the cluster",
    "elements": ["service:search"],
}
WITH_BACKOFF = RETRY.replace("time.sleep(attempt)", "time.sleep(exponential_backoff(attempt))")

Records = Callable[..., Path]
Held = Callable[..., tuple[int, Any]]


def differing(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return f"diff --git a/{path} b/{path}\n" + "".join(lines)


@pytest.fixture
def recorded(why: Why, records: Records) -> Why:
    why("ingest", str(records(BACKOFF, NO_ELASTIC)))
    return why


@pytest.fixture
def held(recorded: Why, tmp_path: Path) -> Held:
    def holding(diff: str, *said: str) -> tuple[int, Any]:
        (tmp_path / "change.diff").write_text(diff, encoding="utf-8")
        ran = recorded("preflight", "--diff", str(tmp_path / "change.diff"), *said, "--json")
        return ran.code, ran.document()

    return holding


def test_what_was_turned_down_is_a_conflict_with_its_reason(held: Held) -> None:
    diff = differing("pyproject.toml", PROJECT, PROJECT.replace('"httpx', '"elasticsearch>=8", "httpx'))

    code, found = held(diff)

    (citation,) = found["citations"]
    assert (code, found["verdict"]) == (1, "conflict")
    assert citation["title"] == "No Elasticsearch for search"
    assert citation["why"] == "nobody runs the cluster"


def test_taking_out_what_was_chosen_needs_a_superseding_decision(held: Held) -> None:
    code, found = held(differing(FILE, WITH_BACKOFF, RETRY))

    (citation,) = found["citations"]
    assert (code, found["verdict"]) == (1, "needs-superseding")
    assert citation["ref"] == "adr:0007"
    assert "backoff" in citation["what"]


def test_going_back_to_what_lost_by_its_description_cites_why_it_lost(held: Held) -> None:
    code, found = held(differing(FILE, WITH_BACKOFF, RETRY), "--title", "Simple retries for charges again")

    (citation,) = found["citations"]
    assert (code, found["verdict"]) == (1, "conflict")
    assert citation["why"] == "the provider blocks bursts (incident 318)"


def test_a_change_that_names_the_decision_knows_of_it(held: Held) -> None:
    code, found = held(differing(FILE, WITH_BACKOFF, RETRY), "--body", "Supersedes adr:0007, see the record.")

    assert (code, found) == (0, {"verdict": "allow", "citations": []})


@pytest.mark.parametrize(
    "diff",
    [
        differing(FILE, WITH_BACKOFF, WITH_BACKOFF.replace("timeout=5", "timeout=8")),
        differing("docs/search.md", "", "Elasticsearch was looked at.\n"),
        differing("tests/test_search.py", "", "ENGINE = 'elasticsearch'\n"),
        differing("services/pay/other.py", "", "x = 1\n"),
        "",
    ],
)
def test_other_changes_are_allowed(held: Held, diff: str) -> None:
    assert held(diff) == (0, {"verdict": "allow", "citations": []})


def test_in_words_a_finding_says_what_which_and_why(recorded: Why, tmp_path: Path) -> None:
    (tmp_path / "c.diff").write_text(differing(FILE, WITH_BACKOFF, RETRY), encoding="utf-8")

    ran = recorded("preflight", "--diff", str(tmp_path / "c.diff"))

    assert ran.code == 1
    assert ran.out.startswith("needs-superseding: takes out what was chosen: backoff")
    assert "why: simple retries made the outage of May longer" in ran.out


@pytest.mark.parametrize(("path", "code"), [("services/pay/jobs.py", 1), ("services/search/jobs.py", 0)])
def test_what_a_title_says_no_to_is_found_in_files_that_it_is_about(held: Held, why: Why, path: str, code: int) -> None:
    why("record", "--title", "No Celery in charging or refunding", "--status", "rejected", "--element", "service:pay")

    found, document = held(differing(path, "", "from celery import Celery\n"))

    assert found == code
    assert [each["what"] for each in document["citations"]] == ["Celery was turned down"] * code


def test_what_is_no_diff_is_refused(recorded: Why, tmp_path: Path) -> None:
    (tmp_path / "c.diff").write_text("some words\n", encoding="utf-8")

    ran = recorded("preflight", "--diff", str(tmp_path / "c.diff"))

    assert ran.code == 1
    assert "no file is changed in it" in ran.err


def test_an_empty_memory_allows_everything(why: Why, tmp_path: Path) -> None:
    (tmp_path / "c.diff").write_text(differing(FILE, WITH_BACKOFF, RETRY), encoding="utf-8")

    assert why("preflight", "--diff", str(tmp_path / "c.diff")).code == 0


def test_a_pull_request_is_read_from_github_and_held_against_what_was_decided(recorded: Why) -> None:
    diff = differing("pyproject.toml", PROJECT, PROJECT.replace('"httpx', '"elasticsearch>=8", "httpx'))
    with PullRequests() as github:
        github.open(diff)

        ran = recorded("preflight", "acme/shop#41", "--json", **github.credentials)
        missing = recorded("preflight", "https://github.com/acme/shop/pull/404", **github.credentials)

    assert (ran.code, ran.document()["verdict"]) == (1, "conflict")
    assert missing.code == 1
    assert "404" in missing.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nothing like it",), 2, "no pull request"),
        (("acme/shop#41", "--title", "x"), 2, "leave --diff, --title and --body out"),
        (("acme/shop#41",), 1, "GITHUB_TOKEN: not set"),
    ],
)
def test_what_is_no_pull_request_or_can_not_be_asked_for_is_said(
    recorded: Why, words: tuple[str, ...], code: int, said: str
) -> None:
    ran = recorded("preflight", *words)

    assert ran.code == code
    assert said in ran.err
