"""The reading half of a memory, over anything that can run one query: no SQLAlchemy in here."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime
from typing import TYPE_CHECKING

from store.core.events import instant
from store.core.kept import Kept, ScopeCount, SettingChange
from store.core.model import Decision, DecisionId, Person, Quote, Reader, State
from store.core.views import Claim, Conflict, ElementView, Tombstone, Vote
from store.sql import elements, listing, queries, tombstones
from store.sql.partners import partners
from store.sql.queries import Rows

if TYPE_CHECKING:
    from store.sql.whole import WholeGraph


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

    def same_elsewhere(self, decision: str, reader: Reader) -> tuple[Decision, ...]:
        """Return the decisions of other scopes that are the same as one that the reader may read, by id."""
        with self._reading() as rows:
            return queries.decisions_by_ids(rows, partners(rows, [decision], reader), reader)

    def history(self, element: str, reader: Reader, *, as_of: date | None = None) -> tuple[Decision, ...]:
        """Return an element's decisions, oldest first; any name or id of it will do, or a path that it claims."""
        with self._reading() as rows:
            return queries.history(rows, element, reader, as_of=as_of)

    def heads(
        self, elements_asked: Sequence[str], reader: Reader, *, as_of: date | None = None
    ) -> tuple[ElementView, ...]:
        """Return what holds for each element asked for, in that order; an unknown one is left out.

        A bare name can mean several elements ("service:search", "team:search"): each has a view.
        What names none may be a file's path: it has a view for each element that claims it, the most specific claim
        first. No names at all means every element that the reader can read of, by name.
        """
        with self._reading() as rows:
            return elements.heads(rows, elements_asked, reader, as_of=as_of)

    def claims(self, path: str, reader: Reader, *, as_of: date | None = None) -> tuple[Claim, ...]:
        """Return the claims on a file that stand, the most specific first; the path is from the repository's root."""
        with self._reading() as rows:
            return elements.claims(rows, path, reader, as_of=as_of)

    def knows(self, element: str, reader: Reader) -> bool:
        """Say whether an element of that name, alias or id is known to the reader."""
        with self._reading() as rows:
            return bool(queries.elements_named(rows, element, reader))

    def tombstone(self, decision: str, reader: Reader) -> Tombstone | None:
        """Return what is left of an erased decision, named by its whole id; None where it isn't, or isn't erased."""
        with self._reading() as rows:
            return next(iter(tombstones.tombstones(rows, [decision], reader)), None)

    def gaps(
        self, decisions: Sequence[Decision], reader: Reader, *, as_of: date | None = None
    ) -> tuple[Tombstone, ...]:
        """Return the erased decisions that replaced one of these or were replaced by one, oldest first."""
        with self._reading() as rows:
            return tombstones.gaps(rows, [each.id for each in decisions], reader, as_of=as_of)

    @contextmanager
    def whole(self, reader: Reader, *, as_of: date | None = None) -> Iterator[WholeGraph]:
        """Open one snapshot of the whole graph, to be read piece by piece."""
        from store.sql.whole import WholeGraph  # not for those who look one thing up

        with self._reading() as rows:
            yield WholeGraph(rows, reader, as_of)

    def conflicts(self, reader: Reader, *, as_of: date | None = None) -> tuple[Conflict, ...]:
        """Return heads that can't all hold, by element and property, then those that were noted."""
        with self._reading() as rows:
            return elements.conflicts(rows, reader, as_of=as_of)

    def who_replaced(self, newer: str, older: str) -> Person | None:
        """Return who said last that one decision replaces another; None where nobody did, or it followed by rule.

        The caller has read both.
        """
        with self._reading() as rows:
            found = rows(queries.WHO_REPLACED, {"newer": newer, "older": older})
            return Person(name=str(found[0]["name"]), id=str(found[0]["id"] or "")) if found else None

    def both_apply(self, one: str, other: str) -> bool:
        """Say whether the last word on two decisions is that both apply; the caller has read both."""
        with self._reading() as rows:
            return bool(rows(queries.BOTH_APPLY, {"ids": json.dumps([one, other])}))

    def votes(self, decision: str, reader: Reader) -> tuple[Vote, ...]:
        """Return the standing votes on a decision that the reader may read, oldest first."""
        with self._reading() as rows:
            return queries.votes_on(rows, decision, reader)

    def setting(self, name: str, default: str = "") -> str:
        """Return a setting's value, or the default where nobody has set it."""
        with self._reading() as rows:
            found = rows("SELECT value FROM settings WHERE name = :name", {"name": name})
            return str(found[0]["value"]) if found else default

    def last_change(self) -> int:
        """Return the position of the log at which a decision last changed; 0 while there is none."""
        with self._reading() as rows:
            return int(rows(queries.LAST_CHANGE, {})[0]["position"])

    # --- what a coding session is told ---------------------------------------------------------

    def recorded_since(self, moment: datetime, *, source: str) -> bool:
        """Say whether a decision of that source was recorded since a moment, whoever may read it."""
        from store.sql import noticed  # for hooks alone: nobody else who looks something up loads it

        with self._reading() as rows:
            return noticed.recorded_since(rows, moment, source=source)

    def named_in(self, text: str, reader: Reader, *, limit: int) -> tuple[Decision, ...]:
        """Return decisions on what a text names by a rare word, those that hold most of its words first."""
        with self._reading() as rows:
            return queries.decisions_by_ids(rows, self._named_in(rows, text, reader)[:limit], reader)

    def _named_in(self, rows: Rows, text: str, reader: Reader) -> tuple[DecisionId, ...]:
        from store.sql import noticed  # for hooks alone, as above

        return noticed.named_in(rows, text, reader)

    # --- what is compared with its source -----------------------------------------------------

    def threads_quoted(self, source: str) -> tuple[str, ...]:
        """Return the anchors of a source's threads of which words are kept, in order; for the recheck alone."""
        with self._reading() as rows:
            return listing.threads_quoted(rows, source)

    def turns_quoted(self, source: str, anchor: str) -> tuple[str, ...]:
        """Return the ids of the turns of one thread whose words are kept, in order."""
        with self._reading() as rows:
            return listing.turns_quoted(rows, source, anchor)

    def turns_before(self, source: str, ts: str, *, limit: int) -> tuple[tuple[str, str], ...]:
        """Return (anchor, turn) of what was said before a `ts`, oldest first; turns are "CHANNEL/TS"."""
        with self._reading() as rows:
            return listing.turns_before(rows, source, ts, limit=limit)

    # --- what one person's Home lists ---------------------------------------------------------

    def newest(self, reader: Reader, within: Reader, *, limit: int) -> tuple[Decision, ...]:
        """Return confirmed decisions in force, newest first: of scopes that `within` holds, as `reader` sees them."""
        with self._reading() as rows:
            return listing.newest(rows, reader, within, limit=limit)

    def unconfirmed_of(self, person: str, reader: Reader) -> tuple[Decision, ...]:
        """Return captures that wait for a word, of threads where somebody decided (first) or wrote; then newest."""
        with self._reading() as rows:
            return listing.unconfirmed_of(rows, reader, person)

    def decided_by(self, person: str, reader: Reader) -> tuple[Decision, ...]:
        """Return what somebody decided, newest first, replaced and removed ones too."""
        with self._reading() as rows:
            return listing.decided_by(rows, reader, person)

    def quotes_of(self, person: str, reader: Reader, *, limit: int) -> tuple[tuple[Quote, ...], int]:
        """Return what is kept of somebody's messages, newest first and each once, and how many there are in all."""
        with self._reading() as rows:
            return listing.quotes_of(rows, reader, person, limit=limit)

    def quoting(self, turn_id: str, reader: Reader) -> tuple[Decision, ...]:
        """Return the decisions that rest on one message, by id."""
        with self._reading() as rows:
            return listing.quoting(rows, turn_id, reader)

    def wordings(self, decision: str) -> tuple[DecisionId, ...]:
        """Return the ids of a decision's wordings, its own among them: those before an edit, and after."""
        with self._reading() as rows:
            return tuple(DecisionId(each) for each in listing.wordings(rows, decision))

    def voted_by(self, person: str, reader: Reader) -> tuple[Decision, ...]:
        """Return the decisions on which somebody ever voted, newest first; the vote may be withdrawn by now."""
        with self._reading() as rows:
            return listing.voted_by(rows, reader, person)

    def kept(self, reader: Reader) -> Kept:
        """Count what is kept of decisions and messages, of what the reader may read."""
        with self._reading() as rows:
            return listing.kept(rows, reader)

    def by_scope(self, reader: Reader, *, since: datetime) -> dict[str, ScopeCount]:
        """Count what was recorded since a moment, by scope: what stands and what was removed."""
        with self._reading() as rows:
            return listing.by_scope(rows, reader, since=instant(since))

    def setting_changes(self, prefix: str) -> tuple[SettingChange, ...]:
        """Return the settings whose names begin so, by name, with who set each and when."""
        with self._reading() as rows:
            return listing.setting_changes(rows, prefix)
