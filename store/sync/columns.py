"""Events as columns: what can be recomputed is left out, what doesn't compress stands by itself.

Ids, the chain's links and the digests of living parts follow from the rest and are not written; a
decision's own id follows from what it states and where. Runs of hexadecimal digits are written as
bytes, a decision of the same run that is named again as a distance. Salts and such bytes stand
apart from the text, which is one column a part's name. An event that is put together in any other
way than ours is written as it stands, so that it comes out byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from store.core.events import SALT_BYTES
from store.core.sealed import Sealed, SealedPart
from store.errors import LogDamaged

Held = tuple[str, Mapping[str, tuple[bytes, str] | None]]
"""An event as the log holds it: its header, and salt and text of each living part by name."""

_ERASED = "\x00"
_CONTROL = re.compile(r"[\x00-\x1f]")
"""Canonical JSON escapes every control character, so that they are free to mean something here."""

_DIGITS = re.compile("[0-9a-f]{32,}")
_DIGEST = re.compile("[0-9a-f]{64}")
_MARKS = re.compile("[\x01\x04]|[\x02\x03]([0-9]+);")
_BYTES_32, _BYTES_N, _BACK, _BYTES_16 = _SIGNS = "\x01", "\x02", "\x03", "\x04"

_TEXT = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_PLACE = re.compile(
    rf'{{"anchor":({_TEXT}),"basis":{_TEXT},"ordinal":([0-9]+),"permalink":{_TEXT},"ref":{_TEXT},"source":({_TEXT})}}'
)

_quoted: Callable[[str], str] = json.encoder.encode_basestring
"""A text as canonical JSON has it."""

RAW = -1
"""The shape of an event that is written as it stands."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What events have in common that are put together alike.

    `decides` says that such an event is about the one decision that its own parts state.
    """

    kind: str
    v: int
    parts: tuple[str, ...]
    decides: bool


@dataclass(slots=True)
class Column:
    """Values of one kind, one a line; `loose` are the bytes taken out of them, `salts` one a living part."""

    lines: list[str] = field(default_factory=list)
    loose: bytearray = field(default_factory=bytearray)
    salts: bytearray = field(default_factory=bytearray)


@dataclass(slots=True)
class Columns:
    """A run of one stream's events: `columns` by name, the parts' as `part NAME`."""

    stream: str
    first: int
    count: int
    prev: str
    tip: str
    shapes: list[Shape]
    columns: dict[str, Column]


def decision_named(parts: Mapping[str, str]) -> str:
    """Return the id of the decision that these parts state, "" if they state none."""
    return _decision(parts.get("statement"), parts.get("place"))


def _decision(statement: str | None, place: str | None) -> str:
    if not statement or not place or (found := _PLACE.fullmatch(place)) is None:
        return ""
    anchor, ordinal, source = found.groups()
    return sha256(f"[{source},{anchor},{ordinal},{statement}]".encode()).hexdigest()


# --- writing ----------------------------------------------------------------------------------


def columns_of(events: Sequence[Held]) -> Columns:
    """Return a run of one stream's events, in its order and without a gap, as columns.

    Raises:
        LogDamaged: the events are no chain, or a part's text doesn't match its header.
    """
    return _Writer(events).columns()


class _Writer:
    def __init__(self, events: Sequence[Held]) -> None:
        self._events = events
        self._columns = {name: Column() for name in ("shape", "lamport", "recorded_at", "about", "raw")}
        self._shapes: dict[Shape, int] = {}
        self._decided: dict[str, int] = {}

    def columns(self) -> Columns:
        first = json.loads(self._events[0][0])
        prev, lamport = first["prev"], 0
        for number, (header, parts) in enumerate(self._events):
            fields = json.loads(header)
            if (fields["stream"], fields["seq"], fields["prev"]) != (first["stream"], first["seq"] + number, prev):
                raise LogDamaged(f"stream {first['stream']}: event {fields['seq']} doesn't follow the one before it")
            prev = sha256(header.encode()).hexdigest()
            living = _living(fields, parts)
            if _is_ours(header, fields, living):
                shape = self._ours(fields, living, number)
                self._line("lamport", fields["lamport"] - lamport)
                self._line("recorded_at", fields["recorded_at"])
            else:
                shape = RAW
                written = {name: [salt.hex(), body] for name, (salt, body) in living.items()}
                self._line("raw", json.dumps([header, written], separators=(",", ":")))
            self._line("shape", shape)
            lamport = fields["lamport"]
        return Columns(
            stream=first["stream"],
            first=first["seq"],
            count=len(self._events),
            prev=first["prev"],
            tip=prev,
            shapes=list(self._shapes),
            columns=self._columns,
        )

    def _line(self, column: str, value: object) -> None:
        self._columns[column].lines.append(str(value))

    def _ours(self, fields: Mapping[str, Any], living: Living, number: int) -> int:
        """Write one event in columns and return the number of its shape."""
        digests: Mapping[str, str] = fields["parts"]
        decision = decision_named({name: body for name, (_, body) in living.items()})
        decides = bool(decision) and fields["about"] == [decision]
        shape = Shape(fields["kind"], fields["v"], tuple(digests), decides)
        if decides:
            self._decided[decision] = number
        else:
            column = self._columns["about"]
            column.lines.append(_packed(column, _listed(fields["about"]), number, self._decided))
        for name, digest in digests.items():
            column = self._columns.setdefault(f"part {name}", Column())
            if name in living:
                column.salts += living[name][0]
                column.lines.append(_packed(column, living[name][1], number, {}))
            else:
                column.loose += bytes.fromhex(digest)
                column.lines.append(_ERASED)
        return self._shapes.setdefault(shape, len(self._shapes))


Living = Mapping[str, tuple[bytes, str]]
"""Salt and text of the living parts that a header names."""


def _living(fields: Mapping[str, Any], parts: Mapping[str, tuple[bytes, str] | None]) -> Living:
    living = {name: found for name in fields["parts"] if (found := parts.get(name))}
    for name, (salt, body) in living.items():
        if sha256(salt + body.encode()).hexdigest() != fields["parts"][name]:
            raise LogDamaged(f"event {fields['seq']} of stream {fields['stream']}: part {name} was changed")
    return living


def _packed(column: Column, text: str, number: int, decided: Mapping[str, int]) -> str:
    """Return the text with its runs of hexadecimal digits taken out into the column's loose bytes."""

    def taken(found: re.Match[str]) -> str:
        digits = found.group()
        if digits in decided:
            return f"{_BACK}{number - decided[digits]};"
        size = len(digits) // 2
        column.loose += bytes.fromhex(digits[: 2 * size])
        mark = _BYTES_32 if size == 32 else _BYTES_16 if size == 16 else f"{_BYTES_N}{size};"
        return mark + digits[2 * size :]

    return _DIGITS.sub(taken, text)


def _listed(names: Sequence[str]) -> str:
    return f"[{','.join(map(_quoted, names))}]"


def _is_ours(header: str, fields: Mapping[str, Any], living: Living) -> bool:
    """Whether the columns' rules would give this very header, and texts and salts are as ours are."""
    digests: Mapping[str, str] = fields["parts"]
    texts = (fields["kind"], fields["recorded_at"], *fields["about"], *digests.values())
    if not isinstance(fields["about"], list) or not all(isinstance(text, str) for text in texts):
        return False
    listed = ",".join([f"{_quoted(name)}:{_quoted(digest)}" for name, digest in digests.items()])
    built = (
        f'{{"about":{_listed(fields["about"])},"kind":{_quoted(fields["kind"])},"lamport":{fields["lamport"]}'
        f',"parts":{{{listed}}},"prev":"{fields["prev"]}","recorded_at":"{fields["recorded_at"]}"'
        f',"seq":{fields["seq"]},"stream":{_quoted(fields["stream"])},"v":{fields["v"]}}}'
    )
    return (
        built == header
        and not _CONTROL.search("".join((header, *digests)))
        and all(name in living or _DIGEST.fullmatch(digest) for name, digest in digests.items())
        and all(len(salt) == SALT_BYTES and not _CONTROL.search(body) for salt, body in living.values())
    )


# --- reading ----------------------------------------------------------------------------------


def events_of(columns: Columns) -> list[Sealed]:
    """Return the events that columns hold, in the stream's order, every hash made anew.

    Raises:
        ValueError: the columns don't hold what they say, or the chain doesn't end at `tip`.
        LookupError: a column is too short.
    """
    found = list(_Reader(columns).events())
    if len(found) != columns.count or (found and found[-1].id != columns.tip):
        raise ValueError("the events don't lead to the tip that the segment names")
    return found


class _Reader:
    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._lines = {name: iter(column.lines) for name, column in columns.columns.items()}
        self._parts: dict[str, tuple[Iterator[SealedPart], Iterator[str]]] = {}
        self._abouts = _Loose(columns.columns["about"].loose)

    def events(self) -> Iterator[Sealed]:
        columns, lines = self._columns, self._lines
        lamports, moments, raws = lines["lamport"], lines["recorded_at"], lines["raw"]
        shapes = [self._prepared(shape) for shape in columns.shapes]
        stream, stream_text = columns.stream, _quoted(columns.stream)
        prev, lamport, decided = columns.prev, 0, {}
        for number, code in enumerate(map(int, columns.columns["shape"].lines)):
            seq = columns.first + number
            if code == RAW:
                event = _raw_event(next(raws), stream, seq, prev)
                prev, lamport = event.id, event.lamport
                yield event
                continue
            kind, kind_text, v, decides, bodies, digests, statement, place = shapes[code]
            lamport += int(next(lamports))
            moment = next(moments)
            parts = tuple([next(body) for body in bodies])
            if decides:
                decision = _decision(parts[statement][2], parts[place][2])
                decided[number] = decision
                about_text, about = f'["{decision}"]', (decision,)
            else:
                about_text = self._abouts.put_back(next(lines["about"]), number, decided)
                about = tuple(json.loads(about_text))
            header = (
                f'{{"about":{about_text},"kind":{kind_text},"lamport":{lamport}'
                f',"parts":{{{",".join([next(digest) for digest in digests])}}},"prev":"{prev}"'
                f',"recorded_at":"{moment}","seq":{seq},"stream":{stream_text},"v":{v}}}'
            )
            id_ = sha256(header.encode()).hexdigest()
            yield Sealed(id_, header, kind, v, stream, seq, prev, lamport, moment, about, parts)
            prev = id_

    def _prepared(self, shape: Shape) -> _Prepared:
        """Return what the loop needs of a shape, so that it looks up nothing."""
        columns = [self._part(name) for name in shape.parts]
        return (
            shape.kind,
            _quoted(shape.kind),
            shape.v,
            shape.decides,
            [bodies for bodies, _ in columns],
            [digests for _, digests in columns],
            shape.parts.index("statement") if shape.decides else 0,
            shape.parts.index("place") if shape.decides else 0,
        )

    def _part(self, name: str) -> tuple[Iterator[SealedPart], Iterator[str]]:
        """Return the values of a part's column, and their digests as a header has them; each is used once."""
        if name not in self._parts:
            values, digests = _part_values(name, self._columns.columns[f"part {name}"])
            self._parts[name] = (iter(values), iter(digests))
        return self._parts[name]


_Prepared = tuple[str, str, int, bool, list[Iterator[SealedPart]], list[Iterator[str]], int, int]


def _part_values(name: str, column: Column) -> tuple[list[SealedPart], list[str]]:
    """Return the parts of one name in their order, and for each the entry that its header has for it."""
    lines, loose, quoted = column.lines, _Loose(column.loose), _quoted(name)
    salts = iter([bytes(column.salts[at : at + SALT_BYTES]) for at in range(0, len(column.salts), SALT_BYTES)])
    if _ERASED in lines:
        values: list[SealedPart] = []
        digests: list[str] = []
        for line in lines:
            if line == _ERASED:
                values.append((name, None, None))
                digests.append(f'{quoted}:"{loose.take(32)}"')
                continue
            salt, body = next(salts), loose.put_back(line, 0, {})
            values.append((name, salt, body))
            digests.append(f'{quoted}:"{sha256(salt + body.encode()).hexdigest()}"')
        return values, digests
    if column.loose:
        lines = [loose.put_back(line, 0, {}) for line in lines]
    living = list(zip(salts, lines, strict=True))
    return (
        [(name, salt, body) for salt, body in living],
        [f'{quoted}:"{sha256(salt + body.encode()).hexdigest()}"' for salt, body in living],
    )


class _Loose:
    """Hands out a column's loose bytes in order, as hexadecimal digits."""

    def __init__(self, loose: bytes | bytearray) -> None:
        self._bytes = bytes(loose)
        self._at = 0

    def take(self, size: int) -> str:
        """Return the next bytes."""
        start = self._at
        self._at += size
        return self._bytes[start : self._at].hex()

    def put_back(self, text: str, number: int, decided: Mapping[int, str]) -> str:
        """Return the text with its runs of hexadecimal digits put back."""
        head, mark, tail = text.partition(_BYTES_16)
        if mark and tail.isprintable() and head.isprintable():  # a place's basis, the most frequent by far
            return f"{head}{self.take(16)}{tail}"

        def digits(found: re.Match[str]) -> str:
            mark = found.group()
            if mark == _BYTES_32:
                return self.take(32)
            if mark == _BYTES_16:
                return self.take(16)
            size = int(found[1])
            return decided[number - size] if mark[0] == _BACK else self.take(size)

        return _MARKS.sub(digits, text)


def _raw_event(line: str, stream: str, seq: int, prev: str) -> Sealed:
    """Return an event that was written as it stands, with its hashes checked."""
    header, living = json.loads(line)
    fields = json.loads(header)
    if (fields["stream"], fields["seq"], fields["prev"]) != (stream, seq, prev):
        raise ValueError("an event stands where it doesn't belong")
    parts: list[SealedPart] = []
    for name, digest in fields["parts"].items():
        if name not in living:
            parts.append((name, None, None))
            continue
        salt, body = bytes.fromhex(living[name][0]), living[name][1]
        if sha256(salt + body.encode()).hexdigest() != digest:
            raise ValueError("a part's text is not what its header says")
        parts.append((name, salt, body))
    return Sealed(
        sha256(header.encode()).hexdigest(),
        header,
        fields["kind"],
        fields["v"],
        stream,
        seq,
        prev,
        fields["lamport"],
        fields["recorded_at"],
        tuple(fields["about"]),
        tuple(parts),
    )
