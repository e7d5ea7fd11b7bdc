"""What is kept beside the log: deliveries to work off, answers given, posts made, threads to wait for.

None of it is truth about decisions. It has a retention, it is not synced and not in the digest.
Payloads, answers and bodies are JSON objects as their writer shaped them; `None` means that the text is gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from store.core.model import Happening, Place, Scope, Verdict

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One inbox row as claimed: `attempt` counts from 1 and fences a claim whose lease ran out."""

    id: int
    key: str
    kind: str
    payload: Json
    priority: int
    attempt: int
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxCounts:
    """How many rows stand where; `oldest_waiting_at` is None when nothing waits."""

    waiting: int
    claimed: int
    done: int
    failed: int
    oldest_waiting_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One answered question: what was asked, by whom, what they got, and what it rests on.

    `answer` is None once its text was erased or its retention ran out. `refs` holds the ids of the
    decisions and turns that the answer quotes; `main` the decision that votes count for.
    """

    session: str
    question: str
    answer: Json | None
    asker_id: str
    asked_at: datetime
    main: str = ""
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message of the bot: planned (no `ts`, a body) before it is sent, known by `ts` after.

    `ref` is a session for answers, a place's anchor for cards; `decisions` are those that it shows.
    """

    key: str
    kind: str
    channel: str
    ts: str
    thread_ts: str
    ref: str
    decisions: tuple[str, ...]
    body: Json | None
    planned_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietThread:
    """A thread that is waited for; `round` is 0 at its first reading and 1 at the second."""

    channel: str
    thread_ts: str
    last_ts: str
    due_at: datetime
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudge:
    """Something to say to somebody who didn't ask: not before `due_at`, and said at `sent_at` unless that is None.

    `message` is the key of the post in which it was said together with others.
    """

    key: str
    person: str
    kind: str
    ref: str
    due_at: datetime
    sent_at: datetime | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one purpose has cost in a month: calls billed, tokens read and written, calls refused for the budget."""

    purpose: str
    calls: int
    tokens: int
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Somebody wants to be told when a session's question is decided.

    `anchor` is where they asked the team, "" if they didn't; `looked` is the position of the log up to which
    nothing met the wish.
    """

    session: str
    person: str
    wished_at: datetime
    anchor: str = ""
    looked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A pair of which the newer may turn on the older; `answer` is what somebody said to it, "" while nobody did."""

    newer: str
    older: str
    kind: str
    answer: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillRun:
    """A reading of another system's history that has not reached its end.

    It reads what changed since a moment, all where that is None; all that comes before `reached`, which the system's
    own way of asking orders, is worked off.
    """

    began_at: datetime
    since: datetime | None
    reached: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBack:
    """A reading of a channel's past that `person` started, and how far it is.

    `state` is "listing" while pages of history are read from `cursor` on, then "listed", "reading", "stopped", "done".
    `threads` were listed, `answered` of them have replies, `read` are read; `likely` is how many hundredths of
    decisions may be expected of the others. `found` decisions were found: `kept` are kept, `waiting` wait for a word.
    """

    run: str
    channel: str
    person: str
    oldest: str
    state: str
    cursor: str
    step: int
    likely: int
    started_at: datetime
    threads: int
    answered: int
    read: int
    found: int
    kept: int
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRoute:
    """An address at which another system delivers; who may read what comes is its scope's readers."""

    id: str
    source: str
    secrets: tuple[str, ...] = field(repr=False)
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class PullComment:
    """The bot's own comment on a pull request: the other system's id of it, and a digest of what it says."""

    id: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HookPiece:
    """One part of a thread as another system delivered it: its opening, a comment, a review.

    `version` sorts by time as text; `content` has its fields in the system's own shape, None where it was deleted.
    """

    source: str
    thread: str
    kind: str
    piece: str
    version: str
    content: Json | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch of the model's: noted before it was sent, `given_id` "" until the model told its own id of it.

    `size` is how many requests were sent, `settled` whether its cost is counted.
    """

    id: int
    given_id: str
    noted_at: datetime
    size: int
    settled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchedThread:
    """A thread as it was put into a batch: `custom_id` is a digest of all that the model was asked about it."""

    custom_id: str
    source: str
    anchor: str
    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """What a system reported of a place, without its words: `marks` are digests of them, of names and of refs."""

    place: Place
    scope: Scope
    kind: Happening
    at: datetime
    marks: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeProposal:
    """A decision that a report may say something of; `answer` is what somebody said to it, "" while nobody did.

    `strength` in hundredths; `scope` is the report's, whose readers alone may be told.
    """

    decision: str
    place: Place
    scope: Scope
    kind: Happening
    happened_at: datetime
    verdict: Verdict
    strength: int
    answer: str = ""
    by: str = ""
