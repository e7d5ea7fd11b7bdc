"""The memory's one door: `bot` imports from here and from nowhere below.

Names load when they are first asked for, so that a caller who only needs a value, or only the
quick way to read, doesn't pay for the database's or the index's libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store import failpoints
    from store.bench.inside import bench_appends, bench_hot, bench_look_ups, bench_searches
    from store.bench.load import Load
    from store.bench.processes import Fresh, Measured
    from store.bench.remote import bench_seal
    from store.bench.rows import BenchRow, bench_table, timed
    from store.core.admission import Admission, Admitted, draft_of
    from store.core.beside import (
        BackfillRun,
        Batch,
        BatchedThread,
        Delivery,
        HookPiece,
        HookRoute,
        InboxCounts,
        LookBack,
        Nudge,
        Occurrence,
        OutcomeProposal,
        Post,
        Proposal,
        QuietThread,
        Spent,
        Trajectory,
        Wish,
    )
    from store.core.citations import (
        Refusal,
        broken_rule,
        objectors,
        quote_weight,
        verify_claims,
        verify_draft,
        verify_quote,
    )
    from store.core.contrary import Bearing, alike, bearing
    from store.core.events import openness_setting
    from store.core.gate import (
        GateScore,
        Settling,
        confidence_of,
        keeps,
        raw_confidence,
        recalibrated,
        record_from,
        score,
        sentence_spans,
        spoken,
        stems,
    )
    from store.core.ids import normal
    from store.core.kept import Kept, ScopeCount, SettingChange
    from store.core.languages import asks_in_english, is_english
    from store.core.model import (
        EVERYTHING,
        NOBODY,
        PUBLIC,
        RECORDED_AT,
        WORKSPACE,
        Alternative,
        Decision,
        DecisionId,
        Draft,
        ElementId,
        EventId,
        Happened,
        Happening,
        Person,
        Place,
        Question,
        Quote,
        Ranked,
        Reaction,
        Reader,
        Reason,
        Recall,
        Scope,
        SessionId,
        State,
        Status,
        Thread,
        Turn,
        TurnId,
        Verdict,
        Vocabulary,
        Voices,
        readable,
    )
    from store.core.outcomes import same_person, voices, voter_key
    from store.core.paths import PATHS, claim_rule
    from store.core.stance import deciders_named, passes_on
    from store.core.views import (
        ChannelForgetting,
        Claim,
        Conflict,
        ElementView,
        Fault,
        Forgetting,
        Naming,
        RebuildReport,
        Report,
        Tombstone,
        Vote,
    )
    from store.errors import (
        BackstoryError,
        IndexBusy,
        LogDamaged,
        NoRemote,
        NotADatabase,
        SchemaTooNew,
        SchemaTooOld,
        StoreBusy,
        StoreError,
        StoreFull,
        UnknownDecision,
    )
    from store.memory import Memory, utc_now
    from store.quick_recorder import QuickRecorder
    from store.quick_sync import QuickSync
    from store.recording import Recording
    from store.servers import Servers, beside_of, quick_memory
    from store.sql.backfills import Backfills
    from store.sql.batches import BATCH_DAYS, Batches
    from store.sql.beside import Beside
    from store.sql.inbox import Inbox
    from store.sql.lookbacks import LookBacks
    from store.sql.members import Members
    from store.sql.nudges import Nudges
    from store.sql.occurrences import Occurrences
    from store.sql.posts import Posts
    from store.sql.proposals import Proposals
    from store.sql.quick import QuickMemory
    from store.sql.rechecks import NEVER_FOUND, Rechecks
    from store.sql.sessions import Sessions
    from store.sql.spending import Spending
    from store.sql.tokens import Tokens
    from store.sql.watch import Watch
    from store.sql.whole import GraphPiece, WholeGraph
    from store.sql.words import Found
    from store.sql.writing import BY_HAND
    from store.sync.exchange import Synced
    from store.syncing import SyncOptions

_ROOMS = {
    "store.bench.inside": (
        "bench_appends",
        "bench_hot",
        "bench_look_ups",
        "bench_searches",
    ),
    "store.bench.load": ("Load",),
    "store.bench.processes": ("Fresh", "Measured"),
    "store.bench.remote": ("bench_seal",),
    "store.bench.rows": (
        "BenchRow",
        "bench_table",
        "timed",
    ),
    "store.core.admission": (
        "Admission",
        "Admitted",
        "draft_of",
    ),
    "store.core.beside": (
        "BackfillRun",
        "Batch",
        "BatchedThread",
        "Delivery",
        "HookPiece",
        "HookRoute",
        "InboxCounts",
        "LookBack",
        "Nudge",
        "Occurrence",
        "OutcomeProposal",
        "Post",
        "Proposal",
        "QuietThread",
        "Spent",
        "Trajectory",
        "Wish",
    ),
    "store.core.citations": (
        "Refusal",
        "broken_rule",
        "objectors",
        "quote_weight",
        "verify_claims",
        "verify_draft",
        "verify_quote",
    ),
    "store.core.contrary": (
        "Bearing",
        "alike",
        "bearing",
    ),
    "store.core.events": ("openness_setting",),
    "store.core.gate": (
        "GateScore",
        "Settling",
        "confidence_of",
        "keeps",
        "raw_confidence",
        "recalibrated",
        "record_from",
        "score",
        "sentence_spans",
        "spoken",
        "stems",
    ),
    "store.core.ids": ("normal",),
    "store.core.kept": ("Kept", "ScopeCount", "SettingChange"),
    "store.core.languages": ("asks_in_english", "is_english"),
    "store.core.model": (
        "Alternative",
        "Decision",
        "DecisionId",
        "Draft",
        "EVERYTHING",
        "ElementId",
        "EventId",
        "Happened",
        "Happening",
        "NOBODY",
        "PUBLIC",
        "Person",
        "Place",
        "Question",
        "Quote",
        "RECORDED_AT",
        "Ranked",
        "Reaction",
        "Reader",
        "Reason",
        "Recall",
        "Scope",
        "SessionId",
        "State",
        "Status",
        "Thread",
        "Turn",
        "TurnId",
        "Verdict",
        "Vocabulary",
        "Voices",
        "WORKSPACE",
        "readable",
    ),
    "store.core.outcomes": (
        "same_person",
        "voices",
        "voter_key",
    ),
    "store.core.paths": ("PATHS", "claim_rule"),
    "store.core.stance": ("deciders_named", "passes_on"),
    "store.core.views": (
        "ChannelForgetting",
        "Claim",
        "Conflict",
        "ElementView",
        "Fault",
        "Forgetting",
        "Naming",
        "RebuildReport",
        "Report",
        "Tombstone",
        "Vote",
    ),
    "store.errors": (
        "BackstoryError",
        "IndexBusy",
        "LogDamaged",
        "NoRemote",
        "NotADatabase",
        "SchemaTooNew",
        "SchemaTooOld",
        "StoreBusy",
        "StoreError",
        "StoreFull",
        "UnknownDecision",
    ),
    "store.memory": (
        "Memory",
        "utc_now",
    ),
    "store.quick_recorder": ("QuickRecorder",),
    "store.quick_sync": ("QuickSync",),
    "store.recording": ("Recording",),
    "store.servers": (
        "Servers",
        "beside_of",
        "quick_memory",
    ),
    "store.sql.backfills": ("Backfills",),
    "store.sql.batches": ("BATCH_DAYS", "Batches"),
    "store.sql.beside": ("Beside",),
    "store.sql.inbox": ("Inbox",),
    "store.sql.lookbacks": ("LookBacks",),
    "store.sql.members": ("Members",),
    "store.sql.nudges": ("Nudges",),
    "store.sql.occurrences": ("Occurrences",),
    "store.sql.posts": ("Posts",),
    "store.sql.tokens": ("Tokens",),
    "store.sql.proposals": ("Proposals",),
    "store.sql.quick": ("QuickMemory",),
    "store.sql.rechecks": (
        "NEVER_FOUND",
        "Rechecks",
    ),
    "store.sql.sessions": ("Sessions",),
    "store.sql.spending": ("Spending",),
    "store.sql.watch": ("Watch",),
    "store.sql.whole": ("GraphPiece", "WholeGraph"),
    "store.sql.words": ("Found",),
    "store.sql.writing": ("BY_HAND",),
    "store.sync.exchange": ("Synced",),
    "store.syncing": ("SyncOptions",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> object:
    if name == "failpoints":
        return import_module("store.failpoints")
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_ROOM_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "BATCH_DAYS",
    "BY_HAND",
    "EVERYTHING",
    "NEVER_FOUND",
    "NOBODY",
    "PATHS",
    "PUBLIC",
    "RECORDED_AT",
    "WORKSPACE",
    "Admission",
    "Admitted",
    "Alternative",
    "BackfillRun",
    "Backfills",
    "BackstoryError",
    "Batch",
    "BatchedThread",
    "Batches",
    "Bearing",
    "BenchRow",
    "Beside",
    "ChannelForgetting",
    "Claim",
    "Conflict",
    "Decision",
    "DecisionId",
    "Delivery",
    "Draft",
    "ElementId",
    "ElementView",
    "EventId",
    "Fault",
    "Forgetting",
    "Found",
    "Fresh",
    "GateScore",
    "GraphPiece",
    "Happened",
    "Happening",
    "HookPiece",
    "HookRoute",
    "Inbox",
    "InboxCounts",
    "IndexBusy",
    "Kept",
    "Load",
    "LogDamaged",
    "LookBack",
    "LookBacks",
    "Measured",
    "Members",
    "Memory",
    "Naming",
    "NoRemote",
    "NotADatabase",
    "Nudge",
    "Nudges",
    "Occurrence",
    "Occurrences",
    "OutcomeProposal",
    "Person",
    "Place",
    "Post",
    "Posts",
    "Proposal",
    "Proposals",
    "Question",
    "QuickMemory",
    "QuickRecorder",
    "QuickSync",
    "QuietThread",
    "Quote",
    "Ranked",
    "Reaction",
    "Reader",
    "Reason",
    "RebuildReport",
    "Recall",
    "Rechecks",
    "Recording",
    "Refusal",
    "Report",
    "SchemaTooNew",
    "SchemaTooOld",
    "Scope",
    "ScopeCount",
    "Servers",
    "SessionId",
    "Sessions",
    "SettingChange",
    "Settling",
    "Spending",
    "Spent",
    "State",
    "Status",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "SyncOptions",
    "Synced",
    "Thread",
    "Tokens",
    "Tombstone",
    "Trajectory",
    "Turn",
    "TurnId",
    "UnknownDecision",
    "Verdict",
    "Vocabulary",
    "Voices",
    "Vote",
    "Watch",
    "WholeGraph",
    "Wish",
    "alike",
    "asks_in_english",
    "bearing",
    "bench_appends",
    "bench_hot",
    "bench_look_ups",
    "bench_seal",
    "bench_searches",
    "bench_table",
    "beside_of",
    "broken_rule",
    "claim_rule",
    "confidence_of",
    "deciders_named",
    "draft_of",
    "failpoints",
    "is_english",
    "keeps",
    "normal",
    "objectors",
    "openness_setting",
    "passes_on",
    "quick_memory",
    "quote_weight",
    "raw_confidence",
    "readable",
    "recalibrated",
    "record_from",
    "same_person",
    "score",
    "sentence_spans",
    "spoken",
    "stems",
    "timed",
    "utc_now",
    "verify_claims",
    "verify_draft",
    "verify_quote",
    "voices",
    "voter_key",
]
