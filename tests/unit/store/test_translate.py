"""From SQLite's dialect to Postgres': each shape that the store writes, and no literal touched."""

from __future__ import annotations

import pytest

from store.sql.postgres.translate import array_of, translated


@pytest.mark.parametrize(
    ("sqlite", "postgres"),
    [
        ("SELECT 1 WHERE a = :a AND b = ':a 50%'", "SELECT 1 WHERE a = %(a)s AND b = ':a 50%%'"),
        ("x IN (SELECT value FROM json_each(:ids))", "x = ANY (%(ids__list)s)"),
        ("x NOT IN (SELECT value FROM json_each(:ids))", "x <> ALL (%(ids__list)s)"),
        (
            "SELECT value FROM json_each(:ids)",
            "SELECT value FROM jsonb_array_elements_text(CAST(%(ids)s AS jsonb))",
        ),
        (
            "SELECT CAST(value ->> 0 AS INTEGER) FROM json_each(:pairs) p",
            "SELECT CAST(value ->> 0 AS BIGINT) FROM jsonb_array_elements(CAST(%(pairs)s AS jsonb)) p",
        ),
        ("json_group_array(json_array(a, (b)))", "COALESCE(json_agg(json_build_array(a, (b))), '[]')::text"),
        ("INSERT OR IGNORE INTO t (a) VALUES (:a)", "INSERT INTO t (a) VALUES (%(a)s) ON CONFLICT DO NOTHING"),
        ("ON CONFLICT (a, b) DO UPDATE SET c = excluded.c", "ON CONFLICT (tenant, a, b) DO UPDATE SET c = excluded.c"),
        ("n GLOB 'scope:*:open_now'", "n LIKE 'scope:%%:open\\_now'"),
        ("a IS NOT 'x' AND b IS NOT NULL", "a IS DISTINCT FROM 'x' AND b IS NOT NULL"),
        ("h ->> 'v' <= 1", "CAST(h ->> 'v' AS BIGINT) <= 1"),
        ("NOT t.skipped AND NOT d.hidden", "t.skipped = 0 AND NOT d.hidden"),
        ("FROM a CROSS JOIN b x ON x.n = a.n", "FROM a JOIN b x ON x.n = a.n"),
    ],
)
def test_a_statement_reads_as_postgres_takes_it(sqlite: str, postgres: str) -> None:
    assert translated(sqlite).text == postgres


def test_a_list_is_an_array_whose_type_its_place_decides() -> None:
    assert translated("x IN (SELECT value FROM json_each(:ids))").lists == ("ids",)
    assert array_of(["a", 'quo"ted', "back\\slash", 7]) == '{"a","quo\\"ted","back\\\\slash","7"}'
