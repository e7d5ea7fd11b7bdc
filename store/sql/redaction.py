"""Erasing what people wrote: the only UPDATE of the log.

Text and salt go from the log, from every projection and from the lexical index; headers, ids,
chains and places stay. The vector index learns of it by position (`Changed.erased`), and what
lies beside the log is erased by `store.memory` after commit.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from store.core import events
from store.core.bodies import cut, joined, split
from store.core.events import SALT_BYTES, Event, Kind
from store.core.ids import normal, sha256
from store.core.model import EVERYTHING, Decision, Place, Quote, Scope, State
from store.sql import listing, queries, settling
from store.sql.bridging import bridge
from store.sql.log import events_about, events_by_ids
from store.sql.stating import state_there
from store.sql.tx import Tx
from store.sql.writing import Writing, added_places

Parts = Mapping[str, tuple[str, ...]]
"""Names of parts by event id."""

_NAME_PART = re.compile(r"[^\W_]+")

KEPT_PARTS = frozenset({"place", "meta", "edge", "citation", "redaction"})
"""What stays of a forgotten decision: where it stood, when, and what it was linked to."""


def redact_turn(
    writing: Writing, source: str, turn_id: str, *, stands: str | None = None, scope: str | None = None
) -> int:
    """Erase every quote of one turn, or those that an edit took away; return how many there were.

    A decision that rested on nothing else, or repeats the words, loses its statement too and is
    retracted; where another place of it still says it, that states it from then on in its own words.
    A place of which no words are left is none of the decision's any more.

    Idempotency key: the events and parts erased.

    Args:
        writing: the transaction.
        source: of the turn.
        turn_id: the turn's.
        stands: its text after an edit; quotes that it still holds stay, and the turn may be quoted again.
        scope: the one, by its id, whose decisions lose them; None for all.
    """
    count = take_out_turn(writing, source, turn_id, stands=stands, scope=scope)
    if count:
        scrub(writing.tx)
    return count


def quoting(rows: queries.Rows, source: str, turn_id: str, *, scope: str | None = None) -> tuple[str, ...]:
    """Return the decisions that quote one turn, by id: those of one scope, or all."""
    sql = (
        "SELECT DISTINCT d.id, d.scope FROM held_quotes h JOIN decisions d ON d.n = h.n"
        " WHERE h.source = :source AND h.turn = :turn ORDER BY d.id"
    )
    found = rows(sql, {"source": source, "turn": turn_id})
    return tuple(row["id"] for row in found if scope in (None, row["scope"]))


def take_out_turn(
    writing: Writing, source: str, turn_id: str, *, stands: str | None = None, scope: str | None = None
) -> int:
    """Do what `redact_turn` does; the caller calls `scrub` afterwards, once for many turns."""
    held = writing.rows(
        "SELECT e.id AS event, h.part, d.id AS decision, d.scope, d.open, e.parts"
        " FROM held_quotes h JOIN decisions d ON d.n = h.n JOIN events e ON e.position = h.position"
        " WHERE h.source = :source AND h.turn = :turn ORDER BY e.id, h.part",
        {"source": source, "turn": turn_id},
    )
    held, elsewhere = [row for row in held if scope in (None, row["scope"])], len(held)
    elsewhere -= len(held)
    held = [{**row, "quote": json.loads(row["parts"]).get(row["part"], {}).get("quote", "")} for row in held]
    if stands is not None:
        held = [row for row in held if str(row["quote"]) not in stands]
    kept = _runs(normal(stands or "").split())
    scopes = {row["decision"]: Scope(id=row["scope"], open=bool(row["open"])) for row in held}
    for decision, own in scopes.items():
        mine = [row for row in held if row["decision"] == decision]
        parts = _grouped((row["event"], row["part"]) for row in mine)
        about = events_about(writing.tx, [decision])
        parts |= _parts_of(about, {Kind.CONFLICT_NOTED}, {"word"})
        barred = stands is None and not elsewhere  # where another scope quotes it, it may be quoted there again
        redact_parts(writing, own, parts, turn=(source, turn_id) if barred else None)
        left = queries.decisions_by_ids(writing.rows, [decision], EVERYTHING)
        gone = frozenset(run for row in mine for run in _runs(normal(str(row["quote"])).split())) - kept
        if any((each.evidence or not _rested(about)) and not _repeats(each, gone - _copied(each)) for each in left):
            _leave_empty_places(writing, left)
        else:
            _leave_to_heirs(writing, left, [str(row["quote"]) for row in mine])
            take_out_decision(writing, decision, own)
    return len(held)


def take_out_late(writing: Writing) -> None:
    """Take out the words of erased messages that came in since, under decisions that the erasure couldn't name.

    Idempotency key: the events and parts erased.
    """
    late = writing.rows(queries.LATE_TURNS, {})
    for row in late:
        take_out_turn(writing, row["source"], row["turn"])
    if late:
        scrub(writing.tx)


def _copied(decision: Decision) -> frozenset[tuple[str, ...]]:
    """Every run of words that another place of a decision says as well; none where it has but one."""
    quotes = decision.evidence if len(decision.places) > 1 else ()
    return frozenset(run for each in quotes for run in _runs(normal(each.quote).split()))


def _leave_to_heirs(writing: Writing, left: Sequence[Decision], erased: Sequence[str]) -> None:
    """Let the first of a decision's further places that still has words say it in its stead, and the others with it.

    Args:
        writing: the transaction.
        left: the decisions, without the words that were erased.
        erased: these words.
    """
    for known in (each for each in left if each.state is State.CURRENT):
        by_place: dict[Place, tuple[Quote, ...]] = {}
        for _, place, words in added_places(writing, known):
            by_place[place] = (*by_place.get(place, ()), *words)
        speaking = [(place, tuple(dict.fromkeys(words))) for place, words in by_place.items() if words]
        if speaking:
            about = _inherited(known, erased, [said.quote for _, words in speaking for said in words])
            heir = state_there(writing, replace(known, elements=about), *speaking[0], by=None, heir=True)
            for place, words in speaking[1:]:
                key = f"place:{heir}:{place.source}:{place.anchor}"
                writing.say_later((known.scope, events.evidence_added(heir, words, place=place, key=key)))


def _inherited(known: Decision, erased: Sequence[str], living: Sequence[str]) -> tuple[str, ...]:
    """Return what an heir is about: not what only the erased words and their statement name."""
    options = [side for each in known.alternatives for side in (each.option, each.reason)]
    gone = _named_in(*erased, known.title, known.rationale, known.text, *options)
    stays = _named_in(*living)
    names = {element: _named_in(element.partition(":")[2] or element) for element in known.elements}
    return tuple(element for element, name in names.items() if name in stays or name not in gone)


def _named_in(*texts: str) -> str:
    """Return the words of texts, parted as names of things are not: `search-api` is two."""
    return f" {' '.join(_NAME_PART.findall(normal(' / '.join(texts))))} "


def _leave_empty_places(writing: Writing, left: Sequence[Decision]) -> None:
    """Say of places whose last words were erased that they don't state the decision any more."""
    for known in left:
        added = added_places(writing, known)
        speaking = {place for _, place, words in added if words}
        for place in dict.fromkeys(place for _, place, _ in added if place not in speaking):
            writing.say((known.scope, events.place_withdrawn(known.id, place, by=None)))


def forget_decision(writing: Writing, decision: Decision, *, with_place: bool) -> bool:
    """Erase a decision's text, and that of its earlier and later wordings.

    Idempotency key: the events and parts erased.

    Args:
        writing: the transaction.
        decision: as anybody may read it.
        with_place: none of its places is captured again.
    """
    place = decision.place if with_place and decision.place.anchor else None
    if with_place:
        for each in decision.places[1:]:
            key = f"forgotten:{decision.id}:{each.source}:{each.anchor}"
            writing.say((decision.scope, events.text_redacted({}, place=each, key=key)))
    found = listing.wordings(writing.rows, decision.id)
    erased = [each for each in found if take_out_decision(writing, each, decision.scope, place=place)]
    if erased:
        scrub(writing.tx)
    return bool(erased)


def take_out_decision(writing: Writing, decision: str, scope: Scope, *, place: Place | None = None) -> bool:
    """Erase one wording and retract it; False if it was. The caller calls `scrub` afterwards."""
    about = events_about(writing.tx, [decision])
    living = {str(each.id): tuple(sorted(set(each.parts) - KEPT_PARTS)) for each in about}
    parts = {event: names for event, names in living.items() if names}
    if not parts:
        return False
    bridge(writing, decision, erased=True)
    redact_parts(writing, scope, parts, decisions=(decision,), place=place)
    key = f"erased:{decision}"
    writing.say((scope, events.word_on(Kind.DECISION_RETRACTED, decision, by=None, reason="", key=key)))
    return True


def redact_parts(
    writing: Writing,
    scope: Scope,
    parts: Parts,
    *,
    decisions: tuple[str, ...] = (),
    place: Place | None = None,
    turn: tuple[str, str] | None = None,
) -> None:
    """Say that these parts are erased and erase them; the caller calls `scrub` afterwards.

    Idempotency key: the events and parts.
    """
    named = json.dumps({event: list(names) for event, names in parts.items()}, sort_keys=True)
    key = f"redacted:{sha256(named.encode())}"
    fact = events.text_redacted(parts, decisions=decisions, place=place, turn=turn, key=key)
    blank(writing.tx, parts)
    writing.say((scope, fact))
    writing.project(events_by_ids(writing.tx, parts))


def blank(tx: Tx, parts: Mapping[str, Iterable[str]]) -> None:
    """Erase text and salt of these parts; those that are not there are not missed."""
    rows = tx.rows(
        "SELECT e.position, e.id, e.salts, e.parts FROM event_ids i JOIN events e ON e.position = i.position"
        " WHERE i.id IN (SELECT value FROM json_each(:ids))",
        {"ids": json.dumps(list(parts))},
    )
    tx.run_many(
        "UPDATE events SET salts = :salts, parts = :parts WHERE position = :position",
        [left for row in rows if (left := _left(row, frozenset(parts[row["id"]])))],
    )


def _left(row: Mapping[str, Any], gone: frozenset[str]) -> dict[str, object] | None:
    """Return what is left of an event's parts, None where that is all of them."""
    living = split(row["parts"])
    salts = dict(zip(living, cut(row["salts"], SALT_BYTES), strict=True))
    kept = {name: body for name, body in living.items() if name not in gone}
    if len(kept) == len(living):
        return None
    return {
        "position": row["position"],
        "salts": b"".join(salts[name] for name in sorted(kept)),
        "parts": joined(kept),
    }


def scrub(tx: Tx) -> None:
    """Note that what was erased is to go from the lexical index's segments too, right after the commit."""
    settling.unsettle(tx)


def _parts_of(about: Iterable[Event], kinds: set[Kind], names: set[str]) -> dict[str, tuple[str, ...]]:
    return {
        each.id: found for each in about if each.kind in kinds and (found := tuple(sorted(names & set(each.parts))))
    }


def _rested(about: Iterable[Event]) -> bool:
    """Whether a decision rested on quotes from the first; a record may stand by itself."""
    return any(each.kind == Kind.DECISION_RECORDED and any(map(_is_quote, each.digests)) for each in about)


def _is_quote(part: str) -> bool:
    return part.startswith("evidence/")


REPEATED_WORDS = 5
"""Words in a row from which on a statement repeats a quote: fewer are common phrases."""


def _repeats(decision: Decision, gone: frozenset[tuple[str, ...]]) -> bool:
    """Whether what a decision says or carries holds one of these runs of words."""
    texts = [decision.title, decision.rationale, decision.text, decision.revisit_when]
    texts += [*decision.trade_offs, *decision.edge_cases, *decision.tags]
    texts += [side for each in decision.alternatives for side in (each.option, each.reason)]
    return any(_runs(normal(each).split()) & gone for each in texts)


def _runs(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Every run of `REPEATED_WORDS`; a shorter text is one run, so that it is found if it is whole."""
    if not words:
        return frozenset()
    size = min(REPEATED_WORDS, len(words))
    return frozenset(tuple(words[i : i + size]) for i in range(len(words) - size + 1))


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    grouped: dict[str, list[str]] = defaultdict(list)
    for event, part in pairs:
        grouped[event].append(part)
    return {event: tuple(names) for event, names in grouped.items()}


def unconfirmed_before(rows: queries.Rows, moment: str) -> Sequence[str]:
    """Return the captures that were recorded before a moment and that nobody confirmed, by id."""
    found = rows(
        "SELECT id FROM decisions WHERE NOT confirmed AND NOT erased AND recorded_at < :moment ORDER BY id",
        {"moment": moment},
    )
    return tuple(row["id"] for row in found)
