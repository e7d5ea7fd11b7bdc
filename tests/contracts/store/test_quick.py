"""The quick way to read and the engine give the same answers to the same questions."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store import EVERYTHING, NOBODY, PUBLIC, Memory, NotADatabase, QuickMemory, Reader, SchemaTooNew, State, Verdict
from tests.builders_log import EXEC, LENA, NOW, OMAR, SEARCH, admission, draft, full_draft, memory_in, setting

pytestmark = pytest.mark.sqlite_only

READERS = {
    "public": PUBLIC,
    "all": EVERYTHING,
    "nobody": NOBODY,
    "exec": Reader(sees_open=True, scopes=frozenset({EXEC.id})),
    "guest": Reader(sees_open=False, scopes=frozenset({SEARCH.id})),
}
QUESTIONS: dict[str, Callable[[Any, Reader], object]] = {
    "list": lambda m, r: m.decisions(r),
    "list of days": lambda m, r: m.decisions(r, since=date(2026, 3, 2), until=date(2026, 3, 5), limit=2),
    "list of a state": lambda m, r: m.decisions(r, state=State.SUPERSEDED),
    "list of an element": lambda m, r: m.decisions(r, element="search"),
    "as of a day": lambda m, r: m.decisions(r, as_of=date(2026, 3, 3)),
    "history by kind and name": lambda m, r: m.history("service:search", r),
    "history by name": lambda m, r: m.history("Search", r),
    "history by id": lambda m, r: m.history("ent-service-search", r),
    "heads": lambda m, r: m.heads(["search"], r),
    "every head": lambda m, r: m.heads([], r),
    "conflicts": lambda m, r: m.conflicts(r),
    "by ref": lambda m, r: m.decision("adr:1", r),
    "place": lambda m, r: m.at_place("slack", "C1/1", r),
    "setting": lambda m, _: m.setting("channel:C1:mode", "when asked"),
    "settings with who set them": lambda m, _: m.setting_changes("channel:"),
    "newest": lambda m, r: m.newest(r, r, limit=9),
    "somebody's messages": lambda m, r: m.quotes_of("U1", r, limit=9),
    "kept": lambda m, r: m.kept(r),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("memory")
    memory = memory_in(home)
    first = memory.admit(admission(setting("3", day=1), anchor="C1/1", scope=SEARCH)).new[0]
    memory.admit(admission(setting("5", day=4), anchor="C1/2", scope=EXEC))
    last = memory.admit(admission(setting("backoff", day=6), full_draft("words"), anchor="C1/3", scope=SEARCH)).new[0]
    memory.admit(admission(draft("Nightly reindex", supersedes=("adr:9",)), anchor="C1/4", scope=SEARCH))
    memory.observe_outcome(first, voter=LENA, verdict=Verdict.FAILED, counts=True, key="1", scope=EXEC, at=NOW)
    memory.observe_outcome(last, voter=OMAR, verdict=Verdict.WORKED, counts=False, key="2", scope=SEARCH, at=NOW)
    memory.set_setting("channel:C1:mode", "by itself", by=LENA)
    memory.close()
    return home


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_both_ways_to_read_give_the_same_answer(
    home: Path, ask: Callable[[Any, Reader], object], reader: Reader
) -> None:
    memory, quick = memory_in(home), QuickMemory.open(home)

    answers = ask(memory, reader), ask(quick, reader)

    assert answers[0] == answers[1]
    memory.close()
    assert quick is not None
    quick.close()


def test_the_quick_way_imports_no_vendor(home: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from store import QuickMemory, PUBLIC\n"
        f"memory = QuickMemory.open(Path({str(home)!r})); print(len(memory.history('search', PUBLIC)))\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & set('sqlalchemy sqlmodel pydantic chromadb numpy'"
        "'onnxruntime filelock slack_bolt anthropic typer rich'.split())))"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["3", "[]"]


def test_there_is_nothing_to_read_where_no_memory_was_made(tmp_path: Path) -> None:
    assert QuickMemory.open(tmp_path) is None


def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"not a database, but long enough to be read as one" * 100)

    with pytest.raises(NotADatabase, match=r"memory\.db"):
        QuickMemory.open(tmp_path)
    with pytest.raises(NotADatabase, match=r"memory\.db"):
        Memory.open(tmp_path, index="off")


def test_the_quick_way_refuses_what_is_newer_or_anothers(tmp_path: Path) -> None:
    memory_in(tmp_path).close()
    with sqlite3.connect(tmp_path / "memory.db") as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(SchemaTooNew, match="schema 99"):
        QuickMemory.open(tmp_path)

    with sqlite3.connect(tmp_path / "memory.db") as raw:
        raw.execute("PRAGMA application_id = 7")
    raw.close()

    with pytest.raises(NotADatabase, match="another program"):
        QuickMemory.open(tmp_path)
    with pytest.raises(NotADatabase, match="another program"):
        memory_in(tmp_path)


def test_an_ambiguous_beginning_of_an_id_names_nothing(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    memory.admit(admission())
    raw = sqlite3.connect(tmp_path / "memory.db")
    (id_,) = raw.execute("SELECT id FROM decisions").fetchone()
    raw.execute("CREATE TEMP TABLE copy AS SELECT * FROM decisions")
    raw.execute(
        "UPDATE copy SET n = n + 1, id = substr(id, 1, 63) || CASE substr(id, 64) WHEN '0' THEN '1' ELSE '0' END"
    )
    raw.execute("INSERT INTO decisions SELECT * FROM copy")
    raw.execute("INSERT INTO event_about SELECT id, n FROM copy")
    raw.commit()
    raw.close()

    assert memory.decision(id_[:10], PUBLIC) is None
    assert memory.decision(id_, PUBLIC) is not None
    memory.close()


def test_a_file_that_somebody_is_about_to_make_tables_in_is_no_memory_yet(tmp_path: Path) -> None:
    (tmp_path / "memory.db").touch()

    assert QuickMemory.open(tmp_path) is None
