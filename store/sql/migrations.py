"""The numbered schema of memory.db: made new, carried forward, or refused when it is newer."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text
from sqlmodel import SQLModel

from store.errors import NotADatabase, SchemaTooNew
from store.sql import lexical, tables
from store.sql.schema import OURS, SCHEMA


def is_ready(connection: Connection, path: Path) -> bool:
    """Say whether the tables are ours and of our schema; False for a new, empty file.

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
        return True
    if connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one():
        raise NotADatabase(f"{path}: a SQLite file of another program (application_id {owner}), not a memory")
    return False


def prepare(connection: Connection, path: Path, *, writer: str) -> None:
    """Make the tables and this database's writer id, unless another process just did."""
    if is_ready(connection, path):
        return
    SQLModel.metadata.create_all(connection, tables=[tables.table(row) for row in tables.ALL])
    connection.execute(text(lexical.CREATE))
    connection.execute(text("INSERT INTO about_me (name, value) VALUES ('writer', :value)"), {"value": writer})
    connection.execute(text(f"PRAGMA application_id = {OURS}"))
    connection.execute(text(f"PRAGMA user_version = {SCHEMA}"))


def writer_of(connection: Connection) -> str:
    """Return this database's writer id."""
    return str(connection.execute(text("SELECT value FROM about_me WHERE name = 'writer'")).scalar_one())
