"""Why a decision stands where it stands in an answer, told in words instead of the ranking's own figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bot.slack.layout import words

MUCH = 0.6
"""Share of the best possible from which words and meaning fit much, not just somewhat."""

_STEP = re.compile(r"(?P<name>[a-z]+) (?P<value>-?\d+(?:\.\d+)?)")


def why_here(reasons: Sequence[str]) -> str:
    """Return the steps of the ranking as one phrase: "has much of your wording, moved up: it worked".

    Args:
        reasons: "words 0.61", "outcome 1.50 (2 worked, 0 failed)": as an answer's lines carry them.
    """
    steps = {match["name"]: float(match["value"]) for match in map(_STEP.match, reasons) if match}
    return ", ".join(_phrases(steps))


def _phrases(steps: Mapping[str, float]) -> Iterator[str]:
    fits = [words.ORDER_FITS[name][value >= MUCH] for name, value in steps.items() if name in words.ORDER_FITS]
    if fits:
        yield f" {words.AND} ".join(fits)
    if "replaced" in steps:
        yield words.ORDER_REPLACED
    if "days" in steps:
        yield words.ORDER_DAYS
    if "outcome" in steps:
        yield words.ORDER_UP if steps["outcome"] >= 1 else words.ORDER_DOWN
    if "warning" in steps:
        yield words.ORDER_WARNING
