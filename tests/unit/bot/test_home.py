"""Home as people see it: what stands where, and Slack's limits whatever there is."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.playground import screen
from bot.playground.blocks import check_view
from bot.proposing import Offered
from bot.slack.answering.gaps import Gap
from bot.slack.home.admin import Admin, Channel, Month, channels_view
from bot.slack.home.data import PAGE, Mine, MyData, mine_view
from bot.slack.home.people import QUESTIONS_MAX, questions_view
from bot.slack.home.view import Home, closed_view, home_view
from bot.slack.layout import words
from bot.slack.room import Marking, Mode
from bot.slack.unasked.followups import FollowUp
from store import Conflict, Happening, Kept, Nudge, OutcomeProposal, Place, ScopeCount, Trajectory, Verdict, Vote
from tests.builders_messages import ANY, LENA, SEARCH, STAY, WHEN, decision, quote, url

WHERE = {"CSEARCH": "#search"}
WAITS = decision("w", title="Nightly reindex", confirmed=False, confidence=60, evidence=(quote("ok, nightly reindex"),))
PULLS = Conflict(
    element="service:search-api",
    property="retries",
    heads=(decision("c", title="3 tries, backoff"), decision("d", title="5 tries for batch jobs")),
)
MONTH = Month(
    limit=20_000_000, spent=310_000, calls=214, for_answers=4_000_000, is_low=False,
    renews_at=datetime(2026, 4, 1, tzinfo=UTC),
)  # fmt: skip
CHANNELS = (
    Channel(id="C1", name="#payments"),
    Channel(
        id="CSEARCH",
        name="#search",
        mode=Mode.BY_ITSELF,
        marking=Marking.EMOJI,
        digest=True,
        said_before=True,
        set_by="Mia",
        set_at=WHEN,
        of_late=ScopeCount(kept=5, removed=1, latest=WHEN),
    ),
)
ADMIN = Admin(
    kept=Kept(decisions=412, messages=1_203, oldest=WHEN),
    blocked=2,
    month=MONTH,
)


def asked(number: int = 1, question: str = "why Postgres?") -> Trajectory:
    return Trajectory(session=f"s{number}", question=question, answer=None, asker_id="ULENA", asked_at=WHEN)


def follow_up(name: str = "f", *, may_wait: bool = True, **changes: Any) -> FollowUp:
    nudge = Nudge(key="follow_up:f:1", person="ULENA", kind="follow_up", ref="f" * 64, due_at=WHEN)
    return FollowUp(nudge=nudge, decision=decision(name, **changes), may_wait=may_wait)


def offer(*, kind: Happening = Happening.INCIDENT, **changes: Any) -> Offered:
    place = {
        Happening.INCIDENT: Place(source="pagerduty", anchor="318", ref="incident:318", permalink="https://x.io/318"),
        Happening.REVERT: Place(source="github", anchor="acme/shop#50", ref="acme/shop#50"),
        Happening.RESOLVED: Place(source="jira", anchor="PAY-9", ref="PAY-9"),
    }[kind]
    proposal = OutcomeProposal(
        decision="f" * 64, place=place, scope=SEARCH, kind=kind, happened_at=WHEN, strength=60,
        verdict=Verdict.WORKED if kind is Happening.RESOLVED else Verdict.FAILED,
    )  # fmt: skip
    return Offered(proposal=proposal, decision=decision("f", **changes))


def gap(question: str = "Which HR system?") -> Gap:
    return Gap(question=question, channel="CSEARCH", ts="1.1", permalink=url("1"), asked_at=WHEN)


def seen(view: dict[str, Any]) -> list[str]:
    check_view(view)
    return screen(view).splitlines()


def test_a_newcomer_is_told_in_two_lines_what_to_do() -> None:
    lines = seen(home_view(Home()))

    assert lines[:2] == [
        "I remember what was decided in Slack, and why.",
        f"{words.HOME_HELLO_HOW} Ask here, or `/why …` in any channel.",
    ]
    assert words.HOME_RECENT not in lines
    assert words.HOME_QUESTIONS not in lines
    assert words.HOME_DATA_NONE in lines


def test_what_waits_for_somebody_stands_above_what_there_is() -> None:
    shown = Home(
        waiting=(WAITS,), conflicts=(PULLS,), asked_how=(follow_up(),), recent=(decision("r"),), gaps=(gap(),),
        questions=(asked(),), data=MyData(latest=(STAY,), kept=14), channels=CHANNELS, admin=ADMIN, where=WHERE,
    )  # fmt: skip

    lines = seen(home_view(shown))

    headings = [
        words.HOME_CONFIRM, words.HOME_CONTESTED, words.HOME_WENT, words.HOME_RECENT, words.HOME_ASKED,
        words.HOME_QUESTIONS, words.HOME_DATA, words.ADMIN_CHANNELS, words.ADMIN_KEPT, words.ADMIN_BUDGET,
    ]  # fmt: skip
    assert [line for line in lines if line in headings] == headings
    assert lines[0].startswith(words.SEARCH_LABEL)


def test_each_thing_that_waits_can_be_answered_where_it_stands() -> None:
    lines = seen(home_view(Home(waiting=(WAITS,), conflicts=(PULLS,), asked_how=(follow_up(),), where=WHERE)))

    assert '"ok, nightly reindex" Lena · #search · 4 Mar' in lines
    assert "[That's right] [No] [Edit]" in lines
    assert "A · 3 tries, backoff · Lena and Omar · #search · 4 Mar" in lines
    assert any("[Settle…]" in line for line in lines)
    assert "[Worked] [Didn't work] [Too early] [Stop asking me]" in lines


def test_what_systems_report_is_a_question_each_with_the_likelier_answer_first() -> None:
    kinds = (Happening.INCIDENT, Happening.REVERT, Happening.RESOLVED)

    lines = seen(home_view(Home(came=(*(offer(kind=kind) for kind in kinds), offer()), where=WHERE)))

    assert lines.count("Search stays on Postgres") == 3
    assert "Incident 318 on 4 Mar: did this fail?" in lines
    assert "acme/shop#50 took it back on 4 Mar: did this fail?" in lines
    assert "PAY-9 was resolved on 4 Mar: did this work?" in lines
    assert "[It didn't work] [It worked] [Not because of it]" in lines
    assert "[It didn't work] [It worked] [Nothing to do with it]" in lines
    assert "[It worked] [It didn't work] [Nothing to do with it]" in lines
    assert words.HOME_MORE.format(count=1) in lines


def test_too_early_is_offered_only_while_it_is_still_an_answer() -> None:
    lines = seen(home_view(Home(asked_how=(follow_up(may_wait=False),))))

    assert "[Worked] [Didn't work] [Stop asking me]" in lines


def test_recent_says_where_it_stands_and_that_there_is_more() -> None:
    many = tuple(decision(f"{number:02}", title=f"Decision {number}") for number in range(7))

    lines = seen(home_view(Home(recent=many, where=WHERE)))

    assert "In force · Lena and Omar · #search · 4 Mar" in lines
    assert "Decision 6" not in lines
    assert "More: ask `/why …`" in lines


def test_twenty_questions_stand_behind_a_button() -> None:
    many = tuple(asked(number, f"question {number}") for number in range(QUESTIONS_MAX))

    home, every = seen(home_view(Home(questions=many))), seen(questions_view(many))

    assert sum("[Open again]" in line for line in home) == 5
    assert "[All my questions…]" in home
    assert sum("[Open again]" in line for line in every) == QUESTIONS_MAX


def test_my_data_says_what_is_kept_and_each_switch_what_it_will_be() -> None:
    off = MyData(latest=(STAY,), kept=14, left_out=True, followed_up=False, with_model=False)

    lines, switched = seen(home_view(Home(data=MyData(latest=(STAY,), kept=1)))), seen(home_view(Home(data=off)))

    assert "1 message of yours is kept." in lines
    assert any("[Leave me out]" in line for line in lines)
    assert any("[Don't ask me]" in line for line in lines)
    assert "14 messages of yours are kept. The latest 1:" in switched
    assert any("[Let me in again]" in line for line in switched)
    assert any("[Ask me again]" in line for line in switched)
    assert words.DATA_NO_MODEL in switched


def test_taking_everything_out_is_asked_twice() -> None:
    view = home_view(Home(data=MyData(latest=(STAY,), kept=1)))

    buttons = [part for block in view["blocks"] for part in block.get("elements", ()) if part.get("confirm")]

    assert [part["text"]["text"] for part in buttons] == [words.DATA_TAKE_ALL]


def test_whoever_may_set_channels_sees_how_each_is_set_by_whom_and_what_came_of_it() -> None:
    lines = seen(home_view(Home(channels=CHANNELS)))

    assert "#search · By itself · marked with 🔖 (bookmark) · weekly digest · says what was turned down before" in lines
    assert "Set by Mia, 4 Mar · In 30 days: 5 kept, 1 removed · Last kept 4 Mar" in lines
    assert words.ADMIN_OF_LATE_NONE in lines
    assert lines.count("[Change…] [Look back 90 days…]") == 2


def test_admins_see_what_is_kept_sent_and_left_to_spend() -> None:
    lines = seen(home_view(Home(admin=ADMIN)))

    assert "Kept in channels that you can read: 412 decisions, resting on 1,203 messages · first on 4 Mar" in lines
    assert "Questions: each seen by its asker alone, kept for 90 days" in lines
    assert "Sent to Claude (Anthropic) this month: 214 requests, 310,000 tokens" in lines
    assert "310,000 of 20,000,000 tokens used this month (1 %). It starts anew on 1 Apr 2026." in lines
    assert words.ADMIN_IF_USED in lines


def test_a_used_budget_says_what_happens_now() -> None:
    used = Month(
        limit=100, spent=100, calls=3, for_answers=20, is_low=True, renews_at=MONTH.renews_at
    )  # fmt: skip

    lines = seen(home_view(Home(admin=Admin(month=used))))

    assert "⚠ This month's model budget is used: answers are quoted, not summed up, until 1 Apr 2026." in lines


def test_without_a_model_nothing_is_sent_or_spent() -> None:
    lines = seen(home_view(Home(admin=Admin())))

    assert "Sent elsewhere: nothing; no model is set up." in lines
    assert words.ADMIN_NO_MODEL in lines
    assert words.ADMIN_CHANNELS_NONE in lines


def test_somebody_of_another_organisation_gets_a_plain_sentence() -> None:
    assert seen(closed_view()) == [words.HOME_NOT_FOR_YOU]


def test_everything_about_somebody_is_turned_page_by_page() -> None:
    vote = Vote(
        decision=decision().id, voter=LENA, verdict=Verdict.WORKED, counts=True, reason="80 ms", at=WHEN, scope=SEARCH
    )
    mine = Mine(
        person="ULENA", messages=tuple(quote(f"message {number}") for number in range(PAGE)), decided=(decision(),),
        votes=((decision(), vote),), asked=(asked(),),
    )  # fmt: skip

    first, last = seen(mine_view(mine, 0)), seen(mine_view(mine, 99))

    assert words.MINE_MESSAGES in first
    assert "[More]" in first
    assert [line for line in last if line in (words.MINE_DECIDED, words.MINE_VOTES, words.MINE_ASKED)] == [
        words.MINE_DECIDED, words.MINE_VOTES, words.MINE_ASKED,
    ]  # fmt: skip
    assert "[Back]" in last
    assert any("why export --person ULENA" in line for line in last)


def test_of_whom_nothing_is_kept_that_is_said() -> None:
    assert words.MINE_NONE in seen(mine_view(Mine(person="U1"), 0))


def test_a_hundred_channels_are_turned_page_by_page() -> None:
    many = tuple(Channel(id=f"C{number}", name=f"#c{number:03}") for number in range(100))

    home, last = seen(home_view(Home(channels=many))), seen(channels_view(many, 4))

    assert "[All channels…]" in home
    assert any(line.startswith("#c099") for line in last)
    assert "[Back]" in last


many = st.integers(0, 120)


@settings(max_examples=25, deadline=None)
@given(text=ANY, waiting=many, pulls=many, hows=many, recent=many, gaps=many, questions=many, mine=many, channels=many)
def test_whatever_there_is_and_however_long_slack_takes_it_whole(text: str, **counts: int) -> None:
    long = text * 40
    one = decision("a", title=long, rationale=long, evidence=(quote(long or "x"),), decided_by=(LENA,) * 9)
    when = WHEN + timedelta(days=1)
    shown = Home(
        told=tuple({"type": "divider"} for _ in range(counts["waiting"])),
        waiting=(one,) * counts["waiting"],
        conflicts=(Conflict(element=long, property=long, heads=(one, one, one)),) * counts["pulls"],
        came=(offer(title=long),) * counts["hows"],
        asked_how=(follow_up(title=long),) * counts["hows"],
        recent=(one,) * counts["recent"],
        gaps=(gap(long),) * counts["gaps"],
        questions=tuple(asked(number, long) for number in range(counts["questions"])),
        data=MyData(latest=(quote(long or "x"),) * counts["mine"], kept=counts["mine"], with_model=False),
        channels=tuple(
            Channel(id=f"C{number}", name=long, set_by=long, set_at=when, digest=True, said_before=True)
            for number in range(counts["channels"])
        ),
        admin=Admin(
            kept=Kept(decisions=10**9, messages=10**9, oldest=when), blocked=99, month=MONTH,
        ),
        where={"CSEARCH": long},
    )  # fmt: skip

    view = home_view(shown)

    check_view(view)
    assert len(view["blocks"]) < 100, "the last block may have been cut off"
    assert words.ADMIN_BUDGET in json.dumps(view["blocks"][-4:], ensure_ascii=False)
    for page in (0, 1, 99):
        check_view(channels_view(shown.channels, page))
        check_view(mine_view(Mine(person="U1", messages=shown.data.latest, asked=shown.questions), page))


def test_a_home_full_of_emoji_shows_part_of_each_list_rather_than_nothing() -> None:
    long = "🚀" * 3_000
    one = decision("a", title=long, rationale=long, evidence=(quote(long),), decided_by=(LENA,) * 9)
    channel = Channel(id="C1", name=long, set_by=long, set_at=WHEN, digest=True, said_before=True)
    shown = Home(
        waiting=(one,) * 9,
        conflicts=(Conflict(element=long, property=long, heads=(one, one, one)),) * 9,
        asked_how=(follow_up(title=long),) * 9,
        recent=(one,) * 9,
        gaps=(gap(long),) * 9,
        questions=tuple(asked(number, long) for number in range(9)),
        data=MyData(latest=(quote(long),) * 9, kept=9, with_model=False),
        channels=(channel,) * 9,
        where={"CSEARCH": long},
    )

    view = home_view(shown)

    check_view(view)
    assert "🚀" in json.dumps(view, ensure_ascii=False)
