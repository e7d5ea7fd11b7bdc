"""Other systems deliver over HTTP: verified, kept once, read when quiet, whatever order they come in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.hooked import QUIET
from bot.offline import OfflineExtractor
from store import EVERYTHING, PUBLIC, Decision, Person, Scope
from tests.builders_hooks import Deliverer, github_comment, route
from tests.builders_slack import Gateway, Stage, staged

SETTLED = "Agreed, we keep the search index in Postgres and drop Elasticsearch, since nobody runs the cluster."

DEEP = b'{"pull_request": {"number": 1, "url": "https://api.github.com/repos/a/b/pulls/1", "user": %s1%s}}' % (
    b"[" * 900,
    b"]" * 900,
)


@pytest.fixture
def stage(tmp_path: Path, gateway: Gateway) -> Any:
    with staged(tmp_path, gateway, extractor=OfflineExtractor()) as opened:
        yield opened


@pytest.fixture
def deliverer(stage: Stage, gateway: Gateway) -> Any:
    def made(source: str = "github", **fields: Any) -> Deliverer:
        kept = route(source, **fields)
        stage.memory.beside.hook_routes.keep(kept, stage.clock())
        return Deliverer(base=gateway.url.removesuffix("/slack/events"), route=kept)

    return made


def recorded(stage: Stage, source: str) -> list[Decision]:
    return [one for one in stage.memory.decisions(PUBLIC) if one.place.source == source]


def quiet(stage: Stage) -> None:
    stage.settle()
    stage.later(QUIET.total_seconds() + 1)


def test_a_thread_is_read_when_it_is_quiet_and_each_delivery_counts_once(stage: Stage, deliverer: Any) -> None:
    there = deliverer()
    first = there.send(
        github_comment("Elasticsearch needs somebody to run it."),
        x_github_event="issue_comment",
        x_github_delivery="d1",
    )
    again = there.send(
        github_comment("Elasticsearch needs somebody to run it."),
        x_github_event="issue_comment",
        x_github_delivery="d1",
    )
    there.send(github_comment(SETTLED, 2), x_github_event="issue_comment", x_github_delivery="d2")
    early = recorded(stage, "github")

    quiet(stage)

    (decision,) = recorded(stage, "github")
    assert (first.status_code, first.json()) == (202, {"kept": True, "again": False})
    assert again.json() == {"kept": True, "again": True}
    assert early == []
    assert (decision.place.anchor, decision.place.ref) == ("acme/shop#41", "acme/shop#41")
    assert any("we keep the search index in Postgres" in quote.quote for quote in decision.evidence)


def test_edits_and_deletions_converge_in_any_order(stage: Stage, deliverer: Any) -> None:
    there, event = deliverer(), {"x_github_event": "issue_comment"}
    late, early = "2026-05-02T11:00:00Z", "2026-05-02T10:30:00Z"
    there.send(github_comment(SETTLED, 2, action="edited", edited=late), **event)
    there.send(github_comment("Agreed, Elasticsearch it is.", 2, action="edited", edited=early), **event)
    there.send(github_comment("We should buy something instead.", 3, action="deleted"), **event)
    there.send(github_comment("We should buy something instead.", 3), **event)

    quiet(stage)

    pieces = stage.memory.beside.hook_pieces.of("github", "acme/shop#41", scope="workspace")
    assert [one.piece for one in pieces] == ["2", ""]
    (decision,) = recorded(stage, "github")
    assert "Postgres" in decision.title


def test_words_that_were_deleted_there_are_erased_here(stage: Stage, deliverer: Any) -> None:
    there, event = deliverer(), {"x_github_event": "issue_comment"}
    there.send(github_comment("Elasticsearch needs somebody to run it."), **event)
    there.send(github_comment(SETTLED, 2), **event)
    quiet(stage)

    there.send(github_comment(SETTLED, 2, action="deleted"), **event)
    quiet(stage)

    assert recorded(stage, "github") == []


def test_a_secret_erases_nothing_of_other_readers(stage: Stage, deliverer: Any) -> None:
    exec_, event = Scope(id="channel:C0EXEC", open=False), {"x_github_event": "issue_comment"}
    open_, closed = deliverer(), deliverer(scope=exec_, id_="hook-of-another-scope")
    closed.send(github_comment("Elasticsearch needs somebody to run it."), **event)
    closed.send(github_comment(SETTLED, 2), **event)
    quiet(stage)

    open_.send(github_comment(SETTLED, 2, action="deleted"), **event)
    quiet(stage)

    (left,) = [one for one in stage.memory.decisions(EVERYTHING) if one.title and one.place.source == "github"]
    assert left.scope == exec_
    assert any("Postgres" in quote.quote for quote in left.evidence)


def test_an_older_edit_that_comes_late_erases_nothing_of_the_newer(stage: Stage, deliverer: Any) -> None:
    there, event = deliverer(), {"x_github_event": "issue_comment"}
    there.send(github_comment("Elasticsearch needs somebody to run it."), **event)
    there.send(github_comment(SETTLED, 2, action="edited", edited="2026-05-02T11:00:00Z"), **event)
    quiet(stage)

    there.send(github_comment("Hm.", 2, action="edited", edited="2026-05-02T10:30:00Z"), **event)
    quiet(stage)

    (decision,) = recorded(stage, "github")
    assert any(quote.quote in SETTLED for quote in decision.evidence)


@pytest.mark.parametrize("source", ["github", "jira", "jira-connect", "pagerduty", "turns", "zoom"])
def test_what_is_not_signed_with_the_secret_changes_nothing(stage: Stage, deliverer: Any, source: str) -> None:
    there = deliverer(source.removesuffix("-connect"))
    said = github_comment(SETTLED)

    good = there.send(said, how=source, x_github_event="issue_comment")
    forged = there.send(said, how=source, secret="somebody-elses-secret-of-some-length", x_github_event="issue_comment")
    unknown = there.send(said, how=source, path="/webhooks/github/guessed", x_github_event="issue_comment")

    assert good.status_code == 202
    assert (forged.status_code, unknown.status_code) == (401, 401)
    assert forged.text == unknown.text
    stage.settle()
    assert stage.memory.beside.hook_pieces.of("github", "acme/shop#41", scope="workspace") == () or source == "github"


@pytest.mark.parametrize("source", ["turns", "zoom", "jira-connect"])
def test_a_delivery_that_somebody_recorded_is_no_use_later(stage: Stage, deliverer: Any, source: str) -> None:
    there = deliverer(source.removesuffix("-connect"))

    old = there.send({"turns": []}, how=source, at=stage.clock().timestamp() - 3600)

    assert old.status_code == 401


def test_zooms_question_is_answered_with_the_secret(deliverer: Any) -> None:
    there = deliverer("zoom")

    answer = there.send({"event": "endpoint.url_validation", "payload": {"plainToken": "qgg8vlvZRS6UYooatFL8Aw"}})

    assert set(answer.json()) == {"plainToken", "encryptedToken"}
    assert len(answer.json()["encryptedToken"]) == 64


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"[]", 400), (b"\xff\xfe{}", 400), (b"x" * 4_000_001, 413), (b"{}", 202), (DEEP, 400)],
)
def test_ugly_bodies_are_refused_or_passed_over(deliverer: Any, body: bytes, status: int) -> None:
    assert deliverer().send(body, x_github_event="pull_request").status_code == status


def test_who_may_read_what_comes_is_what_the_address_says(stage: Stage, deliverer: Any) -> None:
    there = deliverer("turns", scope=Scope(id="channel:C0EXEC", open=False))
    turns = [
        {
            "thread": "T1",
            "id": "1",
            "author": "Ben",
            "at": "2026-05-02T10:00:00Z",
            "text": "Elasticsearch or Postgres?",
        },
        {"thread": "T1", "id": "2", "author": "Ana", "at": "2026-05-02T10:01:00Z", "text": SETTLED},
    ]

    there.send({"turns": turns, "ends": True})
    quiet(stage)

    assert recorded(stage, "turns") == []
    inside = stage.memory.decisions(stage.bot.room.access.reader_of("U0LENA"))
    assert [one.place.anchor for one in inside if one.place.source == "turns"] == ["T1"]


def test_a_forgotten_person_is_in_no_piece(stage: Stage, deliverer: Any) -> None:
    there = deliverer("turns")
    there.send({"turns": [{"thread": "T1", "id": "1", "author_id": "U0ANA", "text": "Postgres, I say."}]})
    stage.settle()

    stage.memory.beside.hook_pieces.forget_person(Person(id="U0ANA", name=""))

    assert stage.memory.beside.hook_pieces.of("turns", "T1", scope="workspace") == ()
