"""A conflict told: what each side says, who, when, where and why, and the decision that would settle it.

Standard library only, since a cold command passes through here.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.decision_shape import SHORT_ID, decision_json, first_line, scope_text, title_line
from store import WORKSPACE, Conflict, Decision, normal

MOST_ELEMENTS = 3
"""Elements that a proposal names where no property says what the conflict is about."""


def conflict_json(one: Conflict) -> dict[str, object]:
    """Return one conflict as `why conflicts --json` has it.

    `values` holds what each head gives the property, by id; `proposals` one record for each head, in their order, that
    would settle it for that one: what `why ingest` reads, its reason left to whoever decides.
    """
    return {
        "element": one.element,
        "property": one.property,
        "heads": [decision_json(head) for head in one.heads],
        "values": {head.id: value for head in one.heads if (value := _value(one, head)) is not None},
        "proposals": [_settling(one, head).fields() for head in one.heads],
    }


def conflict_lines(conflicts: Sequence[Conflict]) -> list[str]:
    """Return each conflict in words, and what would settle it: the latest of its sides, as a command to be changed."""
    lines: list[str] = []
    for one in conflicts:
        about = f"{one.element}.{one.property}" if one.property else one.element
        count = len(one.heads)
        lines.append(f"{about}: {count} stand side by side" if about else f"{count} that can't all hold")
        for head in one.heads:
            lines += _head_lines(head, _value(one, head))
        lines.append("  To settle it, record what holds from now on; if that is the latest:")
        lines.append(f"    {_settling(one, one.heads[-1]).command()}")
    return lines


def _head_lines(head: Decision, value: str | None) -> list[str]:
    who = ", ".join(person.name for person in head.decided_by)
    where = head.place.permalink or head.place.ref or head.place.anchor
    said = next((f'"{first_line(quote.quote)}"' for quote in head.evidence if quote.quote), "")
    why = first_line(head.rationale) or said or "nobody said"
    facts = [("Sets", first_line(value or "")), ("Who", who), ("Why", why), ("Where", where)]
    return [
        f"  {head.id[:SHORT_ID]}  {title_line(head)}",
        *(f"{'':16}{name + ':':<7}{text}" for name, text in facts if text),
    ]


def _value(one: Conflict, head: Decision) -> str | None:
    """What a head gives the property: the element may go by another name in it."""
    values = [
        (normal(element) == normal(one.element), value)
        for element, name, value in head.sets
        if one.property and normal(name) == one.property
    ]
    return max(values, key=lambda each: each[0])[1].strip() if values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settling:
    """A decision that would replace all sides of a conflict; it says what one of them says, and lacks a reason."""

    title: str
    elements: tuple[str, ...]
    sets: Mapping[str, str]
    scope: str
    supersedes: tuple[str, ...]

    def fields(self) -> dict[str, object]:
        """Return it as a line of `why ingest`."""
        return {
            "title": self.title,
            "rationale": "",
            "elements": list(self.elements),
            "sets": dict(self.sets),
            "scope": self.scope,
            "supersedes": list(self.supersedes),
        }

    def command(self) -> str:
        """Return it as a command: quoted, for what people wrote stands in it."""
        words = ["why", "record", "--title", self.title, "--rationale", "WHY"]
        words += [word for name, value in self.sets.items() for word in ("--set", f"{name}={value}")]
        words += [word for name in self.elements if not self.sets for word in ("--element", name)]
        words += ["--scope", self.scope] if self.scope != scope_text(WORKSPACE) else []
        words += [word for older in self.supersedes for word in ("--supersedes", older[:SHORT_ID])]
        return shlex.join(words)


def _settling(one: Conflict, head: Decision) -> _Settling:
    value = _value(one, head)
    elements = dict.fromkeys([*([one.element] if one.element else []), *head.elements])
    closed = [scope_text(each.scope) for each in one.heads if not each.scope.open]
    return _Settling(
        title=head.title,
        elements=tuple(elements)[:MOST_ELEMENTS],
        sets={} if value is None else {f"{one.element}.{one.property}": value},
        scope=closed[0] if closed else scope_text(WORKSPACE),
        supersedes=tuple(each.id for each in one.heads),
    )
