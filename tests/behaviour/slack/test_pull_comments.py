"""Comments on pull requests: one, citing what its readers may read, kept up to date; other people's left alone."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bot.comment_text import mark_of
from bot.commenting import on_pull
from bot.ingest import Audience, ingest_lines
from bot.offline import OfflineExtractor
from store import WORKSPACE, Delivery, PullComment, Scope
from tests.behaviour.cli.test_preflight import differing
from tests.builders_edits import PROJECT
from tests.builders_hooks import Deliverer, github_comment, route
from tests.builders_slack import Gateway, Stage, staged
from tests.fakes.pull_requests import ME, PullRequests

EXEC = Scope(id="channel:C0EXEC", open=False)
NO_ELASTIC = {
    "title": "No Elasticsearch for search, @ben",
    "status": "rejected",
    "rationale": "nobody runs the cluster, see #12",
    "permalink": "https://example.org/adr/7",
    "elements": ["service:search"],
}
BRINGS = differing("pyproject.toml", PROJECT, PROJECT.replace('"httpx', '"elasticsearch>=8", "httpx'))
HARMLESS = differing("pyproject.toml", PROJECT, PROJECT.replace("1.2.0", "1.2.1"))
OTHERWISE = BRINGS.replace("elasticsearch>=8", "elasticsearch>=9")

COMMENTS = "/repos/acme/shop/issues"

Pushed = Callable[..., None]


@pytest.fixture
def github() -> Iterator[PullRequests]:
    with PullRequests() as opened:
        yield opened


@pytest.fixture
def stage(tmp_path: Path, gateway: Gateway, github: PullRequests) -> Iterator[Stage]:
    with staged(tmp_path, gateway, extractor=OfflineExtractor(), credentials=github.credentials) as opened:
        opened.memory.beside.hook_routes.keep(route("github"), opened.clock())
        opened.memory.beside.pull_comments.allow(route("github").id, WORKSPACE)
        record(opened, NO_ELASTIC)
        yield opened


@pytest.fixture
def pushed(stage: Stage, gateway: Gateway, github: PullRequests) -> Pushed:
    """Let a pull request stand so and GitHub deliver that."""
    there = Deliverer(base=gateway.url.removesuffix("/slack/events"), route=route("github"))
    numbers = count()

    def push(diff: str, action: str = "synchronize", *, times: int = 1, **fields: Any) -> None:
        github.open(diff, **fields)
        said = {
            "action": action,
            "repository": {"full_name": "acme/shop"},
            "pull_request": {"number": 41, "title": "Search", "created_at": "2026-05-02T10:00:00Z"},
        }
        delivery = f"d{next(numbers)}"
        for _ in range(times):
            there.send(said, x_github_event="pull_request", x_github_delivery=delivery)
        stage.settle()

    return push


def record(stage: Stage, fields: dict[str, Any], scope: Scope = WORKSPACE) -> None:
    done = ingest_lines(
        stage.memory, [json.dumps(fields).encode()], Audience(channel_scope=lambda _name: scope, default=scope)
    )
    assert not done.problems


def changes(github: PullRequests) -> list[str]:
    return [each for each in github.did if not each.startswith("GET")]


def test_one_comment_cites_the_decision_and_is_taken_back_in_place(github: PullRequests, pushed: Pushed) -> None:
    theirs = github.say("I would rather not.")

    pushed(BRINGS, "opened", times=3)
    first = github.comments[-1]["body"]
    pushed(BRINGS, title="Search, worded anew")
    pushed(HARMLESS)
    last = github.comments[-1]["body"]

    assert changes(github) == [
        "POST /repos/acme/shop/issues/41/comments",
        "PATCH /repos/acme/shop/issues/comments/1001",
    ]
    assert "**Conflict**: brings in what was turned down" in first
    assert "[No Elasticsearch for search, @\u200bben](https://example.org/adr/7)" in first
    assert "Why: “nobody runs the cluster, see #\u200b12”" in first
    assert last.endswith("Nothing that was decided speaks against this change any more.")
    assert theirs["body"] == "I would rather not."
    assert github.refused == []


@pytest.mark.parametrize(
    "fields",
    [
        {"diff": HARMLESS},
        {"draft": True},
        {"state": "closed"},
        {"user": {"id": 1, "type": "Bot"}},
        {"diff": "no diff at all"},
        {"diff": "x" * 5_000_001},
    ],
)
def test_what_is_allowed_a_draft_a_bots_or_no_diff_draws_nothing(
    github: PullRequests, pushed: Pushed, fields: dict[str, Any]
) -> None:
    pushed(fields.pop("diff", BRINGS), "opened", **fields)

    assert changes(github) == []


def test_only_what_the_stated_readers_may_read_is_cited(stage: Stage, github: PullRequests, pushed: Pushed) -> None:
    record(stage, {**NO_ELASTIC, "title": "No Elasticsearch for search", "rationale": "the offer was secret"}, EXEC)

    pushed(BRINGS, "opened")
    open_ = github.comments[-1]["body"]
    stage.memory.beside.pull_comments.allow(route("github").id, EXEC)
    pushed(OTHERWISE)
    closed = github.comments[-1]["body"]

    assert "secret" not in open_
    assert ("the offer was secret" in closed, "nobody runs the cluster" in closed) == (True, False)


def test_a_comment_that_somebody_wrote_is_never_changed(github: PullRequests, pushed: Pushed) -> None:
    github.is_app = True
    copied = mark_of_address() + "\nI copied this"
    theirs, bots = github.say(copied), github.say("lint: fine", by=8, kind="Bot")

    pushed(BRINGS, "opened")

    assert (theirs["body"], bots["body"]) == (copied, "lint: fine")
    assert changes(github) == [f"POST {COMMENTS}/41/comments"]


def test_a_comment_that_was_made_and_not_noted_is_found_again(
    stage: Stage, github: PullRequests, pushed: Pushed
) -> None:
    stage.memory.beside.pull_comments.keep(
        route("github").id, "acme/shop#41", PullComment(id="?", digest=""), stage.clock()
    )
    mine = github.say(f"{mark_of_address()}\nas it was said", by=ME)

    pushed(BRINGS, "opened")

    assert changes(github) == [f"PATCH {COMMENTS}/comments/{mine['id']}"]


def test_a_comment_that_somebody_deleted_stays_away_until_there_is_something_new(
    github: PullRequests, pushed: Pushed
) -> None:
    pushed(BRINGS, "opened")
    github.comments.clear()

    pushed(BRINGS)
    stays = len(github.comments)
    pushed(HARMLESS)
    gone = len(github.comments)
    pushed(BRINGS)

    assert (stays, gone, len(github.comments)) == (0, 0, 1)


def test_a_token_without_rights_is_told_once_and_a_limit_is_waited_for(
    stage: Stage, github: PullRequests, pushed: Pushed, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "backstory.commenting")
    github.answers = [("POST", 403, {}), ("POST", 422, {}), ("POST", 422, {})]
    for number in range(3):
        pushed(BRINGS.replace(">=8", f">={number}"), "opened")
    told = [each.message for each in caplog.records if each.name == "backstory.commenting"]

    github.answers = [("GET", 403, {"Retry-After": "30"}), ("GET", 429, {}), ("GET", 502, {})]
    pushed(OTHERWISE)
    early = len(github.comments)
    for _ in range(4):
        stage.later(120)

    assert told == ["no comment on a pull request"] * 2
    assert (early, len(github.comments)) == (0, 1)


def test_without_a_token_or_once_removed_nothing_is_asked(stage: Stage, github: PullRequests, pushed: Pushed) -> None:
    looking = Delivery(
        id=1, key="pull:y", kind="pull", payload={"hook": route("github").id, "thread": "acme/shop#41"}, priority=4,
        attempt=1, received_at=stage.clock(),
    )  # fmt: skip
    without = on_pull(stage.memory, {}, stage.clock(), looking)
    stage.memory.inbox.insert("pull:x", "pull", {"hook": route("github").id, "thread": "acme/shop#41"}, priority=4)
    stage.memory.beside.pull_comments.drop(route("github").id)
    pushed(BRINGS, "opened")

    assert without == "refused"
    assert github.did == []


def test_what_the_bot_said_itself_is_nobodys_reason(stage: Stage, gateway: Gateway) -> None:
    there = Deliverer(base=gateway.url.removesuffix("/slack/events"), route=route("github"))

    answer = there.send(github_comment(f"{mark_of_address()}\nAgreed, Postgres."), x_github_event="issue_comment")

    assert answer.json() == {"kept": False, "why": "it is what the bot itself said"}


@pytest.mark.parametrize(
    ("action", "name"), [("closed", "acme/shop"), ("opened", "../.."), ("opened", "acme/.."), ("opened", "")]
)
def test_other_events_and_odd_names_are_looked_at_by_nobody(
    stage: Stage, gateway: Gateway, github: PullRequests, action: str, name: str
) -> None:
    there = Deliverer(base=gateway.url.removesuffix("/slack/events"), route=route("github"))
    said = {"action": action, "repository": {"full_name": name}, "pull_request": {"number": 41, "title": "x"}}

    there.send(said, x_github_event="pull_request")
    stage.settle()

    assert github.did == []


def mark_of_address() -> str:
    return mark_of(hashlib.sha256(route("github").id.encode()).hexdigest()[:16])
