"""Answers as people see them: short, cited, within Slack's limits, and pinging nobody whatever they hold."""

from dataclasses import replace
from typing import Any

import pytest

from bot.playground.blocks import check_message
from bot.ports import Answer, ClaimKind
from bot.slack.layout import actions as act
from bot.slack.layout.blocks import answer
from bot.slack.layout.kit import Message
from bot.slack.layout.text import word_count
from store import Decision, Person, State, Status, Verdict, Voices
from tests.builders_messages import (
    NOBODY_KNOWS,
    claim,
    contested,
    decision,
    evidence,
    lines,
    nothing,
    sure,
    waiting,
)


def buttons(message: Message) -> list[str]:
    return [part["action_id"] for block in message.blocks if block["type"] == "actions" for part in block["elements"]]


def of_main(decided: Any, **changes: Any) -> Answer:
    whole = sure()
    return replace(
        whole, evidence=tuple(replace(line, decision=decided) for line in whole.evidence), main=decided.id, **changes
    )


def test_a_sure_answer_has_the_shape_of_its_picture() -> None:
    shown = answer(sure())

    assert lines(shown) == [
        "Search stays on Postgres; Elasticsearch was turned down. In force since 4 Mar 2026, Lena and Omar [1]",
        'Why: "nobody on call knows it, trigrams get us to 80 ms" [2]',
        "Instead of: Elasticsearch, a second cluster [2] · Typesense, no row permissions [3]",
        "Since: worked, say Lena and 2 others. Look again past 5 M rows [1]",
        "[1] Lena #search 4 Mar 2026 · [2] Omar #search 4 Mar 2026 · [3] Omar #search 4 Mar 2026",
        "Only you see this · worded by Claude from 3 messages",
    ]
    assert buttons(shown) == [
        act.ACTION_WORKED,
        act.ACTION_FAILED,
        act.ACTION_WRONG,
        act.ACTION_SHARE,
        act.ACTION_MORE,
    ]


def test_the_first_line_is_bold_and_its_number_links_to_the_message() -> None:
    first = answer(sure()).blocks[0]["text"]["text"].split("\n")[0]

    assert first.startswith("*Search stays on Postgres; Elasticsearch was turned down.* In force since ")
    assert first.endswith("<https://acme.slack.com/archives/CSEARCH/p1772619120000100|[1]>")


def test_a_title_that_speaks_of_failed_calls_does_not_hide_that_it_did_not_work() -> None:
    failed = decision(title="Failed calls are retried", voices=Voices(failed=1, label=Verdict.FAILED))
    headline = claim(ClaimKind.HEADLINE, "Failed calls are retried. In force since 4 Mar 2026, but it didn't work", 1)

    shown = answer(of_main(failed, claims=(headline,), main_outcome=Verdict.FAILED))

    assert lines(shown)[0].startswith("⚠ Didn't work: Failed calls are retried.")


def test_a_message_that_is_cited_twice_is_named_once() -> None:
    whole = sure()
    same = [replace(line, author="Lena", permalink=whole.evidence[0].permalink) for line in whole.evidence[:2]]

    shown = answer(replace(whole, evidence=(*same, *whole.evidence[2:])))

    assert "[1] [2] Lena #search 4 Mar 2026 · [3] Omar #search 4 Mar 2026" in lines(shown)


def test_a_contested_answer_has_sides_and_no_thumbs() -> None:
    shown = answer(contested())

    assert lines(shown) == [
        "⚠ Contested: two retry limits for search-api stand.",
        'A · 3 tries, backoff: "a key per request, then back off" Ana #platform 16 Jul 2026 [1]',
        'B · 5 tries for batch jobs: "batch can wait, give it 5" Raj #data 2 Aug 2026 [2]',
        "Tried before, didn't work: plain 3x retry; it charged twice in incident 318 [3]",
        "[3] Raj incident 318 2 Jun 2026",
        "Only you see this · worded by Claude from 3 messages",
    ]
    assert buttons(shown) == [act.ACTION_SETTLE, act.ACTION_WRONG, act.ACTION_MORE]


def test_nothing_recorded_says_what_is_nearest_and_asks_nobody() -> None:
    shown = answer(nothing())

    assert lines(shown) == [
        'Nothing recorded on "which HR system do we use?" that you can read.',
        "Nearest, no answer: Payroll export by SFTP, Lena #fin-eng 12 Jan 2026 [1]",
        "Might know: Lena",
        "Nobody sees your question unless you press Ask.",
    ]
    assert buttons(shown) == [act.ACTION_ASK_TEAM, act.ACTION_TELL_ME]


def test_who_might_know_is_shown_to_the_asker_alone() -> None:
    shown = answer(nothing(), alone=False)

    assert "Might know" not in shown.text
    assert "Nobody sees your question" not in shown.text


def test_what_nobody_confirmed_is_one_line_with_two_buttons() -> None:
    shown = answer(sure(unconfirmed=(waiting(), waiting())))

    assert [line for line in lines(shown) if "Not confirmed" in line] == [
        '○ Not confirmed: #search 12 Nov 2026, "ok, nightly reindex"'
    ]
    assert buttons(shown)[:2] == [act.ACTION_CONFIRM, act.ACTION_DENY]


def test_a_quoted_answer_says_so() -> None:
    assert lines(answer(sure(worded_by="")))[-1].startswith("Only you see this · quoted, no model")


def test_what_is_degraded_stands_before_the_footer() -> None:
    shown = answer(sure(worded_by="", notices=("Claude didn't answer in time: quoted, not summed up.",)))

    assert "… Claude didn't answer in time: quoted, not summed up." in lines(shown)


def test_a_shared_answer_names_who_shared_it_and_is_not_shared_again() -> None:
    shown = answer(sure(), shared_by="Mia")

    assert lines(shown)[-1] == "Shared by Mia · worded by Claude from 3 messages"
    assert act.ACTION_SHARE not in buttons(shown)


def test_a_failed_decision_says_so_in_the_first_line() -> None:
    failed = decision(voices=Voices(failed=2, label=Verdict.FAILED))

    shown = answer(of_main(failed, claims=sure().claims[:2], main_outcome=Verdict.FAILED))

    assert lines(shown)[0].startswith("⚠ Didn't work: Search stays on Postgres")
    assert "In force since" not in lines(shown)[0]


def test_a_replaced_decision_says_so_in_the_first_line() -> None:
    shown = answer(of_main(decision(state=State.SUPERSEDED)))

    assert lines(shown)[0].startswith("Replaced since: Search stays on Postgres")
    assert "Decided 4 Mar 2026" in lines(shown)[0]


def test_a_decision_that_was_turned_down_is_not_in_force() -> None:
    shown = answer(of_main(decision(status=Status.REJECTED)))

    assert "Turned down 4 Mar 2026" in lines(shown)[0]


@pytest.mark.parametrize(
    ("before", "label"),
    [
        (decision(voices=Voices(failed=1, label=Verdict.FAILED)), "Tried before, didn't work: Typesense [3]"),
        (decision(status=Status.REJECTED), "Turned down before: Typesense [3]"),
        (decision(), "Tried before: Typesense [3]"),
    ],
)
def test_only_what_failed_is_said_to_have_failed(before: Decision, label: str) -> None:
    claims = (*sure().claims[:2], claim(ClaimKind.TRIED_BEFORE, "Typesense", 3))

    shown = answer(sure(claims=claims, evidence=(*sure().evidence[:2], evidence(3, of=before))))

    assert label in lines(shown)


def test_one_voice_is_told_as_one_voice_until_the_label_is_earned() -> None:
    shown = answer(of_main(decision(voices=Voices(pending_failed=1)), claims=sure().claims[:2]))

    assert "Since: 1 person says it didn't work [1]" in lines(shown)


def test_what_came_of_it_is_told_with_who_says_so_and_when_to_look_again() -> None:
    worked = decision(voices=Voices(worked=3, label=Verdict.WORKED))
    since = claim(ClaimKind.SINCE, "worked. Look again: past 5 M rows", 1)
    said_by = {Verdict.WORKED: ("Lena", "Omar", "Raj"), Verdict.FAILED: ()}

    by_rules = answer(of_main(worked, worded_by="", claims=(*sure().claims[:2], since), said_by=said_by))
    two = decision(voices=Voices(worked=2, label=Verdict.WORKED))
    unnamed = answer(of_main(two, worded_by="", claims=sure().claims[:2]))

    assert "Since: worked, say Lena and 2 others. Look again: past 5 M rows [1]" in lines(by_rules)
    assert "Since: worked, say 2 people [1]" in lines(unnamed)


def test_after_a_vote_it_can_be_taken_back() -> None:
    shown = answer(sure(), voted=Verdict.FAILED, counted=False)

    assert "You said: it didn't work. It counts once a second person says so, or with a reason." in lines(shown)
    assert act.ACTION_TAKE_BACK in buttons(shown)
    assert act.ACTION_FAILED not in buttons(shown)


def test_buttons_that_a_place_does_not_offer_are_left_out() -> None:
    shown = answer(nothing(), leave_out={act.ACTION_ASK_TEAM, act.ACTION_TELL_ME})

    assert buttons(shown) == []
    assert "press Ask" not in shown.text


def test_the_message_itself_says_everything_in_words() -> None:
    shown = answer(sure())

    assert all(line in shown.text for line in lines(shown))
    assert shown.text.endswith("You can press: 👍 It worked, 👎 It didn't, Wrong answer, Share, More about this answer")
    assert not set("*`<") & set(shown.text)


def test_names_ping_nobody() -> None:
    loud = decision(decided_by=(Person(name="<!channel> *Lena*", id="U1"),))

    shown = answer(of_main(loud), shared_by="<@U2>")

    assert "&lt;!channel&gt; ∗Lena∗" in shown.text
    assert "<!channel>" not in str(shown)
    assert "<@U2>" not in str(shown)


def test_a_long_answer_keeps_its_first_things_and_says_that_there_is_more() -> None:
    long = tuple(
        claim(kind, " ".join(f"{kind.value}{word}" for word in range(60)), place % 8 + 1)
        for place, kind in enumerate((ClaimKind.HEADLINE, ClaimKind.WHY, ClaimKind.INSTEAD_OF, ClaimKind.NOTE) * 2)
    )

    shown = answer(sure(claims=long, evidence=tuple(evidence(n, NOBODY_KNOWS) for n in range(1, 9))))

    assert sum(map(word_count, lines(shown))) <= 80
    assert "more behind ⋯" in lines(shown)[-1]
    assert lines(shown)[0].startswith("headline0 headline1")


@pytest.mark.parametrize("shape", [sure, contested, nothing])
@pytest.mark.parametrize("alone", [True, False])
def test_every_shape_is_what_slack_accepts(shape: Any, alone: bool) -> None:
    check_message(answer(shape(unconfirmed=(waiting(),)), alone=alone).blocks)
