"""Views: what they ask, and that whatever comes back is read or refused, never believed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.playground.blocks import check_view
from bot.ports import Recommendation
from bot.slack.layout import actions as act
from bot.slack.layout import modals, words
from bot.slack.layout.details import details_view
from bot.slack.recording.settle_form import settle_view
from store import Alternative, Draft, State, Verdict, Voices, Vote
from tests.builders_messages import (
    LENA,
    NOBODY_KNOWS,
    RAJ,
    SEARCH,
    STAY,
    WHEN,
    decision,
    evidence,
    nothing,
    quote,
    sure,
)

KEPT = decision()
LONG = decision(
    title="t " * 400,
    rationale="r\n" * 3_000,
    alternatives=tuple(Alternative(option="o: x " * 50, reason="z " * 300) for _ in range(20)),
    evidence=tuple(quote("q " * 4_000) for _ in range(30)),
)


def typed(**fields: Any) -> dict[str, Any]:
    """Return a submitted view whose text fields hold these words."""
    return {"state": {"values": {block: {act.INPUT: {"value": value}} for block, value in fields.items()}}}


def chosen(block: str, value: object, **fields: Any) -> dict[str, Any]:
    view = typed(**fields)
    view["state"]["values"][block] = {act.INPUT: {"selected_option": {"value": value}}}
    return view


def words_of(view: Any) -> str:
    return json.dumps(view["blocks"], ensure_ascii=False).replace('\\"', '"')


def test_editing_starts_from_what_is_recorded() -> None:
    view = modals.edit_view(KEPT, older=[KEPT, decision("b", title="Search on MySQL")])

    check_view(view)
    fields = {block["block_id"]: block["element"] for block in view["blocks"] if block["type"] == "input"}
    assert fields[act.BLOCK_TITLE]["initial_value"] == KEPT.title
    assert fields[act.BLOCK_REASON]["initial_value"] == KEPT.rationale
    assert fields[act.BLOCK_ALTERNATIVES]["initial_value"] == "Elasticsearch: a second cluster"
    assert [option["text"]["text"] for option in fields[act.BLOCK_REPLACES]["options"]] == ["Search on MySQL"]
    assert act.decode(view["private_metadata"]) == act.Target(decision=KEPT.id)


def test_an_edit_changes_what_was_changed_and_keeps_the_rest() -> None:
    view = chosen(act.BLOCK_REPLACES, "b" * 64, title="  Search stays\n on pg ", reason="cheap",
                  alternatives="Elasticsearch: a cluster\n\nTypesense")  # fmt: skip

    edited = modals.read_edit(view)

    assert edited is not None
    draft = edited.draft(KEPT)
    assert (draft.title, draft.rationale) == ("Search stays on pg", "cheap")
    assert draft.alternatives == (
        Alternative(option="Elasticsearch", reason="a cluster"),
        Alternative(option="Typesense"),
    )
    assert draft.supersedes == ("b" * 64,)
    assert (draft.decided_by, draft.evidence, draft.decided_on) == (KEPT.decided_by, KEPT.evidence, KEPT.decided_on)


def test_what_the_edit_view_shows_reads_back_as_it_was() -> None:
    view = modals.edit_view(KEPT)
    fields = {
        block["block_id"]: block["element"]["initial_value"] for block in view["blocks"] if block["type"] == "input"
    }

    edited = modals.read_edit(typed(**fields))

    assert edited is not None
    assert edited.draft(KEPT) == modals.edited_draft(KEPT)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, {act.BLOCK_TITLE: words.NEEDS_TITLE}),
        ({"title": " … "}, {act.BLOCK_TITLE: words.NEEDS_TITLE}),
        ({"title": "x" * 201}, {act.BLOCK_TITLE: "At most 200 characters, please."}),
        ({"title": "x", "reason": "y" * 2_001}, {act.BLOCK_REASON: "At most 2000 characters, please."}),
        ({"title": "x", "alternatives": "a: b\n: c"}, {act.BLOCK_ALTERNATIVES: "Line 2 has a reason but no option."}),
        ({"title": "x", "alternatives": "a\n" * 11}, {act.BLOCK_ALTERNATIVES: "At most 10 lines, please."}),
    ],
)
def test_what_is_wrong_with_an_edit_is_said_at_its_field(fields: dict[str, str], wrong: dict[str, str]) -> None:
    edited = modals.read_edit(typed(**fields))

    assert edited is not None
    assert edited.errors == wrong


@pytest.mark.parametrize("view", [typed(title=7), typed(title=["x"]), chosen(act.BLOCK_REPLACES, 7, title="x")])
def test_a_view_of_another_shape_is_no_edit(view: Any) -> None:
    assert modals.read_edit(view) is None


def test_a_preview_shows_each_draft_with_its_quotes_and_a_tick() -> None:
    drafts = [Draft(title="Search stays on Postgres", evidence=(STAY, NOBODY_KNOWS)), Draft(title="Typesense is out")]

    view = modals.preview_view(drafts, act.encode(turn="C1/1700000000.000100"))

    check_view(view)
    assert '"then we stay on pg" Lena' in words_of(view)
    assert len(view["blocks"][-1]["element"]["initial_options"]) == 2


def test_a_preview_of_nothing_asks_for_a_sentence() -> None:
    view = modals.preview_view([], act.encode(turn="C1/1700000000.000100"))

    check_view(view)
    assert words.PREVIEW_NOTHING in words_of(view)
    assert modals.read_edit(typed(title="We stay")) == modals.Edited(title="We stay")


def test_ticks_are_read_in_order_and_within_what_was_shown() -> None:
    view = typed()
    ticked = [{"value": "2"}, {"value": "0"}, {"value": "9"}, {"value": None}, 7]
    view["state"]["values"][act.BLOCK_KEEP] = {act.INPUT: {"selected_options": ticked}}

    assert modals.read_kept(view, 3) == (0, 2)


def test_a_choice_is_one_of_those_offered() -> None:
    assert modals.read_choice(chosen(act.BLOCK_CHOICE, "failed", reason=" it broke "), ["worked", "failed"]) == (
        modals.Chosen(choice="failed", reason="it broke")
    )
    assert modals.read_choice(chosen(act.BLOCK_CHOICE, "other"), ["worked"]).errors
    assert modals.read_choice(typed(), ["worked"]).errors
    assert modals.read_choice(chosen(act.BLOCK_CHOICE, "worked", reason="x" * 2_001), ["worked"]).errors


def test_what_stands_behind_an_answer_is_told_in_six_parts() -> None:
    main = decision(voices=Voices(worked=2, label=Verdict.WORKED, pending_failed=1))
    step = Recommendation(
        title="Follow it", action="Keep search on Postgres", description="It worked.", action_type="follow",
        citations=(1,), risk="medium", precedent_warnings=("outdated",),
    )  # fmt: skip
    other = decision("d", title="Batch search waits")
    reasons = ("words 0.61", "meaning 0.34", "outcome 1.50 (2 worked, 0 failed)")
    lines = tuple(replace(line, decision=main, reasons=reasons) for line in sure().evidence)
    lines += (
        evidence(4, of=other, reasons=("replaced 0.21 (Elasticsearch it is)", "warning 5.00 (kept fifth place)")),
    )
    votes = [
        Vote(decision=main.id, voter=LENA, verdict=Verdict.WORKED, counts=True, reason="80 ms", at=WHEN, scope=SEARCH),
        Vote(decision=main.id, voter=RAJ, verdict=Verdict.FAILED, counts=False, reason="", at=WHEN, scope=SEARCH),
    ]

    view = details_view(
        sure(evidence=lines, recommendations=(step,)),
        history=[decision("b", title="Search moves to Elasticsearch", state=State.SUPERSEDED), main],
        votes=votes,
    )

    check_view(view)
    titles = [block["text"]["text"] for block in view["blocks"] if block["type"] == "header"]
    assert titles == [
        words.DETAILS_ALTERNATIVES, words.DETAILS_HISTORY, words.DETAILS_NEXT, words.DETAILS_VOTES,
        words.DETAILS_ORDER, words.DETAILS_ALL,
    ]  # fmt: skip
    told = words_of(view)
    assert "· replaced ·" in told
    assert (
        r"*Keep search on Postgres* [1]\nIt worked.\nSomething like this was turned down before: out of date." in told
    )
    assert (
        "1. *Search stays on Postgres*: has most words of your question and says something near it,"
        " moved up: people say it worked"
    ) in told
    assert "2. *Batch search waits*: stands where an older decision fitted, kept in as a warning" in told
    assert 'Lena: It worked, "80 ms"' in told
    assert "Raj: It didn't work · <!date^1772619120^{date_short}|4 Mar 2026> · not counted yet" in told


def test_without_a_model_a_next_step_names_its_decisions_and_no_numbers_of_its_own() -> None:
    steps = [
        Recommendation(title=title, action=title, description="d", action_type=kind, citations=(1,), risk=risk)
        for kind, title, risk in (("follow", "Follow 1", "low"), ("avoid", "Avoid 1 because it failed", "medium"))
    ]

    of_main = words_of(details_view(sure(worded_by="", recommendations=tuple(steps))))
    told = words_of(details_view(sure(worded_by="", recommendations=tuple(steps), main=None)))

    assert "think twice" not in of_main
    assert "*Turned down before; think twice:* Search stays on Postgres [1]" in told
    assert "Follow" not in told
    assert "Avoid 1" not in told


def test_nothing_behind_an_answer_is_said_plainly() -> None:
    view = details_view(nothing(nearest=()))

    check_view(view)
    assert words.DETAILS_NONE in words_of(view)


@pytest.mark.parametrize(
    "view",
    [
        modals.edit_view(LONG, older=[decision(f"{n:03}", title="x" * 300) for n in range(200)]),
        modals.preview_waiting(),
        modals.details_waiting(),
        modals.preview_view([modals.edited_draft(LONG)] * 30, act.encode(turn="C1/1")),
        modals.second_tap_view(LONG),
        settle_view(LONG, decision("b")),
        modals.wrong_view("s1"),
        modals.outcome_view(LONG),
        details_view(sure(), history=[LONG] * 100),
    ],
)
def test_every_view_is_what_slack_accepts_however_long_its_texts(view: Any) -> None:
    check_view(view)
