"""Folding the log anew on Postgres, to check every projection or to put it right.

A temporary table hides a namesake from its own connection, so the same projector fills empty tables that nobody else
sees. A rebuild then writes the difference: rows that the fold doesn't give go, those that are missing come. Readers go
on meanwhile; who appends waits while the difference is written.
"""

# ruff: noqa: S608 - the text is built of our own tables' and columns' names

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from store.core.views import Fault, Report
from store.errors import StoreBusy
from store.sql import tables, verification
from store.sql.engine import Database
from store.sql.log import events_between, tip
from store.sql.postgres import lexical
from store.sql.postgres.ddl import keys
from store.sql.postgres.engine import PostgresDatabase
from store.sql.postgres.functions import SCHEMA
from store.sql.projections import Projector
from store.sql.tx import Tx

REBUILD = "run `why rebuild`"

Progress = Callable[[int, int], None]

CHUNK = 500
"""Events folded at once."""


def _keys() -> Mapping[str, Sequence[str]]:
    """Return the key of each table that is folded, without the tenant."""
    return {**keys([tables.table(row) for row in tables.PROJECTIONS]), lexical.DOCUMENTS: ("n",)}


def verified(database: Database) -> Report:
    """Check the log and every projection within one snapshot; changes nothing."""
    with database.alone() as lent, lent.reading():
        return verification.verify(lent.tx, _faults)


def rebuilt(database: Database, progress: Progress | None) -> int:
    """Fold the log into every projection, alone, and return how many events it has.

    Raises:
        StoreBusy: another process is rebuilding.
    """
    assert isinstance(database, PostgresDatabase)  # noqa: S101  # narrows a type: no other is on a server
    with database.held("rebuild") as held:
        if not held:
            raise StoreBusy(f"{database.address.shown}: another process is rebuilding; let it end")
        last = _rebuild(database, progress)
    database.analyse()
    return last


def _faults(tx: Tx) -> Iterator[Fault]:
    """Compare every projection with what the log folds to, within the caller's transaction on a lent connection."""
    _cast(tx)
    try:
        projector, last = Projector(tx), tip(tx)
        for first in range(1, last + 1, CHUNK):
            projector.apply(events_between(tx, first, first + CHUNK - 1))
        compared = {name: (f"{SCHEMA}.{name}", f"pg_temp.{name}") for name in _keys()}
        for name, counted in _counted("pg_temp").items():
            compared[name] = (f"(SELECT * FROM {SCHEMA}.{name} WHERE documents <> 0)", f"({counted})")
        for name, (kept, folded) in compared.items():
            for one, other, what in ((kept, folded, "too many"), (folded, kept, "missing")):
                columns = lexical.COUNTED.get(name, "*")
                sql = f"SELECT {columns} FROM {one} a EXCEPT SELECT {columns} FROM {other} b"
                number = tx.rows(f"SELECT count(*) AS number FROM ({sql}) different", {})[0]["number"]
                if number:
                    yield Fault(what=f"{number} rows {what} or different", where=f"table {name}", remedy=REBUILD)
    finally:
        _lift(tx)


def _rebuild(database: PostgresDatabase, progress: Progress | None) -> int:
    with database.alone() as lent:
        tx = lent.tx
        with lent.reading():
            _cast(tx)
            projector, last = Projector(tx), tip(tx)
        try:
            for first in range(1, last + 1, CHUNK):
                with lent.reading():
                    projector.apply(events_between(tx, first, min(first + CHUNK - 1, last)))
                if progress:
                    progress(min(first + CHUNK - 1, last), last)
            with lent.writing():
                end = tip(tx)
                projector.apply(events_between(tx, last + 1, end))
                _put_right(tx)
        finally:
            with lent.reading():
                _lift(tx)
    return end


def _put_right(tx: Tx) -> None:
    for name, key in _keys().items():
        same = " AND ".join(f"m.{each} = x.{each}" for each in key)
        differs = f"SELECT * FROM {SCHEMA}.{name} EXCEPT SELECT * FROM pg_temp.{name}"
        tx.run(f"DELETE FROM {SCHEMA}.{name} m USING ({differs}) x WHERE {same}")
        tx.run(f"INSERT INTO {SCHEMA}.{name} SELECT * FROM pg_temp.{name} EXCEPT SELECT * FROM {SCHEMA}.{name}")
    for name, counted in _counted(SCHEMA).items():
        columns = lexical.COUNTED[name]
        tx.run(f"DELETE FROM {SCHEMA}.{name}")
        tx.run(f"INSERT INTO {SCHEMA}.{name} ({columns}) SELECT {columns} FROM ({counted}) c")


def _counted(schema: str) -> Mapping[str, str]:
    """Return the queries that count words anew from the documents of a schema, by the table that holds the counts."""
    documents = f"{schema}.{lexical.DOCUMENTS}"
    return {
        lexical.TERMS: "SELECT scope, open, term, count(*) AS documents"
        f" FROM {documents}, unnest(tsvector_to_array(words)) AS term GROUP BY scope, open, term",
        lexical.SIZES: "SELECT scope, open, count(*) AS documents, sum(size) AS words"
        f" FROM {documents} GROUP BY scope, open",
    }


def _cast(tx: Tx) -> None:
    for name in _keys():
        tx.run(f"CREATE TEMP TABLE {name} (LIKE {SCHEMA}.{name} INCLUDING DEFAULTS INCLUDING INDEXES)")


def _lift(tx: Tx) -> None:
    for name in _keys():
        tx.run(f"DROP TABLE IF EXISTS pg_temp.{name}")
