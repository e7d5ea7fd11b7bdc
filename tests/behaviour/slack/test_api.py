"""A person's own tools: a token from `/why login`, and what it reads and records over HTTP as that person."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from store import EVERYTHING
from tests.builders_slack import Gateway, Stage

TOKEN = re.compile(r"BACKSTORY_TOKEN=(bks_[\w-]{40,})")


def login(stage: Stage, user: str, channel: str = "search") -> str:
    match = TOKEN.search(stage.ask(user, channel, "login"))
    assert match is not None
    return match[1]


@pytest.fixture
def call(stage: Stage, gateway: Gateway) -> Any:
    base = gateway.url.removesuffix("/slack/events")

    def called(method: str, path: str, token: str = "", **given: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.request(method, f"{base}/api/v1/{path}", headers=headers, timeout=20, **given)

    return called


def test_a_token_reads_and_records_as_its_person(stage: Stage, call: Any) -> None:
    stage.decided()
    token = login(stage, "mia")

    asked = call("POST", "ask", token, json={"question": "why are we on postgres for search?"})
    recorded = call(
        "POST",
        "record",
        token,
        json={"title": "Search indexes are rebuilt at night", "elements": ["service:search"]},
    )
    history = call("GET", "history", token, params={"element": "service:search"})
    heads = call("GET", "heads", token, params={"element": "service:search"})
    conflicts = call("GET", "conflicts", token)

    assert asked.status_code == 200
    assert "Search stays on Postgres" in asked.json()["response"]
    assert recorded.json()["decision"]["title"] == "Search indexes are rebuilt at night"
    assert [each["title"] for each in history.json()["decisions"]] == ["Search indexes are rebuilt at night"]
    assert heads.json()["elements"][0]["element"] == "service:search"
    assert conflicts.json() == {"conflicts": []}


def test_what_somebody_can_not_read_is_not_there_for_their_token(stage: Stage, call: Any) -> None:
    stage.decided("exec", "rust", "We hire for Rust")
    inside, outside = login(stage, "mia"), login(stage, "noor")

    answers = [
        call("POST", "ask", token, json={"question": "why do we hire for rust?"}).json() for token in (inside, outside)
    ]

    assert "We hire for Rust" in answers[0]["response"]
    assert "Rust" not in str(answers[1])


def test_a_new_token_ends_the_old_one_and_time_ends_each(stage: Stage, call: Any) -> None:
    old = login(stage, "mia")
    new = login(stage, "mia")

    before = [call("GET", "conflicts", token).status_code for token in (old, new)]
    stage.clock.advance(91 * 86_400)
    after = call("GET", "conflicts", new).status_code

    assert before == [401, 200]
    assert after == 401


def test_a_token_is_shown_to_one_person_and_kept_nowhere(stage: Stage, call: Any) -> None:
    token = login(stage, "mia")

    files = [path for path in stage.memory.home.rglob("*") if path.is_file()]
    assert stage.screens("search") == []
    assert not [path.name for path in files if token.encode() in path.read_bytes()]


@pytest.mark.parametrize("token", ["", "bks_", "bks_guess", "xoxb-1", "bks_" + "x" * 500])
def test_nobodys_token_is_refused_before_anything_is_read(call: Any, token: str) -> None:
    answer = call("POST", "record", token, content=b"{")

    assert answer.status_code == 401
    assert "/why login" in answer.json()["error"]


@pytest.mark.parametrize(
    ("method", "path", "given", "status", "said"),
    [
        ("POST", "ask", {"json": {}}, 400, "question: missing"),
        ("POST", "ask", {"content": b"[]"}, 400, "not a JSON object"),
        ("POST", "ask", {"content": b"{"}, 400, "not JSON"),
        ("POST", "ask", {"json": {"question": "x", "as_of": "soon"}}, 400, "not a date"),
        ("POST", "ask", {"content": b"x" * 5_000_000}, 413, "too large"),
        ("POST", "record", {"json": {"rationale": "x"}}, 400, "title: missing"),
        ("POST", "record", {"json": {"title": "x", "scope": "private:hiring"}}, 400, "for the workspace alone"),
        ("GET", "heads", {}, 400, "element: missing"),
        ("GET", "heads", {"params": {"element": ["x"] * 51}}, 400, "more than 50"),
    ],
)
def test_what_can_not_be_worked_with_is_refused_with_its_rule(
    stage: Stage, call: Any, method: str, path: str, given: dict[str, Any], status: int, said: str
) -> None:
    answer = call(method, path, login(stage, "mia"), **given)

    assert answer.status_code == status
    assert said in answer.json()["error"]


def test_a_guest_reads_and_records_nothing_for_everybody(stage: Stage, call: Any) -> None:
    token = login(stage, "gus")

    answer = call("POST", "record", token, json={"title": "Guests decide"})

    assert answer.status_code == 403
    assert "guests" in answer.json()["error"]


@pytest.mark.parametrize("field", ["supersedes", "cites"])
def test_nobody_names_what_they_can_not_read(stage: Stage, call: Any, field: str) -> None:
    stage.decided("exec", "rust", "We hire for Rust")
    hidden = next(one for one in stage.memory.decisions(EVERYTHING) if one.title == "We hire for Rust")
    outside, inside = login(stage, "noor"), login(stage, "mia")

    refused = [
        call("POST", "record", outside, json={"title": "We hire for Go", field: [named]}).json()
        for named in (hidden.id, hidden.id[:12], "adr:404")
    ]
    taken = call("POST", "record", inside, json={"title": "We hire for Zig", field: [hidden.id]})

    assert [each["error"].rpartition(": ")[2] for each in refused] == ["no such decision"] * 3
    assert taken.status_code == 200
