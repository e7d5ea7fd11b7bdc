"""Looking back over a channel's last 90 days, for an admin who asked: counts first, then a private list.

The threads are listed page by page and read one by one, by rows of the inbox that each work for a few seconds, so
that nothing else waits for them, a stop takes effect at the next thread, and a kill loses nothing. What is found is
kept as not confirmed until whoever started it says a word; nothing is posted in the old threads. The list is a
direct message: unlike what one person alone is shown in a channel, it can be edited for as long as it takes.

Idempotency key: the run's id, made of the press; a thread's place and text version, as in `bot.capture`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from bot.capture import capture_thread, masked_thread, without_left_out
from bot.errors import Transient
from bot.jobs import ATTEMPTS, BY_ITSELF, CAPTURES
from bot.proposing import recorded_late
from bot.slack.channel import lookback_view
from bot.slack.channel.lookback_list import show_list
from bot.slack.client import Json, Refused
from bot.slack.layout import actions as act
from bot.slack.layout import notices, words
from bot.slack.layout.kit import Message
from bot.slack.recording.capturing import THREAD_S, Unsure, is_blocked
from bot.slack.rights import may_look_back
from bot.slack.room import Mode, Room, inviter_setting
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import OPENED, open_over, say
from bot.slack.saying.threads import fetched
from bot.sources.slack import VOCABULARY, SlackPerson, thread_from_messages
from store import Delivery, LookBack, State, Thread, keeps, score

KIND_LIST = "look back: list"
KIND_READ = "look back: read"

DAYS = 90
SLICE_S = 5.0
"""Seconds that one row reads for: the list is edited after each, some 12 times a minute (Slack takes 50)."""
SAMPLE = 8
"""Threads read for the counts: eight calls more, and a share that is right to about a third."""
PROMPT_TOKENS = 2_000
"""What a model reads and writes beside the thread itself: the prompt has 1,500, a draft some 400."""
CHARACTERS_A_TOKEN = 4

_LISTING, _LISTED, _READING, _STOPPED, _DONE = "listing", "listed", "reading", "stopped", "done"


def on_look_back(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Open the counts for whoever may look back; a row of its own fills them in."""
    pressed = delivery.payload
    channel, user = target.channel or pressed["channel"], pressed["user"]
    if not may_look_back(room, user, channel):
        return _told(room, pressed, notices.notice(words.LOOK_NOT_YOURS), "not allowed")
    if is_blocked(room, channel):
        return _told(room, pressed, notices.notice(words.KEPT_OUT_STAYS), "blocked")
    if room.mode(channel) is Mode.OFF:
        inviter = room.memory.setting(inviter_setting(channel))
        off = notices.capture_off(room.access.name_of(inviter) if inviter else "")
        return _told(room, pressed, off, "off")
    latest = room.memory.lookbacks.latest(channel)
    if latest is not None and latest.state == _READING:
        return _told(room, pressed, notices.notice(words.LOOK_AT_IT), "at it already")
    view = open_over(room, pressed, lookback_view.waiting_view())
    run = f"{channel}.{pressed['at']}"
    oldest = f"{(room.clock() - timedelta(days=DAYS)).timestamp():.6f}"
    room.memory.lookbacks.begin(run, channel=channel, person=user, oldest=oldest, at=room.clock())
    room.memory.inbox.insert(f"look:{view}", KIND_LIST, {"run": run, "view": view}, priority=CAPTURES)
    return OPENED


def _told(room: Room, pressed: Json, told: Message, done: str) -> str:
    say(room, pressed, body_of(told))
    return done


# --- counting ---


def on_list(room: Room, delivery: Delivery) -> str:
    """List what there is to read, page by page, and show the counts; nothing but ids is kept of it."""
    run = room.memory.lookbacks.get(delivery.payload["run"])
    if run is None:
        return "forgotten"
    try:
        while run is not None and run.state == _LISTING:
            run = _page(room, run)
        if run is None:
            return "forgotten"
        decisions, tokens = _estimate(room, run)
        view = lookback_view.counts_view(run, decisions=decisions, tokens=tokens if room.with_claude else None)
    except Refused:
        view = lookback_view.not_here_view()
    except Transient as away:
        if run is not None and run.cursor != (delivery.payload.get("cursor") or ""):
            return _later(room, delivery, away, cursor=run.cursor)
        raise
    try:
        room.client.update_view(delivery.payload["view"], view)
    except Refused:
        return "closed meanwhile"
    return "counted"


def tell_uncounted(room: Room, delivery: Delivery, told: Message) -> None:
    """Say in the form that waits for its counts that there are none; it may be closed by now."""
    with suppress(Transient, Refused):
        room.client.update_view(delivery.payload["view"], lookback_view.failed_view(told))


def _page(room: Room, run: LookBack) -> LookBack | None:
    """List one page of history, and return the run as it is then."""
    messages, cursor = room.client.history(run.channel, oldest=run.oldest, cursor=run.cursor)
    roots: dict[str, int] = {}
    likely = 0
    for message in messages:
        ts, root = str(message.get("ts") or ""), str(message.get("thread_ts") or message.get("ts") or "")
        replies = int(message.get("reply_count") or 0)
        if root != ts or replies:
            roots[root] = max(replies, 1, roots.get(root, 0))
        elif hundredths := _alone(room, run, message):
            roots.setdefault(root, 0)
            likely += hundredths
    room.memory.lookbacks.listed(run.run, list(roots.items()), cursor=cursor, likely=likely)
    return room.memory.lookbacks.get(run.run)


def _alone(room: Room, run: LookBack, message: Mapping[str, Any]) -> int:
    """Return how likely a message without replies decides something, in hundredths; 0 where it isn't worth reading."""
    known = room.access.channel(run.channel)
    user = str(message.get("user") or "")
    if known is None or message.get("bot_id"):
        return 0
    people = {user: SlackPerson(id=user, name=user)}
    thread = thread_from_messages(
        [message], channel=known, thread_ts=str(message["ts"]), people=people, leave_out=room.bot.ids
    )
    heard = without_left_out(room.memory, thread) if thread is not None else None
    found = score(masked_thread(heard), VOCABULARY) if heard is not None else None
    return round(found.score * 100) if found is not None and found.keeps else 0


def _estimate(room: Room, run: LookBack) -> tuple[int, int]:
    """Return about how many decisions and tokens a run will come to, from a few of its threads."""
    sampled = expected = characters = worth = 0
    for ts in room.memory.lookbacks.spread(run.run, limit=SAMPLE):
        with fetched(room, run.channel, ts, worth=lambda _thread: False) as thread:
            heard = without_left_out(room.memory, thread) if thread is not None else None
        sampled += 1
        found = score(masked_thread(heard), VOCABULARY) if heard is not None else None
        if heard is not None and found is not None and found.keeps:
            worth += 1
            expected += round(found.score * 100)
            characters += sum(len(turn.text) for turn in heard.turns)
    share = run.answered / max(1, sampled)
    alone = run.threads - run.answered
    calls = worth * share + alone
    text = characters * share / CHARACTERS_A_TOKEN
    return round((expected * share + run.likely) / 100), round(calls * PROMPT_TOKENS + text)


# --- reading ---


def on_started(room: Room, delivery: Delivery) -> str:
    """Begin to read, on the word of whoever saw the counts."""
    target = act.decode(delivery.payload["view"]["private_metadata"])
    run = _own(room, delivery.payload["user"], target)
    if run is None or run.state not in (_LISTED, _READING):
        return "not theirs"
    return _go(room, run)


def on_stop(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Stop after the thread that is being read."""
    run = _own(room, delivery.payload["user"], target)
    if run is None or run.state not in (_READING, _STOPPED):
        return "not running"
    room.memory.lookbacks.change(run.run, state=_STOPPED)
    show_list(room, run.run)
    return "stopped"


def on_go_on(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Go on where it was stopped."""
    run = _own(room, delivery.payload["user"], target)
    if run is None or run.state not in (_STOPPED, _READING):
        return "not stopped"
    return _go(room, run)


def _own(room: Room, user: str, target: act.Target | None) -> LookBack | None:
    """Return the run that somebody started and may still lead."""
    run = room.memory.lookbacks.get(target.session) if target is not None else None
    return run if run is not None and run.person == user and may_look_back(room, user, run.channel) else None


def _go(room: Room, run: LookBack) -> str:
    """Read from here on; a row of an earlier step that waits somewhere then does nothing."""
    room.memory.lookbacks.change(run.run, state=_READING, step=run.step + 1)
    _next(room, run.run, run.step + 1, due_at=None)
    show_list(room, run.run)
    return "reading"


def _next(room: Room, run: str, step: int, *, due_at: datetime | None) -> None:
    """Put the next slice into the inbox; its number makes it one, however often it is asked for."""
    room.memory.inbox.insert(
        f"look:{run}:{step}", KIND_READ, {"run": run, "step": step}, priority=BY_ITSELF, due_at=due_at
    )


def on_read(room: Room, delivery: Delivery) -> str:
    """Read threads for some seconds, show how far it is, and leave the rest to the next row."""
    run = room.memory.lookbacks.get(delivery.payload["run"])
    step = delivery.payload["step"]
    if run is not None and run.state == _READING and run.step == step + 1:
        _next(room, run.run, run.step, due_at=None)  # a kill may have come before the next row was put in
    if run is None or run.step != step:
        return "not running"
    if run.state != _READING:
        return show_list(room, run.run)  # this row's own end is what a second try finds, its list not yet edited
    if not may_look_back(room, run.person, run.channel) or room.mode(run.channel) is Mode.OFF:
        return _give_up(room, run)
    if is_blocked(room, run.channel):
        return _give_up(room, run)
    before, until, due_at = run.read, time.monotonic() + SLICE_S, None
    try:
        while run is not None and run.state == _READING and time.monotonic() < until:
            left = room.memory.lookbacks.left(run.run, limit=1)
            if not left:
                room.memory.lookbacks.change(run.run, state=_DONE)
                break
            found = _read(room, run, left[0][0], last=delivery.attempt >= ATTEMPTS)
            room.memory.lookbacks.read(run.run, left[0][0], found)
            run = room.memory.lookbacks.get(run.run)
    except Refused:
        return _give_up(room, run)
    except Transient as away:
        if run is None or run.read == before:
            raise
        due_at = room.clock() + timedelta(seconds=away.retry_after_s or 2.0)
    return _slice_done(room, delivery.payload["run"], due_at)


def on_given_up(room: Room, delivery: Delivery) -> None:
    """Stop a run whose row was given up, so that its list offers to go on and nobody waits for it."""
    run = room.memory.lookbacks.get(delivery.payload["run"])
    if run is None or run.state != _READING or run.step != delivery.payload["step"]:
        return
    room.memory.lookbacks.change(run.run, state=_STOPPED)
    with suppress(Transient, Refused):
        show_list(room, run.run)


def _slice_done(room: Room, name: str, due_at: datetime | None) -> str:
    run = room.memory.lookbacks.get(name)
    if run is None:
        return "forgotten"
    if run.state == _READING:
        room.memory.lookbacks.change(name, step=run.step + 1)
        _next(room, name, run.step + 1, due_at=due_at)
    show_list(room, name)
    return f"{run.read} of {run.threads}"


def _read(room: Room, run: LookBack, ts: str, *, last: bool) -> tuple[str, ...]:
    """Read one thread and return what it decided that nobody has confirmed; the gate comes before all else."""
    try:
        with fetched(room, run.channel, ts, worth=lambda thread: is_worth(room, thread)) as thread:
            if thread is None or not is_worth(room, thread):
                return ()
            extractor = room.extractor.at_last() if last else room.extractor
            captured = capture_thread(
                room.memory, Unsure(extractor), thread, VOCABULARY, deadline_s=THREAD_S, gate=lambda _of, _words: True
            )
            recorded_late(room.memory, captured.decisions)
    except Refused as refused:
        if refused.code == "thread_not_found":
            return ()
        raise
    if room.memory.posts.by_key(f"ask:{run.channel}/{ts}") is not None:
        return ()  # whoever decided was asked already
    waiting = (one for one in captured.decisions if one.state is State.CURRENT and not one.confirmed)
    return tuple(str(one.id) for one in waiting)


def is_worth(room: Room, thread: Thread) -> bool:
    """Say whether a thread may decide something, those who are left out unheard: the gate's floor."""
    heard = without_left_out(room.memory, thread)
    return heard is not None and keeps(masked_thread(heard), VOCABULARY)


def _give_up(room: Room, run: LookBack | None) -> str:
    """Stop because there is nothing to read any more, or nobody to read it for."""
    if run is not None:
        room.memory.lookbacks.change(run.run, state=_STOPPED)
        show_list(room, run.run, gone=True)
    return "can't read there"


def _later(room: Room, delivery: Delivery, away: Transient, *, cursor: str) -> str:
    """Leave the rest to a row of its own: what got somewhere is no failed try."""
    payload = {**delivery.payload, "cursor": cursor}
    due_at = room.clock() + timedelta(seconds=away.retry_after_s or 2.0)
    room.memory.inbox.insert(f"look:{payload['view']}:{cursor}", KIND_LIST, payload, priority=CAPTURES, due_at=due_at)
    return "goes on later"
