"""What Slack has no more is erased here by the next night, however it went there and whoever listened."""

from __future__ import annotations

from pathlib import Path

from bot.slack.recheck import CHUNK, MISSING
from bot.slack.room import inviter_setting
from store import EVERYTHING, Admission, Draft, Place, Quote, Scope
from tests.builders_slack import Gateway, Stage, staged

DAY_S = 24 * 3600


def night(stage: Stage, days: float = 1) -> None:
    """Let a night pass, and its chunks one after another."""
    stage.later(days * DAY_S)
    for _ in range(3):
        stage.later(61)


def texts(stage: Stage) -> str:
    return " ".join(quote.quote for one in stage.memory.decisions(EVERYTHING) for quote in one.evidence)


def unheard(stage: Stage) -> None:
    """Let the bot miss what happens from here on."""
    stage.play.deliver_to("http://127.0.0.1:9/nobody")


def test_what_was_deleted_or_edited_away_unheard_is_gone_after_the_night(stage: Stage) -> None:
    gone = stage.decided()
    kept = stage.decided(word="redis", title="Sessions stay in Redis")
    edited = stage.decided(word="kafka", title="Events stay on Kafka")
    unheard(stage)
    stage.play.delete("lena", "search", gone)
    stage.play.edit("lena", "search", edited, "never mind")
    stage.play.edit("lena", "search", kept, "edited: so we stay on redis for this, nobody on call knows the other one")

    night(stage)

    assert "redis" in texts(stage)
    assert "kafka" not in texts(stage)
    assert "postgres" not in texts(stage)
    cards = " ".join(stage.screens("search"))
    assert ("Sessions stay in Redis" in cards, "Postgres" in cards, "Kafka" in cards) == (True, False, False)


def kept_of(stage: Stage, word: str, *, channel: str = "C0SEARCH") -> str:
    """Let Lena say something in a channel and keep it as a decision, without a capture; returns its ts."""
    said = f"we stay on {word}"
    ts = stage.play.post("lena", channel, said)
    quote = Quote(quote=said, author="Lena", author_id="U0LENA", at=stage.clock(), turn_id=f"{channel}/{ts}")
    stage.memory.admit(
        Admission(
            place=Place(source="slack", anchor=f"{channel}/{ts}"), basis=ts,
            scope=Scope(id=f"channel:{channel}", open=channel == "C0SEARCH"),
            drafts=(Draft(title=f"It stays {word}", evidence=(quote,)),), provenance="test", pointed=True,
        )
    )  # fmt: skip
    return ts


def test_a_night_that_slack_slows_down_goes_on_and_asks_a_few_threads_a_minute(stage: Stage) -> None:
    posted = [kept_of(stage, f"word{number}") for number in range(CHUNK + 2)]
    unheard(stage)
    stage.play.delete("lena", "search", posted[-1])
    stage.play.limit("conversations.replies", retry_after_s=30, times=2)
    before = len(stage.play.calls("conversations.replies"))

    stage.later(DAY_S)
    limited = len(stage.play.calls("conversations.replies")) - before
    stage.later(31)
    stage.later(31)
    first = len(stage.play.calls("conversations.replies")) - before
    stage.later(61)
    stage.later(61)

    assert limited == 1
    assert CHUNK <= first <= CHUNK + 3
    assert f"word{CHUNK + 1}" not in texts(stage)
    assert "word0" in texts(stage)


def test_a_channel_that_took_the_bot_away_keeps_its_words_for_a_month_and_one_it_never_was_in_for_good(
    stage: Stage,
) -> None:
    stage.decided("exec")
    stage.memory.set_setting(inviter_setting("C0EXEC"), "U0LENA", by=stage.bot.room.person("U0LENA"))
    kept_of(stage, "imported", channel="C0HIRING")
    stage.play.kick("lena", "exec", "UBACKSTORY")
    stage.settle()

    night(stage)
    after_a_night = texts(stage)
    night(stage, MISSING.days)

    assert ("postgres" in after_a_night, "imported" in after_a_night) == (True, True)
    assert ("postgres" in texts(stage), "imported" in texts(stage)) == (False, True)


def test_a_deleted_channel_takes_its_words_along(stage: Stage) -> None:
    stage.decided()
    stage.play.delete_channel("lena", "search")
    stage.settle()

    night(stage)

    assert "postgres" not in texts(stage)


def test_a_retention_policy_takes_messages_of_its_age(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway, keep_days=30, one_clock=True) as stage:
        kept_of(stage, "older")
        stage.clock.advance(2 * DAY_S)
        kept_of(stage, "younger")

        night(stage, 29)

        assert ("older" in texts(stage), "younger" in texts(stage)) == (False, True)
