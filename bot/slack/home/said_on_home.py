"""Presses on Home whose question goes from it: what was noted is said at its top, with a way to take it back.

Idempotency key: that of what they do (`answering_how`, `removing`).
"""

from __future__ import annotations

from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.kit import button, message, section
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import Mrkdwn, bold, inert, join
from bot.slack.recording import removing
from bot.slack.rights import readable
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import say
from bot.slack.unasked import answering_how
from bot.slack.unasked.followups import question_on
from bot.slack.unasked.how_it_went import part
from store import Delivery, Verdict

TITLE_WORDS = 24


def answer_how(room: Room, delivery: Delivery, decision: str, verdict: Verdict) -> str:
    """Record how it went."""
    done = answering_how.on_answer(room, delivery, decision, verdict)
    asked = question_on(room, delivery.payload["user"], decision)
    if delivery.payload.get("home") and done == "voted" and asked is not None:
        say(room, delivery.payload, body_of(message(part(asked, now=room.clock(), alone=False, stopped=False).blocks)))
    return done


def deny(room: Room, delivery: Delivery, decision: str) -> str:
    """Drop a capture that was none."""
    pressed = delivery.payload
    found = readable(room, pressed["user"], decision)
    done = removing.on_deny(room, delivery, decision)
    if pressed.get("home") and found is not None and done == "removed":
        told = join(" ", (bold(Mrkdwn(words.NOTED_NO)), inert(to_words(found.title, TITLE_WORDS))))
        back = button(words.UNDO, act.ACTION_UNDO, act.encode(decision=found.id))
        say(room, pressed, body_of(message([section(told, accessory=back)])))
    return done
