"""Builders for tests of the memory: drafts, admissions and memories with defaults."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from store import WORKSPACE, Admission, Alternative, Draft, Memory, Person, Place, Quote, Scope, Status
from tests.builders_databases import database_of, kept_open

LENA, OMAR, RAJ = Person(name="Lena", id="U1"), Person(name="Omar", id="U2"), Person(name="Raj", id="U3")
EXEC = Scope(id="channel:EXEC", open=False)
SEARCH = Scope(id="channel:SEARCH", open=True)
NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def ticking(start: datetime = NOW) -> Callable[[], datetime]:
    """Return a clock that goes one second further each time it is read."""
    seconds = itertools.count()
    return lambda: start + timedelta(seconds=next(seconds))


def counted_salt() -> Callable[[int], bytes]:
    """Return salts that are different each time and the same in every run."""
    numbers = itertools.count()
    return lambda size: hashlib.sha256(str(next(numbers)).encode()).digest()[:size]


def memory_in(home: Path, **options: Any) -> Memory:
    """Open a memory without a vector index and with a clock of its own, in files or where a test says that it lies."""
    return kept_open(home, Memory.open(home, index="off", **{"clock": ticking(), **database_of(home), **options}))


def quote(words: str, turn: str, *, by: Person = LENA) -> Quote:
    return Quote(quote=words, author=by.name, author_id=by.id, at=NOW, permalink=f"https://x/{turn}", turn_id=turn)


def draft(title: str = "Search stays on Postgres", **fields: Any) -> Draft:
    return Draft(title=title, **{"decided_on": date(2026, 3, 4), "decided_by": (LENA,), **fields})


def full_draft(secret: str) -> Draft:
    """Return a draft with the secret in every field that people write."""
    return draft(
        f"title {secret}",
        rationale=f"rationale {secret}",
        elements=("service:search",),
        sets=(("service:search", "engine", f"value {secret}"),),
        links=(("service:search", "uses", f"db:{secret}"),),
        alternatives=(Alternative(option=f"option {secret}", reason=f"reason {secret}"),),
        trade_offs=(f"trade {secret}",),
        edge_cases=(f"edge {secret}",),
        tags=(f"tag {secret}",),
        revisit_when=f"when {secret}",
        text=f"text {secret}",
        decided_by=(Person(name=f"person {secret}", id="U9"),),
        evidence=(quote(f"quote {secret}", "C1/1.0"),),
    )


def admission(*drafts: Draft, anchor: str = "C1/1.0", basis: str = "1", **fields: Any) -> Admission:
    defaults: dict[str, Any] = {"scope": WORKSPACE, "provenance": "rules-1", "pointed": True}
    return Admission(
        place=Place(source="slack", anchor=anchor, permalink=f"https://x/{anchor}"),
        basis=basis,
        drafts=drafts or (draft(),),
        **{**defaults, **fields},
    )


def setting(value: str, *, day: int = 4, title: str = "", status: Status = Status.ACCEPTED, **fields: Any) -> Draft:
    """Return a draft that sets the retry policy of the search service."""
    return draft(
        title or f"Retries: {value}",
        sets=(("service:search", "retries", value),),
        elements=("service:search",),
        decided_on=date(2026, 3, day),
        status=status,
        **fields,
    )
