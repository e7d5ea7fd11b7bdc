"""History from other systems' interfaces, through the command and real HTTP: pages, limits, what changed since."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.fetching.asked import NOTED_EVERY
from store import Memory
from tests.builders_cli import Why
from tests.fakes import claude_server as fake
from tests.fakes.claude_server import ClaudeServer
from tests.fakes.systems_server import Systems

SETTLED = "Agreed, we keep the search index in Postgres and drop Elasticsearch, since nobody runs the cluster."
TALK = ("Elasticsearch or Postgres?", "Elasticsearch needs somebody to run it.", SETTLED, "Good, do that.")


@pytest.fixture
def systems() -> Iterator[Systems]:
    with Systems() as opened:
        yield opened


@pytest.fixture
def asking(why: Why, systems: Systems) -> Why:
    """Run `why` with the settings of the systems on loopback."""
    return lambda *words, **environ: why(*words, **{**systems.environment, **environ})


def said(number: int, text: str) -> dict[str, Any]:
    at = f"2026-05-02T1{number}:00:00Z"
    return {
        "id": number, "body": text, "user": {"login": f"u{number}", "id": number}, "created_at": at, "updated_at": at,
        "author": {"displayName": f"u{number}", "accountId": str(number)}, "created": at, "content": text,
        "html_url": f"https://example.org/{number}",
    }  # fmt: skip


def issue(number: int, *texts: str, updated: str = "2026-05-02T19:00:00Z") -> dict[str, Any]:
    return {
        "number": number, "url": f"https://api.github.com/repos/acme/shop/issues/{number}", "title": texts[0],
        "user": {"login": "ben", "id": 2}, "created_at": "2026-05-02T10:00:00Z", "updated_at": updated,
        "comments": [said(n, text) for n, text in enumerate(texts[1:], start=1)],
    }  # fmt: skip


def ticket(key: str, *texts: str, updated: str = "2026-05-02T19:00:00Z") -> dict[str, Any]:
    comments = [said(n, text) for n, text in enumerate(texts[1:], start=1)]
    return {
        "key": key,
        "self": "https://acme.example/rest/api/3/issue/1",
        "fields": {
            "summary": texts[0],
            "created": updated,
            "updated": updated,
            "comment": {"comments": comments},
        },
    }


def incident(number: int, *texts: str, created: str = "2026-05-02T10:00:00Z") -> dict[str, Any]:
    return {
        "id": f"P{number}", "incident_number": number, "title": texts[0], "created_at": created,
        "notes": [said(n, text) for n, text in enumerate(texts[1:], start=1)],
    }  # fmt: skip


def test_github_is_read_page_by_page_and_then_only_what_changed(asking: Why, systems: Systems) -> None:
    systems.github = [issue(n, f"Chore {n}") for n in range(1, 4)] + [issue(41, *TALK)]

    first = asking("backfill", "github", "acme/shop", "--visible-to", "workspace", "--json").document()
    asked = len(systems.asked)
    again = asking("backfill", "github", "acme/shop", "--visible-to", "workspace", "--json").document()

    assert (first["threads"], first["decisions"]) == (4, 1)
    assert (again["threads"], again["decisions"]) == (0, 0)
    assert "since=" in systems.asked[asked]
    assert systems.refused == []
    (decision,) = asking("list", "--json").document()["decisions"]
    assert (decision["anchor"], decision["source"]) == ("acme/shop#41", "github")


def test_what_a_batch_left_is_read_by_the_next_run_as_if_nothing_was_read_since(asking: Why, systems: Systems) -> None:
    systems.github = [issue(n, f"Chore {n}") for n in range(1, 4)] + [issue(41, *TALK)]
    words = ("backfill", "github", "acme/shop", "--visible-to", "workspace", "--batch", "--json")
    with ClaudeServer([fake.late(), fake.structured({"decisions": []})]) as claude:
        claude.batches.looks = 0
        key = {"ANTHROPIC_API_KEY": claude.api_key, "ANTHROPIC_BASE_URL": claude.base_url}

        late = asking(*words, **key)
        read = asking(*words, **key).document()
        after = asking(*words, **key).document()

    assert (late.code, late.document()["left"]) == (1, 1)
    assert (read["threads"], read["left"], read["batched"]) == (4, 0, 1)
    assert (after["threads"], claude.batches.asked) == (0, 2)


def test_jira_and_pagerduty_are_read_with_all_that_was_said(asking: Why, systems: Systems) -> None:
    systems.jira = [ticket("PAY-1", "Chore"), ticket("PAY-2", "Chore"), ticket("PAY-12", *TALK)]
    systems.incidents = [incident(343, "Disk full"), incident(344, "Search is down", *TALK[1:])]

    tickets = asking("backfill", "jira", "PAY", "--visible-to", "workspace", "--json").document()
    incidents = asking("backfill", "pagerduty", "all", "--visible-to", "workspace", "--json").document()

    assert (tickets["threads"], tickets["decisions"]) == (3, 1)
    assert incidents["threads"] == 2
    assert systems.refused == []
    assert "PAY-12" in [one["anchor"] for one in asking("list", "--json").document()["decisions"]]


def test_years_of_incidents_are_read_in_windows_and_each_once(asking: Why, systems: Systems) -> None:
    times = ("2023-01-05T10:00:00Z", "2025-11-01T00:00:01Z", "2025-11-02T08:00:00Z", "2025-11-04T08:00:00Z")
    systems.incidents = [incident(number, f"Chore {number}", created=at) for number, at in enumerate(times, start=1)]
    systems.widest = timedelta(days=30)

    found = asking("backfill", "pagerduty", "all", "--visible-to", "workspace", "--json").document()

    assert found["threads"] == 4
    assert systems.refused == []


def test_an_issue_that_changes_while_they_are_listed_hides_no_other(asking: Why, systems: Systems) -> None:
    systems.github = [issue(day, f"Chore {day}", updated=f"2026-05-{day:02}T19:00:00Z") for day in range(1, 8)]

    def change_the_first(asked: int) -> None:
        systems.github[0] = (
            issue(1, "Chore 1, anew", updated="2026-06-01T19:00:00Z") if asked == 2 else systems.github[0]
        )

    systems.meanwhile = change_the_first

    found = asking("backfill", "github", "acme/shop", "--visible-to", "workspace", "--json").document()

    assert found["threads"] == 8


def test_more_than_can_be_listed_is_said(asking: Why, systems: Systems) -> None:
    minute_ago = (datetime.now(UTC) - timedelta(minutes=1)).isoformat()
    systems.incidents = [incident(1, "Flood", created=minute_ago)]
    systems.widest = timedelta(0)

    ran = asking("backfill", "pagerduty", "all", "--visible-to", "workspace")

    assert ran.code == 1
    assert "more than 10,000 incidents" in ran.err


def test_a_pull_request_is_read_with_its_reviews(asking: Why, systems: Systems) -> None:
    systems.github = [
        {
            **issue(41, *TALK[:2]),
            "pull_request": {},
            "reviews": [said(3, SETTLED)],
            "review_comments": [said(4, "Good.")],
        }
    ]

    found = asking("backfill", "github", "acme/shop", "--visible-to", "workspace", "--json").document()

    assert found["decisions"] == 1


def test_an_old_incident_in_which_something_happened_since_is_read_again(asking: Why, systems: Systems) -> None:
    systems.incidents = [incident(343, "Disk full"), incident(344, "Search is down")]
    asking("backfill", "pagerduty", "all", "--visible-to", "workspace")
    now = datetime.now(UTC).isoformat()
    changed = {**incident(344, "Search is down", *TALK[1:]), "log": [now, now]}
    systems.incidents = [systems.incidents[0], changed]

    again = asking("backfill", "pagerduty", "all", "--visible-to", "workspace", "--json").document()
    elsewhere = asking(
        "backfill", "pagerduty", "PSHOP", "--visible-to", "workspace", "--since", "2026-06-01", "--json"
    ).document()

    assert (again["threads"], elsewhere["threads"]) == (1, 0)
    assert systems.refused == []


def test_jiras_times_are_compared_as_moments_whatever_its_clock_shows(asking: Why, systems: Systems) -> None:
    systems.jira = [ticket("PAY-1", "Chore"), ticket("PAY-2", "Chore")]
    systems.jira[0]["fields"]["updated"] = "2026-06-02T01:30:00.000+0900"
    systems.jira[1]["fields"]["updated"] = "2026-06-01T21:30:00.000-0500"

    found = asking("backfill", "jira", "PAY", "--visible-to", "workspace", "--since", "2026-06-02", "--json").document()

    assert found["threads"] == 1
    assert 'updated >= "2026-05-31 23:00"' in systems.asked[0]


def test_a_next_page_that_is_always_the_same_ends_the_run_and_what_was_read_is_kept(
    asking: Why, systems: Systems
) -> None:
    systems.github, systems.jira = [issue(41, *TALK)], [ticket("PAY-12", *TALK)]
    systems.same_page = True

    issues = asking("backfill", "github", "acme/shop", "--visible-to", "workspace")
    tickets = asking("backfill", "jira", "PAY", "--visible-to", "workspace")

    for ran in (issues, tickets):
        assert ran.code == 1
        assert "its next page is one that was read before" in ran.err
    assert "1 decision recorded" in issues.out


@pytest.mark.parametrize(("name", "target"), [("github", "acme/shop"), ("jira", "PAY"), ("pagerduty", "all")])
def test_a_run_that_is_broken_off_goes_on_where_it_was(asking: Why, systems: Systems, name: str, target: str) -> None:
    days = [f"2026-05-{day:02}T19:00:00Z" for day in range(1, NOTED_EVERY + 6)]
    systems.github = [issue(day, f"Chore {day}", updated=at) for day, at in enumerate(days, start=1)]
    systems.jira = [ticket(f"PAY-{day}", f"Chore {day}", updated=at) for day, at in enumerate(days, start=1)]
    systems.incidents = [incident(day, f"Chore {day}", created=at) for day, at in enumerate(days, start=1)]
    systems.away_after = {"github": NOTED_EVERY, "jira": NOTED_EVERY // 2, "pagerduty": 3 * NOTED_EVERY // 2 + 3}[name]

    broken = asking("backfill", name, target, "--visible-to", "workspace", "--json")
    systems.away_after = None
    resumed = asking("backfill", name, target, "--visible-to", "workspace", "--json").document()
    again = asking("backfill", name, target, "--visible-to", "workspace", "--json").document()

    assert broken.code == 1
    assert broken.document()["threads"] >= NOTED_EVERY
    assert "the same command goes on" in broken.err
    assert resumed["threads"] == 6
    assert again["threads"] == 0


def test_a_later_beginning_leaves_no_gap_behind(asking: Why, systems: Systems, home: Path) -> None:
    systems.github = [issue(41, *TALK)]
    words = ("backfill", "github", "acme/shop", "--visible-to", "workspace")
    asking(*words)
    before = read_at(home)

    asking(*words, "--since", "2030-01-01")
    later = read_at(home)
    asking(*words, "--since", "2020-01-01")

    assert later == before < read_at(home)


def read_at(home: Path) -> datetime:
    with closing(Memory.open(home, index="off")) as memory:
        found = memory.beside.backfills.read_at("github", "acme/shop")
        assert found is not None
        return found


def test_a_limit_slows_it_down_and_loses_nothing(asking: Why, systems: Systems) -> None:
    systems.github = [issue(41, *TALK)]
    past = "Sat, 02 May 2026 10:00:00 GMT"
    systems.answers = [
        (429, {"Retry-After": "0"}), (403, {"Retry-After": "0"}), (502, {"Retry-After": past}),
        (429, {"ratelimit-reset": "0"}),
    ]  # fmt: skip

    found = asking("backfill", "github", "acme/shop", "--visible-to", "workspace", "--json").document()

    assert found["decisions"] == 1


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (429, {"Retry-After": "86400"}, "go on later"),
        (302, {"Location": "http://169.254.169.254/"}, "leads to another address"),
        (401, {}, "doesn't take the credential"),
    ],
)
def test_what_can_not_be_read_is_said_and_the_next_run_begins_where_this_one_did(
    asking: Why, systems: Systems, status: int, headers: dict[str, str], words: str
) -> None:
    systems.github = [issue(41, *TALK)]
    systems.answers = [(status, headers)]

    failed = asking("backfill", "github", "acme/shop", "--visible-to", "workspace")
    after = asking("backfill", "github", "acme/shop", "--visible-to", "workspace", "--json").document()

    assert failed.code == 1
    assert words in failed.err
    assert after["decisions"] == 1


def test_a_next_page_elsewhere_gets_no_credential(asking: Why, systems: Systems) -> None:
    with Systems() as other:
        systems.github = [issue(n, f"Chore {n}") for n in range(1, 4)]
        systems.answers = [(200, {"Link": f'<{other.url}/repos/acme/shop/issues?page=2>; rel="next"'})]

        ran = asking("backfill", "github", "acme/shop", "--visible-to", "workspace")

        assert ran.code == 1
        assert "another host" in ran.err
        assert other.asked == []


def test_a_dry_run_says_what_it_would_cost_and_writes_nothing(asking: Why, systems: Systems) -> None:
    priced = {"BACKSTORY_PRICE": "1/5"}
    systems.github = [issue(1, "Chore"), issue(41, *TALK)]

    found = asking(
        "backfill", "github", "acme/shop", "--visible-to", "workspace", "--dry-run", "--json", **priced
    ).document()
    shown = asking("backfill", "github", "acme/shop", "--visible-to", "workspace", "--dry-run", **priced).out

    assert (found["threads"], found["gated_out"], found["model_calls"], found["decisions"]) == (2, 1, 1, 0)
    assert 0 < found["tokens"] < 10_000
    assert "with a model: about 1 model call" in shown
    assert "$0.0" in shown
    assert asking("list", "--json").document()["decisions"] == []


@pytest.mark.parametrize(
    ("words", "code", "said_"),
    [
        (("github", "acme/shop"), 2, "--visible-to"),
        (("github", "shop", "--visible-to", "workspace"), 1, "not OWNER/REPO"),
        (("jira", "pay ", "--visible-to", "workspace"), 1, "not PROJECT"),
        (("trello", "x", "--visible-to", "workspace"), 2, "there is github, jira, pagerduty, slack"),
    ],
)
def test_wrong_use_is_named(asking: Why, systems: Systems, words: tuple[str, ...], code: int, said_: str) -> None:
    ran = asking("backfill", *words)

    assert ran.code == code
    assert said_ in ran.err
    assert systems.asked == []


def test_a_missing_credential_is_named(why: Why) -> None:
    ran = why("backfill", "github", "acme/shop", "--visible-to", "workspace")

    assert ran.code == 1
    assert "GITHUB_TOKEN: not set" in ran.err


@pytest.mark.parametrize(
    "command", [("webhooks", "add", "github"), ("backfill", "github", "acme/shop"), ("record", "--title", "x")]
)
def test_a_channel_that_nobody_knows_is_refused_where_others_are_known(asking: Why, home: Path, command: Any) -> None:
    fresh = asking(*command, "--visible-to", "#exek")
    with closing(Memory.open(home, index="off")) as memory:
        memory.members.put_channel("C0EXEC", name="exec", open=False, members=(), at=memory.clock())

    misspelt, known = (asking(*command, "--visible-to", name) for name in ("#exek", "#exec"))

    assert (fresh.code, misspelt.code, known.code) == (0, 1, 0)
    assert "no channel is known yet" in fresh.err
    assert "there is #exec" in misspelt.err


def test_an_address_comments_on_pull_requests_only_where_somebody_said_for_whom(why: Why, asking: Why) -> None:
    words = ("--visible-to", "workspace", "--comment-for", "workspace")

    without, wrong = why("webhooks", "add", "github", *words), asking("webhooks", "add", "jira", *words)
    made = asking("webhooks", "add", "github", *words, "--json").document()
    plain = asking("webhooks", "add", "github", *words[:2], "--json").document()
    listed = asking("webhooks", "list").out
    removed = asking("webhooks", "remove", made["id"])

    assert (without.code, wrong.code, removed.code) == (1, 2, 0)
    assert "GITHUB_TOKEN: not set" in without.err
    assert "jira has no pull requests" in wrong.err
    assert (made["comment_for"], plain["comment_for"]) == ("public", None)
    assert listed.count("visible to workspace, comments for workspace\n") == 1
