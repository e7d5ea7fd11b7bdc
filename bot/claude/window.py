"""A thread as numbered lines, within a budget of tokens.

The rule: a turn of more than 6,000 characters keeps its first 4,000 and last 2,000. If all turns together still
exceed the budget, the first turns stay up to a sixth of it (what it is about) and the last ones up to the rest
(how it ended), and one line says how many were left out between them. Turns keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.claude.prompting import one_line, tokens
from store import Thread, Turn

MAX_TOKENS = 60_000
"""Some 1,500 usual messages; a prompt above 100,000 tokens costs five times as much a token (Haiku 5.5)."""

_TURN_HEAD, _TURN_TAIL = 4_000, 2_000
_OPENING_SHARE = 6


def numbered(thread: Thread, *, max_tokens: int = MAX_TOKENS) -> str:
    """Return the thread's turns as `[3] Ana, 2026-03-04 09:03: text`, oldest first, by the module's rule."""
    lines = [_line(number, turn) for number, turn in enumerate(thread.turns, start=1)]
    costs = [tokens(line) for line in lines]
    if sum(costs) <= max_tokens:
        return "\n".join(lines)
    opening = _fitting(costs, max_tokens // _OPENING_SHARE)
    ending = _fitting(reversed(costs[opening:]), max_tokens - sum(costs[:opening]))
    left_out = len(lines) - opening - ending
    return "\n".join([*lines[:opening], f"[… {left_out} turns left out …]", *lines[len(lines) - ending :]])


def _fitting(costs: Iterable[int], budget: int) -> int:
    count = 0
    for cost in costs:
        budget -= cost
        if budget < 0:
            break
        count += 1
    return count


def _line(number: int, turn: Turn) -> str:
    text = turn.text.strip()
    if len(text) > _TURN_HEAD + _TURN_TAIL:
        left_out = len(text) - _TURN_HEAD - _TURN_TAIL
        text = f"{text[:_TURN_HEAD]}\n[… {left_out} characters left out …]\n{text[-_TURN_TAIL:]}"
    reactions = ", ".join(f":{one_line(reaction.name)}: {len(reaction.users)}" for reaction in turn.reactions)
    shown = "\n    ".join(text.splitlines()) + (f"\n    (reactions: {reactions})" if reactions else "")
    bot = " (bot)" if turn.is_bot else ""
    return f"[{number}] {one_line(turn.author)}{bot}, {turn.occurred_at:%Y-%m-%d %H:%M}: {shown}"
