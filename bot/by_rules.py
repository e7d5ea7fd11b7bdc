"""Reading a thread by rules where the model can't: nothing that somebody pointed at is lost to a failure of it."""

from __future__ import annotations

from dataclasses import replace

from bot.errors import BudgetUsed, ModelAway, Permanent
from bot.ports import ByRules, Extraction, Extractor
from store import Thread, Vocabulary

LASTING_S = 600.0
"""An absence that the model's side expects to last this many seconds is too long for whoever waits."""


class ElseByRules:
    """A model's extractor that hands what the model can't read to the rules.

    By rules at once: what it refuses or cuts short, and all once the budget is used. What only waits for it is tried
    again by the caller, unless somebody pointed at the thread and the wait will be long, or this was the last try.
    """

    def __init__(self, model: Extractor, rules: Extractor, *, last: bool = False) -> None:
        """Read with `model`, else by `rules`; `last` is for the last try, after which a thread would be lost."""
        self._model, self._rules, self._last = model, rules, last
        self.name = model.name

    def at_last(self) -> ElseByRules:
        """Return the same for a thread's last try."""
        return ElseByRules(self._model, self._rules, last=True)

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return verified drafts, the model's or those of the rules; see `bot.ports.Extractor`.

        Raises:
            ModelAway: the model may be back soon; try again.
        """
        try:
            return self._model.extract(thread, vocabulary, pointed=pointed, deadline_s=deadline_s)
        except BudgetUsed:
            why = ByRules.BUDGET
        except ModelAway as away:
            lasting = pointed and (away.retry_after_s or 0.0) >= LASTING_S
            if not (lasting or self._last):
                raise
            why = ByRules.AWAY
        except Permanent:
            why = ByRules.UNABLE
        found = self._rules.extract(thread, vocabulary, pointed=pointed, deadline_s=deadline_s)
        return replace(found, by_rules=why)
