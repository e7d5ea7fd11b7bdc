"""What Postgres itself promises of a log that lies in it: tenants apart, one writer at a time, text that is gone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from store import EVERYTHING, PUBLIC, Memory, Question, Servers, StoreError
from store.sql.address import Address
from store.sql.postgres.connecting import begin_reading, begin_writing, connected, log_side
from tests.builders_databases import ON_POSTGRES, database_of, held_in
from tests.builders_log import EXEC, admission, draft, memory_in, setting
from tests.postgres import ROLE


@pytest.fixture
def home(tmp_path: Path, on_database: str, postgres_url: str) -> Iterator[Path]:
    ON_POSTGRES[tmp_path] = postgres_url
    yield tmp_path
    ON_POSTGRES.pop(tmp_path, None)


@pytest.fixture
def memory(home: Path) -> Memory:
    return memory_in(home)


def address_of(home: Path) -> Address:
    address = database_of(home)["servers"].address
    assert isinstance(address, Address)
    return address


def test_a_query_without_any_condition_finds_ones_own_tenants_rows_alone(home: Path) -> None:
    for name in ("mine", "theirs"):
        memory_in(home / name).admit(admission(setting(f"said in {name}")))
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'backstory' AND tablename <> 'about_schema'"

    with connected(address_of(home / "mine")) as driver:
        names = [name for (name,) in driver.execute(tables)]
        driver.execute(begin_reading(address_of(home / "mine"), log_side(), busy_ms=1000))
        seen = "\n".join(str(row) for name in names for row in driver.execute(f"SELECT * FROM {name}"))  # noqa: S608

    assert {"events", "decisions", "lexical_documents"} <= set(names)
    assert "said in mine" in seen
    assert address_of(home / "theirs").tenant not in seen


def test_every_table_of_the_logs_side_is_kept_apart_for_its_owner_too(home: Path) -> None:
    memory_in(home)
    bare = """SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname = 'backstory' AND c.relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity)"""

    with connected(address_of(home)) as driver:
        unkept = [name for (name,) in driver.execute(bare)]

    assert unkept == ["about_schema"]


def test_a_row_of_another_tenant_cannot_be_written_and_the_log_not_deleted_from(home: Path, memory: Memory) -> None:
    memory.admit(admission())

    with connected(address_of(home)) as driver:
        driver.execute(begin_writing(address_of(home), log_side(), busy_ms=1000))
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            driver.execute("INSERT INTO settings (tenant, name, value, lamport, event) VALUES ('x', 'a', 'b', 1, 'c')")
        driver.execute("ROLLBACK")
        driver.execute(begin_writing(address_of(home), log_side(), busy_ms=1000))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            driver.execute("DELETE FROM events")
        driver.execute("ROLLBACK")

    assert len(memory.decisions(PUBLIC)) == 1


def test_what_lies_beside_cannot_be_read_with_the_logs_rights(home: Path, memory: Memory) -> None:
    memory.inbox.insert("event:1", "any", {"text": "why?"})

    with connected(address_of(home)) as driver:
        driver.execute(begin_reading(address_of(home), log_side(), busy_ms=1000))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            driver.execute(f'SELECT * FROM "backstory_beside_{address_of(home).tenant}".inbox')  # noqa: S608
        driver.execute("ROLLBACK")


def test_two_processes_append_one_after_the_other_and_the_log_verifies(home: Path) -> None:
    memories = [memory_in(home), memory_in(home)]

    def admit(number: int) -> None:
        for each in range(8):
            memories[number].admit(admission(setting(f"{number}-{each}"), anchor=f"C{number}/{each}"))

    threads = [threading.Thread(target=admit, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(memories[0].decisions(EVERYTHING)) == 16
    assert memories[1].verify().clean


def test_words_of_closed_channels_are_found_and_counted_for_their_members_alone(memory: Memory) -> None:
    memory.admit(admission(draft("The zanzibar cluster is off"), scope=EXEC))
    memory.admit(admission(draft("Search stays on Postgres"), anchor="C1/2"))

    theirs = memory.recall(Question(text="what about the zanzibar cluster?"), EVERYTHING)
    public = memory.recall(Question(text="what about the zanzibar cluster?"), PUBLIC)

    assert [each.decision.title for each in theirs.order] == ["The zanzibar cluster is off"]
    assert public.order == ()


def test_an_erased_word_is_in_no_row_and_no_file_of_the_tables_after_vacuum(home: Path, memory: Memory) -> None:
    id_ = memory.admit(admission(draft("The zanzibar cluster", rationale="zanzibar is far"))).new[0]

    memory.forget_decision(id_)

    assert b"zanzibar" not in held_in(home).lower()
    assert memory.verify().clean


def test_a_text_that_postgres_cannot_hold_is_refused_or_read_without_that_sign(memory: Memory) -> None:
    kept = memory.admit(admission(draft("Nul \0 in a title"))).new

    with pytest.raises(StoreError, match=r"U\+0000"):
        memory.admit(admission(draft("Nul in an element", elements=("service:\0",)), anchor="C1/2"))

    assert [each.id for each in memory.decisions(PUBLIC)] == list(kept)
    assert memory.quotes_of("U1", PUBLIC, limit=5) == ((), 0)
    assert memory.verify().clean


def test_a_database_that_cannot_be_reached_is_named_without_its_password(tmp_path: Path) -> None:
    address = Address.of("postgresql://app:hunter2@127.0.0.1:9/backstory")

    from store.sql.postgres.schema import prepare

    with pytest.raises(StoreError, match=r"127\.0\.0\.1:9/backstory: the database can't be reached") as refused:
        prepare(address)

    assert "hunter2" not in f"{refused.value!r} {address!r} {refused.value.__cause__!r}"


def test_projections_of_an_older_version_are_made_and_folded_anew_at_the_first_start(
    tmp_path: Path, postgres_url: str
) -> None:
    url = postgres_url.replace("/backstory?", "/older?")
    with psycopg.connect(postgres_url.replace(ROLE, "admin"), autocommit=True) as admin:
        admin.execute("DROP DATABASE IF EXISTS older")
        admin.execute(f"CREATE DATABASE older OWNER {ROLE}")
    first = Memory.open(tmp_path, index="off", servers=Servers(database_url=url))
    first.admit(admission(setting("3")))
    before = first.digest(EVERYTHING)
    first.close()
    with psycopg.connect(url) as driver:
        driver.execute("UPDATE backstory.about_schema SET projections = 1")
        driver.execute("DROP TABLE backstory.edges")
        driver.execute("ALTER TABLE backstory_beside_default.nudges DROP COLUMN message")
        driver.execute("UPDATE backstory_beside_default.about_schema SET number = 1")
        driver.execute("SET backstory.tenant = 'default'")
        driver.execute("UPDATE backstory.about_me SET value = '1' WHERE name = 'projections'")

    again = Memory.open(tmp_path, index="off", servers=Servers(database_url=url))

    assert again.digest(EVERYTHING) == before
    assert again.verify().clean
    assert again.nudges.of_person("U1") == ()
    again.close()
