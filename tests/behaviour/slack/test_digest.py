"""A channel that chose it gets one message a week: what all its readers may read, and a way to stop it."""

from __future__ import annotations

from typing import Any

from bot.playground import buttons, pings, screen
from bot.slack import words
from bot.slack.room import digest_setting
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
