"""Ingest: decision records, one a line, become decisions; a broken line costs only itself.

Idempotency key: a record's ref and what it says; without a ref, what it says and how often that stood
before in the same input. So the same file again adds nothing, and a changed line revises its record.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bot.errors import UnreadableDocument
from bot.masking import mask
from bot.sources.records import Record, record_of
from store import WORKSPACE, Admission, Admitted, Alternative, Draft, Quote, Scope

if TYPE_CHECKING:
    from store import Recording

MOST_LINE_BYTES = 8 * 1024**2
"""Of one record; the longest real one in sight is 40 kB."""

Progress = Callable[[int], None]
"""Called with how many lines have been worked off."""


@dataclass(slots=True, kw_only=True)
class Ingested:
    """What an ingest did so far; `problems` are `line N: rule`, `notices` are about lines that went in."""

    lines: int = 0
    decisions: int = 0
    revised: int = 0
    already_known: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    _waiting: deque[int] = field(default_factory=deque)

    def add(self, admitted: Admitted) -> None:
        """Count what became of one record."""
        new = len(admitted.new) + len(admitted.revised)
        self.decisions += new
        self.revised += len(admitted.revised)
        self.refused += len(admitted.refused)
        self.already_known += not new and not admitted.refused
        line = self._waiting.popleft()
        self.problems.extend(f"line {line}: {rule}" for rule in admitted.refused)

    def expect(self, line: int) -> None:
        """Note the line of a record on its way into the memory, which answers in order."""
        self._waiting.append(line)

    def document(self) -> dict[str, object]:
        """Return the document of `why ingest`."""
        return {
            "lines": self.lines,
            "decisions": self.decisions,
            "revised": self.revised,
            "already_known": self.already_known,
            "refused": self.refused,
            "problems": self.problems,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Who may read records: what a record says itself, else the default."""

    channel_scope: Callable[[str], Scope]
    default: Scope = WORKSPACE

    def of(self, record: Record) -> Scope:
        """Return the scope of one record."""
        if record.channel is None:
            return self.default
        return self.channel_scope(record.channel) if record.channel else WORKSPACE


def ingest_lines(
    memory: Recording, lines: Iterable[bytes], audience: Audience, *, progress: Progress = lambda count: None
) -> Ingested:
    """Admit every good line and name every broken one by number and rule."""
    done = Ingested()
    for count, admitted in enumerate(memory.ingest(_admissions(lines, audience, done)), start=1):
        done.add(admitted)
        progress(count)
    return done


def admission_of(record: Record, scope: Scope, *, recorded_from: str) -> Admission:
    """Return what is to be admitted of one record, secrets masked."""
    return Admission(
        place=record.place,
        basis=record.basis,
        scope=scope,
        drafts=(masked_draft(record.draft),),
        provenance="file" if recorded_from == "ingest" else "person",
        recorded_from=recorded_from,
    )


def masked_draft(draft: Draft) -> Draft:
    """Return a draft with secrets masked wherever people wrote freely."""
    masked: dict[str, Any] = {}
    for name in ("title", "rationale", "text", "revisit_when"):
        _mask_into(masked, name, text := getattr(draft, name), mask(text))
    for name in ("trade_offs", "edge_cases"):
        _mask_into(masked, name, texts := getattr(draft, name), tuple(map(mask, texts)))
    options = tuple(Alternative(option=mask(one.option), reason=mask(one.reason)) for one in draft.alternatives)
    _mask_into(masked, "alternatives", draft.alternatives, options)
    _mask_into(masked, "evidence", draft.evidence, tuple(map(_masked_quote, draft.evidence)))
    _mask_into(masked, "sets", draft.sets, tuple((element, name, mask(value)) for element, name, value in draft.sets))
    return replace(draft, **masked) if masked else draft


def _mask_into(masked: dict[str, Any], name: str, said: object, now: object) -> None:
    if now != said:
        masked[name] = now


def _masked_quote(quote: Quote) -> Quote:
    return replace(quote, quote=mask(quote.quote))


def _admissions(lines: Iterable[bytes], audience: Audience, done: Ingested) -> Iterator[Admission]:
    unread: set[str] = set()
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        done.lines += 1
        try:
            record = record_of(_decoded(raw, first=number == 1))
            scope = audience.of(record)
        except UnreadableDocument as error:
            done.refused += 1
            done.problems.append(f"line {number}: {error}")
            continue
        for name in record.unread:
            if name not in unread:
                unread.add(name)
                done.notices.append(f"line {number}: no field is called {name!r}; it is not read")
        done.expect(number)
        yield admission_of(record, scope, recorded_from="ingest")


def _decoded(raw: bytes, *, first: bool) -> str:
    if len(raw) > MOST_LINE_BYTES:
        raise UnreadableDocument(f"longer than {MOST_LINE_BYTES:,} bytes")
    try:
        return raw.decode("utf-8-sig" if first else "utf-8").strip()
    except UnicodeDecodeError as error:
        raise UnreadableDocument(f"not UTF-8 at byte {error.start}") from error
