"""All of inbox.db together: opened once, erased from and purged in one place."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from store.core.beside import Json
from store.core.model import Person
from store.errors import StoreBusy
from store.sql.backfills import Backfills
from store.sql.batches import BATCH_DAYS, Batches
from store.sql.hook_pieces import KEEP_DAYS as HOOKED_DAYS
from store.sql.hook_pieces import HookPieces, names
from store.sql.hook_routes import HookRoutes
from store.sql.inbox import Inbox
from store.sql.inbox_file import InboxFile
from store.sql.lookbacks import LookBacks
from store.sql.members import Members
from store.sql.nudges import Nudges
from store.sql.occurrences import KEEP_DAYS as OCCURRED_DAYS
from store.sql.occurrences import Occurrences
from store.sql.posts import Posts
from store.sql.proposals import Proposals
from store.sql.pull_comments import PullComments
from store.sql.raised import Raised
from store.sql.rechecks import Rechecks
from store.sql.sessions import Sessions
from store.sql.spending import Spending
from store.sql.tokens import Tokens
from store.sql.wanted import Wanted
from store.sql.watch import Watch

if TYPE_CHECKING:
    from store.sql.address import Address

NAMED_AT_ONCE = 500
"""Decisions that one statement names: SQLite takes 32,766 values at most."""

KEEP_DAYS = 90
"""How long answers stay, for votes and for their askers."""
PLANNED = timedelta(days=1)
"""How long the words of a post that never could be sent are kept: whoever tries again words it anew."""
UNASKED_NOTES = ("said unasked", "kept back")
"""Kinds of posts that note what was said in channels unasked, and what was not."""
NUDGED_DAYS = 180
"""Days for which it is remembered what was said to whom unasked: longer than anything is asked about again."""

DELIVERED = "hooked"
"""Kind of the inbox's rows that hold what another system delivered."""

SPENT_DAYS = 366
"""Days for which it is known what a month's model calls cost."""


class Beside:
    """What one workspace keeps beside its log; thread-safe."""

    def __init__(self, file: InboxFile, clock: Callable[[], datetime], work: FileLock | None) -> None:
        """Share one open file; `open` and `on_postgres` are the usual ways in."""
        self._work = work
        self._file = file
        self.inbox = Inbox(file, clock)
        self.sessions = Sessions(file)
        self.posts = Posts(file)
        self.watch = Watch(file)
        self.members = Members(file)
        self.lookbacks = LookBacks(file)
        self.nudges = Nudges(file)
        self.rechecks = Rechecks(file)
        self.spending = Spending(file)
        self.wanted = Wanted(file)
        self.raised = Raised(file)
        self.proposals = Proposals(file)
        self.tokens = Tokens(file)
        self.hook_routes = HookRoutes(file)
        self.backfills = Backfills(file)
        self.batches = Batches(file)
        self.hook_pieces = HookPieces(file)
        self.occurrences = Occurrences(file)
        self.pull_comments = PullComments(file)

    @classmethod
    def open(cls, path: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Beside:
        """Open or create the file.

        Raises:
            SchemaTooNew: a newer version of this program wrote it.
        """
        return cls(InboxFile(path), clock, FileLock(path.with_name(f"{path.name}.lock")))

    @classmethod
    def on_postgres(cls, address: Address, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Beside:
        """Reach what a tenant keeps in a database that is prepared (`store.sql.postgres.schema`)."""
        from store.sql.postgres.beside import PostgresInbox  # its driver, for those who have a database of that kind

        return cls(PostgresInbox(address), clock, None)

    @property
    def shared(self) -> bool:
        """Whether several processes may work this inbox off side by side."""
        return self._file.shared

    def leads(self) -> bool:
        """Say whether this process looks at the clock for all that share this inbox: one does, until it ends."""
        return self._file.leads()

    def forget_turn(self, turn_id: str, *, decisions: Collection[str] = ()) -> int:
        """Erase one message's text from every row that holds it; returns how many rows. Twice is once.

        Args:
            turn_id: the message's.
            decisions: what quoted it: planned posts that show one of these lose their words.
        """
        planned = self.posts.forget(decisions, refs=self.sessions.quoting_any([turn_id, *decisions]))
        hit = self.inbox.forget_turn(turn_id) + self.sessions.forget([turn_id]) + planned
        hit += self.occurrences.forget_turn(turn_id)
        self._file.scrub()
        return hit

    def forget_decision(self, decision: str) -> int:
        """Erase one decision's text from answers and planned posts; returns how many rows. Twice is once."""
        hit = self._forget_some([decision])
        self._file.scrub()
        return hit

    def _forget_some(self, decisions: Collection[str]) -> int:
        planned = self.posts.forget(decisions, refs=self.sessions.quoting_any(decisions))
        hit = self.sessions.forget(decisions) + planned + self.nudges.forget(decisions)
        hit += self.raised.forget(decisions) + self.proposals.forget(decisions)
        return hit + self.occurrences.forget(decisions)

    def forget_place(self, source: str, anchor: str) -> int:
        """Erase what was delivered of a place that is not captured again; returns how many rows. Twice is once."""
        threads = self.hook_pieces.threads_of(source, anchor)

        def holds(payload: Json) -> bool:
            pieces = payload.get("pieces", ())
            return any(one.get("source") == source and one.get("thread") in threads for one in pieces)

        hit = self.inbox.forget_where(DELIVERED, holds)
        hit += sum(self.hook_pieces.drop(source, each) for each in sorted(threads))
        hit += self.batches.forget_place(source, anchor)
        hit += self.occurrences.forget_place(source, anchor)
        self._file.scrub()
        return hit

    def forget_person(self, person: Person, *, named: Collection[str]) -> int:
        """Erase what concerns somebody: questions, requests, answers that quote them; returns how many rows.

        What is known of their memberships goes too, until Slack is asked again. Twice is once.

        Args:
            person: whose; without an id only what quotes them is found.
            named: ids of their messages, and of decisions that named or quoted them.
        """
        asked = self.sessions.asked_by(person.id) if person.id else ()
        hit = self.posts.forget(named, refs=(*self.sessions.quoting_any(named), *asked))
        hit += self.posts.forget_notes(named) + self.sessions.forget(named)
        if person.id:
            hit += self.sessions.forget_asker(person.id) + self.inbox.forget_person(person.id)
            hit += self.nudges.forget_person(person.id) + self.members.forget(person.id)
            hit += self.wanted.forget_person(person.id) + self.raised.forget_person(person.id)
            hit += self.proposals.forget_person(person.id) + self.lookbacks.forget_person(person.id)
            hit += self.tokens.forget_person(person.id)
        hit += self.occurrences.forget_person(person.id or person.name)
        hit += self.hook_pieces.forget_person(person)
        hit += self.inbox.forget_where(DELIVERED, lambda payload: names(payload.get("pieces"), person))
        self._file.scrub()
        return hit

    def forget_channel(self, channel: str, *, decisions: Collection[str]) -> int:
        """Erase what was said in a channel, and what repeats it; returns how many rows. Twice is once.

        Where the bot's own messages stand there stays known, so that it can take them back.

        Args:
            channel: its id.
            decisions: what was decided there, or quotes it, by id.
        """
        named = list(decisions)
        hit = sum(self._forget_some(named[at : at + NAMED_AT_ONCE]) for at in range(0, len(named), NAMED_AT_ONCE))
        asked = {post.ref for post in self.posts.in_channel(channel) if post.ref}
        hit += self.sessions.forget_channel(channel, asked) + self.wanted.forget_channel(channel)
        hit += self.posts.forget_channel(channel) + self.inbox.forget_channel(channel)
        hit += self.nudges.forget([channel]) + self.lookbacks.forget_channel(channel) + self.watch.clear(channel)
        hit += self.rechecks.forget_channel(channel) + self.members.forget_channel(channel)
        scope = f"channel:{channel}"
        hit += self.hook_pieces.forget_scope(scope) + self.hook_routes.forget_scope(scope)
        hit += self.batches.forget_scope(scope)
        hit += self.occurrences.forget_scope(scope)
        hit += self.pull_comments.forget_scope(scope)
        self._file.scrub()
        return hit

    def purge(self, now: datetime, *, keep_days: int = KEEP_DAYS) -> int:
        """Drop what has outlived its retention; returns how many rows."""
        before = now - timedelta(days=keep_days)
        gone = self.inbox.purge(now) + self.sessions.purge(before) + self.posts.purge(before)
        gone += self.tokens.purge(now) + self.hook_pieces.purge(now - timedelta(days=HOOKED_DAYS))
        gone += self.batches.purge(now - timedelta(days=BATCH_DAYS))
        gone += self.occurrences.purge(now - timedelta(days=OCCURRED_DAYS))
        gone += self.wanted.purge(before) + self.lookbacks.purge(before) + self.posts.purge_plans(now - PLANNED)
        long_ago = now - timedelta(days=NUDGED_DAYS)
        gone += self.pull_comments.purge(long_ago)
        gone += self.nudges.purge(long_ago) + self.posts.purge(long_ago, kinds=UNASKED_NOTES)
        gone += self.spending.purge(f"{now.astimezone(UTC) - timedelta(days=SPENT_DAYS):%Y-%m}")
        self._file.scrub()
        return gone

    def tidy(self) -> None:
        """Overwrite what finished rows have left in the write-ahead log; cheap when that is empty."""
        self._file.tidy()

    def clear(self) -> None:
        """Drop all of it: the workspace has gone."""
        self.inbox.clear()
        self.sessions.clear()
        self.posts.clear()
        self.proposals.clear()
        self.watch.clear()
        self.members.clear()
        self.nudges.clear()
        self.rechecks.clear()
        self.spending.clear()
        self.wanted.clear()
        self.raised.clear()
        self.lookbacks.clear()
        self.tokens.clear()
        self.hook_routes.clear()
        self.backfills.clear()
        self.batches.clear()
        self.hook_pieces.clear()
        self.occurrences.clear()
        self.pull_comments.clear()
        self._file.scrub()

    def take_work(self) -> None:
        """Take the right to work this inbox off until `close`: one process has it, so that it may take over claims.

        Where several share the inbox each may; claims keep them apart.

        Raises:
            StoreBusy: another process has it.
        """
        if self._work is None:
            return
        try:
            self._work.acquire(blocking=False)
        except Timeout as held:
            raise StoreBusy(f"{self._work.lock_file}: another process works this inbox off; stop it first") from held

    def close(self) -> None:
        """Close the file."""
        if self._work is not None:
            self._work.release()
        self._file.close()
