"""Comments on pull requests: for whose eyes an address comments, and which comment is its own; ids, no text.

GitHub tells a comment's id when it is made; what was killed before that is found there by its mark and its author.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, Integer, String, Table, select

from store.core.beside import PullComment
from store.core.model import Scope
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

readers = Table(
    "comment_readers",
    metadata,
    Column("hook", String, primary_key=True),
    Column("scope", String, nullable=False),
    Column("open", Integer, nullable=False),
)
table = Table(
    "pull_comments",
    metadata,
    Column("hook", String, primary_key=True),
    Column("thread", String, primary_key=True),
    Column("comment", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("said_at", Moment, nullable=False),
)


class PullComments:
    """The comments of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def allow(self, hook: str, scope: Scope) -> None:
        """Let an address comment, for readers of a scope. Idempotency key: the address."""
        row = {"hook": hook, "scope": scope.id, "open": int(scope.open)}
        with self._file.transaction() as tx:
            tx.execute(insert(readers).values(row).on_conflict_do_update(index_elements=["hook"], set_=row))

    def allowed(self) -> dict[str, Scope]:
        """Return for whose eyes each address comments that does."""
        with self._file.reading() as seen:
            rows = seen.execute(select(readers).order_by(readers.c.hook)).all()
        return {row.hook: Scope(id=row.scope, open=bool(row.open)) for row in rows}

    def find(self, hook: str, thread: str) -> PullComment | None:
        """Return an address's comment on a pull request; None where it made none."""
        asked = select(table).where(table.c.hook == hook, table.c.thread == thread)
        with self._file.reading() as seen:
            row = seen.execute(asked).first()
        return None if row is None else PullComment(id=row.comment, digest=row.digest)

    def keep(self, hook: str, thread: str, comment: PullComment, said_at: datetime) -> None:
        """Keep what an address said on a pull request. Idempotency key: both."""
        row = {
            "hook": hook, "thread": thread, "comment": comment.id, "digest": comment.digest, "said_at": said_at,
        }  # fmt: skip
        with self._file.transaction() as tx:
            tx.execute(insert(table).values(row).on_conflict_do_update(index_elements=["hook", "thread"], set_=row))

    def drop(self, hook: str) -> None:
        """Let an address comment no longer."""
        with self._file.transaction() as tx:
            tx.execute(readers.delete().where(readers.c.hook == hook))
            tx.execute(table.delete().where(table.c.hook == hook))

    def forget_scope(self, scope: str) -> int:
        """Let nobody comment for a scope's readers, by its id; returns how many addresses did."""
        with self._file.transaction() as tx:
            return tx.execute(readers.delete().where(readers.c.scope == scope)).rowcount

    def purge(self, before: datetime) -> int:
        """Forget comments that were last changed before a moment; returns how many."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(table.c.said_at < before)).rowcount

    def clear(self) -> None:
        """Forget all of it: the workspace has gone."""
        with self._file.transaction() as tx:
            tx.execute(readers.delete())
            tx.execute(table.delete())
