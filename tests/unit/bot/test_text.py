"""Text from people and models stays text: it pings nobody, links nowhere, and breaks out of nothing."""

from datetime import UTC, date, datetime

import pytest

from bot.slack.layout.text import (
    Mrkdwn,
    bold,
    clean,
    cut,
    cut_plain,
    cut_words,
    day,
    inert,
    link,
    model_text,
    word_count,
)
from tests.builders_messages import PERMALINK


def test_peoples_formatting_is_shown_not_applied() -> None:
    assert inert("*bold* _it_ ~no~ `x` snake_case") == "∗bold∗ ˍitˍ ∼no∼ 'x' snake_case"


def test_a_quote_mark_at_the_start_makes_no_block_quote() -> None:
    assert inert("> so it is") == "› so it is"


def test_only_the_three_signs_that_slack_asks_for_are_escaped() -> None:
    assert inert("a < b & c > d \"e\" 'f'") == "a &lt; b &amp; c &gt; d \"e\" 'f'"


def test_direction_turning_and_invisible_characters_go() -> None:
    assert clean("pay\u202e\u200b me\x07 now\ud800") == "pay me now\ufffd"


def test_a_models_bold_and_its_own_link_become_slacks() -> None:
    shown = model_text(f"**Stay** on Postgres, [Lena]({PERMALINK}) said", {PERMALINK})

    assert shown == f"*Stay* on Postgres, <{PERMALINK}|Lena> said"


def test_a_models_link_to_elsewhere_is_its_label() -> None:
    assert model_text("see [acme.slack.com](https://evil.example)", {PERMALINK}) == "see acme.slack.com"


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "https://a|b", "https://a>b", "http://" + "a" * 2_000])
def test_an_address_that_is_none_is_not_linked(url: str) -> None:
    assert link(url, inert("Lena")) == "Lena"


def test_an_address_cannot_carry_formatting_or_end_its_label() -> None:
    assert link("https://a/*_x?b=1&c", inert("a|b")) == "<https://a/%2A%5Fx?b=1&amp;c|a¦b>"


def test_a_day_is_shown_in_the_readers_zone_where_the_moment_is_known() -> None:
    assert day(datetime(2026, 3, 4, 23, 30, tzinfo=UTC)) == "<!date^1772667000^{date_short}|4 Mar 2026>"
    assert day(date(2026, 3, 4)) == "4 Mar 2026"
    assert day(None) == ""


def test_a_cut_closes_the_bold_that_it_cuts_into() -> None:
    assert cut(bold(inert("search stays on Postgres")), 12) == "*search st*…"


def test_a_cut_leaves_an_emoji_whole() -> None:
    assert cut(Mrkdwn("ab👩🏽\u200d🚀cd"), 5) == "ab…"
    assert cut(Mrkdwn("ab:tada:cd"), 6) == "ab…"
    assert cut_plain("ab🇩🇪cd", 5) == "ab…"


def test_words_are_cut_with_a_sign_that_some_went() -> None:
    assert cut_words("one two, three", 2) == "one two…"
    assert cut_words("one two", 2) == "one two"


def test_marks_and_dots_are_no_words() -> None:
    assert word_count("Search stays [1] · on Postgres [2][3] ⋯") == 4
