"""Questions: by command to one person alone, by mention in a thread, by direct message.

Idempotency key: the delivery's own, under which the answer is planned before it is posted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

from bot import tokens
from bot.ports import Answer
from bot.slack.answering.suggesting import suggestions
from bot.slack.channel.channels import mode_message
from bot.slack.client import Json
from bot.slack.layout import blocks, notices, words
from bot.slack.layout.kit import Message, message, section
from bot.slack.layout.text import Mrkdwn, clean, code, join
from bot.slack.recording.following import close_behind
from bot.slack.recording.pointing import record_thread
from bot.slack.room import Room
from bot.slack.saying.posting import Words, body_of, post_once, respond_once
from bot.slack.saying.replying import NOT_ALONE, answer_alone, say, whisper
from bot.slack.saying.threads import as_seen
from store import Delivery, Reader

ROUNDS = 4
"""Answers tried while each brings up another channel made private unnoticed; then open ones count for nothing."""
LEAST_S = 1.0
"""Seconds that a model gets however late it is."""

_RECORD = re.compile(
    r"(?:(?:please|pls|hey|hi|can you|could you|would you)[\s,]+)*"
    r"(?:record|capture|remember|save|keep|note)\s*(?:this|that|it)?\s*(?:thread|decision)?"
    r"(?:[\s,]+(?:please|pls|for us|thanks|thank you))*\s*[.!?]*",
    re.I,
)
_HELP = re.compile(
    r"(?:hi|hey|hello|help|help me|usage|commands?|how does (?:this|it) work|how do (?:i|you) (?:use (?:this|it)|work)"
    r"|what can (?:you|i) (?:do|ask)(?: you)?|what (?:is this|are you|do you do)|who are you|why)?[\s.!?,:]*",
    re.I,
)
"""What asks about the bot, or nothing at all."""
_THANKS = re.compile(
    r"(?:many\s+)?(?:thanks|thank you|thx|ty|cheers|great|nice|cool|ok(?:ay)?)(?:\s+(?:a lot|so much|all))?[\s.!,]*",
    re.I,
)
"""What asks nothing and wants no answer."""


def asks_about_the_bot(text: str) -> bool:
    """Say whether a command asks nothing of the memory: it is told at once what it can ask."""
    return _HELP.fullmatch(clean(text)) is not None


def answered_at_once(text: str) -> bool:
    """Say whether what somebody typed after the command needs no looking through what was decided."""
    return asks_about_the_bot(text) or _asks_for_settings(text) or _asks_to_log_in(text)


def _asks_for_settings(text: str) -> bool:
    return clean(text).lower() == "settings"


def _asks_to_log_in(text: str) -> bool:
    return clean(text).lower() == "login"


def answer_command(room: Room, delivery: Delivery) -> str:
    """Answer `/why` to whoever typed it, also where the bot is no member."""
    asked = delivery.payload
    user, channel = asked["user"], asked["channel"]
    if not room.access.may_act(user, channel):
        say(room, asked, body_of(notices.notice(words.NOT_FOR_YOU)))
        return "not allowed"
    text = as_seen(room, asked["text"])
    if _asks_to_log_in(text):
        return _log_in(room, asked, user)

    def make() -> Words:
        reader = room.access.reader_of(user)
        if asks_about_the_bot(text):
            return Words(message=notices.empty(suggestions(room, reader, channel)))
        if _asks_for_settings(text) and not room.access.is_direct(channel):
            return Words(message=_settings(room, user, channel))
        answer = ask_for(room, text, reader, lambda: room.access.reader_of(user), user, delivery)
        return worded(room, answer, alone=True)

    send = partial(answer_alone, room, asked)
    respond_once(room, key=f"answer:{delivery.key}", channel=channel, make=make, send=send)
    return "answered"


def _log_in(room: Room, asked: Json, user: str) -> str:
    """Give somebody a token for their own tools, shown once and to them alone.

    Nothing of it is planned or kept, so a redelivery gives another one, which ends this one.
    """
    if not room.settings.slack_signing_secret:
        say(room, asked, body_of(notices.notice(words.LOGIN_NOWHERE)))
        return "nowhere to log in"
    token = tokens.issue(room.memory.beside.tokens, user, room.clock())
    shown = code(Mrkdwn(f"BACKSTORY_TOKEN={token}"))
    told = Mrkdwn(words.LOGIN.format(days=tokens.DAYS))
    return "logged in" if say(room, asked, body_of(message([section(join("\n", (told, shown)))]))) else "not shown"


def _settings(room: Room, user: str, channel: str) -> Message:
    """Say how a channel captures to whoever reads it; where the bot is no member it captures nothing."""
    raw = room.access.raw_channel(channel, fresh=True)
    if raw is None or raw.get("is_member") is False or not room.access.may_read(user, channel):
        return notices.notice(words.NOT_HERE)
    return mode_message(room, channel)


def answer_question(room: Room, delivery: Delivery) -> str:
    """Answer a mention in its thread, for all who read it, or a direct message right below it."""
    asked = delivery.payload
    user, channel = asked["user"], asked["channel"]
    if not room.access.may_act(user, channel):
        return "not allowed"
    alone = room.access.is_direct(channel)
    text, thread_ts = as_seen(room, asked["text"]), asked["thread_ts"] or ("" if alone else asked["ts"])
    if _RECORD.fullmatch(text) and not alone:
        return record_thread(room, channel, asked["ts"], user, attempt=delivery.attempt)
    if _THANKS.fullmatch(text):
        return "thanked"
    if asks_about_the_bot(text) and alone:
        how = Words(message=notices.empty(suggestions(room, room.access.reader_of(user), channel)))
        post_once(
            room, key=f"answer:{delivery.key}", kind="told", channel=channel, thread_ts=thread_ts, make=lambda: how
        )
        return "told how"
    if asks_about_the_bot(text):
        told = notices.empty(suggestions(room, room.access.reader_of(user), channel))
        whisper(room, channel, user, body_of(told), thread_ts=asked["thread_ts"])
        return "told how"
    if room.with_claude and delivery.attempt == 1:
        whisper(room, channel, user, body_of(notices.interim()), thread_ts=asked["thread_ts"])

    def make() -> Words:
        reader = reader_here(room, channel, user, fresh=True)
        answer = ask_for(room, text, reader, lambda: reader_here(room, channel, user), user, delivery)
        return worded(room, answer, alone=alone, direct=alone)

    post_once(room, key=f"answer:{delivery.key}", kind="answer", channel=channel, thread_ts=thread_ts, make=make)
    return "answered"


def reader_here(room: Room, channel: str, user: str, *, fresh: bool = False) -> Reader:
    """Return for whom a post in a channel is, its asker among them."""
    return room.access.readers_of_channel(channel, fresh=fresh).and_also(room.access.reader_of(user))


def ask_for(
    room: Room, text: str, reader: Reader, now: Callable[[], Reader], user: str, delivery: Delivery | None = None
) -> Answer:
    """Answer for a reader, and once more for what is left where access changed while a model was asked."""
    answer = ask(room, text, reader, user, delivery)
    return answer if (left := now()) == reader else ask(room, text, reader.and_also(left), user, delivery)


def ask(room: Room, text: str, reader: Reader, user: str, delivery: Delivery | None = None) -> Answer:
    """Answer a question for a reader, within what is left of the seconds since it was asked."""
    waited = room.clock() - delivery.received_at if delivery is not None else timedelta()
    deadline_s = max(LEAST_S, room.patience_s - waited.total_seconds())
    for _ in range(ROUNDS):
        answer = room.answers.ask(text, reader, asker=room.person(user), deadline_s=deadline_s)
        if not close_behind(room, answer):
            return answer
    narrowed = replace(reader, sees_open=False)
    return room.answers.ask(text, narrowed, asker=room.person(user), deadline_s=deadline_s)


def worded(room: Room, answer: Answer, *, alone: bool, direct: bool = False, shared_by: str = "") -> Words:
    """Lay an answer out, with what it is about; there is nobody to share it with in a direct message."""
    leave_out = NOT_ALONE if direct or not alone else frozenset[str]()
    return Words(
        message=blocks.answer(answer, alone=alone, shared_by=shared_by, leave_out=leave_out),
        ref=answer.session,
        decisions=decisions_of(answer),
    )


def decisions_of(answer: Answer) -> tuple[str, ...]:
    """Return the decisions that an answer shows, each once."""
    return tuple(dict.fromkeys(line.decision.id for line in (*answer.evidence, *answer.unconfirmed)))
