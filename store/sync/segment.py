"""A segment: a run of one stream's events as the bytes of one object.

    "BSTYSEG" · version (1 byte) · length of the label (4 bytes) · label · salts and loose bytes · text · SHA-256

The label is JSON in the open: whose object it is, which events of which stream, where their chain
begins and ends, the shapes and columns, and the signature of the tip if there is one. The text is
one zstandard frame. The checksum covers everything before it and is checked first, so that
nothing is read from a truncated or damaged object. Old versions are read forever.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import zstandard

from store.core.sealed import Sealed
from store.errors import StoreError
from store.sync.columns import Column, Columns, Held, Shape, columns_of, events_of

MAGIC = b"BSTYSEG"
VERSION = 1
"""The format that this program writes; it reads every one up to this."""

MOST_EVENTS = 2**17
"""Events in one segment that are read: ours have a fraction, a hostile one would fill the memory."""

MOST_TEXT = 512 * 2**20
"""Bytes of text that one segment may unpack to."""

LEVEL = 9
"""zstandard's level: on the load 5 % smaller than 3; 12 takes twice as long and saves 1 %."""

_CHECKSUM_BYTES = 32
_HEAD_BYTES = len(MAGIC) + 1 + 4


class SegmentDamaged(StoreError):
    """The object is not what was written: torn, changed, or something else under our name."""


class SegmentTooNew(StoreError):
    """A newer version of Backstory wrote the object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a segment says of itself. `prev` and `tip` are the ids before its first event and of its last.

    `key` and `signature` are hexadecimal: the writer's Ed25519 public key and its signature of the
    tip, both "" where it doesn't sign. `fork` is the later id of the copied store that wrote these
    events under its old one, "" for everybody else.
    """

    owner: str
    stream: str
    fork: str
    first: int
    count: int
    prev: str
    tip: str
    key: str = ""
    signature: str = ""

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self.first + self.count - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A tip's signature and the public key that it is checked with, both hexadecimal."""

    key: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A segment whose checksum is right; its events are not unpacked yet."""

    label: Label
    _document: dict[str, Any]
    _body: memoryview

    def events(self) -> list[Sealed]:
        """Return the events in the stream's order, every hash made anew and the tip reached.

        Raises:
            SegmentDamaged: they are not what the label says.
        """
        try:
            return events_of(self._columns())
        except (ValueError, LookupError, TypeError, AttributeError, RuntimeError, zstandard.ZstdError) as error:
            # RuntimeError: a generator that ran out of a column ends in one.
            raise SegmentDamaged(f"its events are not what it says it holds ({error})") from error

    def _columns(self) -> Columns:
        document, body = self._document, self._body
        binary = sum(salts + loose for _, _, _, salts, loose in document["columns"])
        size = sum(text for _, text, _, _, _ in document["columns"])
        if size > MOST_TEXT:
            raise ValueError("its text is larger than any of ours")
        packed = bytes(body[binary:])
        if zstandard.frame_content_size(packed) != size:  # the library would believe the frame, however much it says
            raise ValueError("its text has another length than it says")
        text = zstandard.ZstdDecompressor().decompress(packed)
        columns: dict[str, Column] = {}
        text_at = at = 0
        for name, length, lines, salts, loose in document["columns"]:
            columns[name] = Column(
                lines=text[text_at : text_at + length].decode().split("\n") if lines else [],
                salts=bytearray(body[at : at + salts]),
                loose=bytearray(body[at + salts : at + salts + loose]),
            )
            text_at, at = text_at + length, at + salts + loose
        return Columns(
            stream=self.label.stream,
            first=self.label.first,
            count=self.label.count,
            prev=self.label.prev,
            tip=self.label.tip,
            shapes=[Shape(kind, v, tuple(parts), bool(decides)) for kind, v, parts, decides in document["shapes"]],
            columns=columns,
        )


def write_segment(owner: str, events: Sequence[Held], *, fork: str = "", signed: Signed | None = None) -> bytes:
    """Return a run of one stream's events as a segment; the same events give the same bytes.

    Args:
        owner: the writer whose object it is.
        events: in the stream's order, without a gap, at least one.
        fork: as the label has it.
        signed: the signature of the last event's id.

    Raises:
        LogDamaged: the events are no chain, or a text doesn't match its header.
    """
    columns = columns_of(events)
    texts = [(name, "\n".join(each.lines).encode(), each) for name, each in columns.columns.items()]
    document = {
        "owner": owner,
        "stream": columns.stream,
        "fork": fork,
        "first": columns.first,
        "count": columns.count,
        "prev": columns.prev,
        "tip": columns.tip,
        "key": signed.key if signed else "",
        "signature": signed.signature if signed else "",
        "shapes": [[each.kind, each.v, list(each.parts), int(each.decides)] for each in columns.shapes],
        "columns": [[name, len(text), len(each.lines), len(each.salts), len(each.loose)] for name, text, each in texts],
    }
    label = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    head = MAGIC + bytes([VERSION]) + len(label).to_bytes(4, "big")
    packed = zstandard.ZstdCompressor(level=LEVEL).compress(b"".join(text for _, text, _ in texts))
    whole = b"".join((head, label, *(bytes(each.salts + each.loose) for _, _, each in texts), packed))
    return whole + sha256(whole).digest()


def read_segment(data: bytes) -> Segment:
    """Return the segment that these bytes are, once its checksum is right.

    Raises:
        SegmentDamaged: they are none, or not all of one.
        SegmentTooNew: they are in a newer format.
    """
    if not data.startswith(MAGIC):
        raise SegmentDamaged("it is no segment of ours")
    if data[len(MAGIC) : len(MAGIC) + 1] > bytes([VERSION]):
        raise SegmentTooNew(f"it is in format {data[len(MAGIC)]}, this version reads formats up to {VERSION}")
    view = memoryview(data)
    if len(data) < _HEAD_BYTES + _CHECKSUM_BYTES or sha256(view[:-_CHECKSUM_BYTES]).digest() != data[-_CHECKSUM_BYTES:]:
        raise SegmentDamaged("its checksum is wrong: it was changed, or is not whole")
    start = _HEAD_BYTES + int.from_bytes(data[len(MAGIC) + 1 : _HEAD_BYTES], "big")
    try:
        document = json.loads(data[_HEAD_BYTES:start])
        label = Label(**{name: kind(document[name]) for name, kind in _LABEL.items()})
    except (ValueError, LookupError, TypeError) as error:
        raise SegmentDamaged("its label can't be read") from error
    if not 0 < label.count <= MOST_EVENTS or label.first < 1:
        raise SegmentDamaged(f"it says that it holds {label.count} events from number {label.first}")
    return Segment(label=label, _document=document, _body=view[start:-_CHECKSUM_BYTES])


_LABEL = {
    "owner": str,
    "stream": str,
    "fork": str,
    "first": int,
    "count": int,
    "prev": str,
    "tip": str,
    "key": str,
    "signature": str,
}
