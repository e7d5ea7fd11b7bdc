"""The numbered schema of memory.db: made new, carried forward, or refused when it is newer."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text
from sqlmodel import SQLModel

from store.errors import NotADatabase, SchemaTooNew
from store.sql import lexical, tables
from store.sql.schema import OURS, SCHEMA


def prepare(connection: Connection, path: Path) -> None:
    """Make the tables, or check that they are ours and of a schema that we know.

    Raises:
        SchemaTooNew: a newer Backstory wrote this file.
        NotADatabase: another program did.
    """
    found = int(connection.execute(text("PRAGMA user_version")).scalar_one())
    owner = int(connection.execute(text("PRAGMA application_id")).scalar_one())
    if found > SCHEMA and owner in (0, OURS):
        raise SchemaTooNew(
            f"{path}: written with schema {found}, this version knows schemas up to {SCHEMA}; upgrade Backstory"
        )
    if owner == OURS and found == SCHEMA:
        return
    if owner != OURS and connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one():
        raise NotADatabase(f"{path}: a SQLite file of another program (application_id {owner}), not a memory")
    SQLModel.metadata.create_all(connection, tables=[tables.table(row) for row in tables.ALL])
    connection.execute(text(lexical.CREATE))
    connection.execute(text(f"PRAGMA application_id = {OURS}"))
    connection.execute(text(f"PRAGMA user_version = {SCHEMA}"))
