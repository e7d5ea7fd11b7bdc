"""Whatever a workspace is like and whatever changes in it, nobody is shown what they could not read in Slack."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bot.answer_shape import answer_json
from bot.decision_shape import show_json
from bot.slack.answering.asking import ask_for, reader_here, worded
from bot.slack.answering.suggesting import suggestions
from bot.slack.home.data import mine_view
from bot.slack.home.gathering import gather
from bot.slack.home.homing import answer_for, history_behind
from bot.slack.home.owning import mine_of
from bot.slack.home.view import home_view
from bot.slack.layout import blocks
from bot.slack.layout.details import details_view
from bot.slack.recording.carding import standing
from bot.slack.recording.cards import card
from store import EVERYTHING, Reader
from tests.builders_readers import Script, Told, everything_of, scripts
from tests.builders_slack import Gateway, Stage, staged

EXAMPLES = itertools.count(1)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Gateway() as gateway, staged(tmp_path_factory.mktemp("home"), gateway) as opened:
        yield opened


@settings(
    max_examples=16,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # an example is a workspace: shrinking one takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(script=scripts)
def test_nothing_that_is_shown_holds_what_its_readers_could_not_read(stage: Stage, script: Script) -> None:
    told = Told(stage, next(EXAMPLES), script)
    told.begin()

    for user in told.people[:4]:
        alone(told, user)
    for change in script.changes:
        told.change(*change)
    for user in told.people:
        alone(told, user)
    for channel in (one for one in told.channels if one in stage.play.world.conversations):
        posts(told, channel)
    old_buttons(told)


def alone(told: Told, user: str) -> None:
    """Check all that one person is shown alone: the answer, what is behind it, lists, Home."""
    room, memory = told.stage.bot.room, told.stage.memory
    reader = room.access.reader_of(user)
    for asked in (f"what are the retries of {told.topic}?", f"why {next(iter(told.said_in), '')}?"):
        answer = ask_for(room, asked, reader, lambda: room.access.reader_of(user), user)
        main = memory.decision(answer.main, reader) if answer.main else None
        history = history_behind(room, main, reader) if main else ()
        shown = [
            worded(room, answer, alone=True),
            answer_json(answer),
            details_view(answer, history=history, votes=memory.votes(main.id, reader) if main else ()),
            memory.sessions.get(answer.session),
        ]
        assert told.leaked(everything_of(shown), user, asked=asked[4:-1]) == set()
    home = [home_view(gather(room, user)), *(mine_view(mine_of(room, user), page) for page in range(3))]
    assert told.leaked(everything_of(home), user, asked=next(iter(told.said_in), "")) == set(), "but their questions"
    lists(told, user, reader)


def lists(told: Told, user: str, reader: Reader) -> None:
    """Check what the memory lists for somebody, unless a channel was closed without the bot being told."""
    if told.unnoticed:
        return
    memory = told.stage.memory
    decisions = memory.decisions(reader)
    shown = [
        *(show_json(one, memory.votes(one.id, reader)) for one in decisions),
        memory.heads((), reader),
        memory.heads((f"service:{told.topic}",), reader),
        memory.conflicts(reader),
        suggestions(told.stage.bot.room, reader, told.channels[0]),
        *(memory.decision(one, reader) for one in told.said_in),
        *(memory.history(f"service:{one}", reader) for one in told.said_in),
        *(memory.votes(one, reader) for one in told.decisions),
    ]

    assert told.leaked(everything_of(shown), user) == set()


def posts(told: Told, channel: str) -> None:
    """Check what all who read a channel are shown: answers to each of them, and the cards of its threads."""
    room, memory = told.stage.bot.room, told.stage.memory
    readers = told.readers(channel)
    for user in readers[:3]:
        answer = ask_for(
            room,
            f"what are the retries of {told.topic}?",
            reader_here(room, channel, user, fresh=True),
            lambda user=user: reader_here(room, channel, user),  # type: ignore[misc]
            user,
        )
        shown = everything_of([blocks.answer(answer, alone=False), answer_json(answer), details_view(answer)])
        assert told.leaked(shown, *readers) == set()
    for decision in memory.decisions_by_ids(told.decisions, EVERYTHING):
        if decision.place.anchor.startswith(f"{channel}/"):
            found = standing(room, channel, decision.place.anchor)
            shown = everything_of(card(found).blocks if found else ()) + "".join(one.id for one in found)
            assert told.leaked(shown, *readers) == set()


def old_buttons(told: Told) -> None:
    """Check what opens for somebody who presses ⋯ of anybody's answer, in any channel."""
    room, memory = told.stage.bot.room, told.stage.memory
    sessions = [one.session for user in told.people for one in memory.sessions.of_asker(user, limit=1)]
    for user, session in itertools.product(told.people, sessions):
        answer = answer_for(room, user, told.channels[0], session)
        if answer is not None:
            kept = memory.sessions.get(session)
            assert kept is not None
            assert kept.asker_id == user
            assert told.leaked(json.dumps(details_view(answer)), user) == set()


__all__ = ["test_nothing_that_is_shown_holds_what_its_readers_could_not_read"]
