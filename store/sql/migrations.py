"""The numbered schema of memory.db: made new, carried forward, or refused when it is newer."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import Connection, text
from sqlmodel import SQLModel

from store.errors import NotADatabase, SchemaTooNew
from store.sql import lexical, tables
from store.sql.schema import OURS, SCHEMA


def is_ready(connection: Connection, path: Path) -> bool:
    """Say whether the tables are ours and of our schema; False for a new, empty file and for an older one of ours.

    Raises:
        SchemaTooNew: a newer Backstory wrote this file.
        NotADatabase: another program did.
    """
    found = int(connection.execute(text("PRAGMA user_version")).scalar_one())
    owner = int(connection.execute(text("PRAGMA application_id")).scalar_one())
    if owner == OURS and found > SCHEMA:
        raise SchemaTooNew(
            f"{path}: written with schema {found}, this version knows schemas up to {SCHEMA}; upgrade Backstory"
        )
    if owner == OURS:
        return found == SCHEMA
    if connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one():
        raise NotADatabase(f"{path}: a SQLite file of another program (application_id {owner}), not a memory")
    return False


def prepare(connection: Connection, path: Path, *, writer: str) -> None:
    """Make the tables and this database's writer id, or carry an older file forward; another process may have."""
    if is_ready(connection, path):
        return
    if int(connection.execute(text("PRAGMA application_id")).scalar_one()) == OURS:
        _pair_signs(connection)
        connection.execute(text(f"PRAGMA user_version = {SCHEMA}"))
        return
    SQLModel.metadata.create_all(connection, tables=[tables.table(row) for row in tables.ALL])
    connection.execute(text(lexical.CREATE))
    connection.execute(text("INSERT INTO about_me (name, value) VALUES ('writer', :value)"), {"value": writer})
    connection.execute(text(f"PRAGMA application_id = {OURS}"))
    connection.execute(text(f"PRAGMA user_version = {SCHEMA}"))


def _pair_signs(connection: Connection) -> None:
    """Write the rows of the lexical index anew in which runs of signs without spaces stood as one word (schema 1)."""
    after = 0
    while rows := connection.execute(text(lexical.OLD_ROWS), {"after": after}).mappings().all():
        after = rows[-1]["rowid"]
        entries = [lexical.entry(row["rowid"], dict(row)) for row in rows]
        changed = [entry for entry, row in zip(entries, rows, strict=True) if entry != dict(row)]
        if changed:
            connection.execute(text(lexical.DELETE), {"rowids": json.dumps([entry["rowid"] for entry in changed])})
            connection.execute(text(lexical.INSERT), changed)


def writer_of(connection: Connection) -> str:
    """Return this database's writer id."""
    return str(connection.execute(text("SELECT value FROM about_me WHERE name = 'writer'")).scalar_one())
