"""Segments hold events byte for byte, and whatever was changed about one is noticed before it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.core.ids import canonical, decision_id
from store.errors import LogDamaged
from store.sync.columns import Held
from store.sync.segment import SegmentDamaged, SegmentTooNew, Signed, read_segment, write_segment

STREAM = "00aa11bb22cc33dd/open/channel:C1"
SALT = bytes(range(16))
STATEMENT = {"title": "Search stays", "rationale": "", "status": "accepted", "elements": ["service:s"]}
PLACE = {"anchor": 'C1/"1.0"', "basis": "ab" * 32, "ordinal": 2, "permalink": "", "ref": "", "source": "slack"}


def held(
    parts: Mapping[str, object],
    *,
    seq: int = 1,
    prev: str = "",
    kind: str = "DecisionRecorded",
    about: tuple[str, ...] = (),
    blank: tuple[str, ...] = (),
    salt: bytes = SALT,
    **more: object,
) -> Held:
    bodies = {name: canonical(value) for name, value in parts.items()}  # type: ignore[arg-type]
    digests = {name: sha256(salt + body.encode()).hexdigest() for name, body in bodies.items()}
    fields = {
        "v": 1, "kind": kind, "stream": STREAM, "seq": seq, "prev": prev, "lamport": 7 * seq,
        "recorded_at": f"2026-03-04T09:00:{seq % 60:02}.000000Z", "about": list(about), "parts": digests,
    }  # fmt: skip
    header = canonical({**fields, **more})  # type: ignore[dict-item]
    return header, {name: None if name in blank else (salt, body) for name, body in bodies.items()}


def chain(*made: Mapping[str, object]) -> list[Held]:
    """Return events one after the other, each given as the arguments of `held`."""
    events: list[Held] = []
    prev = ""
    for seq, each in enumerate(made, start=1):
        events.append(held(seq=seq, prev=prev, **each))  # type: ignore[arg-type]
        prev = sha256(events[-1][0].encode()).hexdigest()
    return events


def decided() -> str:
    return decision_id("slack", 'C1/"1.0"', 2, STATEMENT)


def opened(data: bytes) -> list[Held]:
    return [
        (
            event.header,
            {name: None if body is None or salt is None else (salt, body) for name, salt, body in event.parts},
        )
        for event in read_segment(data).events()
    ]


def test_events_come_out_byte_for_byte() -> None:
    events = chain(
        {"parts": {"statement": STATEMENT, "place": PLACE, "meta": {"n": 1}}, "about": (decided(),)},
        {"parts": {"edge": {"why": "sets"}}, "kind": "DecisionSuperseded", "about": (decided(), "cd" * 32)},
        {"parts": {}, "kind": "DecisionConfirmed", "about": ("not an id",)},
        {"parts": {"redaction": {"events": {"ef" * 32: ["x", "y"]}, "odd": "abc" * 13}}, "kind": "TextRedacted"},
        {"parts": {"statement": STATEMENT, "place": PLACE}, "blank": ("statement",), "about": (decided(),)},
    )

    data = write_segment("w", events)

    assert opened(data) == events


def test_what_a_newer_version_says_comes_out_byte_for_byte() -> None:
    events = chain(
        {"parts": {"new": {"text": "line\nbreak"}}, "kind": "DreamDreamt"},
        {"parts": {"new": {"a": 1}}, "kind": "Ünknown", "v": 9},
        {"parts": {"new": {"a": 1}}, "kind": "DreamDreamt", "field_of_tomorrow": [1, 2]},
        {"parts": {"new": {"a": 1}, "gone": {"a": 2}}, "salt": b"long" * 8, "blank": ("gone",)},
    )
    spaced = events[-1][0].replace(",", ", ")  # not as we write JSON, but hashed like this by whoever wrote it
    events[-1] = (spaced, events[-1][1])

    data = write_segment("w", events)

    assert opened(data) == events


_WORDS = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    ["ab" * 16, "ab" * 32 + "a", "\x01", "\n"]
)
_EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "parts": st.dictionaries(
                st.sampled_from(["statement", "place", "evidence/0", "a b", "\x02"]), _WORDS, max_size=3
            ),
            "kind": st.sampled_from(["DecisionRecorded", "x", "\x00"]),
            "about": st.lists(_WORDS, max_size=2).map(tuple),
            "blank": st.sampled_from([(), ("statement",), ("a b", "place")]),
        }
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(_EVENTS)
def test_whatever_people_write_comes_out_byte_for_byte(made: list[dict[str, object]]) -> None:
    events = chain(*made)

    assert opened(write_segment("w", events)) == events


def test_the_same_events_give_the_same_bytes_and_say_whose_they_are() -> None:
    events = chain({"parts": {"a": 1}}, {"parts": {"a": 2}})

    data = write_segment("w", events, signed=Signed(key="k", signature="s"))

    label = read_segment(data).label
    assert data == write_segment("w", events, signed=Signed(key="k", signature="s"))
    assert (label.owner, label.stream, label.first, label.last, label.prev) == ("w", STREAM, 1, 2, "")
    assert (label.tip, label.key, label.signature) == (sha256(events[-1][0].encode()).hexdigest(), "k", "s")


def test_every_changed_byte_and_every_truncation_is_noticed() -> None:
    data = write_segment("w", chain({"parts": {"statement": STATEMENT, "place": PLACE}, "about": (decided(),)}))

    for at in range(len(data)):
        for damaged in (data[:at], data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]):
            with pytest.raises((SegmentDamaged, SegmentTooNew)):
                read_segment(damaged)


def sealed_again(data: bytes) -> bytes:
    """Put a right checksum under changed bytes, as somebody would who wants to deceive."""
    return data[:-32] + sha256(data[:-32]).digest()


def test_a_text_that_was_changed_on_purpose_no_longer_leads_to_the_tip() -> None:
    events = chain({"parts": {"a": "0" * 64, "statement": STATEMENT}})
    data = write_segment("w", events)
    salts_end = data.index(bytes(32), 12)

    for at in (salts_end, salts_end - 20):
        changed = sealed_again(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(SegmentDamaged, match="tip"):
            read_segment(changed).events()


def test_a_hostile_label_is_damage_and_nothing_worse() -> None:
    data = write_segment("w", chain({"parts": {"a": 1}}))
    size = int.from_bytes(data[8:12], "big")
    label, rest = json.loads(data[12 : 12 + size]), data[12 + size :]

    def relabelled(**changes: object) -> bytes:
        text = json.dumps({**label, **changes}).encode()
        return sealed_again(data[:8] + len(text).to_bytes(4, "big") + text + rest)

    hostile: tuple[dict[str, object], ...] = (
        {"count": 10**9}, {"first": 0}, {"stream": 3}, {"columns": [["shape", 10**12, 1, 0, 0]]}, {"columns": []},
        {"shapes": []}, {"shapes": [["k", 1, ["nope"], 0]]}, {"columns": "x"}, {"count": 2}, {"prev": "x"},
    )  # fmt: skip
    for changes in hostile:
        with pytest.raises(SegmentDamaged):
            read_segment(relabelled(**changes)).events()


def test_a_newer_format_is_named_as_such() -> None:
    data = write_segment("w", chain({"parts": {"a": 1}}))

    with pytest.raises(SegmentTooNew, match="format 2"):
        read_segment(data[:7] + b"\x02" + data[8:])


def test_a_log_that_is_damaged_itself_is_not_written_to_a_segment() -> None:
    first, second = chain({"parts": {"a": 1}}, {"parts": {"a": 2}})
    changed = (second[0], {"a": (SALT, "3")})

    with pytest.raises(LogDamaged, match="part a was changed"):
        write_segment("w", [first, changed])
    with pytest.raises(LogDamaged, match="doesn't follow"):
        write_segment("w", [first, first])
