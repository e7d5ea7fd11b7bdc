"""Questions that their askers made public, and whether they were answered since: for Home and the digest.

A question that nobody was asked to answer is its asker's own and stands nowhere here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.slack.answering.telling import answered_by, recorded_at
from bot.slack.room import Room
from store import DecisionId, Post, Reader

ASKED = "asked"
"""The kind of the posts that put a question to a channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A question put to a channel; `answers` are the decisions that it got since: those of its thread, oldest first."""

    question: str
    channel: str
    ts: str
    permalink: str
    asked_at: datetime
    answers: tuple[DecisionId, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether a decision was recorded in its thread since, or one that answers it elsewhere."""
        return bool(self.answers)


def published(room: Room, reader: Reader, *, since: datetime, channel: str = "") -> tuple[Gap, ...]:
    """Return the questions that were made public since a time where this reader reads, newest first.

    Args:
        room: the parts.
        reader: who will see them; an answer that they may not read is none.
        since: aware UTC; a question's text is kept as long as its session.
        channel: that channel's alone; "" for all that the reader reads.
    """
    posts = room.memory.posts.of_kind(ASKED, channel, since=since)
    found = (_gap(room, post, reader) for post in reversed(posts) if post.ts)
    return tuple(gap for gap in found if gap is not None)


def _gap(room: Room, post: Post, reader: Reader) -> Gap | None:
    known, kept = room.access.channel(post.channel), room.memory.sessions.get(post.ref)
    if known is None or kept is None or not kept.question or not reader.may_read(known.scope):
        return None
    answers = recorded_at(room, f"{post.channel}/{post.ts}", reader)
    if not answers and (elsewhere := answered_by(room, kept, reader)) is not None:
        answers = (elsewhere,)
    return Gap(
        question=kept.question,
        channel=post.channel,
        ts=post.ts,
        permalink=room.client.permalink(post.channel, post.ts),
        asked_at=post.planned_at,
        answers=tuple(one.id for one in answers),
    )
