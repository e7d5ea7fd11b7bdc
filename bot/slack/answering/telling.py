"""Tell me when it is: one direct message to whoever wished it, once a decision recorded later answers their question.

A wish holds ids alone; the question lies with its session. Whoever asked the team waits for what is recorded in
that thread as well. What they may read is asked anew when it is sent.

Idempotency key: the session and the person; one wish is one message.
"""

from __future__ import annotations

from bot.evidence import is_unsure
from bot.jobs import FOLLOWS
from bot.ports import Answer
from bot.slack.answering.asking import ask, decisions_of
from bot.slack.answering.reopened import reopened_for
from bot.slack.client import Refused
from bot.slack.layout import blocks, notices, words
from bot.slack.recording.following import close_converted
from bot.slack.room import Room
from bot.slack.saying.posting import ALONE, Words, body_of, post_once
from bot.slack.saying.replying import NOT_ALONE, not_offered, say, say_instead
from bot.sources.slack import SOURCE
from store import Decision, Delivery, Memory, Question, Reader, State, Trajectory, Wish

KIND_WANTED = "wanted"
LOOKS_AT = 20
"""Decisions of one thread that are looked at for an answer."""


# --- wishing ---


def tell_me(room: Room, delivery: Delivery, session: str) -> str:
    """Note that somebody wants to be told, and show them that they will be."""
    pressed = delivery.payload
    kept = _seen_by(room, session, pressed["user"], pressed["channel"])
    if kept is None:
        say(room, pressed, body_of(notices.notice(words.QUESTION_GONE)))
        return "no such question"
    wish = Wish(session=session, person=pressed["user"], wished_at=kept.asked_at)
    if room.memory.wanted.add(wish):  # it may have been decided between the question and the wish
        now = {"position": room.memory.last_change()}
        room.memory.inbox.insert(f"wanted:{delivery.key}", KIND_WANTED, now, priority=FOLLOWS)
    _show(room, delivery, kept, waiting=True)
    return "noted"


def tell_me_not(room: Room, delivery: Delivery, session: str) -> str:
    """Take a wish back, and show the question as it was."""
    pressed = delivery.payload
    ended = room.memory.wanted.drop(session, pressed["user"])
    if (kept := _seen_by(room, session, pressed["user"], pressed["channel"])) is not None:
        _show(room, delivery, kept, waiting=False)
    return "taken back" if ended else "no such wish"


def _show(room: Room, delivery: Delivery, kept: Trajectory, *, waiting: bool) -> None:
    """Put the answer with its other button in place of one that they alone see; else say it beside it."""
    pressed = delivery.payload
    answer = reopened_for(room, kept, pressed["user"]) if kept.asker_id == pressed["user"] else None
    if pressed["ephemeral"] and answer is not None and answer.shape == "nothing":
        say_instead(room, pressed, body_of(blocks.answer(answer, waiting=waiting, leave_out=not_offered(pressed))))
    elif pressed["ephemeral"]:
        say_instead(room, pressed, body_of(notices.will_tell(kept.session) if waiting else notices.wont_tell()))
    else:
        say(room, pressed, body_of(notices.will_tell(kept.session) if waiting else notices.wont_tell()))


def _seen_by(room: Room, session: str, user: str, channel: str) -> Trajectory | None:
    """Return a question that found nothing: one's own, or one that was asked where one reads."""
    kept = room.memory.sessions.get(session)
    if kept is None or (kept.answer is not None and kept.answer.get("shape") != "nothing"):
        return None
    if kept.asker_id == user:
        return kept
    posted = (post for post in room.memory.posts.for_ref(session) if post.ts not in ("", ALONE))
    shown = any(post.channel == channel for post in posted)
    return kept if shown and room.access.may_read(user, channel) else None


# --- looking whether a wish was met ---


def due_look(memory: Memory) -> bool:
    """Put a look into the inbox where something changed since the wishes were last looked at; True when it is new."""
    looked = memory.wanted.furthest_behind()
    if looked is None or looked >= (position := memory.last_change()):
        return False
    return memory.inbox.insert(f"wanted:{position}", KIND_WANTED, {"position": position}, priority=FOLLOWS)


def on_wanted(room: Room, delivery: Delivery) -> str:
    """Look at every wish that is behind the log, and send what meets one."""
    position, told = int(delivery.payload["position"]), 0
    for wish in room.memory.wanted.behind(position):
        kept = room.memory.sessions.get(wish.session)
        if kept is None or not kept.question:
            room.memory.wanted.drop(wish.session, wish.person)
        elif (met := _met(room, wish, kept)) is not None:
            _send(room, wish, met)
            told += 1
        else:
            room.memory.wanted.looked(wish, position)
    return f"told {told}"


def _met(room: Room, wish: Wish, kept: Trajectory) -> Words | None:
    """Return what to tell somebody; None while nothing that they may read now, and that came later, answers it."""
    reader = room.access.reader_of(wish.person, fresh=True)
    if answered_by(room, kept, reader) is not None:
        answer = ask(room, kept.question, reader, wish.person)
        if _is_later(answer, kept):
            told = notices.told_answer(kept.question, blocks.answer(answer, leave_out=NOT_ALONE))
            return Words(message=told, ref=answer.session, decisions=decisions_of(answer))
    found = recorded_at(room, wish.anchor, reader) if wish.anchor else ()
    if not found:
        return None
    told = notices.told_decided(kept.question, found[-1])
    return Words(message=told, ref=kept.session, decisions=(found[-1].id,))


def answered_by(room: Room, kept: Trajectory, reader: Reader) -> Decision | None:
    """Return the decision that answers a question and was recorded after it was asked; None where none surely does."""
    recall = room.memory.recall(Question(text=kept.question), reader)
    if recall.abstained or not recall.ranked:
        return None
    first = recall.ranked[0]
    stands = first.decision.confirmed and first.decision.state is State.CURRENT
    later = first.decision.recorded_at > kept.asked_at
    return first.decision if stands and later and not is_unsure(first, kept.question) else None


def _is_later(answer: Answer, kept: Trajectory) -> bool:
    """Say whether an answer rests on something that was recorded after the question was first asked."""
    return answer.shape != "nothing" and any(line.decision.recorded_at > kept.asked_at for line in answer.evidence)


def recorded_at(room: Room, anchor: str, reader: Reader) -> tuple[Decision, ...]:
    """Return what stands recorded in one thread, oldest first, as a reader may see it now."""

    def read() -> tuple[Decision, ...]:
        found = room.memory.at_place(SOURCE, anchor, reader)[-LOOKS_AT:]
        return tuple(one for one in found if one.confirmed and one.state is State.CURRENT and one.title)

    found = read()
    return read() if close_converted(room, found) else found


def _send(room: Room, wish: Wish, met: Words) -> None:
    """Send the one message of a wish, and end it; somebody whom Slack no longer takes messages for gets none."""
    key = f"told:{wish.session}:{wish.person}"
    there = room.client.direct_with(wish.person)
    held = room.memory.posts.by_key(key)
    if held is not None and there and held.channel != there:
        room.memory.posts.moved(key, there)  # begun when they had no conversation with the bot: it may stand there now
    try:
        post_once(room, key=key, kind="answer", channel=there or wish.person, thread_ts="", make=lambda: met)
    except Refused:
        room.memory.posts.drop(key)
    else:
        if not there and (opened := room.client.direct_with(wish.person)):
            room.memory.posts.moved(key, opened)
    room.memory.wanted.drop(wish.session, wish.person)
