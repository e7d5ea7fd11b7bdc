"""The weekly digest of the channels that chose it: Monday at nine where most of their people are.

It holds what every reader of the channel may read. Late by a day it isn't sent any more: the next one tells it.

Idempotency key: the channel and its Monday.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from bot.jobs import FOLLOWS
from bot.slack import zones
from bot.slack.answering import gaps
from bot.slack.channel.channels import refused
from bot.slack.client import Refused
from bot.slack.recording.following import close_converted
from bot.slack.rights import may_set_mode
from bot.slack.room import Room, digest_setting
from bot.slack.saying.posting import Words, edit
from bot.slack.saying.quiet import kept_back, post_unasked
from bot.slack.unasked.digest import Week, digest
from bot.slack.unasked.followups import FOLLOW_UP, said_at
from bot.sources.slack import SOURCE
from store import EVERYTHING, Conflict, Decision, Delivery, Memory, Post, Reader, State, Status

KIND_DIGESTS = "digests"
KIND_DIGEST = "digest"
LATE = timedelta(days=1)
"""From when on a digest that could not be sent is left to the next one."""
WEEK = timedelta(days=7)
OLD = timedelta(days=30)
"""Age at which what people said is no news, though it was recorded this week: it was imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    """From the last digest, or a week before, up to this Monday's nine."""

    since: datetime
    until: datetime

    def holds(self, at: datetime) -> bool:
        return self.since <= at < self.until


def due_digests(memory: Memory, now: datetime) -> int:
    """Put a row into the inbox each hour in which some channel may be due; returns how many are new."""
    if not _chosen(memory):
        return 0
    hour = now.astimezone(UTC).strftime("%Y-%m-%dT%H")
    return int(memory.inbox.insert(f"{KIND_DIGESTS}:{hour}", KIND_DIGESTS, {"hour": hour}, priority=FOLLOWS))


def _chosen(memory: Memory) -> tuple[str, ...]:
    """Return the channels that chose the digest, in order."""
    changes = memory.setting_changes("channel:")
    named = (one.name.split(":")[1] for one in changes if one.value == "on" and one.name.count(":") > 1)
    return tuple(channel for channel in named if memory.setting(digest_setting(channel)) == "on")


def plan_digests(room: Room, delivery: Delivery) -> str:
    """Put a row into the inbox for each channel whose Monday morning has come, until it has its digest."""
    now, planned = room.clock(), 0
    for channel in _chosen(room.memory):
        monday = zones.monday_morning(now, _zone_of(room, channel))
        post = room.memory.posts.by_key(_key(channel, monday))
        if now - monday >= LATE or (post is not None and post.ts):
            continue
        payload = {"channel": channel, "monday": monday.isoformat()}
        key = f"{_key(channel, monday)}:{delivery.payload['hour']}"
        planned += room.memory.inbox.insert(key, KIND_DIGEST, payload, priority=FOLLOWS)
    return f"planned {planned}"


def _key(channel: str, monday: datetime) -> str:
    return f"{KIND_DIGEST}:{channel}:{monday.date().isoformat()}"


def _zone_of(room: Room, channel: str) -> tzinfo:
    """Return the zone of most people in a channel; that of the workspace where nobody there has one."""
    people = [room.access.who(user) for user in room.access.inside(channel) or ()]
    known = [who.zone for who in people if who is not None and who.zone is not None]
    return zones.most_common(known) if known else room.access.common_zone()


def post_digest(room: Room, delivery: Delivery) -> str:
    """Post a channel's digest, if there is anything new and room for it."""
    channel, monday = delivery.payload["channel"], datetime.fromisoformat(delivery.payload["monday"])
    if not room.is_on(digest_setting(channel)):
        return "switched off"
    if room.clock() - monday >= LATE:
        return "too late"
    window = _window(room, channel, monday)
    week = week_of(room, channel, window)
    if week is None or not week.is_new:
        return "nothing new"
    key = _key(channel, monday)
    try:
        ts = post_unasked(
            room, key=key, kind=KIND_DIGEST, channel=channel, thread_ts="",
            make=lambda: Words(message=digest(week), ref=channel, decisions=week.shown),
        )  # fmt: skip
    except Refused as no:
        return f"not posted: {no.code}"
    if not ts:
        return "no room for it now"
    room.memory.posts.note(key, {"since": window.since.isoformat(), "until": window.until.isoformat()})
    return "posted"


def _window(room: Room, channel: str, monday: datetime) -> _Window:
    """Return what the digest of a Monday is about: what was new since the one before, four weeks at most."""
    before = [
        post for post in room.memory.posts.of_kind(KIND_DIGEST, channel) if post.planned_at < monday and post.body
    ]
    since = datetime.fromisoformat(before[-1].body["until"]) if before and before[-1].body else monday - WEEK
    return _Window(since=max(since, monday - 4 * WEEK), until=monday)


def week_of(room: Room, channel: str, window: _Window) -> Week | None:
    """Gather what all readers of a channel may read of it now; None where the bot can't know who they are."""
    found = _gathered(room, channel, window)
    if found is not None and close_converted(room, room.memory.decisions_by_ids(found.shown, EVERYTHING)):
        return _gathered(room, channel, window)
    return found


def _gathered(room: Room, channel: str, window: _Window) -> Week | None:
    reader = room.access.readers_of_channel(channel, fresh=True)
    own = Reader(sees_open=False, scopes=frozenset({f"channel:{channel}"}))
    known = room.access.channel(channel)
    if known is None or not reader.scopes:
        return None
    here = [one for one in _in_force(room, reader, window) if own.may_read(one.scope)]
    told_nowhere = {name for post in kept_back(room, channel, window.since) for name in post.decisions}
    decided = [one for one in here if window.holds(one.recorded_at)]
    waiting = {nudge.ref for nudge in room.memory.nudges.of_kind(FOLLOW_UP) if nudge.sent_at is not None}
    asked = gaps.published(room, reader, since=window.since, channel=channel)
    return Week(
        channel=channel,
        label=known.label,
        decided=sorted(decided, key=lambda one: one.id not in told_nowhere),
        contested=[one for one in room.memory.conflicts(reader) if _is_new_here(one, own, window)],
        results=[one for one in here if _has_new_result(room, one, reader, window)],
        waiting=[one for one in here if one.id in waiting and one.voices.label is None],
        questions=tuple(gap for gap in asked if window.holds(gap.asked_at)),
    )


def _in_force(room: Room, reader: Reader, window: _Window) -> Iterable[Decision]:
    """Yield confirmed decisions in force of the last weeks, newest first: what was imported lies further back."""
    since = (window.since - OLD).date()
    for one in room.memory.decisions(reader, since=since, state=State.CURRENT):
        told = one.place.source == SOURCE and one.confirmed and one.status in (Status.ACCEPTED, Status.REJECTED)
        if told and said_at(one) >= window.since - OLD:
            yield one


def _is_new_here(conflict: Conflict, own: Reader, window: _Window) -> bool:
    """Say whether a conflict has a side in this channel and came up within the time; unconfirmed sides are none."""
    sides = [one for one in conflict.heads if one.confirmed]
    return (
        len(sides) > 1
        and any(own.may_read(one.scope) for one in sides)
        and any(window.holds(one.recorded_at) for one in sides)
    )


def _has_new_result(room: Room, decision: Decision, reader: Reader, window: _Window) -> bool:
    if decision.voices.label is None:
        return False
    return any(window.holds(vote.at) for vote in room.memory.votes(decision.id, reader))


def redraw(room: Room, post: Post, *, stopped_by: str = "") -> bool:
    """Edit a digest so that it shows what still stands of its week; False where nothing does, or it is gone."""
    if not post.body or not post.ts:
        return False
    times = {name: datetime.fromisoformat(post.body[name]) for name in ("since", "until")}
    week = week_of(room, post.channel, _Window(**times))
    if week is None or not week.is_new:
        return False
    return edit(room, post, digest(week, stopped_by=stopped_by), week.shown)


def on_stop(room: Room, delivery: Delivery, channel: str) -> str:
    """Switch a channel's digest off, on the word of somebody who may set its mode; the latest one says who did."""
    pressed = delivery.payload
    user, channel = pressed["user"], channel or pressed["channel"]
    if not may_set_mode(room, user, channel):
        return refused(room, pressed, channel)
    room.memory.set_setting(digest_setting(channel), "off", by=room.person(user))
    posts = room.memory.posts.of_kind(KIND_DIGEST, channel)
    if posts:
        redraw(room, posts[-1], stopped_by=room.access.name_of(user))
    return "switched off"
