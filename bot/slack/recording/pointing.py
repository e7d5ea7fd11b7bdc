"""Reaction, shortcut and mention that point at a thread, and what whoever pointed is told.

Idempotency key: the thread's; a preview is held for its modal alone and written nowhere.
"""

from __future__ import annotations

from contextlib import suppress

from bot.capture import left_out_setting
from bot.errors import ModelAway, Transient
from bot.jobs import ATTEMPTS
from bot.ports import Extraction
from bot.slack.client import Json, Refused
from bot.slack.layout import actions as act
from bot.slack.layout import modals, notices, words
from bot.slack.layout.kit import Block, Message, modal, section
from bot.slack.layout.text import Mrkdwn
from bot.slack.recording.capturing import Given, drafts_of, is_blocked, point_at
from bot.slack.room import Room, inviter_setting
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import whisper
from bot.slack.saying.threads import fetched
from bot.sources.slack import turn_id_of
from store import Delivery, Draft, Quote, StoreError, Thread

KIND_PREVIEW = "preview"


def record_thread(room: Room, channel: str, ts: str, user: str, *, attempt: int) -> str:
    """Record the thread of a message, and tell whoever pointed when nothing came of it, or not yet, or by rules.

    Raises:
        ModelAway: the model is; they were told at the first attempt, and nothing was written.
        StoreError: the memory can't be written; they were told likewise.
        Transient: Slack is away.
    """
    try:
        pointed = point_at(room, channel, ts, user, attempt=attempt)
    except (ModelAway, StoreError) as error:
        if attempt == 1:
            later = words.READ_LATER if isinstance(error, ModelAway) else words.WRITTEN_LATER
            with suppress(Transient):
                whisper(room, channel, user, body_of(notices.notice(later)), thread_ts=ts)
        raise
    told = refusal(room, channel, pointed.refusal)
    if told is not None and pointed.refusal != "not here":
        whisper(room, channel, user, body_of(told), thread_ts=ts)
    if pointed.captured is not None and pointed.captured.by_rules is not None:
        by_rules = notices.notice(words.READ_BY_RULES[pointed.captured.by_rules])
        whisper(room, channel, user, body_of(by_rules), thread_ts=ts)
    return pointed.done


def refusal(room: Room, channel: str, why: str) -> Message | None:
    """Word why nothing came of a thread that somebody pointed at; None where something did."""
    match why:
        case "off":
            inviter = room.memory.setting(inviter_setting(channel))
            return notices.capture_off(room.access.name_of(inviter) if inviter else "")
        case "blocked":
            return notices.notice(words.KEPT_OUT_STAYS)
        case "nothing":
            return notices.notice(words.NOTHING_FOUND)
        case "left out":
            return notices.notice(words.IS_LEFT_OUT)
        case "not here":
            return notices.notice(words.NOT_HERE)
        case _:
            return None


def leave_out(room: Room, channel: str, ts: str, user: str, added: bool) -> str:
    """Leave a thread out for good, or until its 🙈 is taken back."""
    if not (room.access.may_act(user, channel) and room.access.may_read(user, channel)):
        return "not allowed"
    try:
        with fetched(room, channel, ts) as thread:
            anchor = thread.place.anchor if thread is not None else f"{channel}/{ts}"
    except Refused:
        return "not a member"
    room.memory.set_setting(left_out_setting(anchor), "yes" if added else "no", by=room.person(user))
    return "left out" if added else "taken back"


# --- the shortcut with its preview ---


def on_shortcut(room: Room, delivery: Delivery) -> str:
    """Open the preview's modal while its trigger lives; the thread is read by a row of its own."""
    asked = delivery.payload
    user, channel, ts = asked["user"], asked["channel"], asked["ts"]
    if not (channel and ts):
        return "not a message"
    view = room.client.open_view(asked["trigger"], modals.preview_waiting())
    payload = {"user": user, "channel": channel, "ts": ts, "view": view}
    room.memory.inbox.insert(f"preview:{view}", KIND_PREVIEW, payload, priority=delivery.priority + 1)
    return "opened"


def on_preview(room: Room, delivery: Delivery) -> str:
    """Show in an open modal what would be kept of a thread; keep none of it."""
    asked = delivery.payload
    user, channel, view = asked["user"], asked["channel"], asked["view"]
    shown = _preview(room, channel, asked["ts"], user, view)
    try:
        room.client.update_view(view, shown)
    except Refused:
        room.previews.pop(view)
        return "closed meanwhile"
    return "previewed"


def _preview(room: Room, channel: str, ts: str, user: str, view: str) -> Block:
    if not (room.access.may_act(user, channel) and room.access.may_read(user, channel)):
        return _told(notices.notice(words.NOT_HERE))
    if is_blocked(room, channel):
        return _told(notices.notice(words.KEPT_OUT_STAYS))
    if room.mode(channel) == "off":
        return _told(refusal(room, channel, "off") or notices.notice(words.NOT_HERE))
    try:
        root, found = drafts_of(room, channel, ts)
    except Refused:
        return _told(notices.notice(words.NOT_HERE))
    except Transient:
        return _told(notices.notice(words.SLOW_THREAD))
    room.previews.put(view, found)
    return modals.preview_view(found.drafts, act.encode(turn=turn_id_of(channel, root), other=ts))


def _told(told: Message) -> Block:
    return modal(words.TITLE_PREVIEW, [section(Mrkdwn(told.blocks[0]["text"]["text"]))])


def on_previewed(room: Room, view: Json, user: str) -> str:
    """Record what somebody kept of a preview, or typed in its place."""
    target = act.decode(view["private_metadata"])
    if target is None or "/" not in target.turn:
        return "not ours"
    channel, _, root = target.turn.partition("/")
    found = room.previews.pop(view["id"]) or Extraction(drafts=())
    drafts = found.drafts
    kept = modals.read_kept(view, max(len(drafts), modals.DRAFTS_MAX))
    if kept is not None and not drafts:
        # the process began anew while the modal stood open; nobody looks at a second preview, so nothing is put off
        return record_thread(room, channel, root, user, attempt=ATTEMPTS)
    chosen = tuple(drafts[place] for place in kept or () if place < len(drafts))
    if kept is None:  # nothing had been found, so the modal asked for a sentence
        typed = _typed(room, channel, target.other or root, view)
        chosen = (typed,) if typed is not None else ()
    if not chosen:
        return "nothing chosen"
    given = Given(chosen, provenance=found.provenance if kept else "person")
    pointed = point_at(room, channel, root, user, given=given)
    if (told := refusal(room, channel, pointed.refusal)) is not None:
        whisper(room, channel, user, body_of(told))
    return pointed.done


def _typed(room: Room, channel: str, ts: str, view: Json) -> Draft | None:
    """Return what somebody typed as a draft that rests on the message that they pointed at."""
    edited = modals.read_edit(view)
    if edited is None or edited.errors:
        return None
    with fetched(room, channel, ts) as thread:
        quote = _quote(thread, turn_id_of(channel, ts))
    return Draft(
        title=edited.title,
        rationale=edited.reason,
        alternatives=edited.alternatives,
        evidence=(quote,) if quote else (),
    )


def _quote(thread: Thread | None, turn_id: str) -> Quote | None:
    for turn in thread.turns if thread else ():
        if turn.turn_id == turn_id:
            return Quote(
                quote=turn.text, author=turn.author, author_id=turn.author_id, at=turn.occurred_at,
                permalink=turn.permalink, turn_id=turn.turn_id,
            )  # fmt: skip
    return None
