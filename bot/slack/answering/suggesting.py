"""Questions to offer to whoever asks nothing: those that this reader would get an answer to, of this channel first.

A question is offered only after it was asked: recall, without a model, must put its decision first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.evidence import is_unsure
from bot.slack.layout import words
from bot.slack.layout.text import word_count
from bot.slack.recording.following import close_converted
from bot.slack.room import Room
from store import Decision, Question, Reader, State, Status

SUGGESTED = 3
LOOKED_AT = 12
"""Newest decisions, of the channel and of all, that may yield a question."""
TRIED = 10
"""Questions asked before fewer are offered: each takes some 20 ms."""
OPTION_WORDS = 4
TITLE_WORDS = 9
"""Longer ones read as a sentence, not as a question."""

_CLAUSE = re.compile(r"[,;(–—]|:(?!\d)|\s-\s|\. ")
_TALK = re.compile(r"\b(?:i|i'd|i'm|i'll|you|some people|was|were)\b", re.IGNORECASE)
"""What makes a title or an option talk, not a matter to ask about."""


def suggestions(room: Room, reader: Reader, channel: str) -> tuple[str, ...]:
    """Return up to three questions that this reader gets an answer to, about this channel's decisions first."""
    found: list[str] = []
    for tried, decision in enumerate(_decisions(room, reader, channel)):
        if len(found) == SUGGESTED or tried == TRIED:
            break
        asked = next((each for each in questions_on(decision) if _is_answered(room, each, decision, reader)), "")
        if asked and asked not in found and not close_converted(room, [decision]):
            found.append(asked)
    return tuple(found)


def questions_on(decision: Decision) -> Iterator[str]:
    """Yield ways to ask why something was decided, in words that it has itself: "why not Elasticsearch?"."""
    if decision.status is Status.ACCEPTED:
        short = (one.option.strip().rstrip("?.!") for one in decision.alternatives)
        named = (one for one in short if 0 < word_count(one) <= OPTION_WORDS and _is_matter(one))
        if option := next(named, ""):
            yield words.WHY_NOT.format(option=option)
    clause = _CLAUSE.split(decision.title)[0].strip().rstrip("?.!")
    if 1 < word_count(clause) <= TITLE_WORDS and _is_matter(clause):
        yield words.WHY_THAT.format(title=_as_said(clause, decision))


def _is_matter(text: str) -> bool:
    return not _CLAUSE.search(text) and not _TALK.search(text)


def _as_said(title: str, decision: Decision) -> str:
    """Begin a title in lower case where people write its first word so: a name keeps its capital."""
    first, _, rest = title.partition(" ")
    said = " ".join((decision.rationale, *(quote.quote for quote in decision.evidence)))
    is_name = not re.search(rf"\b{re.escape(first.lower())}\b", said) and first.lower() not in words.FIRST_WORDS
    return title if is_name else f"{first.lower()} {rest}".strip()


def _decisions(room: Room, reader: Reader, channel: str) -> Iterator[Decision]:
    """Yield what is in force or was turned down, each once: newest of this channel, then newest of all."""
    known = room.access.channel(channel)
    here: tuple[Decision, ...] = ()
    if known is not None and reader.may_read(known.scope):
        own = Reader(sees_open=False, scopes=frozenset({known.scope.id}))
        ids = [one.id for one in room.memory.decisions(own, limit=LOOKED_AT)]
        here = room.memory.decisions_by_ids(ids, reader)
    newest = (*here, *room.memory.decisions(reader, limit=LOOKED_AT))
    for one in {decision.id: decision for decision in newest}.values():
        if one.confirmed and one.title and one.state is State.CURRENT:
            yield one


def _is_answered(room: Room, question: str, decision: Decision, reader: Reader) -> bool:
    recall = room.memory.recall(Question(text=question), reader)
    if recall.abstained or not recall.ranked:
        return False
    first = recall.ranked[0]
    return first.decision.id == decision.id and not is_unsure(first, question)
