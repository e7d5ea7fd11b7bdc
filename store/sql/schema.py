"""What tells our databases apart, and how far the file at hand has come: read by the engine and the quick way alike.

Two numbers. `SCHEMA` is that of the tables which hold the log and what lies beside it: an older one is carried
forward by numbered steps (`store.sql.migrations`). `PROJECTIONS` is that of all that follows from the log: an older one
is folded anew, never converted. A file with a higher number than these is refused, never guessed at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import NotADatabase, SchemaTooNew, SchemaTooOld

SCHEMA = 3
"""The schema that this program reads and writes, kept in `PRAGMA user_version`."""

PROJECTIONS = 5
"""The shape of the projections that it reads and writes, kept in `about_me`; 1 where nothing is noted there."""

LOG_AHEAD = "log_ahead"
"""Under which name `about_me` notes from which position on the log was filled and not folded yet (`bulk_log`)."""

OURS = 0x42535459
"""`PRAGMA application_id` of our databases ("BSTY"), so that another program's file is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The numbers in one file; both 0 in a new, empty one."""

    schema: int
    projections: int

    @property
    def is_new(self) -> bool:
        """Whether nobody has made tables in it yet."""
        return not self.schema

    @property
    def is_ready(self) -> bool:
        """Whether this version can work on it as it is."""
        return (self.schema, self.projections) == (SCHEMA, PROJECTIONS)


def standing(rows: Callable[[str, Mapping[str, object]], Sequence[Mapping[str, Any]]], path: Path) -> Standing:
    """Return how far a file has come.

    Raises:
        SchemaTooNew: a newer Backstory wrote this file.
        NotADatabase: another program did.
    """
    owner = int(rows("PRAGMA application_id", {})[0]["application_id"])
    if owner != OURS:
        if rows("SELECT count(*) AS found FROM sqlite_master", {})[0]["found"]:
            raise NotADatabase(f"{path}: a SQLite file of another program (application_id {owner}), not a memory")
        return Standing(schema=0, projections=0)
    schema = int(rows("PRAGMA user_version", {})[0]["user_version"])
    noted = rows("SELECT value FROM about_me WHERE name = 'projections'", {})
    projections = int(noted[0]["value"]) if noted else 1
    if schema > SCHEMA or projections > PROJECTIONS:
        raise SchemaTooNew(
            f"{path}: written with schema {schema}.{projections}, this version knows schemas up to"
            f" {SCHEMA}.{PROJECTIONS}; upgrade Backstory"
        )
    return Standing(schema=schema, projections=projections)


def ready_to_read(rows: Callable[[str, Mapping[str, object]], Sequence[Mapping[str, Any]]], path: Path) -> bool:
    """Say whether a file can be read as it is; False while whoever makes it has not committed yet.

    Raises:
        SchemaTooOld: it has to be carried forward first, which a reader doesn't do.
        SchemaTooNew: a newer Backstory wrote this file.
        NotADatabase: another program did.
    """
    found = standing(rows, path)
    if found.is_new:
        return False
    if found.schema == SCHEMA and not found.projections:
        raise SchemaTooOld(
            f"{path}: a sync is filling it, or was stopped while it did: wait for it, or run it again (`why rebuild`"
            " shows what came so far)"
        )
    if not found.is_ready:
        raise SchemaTooOld(
            f"{path}: written by an older Backstory; `why rebuild` carries it forward (so does whatever writes to it,"
            " `why run` for one), then this works"
        )
    return True


def writer(rows: Callable[[str, Mapping[str, object]], Sequence[Mapping[str, Any]]]) -> str:
    """Return the id under which this database writes: asked in each transaction, since a sync may take another."""
    return str(rows("SELECT value FROM about_me WHERE name = 'writer'", {})[0]["value"])
