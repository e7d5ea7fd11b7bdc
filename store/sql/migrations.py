"""memory.db made new, or carried forward from an older schema by numbered steps.

A list of functions and not Alembic: a memory is a file that whoever upgrades opens with the next command, so steps run
at open, in pieces that nobody waits for, over SQLite and Postgres alike, without a script to start, a folder of
revisions to ship or a library to load; they only go forward, since an older version refuses a newer file. What Alembic
is best at, telling from the models what changed, is needed least: all but five tables follow from the log and are
folded anew when their shape moves (`store.sql.schema.PROJECTIONS`), and events are never rewritten.

To add a step: raise `SCHEMA`, write a function, put it into `STEPS` under the new number, and keep a file that the
version before wrote under `tests/fixtures/earlier`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from sqlalchemy import Connection
from sqlmodel import SQLModel

from store.sql import lexical, schema, tables
from store.sql.engine import tx_of
from store.sql.one_row_an_event import move_parts
from store.sql.schema import OURS, PROJECTIONS, SCHEMA, standing
from store.sql.tx import Tx

Step = Callable[[Tx], bool]
"""One change of the tables that hold the log or lie beside it.

It does a piece of at most 0.1 s and says whether more is left; it is called again, in a transaction of its own, until
nothing is. A process may be killed between pieces and another go on, so how far it is must be told by the tables.
"""


def _nothing_but_projections(_tx: Tx) -> bool:
    return False


STEPS: Mapping[int, Step] = {
    2: _nothing_but_projections,  # words without spaces are found by pairs of signs
    3: move_parts,
}
"""What carries a file forward to each schema from the one before."""


def make(connection: Connection, path: Path, *, writer: str, spellings: str) -> None:
    """Make the tables, this database's writer id and its spellings' key in a new file; another process may have."""
    tx = tx_of(connection)
    if not standing(tx.rows, path).is_new:
        return
    SQLModel.metadata.create_all(connection, tables=[tables.table(row) for row in tables.ALL])
    for table in lexical.TABLES:
        lexical.create(tx, table)
    tx.insert("about_me", [{"name": "writer", "value": writer}, {"name": "spellings", "value": spellings}])
    note_projections(tx)
    tx.run(f"PRAGMA application_id = {OURS}")
    tx.run(f"PRAGMA user_version = {SCHEMA}")


def carry_forward(tx: Tx, path: Path) -> bool:
    """Do the next piece of the next step and say whether there may be more; another process may take part.

    Idempotency key: what the tables say.
    """
    found = standing(tx.rows, path).schema
    if found == SCHEMA:
        return False
    if not STEPS[found + 1](tx):
        tx.run(f"PRAGMA user_version = {found + 1}")
    return True


def note_projections(tx: Tx) -> None:
    """Note that the projections have this version's shape."""
    tx.insert("about_me", [{"name": "projections", "value": str(PROJECTIONS)}], on_conflict="replace")


def writer_of(tx: Tx) -> str:
    """Return this database's writer id."""
    return schema.writer(tx.rows)
