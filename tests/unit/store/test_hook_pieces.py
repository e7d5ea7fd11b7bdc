"""What webhooks delivered of a thread: apart by who may read it, and within reach of whoever forgets."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from store import HookPiece, HookRoute, Person, Scope
from store.sql.beside import Beside

NOW = datetime(2026, 5, 2, 10, tzinfo=UTC)
SECRET_PLACE = Scope(id="channel:C0EXEC", open=False)


def piece(number: str = "1", *, version: str = "1", **content: Any) -> HookPiece:
    return HookPiece(source="turns", thread="T1", kind="turns", piece=number, version=version, content=content)


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Beside]:
    with closing(Beside.open(tmp_path / "inbox.db")) as opened:
        yield opened


def test_what_came_for_one_scope_is_not_read_in_another(beside: Beside) -> None:
    beside.hook_pieces.put([piece("1", text="We sell the company.")], NOW, scope=SECRET_PLACE.id)
    beside.hook_pieces.put([piece("2", text="Lunch?")], NOW + timedelta(hours=1), scope="workspace")

    assert [one.piece for one in beside.hook_pieces.of("turns", "T1", scope="workspace")] == ["2"]
    assert beside.hook_pieces.touched_at("turns", "T1", scope=SECRET_PLACE.id) == NOW


def test_the_same_again_is_not_even_touched_so_that_what_waits_for_quiet_still_comes(beside: Beside) -> None:
    beside.hook_pieces.put([piece(text="Postgres.")], NOW, scope="workspace")

    beside.hook_pieces.put([piece(text="Postgres.")], NOW + timedelta(minutes=5), scope="workspace")

    assert beside.hook_pieces.touched_at("turns", "T1", scope="workspace") == NOW


@pytest.mark.parametrize("person", [Person(name="", id="583231"), Person(name="zoë")])
def test_a_person_goes_by_number_and_by_name_from_pieces_and_from_what_waits(beside: Beside, person: Person) -> None:
    said: dict[str, Any] = {"text": "Postgres.", "user": {"login": "Zoë", "id": 583231}}
    beside.hook_pieces.put([piece("1", **said), piece("2", text="zoë is asked", user="ben")], NOW, scope="workspace")
    beside.inbox.insert("hooked:1", "hooked", {"scope": "workspace", "pieces": [{"content": said}]})
    beside.inbox.insert("hooked:2", "hooked", {"scope": "workspace", "pieces": [{"content": {"user": "ben"}}]})

    hit = beside.forget_person(person, named=())

    assert [one.piece for one in beside.hook_pieces.of("turns", "T1", scope="workspace")] == ["2"]
    assert (hit, beside.inbox.counts().waiting) == (2, 1)


def test_a_forgotten_channel_keeps_no_piece_and_takes_none(beside: Beside) -> None:
    route = HookRoute(id="r1", source="turns", secrets=("s" * 32,), scope=SECRET_PLACE)
    beside.hook_routes.keep(route, NOW)
    beside.hook_pieces.put([piece(text="Postgres.")], NOW, scope=SECRET_PLACE.id)
    beside.inbox.insert("hooked:1", "hooked", {"scope": SECRET_PLACE.id, "pieces": []})

    beside.forget_channel("C0EXEC", decisions=())

    assert beside.hook_pieces.of("turns", "T1", scope=SECRET_PLACE.id) == ()
    assert (beside.hook_routes.find("r1"), beside.inbox.counts().waiting) == (None, 0)


def test_a_forgotten_place_goes_from_pieces_and_from_what_waits_under_either_of_its_names(beside: Beside) -> None:
    opening = HookPiece(
        source="pagerduty", thread="PX1", kind="opening", piece="", version="1", content={"number": 344}
    )
    other = HookPiece(source="pagerduty", thread="PX2", kind="notes", piece="1", version="1", content={"content": "x"})
    beside.hook_pieces.put([opening, other], NOW, scope="workspace")
    beside.inbox.insert(
        "hooked:1", "hooked", {"scope": "workspace", "pieces": [{"source": "pagerduty", "thread": "PX1"}]}
    )

    beside.forget_place("pagerduty", "344")

    assert beside.hook_pieces.of("pagerduty", "PX1", scope="workspace") == ()
    assert len(beside.hook_pieces.of("pagerduty", "PX2", scope="workspace")) == 1
    assert beside.inbox.counts().waiting == 0


def test_a_file_of_before_has_every_table_afterwards(tmp_path: Path) -> None:
    Beside.open(tmp_path / "inbox.db").close()
    with closing(sqlite3.connect(tmp_path / "inbox.db")) as file:
        file.execute("DROP TABLE tokens")
        file.execute("DROP TABLE hook_pieces")
        file.execute("CREATE TABLE hook_pieces (source TEXT, thread TEXT)")
        file.execute("PRAGMA user_version = 3")

    with closing(Beside.open(tmp_path / "inbox.db")) as opened:
        opened.hook_pieces.put([piece(text=json.dumps("x"))], NOW, scope="workspace")

        assert opened.tokens.person_of("none", NOW) is None
        assert len(opened.hook_pieces.of("turns", "T1", scope="workspace")) == 1
