"""A copy of what is kept of one person, for that person: their words, decisions, votes and questions.

Nothing is counted or compared; it is what `why forget --person` takes out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bot.decision_shape import moment_text
from store import EVERYTHING, Decision, Naming, Person, same_person

if TYPE_CHECKING:
    from store import Memory

QUESTIONS_MAX = 10_000
_DID = {
    "DecisionRecorded": "pointed at it or worded it",
    "DecisionConfirmed": "confirmed it",
    "ConfirmationWithdrawn": "took its confirmation back",
    "DecisionRetracted": "removed it",
    "DecisionRestored": "undid its removal",
    "DecisionSuperseded": "said what it replaces",
    "SupersessionWithdrawn": "said that it doesn't replace another",
    "SameAs": "said that it is the same as another",
    "HeldApart": "said that it is another one after all",
    "PlaceWithdrawn": "said that it wasn't stated in one of its places",
    "ConflictNoted": "said that it pulls against another",
    "ConflictSettled": "said that it and another both apply",
    "RejectionGiven": "said that an answer was wrong",
    "SettingChanged": "changed a setting",
}
"""What an event says that somebody did, for those that may name them."""


def person_copy(memory: Memory, person: Person) -> dict[str, object]:
    """Return everything that quotes or names a person, oldest first.

    Returns:
        {"person", "messages": [{quote, at, permalink, decision, title}], "decided": [{decision, title, at}],
        "votes": [{decision, title, verdict, reason, at}], "did": [{what, decision, title, at}],
        "questions": [{question, at}]}
    """
    naming = memory.about_person(person)
    about = sorted({one for each in naming for one in each.about})
    titles: dict[str, Decision] = {one.id: one for one in memory.decisions_by_ids(about, EVERYTHING)}
    asked = memory.sessions.of_asker(person.id, limit=QUESTIONS_MAX) if person.id else ()
    return {
        "person": {"id": person.id, "name": person.name},
        "messages": [_message(each, titles) for each in naming if each.is_quote],
        "decided": [
            {**_decision(one.id, titles), "at": one.decided_on.isoformat() if one.decided_on else None}
            for one in titles.values()
            if any(same_person(person, decider) for decider in one.decided_by)
        ],
        "votes": list(_votes(memory, person, titles.values())),
        "did": [
            {"what": _DID.get(each.kind, each.kind), **_first(each, titles), "at": moment_text(each.recorded_at)}
            for each in naming
            if not each.is_quote and _acted(each, person)
        ],
        "questions": [{"question": one.question, "at": moment_text(one.asked_at)} for one in reversed(asked)],
    }


def copy_lines(document: dict[str, object]) -> list[str]:
    """Return the copy in words, for a terminal."""
    lines: list[str] = []
    for name, shown in (
        ("messages", '"{quote}"  {title}'),
        ("decided", "{title}"),
        ("votes", "{verdict}  {title}  {reason}"),
        ("did", "{what}  {title}"),
        ("questions", "{question}"),
    ):
        rows = document[name]
        assert isinstance(rows, list)  # noqa: S101 - narrows what `person_copy` builds
        lines.append(f"{name} ({len(rows)})")
        lines += [f"  {str(row.get('at') or '')[:10]:<10}  {shown.format(**row)}".rstrip() for row in rows]
    return lines


def _message(each: Naming, titles: dict[str, Decision]) -> dict[str, object]:
    body = each.body
    return {
        "quote": body["quote"],
        "at": body.get("at"),
        "permalink": body.get("permalink", ""),
        **_first(each, titles),
    }


def _first(each: Naming, titles: dict[str, Decision]) -> dict[str, object]:
    return _decision(next((one for one in each.about if one in titles), ""), titles)


def _decision(name: str, titles: dict[str, Decision]) -> dict[str, object]:
    return {"decision": name, "title": titles[name].title if name in titles else ""}


def _votes(memory: Memory, person: Person, decisions: Iterable[Decision]) -> Iterable[dict[str, object]]:
    for one in decisions:
        for vote in memory.votes(one.id, EVERYTHING):
            if same_person(person, vote.voter):
                yield {
                    "verdict": vote.verdict.value,
                    "reason": vote.reason,
                    "decision": one.id,
                    "title": one.title,
                    "at": moment_text(vote.at),
                }


def _acted(each: Naming, person: Person) -> bool:
    """Say whether a part names them as who did it, not as one of those who decided."""
    by = each.body.get("by") or {}
    return same_person(person, Person(name=str(by.get("name", "")), id=str(by.get("id", ""))))
