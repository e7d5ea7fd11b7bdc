"""What holds for an element, as the JSON that others build on and in words; standard library only."""

from __future__ import annotations

from collections.abc import Iterable

from bot.decision_shape import decision_json, title_line
from store import ElementView


def view_json(one: ElementView) -> dict[str, object]:
    """Return one of the elements of `why heads --json`."""
    return {
        "id": one.id,
        "element": one.element,
        "decisions": [decision_json(decision) for decision in one.decisions],
        "links": [list(link) for link in one.links],
        "properties": [
            {"property": name, "value": value, "decision": decision} for name, value, decision in one.properties
        ],
    }


def view_lines(views: Iterable[ElementView]) -> list[str]:
    """Return elements in words: the name, then decisions newest first, what they set and what they link."""
    lines: list[str] = []
    for one in views:
        lines.append(one.element)
        lines += [f"  {title_line(decision)}" for decision in one.decisions]
        lines += [f"  {name} = {value}" for name, value, _ in one.properties]
        lines += [f"  {' '.join(link)}" for link in one.links]
    return lines
