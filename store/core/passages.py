"""What of a decision is embedded: passages short enough for the model, each led by the title.

A question is matched with the nearest passage, so that a long record is found by any part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from store.core.languages import is_english

VERSION = 2
"""What this module makes of a decision; an index of another version is made anew."""

PASSAGE_CHARACTERS = 900
"""About 160 words or 200 tokens of prose, which leaves room for the title within 256 tokens."""

MOST_PASSAGES = 8
"""Passages kept of one decision: some 7,000 characters. What lies beyond is still found by words."""

MOST_QUOTES = 4
"""Quotes that have a passage of their own, so that evidence added later leaves the others as they are."""

_BREAK = re.compile(r"(?<=[.!?。])\s+|\n+")


def passages(
    title: str,
    rationale: str,
    *,
    alternatives: Iterable[tuple[str, str]] = (),
    quotes: Iterable[str] = (),
    more: Iterable[str] = (),
    text: str = "",
    tags: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return the passages of one decision: title and rationale first, each text once, never none.

    `alternatives` are (option, reason); `more` holds trade-offs, edge cases and the like. The tags of a decision in
    another language than English hold its English title and search words, so they come first, as a passage.
    """
    options = " ".join(f"Not {option}: {reason}." if reason else f"Not {option}." for option, reason in alternatives)
    english = [] if is_english((title, rationale)) else [". ".join(tags)[: 2 * PASSAGE_CHARACTERS]]
    found = [*filter(None, english), _led(title, rationale)[: 2 * PASSAGE_CHARACTERS]]
    for body in (options, *list(quotes)[:MOST_QUOTES], "\n".join(more), text):
        found += [_led(title, piece) for piece in pieces(body)]
    return tuple(dict.fromkeys(found))[:MOST_PASSAGES]


def pieces(text: str, size: int = PASSAGE_CHARACTERS) -> Sequence[str]:
    """Cut a text at the ends of sentences or lines into pieces of at most about `size` characters."""
    done: list[str] = []
    current = ""
    for sentence in filter(None, (part.strip() for part in _BREAK.split(text))):
        if current and len(current) + len(sentence) >= size:
            done.append(current)
            current = ""
        current = f"{current} {sentence}" if current else sentence
        while len(current) > 2 * size:
            done.append(current[:size])
            current = current[size:]
    return [*done, current] if current else done


def _led(title: str, body: str) -> str:
    return f"{title}. {body}" if body else title
