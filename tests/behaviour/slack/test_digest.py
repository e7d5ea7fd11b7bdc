"""A channel that chose it gets one message a week: what all its readers may read, and a way to stop it."""

from __future__ import annotations

from typing import Any

from bot.playground import buttons, pings, screen
from bot.slack.layout import notices, words
from bot.slack.room import digest_setting
from bot.slack.saying.posting import Words
from bot.slack.saying.quiet import post_unasked
from store import Verdict
from tests.behaviour.slack.test_follow_ups import until
from tests.builders_slack import Stage

MONDAY = 0


def chosen(stage: Stage, channel: str = "C0SEARCH") -> None:
    stage.memory.set_setting(digest_setting(channel), "on", by=stage.bot.room.person("U0LENA"))


def digests(stage: Stage, channel: str = "search") -> list[dict[str, Any]]:
    return [one for one in stage.play.bot_messages(channel) if words.DIGEST_HEADING.split(" {")[0] in screen(one)]


def test_a_channel_hears_on_monday_at_nine_what_was_decided_and_how_it_went(stage: Stage) -> None:
    chosen(stage)
    stage.decided()
    stage.decided("exec", word="price", title="The price stays secret")
    (decision,) = [one for one in stage.decisions() if "Search" in one.title]
    lena = stage.bot.room.person("U0LENA")
    stage.memory.observe_outcome(
        decision.id, voter=lena, verdict=Verdict.WORKED, counts=True, key="k", scope=decision.scope, at=stage.clock()
    )

    until(stage, weekday=MONDAY, hour=8)
    early = digests(stage)
    until(stage, weekday=MONDAY, hour=9)
    stage.later(3600)
    (told,) = digests(stage)

    assert early == []
    assert "1 decided · 1 result" in screen(told)
    assert "Decided: Search stays on Postgres" in screen(told)
    assert "It worked: Search stays on Postgres" in screen(told)
    assert "secret" not in str(told)
    assert digests(stage, "exec") == []
    assert (buttons(told), pings(told)) == (("digest_stop",), ())


def test_nothing_new_is_no_post_and_a_day_late_is_left_to_the_next(stage: Stage) -> None:
    chosen(stage)
    until(stage, weekday=MONDAY, hour=10)
    nothing = digests(stage)
    stage.decided()

    until(stage, weekday=MONDAY + 1, hour=10, days=6)
    late = digests(stage)
    stage.decided(word="redis", title="Sessions stay in Redis")
    until(stage, weekday=MONDAY, hour=11)
    (told,) = digests(stage)

    assert (nothing, late) == ([], [])
    assert "Sessions stay in Redis" in screen(told)


def test_only_who_may_set_the_mode_stops_it_and_it_says_who_did(stage: Stage) -> None:
    chosen(stage)
    ts = stage.decided()
    until(stage, weekday=MONDAY, hour=9)
    (told,) = digests(stage)

    stage.play.press("noor", told, "digest_stop")
    stage.settle()
    refused = stage.memory.setting(digest_setting("C0SEARCH"))
    stage.play.press("omar", told, "digest_stop")
    stage.settle()
    (stopped,) = digests(stage)
    stage.memory.set_setting(digest_setting("C0SEARCH"), "on", by=stage.bot.room.person("U0LENA"))
    stage.play.delete("lena", "search", ts)
    stage.settle()

    assert refused == "on"
    assert "Omar Haddad switched the weekly digest off here." in screen(stopped)
    assert buttons(stopped) == ()
    assert "Postgres" not in str(stage.play.bot_messages("search"))


def test_a_conflict_is_told_only_where_every_reader_may_read_both_sides(stage: Stage) -> None:
    chosen(stage)
    chosen(stage, "C0EXEC")
    stage.decided(word="postgres", title="Search stays on Postgres")
    stage.decided("exec", word="oracle", title="Everything moves to Oracle")
    closed, open_one = (one.id for one in sorted(stage.decisions(), key=lambda one: one.scope.open))
    stage.memory.note_conflict(closed, open_one, quotes=("oracle", "postgres"), by=stage.bot.room.person("U0LENA"))

    until(stage, weekday=MONDAY, hour=9)
    stage.later(3600)

    (for_all,), (for_few,) = digests(stage), digests(stage, "exec")
    assert "1 decided" in screen(for_all)
    assert "contested" not in screen(for_all).lower()
    assert "Oracle" not in str(for_all)
    assert "1 decided · 1 contested" in screen(for_few)
    assert "Search stays on Postgres" in screen(for_few)


def test_a_digest_waits_for_room_and_tells_first_what_found_none(stage: Stage) -> None:
    chosen(stage)
    until(stage, weekday=6, hour=20)
    room = stage.bot.room
    for number in range(4):
        stage.decided(word=f"word{number}", title=f"Choice {number} stays")
        posted = post_unasked(
            room, key=f"note:{number}", kind="note", channel="C0SEARCH", thread_ts="",
            make=lambda: Words(message=notices.notice("noise"), decisions=(stage.decisions()[0].id,)),
        )  # fmt: skip
        assert bool(posted) is (number < 3)

    until(stage, weekday=MONDAY, hour=9)
    crowded = digests(stage)
    until(stage, weekday=MONDAY, hour=21)
    (told,) = digests(stage)

    assert crowded == []
    assert screen(told).splitlines()[1].startswith("Decided: Choice 3 stays")
