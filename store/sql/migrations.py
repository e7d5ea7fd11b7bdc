"""The numbered schema of memory.db: made new, carried forward, or refused when it is newer."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import Connection
from sqlmodel import SQLModel

from store.errors import NotADatabase, SchemaTooNew
from store.sql import lexical, tables
from store.sql.engine import tx_of
from store.sql.schema import OURS, SCHEMA
from store.sql.tx import Tx


def is_ready(tx: Tx, path: Path) -> bool:
    """Say whether the tables are ours and of our schema; False for a new, empty file and for an older one of ours.

    Raises:
        SchemaTooNew: a newer Backstory wrote this file.
        NotADatabase: another program did.
    """
    found = int(tx.rows("PRAGMA user_version", {})[0]["user_version"])
    owner = _owner(tx)
    if owner == OURS and found > SCHEMA:
        raise SchemaTooNew(
            f"{path}: written with schema {found}, this version knows schemas up to {SCHEMA}; upgrade Backstory"
        )
    if owner == OURS:
        return found == SCHEMA
    if tx.rows("SELECT count(*) AS found FROM sqlite_master", {})[0]["found"]:
        raise NotADatabase(f"{path}: a SQLite file of another program (application_id {owner}), not a memory")
    return False


def prepare(connection: Connection, path: Path, *, writer: str) -> None:
    """Make the tables and this database's writer id, or carry an older file forward; another process may have."""
    tx = tx_of(connection)
    if is_ready(tx, path):
        return
    if _owner(tx) == OURS:
        _pair_signs(tx)
        tx.run(f"PRAGMA user_version = {SCHEMA}")
        return
    SQLModel.metadata.create_all(connection, tables=[tables.table(row) for row in tables.ALL])
    tx.run(lexical.CREATE)
    tx.insert("about_me", [{"name": "writer", "value": writer}])
    tx.run(f"PRAGMA application_id = {OURS}")
    tx.run(f"PRAGMA user_version = {SCHEMA}")


def _owner(tx: Tx) -> int:
    return int(tx.rows("PRAGMA application_id", {})[0]["application_id"])


def _pair_signs(tx: Tx) -> None:
    """Write the rows of the lexical index anew in which runs of signs without spaces stood as one word (schema 1)."""
    after = 0
    while rows := tx.rows(lexical.OLD_ROWS, {"after": after}):
        after = rows[-1]["rowid"]
        entries = [lexical.entry(row["rowid"], dict(row)) for row in rows]
        changed = [entry for entry, row in zip(entries, rows, strict=True) if entry != dict(row)]
        if changed:
            tx.run(lexical.DELETE, {"rowids": json.dumps([entry["rowid"] for entry in changed])})
            tx.run_many(lexical.INSERT, changed)


def writer_of(tx: Tx) -> str:
    """Return this database's writer id."""
    return str(tx.rows("SELECT value FROM about_me WHERE name = 'writer'", {})[0]["value"])
