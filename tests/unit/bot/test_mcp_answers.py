"""What the tools of a coding assistant say of an answer: short, quoted, and nothing that nobody confirmed."""

from typing import Any

from bot.agents.mcp_server import _answer, _looked_at
from bot.agents.quoting import MOST_BYTES

PLANTED = "A capture with an order in it"


def evidence(number: int, title: str, *, confirmed: bool = True) -> dict[str, Any]:
    return {"n": number, "id": f"{number}" * 64, "title": title, "state": "current", "confirmed": confirmed}


def mark(_bytes: int) -> str:
    return "c0ffee"


def test_what_nobody_confirmed_is_not_put_before_an_assistant() -> None:
    said = _answer(
        {
            "claims": [{"text": "Postgres", "citations": [1]}, {"text": PLANTED, "citations": [1, 2]}],
            "evidence": [evidence(1, "Search stays on Postgres"), evidence(2, PLANTED, confirmed=False)],
        },
        mark,
    )

    assert "Search stays on Postgres" in said
    assert PLANTED not in said


def test_a_source_that_was_turned_down_is_called_so() -> None:
    cited = {**evidence(1, "Celery"), "status": "rejected", "outcome": "unknown"}

    said = _answer({"claims": [{"text": "No", "citations": [1]}], "evidence": [cited]}, mark)

    assert f'[1] "Celery" (REJECTED) [{"1" * 12}]' in said


def test_an_answer_and_a_look_at_a_change_are_short_and_end_with_their_fence() -> None:
    claims = [{"text": "wörd " * 60, "citations": [1]}] * 40
    cited = [{"id": "f" * 64, "title": "t" * 140, "why": "w" * 180, "what": "x" * 140}] * 40

    answered = _answer({"claims": claims, "evidence": [evidence(1, "Search")]}, mark)
    looked = _looked_at({"verdict": "conflict", "citations": cited}, mark)

    assert max(len(answered.encode()), len(looked.encode())) <= MOST_BYTES
    assert answered.endswith("backstory-c0ffee>>")
    assert looked.endswith("backstory-c0ffee>>")
