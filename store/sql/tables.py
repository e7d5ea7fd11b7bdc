"""The tables of memory.db as dumb rows: the log, what is projected from it, and what lies beside.

Times are text in one format (UTC, microseconds, `Z`), days are ISO text: both sort as they stand
and read the same through the standard library's sqlite3. Flags are 0 or 1. A projection's rows can be
dropped and folded anew; the log's can't.

What may hold a million rows is found by tables of its own (`event_ids`, `decision_days` …) where an index would have to
be made in one long transaction: rows in the order of their key go in piece by piece, and nobody waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sqlalchemy import Column, Index, LargeBinary, Table, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import Field, SQLModel

CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}
"""For tables that lie in the order of their primary key and have no other."""


class EventRow(SQLModel, table=True):
    """One event; `position` is its place in this database's log, which no hash covers.

    `parts` has the living parts as `store.core.bodies` joins them, `salts` their salts in the same order: what is
    erased is in neither.
    """

    __tablename__: ClassVar[str] = "events"
    __table_args__ = (
        Index("events_by_stream", "stream", "seq"),
        Index("events_by_lamport", "lamport"),
        Index("events_by_key", "key", unique=True, sqlite_where=text("key IS NOT NULL")),
    )

    position: int = Field(primary_key=True)
    id: str
    kind: str
    stream: str
    seq: int
    lamport: int
    key: str | None = None
    header: str
    salts: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    parts: str


class IdRow(SQLModel, table=True):
    """Where an event stands: its id is in the log once."""

    __tablename__: ClassVar[str] = "event_ids"
    __table_args__ = CLUSTERED

    id: str = Field(primary_key=True)
    position: int


class AboutRow(SQLModel, table=True):
    """Which decision or event an event is about; a decision's own number is the position that recorded it."""

    __tablename__: ClassVar[str] = "event_about"
    __table_args__ = CLUSTERED

    target: str = Field(primary_key=True)
    position: int = Field(primary_key=True)


class DecisionRow(SQLModel, table=True):
    """One decision; its number `n` is the position that recorded it first here.

    `doc` has what is shown of it, by the names of parts; null where the parts of the event at `n` say that already.
    `mentions` lists the spellings that it uses, by number.
    """

    __tablename__: ClassVar[str] = "decisions"

    n: int = Field(primary_key=True)
    id: str
    lamport: int
    writer: str
    scope: str
    open: int
    source: str
    anchor: str
    basis: str
    ref: str
    day: str
    confidence: int
    confirmed: int
    retracted: int
    erased: int
    hidden: int
    in_force: int
    recorded_at: str
    provenance: str
    mentions: str
    doc: str | None = None


class ChangeRow(SQLModel, table=True):
    """The last position that touched a decision, where that is not the one that recorded it."""

    __tablename__: ClassVar[str] = "decision_changes"

    n: int = Field(primary_key=True)
    changed: int = Field(index=True)


class DayRow(SQLModel, table=True):
    """Decisions by the day that they are sorted by."""

    __tablename__: ClassVar[str] = "decision_days"
    __table_args__ = CLUSTERED

    day: str = Field(primary_key=True)
    lamport: int = Field(primary_key=True)
    n: int = Field(primary_key=True)


class PlaceRow(SQLModel, table=True):
    """Decisions by where they were said, each place of one; what has no anchor has no place."""

    __tablename__: ClassVar[str] = "decision_places"
    __table_args__ = CLUSTERED

    source: str = Field(primary_key=True)
    anchor: str = Field(primary_key=True)
    n: int = Field(primary_key=True)


class NameRow(SQLModel, table=True):
    """Decisions by their ref, those that have one."""

    __tablename__: ClassVar[str] = "decision_refs"
    __table_args__ = CLUSTERED

    ref: str = Field(primary_key=True)
    n: int = Field(primary_key=True)


class SpellingRow(SQLModel, table=True):
    """A mention as decisions of one scope write it: as compared, as resolved, and by every id it goes by.

    `s` is a keyed hash of spelling and scope, so that whoever writes a row needn't ask for its number first; the key
    is this database's own, so that nobody can make two spellings meet.
    """

    __tablename__: ClassVar[str] = "mentions"

    s: int = Field(primary_key=True)
    written: str
    scope: str
    mention: str = Field(index=True)
    element: str = Field(index=True)
    name: str = Field(index=True)
    slug_id: str = Field(index=True)
    hash_id: str = Field(index=True)


class MentionRow(SQLModel, table=True):
    """Decisions by the spellings that they use."""

    __tablename__: ClassVar[str] = "decision_mentions"
    __table_args__ = CLUSTERED

    s: int = Field(primary_key=True)
    n: int = Field(primary_key=True)


class SetRow(SQLModel, table=True):
    """One property that a decision sets; of several values of one element's property the first in `rank` stands."""

    __tablename__: ClassVar[str] = "decision_sets"
    __table_args__ = CLUSTERED

    s: int = Field(primary_key=True)
    property: str = Field(primary_key=True)
    n: int = Field(primary_key=True)
    rank: int
    value: str


class DisputedRow(SQLModel, table=True):
    """A property that is in conflict for somebody; `whom` as `store.sql.disputed` has it."""

    __tablename__: ClassVar[str] = "disputed"
    __table_args__ = CLUSTERED

    element: str = Field(primary_key=True)
    property: str = Field(primary_key=True)
    whom: int


class ClaimRow(SQLModel, table=True):
    """A glob by which an element claims files; `prefix` is what every path that it claims begins with."""

    __tablename__: ClassVar[str] = "path_claims"
    __table_args__ = CLUSTERED

    prefix: str = Field(primary_key=True)
    glob: str = Field(primary_key=True)
    s: int = Field(primary_key=True)
    n: int = Field(primary_key=True, index=True)


class HeldRow(SQLModel, table=True):
    """Which turn a quote came from and which part of the event at which position holds it."""

    __tablename__: ClassVar[str] = "held_quotes"
    __table_args__ = CLUSTERED

    position: int = Field(primary_key=True)
    part: str = Field(primary_key=True)
    n: int = Field(index=True)
    turn: str = Field(index=True)
    source: str


class EdgeRow(SQLModel, table=True):
    """One decision replaces another; `skipped` is 1 where that would close a cycle, 2 where it was withdrawn."""

    __tablename__: ClassVar[str] = "edges"
    __table_args__ = CLUSTERED

    newer: int = Field(primary_key=True)
    older: int = Field(primary_key=True, index=True)
    lamport: int
    event: str
    why: str
    skipped: int


class RefRow(SQLModel, table=True):
    """A decision names another by ref: kept for whenever the ref's decision arrives."""

    __tablename__: ClassVar[str] = "refs"

    event: str = Field(primary_key=True)
    decision: int = Field(index=True)
    ref: str = Field(index=True)
    kind: str
    lamport: int


class CiteRow(SQLModel, table=True):
    """One decision cites another."""

    __tablename__: ClassVar[str] = "cites"
    __table_args__ = CLUSTERED

    citing: int = Field(primary_key=True)
    cited: int = Field(primary_key=True, index=True)


class PairRow(SQLModel, table=True):
    """Two decisions that are the same, can't both hold, or (where somebody said so since) both apply."""

    __tablename__: ClassVar[str] = "pairs"
    __table_args__ = CLUSTERED

    kind: str = Field(primary_key=True)
    first: int = Field(primary_key=True)
    second: int = Field(primary_key=True, index=True)
    scope: str
    open: int


class VoteRow(SQLModel, table=True):
    """One outcome vote or its withdrawal (verdict ""); the latest of a voter stands."""

    __tablename__: ClassVar[str] = "votes"

    event: str = Field(primary_key=True)
    decision: int = Field(index=True)
    lamport: int
    scope: str
    open: int
    voter: str
    voter_id: str
    verdict: str
    counts: int
    reason: str
    at: str


class ResolutionRow(SQLModel, table=True):
    """Which element a mention means, for decisions of one scope or, if open, for all."""

    __tablename__: ClassVar[str] = "resolutions"

    event: str = Field(primary_key=True)
    mention: str = Field(index=True)
    element: str
    corrected: int
    lamport: int
    scope: str
    open: int


class RejectionRow(SQLModel, table=True):
    """Somebody turned an answer or recommendation down."""

    __tablename__: ClassVar[str] = "rejections"

    event: str = Field(primary_key=True)
    lamport: int
    decision: str
    scope: str
    open: int
    doc: str


class SettingRow(SQLModel, table=True):
    """A setting that alters what the memory means: the latest value in canonical order."""

    __tablename__: ClassVar[str] = "settings"

    name: str = Field(primary_key=True)
    value: str
    lamport: int
    event: str


class ForgottenRow(SQLModel, table=True):
    """A place never captured again, a turn never quoted again, a decision whose text never comes back."""

    __tablename__: ClassVar[str] = "forgotten"

    kind: str = Field(primary_key=True)
    source: str = Field(primary_key=True)
    anchor: str = Field(primary_key=True)


class RedactedRow(SQLModel, table=True):
    """A part that is erased, whether or not it is here yet: one that comes later is stored blank."""

    __tablename__: ClassVar[str] = "redacted_parts"

    event: str = Field(primary_key=True)
    part: str = Field(primary_key=True)


class ReadingRow(SQLModel, table=True):
    """Beside the log: a place was read at a basis, whether or not it held a decision."""

    __tablename__: ClassVar[str] = "readings"

    source: str = Field(primary_key=True)
    anchor: str = Field(primary_key=True)
    basis: str = Field(primary_key=True)


class FactRow(SQLModel, table=True):
    """Beside the log: what this database knows of itself (its writer id)."""

    __tablename__: ClassVar[str] = "about_me"

    name: str = Field(primary_key=True)
    value: str


def table(row: type[SQLModel]) -> Table:
    """Return the table behind a row class, for Core statements."""
    found = SQLModel.metadata.tables[str(row.__tablename__)]
    assert isinstance(found, Table)  # noqa: S101  # narrows a type; metadata holds nothing else
    return found


def definitions(rows: Sequence[type[SQLModel]], *, indexed: bool = True) -> tuple[str, ...]:
    """Return the statements that make these tables, then those of their indexes."""
    found = [table(row) for row in rows]
    made = [str(CreateTable(each).compile(dialect=sqlite.dialect())).strip() for each in found]
    return (*made, *(index for each in found for index in indexes(each.name))) if indexed else tuple(made)


def indexes(name: str) -> tuple[str, ...]:
    """Return the statements that make a table's indexes."""
    found = sorted(SQLModel.metadata.tables[name].indexes, key=lambda index: str(index.name))
    return tuple(str(CreateIndex(index).compile(dialect=sqlite.dialect())).strip() for index in found)


PROJECTIONS: tuple[type[SQLModel], ...] = (
    ChangeRow,
    CiteRow,
    ClaimRow,
    DayRow,
    DecisionRow,
    DisputedRow,
    EdgeRow,
    ForgottenRow,
    HeldRow,
    MentionRow,
    NameRow,
    PairRow,
    PlaceRow,
    RedactedRow,
    RefRow,
    RejectionRow,
    ResolutionRow,
    SetRow,
    SettingRow,
    SpellingRow,
    VoteRow,
)
"""What can be dropped and folded anew, the lexical index aside."""

ALL: tuple[type[SQLModel], ...] = (*PROJECTIONS, EventRow, IdRow, AboutRow, ReadingRow, FactRow)
"""Every table of memory.db: others may live in the same metadata for another file."""
