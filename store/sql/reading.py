"""The reading half of a memory, over anything that can run one query: no SQLAlchemy in here."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import date

from store.core.model import Decision, Reader, State
from store.core.views import Conflict, ElementView, Vote
from store.sql import elements, queries
from store.sql.queries import Rows


class Reading:
    """What can be asked of a memory; every answer is for one reader and holds nothing else.

    `as_of` asks by the day on which people decided: what was decided later doesn't exist.
    """

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Rows]:
        """Open one snapshot."""

    def decision(self, id_or_ref: str, reader: Reader, *, as_of: date | None = None) -> Decision | None:
        """Return the decision of an id, of the unambiguous beginning of one, or of a ref."""
        with self._reading() as rows:
            return queries.decision_named(rows, id_or_ref, reader, as_of=as_of)

    def decisions_by_ids(
        self, ids: Sequence[str], reader: Reader, *, as_of: date | None = None
    ) -> tuple[Decision, ...]:
        """Return those decisions that the reader may read, in the order of the ids."""
        with self._reading() as rows:
            return queries.decisions_by_ids(rows, ids, reader, as_of=as_of)

    def decisions(
        self,
        reader: Reader,
        *,
        since: date | None = None,
        until: date | None = None,
        element: str = "",
        state: State | None = None,
        limit: int | None = None,
        as_of: date | None = None,
    ) -> tuple[Decision, ...]:
        """Return decisions, newest first; `since` and `until` are days, both included."""
        with self._reading() as rows:
            return queries.decisions_listed(
                rows, reader, since=since, until=until, element=element, state=state, limit=limit, as_of=as_of
            )

    def at_place(self, source: str, anchor: str, reader: Reader) -> tuple[Decision, ...]:
        """Return every decision of one place, oldest first, replaced and retracted ones too."""
        with self._reading() as rows:
            return queries.decisions_at(rows, source, anchor, reader)

    def history(self, element: str, reader: Reader, *, as_of: date | None = None) -> tuple[Decision, ...]:
        """Return an element's decisions, oldest first; any name or id of it will do."""
        with self._reading() as rows:
            return queries.history(rows, element, reader, as_of=as_of)

    def heads(
        self, elements_asked: Sequence[str], reader: Reader, *, as_of: date | None = None
    ) -> tuple[ElementView, ...]:
        """Return what holds for each element asked for, in that order; an unknown one is left out.

        A bare name can mean several elements ("service:search", "team:search"): each has a view.
        No names at all means every element that the reader can read of, by name.
        """
        with self._reading() as rows:
            return elements.heads(rows, elements_asked, reader, as_of=as_of)

    def conflicts(self, reader: Reader, *, as_of: date | None = None) -> tuple[Conflict, ...]:
        """Return heads that can't all hold, by element and property, then those that were noted."""
        with self._reading() as rows:
            return elements.conflicts(rows, reader, as_of=as_of)

    def votes(self, decision: str, reader: Reader) -> tuple[Vote, ...]:
        """Return the standing votes on a decision that the reader may read, oldest first."""
        with self._reading() as rows:
            return queries.votes_on(rows, decision, reader)

    def setting(self, name: str, default: str = "") -> str:
        """Return a setting's value, or the default where nobody has set it."""
        with self._reading() as rows:
            found = rows("SELECT value FROM settings WHERE name = :name", {"name": name})
            return str(found[0]["value"]) if found else default
