"""The tables of memory.db as dumb rows: the log, what is projected from it, and what lies beside.

Times are text in one format (UTC, microseconds, `Z`), days are ISO text: both sort as they stand
and read the same through the standard library's sqlite3. Flags are 0 or 1. `doc` is JSON of what
is only shown. A projection's rows can be dropped and folded anew; the log's can't.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import Column, Index, LargeBinary, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import Field, SQLModel


class EventRow(SQLModel, table=True):
    """One event; `position` is its place in this database's log, which no hash covers."""

    __tablename__: ClassVar[str] = "events"
    __table_args__ = (Index("events_by_stream", "stream", "seq"), Index("events_by_lamport", "lamport"))

    position: int = Field(primary_key=True)
    id: str = Field(unique=True)
    kind: str
    stream: str
    seq: int
    lamport: int
    key: str | None = Field(default=None, unique=True)
    header: str


class PartRow(SQLModel, table=True):
    """What people wrote in one event; salt and body are null once erased."""

    __tablename__: ClassVar[str] = "event_parts"

    position: int = Field(primary_key=True, foreign_key="events.position")
    name: str = Field(primary_key=True)
    salt: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))
    body: str | None = None


class AboutRow(SQLModel, table=True):
    """Which decision or event an event is about."""

    __tablename__: ClassVar[str] = "event_about"

    target: str = Field(primary_key=True)
    position: int = Field(primary_key=True, foreign_key="events.position")


class DecisionRow(SQLModel, table=True):
    """One decision; `n` is the position that recorded it, `changed` the last that touched it."""

    __tablename__: ClassVar[str] = "decisions"
    __table_args__ = (Index("decisions_by_place", "source", "anchor"), Index("decisions_by_day", "day", "id"))

    n: int = Field(primary_key=True)
    id: str = Field(unique=True)
    changed: int = Field(index=True)
    lamport: int
    writer: str
    scope: str
    open: int
    source: str
    anchor: str
    ordinal: int
    basis: str
    ref: str = Field(index=True)
    permalink: str
    title: str
    status: str
    day: str
    decided_on: str
    confidence: int
    confirmed: int
    retracted: int
    erased: int
    hidden: int
    in_force: int
    recorded_at: str
    provenance: str
    doc: str


class PlaceRow(SQLModel, table=True):
    """Where a decision was said; more than one row where places of one scope merged."""

    __tablename__: ClassVar[str] = "decision_places"
    __table_args__ = (Index("places_by_anchor", "source", "anchor"),)

    decision: str = Field(primary_key=True)
    source: str = Field(primary_key=True)
    anchor: str = Field(primary_key=True)


class MentionRow(SQLModel, table=True):
    """An element that a decision mentions: as compared, as resolved, and by every id it goes by."""

    __tablename__: ClassVar[str] = "decision_mentions"

    decision: str = Field(primary_key=True)
    mention: str = Field(primary_key=True, index=True)
    element: str = Field(index=True)
    name: str = Field(index=True)
    slug_id: str = Field(index=True)
    hash_id: str = Field(index=True)
    written: str


class SetRow(SQLModel, table=True):
    """One property that a decision sets."""

    __tablename__: ClassVar[str] = "decision_sets"
    __table_args__ = (Index("sets_by_property", "element", "property"),)

    decision: str = Field(primary_key=True)
    element: str = Field(primary_key=True)
    property: str = Field(primary_key=True)
    value: str


class ClaimRow(SQLModel, table=True):
    """A glob by which an element claims files; `prefix` is what every path that it claims begins with."""

    __tablename__: ClassVar[str] = "path_claims"

    prefix: str = Field(primary_key=True)
    glob: str = Field(primary_key=True)
    element: str = Field(primary_key=True)
    decision: str = Field(primary_key=True, index=True)


class HeldRow(SQLModel, table=True):
    """Which turn a quote came from and which part of which event holds it."""

    __tablename__: ClassVar[str] = "held_quotes"

    event: str = Field(primary_key=True)
    part: str = Field(primary_key=True)
    decision: str = Field(index=True)
    turn: str = Field(index=True)
    source: str


class EdgeRow(SQLModel, table=True):
    """One decision replaces another; `skipped` is 1 where that would close a cycle, 2 where it was withdrawn."""

    __tablename__: ClassVar[str] = "edges"

    newer: str = Field(primary_key=True)
    older: str = Field(primary_key=True, index=True)
    lamport: int
    event: str
    why: str
    skipped: int


class RefRow(SQLModel, table=True):
    """A decision names another by ref: kept for whenever the ref's decision arrives."""

    __tablename__: ClassVar[str] = "refs"

    event: str = Field(primary_key=True)
    decision: str = Field(index=True)
    ref: str = Field(index=True)
    kind: str
    lamport: int


class CiteRow(SQLModel, table=True):
    """One decision cites another."""

    __tablename__: ClassVar[str] = "cites"

    citing: str = Field(primary_key=True)
    cited: str = Field(primary_key=True, index=True)


class PairRow(SQLModel, table=True):
    """Two decisions that are the same, can't both hold, or (where somebody said so since) both apply."""

    __tablename__: ClassVar[str] = "pairs"

    kind: str = Field(primary_key=True)
    first: str = Field(primary_key=True)
    second: str = Field(primary_key=True, index=True)
    scope: str
    open: int


class VoteRow(SQLModel, table=True):
    """One outcome vote or its withdrawal (verdict ""); the latest of a voter stands."""

    __tablename__: ClassVar[str] = "votes"

    event: str = Field(primary_key=True)
    decision: str = Field(index=True)
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


def definitions() -> tuple[str, ...]:
    """Return the statements that make the projections' tables, then those of their indexes."""
    found = [table(row) for row in PROJECTIONS]
    made = [str(CreateTable(each).compile(dialect=sqlite.dialect())) for each in found]
    indexes = sorted((index for each in found for index in each.indexes), key=lambda index: str(index.name))
    made += [str(CreateIndex(index).compile(dialect=sqlite.dialect())) for index in indexes]
    return tuple(statement.strip() for statement in made)


PROJECTIONS: tuple[type[SQLModel], ...] = (
    CiteRow,
    ClaimRow,
    DecisionRow,
    EdgeRow,
    ForgottenRow,
    HeldRow,
    MentionRow,
    PairRow,
    PlaceRow,
    RedactedRow,
    RefRow,
    RejectionRow,
    ResolutionRow,
    SetRow,
    SettingRow,
    VoteRow,
)
"""What can be dropped and folded anew, the lexical index aside."""

ALL: tuple[type[SQLModel], ...] = (*PROJECTIONS, EventRow, PartRow, AboutRow, ReadingRow, FactRow)
"""Every table of memory.db: others may live in the same metadata for another file."""
