"""A workspace's past from Slack's own interface, through the command and real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from slack_sdk import WebClient

from bot import app as product
from bot.backfill import import_threads
from bot.errors import Permanent, Transient
from bot.playground import HandClock, Playground, small_workspace
from bot.ports import Extractor
from bot.settings import Settings
from bot.slack.client import MOST_OUTAGES, PatientClient
from bot.slack.history import NOTED_EVERY
from bot.slack.room import Mode, mode_setting
from store import EVERYTHING, Person
from tests.builders_cli import Why
from tests.builders_verbs import ScriptedExtractor

LENA = Person(name="Lena", id="U0LENA")
SETTLED = "Agreed, we keep the search index in Postgres and drop Elasticsearch, since nobody runs the cluster."
OLD_LOGS = "Agreed, we keep the old logs for a year and drop the archive, since nobody reads it."
SECRET = "Agreed, we close the Lisbon office in May and keep the team, since nobody goes there."


@pytest.fixture
def clock() -> HandClock:
    return HandClock(datetime.now(UTC) - timedelta(days=200))


@pytest.fixture
def play(clock: HandClock) -> Iterator[Playground]:
    with Playground(small_workspace(bot_in=("search", "exec", "old-search")), clock=clock) as opened:
        yield opened


@pytest.fixture
def asking(why: Why, play: Playground) -> Why:
    """Run `why backfill slack` with the token of the workspace on loopback, and return its document or what it said."""
    given = {"SLACK_BOT_TOKEN": play.bot_token, "SLACK_API_URL": play.api_url}
    return lambda *words, **environ: why("backfill", "slack", *words, **given, **environ)


def talk(play: Playground, channel: str, settled: str, *, asked: str = "Do we keep it as it is?") -> str:
    ts = play.post("lena", channel, asked)
    play.post("omar", channel, settled, thread_ts=ts)
    play.post("mia", channel, "Good, do that.", thread_ts=ts)
    return ts


def set_mode(home: Path, mode: Mode) -> None:
    with product.opened(Settings(home=home), index="off") as parts:
        parts.memory.set_setting(mode_setting("C0SEARCH"), mode.value, by=LENA)


def titles(why: Why, reader: str) -> str:
    return str(why("list", "--reader", reader).out)


def test_the_past_of_its_channels_is_read_for_those_who_are_in_them_and_nothing_is_posted(
    asking: Why, why: Why, play: Playground
) -> None:
    talk(play, "search", SETTLED)
    play.post("raj", "search", "Lunch?")
    talk(play, "exec", SECRET)
    talk(play, "platform", "Agreed, we keep the Rust builds on one machine, since it is fast enough.")

    counted = asking("all", "--dry-run", "--json").document()
    people = why("list", "--reader", "mia").err
    found = asking("all", "--visible-to", "workspace", "--json")
    again = asking("all", "--since", "2020-01-01", "--json").document()

    assert (counted["threads"], counted["model_calls"], counted["decisions"]) == (3, 2, 0)
    assert "nobody of that id or name" in people
    assert (found.document()["threads"], found.document()["decisions"]) == (3, 2)
    assert "--visible-to is passed over" in found.err
    assert (again["already_known"], again["decisions"]) == (2, 0)
    assert "Lisbon" in titles(why, "U0MIA")
    assert "Lisbon" not in titles(why, "U0RAJ") + titles(why, "public")
    assert "Elasticsearch" in titles(why, "public")
    assert play.bot_messages("search") + play.bot_messages("exec") == ()


def test_what_is_not_read_is_said_with_its_reason(asking: Why, home: Path, play: Playground) -> None:
    talk(play, "search", SETTLED)
    talk(play, "exec", SECRET)
    set_mode(home, Mode.OFF)
    play.archive("lena", "general")
    reasons = {
        "exec": "BACKSTORY_BLOCKED_CHANNELS names it",
        "#search": "it is set to off",
        "old-search": "it is archived",
        "C0GENERAL": "it is archived, so that Backstory is no longer in it",
        "C0PLATFORM": "Backstory isn't in it",
        "nowhere": "no channel of that id or name",
    }

    everything = asking("all", "--json", BACKSTORY_BLOCKED_CHANNELS="exec")

    assert everything.document()["threads"] == 0
    assert "#exec: passed over: BACKSTORY_BLOCKED_CHANNELS names it" in everything.err
    assert "#search: passed over: it is set to off" in everything.err
    for channel, reason in reasons.items():
        ran = asking(channel, BACKSTORY_BLOCKED_CHANNELS="exec")
        assert (ran.code, reason in ran.err) == (1, True), ran.err


def test_direct_messages_are_never_read(asking: Why, play: Playground) -> None:
    direct = play.direct("lena")
    play.post("lena", direct, SETTLED)

    everything = asking("all", "--json").document()
    named = asking(direct)

    assert everything["threads"] == 0
    assert "direct messages are never read" in named.err


def test_later_runs_find_replies_to_old_threads_and_edits_and_leave_the_rest_alone(
    tmp_path: Path, play: Playground, clock: HandClock
) -> None:
    quiet, older = talk(play, "search", "Nothing yet."), talk(play, "search", "Nothing there yet.")
    clock.advance(timedelta(days=150).total_seconds())
    late = talk(play, "search", "Not sure.", asked="Elasticsearch or Postgres?")
    edited = play.post("raj", "search", "We may use Kafka.")
    backfilled(tmp_path, play, clock, [])
    clock.advance(timedelta(days=51).total_seconds())
    play.post("omar", "search", SETTLED, thread_ts=late, broadcast=True)
    play.post("omar", "search", OLD_LOGS, thread_ts=older, broadcast=True)
    play.edit("raj", "search", edited, "We may use Kafka after all.")
    seen = len(play.calls("conversations.replies"))

    found = backfilled(tmp_path, play, clock, [])

    read = [call.args["ts"] for call in play.calls("conversations.replies")[seen:]]
    assert sorted(read) == sorted([late, older])
    assert quiet not in read
    assert (found["threads"], found["decisions"]) == (3, 2)


def test_a_channel_that_can_not_be_read_costs_only_itself(asking: Why, play: Playground) -> None:
    talk(play, "search", SETTLED)
    talk(play, "exec", SECRET)
    play.fail("conversations.history", "not_in_channel")

    ran = asking("all", "--json")

    assert ran.code == 1
    assert ran.document()["decisions"] == 1
    assert "#exec: conversations.history: not_in_channel; the rest of it is left" in ran.err


def test_a_thread_that_is_gone_is_passed_over_and_one_that_is_refused_said(asking: Why, play: Playground) -> None:
    talk(play, "search", SETTLED)
    talk(play, "search", "Nothing here.")
    play.fail("conversations.replies", "thread_not_found")
    play.fail("conversations.replies", "missing_scope")

    ran = asking("search", "--json")

    assert ran.document()["threads"] == 0
    assert "#search: conversations.replies: missing_scope" in ran.err


def test_what_is_older_than_messages_are_kept_is_not_read(asking: Why, play: Playground) -> None:
    talk(play, "search", SETTLED)

    ran = asking("search", "--json", BACKSTORY_KEEP_DAYS="100")

    assert ran.document()["threads"] == 0


def test_what_a_model_left_is_read_by_the_next_run(tmp_path: Path, play: Playground, clock: HandClock) -> None:
    talk(play, "search", SETTLED)
    refusing = ScriptedExtractor(failure=Permanent("can't read that"), failures=1)

    left = backfilled(tmp_path, play, clock, [], refusing)
    again = backfilled(tmp_path, play, clock, [])

    assert (left["left"], left["decisions"]) == (1, 0)
    assert again["decisions"] == 1


def test_a_run_that_was_broken_off_goes_on_where_it_was_and_ends_as_an_unbroken_one(
    tmp_path: Path, play: Playground, clock: HandClock
) -> None:
    for number in range(3):
        talk(play, "search", f"Agreed, we keep service number {number} in Lisbon, since nobody minds.")
        clock.advance(7_200)
    for number in range(NOTED_EVERY):
        play.post("raj", "search", f"Lunch {number}?")
        clock.advance(7_200)
    waits: list[float] = []

    whole = backfilled(tmp_path / "whole", play, clock, waits)
    play.limit("conversations.replies", retry_after_s=30, times=2)
    play.fail("conversations.replies", "internal_error", times=MOST_OUTAGES + 1)
    broken = backfilled(tmp_path / "broken", play, clock, waits)
    talk(play, "search", "Agreed, we keep the newest one in Porto.")
    resumed = backfilled(tmp_path / "broken", play, clock, waits)
    whole_again = backfilled(tmp_path / "whole", play, clock, waits)

    assert waits[:2] == [30, 30]
    assert (broken["threads"], broken["problems"]) == (NOTED_EVERY, 1)
    assert (resumed["threads"], resumed["decisions"]) == (3 + 1, 4)
    assert whole["decisions"] == 3
    assert resumed["digest"] == whole_again["digest"]


def test_a_channel_that_is_set_to_off_meanwhile_is_read_no_further(
    tmp_path: Path, play: Playground, clock: HandClock
) -> None:
    talk(play, "search", SETTLED)
    talk(play, "search", OLD_LOGS)
    play.limit("conversations.replies", retry_after_s=30)

    class Off(list[float]):
        """Waits by setting the channel to off."""

        def append(self, seconds: float, /) -> None:
            set_mode(tmp_path, Mode.OFF)

    found = backfilled(tmp_path, play, clock, Off())

    assert (found["threads"], found["problems"]) == (1, 1)


def test_a_run_that_is_killed_goes_on_and_leaves_what_an_unbroken_one_leaves(
    asking: Why, why: Why, why_process: Why, play: Playground, clock: HandClock, home: Path, tmp_path: Path
) -> None:
    for number in range(3):
        talk(play, "search", f"Agreed, we keep service number {number} in Lisbon, since nobody minds.")
    for number in range(NOTED_EVERY):
        play.post("raj", "search", f"Lunch {number}?")
    given = {"SLACK_BOT_TOKEN": play.bot_token, "SLACK_API_URL": play.api_url}

    killed = why_process("backfill", "slack", "search", **given, BACKSTORY_FAILPOINT="append.after")
    resumed = asking("search", "--json").document()
    unbroken = backfilled(tmp_path / "unbroken", play, clock, [])

    assert killed.code < 0
    assert resumed["threads"] == 3
    assert why("digest").out.split()[0] == unbroken["digest"]


def test_where_people_are_asked_first_nothing_stands_unasked(
    tmp_path: Path, play: Playground, clock: HandClock
) -> None:
    talk(play, "search", SETTLED)
    set_mode(tmp_path / "home", Mode.ASK_FIRST)

    found = backfilled(tmp_path / "home", play, clock, [])

    assert (found["decisions"], found["confirmed"]) == (1, 0)


def test_patience_has_an_end_and_a_slack_that_never_answered_gets_none(play: Playground) -> None:
    waits: list[float] = []
    client = PatientClient(WebClient(token=play.bot_token, base_url=play.api_url), waits.append)
    play.fail("auth.test", "internal_error")
    play.fail("users.info", "internal_error", times=MOST_OUTAGES + 1)

    with pytest.raises(Transient):
        client.me()
    before = list(waits)
    client.me()
    with pytest.raises(Transient):
        client.user("U0LENA")

    assert (before, waits) == ([], [2, 4, 8, 16, 32])


def backfilled(
    home: Path, play: Playground, clock: HandClock, waits: list[float], extractor: Extractor | None = None
) -> dict[str, Any]:
    """Read everything there as the command does, at that time and with waits that take none; return what came of it."""
    settings = Settings(home=home, slack_bot_token=play.bot_token, slack_api_url=play.api_url)
    with closing(product.build(settings, index="off", clock=clock, pause=waits.append)) as parts:
        history = product.slack_history(parts, "all", since=None, counts=False, pause=parts.pause)
        reader = history.as_captured(extractor or parts.extractor)
        tally = import_threads(parts.memory, reader, history, pause=parts.pause, worked_off=history.worked_off)
        history.ended()
        standing = parts.memory.decisions(EVERYTHING)
        return {
            **tally.document(),
            "problems": len(history.problems),
            "confirmed": sum(one.confirmed for one in standing),
            "digest": parts.memory.digest(EVERYTHING),
        }
