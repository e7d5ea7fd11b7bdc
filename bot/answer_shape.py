"""An answer as the JSON that others build on, and as plain text."""

from __future__ import annotations

from datetime import date

from bot.evidence import standing_of
from bot.ports import Answer, Claim, ClaimKind, Evidence, Recommendation
from store import Status, Verdict

_LEADS = {
    ClaimKind.WHY: "Why: ",
    ClaimKind.INSTEAD_OF: "Instead of: ",
    ClaimKind.SINCE: "Since: ",
}
_FAILED, _TURNED_DOWN, _TRIED = "Tried before, didn't work: ", "Turned down before: ", "Tried before: "
NOTHING = "Nothing recorded on this that you can read."
MOST_SOURCES = 5


def answer_json(answer: Answer) -> dict[str, object]:
    """Return the document of `why ask --json`; fields may be added to it, none changed."""
    return {
        "success": True,
        "response": answer_text(answer),
        "session": answer.session,
        "shape": answer.shape,
        "abstained": answer.shape == "nothing" and not answer.unconfirmed,
        "claims": [
            {"kind": claim.kind.value, "text": claim.text, "citations": list(claim.citations)}
            for claim in answer.claims
        ],
        "evidence": [_evidence(line) for line in (*answer.evidence, *answer.unconfirmed)],
        "nearest": [_evidence(line) for line in answer.nearest],
        "recommendations": [_recommendation(step) for step in answer.recommendations],
        "main": answer.main,
        "who_might_know": list(answer.who_might_know),
        "notices": list(answer.notices),
        "worded_by": answer.worded_by,
        "ms": dict(answer.ms),
        "learning": {
            "rejection_history_count": 0,
            "industry_patterns_applied": 0,
            "learning_active": False,
            "rejection_categories": [],
        },
    }


def answer_text(answer: Answer) -> str:
    """Return the whole answer in words, as a terminal or a screen reader has it; never empty."""
    lines = [*answer_lines(answer), *source_lines(answer), *answer.notices]
    return "\n".join(lines)


def answer_lines(answer: Answer) -> list[str]:
    """Return the claims, or what is said where there is none, and the line of what is not confirmed."""
    if answer.shape == "nothing":
        lines = [NOTHING]
        lines += [f"Nearest, no answer: {near.decision.title} [{near.n}]" for near in answer.nearest[:1]]
        if answer.who_might_know:
            lines.append(f"Who might know: {', '.join(answer.who_might_know)}")
    else:
        lines = [_claim(claim, answer) for claim in answer.claims]
    lines += [f'Not confirmed: {_where(line)}, "{line.quote}" [{line.n}]' for line in answer.unconfirmed]
    return lines


def source_lines(answer: Answer) -> list[str]:
    """Return who said what is cited, where and when, by number: `[1][2] Lena #search 4 Mar 2026`, a message once."""
    cited = {number for claim in answer.claims for number in claim.citations}
    shown = [line for line in answer.evidence if line.n in cited][:MOST_SOURCES]
    nearest = answer.nearest[:1] if answer.shape == "nothing" else ()
    sources: dict[str, str] = {}
    for line in (*shown, *nearest, *answer.unconfirmed):
        source = source_line(line)
        sources[source] = f"{sources.get(source, '')}[{line.n}]"
    return [f"{numbers} {source}" for source, numbers in sources.items()]


def source_line(line: Evidence) -> str:
    """Return one source: who, where, when, what keeps it from being in force, and its address."""
    parts = [part for part in (line.author, line.label, _day(line.at)) if part]
    marks = [mark for mark in (standing_of(line.decision), _outcome(line)) if mark]
    if marks:
        parts.append(f"({', '.join(marks)})")
    if line.permalink:
        parts.append(line.permalink)
    return " ".join(parts)


def _claim(claim: Claim, answer: Answer) -> str:
    marks = "".join(f"[{number}]" for number in claim.citations)
    return f"{_lead(claim, answer)}{claim.text} {marks}"


def _lead(claim: Claim, answer: Answer) -> str:
    """Return what stands before a claim; what was only turned down was never tried."""
    if claim.kind is not ClaimKind.TRIED_BEFORE:
        return _LEADS.get(claim.kind, "")
    cited = [line.decision for line in answer.evidence if line.n in claim.citations]
    if any(one.voices.label is Verdict.FAILED for one in cited):
        return _FAILED
    return _TURNED_DOWN if any(one.status is Status.REJECTED for one in cited) else _TRIED


def _where(line: Evidence) -> str:
    return " ".join(part for part in (line.label, _day(line.at)) if part) or line.decision.title


def _day(day: date | None) -> str:
    return f"{day.day} {day:%b} {day.year}" if day else ""


def _outcome(line: Evidence) -> str:
    label = line.decision.voices.label
    return label.value if label else ""


def _evidence(line: Evidence) -> dict[str, object]:
    one = line.decision
    return {
        "n": line.n,
        "id": one.id,
        "ref": one.place.ref,
        "source": one.place.source,
        "anchor": one.place.anchor,
        "title": one.title,
        "status": one.status.value,
        "state": one.state.value,
        "confirmed": one.confirmed,
        "outcome": one.voices.label.value if one.voices.label else "unknown",
        "cautionary": line.cautionary,
        "quote": line.quote,
        "author": line.author,
        "at": line.at.isoformat() if line.at else None,
        "label": line.label,
        "permalink": line.permalink,
        "score": line.score,
        "reasons": list(line.reasons),
    }


def _recommendation(step: Recommendation) -> dict[str, object]:
    return {
        "title": step.title,
        "action": step.action,
        "description": step.description,
        "action_type": step.action_type,
        "risk": step.risk,
        "precedent_warnings": list(step.precedent_warnings or ()),
        "citations": list(step.citations),
    }
