"""What webhooks brought: pieces are kept while a thread goes on, and it is read when it is quiet.

Idempotency keys: a delivery's own; a piece and its version; the thread's place and the version of its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.capture import EXTRACTION_DEADLINE_S, capture_thread
from bot.jobs import BY_ITSELF, FOLLOWS
from bot.masking import mask
from bot.ports import Extractor
from bot.proposing import look
from bot.sources.document import threads_of_text
from bot.sources.hooked import OPENING, READERS, Hooked, document_of, turn_of
from bot.sources.jira import plain
from bot.sources.listed import SOURCES
from store import EVERYTHING, DecisionId, Delivery, HookPiece, HookRoute, Scope

if TYPE_CHECKING:
    from store import Memory

KIND_HOOKED = "hooked"
KIND_GATHERED = "gathered"
QUIET = timedelta(minutes=10)
"""Nothing new for so long, and a thread is read: people who argue answer faster."""
CLOSED = timedelta(seconds=30)
"""The same for a thread that was closed: what closes it often comes beside a last comment."""


def read(route: HookRoute, event: str, body: Mapping[str, Any]) -> Hooked:
    """Return what a verified delivery brings, secrets masked."""
    found = READERS[route.source](event, body)
    return replace(found, pieces=tuple(replace(one, content=_masked(one.content)) for one in found.pieces))


def keep(memory: Memory, route: HookRoute, hooked: Hooked, *, key: str) -> bool:
    """Put what a delivery brings into the inbox, on disk when this returns; False where it came before."""
    payload = {
        "scope": route.scope.id,
        "open": route.scope.open,
        "ends": hooked.ends,
        "pieces": [
            {"source": one.source, "thread": one.thread, "kind": one.kind, "piece": one.piece,
             "version": one.version, "content": one.content}
            for one in hooked.pieces
        ],
    }  # fmt: skip
    return memory.inbox.insert(f"hooked:{route.id}:{key}", KIND_HOOKED, payload, priority=FOLLOWS)


def on_hooked(memory: Memory, now: datetime, delivery: Delivery) -> str:
    """Keep a delivery's pieces, redact what was edited or deleted, and plan to read the thread when it is quiet."""
    given = delivery.payload
    pieces = [HookPiece(**one) for one in given["pieces"]]
    kept, scope = memory.beside.hook_pieces, given["scope"]
    within = Scope(id=scope, open=bool(given["open"]))
    kept.put(pieces, now, scope=scope)
    for one in pieces:
        turn = turn_of(one)
        if turn and (quotes := _quotes_of(memory, turn, within)):
            held = kept.of(one.source, one.thread, scope=scope)
            newest = next((each for each in held if (each.kind, each.piece) == (one.kind, one.piece)), None)
            stands = _words(newest) if newest else None  # of the newest version, whichever came last
            if stands is None or not all(each in stands for each in quotes):
                memory.redact_turn(one.source, turn, stands=stands, within=within)
    wait = CLOSED if given["ends"] else QUIET
    for source, thread in dict.fromkeys((one.source, one.thread) for one in pieces):
        planned = {"source": source, "thread": thread, "scope": given["scope"], "open": given["open"]}
        planned["at"] = now.isoformat()
        memory.inbox.insert(
            f"gathered:{delivery.key}:{thread}", KIND_GATHERED, planned, priority=BY_ITSELF, due_at=now + wait
        )
    return "kept"


def on_gathered(memory: Memory, extractor: Extractor, delivery: Delivery) -> str:
    """Read a thread that has been quiet; a later piece has a row of its own, which reads it then."""
    given = delivery.payload
    source, thread = given["source"], given["thread"]
    touched = memory.beside.hook_pieces.touched_at(source, thread, scope=given["scope"])
    if touched is None:
        return "gone"
    if touched > datetime.fromisoformat(given["at"]):
        return "not quiet yet"
    parser = SOURCES[source]
    document = document_of(source, memory.beside.hook_pieces.of(source, thread, scope=given["scope"]))
    if not document:
        return "not whole yet"
    scope = Scope(id=given["scope"], open=bool(given["open"]))
    said = threads_of_text(parser, document, origin=thread, dated=touched, scope=scope)
    new, stood = 0, list[DecisionId]()
    for each in said:
        captured = capture_thread(memory, extractor, each, parser.vocabulary, deadline_s=EXTRACTION_DEADLINE_S)
        new += len(captured.new) + len(captured.revised)
        if captured.forgotten:
            memory.beside.hook_pieces.drop(source, thread)
            return "forgotten"
        stood += [one.id for one in captured.decisions]
    proposed = look(memory, said, stood)
    return f"{new} recorded, {proposed} outcomes proposed" if proposed else f"{new} recorded"


def _quotes_of(memory: Memory, turn: str, within: Scope) -> list[str]:
    """Return what decisions of an address's own scope quote of a turn: its secret reaches no further."""
    resting = [one for one in memory.quoting(turn, EVERYTHING) if one.scope.id == within.id]
    return [each.quote for one in resting for each in one.evidence if each.turn_id == turn]


def _words(piece: HookPiece) -> str | None:
    """Return the text that stands in a piece now; None where it was deleted."""
    if piece.content is None:
        return None
    content = piece.content
    if piece.kind == OPENING:
        fields = content.get("fields", content)
        title = fields.get("title") or fields.get("summary") or ""
        return f"{title}\n\n{plain(fields.get('body') or fields.get('description'))}"
    return plain(content.get("body")) or str(
        content.get("content") or content.get("message") or content.get("text") or ""
    )


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {name: _masked(each) for name, each in value.items()}
    return [_masked(each) for each in value] if isinstance(value, list) else value
