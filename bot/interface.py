"""What a person's own tools ask of a memory, as the documents of the command line: one class, wherever they ask from.

`/api/v1` answers with it, and so does `why mcp` beside a local memory; `bot.agents.remote` asks the same over HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Protocol

from bot import preflight
from bot.answer_shape import answer_json
from bot.at_hand import AtHand, brief, telling
from bot.decision_shape import decision_json, show_json
from bot.element_shape import view_json
from bot.errors import UnreadableDocument
from bot.ingest import admission_of
from bot.sources.records import record_from
from store import WORKSPACE, Draft, Person, Reader

if TYPE_CHECKING:
    from bot.answer import Answers
    from store import Memory

Document = dict[str, object]

MOST_ELEMENTS = 50
"""Elements of one request."""
MOST_WORDS, MOST_NOTICED = 4_000, 40
"""Characters of the words that hooks ask about; decisions that they are told, of which they show five at a time."""


class Interface(Protocol):
    """What can be asked and said; every text is data, whoever wrote it."""

    def ask(self, question: str, *, as_of: date | None = None) -> Document:
        """Return the document of `why ask`."""
        ...

    def heads(self, elements: Sequence[str], *, as_of: date | None = None) -> Document:
        """Return the document of `why heads`; a file's path from its repository's root will do."""
        ...

    def history(self, element: str) -> Document:
        """Return the document of `why history`."""
        ...

    def conflicts(self) -> Document:
        """Return the document of `why conflicts`."""
        ...

    def preflight(self, diff: str, *, title: str = "", body: str = "") -> Document:
        """Return the document of `why preflight` for a unified diff and what its author says of it."""
        ...

    def record(self, fields: Mapping[str, object]) -> Document:
        """Record one decision, given by the fields of `why ingest`; return the document of `why show`."""
        ...


class OneMemory:
    """The interface to a memory in this process, for one person."""

    def __init__(self, memory: Memory, answers: Answers, reader: Reader, person: Person) -> None:
        """Read as `reader`, record in the name of `person`."""
        self._memory = memory
        self._answers = answers
        self._reader = reader
        self._person = person

    def ask(self, question: str, *, as_of: date | None = None) -> Document:
        """Return the document of `why ask`.

        Raises:
            UnreadableDocument: there is no question.
        """
        if not question.strip():
            raise UnreadableDocument("question: missing or empty")
        return answer_json(self._answers.ask(question, self._reader, asker=self._person, as_of=as_of))

    def heads(self, elements: Sequence[str], *, as_of: date | None = None) -> Document:
        """Return the document of `why heads`.

        Raises:
            UnreadableDocument: no element is named, or too many.
        """
        wanted = [each for each in elements if each.strip()]
        if not wanted:
            raise UnreadableDocument("element: missing or empty")
        if len(wanted) > MOST_ELEMENTS:
            raise UnreadableDocument(f"element: more than {MOST_ELEMENTS} of them")
        return {"elements": [view_json(each) for each in self._memory.heads(wanted, self._reader, as_of=as_of)]}

    def history(self, element: str) -> Document:
        """Return the document of `why history`.

        Raises:
            UnreadableDocument: no element is named.
        """
        if not element.strip():
            raise UnreadableDocument("element: missing or empty")
        decisions = self._memory.history(element, self._reader)
        return {"element": element, "decisions": [decision_json(each) for each in decisions]}

    def conflicts(self) -> Document:
        """Return the document of `why conflicts`."""
        return {
            "conflicts": [
                {"element": one.element, "property": one.property, "heads": [decision_json(head) for head in one.heads]}
                for one in self._memory.conflicts(self._reader)
            ]
        }

    def preflight(self, diff: str, *, title: str = "", body: str = "") -> Document:
        """Return the document of `why preflight`.

        Raises:
            UnreadableDocument: it is no unified diff.
        """
        change = preflight.change_of(diff, title=title, body=body)
        return preflight.document(preflight.findings(self._memory, self._reader, change))

    def record(self, fields: Mapping[str, object]) -> Document:
        """Record one decision for the workspace, of today unless it names its day; return the document of `why show`.

        Raises:
            UnreadableDocument: a field is not what it should be, names a channel, or a decision that can't be read.
        """
        day = fields.get("decided_on") or self._memory.clock().date().isoformat()
        record = record_from({**fields, "decided_on": day})
        if record.channel:
            raise UnreadableDocument("scope: through this interface decisions are recorded for the workspace alone")
        record = replace(record, draft=self._with_whole_ids(record.draft))
        admission = replace(admission_of(record, WORKSPACE, recorded_from="record"), by=self._person)
        admitted = self._memory.admit(admission)
        if admitted.refused:
            raise UnreadableDocument("; ".join(admitted.refused))
        decision = admitted.decisions[0]
        return show_json(decision, self._memory.votes(decision.id, self._reader))

    def noticed(self, names: Sequence[str], words: str) -> Document:
        """Return what hooks elsewhere tell of files and elements of these names, or of what words name, in brief.

        Raises:
            UnreadableDocument: too many names.
        """
        if len(names) > MOST_ELEMENTS:
            raise UnreadableDocument(f"elements: more than {MOST_ELEMENTS} of them")
        at_hand = AtHand(self._memory, self._reader)
        found = [*at_hand.on(names), *(at_hand.named_in(words[:MOST_WORDS]) if words.strip() else ())]
        nothing = not found and at_hand.is_empty()
        return {"decisions": [brief(each) for each in telling(found)[:MOST_NOTICED]], "empty": nothing}

    def _with_whole_ids(self, draft: Draft) -> Draft:
        """Return a draft that names decisions by whole ids and refs: those that its writer can read, and no others."""
        named: dict[str, tuple[str, ...]] = {}
        for field in ("supersedes", "cites"):
            given: tuple[str, ...] = getattr(draft, field)
            found = {each: self._memory.decision(each, self._reader) for each in given}
            if unknown := next((each for each, one in found.items() if one is None), None):
                raise UnreadableDocument(f"{field}: {unknown[:80]}: no such decision")
            named[field] = tuple(one.id if one and one.id.startswith(each) else each for each, one in found.items())
        return replace(draft, supersedes=named["supersedes"], cites=named["cites"])


def day_of(value: object) -> date | None:
    """Return the day that a request names; None where it names none.

    Raises:
        UnreadableDocument: it is no date.
    """
    if value in (None, ""):
        return None
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise UnreadableDocument(f"as_of: {str(value)[:40]!r} is not a date (YYYY-MM-DD)") from None
