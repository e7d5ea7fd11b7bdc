"""What the bot posted, so that it posts each thing once and finds it again.

A post is planned with its whole body before it is sent and known by its `ts` after; its body goes then.
Between the two a crash leaves a plan: whoever picks it up looks for the post in Slack before sending.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Row, String, Table, Text, and_, or_, select

from store.core.beside import Json, Post
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "posts",
    metadata,
    Column("key", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("channel", String, nullable=False),
    Column("ts", String, nullable=False, default=""),
    Column("thread_ts", String, nullable=False, default=""),
    Column("ref", String, nullable=False, default=""),
    Column("body", Text),
    Column("planned_at", Moment, nullable=False),
    Index("posts_place", "channel", "ts"),
    Index("posts_ref", "ref"),
    Index("posts_day", "channel", "kind", "planned_at"),
)
shown = Table(
    "post_decisions",
    metadata,
    Column("decision", String, primary_key=True),
    Column("key", String, primary_key=True),
    Index("post_decisions_key", "key"),
)
ANSWERS = ("answer", "asked")
"""Kinds of posts about a session: they are kept as long as it is."""
_UNSENT = and_(table.c.ts == "", table.c.body.is_not(None))


class Posts:
    """The bot's posts in one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def plan(self, post: Post) -> bool:
        """Keep what is about to be posted; False when its key is known (the idempotency key)."""
        row = {
            "key": post.key, "kind": post.kind, "channel": post.channel, "ts": post.ts, "thread_ts": post.thread_ts,
            "ref": post.ref, "planned_at": post.planned_at,
            "body": None if post.body is None else json.dumps(post.body, ensure_ascii=False),
        }  # fmt: skip
        with self._file.transaction() as tx:
            fresh = tx.execute(insert(table).values(row).on_conflict_do_nothing()).rowcount == 1
            if fresh:
                _show(tx, post.key, post.decisions)
        return fresh

    def sent(self, key: str, ts: str, *, channel: str = "") -> None:
        """Note where a planned post stands now, and drop its body. Twice is once.

        `channel` is given for a direct message: it was planned for a person, whose conversation Slack named since.
        """
        where = {"channel": channel} if channel else {}
        with self._file.transaction() as tx:
            tx.execute(table.update().where(table.c.key == key).values(ts=ts, body=None, **where))

    def moved(self, key: str, channel: str) -> None:
        """Note the channel in which a post stands, where only its reader was known before. Twice is once."""
        with self._file.transaction() as tx:
            tx.execute(table.update().where(table.c.key == key).values(channel=channel))

    def note(self, key: str, body: Json) -> None:
        """Keep something beside a sent post: who changed what on a card, by ids."""
        with self._file.transaction() as tx:
            tx.execute(table.update().where(table.c.key == key).values(body=json.dumps(body, ensure_ascii=False)))

    def shows(self, key: str, decisions: Iterable[str]) -> None:
        """Note which decisions a post shows after an edit."""
        with self._file.transaction() as tx:
            tx.execute(shown.delete().where(shown.c.key == key))
            _show(tx, key, decisions)

    def drop(self, key: str) -> None:
        """Forget a post that is gone from Slack, or a plan that must not be carried out."""
        with self._file.transaction() as tx:
            tx.execute(shown.delete().where(shown.c.key == key))
            tx.execute(table.delete().where(table.c.key == key))

    def by_key(self, key: str) -> Post | None:
        """Return the post of this key, planned or sent."""
        return next(iter(self._where(table.c.key == key)), None)

    def by_ts(self, channel: str, ts: str) -> Post | None:
        """Return what the bot posted there, if it was the bot."""
        return next(iter(self._where(and_(table.c.channel == channel, table.c.ts == ts))), None)

    def for_decision(self, decision: str) -> tuple[Post, ...]:
        """Return the posts that show a decision, oldest first."""
        return self._where(table.c.key.in_(select(shown.c.key).where(shown.c.decision == decision)))

    def for_ref(self, ref: str) -> tuple[Post, ...]:
        """Return the posts about a session or an anchor, oldest first."""
        return self._where(table.c.ref == ref)

    def of_kind(
        self, kind: str, channel: str = "", *, since: datetime | None = None, thread_ts: str = ""
    ) -> tuple[Post, ...]:
        """Return the posts of a kind, oldest first: a channel's, from a time on, or of one thread."""
        clause = and_(table.c.channel == channel, table.c.kind == kind) if channel else table.c.kind == kind
        if since is not None:
            clause = and_(clause, table.c.planned_at >= since)
        return self._where(and_(clause, table.c.thread_ts == thread_ts) if thread_ts else clause)

    def _where(self, clause: Any) -> tuple[Post, ...]:
        with self._file.reading() as seen:
            rows = seen.execute(select(table).where(clause).order_by(table.c.planned_at, table.c.key)).all()
            keys = [row.key for row in rows]
            links = seen.execute(select(shown).where(shown.c.key.in_(keys)).order_by(shown.c.decision)).all()
        return tuple(_post(row, tuple(link.decision for link in links if link.key == row.key)) for row in rows)

    def purge(self, before: datetime, *, kinds: Iterable[str] = ANSWERS) -> int:
        """Forget what was posted of some kinds before that time (cards stay, to be edited); returns how many."""
        old = and_(table.c.kind.in_(list(kinds)), table.c.planned_at < before)
        with self._file.transaction() as tx:
            tx.execute(shown.delete().where(shown.c.key.in_(select(table.c.key).where(old))))
            return tx.execute(table.delete().where(old)).rowcount

    def purge_plans(self, before: datetime) -> int:
        """Drop the bodies of what was planned before that time and never sent; returns how many."""
        old = and_(_UNSENT, table.c.planned_at < before)
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(old).values(body=None)).rowcount

    def forget(self, decisions: Iterable[str], *, refs: Iterable[str] = ()) -> int:
        """Drop the bodies of planned posts that show one of these decisions or are about one of these sessions.

        What is kept beside a sent post holds ids alone and stays; returns how many.
        """
        showing = select(shown.c.key).where(shown.c.decision.in_(list(decisions)))
        hit = or_(table.c.key.in_(showing), table.c.ref.in_(list(refs)))
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(and_(_UNSENT, hit)).values(body=None)).rowcount

    def in_channel(self, channel: str) -> tuple[Post, ...]:
        """Return all that the bot posted or is about to post in a channel, oldest first."""
        return self._where(table.c.channel == channel)

    def forget_channel(self, channel: str) -> int:
        """Drop the words of what was or is to be posted in a channel; where it stands stays. Returns how many."""
        held = and_(table.c.channel == channel, table.c.body.is_not(None))
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(held).values(body=None)).rowcount

    def forget_notes(self, decisions: Iterable[str]) -> int:
        """Drop what is kept beside sent posts that show one of these decisions: who changed what; returns how many."""
        showing = select(shown.c.key).where(shown.c.decision.in_(list(decisions)))
        noted = and_(table.c.key.in_(showing), table.c.body.is_not(None))
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(noted).values(body=None)).rowcount

    def clear(self) -> int:
        """Drop every post: the workspace has gone."""
        with self._file.transaction() as tx:
            tx.execute(shown.delete())
            return tx.execute(table.delete()).rowcount


def _show(tx: Any, key: str, decisions: Iterable[str]) -> None:
    if links := [{"decision": decision, "key": key} for decision in dict.fromkeys(decisions)]:
        tx.execute(insert(shown).on_conflict_do_nothing(), links)


def _post(row: Row[Any], decisions: tuple[str, ...]) -> Post:
    return Post(
        key=row.key,
        kind=row.kind,
        channel=row.channel,
        ts=row.ts,
        thread_ts=row.thread_ts,
        ref=row.ref,
        decisions=decisions,
        body=None if row.body is None else json.loads(row.body),
        planned_at=row.planned_at,
    )
