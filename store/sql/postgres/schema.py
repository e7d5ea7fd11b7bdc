"""The numbered schema on Postgres: roles, tables, functions and policies, made once, by whoever comes first.

Made as the role of `DATABASE_URL`, which owns everything; transactions run as one of two roles without a login, which
own nothing. Row-level security is FORCEd, so that not even the owner reads another tenant's rows by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
from sqlalchemy import Table

from store.errors import SchemaTooNew, StoreError
from store.sql import beside as _beside_tables  # noqa: F401  # fills the metadata
from store.sql import tables
from store.sql.address import Address
from store.sql.inbox_file import SCHEMA as BESIDE_SCHEMA
from store.sql.inbox_file import metadata as beside
from store.sql.postgres import lexical
from store.sql.postgres.connecting import BESIDE_ROLE, MEMORY_ROLE, advisory_key, beside_schema, connected
from store.sql.postgres.ddl import added, created
from store.sql.postgres.faults import translated
from store.sql.postgres.functions import FUNCTIONS, SCHEMA
from store.sql.postgres.lexical import WORDS_ROLE
from store.sql.postgres.tx import Driver
from store.sql.schema import PROJECTIONS
from store.sql.schema import SCHEMA as NUMBER

ROLES = (MEMORY_ROLE, BESIDE_ROLE, WORDS_ROLE)

LOG = frozenset({"events", "event_ids", "event_parts", "event_about"})
"""The log: added to, never deleted from; of it only what `ERASED` names is ever changed."""

ERASED = frozenset({"salt", "salts", "body", "parts"})
"""Columns of the log that hold what people wrote."""

SAMPLED_NOT = ERASED | {"doc", "title", "permalink", "reason", "value"}
"""Columns of which the planner keeps no samples: they would outlive an erasure."""


def log_tables() -> list[Table]:
    """Return the tables of the log's side."""
    return [tables.table(row) for row in tables.ALL]


def prepare(address: Address) -> None:
    """Make what is missing: roles, the log's side, and this tenant's tables beside it.

    Raises:
        SchemaTooNew: a newer Backstory made the database.
        StoreError: it can't be reached, or the role of DATABASE_URL may not do this.
    """
    try:
        with connected(address) as driver:
            if _is_ready(driver, address):
                return
            with driver.transaction():
                driver.execute("SELECT pg_advisory_xact_lock(%s)", (advisory_key("backstory:prepare"),))
                _make(driver, address)
    except psycopg.Error as error:
        raise translated(error, address.shown) from None


def _is_ready(driver: Driver, address: Address) -> bool:
    mine = _numbers(driver, address, SCHEMA, (NUMBER, PROJECTIONS))
    theirs = _numbers(driver, address, beside_schema(address.tenant), (BESIDE_SCHEMA, 0))
    return mine == (NUMBER, PROJECTIONS) and theirs == (BESIDE_SCHEMA, 0)


def _numbers(driver: Driver, address: Address, schema: str, known: tuple[int, int]) -> tuple[int, int]:
    """Return the numbers of a schema: of its tables, and of what follows from the log; zeros where it is not there."""
    found = driver.execute("SELECT to_regclass(%s)", (f"{schema}.about_schema",)).fetchone()
    if found is None or found[0] is None:
        return 0, 0
    row = driver.execute(f"SELECT number, projections FROM {schema}.about_schema").fetchone()  # noqa: S608
    number, projections = (int(row[0]), int(row[1])) if row else (0, 0)
    if number > known[0] or projections > known[1]:
        raise SchemaTooNew(
            f"{address.shown}: made with schema {number}.{projections}, this version knows schemas up to"
            f" {known[0]}.{known[1]}; upgrade Backstory"
        )
    return number, projections


def _make(driver: Driver, address: Address) -> None:
    _make_roles(driver)
    beside = beside_schema(address.tenant)
    number, projections = _numbers(driver, address, SCHEMA, (NUMBER, PROJECTIONS))
    if not number:
        _run(driver, _log_side())
        _run(driver, _projected())
    elif number < NUMBER:
        raise StoreError(
            f"{address.shown}: made with schema {number} by a preliminary version; sync its log into a new database"
        )
    elif projections < PROJECTIONS:
        _run(driver, _without_projections())
        _run(driver, _projected())
    driver.execute(f"UPDATE {SCHEMA}.about_schema SET number = {NUMBER}, projections = {PROJECTIONS}")  # noqa: S608
    number, _ = _numbers(driver, address, beside, (BESIDE_SCHEMA, 0))
    if number < BESIDE_SCHEMA:
        _run(driver, _beside(driver, beside, is_new=not number))


def _make_roles(driver: Driver) -> None:
    for role in ROLES:
        found = driver.execute("SELECT pg_has_role(oid, 'MEMBER') FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
        if found and found[0]:
            continue
        try:
            with driver.transaction():
                if not found:
                    driver.execute(f"CREATE ROLE {role} NOLOGIN")
                driver.execute(f"GRANT {role} TO CURRENT_USER")
        except psycopg.errors.InsufficientPrivilege as refused:
            made = " ".join(f"CREATE ROLE {each} NOLOGIN;" for each in ROLES)
            raise StoreError(
                "DATABASE_URL: its role may not make roles. Let an administrator run once:"
                f" {made} GRANT {', '.join(ROLES)} TO <that role>;"
            ) from refused


def _run(driver: Driver, statements: Iterator[str]) -> None:
    for statement in statements:
        driver.execute(statement)  # made of our own names alone


def _log_side() -> Iterator[str]:
    yield f"CREATE SCHEMA {SCHEMA}"
    yield f"CREATE TABLE {SCHEMA}.about_schema (number BIGINT NOT NULL, projections BIGINT NOT NULL)"
    yield f"INSERT INTO {SCHEMA}.about_schema VALUES (0, 0)"  # noqa: S608
    yield f"GRANT USAGE ON SCHEMA {SCHEMA} TO {', '.join(ROLES)}"
    yield f"GRANT SELECT ON {SCHEMA}.about_schema TO {MEMORY_ROLE}"
    for table in log_tables():
        if table.name not in _PROJECTED:
            yield from _made(table)


_PROJECTED = frozenset(str(row.__tablename__) for row in tables.PROJECTIONS)


def _projected() -> Iterator[str]:
    """Yield what makes everything that follows from the log, and the functions that it is asked through."""
    yield from FUNCTIONS
    for table in log_tables():
        if table.name in _PROJECTED:
            yield from _made(table)
    yield from lexical.CREATE
    for name in lexical.TABLES:
        yield from _kept_apart(name, whose=MEMORY_ROLE if name == lexical.DOCUMENTS else "PUBLIC")
        yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON {SCHEMA}.{name} TO {MEMORY_ROLE}"
    yield f"CREATE POLICY words ON {SCHEMA}.{lexical.DOCUMENTS} TO {WORDS_ROLE} USING (TRUE)"
    yield f"GRANT CREATE ON SCHEMA {SCHEMA} TO {WORDS_ROLE}"  # to be given the function, and for nothing else
    yield f"ALTER FUNCTION {SCHEMA}.lexical_matches OWNER TO {WORDS_ROLE}"
    yield f"REVOKE CREATE ON SCHEMA {SCHEMA} FROM {WORDS_ROLE}"
    yield f"REVOKE EXECUTE ON FUNCTION {SCHEMA}.lexical_matches FROM PUBLIC"
    yield f"GRANT EXECUTE ON FUNCTION {SCHEMA}.lexical_matches TO {MEMORY_ROLE}"
    yield f"GRANT SELECT ON {SCHEMA}.{lexical.DOCUMENTS}, {SCHEMA}.decisions TO {WORDS_ROLE}"


def _without_projections() -> Iterator[str]:
    """Yield what drops all that `_projected` makes, in whichever version it was made."""
    kept = ", ".join(f"'{name}'" for name in sorted({*(t.name for t in log_tables()), "about_schema"} - _PROJECTED))
    yield f"""DO $d$ DECLARE each text; BEGIN
        FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = '{SCHEMA}' AND tablename NOT IN ({kept}) LOOP
            EXECUTE format('DROP TABLE {SCHEMA}.%I CASCADE', each); END LOOP; END $d$"""  # noqa: S608
    yield f"""DO $d$ DECLARE each text; BEGIN
        FOREACH each IN ARRAY (SELECT array_agg(oid::regprocedure::text) FROM pg_proc
                               WHERE pronamespace = '{SCHEMA}'::regnamespace) LOOP
            EXECUTE format('DROP ROUTINE IF EXISTS %s CASCADE', each); END LOOP; END $d$"""  # noqa: S608
    yield f"DROP TEXT SEARCH CONFIGURATION {SCHEMA}.words CASCADE"
    yield f"DROP TEXT SEARCH DICTIONARY {SCHEMA}.stem CASCADE"


def _made(table: Table) -> Iterator[str]:
    yield from created(table, schema=SCHEMA, tenants=True)
    for column in (each.name for each in table.columns if each.name in SAMPLED_NOT):
        yield f"ALTER TABLE {SCHEMA}.{table.name} ALTER COLUMN {column} SET STATISTICS 0"
    yield from _kept_apart(table.name, whose="PUBLIC")
    rights = "SELECT, INSERT" if table.name in LOG else "SELECT, INSERT, UPDATE, DELETE"
    yield f"GRANT {rights} ON {SCHEMA}.{table.name} TO {MEMORY_ROLE}"
    erased = ", ".join(each.name for each in table.columns if each.name in ERASED)
    if table.name in LOG and erased:
        yield f"GRANT UPDATE ({erased}) ON {SCHEMA}.{table.name} TO {MEMORY_ROLE}"


def _kept_apart(name: str, *, whose: str) -> Iterator[str]:
    mine = "tenant = current_setting('backstory.tenant')"
    yield f"ALTER TABLE {SCHEMA}.{name} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {SCHEMA}.{name} FORCE ROW LEVEL SECURITY"
    yield f"CREATE POLICY tenants ON {SCHEMA}.{name} TO {whose} USING ({mine}) WITH CHECK ({mine})"


def _beside(driver: Driver, schema: str, *, is_new: bool) -> Iterator[str]:
    """Yield what makes a tenant's tables beside the log, or brings an older version's up to this one's shape."""
    if is_new:
        yield f"CREATE SCHEMA {schema}"
        yield f"CREATE TABLE {schema}.about_schema (number BIGINT NOT NULL, projections BIGINT NOT NULL DEFAULT 0)"
        yield f"INSERT INTO {schema}.about_schema VALUES (0, 0)"  # noqa: S608
    held = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s"
    there = {(str(row[0]), str(row[1])) for row in driver.execute(held, (schema.strip('"'),)).fetchall()}
    for table in beside.sorted_tables:
        if not any(name == table.name for name, _ in there):
            yield from created(table, schema=schema, tenants=False)
        else:
            missing = [each for each in table.columns if (table.name, each.name) not in there]
            yield from added(table, missing, schema=schema)
    yield f"UPDATE {schema}.about_schema SET number = {BESIDE_SCHEMA}"  # noqa: S608
    yield f"GRANT USAGE ON SCHEMA {schema} TO {BESIDE_ROLE}"
    yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {BESIDE_ROLE}"
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {BESIDE_ROLE}"
