"""Whatever people and models write, a message is short, cited, within Slack's limits, and pings nobody."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.playground.blocks import check_message
from bot.ports import Answer, Claim, ClaimKind
from bot.slack.layout import actions as act
from bot.slack.layout import modals
from bot.slack.layout.blocks import answer
from bot.slack.layout.text import (
    bold,
    code,
    cut,
    cut_plain,
    day,
    inert,
    italic,
    join,
    link,
    model_text,
    spoken,
    units,
    word_count,
)
from bot.slack.recording.cards import Change, Mark, Other, Pair, Story, ask_first, card
from store import Alternative, Bearing, Decision, Person, State, Status, Verdict, Voices
from tests.builders_messages import ANY, ENTITY, MEMBER, PERMALINK, decision, evidence, lines, quote, sure


def parsed(text: str) -> list[str]:
    """Return what Slack would parse as links, pings and dates."""
    assert text.count("<") == text.count(">") == len(ENTITY.findall(text))
    return ENTITY.findall(text)


@given(ANY)
def test_nothing_in_peoples_text_is_parsed(text: str) -> None:
    shown = inert(text)

    assert parsed(shown) == []
    assert not set("*~`\n") & set(shown)
    assert re.search(r"&(?!(amp|lt|gt);)", shown) is None
    assert re.search(r"(?<![^\W_])_|_(?![^\W_])", shown) is None


@given(ANY)
def test_a_models_text_links_only_to_the_messages_it_was_given(text: str) -> None:
    shown = model_text(text, {PERMALINK})

    assert all(entity.startswith(f"<{PERMALINK}|") for entity in parsed(shown))


@given(ANY)
def test_a_models_text_cannot_end_the_bold_around_it(text: str) -> None:
    shown = bold(model_text(text, {PERMALINK}, within_bold=True))

    assert shown.count("*") in {0, 2}


@given(ANY, st.integers(1, 80))
def test_cutting_keeps_to_the_limit_and_halves_nothing(text: str, limit: int) -> None:
    whole = join(" · ", [bold(inert(text)), italic(inert(text)), link(PERMALINK, inert(text)), code(inert(text))])

    short = cut(whole, limit)

    assert units(short) <= limit
    assert short == whole or short.endswith("…")
    parsed(short)
    assert re.search(r"&(?!(amp|lt|gt);)", short) is None
    assert short.count("*") % 2 == short.count("`") % 2 == 0


@given(ANY, st.integers(1, 80))
def test_plain_text_keeps_to_the_limit(text: str, limit: int) -> None:
    short = cut_plain(text, limit)

    assert units(short) <= limit
    short.encode("utf-8")


@given(ANY)
def test_what_is_said_aloud_has_no_markup(text: str) -> None:
    whole = join(" ", [bold(inert(text)), link(PERMALINK, inert(text)), day(datetime(2026, 3, 4, tzinfo=UTC))])

    said = spoken(whole)

    assert parsed(said) == []
    assert not set("*`") & set(said)


TEXTS = st.one_of(ANY, st.text(max_size=20), st.sampled_from(["x" * 5_000, "w " * 900, "", " "]))


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    count = draw(st.integers(1, 8))
    decided = decision(
        title=draw(TEXTS),
        rationale=draw(TEXTS),
        decided_by=tuple(Person(name=name) for name in draw(st.lists(TEXTS, max_size=4))),
        state=draw(st.sampled_from(State)),
        status=draw(st.sampled_from(Status)),
        voices=Voices(pending_failed=draw(st.integers(0, 3)), label=draw(st.sampled_from([None, *Verdict]))),
    )
    cited = tuple(
        replace(evidence(n, of=decided), quote=draw(TEXTS), author=draw(TEXTS), label=draw(TEXTS))
        for n in range(1, count + 1)
    )
    numbers = st.lists(st.integers(1, count), min_size=1, max_size=6).map(tuple)
    kinds = st.sampled_from(ClaimKind)
    others = draw(st.lists(st.builds(Claim, kind=kinds, text=TEXTS, citations=numbers), max_size=8))
    headline = Claim(kind=ClaimKind.HEADLINE, text=draw(TEXTS), citations=draw(numbers))
    return Answer(
        session=sure().session,
        question=draw(TEXTS),
        reader=MEMBER,
        shape=draw(st.sampled_from(["sure", "contested", "nothing"])),
        claims=(headline, *others),
        evidence=cited,
        nearest=cited[:3],
        unconfirmed=cited[:2],
        main=decided.id,
        main_outcome=decided.voices.label,
        who_might_know=tuple(draw(st.lists(TEXTS, max_size=3))),
        notices=tuple(draw(st.lists(st.sampled_from(["Matched by words only.", "It is late."]), max_size=2))),
        worded_by=draw(st.sampled_from(["Claude", ""])),
    )


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None, max_examples=150)
@given(answers(), st.booleans(), st.one_of(st.just(""), TEXTS))
def test_any_answer_is_short_cited_and_within_slacks_limits(found: Answer, alone: bool, shared_by: str) -> None:
    shown = answer(found, alone=alone, shared_by=shared_by)

    check_message(shown.blocks)
    assert 0 < len(shown.text) <= 3_000
    assert "<" not in shown.text
    parsed = ENTITY.findall(str(shown.blocks))
    assert all(re.match(r"<https://acme\.slack\.com/|<!date\^\d+\^\{date_short\}\|", entity) for entity in parsed)
    assert sum(map(word_count, lines(shown))) <= 80
    if found.shape != "nothing":
        numbers = re.findall(r"\|\[(\d+)\]>", shown.blocks[0]["text"]["text"])
        assert 1 <= len(set(numbers)) <= 5


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    return decision(
        draw(st.sampled_from("abcdef")),
        title=draw(TEXTS),
        rationale=draw(TEXTS),
        confirmed=draw(st.booleans()),
        status=draw(st.sampled_from(Status)),
        alternatives=tuple(Alternative(option=text) for text in draw(st.lists(TEXTS, max_size=3))),
        decided_by=tuple(Person(name=text) for text in draw(st.lists(TEXTS, max_size=4))),
        evidence=tuple(quote(text) for text in draw(st.lists(TEXTS, max_size=2))),
    )


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None, max_examples=40)
@given(st.lists(decisions(), min_size=1, max_size=3), TEXTS, st.sampled_from(Change))
def test_any_card_is_what_slack_accepts_and_pings_nobody(kept: list[Decision], text: str, change: Change) -> None:
    told = {one.id: text for one in kept}
    other = Other(id="e" * 64, title=text, by=text)
    older, first = {one.id: (other,) for one in kept}, kept[0].id
    story = Story(
        marks={kept[-1].id: Mark(change=change, by=text)},
        before=told,
        worded_by=told,
        replaces=older,
        pairs={one.id: (Pair(other=other, kind=Bearing.PULLS_AGAINST),) for one in kept},
    )

    shown = [card(kept, story=story), card(kept, story=Story(replaced={first: other})), ask_first(kept[0])]

    for message in shown:
        check_message(message.blocks)
        assert "<" not in message.text
        assert "<" not in str([block.get("text") for block in message.blocks])


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda part: (
        st.lists(part, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["state", "values", "title", "reason", "choice", "keep", "value", "selected_option", "selected_options"]
            ),
            part,
            max_size=4,
        )
    ),
)


@given(st.dictionaries(st.sampled_from(["state", "other"]), ANYTHING))
def test_any_view_is_read_or_refused(view: dict[str, Any]) -> None:
    edited = modals.read_edit(view)
    kept = modals.read_kept(view, 3)
    choice = modals.read_choice(view, ["worked"])

    assert edited is None or edited.errors or edited.title
    assert kept is None or set(kept) <= {0, 1, 2}
    assert choice.errors or choice.choice == "worked"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_any_json_is_read_or_refused(value: object) -> None:
    target = act.decode(json.dumps(value))

    assert target is None or isinstance(target, act.Target)
