"""Signed streams: the first key of a writer is pinned, and nothing that it didn't sign is believed afterwards."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING, Memory, SyncOptions
from store.core.events import event_id
from store.errors import StoreError
from store.sql.quick_writing import QuickDatabase
from store.sync.segment import read_segment
from store.sync.signing import Signer, is_signed
from tests.builders_log import admission, draft, full_draft
from tests.builders_sync import STRANGER, fact, facts, machine, objects, put_segment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shared"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(machine(tmp_path / "reader")) as opened:
        yield opened


def signer(number: int = 1) -> Signer:
    return Signer(bytes([number]) * 32)


def test_signing_begins_when_it_is_asked_for_and_goes_on_by_itself(
    tmp_path: Path, folder: Path, memory: Memory
) -> None:
    memory.admit(admission())
    memory.sync(str(folder))
    unsigned = [read_segment(path.read_bytes()).label.signature for path in objects(folder).values()]

    memory.sync(str(folder), SyncOptions(sign=True))
    memory.admit(admission(draft("Another"), anchor="C1/2"))
    memory.sync(str(folder))

    labels = [read_segment(path.read_bytes()).label for path in objects(folder).values()]
    assert unsigned == [""]
    assert all(is_signed(each.key, each.signature, stream=each.stream, seq=each.last, tip=each.tip) for each in labels)
    assert len({each.key for each in labels}) == 1
    assert memory.verify().clean
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "reader" / "sync.key").stat().st_mode) == 0o600


def test_a_signature_vouches_for_what_was_not_signed_before_it(folder: Path, memory: Memory) -> None:
    chain = facts(6)
    put_segment(folder, chain[:2])
    put_segment(folder, chain[2:4], signer=signer())
    memory.sync(str(folder))

    put_segment(folder, chain[4:5])
    unsigned = memory.sync(str(folder))
    put_segment(folder, chain[5:], signer=signer())
    signed = memory.sync(str(folder))

    assert unsigned.received == 0
    assert "has signed before, and this is not signed" in unsigned.faults[0].what
    assert "--trust" in unsigned.faults[0].remedy
    assert (signed.received, signed.faults) == (2, ())


def test_another_key_is_a_fault_until_it_is_accepted(folder: Path, memory: Memory) -> None:
    chain = facts(3)
    put_segment(folder, chain[:1], signer=signer(1))
    memory.sync(str(folder))
    put_segment(folder, chain[1:2], signer=signer(2))

    refused = memory.sync(str(folder))
    wrong = memory.sync(str(folder), SyncOptions(trust={STRANGER: signer(3).key}))
    accepted = memory.sync(str(folder), SyncOptions(trust={STRANGER: signer(2).key}))
    put_segment(folder, chain[2:], signer=signer(1))
    old = memory.sync(str(folder))
    anew = memory.sync(str(folder), SyncOptions(trust={STRANGER: ""}))

    assert [each.received for each in (refused, wrong, accepted, old, anew)] == [0, 0, 1, 0, 1]
    assert "another key than before" in refused.faults[0].what
    assert accepted.faults == ()
    assert memory.verify().clean


def test_what_somebody_else_wrote_in_a_signer_s_name_is_not_taken_in(folder: Path, memory: Memory) -> None:
    chain = facts(2)
    put_segment(folder, chain[:1], signer=signer())
    memory.sync(str(folder))
    forged = fact(2, event_id(chain[0][0]), kind="Forged")

    class Pretender(Signer):
        def sign(self, stream: str, seq: int, tip: str):  # type: ignore[no-untyped-def]
            return super().sign(stream, seq, event_id(chain[1][0]))  # a true signature, of another event

    put_segment(folder, [forged], signer=Pretender(b"\x01" * 32))
    done = memory.sync(str(folder))

    assert done.received == 0
    assert "signature is wrong" in done.faults[0].what


def test_erasure_leaves_signatures_valid(tmp_path: Path, folder: Path, memory: Memory) -> None:
    memory.admit(admission(full_draft("s3cret")))
    memory.sync(str(folder), SyncOptions(sign=True))
    with closing(machine(tmp_path / "other")) as other:
        other.sync(str(folder))
        memory.forget_decision(memory.decisions(EVERYTHING)[0].id)

        done = [each.sync(str(folder)) for each in (memory, other)]

        assert [each.faults for each in done] == [(), ()]
        assert memory.verify().clean
        assert other.verify().clean


def test_verify_finds_a_log_whose_signed_event_was_replaced(tmp_path: Path, folder: Path, memory: Memory) -> None:
    put_segment(folder, facts(1), signer=signer())
    memory.sync(str(folder))
    header, _ = fact(1, kind="Forged")
    database = QuickDatabase.open(tmp_path / "reader" / "memory.db")
    assert database is not None

    with closing(database), database.write() as tx:
        tx.run("UPDATE events SET header = :header, id = :id", {"header": header, "id": event_id(header)})

    faults = memory.verify().faults
    assert any("was replaced or taken out" in fault.what and STRANGER in fault.where for fault in faults)


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "ab" * 31, "\u00fc"])
def test_a_key_file_that_holds_something_else_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "sync.key").write_text(text, encoding="utf-8")

    with pytest.raises(StoreError, match=r"sync\.key"):
        Signer.open(tmp_path)


def test_a_hostile_key_or_signature_is_none() -> None:
    assert not is_signed("zz", "", stream="s", seq=1, tip="t")
    assert not is_signed("00" * 32, "00" * 64, stream="s", seq=1, tip="t")
    assert not is_signed(signer().key, "00" * 3, stream="s", seq=1, tip="t")
