"""A tenant's memory on Postgres made ready before anything is asked of it; the sibling of `store.opening` for files."""

from __future__ import annotations

from collections.abc import Callable

from store.sql.address import Address
from store.sql.engine import tx_of
from store.sql.migrations import note_projections
from store.sql.postgres.engine import PostgresDatabase
from store.sql.postgres.schema import prepare
from store.sql.schema import PROJECTIONS

ABOUT_ME = "SELECT name, value FROM about_me WHERE name IN ('writer', 'projections')"


def prepared(address: Address, *, salt: Callable[[int], bytes], busy_ms: int) -> tuple[PostgresDatabase, str]:
    """Return the log's side of a tenant, its tables made if need be, and its writer id.

    The id is made once and at random, so that no two tenants share one.

    Raises:
        SchemaTooNew: a newer Backstory made the database.
        StoreError: it can't be reached, or the role of DATABASE_URL may not make what is missing.
    """
    prepare(address)
    database = PostgresDatabase.for_memory(address, busy_ms=busy_ms)
    with database.read() as connection:
        told = {row["name"]: str(row["value"]) for row in tx_of(connection).rows(ABOUT_ME, {})}
    if told.get("projections") == str(PROJECTIONS):
        return database, told["writer"]
    if "writer" in told:
        return _folded_anew(database), told["writer"]
    with database.write() as connection:
        tx = tx_of(connection)
        told = {"writer": salt(8).hex(), "spellings": salt(16).hex()}
        tx.insert("about_me", [{"name": name, "value": value} for name, value in told.items()], on_conflict="ignore")
        note_projections(tx)
        return database, str(tx.rows("SELECT value FROM about_me WHERE name = 'writer'", {})[0]["value"])


def _folded_anew(database: PostgresDatabase) -> PostgresDatabase:
    """Fold the log of a tenant whose projections an older version made: their tables were made anew, and are empty.

    Raises:
        StoreBusy: another process is at it.
    """
    from store.sql.postgres import anew  # the projector, for the first start of a new version alone

    anew.rebuilt(database, None)
    with database.write() as connection:
        note_projections(tx_of(connection))
    return database
