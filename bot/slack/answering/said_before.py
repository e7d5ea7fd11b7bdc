"""Said before: who proposes what was turned down or replaced is told so, alone and once, where a channel chose that.

A message in such a channel leaves only its ids in the inbox; its text is fetched from Slack when it is looked at,
and kept nowhere. No model is asked. What was never confirmed, what whoever proposes may not read, and what this
very thread decided is never brought up.

Idempotency key: the person and the decision.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from bot import feedback
from bot.capture import person_left_out
from bot.errors import Transient
from bot.slack.client import Json, Refused
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import citation_of, day_of
from bot.slack.layout.kit import Message, actions, button, context, message, section
from bot.slack.layout.notices import notice
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import NOTHING, Mrkdwn, bold, code, inert, join
from bot.slack.recording.capturing import is_blocked
from bot.slack.recording.following import close_converted
from bot.slack.rights import readable
from bot.slack.room import Mode, Room, said_before_setting
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import say_instead, whisper
from bot.slack.saying.threads import as_seen
from bot.turned_down import TurnedDown, proposes, turned_down
from store import Decision, DecisionId, Delivery, Question, Reader, State, Status, Verdict

APART = timedelta(days=1)
"""Nobody is told twice within a day, whatever they propose."""
DIFFERENT, OTHER = "different now", "other thing"
"""What people say to it, as it is kept."""
TITLE_WORDS = 16
WHY_WORDS = 20


def asks_here(room: Room, channel: str) -> bool:
    """Say whether a channel chose to be told; nothing is said unasked where capture is off."""
    return room.is_on(said_before_setting(channel)) and room.mode(channel) is not Mode.OFF


def on_proposed(room: Room, delivery: Delivery) -> str:
    """Look at a message that proposes something, and tell its author where that was turned down or replaced."""
    said = delivery.payload
    user, channel, ts = said["user"], said["channel"], said["ts"]
    if not asks_here(room, channel) or is_blocked(room, channel) or person_left_out(room.memory, user):
        return "not asked for"
    if not (room.access.may_act(user, channel) and room.access.may_read(user, channel)):
        return "not allowed"
    told_at = room.memory.raised.last_told(user)
    if told_at is not None and room.clock() - told_at < APART:
        return "told lately"
    text, root = _text_of(room, channel, ts, user)
    if not proposes(text):
        return "no proposal"
    met = _met(room, text, f"{channel}/{root}", room.access.reader_of(user))
    if met is None:
        return "nothing turned down"
    return _tell(room, said, met)


def _tell(room: Room, said: Json, met: TurnedDown) -> str:
    user, name = said["user"], met.decision.id
    if not room.memory.raised.tell(user, name, room.clock()):
        return "told before"
    thread = said["thread_ts"] if said["thread_ts"] != said["ts"] else ""
    try:
        shown = whisper(room, said["channel"], user, body_of(said_before(met)), thread_ts=thread)
    except Transient:
        room.memory.raised.untell(user, name)
        raise
    return "told" if shown else "not shown"


def _text_of(room: Room, channel: str, ts: str, user: str) -> tuple[str, str]:
    """Fetch a message as its readers see it, and its thread's root; no text where it is gone or somebody else's."""
    try:
        messages = room.client.thread(channel, ts)
    except Refused:
        return "", ts
    own = next((one for one in messages if one.get("ts") == ts and one.get("user") == user), None)
    if own is None:
        return "", ts
    return as_seen(room, str(own.get("text") or "")), str(own.get("thread_ts") or ts)


def _met(room: Room, text: str, anchor: str, reader: Reader) -> TurnedDown | None:
    """Return what a proposal meets, of what stands confirmed elsewhere and may be read by its author now."""

    def older(ids: Iterable[DecisionId]) -> tuple[Decision, ...]:
        return room.memory.decisions_by_ids(list(ids), reader)

    def read() -> TurnedDown | None:
        recall = room.memory.recall(Question(text=text), reader)
        elsewhere = [one for one in recall.order if one.decision.place.anchor != anchor]
        met = turned_down(text, elsewhere, older)
        fits = met is not None and met.decision.confirmed and met.decision.place.anchor != anchor
        return met if fits else None

    met = read()
    return read() if met is not None and close_converted(room, [met.decision]) else met


# --- what is said ---


def said_before(met: TurnedDown) -> Message:
    """Tell a proposer, alone, what was turned down, when, why, what was chosen, and when to look again."""
    one = met.decision
    matter = bold(inert(to_words(met.option or one.title, TITLE_WORDS)))
    first = Mrkdwn(_form(one, met.option).format(matter=matter, day=day_of(one)))
    told = join(" ", (join(": ", (first, _why(met))), citation_of(one)))
    chosen = words.DECIDED_INSTEAD.format(title=inert(to_words(one.title, TITLE_WORDS))) if met.option else ""
    again = _again(one.revisit_when.strip().rstrip(".")) if one.revisit_when.strip() else ""
    value = act.encode(decision=one.id)
    row = (
        button(words.DIFFERENT_NOW, act.ACTION_DIFFERENT_NOW, value),
        button(words.OTHER_THING, act.ACTION_OTHER_THING, value),
    )
    below = join(" ", (Mrkdwn(chosen), Mrkdwn(again)))
    fewer = Mrkdwn(words.CHOSEN_HERE.format(command=code(Mrkdwn(words.SETTINGS_COMMAND))))
    return message([section(join("\n", (told, below))), actions(row), context(fewer)])


def _again(when: str) -> str:
    """Return "Look again past 5 M rows.", or with a colon where the condition is no phrase of its own."""
    form = words.LOOK_AGAIN if when.split()[0].lower() in words.AGAIN_WORDS else words.LOOK_AGAIN_IF
    return form.format(when=inert(to_words(when, TITLE_WORDS)))


def _form(one: Decision, option: str) -> str:
    if option or one.status is Status.REJECTED:
        return words.SAID_OPTION if option else words.SAID_TURNED_DOWN
    return words.SAID_FAILED if one.voices.label is Verdict.FAILED else words.SAID_REPLACED


def _why(met: TurnedDown) -> Mrkdwn:
    """Return the reason, in quotation marks where somebody said just that."""
    why = met.why.strip()
    if not why:
        return NOTHING
    said = any(why in quote.quote for quote in met.decision.evidence)
    short = to_words(why, WHY_WORDS)
    return inert(f'"{short}"' if said else short)


# --- what is said to it ---


def different_now(room: Room, delivery: Delivery, decision: str) -> str:
    """Note that things have changed, and say how to record what is decided now."""
    pressed = delivery.payload
    if readable(room, pressed["user"], decision) is None:
        return "not readable"
    room.memory.raised.replied(pressed["user"], decision, DIFFERENT)
    say_instead(room, pressed, body_of(notice(words.DIFFERENT_NOTED)))
    return "noted"


def other_thing(room: Room, delivery: Delivery, decision: str) -> str:
    """Note that it was another thing: a rejection of what was brought up, no outcome of the decision."""
    pressed = delivery.payload
    found = readable(room, pressed["user"], decision)
    if found is None or found.state is State.RETRACTED:
        return "not readable"
    person = room.person(pressed["user"])
    feedback.wrong_answer(
        room.memory,
        category="not_relevant",
        by=person,
        scope=found.scope,
        occasion=delivery.key,
        recommendation=found.title,
        decision=found.id,
        role="decider" if feedback.is_decider(found, person) else "",
    )
    room.memory.raised.replied(pressed["user"], decision, OTHER)
    say_instead(room, pressed, body_of(notice(words.OTHER_NOTED)))
    return "noted"
