"""Decisions as data in an agent's prompt: short, quoted, in a fence that no text can close."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.agents.quoting import CHARS_A_TOKEN, MOST_BYTES, MOST_DECISIONS, MOST_TOKENS, fenced


def decision(title: str = "Search stays on Postgres", **fields: Any) -> dict[str, Any]:
    return {
        "id": fields.pop("id", "a" * 64),
        "title": title,
        "rationale": "nobody runs the cluster",
        "status": "accepted",
        "state": "current",
        "confirmed": True,
        "alternatives": [{"option": "Elasticsearch", "reason": "priced by the query"}],
        "decided_on": "2026-05-02",
        "outcome": None,
        **fields,
    }


def mark(count: int) -> str:
    return "7f" * count


def test_a_decision_is_one_line_with_why_and_what_lost() -> None:
    text, shown = fenced([decision()], about="search.py", mark=mark)

    assert shown == ("a" * 64,)
    assert text.splitlines()[1:] == [
        "<<backstory-7f7f7f7f7f7f",
        '- in force: "Search stays on Postgres" because "nobody runs the cluster" not "Elasticsearch" (lost: "priced by'
        ' the query") [aaaaaaaaaaaa, 2026-05-02]',
        "backstory-7f7f7f7f7f7f>>",
    ]


def test_what_was_turned_down_or_failed_says_so_and_nothing_else_is_shown() -> None:
    given_ = [
        decision(id="1" * 64, status="rejected"),
        decision(id="2" * 64, outcome="failed"),
        decision(id="3" * 64, confirmed=False),
        decision(id="4" * 64, state="superseded"),
        decision(id="5" * 64, status="proposed"),
    ]

    text, shown = fenced(given_, about="search.py", mark=mark)

    assert shown == ("1" * 64, "2" * 64)
    assert "- REJECTED:" in text
    assert "- in force, FAILED since:" in text


def test_nothing_to_show_is_no_text_at_all() -> None:
    assert fenced([], about="search.py", mark=mark) == ("", ())


@given(titles=st.lists(st.text(max_size=400), max_size=9), why=st.text(max_size=900), about=st.text(max_size=300))
def test_no_text_breaks_the_fence_the_lines_or_the_limits(titles: list[str], why: str, about: str) -> None:
    decisions = [decision(title, id=f"{n:064}", rationale=why) for n, title in enumerate(titles)]

    text, shown = fenced(decisions, about=about, mark=mark)

    lines = text.split("\n") if text else []
    assert len(shown) <= MOST_DECISIONS
    assert len(text.encode()) <= MOST_BYTES
    assert len(text) <= MOST_TOKENS * CHARS_A_TOKEN
    assert len(lines) == (len(shown) + 3 if shown else 0)
    assert all(line.startswith("- ") for line in lines[2:-1])


def test_half_a_sign_is_shown_as_none() -> None:
    text, shown = fenced([decision("Sessions \ud800 are opaque")], about="x", mark=lambda size: "ab" * size)

    assert len(shown) == 1
    assert '"Sessions are opaque"' in text
