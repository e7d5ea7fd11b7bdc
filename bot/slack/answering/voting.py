"""Votes on answers, by button and by emoji: on the answer's main decision, one a person, taken back when removed.

Idempotency key: the press or the reaction, one delivery each.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot import feedback
from bot.ports import Answer
from bot.slack.answering.reopened import reopened_for
from bot.slack.client import Json
from bot.slack.layout import actions as act
from bot.slack.layout import blocks, modals, notices, words
from bot.slack.rights import readable
from bot.slack.room import Room
from bot.slack.saying.posting import body_of, note_said
from bot.slack.saying.replying import not_offered, open_form, say, say_after_form, say_instead, whisper
from bot.sources.slack import ts_time
from store import Delivery, Scope, Trajectory, Verdict

THUMBS: Mapping[str, Verdict] = {
    "+1": Verdict.WORKED,
    "thumbsup": Verdict.WORKED,
    "-1": Verdict.FAILED,
    "thumbsdown": Verdict.FAILED,
}
"""Reactions that are votes, without their skin tones."""


def vote_by_emoji(room: Room, delivery: Delivery) -> str:
    """Count a thumb on one of the bot's answers, or take it back."""
    given = delivery.payload
    user, channel, verdict = given["user"], given["channel"], THUMBS[given["emoji"]]
    kept = _answer_at(room, channel, given["ts"])
    if kept is None or not kept.main:
        return "not an answer"
    if not (room.access.may_act(user, channel) and room.access.may_read(user, channel)):
        return "not allowed"
    reader, voter = room.access.reader_of(user), room.person(user)
    if not given["added"]:
        if standing_vote(room, kept.main, user) is not verdict:
            return "no such vote"
        at = ts_time(given["at"])
        taken = feedback.withdraw(room.memory, kept.main, voter, reader=reader, occasion=delivery.key, at=at)
        return "taken back" if taken else "no such vote"
    voted = feedback.vote(
        room.memory, kept.main, voter, verdict, reader=reader, occasion=delivery.key, at=ts_time(given["at"])
    )
    if voted is None:
        return "not readable"
    if room.memory.posts.by_key(_told_key(user)) is None:
        told = notices.thumb_counted(verdict, voted.decision.title, kept.session, counted=voted.counted)
        if whisper(room, channel, user, body_of(told), thread_ts=given["ts"]):
            note_said(room, key=_told_key(user), kind="told", channel=channel, ref=user)
    return "voted"


def vote_by_button(room: Room, delivery: Delivery, session: str, verdict: Verdict) -> str:
    """Count a pressed thumb and show its presser, alone, what was noted."""
    pressed = delivery.payload
    user = pressed["user"]
    kept = room.memory.sessions.get(session)
    if kept is None or not kept.main:
        return _gone(room, pressed)
    voted = feedback.vote(
        room.memory,
        kept.main,
        room.person(user),
        verdict,
        reader=room.access.reader_of(user),
        occasion=delivery.key,
        at=ts_time(pressed["at"]),
    )
    if voted is None:
        return _gone(room, pressed)
    _after_vote(room, pressed, kept, verdict, counted=voted.counted)
    return "voted"


def take_back(room: Room, delivery: Delivery, session: str, told: str) -> str:
    """Take a vote back and say so to its voter alone."""
    pressed = delivery.payload
    user = pressed["user"]
    kept = room.memory.sessions.get(session)
    if kept is None or not kept.main:
        return _gone(room, pressed)
    taken = feedback.withdraw(
        room.memory,
        kept.main,
        room.person(user),
        reader=room.access.reader_of(user),
        occasion=delivery.key,
        at=ts_time(pressed["at"]),
    )
    answer = _own_answer(room, kept, user)
    if pressed["ephemeral"] and answer is not None and told == words.TAKEN_BACK:
        say_instead(room, pressed, body_of(blocks.answer(answer, leave_out=not_offered(pressed))))
    elif pressed["ephemeral"]:
        say_instead(room, pressed, body_of(notices.notice(told)))
    else:
        say(room, pressed, body_of(notices.notice(told)))
    return "taken back" if taken else "no such vote"


def _after_vote(room: Room, pressed: Json, kept: Trajectory, verdict: Verdict, *, counted: bool) -> None:
    answer = _own_answer(room, kept, pressed["user"])
    if pressed["ephemeral"] and answer is not None:
        voted = blocks.answer(answer, voted=verdict, counted=counted, leave_out=not_offered(pressed))
        say_instead(room, pressed, body_of(voted))
    else:
        say(room, pressed, body_of(notices.voted(verdict, kept.session, counted=counted)))


def _own_answer(room: Room, kept: Trajectory, user: str) -> Answer | None:
    """Return an answer as its asker may see it now; None for anybody else."""
    return reopened_for(room, kept, user) if kept.asker_id == user else None


def _gone(room: Room, pressed: Json) -> str:
    """Tell whoever pressed that there is nothing left to vote on, or nothing that they can read."""
    say(room, pressed, body_of(notices.notice(words.VOTE_GONE)))
    return "no such answer"


def standing_vote(room: Room, decision: str, user: str) -> Verdict | None:
    """Return what somebody's vote on a decision is by now."""
    votes = room.memory.votes(decision, room.access.reader_of(user))
    return next((vote.verdict for vote in votes if vote.voter.id == user), None)


def say_why(room: Room, delivery: Delivery, session: str) -> str:
    """Ask how it went and why: with a reason one person's word counts."""
    kept = room.memory.sessions.get(session)
    found = readable(room, delivery.payload["user"], kept.main) if kept is not None and kept.main else None
    if found is None:
        return _gone(room, delivery.payload)
    return open_form(room, delivery.payload, modals.outcome_view(found))


def say_wrong(room: Room, delivery: Delivery, session: str) -> str:
    """Ask what was wrong with an answer."""
    return open_form(room, delivery.payload, modals.wrong_view(session))


def on_wrong(room: Room, delivery: Delivery) -> str:
    """Note an answer as wrong: a rejection with its category, no outcome; the log gets no word of the question."""
    view, user = delivery.payload["view"], delivery.payload["user"]
    target = act.decode(view["private_metadata"])
    kept = room.memory.sessions.get(target.session) if target else None
    chosen = modals.read_choice(view, tuple(words.WRONG_CATEGORIES))
    if kept is None or chosen.errors:
        return "not ours"
    about = next((one for name in (kept.main, *kept.refs) if (one := readable(room, user, name or ""))), None)
    if about is None and not room.access.may_act(user):
        return "not ours"
    main = about if about is not None and about.id == kept.main else None
    feedback.wrong_answer(
        room.memory,
        category=chosen.choice,
        by=room.person(user),
        scope=main.scope if main else Scope(id=f"person:{user}", open=False),
        occasion=delivery.key,
        recommendation=main.title if main else "",
        decision=main.id if main else None,
        role="decider" if main and feedback.is_decider(main, room.person(user)) else "",
        reason=chosen.reason,
    )
    say_after_form(room, delivery.payload, notices.notice(words.WRONG_TOLD))
    return "noted"


def on_outcome(room: Room, delivery: Delivery) -> str:
    """Record how a decision went, as somebody says on its card, with their reason."""
    view, user = delivery.payload["view"], delivery.payload["user"]
    target = act.decode(view["private_metadata"])
    chosen = modals.read_choice(view, tuple(verdict.value for verdict in Verdict))
    if target is None or chosen.errors or readable(room, user, target.decision) is None:
        return "not ours"
    voted = feedback.vote(
        room.memory,
        target.decision,
        room.person(user),
        Verdict(chosen.choice),
        reader=room.access.reader_of(user),
        occasion=delivery.key,
        at=delivery.received_at,
        reason=chosen.reason,
    )
    if voted is None:
        return "not readable"
    counts = "" if voted.counted else f" {words.COUNTS_LATER}"
    say_after_form(room, delivery.payload, notices.notice(f"{words.VOTE_COUNTED[voted.verdict]}{counts}"))
    return "voted"


def _answer_at(room: Room, channel: str, ts: str) -> Trajectory | None:
    post = room.memory.posts.by_ts(channel, ts)
    return room.memory.sessions.get(post.ref) if post is not None and post.kind == "answer" else None


def _told_key(user: str) -> str:
    """Return the key under which it is kept that somebody was told what a thumb means."""
    return f"thumb:{user}"
