"""An answer given earlier, laid out anew: from the session's record, held against what its reader may read today."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from bot.evidence import said_by
from bot.ports import Answer, Claim, ClaimKind, Evidence, Recommendation
from bot.slack.layout.surface import main_decision, without_outcome
from bot.slack.recording.following import close_behind
from bot.slack.room import Room
from store import Decision, DecisionId, Reader, SessionId, State, Trajectory

Find = Callable[[str], Decision | None]


def reopened_for(room: Room, session: Trajectory, user: str) -> Answer | None:
    """Return the session's answer as somebody may see it now; None where some of it is gone or closed to them."""
    reader = room.access.reader_of(user)

    def find(name: str) -> Decision | None:
        return room.memory.decision(name, reader)

    shown = [*(session.answer or {}).get("evidence", ()), *(session.answer or {}).get("nearest", ())]
    if any(find(str(line["id"])) is None for line in shown):
        return None  # what is left of it would still tell that there was more: asked anew, it doesn't
    answer = reopened(session, reader, find)
    if answer is not None and close_behind(room, answer):
        answer = reopened(session, reader, find)
    main = main_decision(answer) if answer is not None else None
    if answer is None or main is None:
        return answer
    return replace(answer, said_by=said_by(room.memory.votes(main.id, reader)))


def reopened(session: Trajectory, reader: Reader, find: Find) -> Answer | None:
    """Return the session's answer as this reader may see it now.

    A claim that rests on a decision which was removed or is closed to them goes; with the headline gone, nothing is
    recorded for them. What came of the main decision is read anew.

    Args:
        session: as recorded, with the document of `answer_json`.
        reader: who looks at it.
        find: reads a decision as that reader may see it.

    Returns:
        None where the record's text is gone or of another shape.
    """
    document = session.answer
    if document is None:
        return None
    try:
        return _answer(document, session, reader, find)
    except (KeyError, TypeError, ValueError):
        return None


def _answer(document: Mapping[str, Any], session: Trajectory, reader: Reader, find: Find) -> Answer:
    lines = _lines(document["evidence"], find)
    evidence = tuple(line for line in lines if line.decision.confirmed)
    numbers = {line.n for line in evidence}
    claims = tuple(
        claim for claim in map(_claim, document["claims"]) if claim.citations and numbers >= {*claim.citations}
    )
    held = any(claim.kind is ClaimKind.HEADLINE for claim in claims)
    main = next((line.decision for line in evidence if line.decision.id == document["main"]), None)
    if main is not None:
        claims = tuple(told for claim in claims if (told := _without_outcome(claim)).text)
    steps = tuple(step for step in map(_step, document["recommendations"]) if numbers >= {*step.citations})
    return Answer(
        session=SessionId(session.session),
        question=session.question,
        reader=reader,
        shape=str(document["shape"]) if held else "nothing",
        claims=claims if held else (),
        evidence=evidence if held else (),
        nearest=tuple(_lines(document["nearest"], find)),
        unconfirmed=tuple(line for line in lines if not line.decision.confirmed),
        recommendations=steps if held else (),
        main=DecisionId(main.id) if main and held else None,
        main_outcome=main.voices.label if main else None,
        who_might_know=tuple(map(str, document["who_might_know"])),
        notices=tuple(map(str, document["notices"])),
        worded_by=str(document["worded_by"]),
    )


def _lines(documents: list[Mapping[str, Any]], find: Find) -> list[Evidence]:
    """Return the numbered lines whose decision still stands and may still be read."""
    found: list[Evidence] = []
    for line in documents:
        decision = find(str(line["id"]))
        if decision is not None and decision.state is not State.RETRACTED:
            found.append(_line(line, decision))
    return found


def _line(line: Mapping[str, Any], decision: Decision) -> Evidence:
    return Evidence(
        n=int(line["n"]),
        decision=decision,
        quote=str(line["quote"]),
        author=str(line["author"]),
        at=date.fromisoformat(line["at"]) if line["at"] else None,
        permalink=str(line["permalink"]),
        label=str(line["label"]),
        score=float(line["score"]),
        cautionary=bool(line["cautionary"]),
        reasons=tuple(_without_title(str(reason)) for reason in line["reasons"]),
    )


def _without_title(reason: str) -> str:
    """Return a reason without the title of what was replaced, which may be closed to whoever looks now."""
    return reason.partition(" (")[0] if reason.startswith("replaced ") else reason


def _claim(claim: Mapping[str, Any]) -> Claim:
    return Claim(kind=ClaimKind(claim["kind"]), text=str(claim["text"]), citations=tuple(map(int, claim["citations"])))


def _without_outcome(claim: Claim) -> Claim:
    """Return what a claim says beside what came of the decision: votes may have changed that since."""
    return replace(claim, text=without_outcome(claim.text)) if claim.kind is ClaimKind.SINCE else claim


def _step(step: Mapping[str, Any]) -> Recommendation:
    return Recommendation(
        title=str(step["title"]),
        action=str(step["action"]),
        description=str(step["description"]),
        action_type=str(step["action_type"]),
        citations=tuple(map(int, step["citations"])),
        risk=str(step["risk"]),
        precedent_warnings=tuple(map(str, step["precedent_warnings"])) or None,
    )
