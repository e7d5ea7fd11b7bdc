"""How looking back is shown: counts, progress, a list that never outgrows a message."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.playground.blocks import check_message, check_view
from bot.slack.channel.lookback_view import SHOWN_MAX, counts_view, not_here_view, progress, short, waiting_view
from store import DecisionId, LookBack
from tests.builders_messages import decision

RUN = LookBack(
    run="C1.1", channel="C1", person="U1", oldest="1.0", state="listed", cursor="", step=0, likely=0,
    started_at=datetime(2026, 11, 30, tzinfo=UTC), threads=214, answered=200, read=0, found=0, kept=0, waiting=0,
)  # fmt: skip


def text_of(view: dict[str, object]) -> str:
    check_view(view)
    return str(view["blocks"])


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0"), (940, "900"), (1_499, "1k"), (31_240, "31k"), (2_340_000, "2.3M")]
)
def test_a_rough_number_is_said_as_one(count: int, said: str) -> None:
    assert short(count) == said


def test_counts_name_tokens_only_where_a_model_reads() -> None:
    with_model = text_of(counts_view(RUN, decisions=9, tokens=31_240))
    without = text_of(counts_view(RUN, decisions=9, tokens=None))

    assert "*214 threads, about 9 decisions, 31k tokens*" in with_model
    assert "Sent to Claude (Anthropic)" in with_model
    assert "*214 threads, about 9 decisions*" in without
    assert "Claude" not in without


def test_where_there_is_nothing_to_read_nothing_can_be_started() -> None:
    view = counts_view(replace(RUN, threads=0), decisions=0, tokens=None)

    assert "Nothing was said here" in text_of(view)
    assert "submit" not in view
    check_view(waiting_view())
    check_view(not_here_view())


def test_a_list_shows_so_many_at_once_and_keeps_only_those_seen() -> None:
    found = [decision(title=f"Rule {number} holds", id=DecisionId(f"d{number}")) for number in range(SHOWN_MAX + 5)]
    done = replace(RUN, state="done", read=214, found=len(found), waiting=len(found))

    shown = progress(done, "#search", found)

    check_message(shown.blocks)
    assert "Looked back 90 days in #search: 214 threads · 20 decisions found" in shown.text
    assert "5 more come once these are done." in shown.text
    assert "Keep these 15" in shown.text
    assert f"Rule {SHOWN_MAX} holds" not in shown.text


@pytest.mark.parametrize(
    ("state", "gone", "said", "pressed"),
    [
        (
            "reading",
            False,
            "Looking back 90 days in #search: 12 of 214 threads read",
            "You can press: Stop looking back",
        ),
        ("stopped", False, "Stopped looking back in #search: 12 of 214 threads read", "You can press: Go on"),
        ("stopped", True, "I can't read there any more, so I stopped.", ""),
    ],
)
def test_a_run_says_how_far_it_is_and_what_can_be_done(state: str, gone: bool, said: str, pressed: str) -> None:
    shown = progress(replace(RUN, state=state, read=12), "#search", [], gone=gone)

    assert said in shown.text
    assert pressed in shown.text
    assert ("You can press" in shown.text) is bool(pressed)
