"""What goes wrong in bots like this, each as the smallest input that shows it (SLACK.md, last table)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.playground import pings, screen
from bot.ports import Claim, ClaimKind, Evidence, Synthesis
from store import EVERYTHING
from tests.builders_slack import Gateway, Stage, staged, wait_for, without_table

WHY = "why are we on postgres for search?"
PRICES = "does pricing go up in May?"


def ask_by_mention(stage: Stage, channel: str = "search", user: str = "mia", text: str = WHY) -> str:
    ts = stage.play.post(user, channel, f"{stage.play.mention} {text}")
    stage.settle()
    return ts


def test_the_same_event_twice_is_answered_once(stage: Stage) -> None:
    stage.decided()
    stage.play.deliver_twice = True

    ts = ask_by_mention(stage)

    assert len(stage.screens("search", thread_ts=ts)) == 1


def test_the_same_command_twice_is_answered_once(stage: Stage) -> None:
    stage.decided()
    stage.play.deliver_twice = True

    receipt = stage.play.command("mia", "search", "/why", WHY)
    stage.settle()

    answers = [message for message in receipt.responses if "Search stays on Postgres" in message["text"]]
    assert len(answers) == 1


def test_a_retry_of_what_never_arrived_is_worked_off(stage: Stage) -> None:
    stage.decided()
    stage.play.hold()
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")

    (delivery,) = stage.play.deliveries("app_mention")
    stage.receive(delivery, retry=1)
    wait_for(lambda: stage.screens("search", thread_ts=ts))

    assert len(stage.screens("search", thread_ts=ts)) == 1


def test_a_mention_that_comes_as_two_events_is_answered_once(stage: Stage) -> None:
    stage.decided()

    ts = ask_by_mention(stage)

    assert {delivery.name for delivery in stage.play.deliveries()} >= {"app_mention", "message"}
    assert len(stage.screens("search", thread_ts=ts)) == 1


def test_it_never_answers_itself(stage: Stage) -> None:
    stage.decided()
    own = {"type": "message", "channel": "C0SEARCH", "ts": "1700000000.000100", "bot_id": "BBACKSTORY"}

    delivery = stage.play.deliver({**own, "text": f"{stage.play.mention} {WHY}"}, "search")
    stage.settle()

    assert delivery.acked
    assert stage.play.calls("chat.postMessage")[-1].args.get("thread_ts") != own["ts"]


def test_it_never_answers_another_bot(stage: Stage) -> None:
    other = {"type": "message", "channel": "C0SEARCH", "ts": "1700000000.000100", "bot_id": "BOTHER", "user": "UOTHER"}

    stage.play.deliver({**other, "text": f"{stage.play.mention} {WHY}"}, "search")
    stage.settle()

    assert not stage.play.calls("chat.postMessage")


def test_an_edit_that_changes_no_words_is_not_worked_off(stage: Stage) -> None:
    ts = stage.decided()
    reads = len(stage.extractor.read)

    stage.play.unfurl("search", ts)
    stage.settle()

    assert len(stage.extractor.read) == reads


def test_an_edited_mention_is_not_answered_again(stage: Stage) -> None:
    stage.decided()
    ts = ask_by_mention(stage)

    stage.play.edit("mia", "search", ts, f"{stage.play.mention} why on earth postgres?")
    stage.settle()

    assert len(stage.screens("search", thread_ts=ts)) == 1


@pytest.mark.parametrize(
    "event",
    [
        {
            "type": "message",
            "subtype": "channel_join",
            "channel": "C0SEARCH",
            "user": "U0MIA",
            "ts": "1700000000.000100",
        },
        {"type": "message", "subtype": "never_seen", "channel": "C0SEARCH", "user": "U0MIA", "ts": "1700000000.000100"},
        {"type": "an_event_of_next_year", "channel": "C0SEARCH"},
        {"type": "message"},
    ],
)
def test_a_delivery_of_a_kind_that_nobody_knows_is_acknowledged(stage: Stage, event: dict[str, str]) -> None:
    delivery = stage.play.deliver(event, "search")
    stage.settle()

    assert delivery.acked


def test_a_handler_that_fails_after_the_ack_loses_nothing(stage: Stage) -> None:
    stage.extractor.error = RuntimeError("a bug")
    ts = stage.play.post("lena", "search", "so we stay on postgres")
    stage.play.react("lena", "search", ts, "bookmark")
    wait_for(lambda: stage.extractor.read)
    stage.settle()
    stage.extractor.error = None
    stage.extractor.find("postgres", "Search stays on Postgres")

    stage.later(seconds=2)

    assert [decision.title for decision in stage.decisions()] == ["Search stays on Postgres"]


def test_a_vote_with_a_skin_tone_counts(stage: Stage) -> None:
    stage.decided()
    ts = ask_by_mention(stage)
    (answer,) = stage.play.bot_messages("search", thread_ts=ts)

    stage.play.react("lena", "search", answer["ts"], "+1::skin-tone-2")
    stage.settle()

    (decision,) = stage.decisions()
    assert decision.voices.worked == 1


def test_the_same_reaction_twice_is_one_vote_and_no_failure(stage: Stage) -> None:
    stage.decided()
    ts = ask_by_mention(stage)
    (answer,) = stage.play.bot_messages("search", thread_ts=ts)
    stage.play.deliver_twice = True

    stage.play.react("lena", "search", answer["ts"], "+1")
    stage.settle()

    (decision,) = stage.decisions()
    assert len(stage.memory.votes(decision.id, EVERYTHING)) == 1
    assert stage.memory.inbox.counts().failed == 0


@pytest.mark.parametrize("method", ["conversations.replies", "chat.postMessage", "chat.getPermalink", "users.info"])
def test_a_429_waits_as_long_as_slack_asks_and_loses_nothing(stage: Stage, method: str) -> None:
    stage.play.limit(method, retry_after_s=1)

    ts = stage.decided()
    early = stage.screens("search", thread_ts=ts)
    stage.later(seconds=1)

    assert early == []
    assert len(stage.screens("search", thread_ts=ts)) == 1


def test_a_private_channels_decision_stays_out_of_an_answer_in_a_public_one(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")

    ts = ask_by_mention(stage, "search", "lena", PRICES)
    alone = stage.ask("lena", "search", PRICES)

    (answer,) = stage.screens("search", thread_ts=ts)
    assert "goes up" not in answer
    assert "Pricing goes up in May" in alone


def test_two_who_ask_the_same_get_what_each_may_read(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")

    omar, noor = stage.ask("omar", "search", PRICES), stage.ask("noor", "search", PRICES)

    assert "Pricing goes up in May" in omar
    assert "goes up" not in noor


def revoke(stage: Stage) -> None:
    stage.play.deliver({"type": "tokens_revoked", "tokens": {"bot": ["UBACKSTORY"]}})


def uninstall(stage: Stage) -> None:
    stage.play.deliver({"type": "app_uninstalled"})


@pytest.mark.parametrize("how", ["revoked", "uninstalled"])
def test_nothing_is_answered_after_the_app_was_taken_away(stage: Stage, how: str) -> None:
    stage.decided()
    {"revoked": revoke, "uninstalled": uninstall}[how](stage)
    stage.settle()

    receipt = stage.play.command("mia", "search", "/why", WHY)
    stage.settle()

    assert receipt.acked
    assert all("Postgres" not in message["text"] for message in receipt.responses)


def test_what_people_write_pings_nobody(stage: Stage) -> None:
    stage.extractor.find("postgres", "<!here> & <@U0OMAR> search *stays* on postgres")
    ts = stage.play.post("lena", "search", "&lt;!here&gt; &amp; &lt;@U0OMAR&gt; search *stays* on postgres, agreed")
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()

    asked = ask_by_mention(stage)

    shown = stage.play.bot_messages("search", thread_ts=ts) + stage.play.bot_messages("search", thread_ts=asked)
    assert len(shown) == 2
    assert [pings(message) for message in shown] == [(), ()]


def test_a_decision_with_an_outsider_among_its_authors_is_kept_and_they_may_not_act(stage: Stage) -> None:
    stage.extractor.find("interface", "The interface is REST")
    stage.play.invite_bot("omar", "partner")
    ts = stage.play.post("eve", "partner", "then the interface is REST")

    stage.play.react("eve", "partner", ts, "bookmark")
    stage.settle()
    by_outsider = stage.decisions()
    stage.play.react("omar", "partner", ts, "bookmark")
    stage.settle()

    assert by_outsider == ()
    assert [decision.title for decision in stage.decisions()] == ["The interface is REST"]


class Emphatic:
    """A model that writes Markdown and pings, whatever it is asked."""

    name = "emphatic"

    def synthesise(
        self, question: str, evidence: tuple[Evidence, ...], *, contested: bool, deadline_s: float
    ) -> Synthesis:
        said = "**Search stays on Postgres** <!here>"
        return Synthesis(claims=(Claim(kind=ClaimKind.HEADLINE, text=said, citations=(1,)),), provenance=self.name)


def test_a_models_bold_is_bold_and_its_ping_pings_nobody(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway, synthesiser=Emphatic()) as stage:
        stage.decided()

        ts = ask_by_mention(stage)

        (answer,) = stage.play.bot_messages("search", thread_ts=ts)
        assert "Search stays on Postgres" in screen(answer)
        assert "**" not in str(answer["blocks"])
        assert pings(answer) == ()


def test_a_person_without_a_time_zone_is_answered(stage: Stage) -> None:
    stage.decided()

    answer = stage.ask("ana", "search", WHY)

    assert "Search stays on Postgres" in answer


def test_the_command_works_where_the_bot_is_no_member(stage: Stage) -> None:
    stage.decided()

    answer = stage.ask("lena", "hiring", WHY)

    assert "Search stays on Postgres" in answer


def test_what_could_not_be_kept_is_not_acknowledged_so_that_slack_delivers_again(stage: Stage) -> None:
    stage.play.hold()
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    (delivery,) = stage.play.deliveries("app_mention")

    with without_table(stage.memory.home / "inbox.db", "inbox"):
        refused = stage.receive(delivery)
    taken = stage.receive(delivery, retry=1)

    wait_for(lambda: stage.screens("search", thread_ts=ts))
    assert (refused.status, taken.status) == (500, 200)
