"""One construct serves both databases: its text for SQLite is SQLite's own."""

from __future__ import annotations

import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table
from sqlalchemy.dialects import postgresql, sqlite

from store.sql.upsert import insert

TABLE = Table("t", MetaData(), Column("a", String, primary_key=True), Column("b", Integer))


def _texts(construct: object) -> list[object]:
    row = construct(TABLE).values(a="x", b=1)  # type: ignore[operator]
    counted = {"b": TABLE.c.b + row.excluded.b}
    return [
        row,
        row.on_conflict_do_nothing(),
        row.on_conflict_do_nothing(index_elements=["a"]),
        row.on_conflict_do_update(index_elements=["a"], set_=counted, where=row.excluded.b > TABLE.c.b),
        row.returning(TABLE.c.b),
    ]


@pytest.mark.parametrize("which", range(5))
def test_it_compiles_for_sqlite_to_what_sqlites_own_construct_gives(which: int) -> None:
    ours, theirs = _texts(insert)[which], _texts(sqlite.insert)[which]

    assert str(ours.compile(dialect=sqlite.dialect())) == str(theirs.compile(dialect=sqlite.dialect()))  # type: ignore[attr-defined]
    assert "INSERT INTO t" in str(ours.compile(dialect=postgresql.dialect()))  # type: ignore[attr-defined, no-untyped-call]
