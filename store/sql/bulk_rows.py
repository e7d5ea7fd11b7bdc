"""From very many events to rows of the projections: what a worker process makes of a run of the log.

A decision that one fact made needs no fold: its rows are written down here, and are those that `store.core.fold` and
`store.sql.rows` give (held equal by a property test). Whatever is not so plain is only named: it is folded afterwards
with all facts about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from typing import Any

import orjson

from store.core.bodies import NONE
from store.core.events import SALT_BYTES, VERSION, Event, Kind, event_of, instant, read_instant
from store.core.ids import normal, spelled
from store.errors import LogDamaged
from store.sql.projections import FOLDED
from store.sql.rows import claim_rows, set_rows, spelling

PLAIN_PARTS = frozenset({"statement", "place", "meta", "people", "more"})
"""The parts of a fact that records a decision, its quotes aside."""

RULES = frozenset(
    {
        Kind.MENTION_RESOLVED,
        Kind.RESOLUTION_CORRECTED,
        Kind.REJECTION_GIVEN,
        Kind.SETTING_CHANGED,
        Kind.TEXT_REDACTED,
    }
)
"""Facts with rows of their own (`store.sql.rows.rows_of_event`)."""

MOST_KEPT = 200_000
"""Mentions and days of which a process remembers what was made of them."""

DECISION_COLUMNS = (
    "n", "id", "lamport", "writer", "scope", "open", "source", "anchor", "basis", "ref", "day", "confidence",
    "confirmed", "retracted", "erased", "hidden", "in_force", "recorded_at", "provenance", "mentions", "doc",
)  # fmt: skip
"""The columns of `decisions` in the order of a batch's tuples."""

Stored = tuple[int, bytes, bytes, bytes, bytes]
"""An event as the log has it, texts as bytes: position, id, header, salts, parts."""


@dataclass(slots=True)
class Batch:
    """What a run of events comes to: rows as tuples in the tables' order of columns, and what is left to fold."""

    decisions: list[tuple[Any, ...]] = field(default_factory=list)
    spellings: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Spelling and scope by number."""
    mentions: list[tuple[int, int]] = field(default_factory=list)
    sets: list[tuple[int, str, int, int, str]] = field(default_factory=list)
    claims: list[tuple[str, str, int, int]] = field(default_factory=list)
    held: list[tuple[int, str, int, str, str]] = field(default_factory=list)
    edges: list[tuple[str, str, int, str, str]] = field(default_factory=list)
    """Newer and older by id, lamport, event, why: of facts that say this and no more."""
    rules: list[Event] = field(default_factory=list)
    """Facts that say something of more than the decisions that they are about: `RULES`."""
    between: list[int] = field(default_factory=list)
    """Positions of the facts whose rows lie between decisions."""
    folded: list[str] = field(default_factory=list)
    """Decisions that are to be folded with all facts about them."""
    touched: list[tuple[str, int]] = field(default_factory=list)
    """What facts that record no decision are about, and their positions."""


class Reader:
    """Makes batches; remembers mentions and days from one to the next."""

    def __init__(self, key: bytes) -> None:
        """Number spellings with a database's own key."""
        self._key = key
        self._compared: dict[str, tuple[str, str]] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._streams: dict[str, tuple[str, str, int]] = {}
        self._days: dict[str, str] = {}

    def batch(self, rows: Iterable[Stored]) -> Batch:
        """Return what these events come to, every hash checked.

        Raises:
            LogDamaged: a header or a part is not what its hash says.
        """
        self._forget_much()
        batch = Batch()
        for position, id_, header, salts, parts in rows:
            fields, living = checked(id_, header, salts, parts)
            self.take(batch, position, id_.decode(), header, fields, living)
        return batch

    def take(
        self, batch: Batch, position: int, id_: str, header: bytes, fields: Mapping[str, Any], living: Mapping[str, Any]
    ) -> None:
        """Add one event, whose hashes were checked, to a batch.

        Args:
            batch: to add to.
            position: of the event.
            id_: of the event.
            header: its text.
            fields: the header as read.
            living: its living parts as read.
        """
        kind, about = fields["kind"], fields["about"]
        if fields["v"] > VERSION:
            return
        if kind == "DecisionRecorded" and len(about) == 1 and self._record(batch, position, about[0], fields, living):
            return
        if kind in _KNOWN:
            batch.touched += [(target, position) for target in about]
        if kind == "DecisionSuperseded" and len(about) == 2 and "edge" in living and not living["edge"].get("ref"):
            batch.edges.append((about[0], about[1], fields["lamport"], id_, living["edge"].get("why", "")))
        elif kind in RULES:
            batch.rules.append(event_of(id_, header.decode(), living, position=position))
        elif kind in FOLDED:
            batch.folded += about
        elif kind in _KNOWN:
            batch.between.append(position)

    def _record(
        self, batch: Batch, n: int, decision: str, fields: Mapping[str, Any], living: Mapping[str, Any]
    ) -> bool:
        """Add the rows of a decision as one fact makes it; False where they can't be told from that alone."""
        place, statement, meta = living.get("place"), living.get("statement"), living.get("meta")
        if not (place and statement and meta) or not _says_all(living):
            return False
        stream = self._streams.get(fields["stream"]) or self._stream(fields["stream"])
        writer, scope, open_ = stream
        recorded_at = fields["recorded_at"]
        moment = read_instant(recorded_at)
        if len(recorded_at) != len(_INSTANT) or recorded_at[10] != "T" or recorded_at[26] != "Z":
            recorded_at = instant(moment)
        decided_on = meta.get("decided_on", "")
        day = (self._days.get(decided_on) or self._day(decided_on)) if decided_on else recorded_at[:10]
        spellings = self._spell(statement, scope, batch.spellings)
        numbers = list(spellings.values())
        batch.decisions.append(
            (
                n, decision, fields["lamport"], writer, scope, open_,
                place["source"], place["anchor"], place["basis"], place.get("ref", ""), day,
                meta.get("confidence", 0), 1 if meta.get("confirmed") else 0, 0, 0, 0,
                1 if statement.get("status") == "accepted" else 0,
                recorded_at, meta.get("provenance", ""), f"[{','.join(map(str, numbers))}]", None,
            )
        )  # fmt: skip
        batch.mentions += [(s, n) for s in numbers]
        if statement.get("sets"):
            rows: list[Any] = list(set_rows(statement, n, spellings))
            batch.sets += [(row["s"], row["property"], n, row["rank"], row["value"]) for row in rows]
            batch.claims += [(row["prefix"], row["glob"], row["s"], n) for row in map(dict[str, Any], claim_rows(rows))]
        if len(living) > len(PLAIN_PARTS) or any(name not in PLAIN_PARTS for name in living):
            batch.held += [
                (n, name, n, part["turn_id"], place["source"])
                for name, part in living.items()
                if name not in PLAIN_PARTS and part.get("turn_id")
            ]
        return True

    def _spell(self, statement: Mapping[str, Any], scope: str, met: dict[int, tuple[str, str]]) -> dict[str, int]:
        named = [*statement.get("elements", ()), *(each[0] for each in statement.get("sets", ()))]
        for link in statement.get("links", ()):
            named += (link[0], link[2])
        spellings: dict[str, int] = {}
        for each in named:
            found = self._compared.get(each)
            if found is None:
                found = self._compared[each] = (normal(each), spelled(each))
            mention, written = found
            if mention and mention not in spellings:
                s = self._numbers.get((written, scope))
                if s is None:
                    s = self._numbers[written, scope] = spelling(written, scope, self._key)
                spellings[mention] = s
                met[s] = (written, scope)
        return spellings

    def _stream(self, stream: str) -> tuple[str, str, int]:
        writer, openness, scope = stream.split("/", 2)
        found = self._streams[stream] = (writer, scope, int(openness == "open"))
        return found

    def _day(self, decided_on: str) -> str:
        found = self._days[decided_on] = date.fromisoformat(decided_on).isoformat()
        return found

    def _forget_much(self) -> None:
        for kept in (self._compared, self._numbers, self._streams, self._days):
            if len(kept) > MOST_KEPT:
                kept.clear()


_INSTANT = "2026-01-01T00:00:00.000000Z"
"""A moment as `instant` writes it."""

_KNOWN = frozenset(kind.value for kind in Kind)


def _says_all(living: Mapping[str, Any]) -> bool:
    """Whether these parts are what is shown of a decision that they make (`Folded.said`)."""
    if living.keys() <= PLAIN_PARTS:
        return all(living.values())
    said = {(part.get("turn_id", ""), part["quote"]) for name, part in living.items() if name not in PLAIN_PARTS}
    quotes = len(living.keys() - PLAIN_PARTS)
    return (
        all(living.values()) and len(said) == quotes and all(f"evidence/{number}" in living for number in range(quotes))
    )


def checked(id_: bytes, header: bytes, salts: bytes, parts: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an event's header and living parts as read, every hash checked.

    Raises:
        LogDamaged: the header or a part is not what its hash says.
    """
    if sha256(header).hexdigest().encode() != id_:
        raise LogDamaged(f"event {id_[:12].decode()}: its header is not what its id was made of; run `why verify`")
    fields = orjson.loads(header)
    if parts == NONE.encode():
        return fields, {}
    digests, start = fields["parts"], 0
    try:
        living = orjson.loads(parts)
        lines = parts[1:-1].split(b"\n,")
        for name, line in zip(living, lines, strict=True):
            body = line[len(name) + 3 :] if name in _SHORT else line[len(orjson.dumps(name)) + 1 :]
            if sha256(salts[start : start + SALT_BYTES] + body).hexdigest() != digests.get(name):
                raise LogDamaged(
                    f"event {id_[:12].decode()}: part {name} is not what its header says; run `why verify`"
                )
            start += SALT_BYTES
    except ValueError as error:
        raise LogDamaged(f"event {id_[:12].decode()}: its parts are not what was stored; run `why verify`") from error
    return fields, living


_SHORT = PLAIN_PARTS | {"edge"}
"""Names of parts that stand in JSON as they are."""
