"""A memory's log as a sync sees it: what it holds of its own to give, and where others' events go."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from store.core.events import Kind, scope_of_setting, writer_of
from store.core.model import channel_scope
from store.core.sealed import Sealed
from store.errors import LogDamaged
from store.sql import schema
from store.sql.log import living_parts
from store.sql.queries import LATE_TURNS
from store.sql.tx import Tx
from store.sync.columns import Held
from store.sync.log import Former, Tip

if TYPE_CHECKING:
    from store.sql.bulk_log import Appending
    from store.sql.union import Envelope

CHUNK_EVENTS = 250
"""Events that one transaction takes in at most: about 0.1 s of them."""

FOLD_FROM_SHARE = 0.1
"""Share of the log from which on folding it anew is quicker than folding what came (CONTRACTS: 10 %)."""

WORKERS = 2
"""Processes that unpack: one alone keeps up with the writing one, two let it never wait."""

_FORMER = "former_writers"
"""Under which name `about_me` keeps the ids under which this database wrote before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What erasures name beside events: whole decisions, turns by (source, id), and channels by id."""

    decisions: tuple[str, ...]
    turns: tuple[tuple[str, str], ...]
    channels: tuple[str, ...] = ()


class MemoryLog:
    """A memory's log, each call in transactions of its own."""

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[Tx]],
        writing: Callable[[], AbstractContextManager[Tx]],
        *,
        salt: Callable[[int], bytes],
        erased: Callable[[Erased], None],
        fold: Callable[[], None] | None = None,
        swift: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Work through these transactions.

        `erased` is called before a sync ends with what erasures name: what lies beside the log has to
        go as well. `fold` folds the log into every projection anew; where there is none, very many
        events are taken in as few are. Within `swift` commits may reach the disk later.
        """
        self._reading, self._writing, self._salt, self._erased = reading, writing, salt, erased
        self._fold, self._swift = fold, swift

    # --- who we are ---------------------------------------------------------------------------

    def writer(self) -> str:
        """Return the id under which this database writes."""
        with self._reading() as tx:
            return schema.writer(tx.rows)

    def former(self) -> Mapping[str, Former]:
        """Return the ids under which it wrote before."""
        with self._reading() as tx:
            return _former(tx)

    def take_new_writer(self) -> str:
        """Write under a new id from now on, and keep where our own chains under the old one end."""
        with self._writing() as tx:
            old, new = schema.writer(tx.rows), self._salt(8).hex()
            former = {**_former(tx), old: Former(successor=new, tips=_tips(tx, old))}
            document = {
                writer: {
                    "successor": each.successor,
                    "tips": {stream: [tip.seq, tip.id] for stream, tip in each.tips.items()},
                }
                for writer, each in former.items()
            }
            rows = [{"name": "writer", "value": new}, {"name": _FORMER, "value": json.dumps(document)}]
            tx.insert("about_me", rows, on_conflict="replace")
        return new

    # --- what we hold -------------------------------------------------------------------------

    def end(self) -> int:
        """Return the position of the last event."""
        with self._reading() as tx:
            return int(tx.rows("SELECT coalesce(max(position), 0) AS position FROM events", {})[0]["position"])

    def tips(self, writer: str) -> Mapping[str, Tip]:
        """Return the last event of each of a writer's streams."""
        with self._reading() as tx:
            return _tips(tx, writer)

    def holds(self, ids: Iterable[str]) -> set[str]:
        """Return those of these event ids that the log holds."""
        asked = json.dumps(list(ids))
        with self._reading() as tx:
            return {row["id"] for row in tx.rows(_HELD, {"ids": asked})}

    def run(self, stream: str, first: int, last: int, tip: Tip) -> list[Held]:
        """Return a stream's events from `first` to `last` on the chain that ends at `tip`, in order."""
        with self._reading() as tx:
            rows = tx.rows(_RUN, {"stream": stream, "first": first, "last": last})
            if len(rows) > last - first + 1:
                ids = self._on_chain(tx, stream, first, tip)
                rows = [row for row in rows if row["id"] in ids]
        if [row["seq"] for row in rows] != list(range(first, last + 1)):
            raise LogDamaged(f"the log doesn't hold all events from {first} to {last}")
        return [(row["header"], living_parts(row)) for row in rows]

    def _on_chain(self, tx: Tx, stream: str, first: int, tip: Tip) -> set[str]:
        """Return the ids from `first` up to the tip, where a copied store left two events of one number."""
        links = tx.rows(_LINKS, {"stream": stream, "first": first, "last": tip.seq})
        prev = {row["id"]: row["prev"] for row in links}
        found, at = set(), tip.id
        while at in prev:
            found.add(at)
            at = prev[at]
        return found

    def erased_since(self, position: int, writers: Iterable[str]) -> set[tuple[str, int]]:
        """Return the stream and number of these writers' events that erasures after a position reach."""
        ours = frozenset(writers)
        with self._reading() as tx:
            found = _redactions(tx, position)
            events = sorted({event for each in found for event in each.get("events", ())})
            decisions = sorted({decision for each in found for decision in each.get("decisions", ())})
            scopes = [channel_scope(each["channel"]["id"]) for each in found if each.get("channel")]
            streams = [f"{writer}/{openness}/{scope}" for scope in scopes for writer in ours for openness in _OPENNESS]
            asked = {name: json.dumps(each) for name, each in
                     (("events", events), ("decisions", decisions), ("streams", streams))}  # fmt: skip
            rows = tx.rows(_HIT, asked) if events or decisions or streams else ()
        return {(row["stream"], row["seq"]) for row in rows if writer_of(row["stream"]) in ours}

    def take_out_late(self, now: datetime) -> None:
        """Erase what another machine kept under other decisions of messages that were erased; again is a no-op."""
        with self._reading() as tx:
            if not tx.rows(LATE_TURNS, {}):
                return
        from store.sql.redaction import take_out_late  # the projections: not for a sync that finds nothing to erase
        from store.sql.writing import Writing

        with self._writing() as tx:
            writing = Writing(tx, writer=schema.writer(tx.rows), now=now, salt=self._salt)
            take_out_late(writing)
            writing.settle()

    def finish_erasures(self, position: int) -> None:
        """Erase beside the log, and from the files' corners, what erasures after a position name."""
        with self._reading() as tx:
            found = _redactions(tx, position)
        if found:
            turns = {(each["turn"]["source"], each["turn"]["id"]) for each in found if each.get("turn")}
            decisions = {decision for each in found for decision in each.get("decisions", ())}
            channels = {each["channel"]["id"] for each in found if each.get("channel")}
            self._erased(
                Erased(decisions=tuple(sorted(decisions)), turns=tuple(sorted(turns)), channels=tuple(sorted(channels)))
            )

    def openness(self) -> Mapping[str, bool]:
        """Return the scopes that were opened or closed after things were said in them."""
        with self._reading() as tx:
            rows = tx.rows("SELECT name, value FROM settings WHERE name GLOB 'scope:*'", {})
        return {scope: row["value"] == "yes" for row in rows if (scope := scope_of_setting(row["name"]))}

    def scopes(self) -> set[str]:
        """Return the ids of the scopes in which this database ever wrote."""
        with self._reading() as tx:
            return {stream.split("/", 2)[2] for stream in _tips(tx, schema.writer(tx.rows))}

    def places(self, ids: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return stream and number of these events, by id, where the log holds them."""
        with self._reading() as tx:
            rows = tx.rows(_PLACES, {"ids": json.dumps(list(ids))})
        return {row["id"]: (row["stream"], row["seq"]) for row in rows}

    # --- what comes in ------------------------------------------------------------------------

    def receive(self, events: Sequence[Sealed]) -> int:
        """Take events in, in several short transactions; return how many were new."""
        if not events:
            return 0
        from store.sql.union import receive  # the projections: not for a sync that finds nothing new

        new = 0
        for start in range(0, len(events), CHUNK_EVENTS):
            chunk = events[start : start + CHUNK_EVENTS]
            held = self.holds(each.id for each in chunk)
            if fresh := [_envelope(each) for each in chunk if each.id not in held]:
                with self._writing() as tx:
                    new += len(receive(tx, fresh))
        return new

    def receive_many(self, jobs: Sequence[Callable[[], Iterable[Sealed]]], count: int) -> int:
        """Take in what these jobs yield: into the log first, then every projection is folded anew."""
        if self._fold is None or count < self.end() * FOLD_FROM_SHARE:
            return sum(self.receive(list(job())) for job in jobs)
        from store.sql import bulk_log
        from store.sql.crew import Crew

        new = 0
        with self._writing() as tx:
            filling = bulk_log.Appending(tx)
        with self._swift():
            with Crew(WORKERS) as crew:
                for rows in crew.results([bulk_log.Unpacking(job=job) for job in jobs]):
                    for piece in bulk_log.pieces(rows):
                        with self._writing() as tx:
                            new += filling.append(tx, piece)
            self._finish(filling)
        self._fold_what_came()
        return new

    def finish_filling(self) -> None:
        """Finish what a killed sync left of a log that was filled and not folded."""
        with self._reading() as tx:
            if not tx.rows("SELECT value FROM about_me WHERE name = :name", {"name": schema.LOG_AHEAD}):
                return
        from store.sql import bulk_log

        with self._writing() as tx:
            filling = bulk_log.Appending(tx)
        self._finish(filling)
        self._fold_what_came()

    def _finish(self, filling: Appending) -> None:
        for write in filling.steps():
            with self._writing() as tx:
                write(tx)

    def _fold_what_came(self) -> None:
        """Bring the projections up to a log that is ahead of them, blanking first what was erased."""
        from store.sql import bulk_log

        with self._reading() as tx:
            ids = bulk_log.erasures(tx)
        for start in range(0, len(ids), bulk_log.ERASURES_AT_ONCE):
            with self._writing() as tx:
                bulk_log.erase_again(tx, ids[start : start + bulk_log.ERASURES_AT_ONCE])
        if self._fold is not None:
            self._fold()
        with self._writing() as tx:
            bulk_log.end(tx)


_PLACES = """
SELECT e.id, e.stream, e.seq FROM event_ids i JOIN events e ON e.position = i.position
WHERE i.id IN (SELECT value FROM json_each(:ids))
"""
_HELD = "SELECT id FROM event_ids WHERE id IN (SELECT value FROM json_each(:ids))"

_RUN = """
SELECT e.seq, e.id, e.header, e.salts, e.parts
FROM events e WHERE e.stream = :stream AND e.seq BETWEEN :first AND :last ORDER BY e.seq, e.position
"""

_LINKS = """
SELECT e.id, e.header ->> 'prev' AS prev FROM events e WHERE e.stream = :stream AND e.seq BETWEEN :first AND :last
"""

_ERASURES = """
SELECT e.parts ->> '$.redaction' AS body FROM events e
WHERE e.position > :position AND e.kind = :kind AND e.parts ->> '$.redaction' IS NOT NULL
"""

_HIT = """
SELECT e.stream, e.seq FROM event_ids i JOIN events e ON e.position = i.position
WHERE i.id IN (SELECT value FROM json_each(:events))
UNION
SELECT e.stream, e.seq FROM event_about a JOIN events e ON e.position = a.position
WHERE a.target IN (SELECT value FROM json_each(:decisions))
UNION
SELECT e.stream, e.seq FROM events e WHERE e.stream IN (SELECT value FROM json_each(:streams))
"""

_OPENNESS = ("open", "closed")
"""What streams of one writer and scope there may be (`store.core.events.stream_of`)."""


def _redactions(tx: Tx, position: int) -> list[Mapping[str, Any]]:
    rows = tx.rows(_ERASURES, {"position": position, "kind": Kind.TEXT_REDACTED.value})
    return [json.loads(row["body"]) for row in rows]


def _former(tx: Tx) -> dict[str, Former]:
    found = tx.rows("SELECT value FROM about_me WHERE name = :name", {"name": _FORMER})
    document = json.loads(found[0]["value"]) if found else {}
    return {
        writer: Former(
            successor=each["successor"],
            tips={stream: Tip(seq=tip[0], id=tip[1]) for stream, tip in each["tips"].items()},
        )
        for writer, each in document.items()
    }


def _tips(tx: Tx, writer: str) -> dict[str, Tip]:
    """Go from stream to stream through the index: a memory may hold a million events of one."""
    tips: dict[str, Tip] = {}
    after, end = f"{writer}/", f"{writer}0"  # the sign after the slash
    while found := tx.rows(
        "SELECT min(stream) AS stream FROM events WHERE stream > :after AND stream < :before"
        " HAVING min(stream) IS NOT NULL",
        {"after": after, "before": end},
    ):
        after = found[0]["stream"]
        last = tx.rows(
            "SELECT seq, id FROM events WHERE stream = :stream ORDER BY seq DESC, position DESC LIMIT 1",
            {"stream": after},
        )[0]
        tips[after] = Tip(seq=int(last["seq"]), id=str(last["id"]))
    return tips


def _envelope(event: Sealed) -> Envelope:
    from store.sql.union import Envelope

    parts = {name: None if salt is None or body is None else (salt, body) for name, salt, body in event.parts}
    return Envelope(header=event.header, parts=parts)
