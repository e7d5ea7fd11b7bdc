"""Erasing all that was said in one channel: in the log, piece by piece, wherever it is quoted, whenever it arrives.

The erasure names the channel, so that nothing of it is captured again, and that words of it which another machine sends
later are stored blank. Beside that it names every part that it blanks, as any erasure does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from store.core import events
from store.core.events import Event, Kind, scope_of
from store.core.model import DecisionId, Scope, channel_scope
from store.sql.queries import Rows
from store.sql.redaction import KEPT_PARTS, redact_parts, take_out_decision, take_out_turn
from store.sql.tx import Tx
from store.sql.writing import Writing

WORDS = frozenset({Kind.DECISION_RECORDED, Kind.EVIDENCE_ADDED})
"""The kinds that hold what was said in a place: of an erased channel they are blank, whoever sends them."""

NOT_WORDS = KEPT_PARTS | {"setting"}
"""What stays of an event said in an erased channel."""

EVENTS_AT_ONCE = 100
"""Events whose parts one erasure names: a sync reads them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the log holds of a channel: decisions of its own, and messages that others quote."""

    decisions: tuple[DecisionId, ...]
    """Of its scope, or said in it; erased ones too."""
    turns: tuple[tuple[str, str], ...]
    """(source, turn) of its messages of which words are kept."""
    quoting: tuple[DecisionId, ...]
    """Decisions of elsewhere that quote them."""
    events: tuple[str, ...]
    """The ids of all events that were said in it."""


@dataclass(slots=True, kw_only=True)
class Left:
    """What is still to be taken out; each piece takes some away."""

    decisions: list[DecisionId]
    turns: list[tuple[str, str]]
    events: list[str]
    taken: int = 0
    quotes: int = 0


def said_in(rows: Rows, source: str, channel: str) -> Said:
    """Return what the log holds of a channel."""
    streams = streams_of(rows, channel_scope(channel))
    spoken = [row for stream in streams for row in rows(_OF_STREAM, {"stream": stream})]
    own = dict.fromkeys(row["decision"] for row in spoken if row["decision"])
    bounds = {"source": source, "first": f"{channel}/", "last": f"{channel}0"}  # the sign after the slash
    own |= dict.fromkeys(row["id"] for row in rows(_PLACED, bounds))
    quoted = rows(_QUOTED, bounds)
    return Said(
        decisions=tuple(own),
        turns=tuple(dict.fromkeys((row["source"], row["turn"]) for row in quoted)),
        quoting=tuple(dict.fromkeys(row["id"] for row in quoted if row["id"] not in own)),
        events=tuple(row["id"] for row in spoken),
    )


_OF_STREAM = """
SELECT e.id, CASE WHEN e.kind = 'DecisionRecorded' THEN e.header ->> '$.about[0]' END AS decision
FROM events e WHERE e.stream = :stream ORDER BY e.seq, e.position
"""
_PLACED = """
SELECT d.id FROM decision_places p JOIN decisions d ON d.n = p.n
WHERE p.source = :source AND p.anchor > :first AND p.anchor < :last AND d.source = p.source AND d.anchor = p.anchor
ORDER BY d.n
"""
_QUOTED = """
SELECT h.source, h.turn, d.id FROM held_quotes h JOIN decisions d ON d.n = h.n
WHERE h.turn > :first AND h.turn < :last ORDER BY h.turn, h.source, d.n
"""


def streams_of(rows: Rows, scope: str) -> tuple[str, ...]:
    """Return the streams of a scope, open and closed, of every writer: from one to the next through the index."""
    found: list[str] = []
    after = ""
    while row := rows("SELECT min(stream) AS stream FROM events WHERE stream > :after", {"after": after})[0]:
        if row["stream"] is None:
            break
        after = str(row["stream"])
        if scope_of(after).id == scope:
            found.append(after)
    return tuple(found)


def close(writing: Writing, source: str, channel: str) -> bool:
    """Say that a channel is erased and never captured again; False if that was said.

    It is said where its words were said, for whoever got those has to hear of it; it holds the channel's id alone.

    Idempotency key: the channel, and whether it was open.
    """
    scopes = {scope_of(stream) for stream in streams_of(writing.rows, channel_scope(channel))}
    said = [
        writing.say((scope, events.text_redacted({}, channel=(source, channel), key=_key(source, scope))))
        for scope in sorted(scopes or {Scope(id=channel_scope(channel), open=False)}, key=lambda each: each.open)
    ]
    return any(said)


def _key(source: str, scope: Scope) -> str:
    return f"erased:{source}:{'open' if scope.open else 'closed'}:{scope.id}"


def take_out_some(writing: Writing, left: Left, in_time: Callable[[], bool]) -> None:
    """Take out what there is time for, at least one of what is left: decisions, then quotes, then the rest.

    Idempotency key: the events and parts erased.
    """
    while left.decisions:
        decision = left.decisions.pop()
        found = writing.rows(_STREAM, {"id": decision})
        if found and take_out_decision(writing, decision, scope_of(found[0]["stream"])):
            left.taken += 1
        if not in_time():
            return
    while left.turns:
        left.quotes += take_out_turn(writing, *left.turns.pop())
        if not in_time():
            return
    while left.events:
        some, left.events = left.events[:EVENTS_AT_ONCE], left.events[EVENTS_AT_ONCE:]
        for scope, parts in _living(writing.tx, some).items():
            redact_parts(writing, scope, parts)
        if not in_time():
            return


_STREAM = """
SELECT e.stream FROM event_about a JOIN decisions d ON d.n = a.position AND d.id = a.target
JOIN events e ON e.position = d.n WHERE a.target = :id
"""
"""In which stream a decision was recorded: whoever got its words gets their erasure the same way."""


def _living(tx: Tx, ids: Sequence[str]) -> dict[Scope, dict[str, tuple[str, ...]]]:
    """The names of living parts by scope and event, what stays left out."""
    found: dict[Scope, dict[str, tuple[str, ...]]] = {}
    for row in tx.rows(_PARTS, {"ids": json.dumps(list(ids))}):
        if names := tuple(sorted(json.loads(row["parts"]).keys() - NOT_WORDS)):
            found.setdefault(scope_of(row["stream"]), {})[row["id"]] = names
    return found


_PARTS = """
SELECT e.id, e.stream, e.parts FROM event_ids i JOIN events e ON e.position = i.position
WHERE i.id IN (SELECT value FROM json_each(:ids))
"""


def late_words(tx: Tx, taken: Collection[Event]) -> dict[str, set[str]]:
    """Return what of events that came, and of those that were here, an erasure of their channel blanks.

    Args:
        tx: the transaction, in which the events are stored and not yet projected.
        taken: the events that came.
    """
    named = {
        channel_scope(channel["id"])
        for each in taken
        if each.known and each.kind == Kind.TEXT_REDACTED
        and (channel := each.parts.get("redaction", {}).get("channel"))
    }  # fmt: skip
    closed = named | {channel_scope(row["anchor"]) for row in tx.rows(_CLOSED, {})}
    found = {each.id: set(each.parts) for each in taken if each.kind in WORDS and each.scope.id in closed}
    for scope in named:
        for stream in streams_of(tx.rows, scope):
            for row in tx.rows(_WORDS_OF_STREAM, {"stream": stream}):
                found.setdefault(row["id"], set()).update(json.loads(row["parts"]))
    return {event: names - KEPT_PARTS for event, names in found.items() if names - KEPT_PARTS}


_CLOSED = "SELECT anchor FROM forgotten WHERE kind = 'channel'"
_WORDS_OF_STREAM = """
SELECT e.id, e.parts FROM events e WHERE e.stream = :stream AND e.kind IN ('DecisionRecorded', 'EvidenceAdded')
"""
