"""Decision records as JSON objects: the lines of `why ingest`, the options of `why record`.

The same fields come back from `why show --json`; those that only reading gives (id, state, …) are passed over.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from bot.errors import UnreadableDocument
from bot.sources.json_text import read_json
from store import PATHS, Alternative, Draft, Person, Place, Quote, Status, Verdict, claim_rule, normal

SOURCE = "record"
MOST_CHARS = 1_000_000
"""Of one field; a whole document is shorter, and a longer one is no decision record."""
MOST_TITLE_CHARS = 2_000
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_CHANNEL = re.compile(r"private:(?P<channel>[^\s:,]+)")

READ = frozenset({
    "title", "rationale", "status", "decided_on", "decided_by", "elements", "sets", "links", "unlinks", "alternatives",
    "trade_offs", "edge_cases", "tags", "confidence", "revisit_when", "ref", "permalink", "scope", "evidence", "text",
    "supersedes", "cites", "outcome",
})  # fmt: skip
"""The fields of a record."""
PASSED_OVER = frozenset(
    {"id", "source", "anchor", "state", "recorded_at", "superseded_by", "confirmed", "places", "outcomes"}
)
"""What `why show --json` adds to them."""
_STATUSES = {status.value: status for status in Status}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record: the draft, its place, and the channel whose members alone may read it.

    `channel` is None where the record says nothing, "" for public. `unread` names fields that nobody reads.
    """

    draft: Draft
    place: Place
    basis: str
    channel: str | None = None
    unread: tuple[str, ...] = ()


def record_of(line: str) -> Record:
    """Read one line of JSON.

    Raises:
        UnreadableDocument: which rule it breaks; the caller knows where.
    """
    fields = read_json(line, exact=True)
    if not isinstance(fields, dict):
        raise UnreadableDocument("not a JSON object")
    return record_from(fields)


def record_from(fields: Mapping[str, object]) -> Record:
    """Read the fields of one record, as `record_of` does."""
    ref, permalink = _line(fields, "ref"), _line(fields, "permalink")
    draft = Draft(
        title=_title(fields),
        rationale=_string(fields, "rationale"),
        status=_status(fields),
        decided_on=_date(fields, "decided_on"),
        decided_by=tuple(Person(name=name) for name in _strings(fields, "decided_by")),
        elements=_elements(fields),
        sets=_sets(fields),
        links=_triples(fields, "links"),
        unlinks=_triples(fields, "unlinks"),
        alternatives=_alternatives(fields),
        trade_offs=_strings(fields, "trade_offs"),
        edge_cases=_strings(fields, "edge_cases"),
        tags=_strings(fields, "tags"),
        confidence=_confidence(fields),
        revisit_when=_string(fields, "revisit_when"),
        evidence=_evidence(fields),
        text=_string(fields, "text"),
        supersedes=_strings(fields, "supersedes"),
        cites=_strings(fields, "cites"),
        outcome=_outcome(fields),
    )
    return Record(
        draft=draft,
        place=Place(source=SOURCE, anchor=ref, ref=ref, permalink=permalink),
        basis=_basis(fields),
        channel=_channel(fields),
        unread=tuple(sorted(fields.keys() - READ - PASSED_OVER)),
    )


def date_of(text: str, what: str) -> date:
    """Return the day that an ISO date or time names; UnreadableDocument where it names none."""
    try:
        if len(text) == len("2026-05-02"):
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
        return (moment.astimezone(UTC) if moment.tzinfo else moment).date()
    except (ValueError, OverflowError):  # the year 1 has no day before it
        raise UnreadableDocument(f"{what}: {text[:40]!r} is not a date (YYYY-MM-DD)") from None


def set_of(text: str, value: str) -> tuple[str, str, str]:
    """Return element, property and value of `service:search-api.retry_policy` and what it is set to."""
    element, _, name = text.rpartition(".")
    if not element.strip() or not name.strip():
        raise UnreadableDocument(f"sets: {text[:80]!r} is not ELEMENT.PROPERTY")
    if name.strip().casefold() == PATHS and (rule := claim_rule(value)):
        raise UnreadableDocument(f"sets: {text[:80]!r}: {rule}")
    return element.strip(), name.strip(), value


def _basis(fields: Mapping[str, object]) -> str:
    """Return the version of a record: what it says, whatever the order of its fields."""
    said = {key: value for key, value in fields.items() if key in READ and value not in (None, "", [], {})}
    return hashlib.sha256(_SORTED.encode(said).encode()).hexdigest()[:32]


_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=True)


def _checked(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise UnreadableDocument(f"{what}: {_kind(value)}, where a string belongs")
    if len(value) > MOST_CHARS:
        raise UnreadableDocument(f"{what}: longer than {MOST_CHARS:,} characters")
    if "\x00" in value or (not value.isascii() and _SURROGATES.search(value)):
        raise UnreadableDocument(f"{what}: holds a character that is none in UTF-8 text")
    return value


def _string(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    return "" if value is None else _checked(value, name).strip()


def _line(fields: Mapping[str, object], name: str) -> str:
    text = _string(fields, name)
    if any(char in text for char in "\r\n\t"):
        raise UnreadableDocument(f"{name}: holds a line break")
    return text


def _title(fields: Mapping[str, object]) -> str:
    title = " ".join(_string(fields, "title").split())
    if not title:
        raise UnreadableDocument("title: missing or empty")
    if len(title) > MOST_TITLE_CHARS:
        raise UnreadableDocument(f"title: longer than {MOST_TITLE_CHARS:,} characters")
    return title


def _list(fields: Mapping[str, object], name: str) -> list[object]:
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise UnreadableDocument(f"{name}: {_kind(value)}, where a list belongs")
    return value


def _strings(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    if name not in fields:
        return ()
    texts = (_checked(value, name).strip() for value in _list(fields, name))
    return tuple(dict.fromkeys(text for text in texts if text))


def _status(fields: Mapping[str, object]) -> Status:
    text = _string(fields, "status").lower()
    if not text:
        return Status.ACCEPTED
    if text not in _STATUSES:
        raise UnreadableDocument(f"status: {text[:40]!r} is none of {', '.join(_STATUSES)}")
    return _STATUSES[text]


def _outcome(fields: Mapping[str, object]) -> Verdict | None:
    text = _string(fields, "outcome").lower()
    if text in ("", "unknown"):
        return None
    if text not in {verdict.value for verdict in Verdict}:
        raise UnreadableDocument(f"outcome: {text[:40]!r} is neither worked nor failed")
    return Verdict(text)


def _date(fields: Mapping[str, object], name: str) -> date | None:
    text = _string(fields, name)
    return date_of(text, name) if text else None


def _confidence(fields: Mapping[str, object]) -> int:
    value = fields.get("confidence")
    if value is None:
        return 100
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UnreadableDocument("confidence: not a number from 0 to 1")
    return round(100 * value)


def _sets(fields: Mapping[str, object]) -> tuple[tuple[str, str, str], ...]:
    value = fields.get("sets")
    if value is None:
        return ()
    if not isinstance(value, dict):
        raise UnreadableDocument(f"sets: {_kind(value)}, where an object belongs")
    found: dict[tuple[str, str], tuple[str, str, str]] = {}
    for key, one in value.items():
        element, name, text = set_of(_checked(key, "sets"), _scalar(one))
        _check_element(element, "sets")
        if found.setdefault((normal(element), normal(name)), (element, name, text)) != (element, name, text):
            raise UnreadableDocument(f"sets: {key[:80]!r} is set twice; case and spaces make no second property")
    return tuple(found.values())


def _elements(fields: Mapping[str, object]) -> tuple[str, ...]:
    found = _strings(fields, "elements")
    for one in found:
        _check_element(one, "elements")
    return tuple({normal(one): one for one in reversed(found)}.values())[::-1]


def _check_element(text: str, what: str) -> None:
    kind, colon, name = text.partition(":")
    if colon and not (kind.strip() and name.strip()):
        raise UnreadableDocument(f"{what}: {text[:80]!r} is not KIND:NAME")


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else _checked(value, "sets")


def _triples(fields: Mapping[str, object], name: str) -> tuple[tuple[str, str, str], ...]:
    triples: dict[tuple[str, str, str], tuple[str, str, str]] = {}
    for value in _list(fields, name):
        if not isinstance(value, list) or len(value) != 3:
            shown = json.dumps(value, ensure_ascii=False)[:80]
            raise UnreadableDocument(f"{name}: an entry is not [FROM, RELATION, TO]: {shown}")
        start, relation, end = (_checked(part, name).strip() for part in value)
        if not (start and relation and end):
            raise UnreadableDocument(f"{name}: an entry has an empty part")
        _check_element(start, name)
        _check_element(end, name)
        triples.setdefault((normal(start), normal(relation), normal(end)), (start, relation, end))
    return tuple(triples.values())


def _alternatives(fields: Mapping[str, object]) -> tuple[Alternative, ...]:
    options: list[Alternative] = []
    for value in _list(fields, "alternatives"):
        raw = {"option": value} if isinstance(value, str) else value
        if not isinstance(raw, dict):
            raise UnreadableDocument("alternatives: an entry is not {option, reason}")
        option = _string(raw, "option")
        if not option:
            raise UnreadableDocument("alternatives: an entry without an option")
        options.append(Alternative(option=option, reason=_string(raw, "reason")))
    return tuple(options)


def _evidence(fields: Mapping[str, object]) -> tuple[Quote, ...]:
    quotes: list[Quote] = []
    for value in _list(fields, "evidence"):
        raw = {"quote": value} if isinstance(value, str) else value
        if not isinstance(raw, dict) or not _string(raw, "quote"):
            raise UnreadableDocument("evidence: an entry without a quote")
        at = _string(raw, "at")
        quotes.append(
            Quote(
                quote=_string(raw, "quote"),
                author=_line(raw, "author"),
                at=_moment(at) if at else None,
                permalink=_line(raw, "permalink"),
            )
        )
    return tuple(quotes)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise UnreadableDocument(f"evidence: at: {text[:40]!r} is not a time") from None


def _channel(fields: Mapping[str, object]) -> str | None:
    text = _string(fields, "scope")
    if not text:
        return None
    if text == "public":
        return ""
    if (match := _CHANNEL.fullmatch(text)) is None:
        raise UnreadableDocument(f"scope: {text[:40]!r} is neither public nor private:CHANNEL")
    return match["channel"]


def _kind(value: object) -> str:
    names: Iterable[tuple[type, str]] = (
        (bool, "true or false"),
        (dict, "an object"),
        (list, "a list"),
        (str, "a string"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "a number")
