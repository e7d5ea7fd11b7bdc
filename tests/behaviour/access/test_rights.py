"""Who may do what, as PEOPLE.md has it: every act by every kind of person, through the real app.

Whoever sees a button presses it; for the others a request is made up that names the same things: it grants nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.playground import Channel, Member, Refusal, Workspace, screen
from bot.slack.channel.channel_form import ChannelSettings, channel_view
from bot.slack.layout import actions as act
from bot.slack.layout import modals
from bot.slack.recording.carding import redraw_around
from bot.slack.recording.settle_form import settle_view
from bot.slack.room import Mode, inviter_setting, mode_setting
from store import EVERYTHING, Decision, Person, State, Verdict
from tests.builders_slack import Gateway, Stage, staged

LENA, OMAR, RAJ = "U0LENA", "U0OMAR", "U0RAJ"
KINDS = {
    "decider": LENA, "author": OMAR, "reader": RAJ, "inviter": "U0IDA", "creator": "U0CLEO", "admin": "U0ADAM",
    "admin by settings": "U0BEA", "guest inside": "U0GUS", "guest outside": "U0GIL", "no reader": "U0NOOR",
    "external": "U0EVE", "bot": "U0ROBOT", "gone": "U0DAN",
}  # fmt: skip
READERS = ("decider", "author", "reader", "guest inside")
OUTSIDE = ("guest outside", "no reader", "external", "bot", "gone")
OF_RANK = ("inviter", "creator", "admin", "admin by settings")
YES, NO, SECOND_TAP = "yes", "no", "second tap"


def table() -> Iterator[tuple[str, str, str]]:
    """Yield (act, kind of person, what comes of it): PEOPLE.md, "Who may do what"."""
    for what in ("capture", "vote", "confirm", "edit", "replaces", "settle", "undo a removal"):
        yield from ((what, kind, YES) for kind in READERS)
        yield from ((what, kind, NO) for kind in OUTSIDE)
    for kind in (*READERS, *OF_RANK, *OUTSIDE):
        one_tap = kind in ("decider", "author")
        yield "not a decision", kind, YES if one_tap else NO if kind in OUTSIDE else SECOND_TAP
        yield "undo an edit", kind, YES if kind in ("decider", "creator") else NO  # it was the creator's edit
        yield "erase text", kind, YES if kind in ("author", "admin", "admin by settings") else NO
        yield "set the mode", kind, YES if kind in OF_RANK else NO
        yield "look back", kind, YES if kind in ("admin", "admin by settings") else NO


TABLE = tuple(dict.fromkeys(table()))


def workspace() -> Workspace:
    inside = tuple(KINDS[kind] for kind in (*READERS, *OF_RANK, "no reader", "bot"))
    channels = (
        Channel(id="C0SEARCH", name="search", members=(*inside, "UBACKSTORY"), creator="U0CLEO"),
        Channel(id="C0EXEC", name="exec", members=(LENA, OMAR, "UBACKSTORY"), private=True, creator=LENA),
        Channel(id="C0LOBBY", name="lobby", members=(LENA, "U0GIL"), creator=LENA),
        Channel(id="C0PARTNER", name="partner", members=(LENA, "U0EVE", "UBACKSTORY"), connected=True, creator=LENA),
    )
    special = {
        "U0ADAM": {"admin": True}, "U0GUS": {"guest": "multi"}, "U0GIL": {"guest": "multi"},
        "U0EVE": {"team_id": "T0OTHER"}, "U0ROBOT": {"is_bot": True}, "U0DAN": {"deactivated": True},
    }  # fmt: skip
    members = tuple(
        Member(id=user, name=user[2:].lower(), real_name=user[2:].title(), **special.get(user, {}))  # type: ignore[arg-type]
        for user in KINDS.values()
    )
    return Workspace(members=members, channels=channels)


def has(message: Mapping[str, Any], action: str, value: str) -> bool:
    """Say whether just that button stands on a message: others may have one of the same action."""
    parts = [part for block in message["blocks"] for part in (*block.get("elements", ()), block.get("accessory") or {})]
    return any(part.get("action_id") == action and part.get("value") == value for part in parts)


@dataclass
class Town:
    """The stage with two decisions that all of #search read, and two that only two people of #exec do."""

    stage: Stage
    count: Iterator[int] = field(default_factory=itertools.count)
    threads: dict[str, str] = field(default_factory=dict)

    def decide(self, channel: str = "search") -> Decision:
        """Let Lena decide something to which Omar agrees; every time something else."""
        word = f"topic{next(self.count)}"
        self.stage.extractor.finds.clear()
        self.stage.extractor.find(f"so {word}", f"We go with {word}")
        ts = self.stage.play.post("lena", channel, f"so {word} it is, we go with {word}")
        self.stage.play.post("omar", channel, f"agreed, {word}", thread_ts=ts)
        self.stage.play.react("lena", channel, ts, "bookmark")
        self.stage.settle()
        decided = next(one for one in self.stage.decisions() if word in one.title)
        self.threads[decided.id] = ts
        return decided

    def now(self, decision: str) -> Decision:
        found = self.stage.memory.decision(decision, EVERYTHING)
        assert found is not None
        return found

    def press(self, user: str, action: str, value: str, decision: Decision | None = None) -> None:
        """Press a button where they see it; else make up a request that names the same."""
        thread = self.threads[decision.id] if decision else ""
        cards = [card for card in self.stage.play.bot_messages("search", thread_ts=thread) if has(card, action, value)]
        try:
            self.stage.play.press(user, cards[-1], action)
        except (Refusal, IndexError):
            self.stage.interact({
                "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": user}, "trigger_id": "1.1",
                "actions": [{"action_id": action, "block_id": "b", "action_ts": f"1.{next(self.count)}",
                             "value": value}],
                "channel": {"id": "C0SEARCH"}, "container": {"message_ts": "1.0"},
            })  # fmt: skip
        self.stage.settle()


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    home = tmp_path_factory.mktemp("rights")
    with Gateway() as gateway, staged(home, gateway, workspace=workspace(), admins=frozenset({"U0BEA"})) as stage:
        stage.memory.set_setting(inviter_setting("C0SEARCH"), "U0IDA", by=Person(name="Ida", id="U0IDA"))
        yield Town(stage)


@pytest.fixture(scope="module")
def pairs(town: Town) -> dict[str, tuple[Decision, Decision]]:
    return {channel: (town.decide(channel), town.decide(channel)) for channel in ("search", "exec")}


# --- the acts: each says what came of it, and puts things back ---

Act = Callable[[Town, str, Decision, Decision], str]


def capture(town: Town, user: str, one: Decision, other: Decision) -> str:
    """Point at a thread of the same channel that nobody has pointed at."""
    word = f"topic{next(town.count)}"
    channel = one.place.anchor.partition("/")[0]
    town.stage.extractor.finds.clear()
    town.stage.extractor.find(f"so {word}", f"We go with {word}")
    ts = town.stage.play.post("lena", channel, f"so {word} it is, we go with {word}")
    try:
        town.stage.play.react(user, channel, ts, "bookmark")
    except Refusal:
        event = {"type": "reaction_added", "user": user, "reaction": "bookmark", "event_ts": f"17.{next(town.count)}",
                 "item": {"type": "message", "channel": channel, "ts": ts}}  # fmt: skip
        town.stage.play.deliver(event, channel)
    town.stage.settle()
    return said(any(word in each.title for each in town.stage.decisions()))


def vote(town: Town, user: str, one: Decision, other: Decision) -> str:
    town.stage.submit(user, {**modals.outcome_view(one), "id": f"V{next(town.count)}"}, choice=Verdict.WORKED.value)
    voters = [each.voter.id for each in town.stage.memory.votes(one.id, EVERYTHING)]
    town.stage.memory.withdraw_outcome(one.id, voter=Person(name="", id=user), key=f"back:{next(town.count)}")
    return said(user in voters)


def confirm(town: Town, user: str, one: Decision, other: Decision) -> str:
    town.stage.memory.withdraw_confirmation(one.id, by=town.stage.bot.room.person(LENA))
    town.press(user, act.ACTION_CONFIRM, act.encode(decision=one.id))
    confirmed = town.now(one.id).confirmed
    town.stage.memory.confirm(one.id, by=town.stage.bot.room.person(LENA))
    return said(confirmed)


def edit(town: Town, user: str, one: Decision, other: Decision) -> str:
    form = {**modals.edit_view(one), "id": f"V{next(town.count)}"}
    town.stage.submit(user, form, title=f"Reworded {next(town.count)}")
    edits = town.now(one.id).superseded_by
    for name in edits:
        town.stage.memory.unrevise(name, by=town.stage.bot.room.person(LENA))
    return said(bool(edits))


def replaces(town: Town, user: str, one: Decision, other: Decision) -> str:
    town.press(user, act.ACTION_IT_REPLACES, act.encode(decision=one.id, other=other.id))
    return replaced(town, one, other)


def settle(town: Town, user: str, one: Decision, other: Decision) -> str:
    town.stage.submit(user, {**settle_view(one, other), "id": f"V{next(town.count)}"}, choice=one.id)
    return replaced(town, one, other)


def replaced(town: Town, one: Decision, other: Decision) -> str:
    was = town.now(other.id).state is State.SUPERSEDED
    who = town.stage.memory.who_replaced(one.id, other.id)
    town.stage.memory.withdraw_supersession(one.id, other.id, by=town.stage.bot.room.person(LENA))
    return said(was and who is not None)


def not_a_decision(town: Town, user: str, one: Decision, other: Decision) -> str:
    redraw_around(town.stage.bot.room, town.now(one.id))  # other acts put things back behind its back
    open_before = len(town.stage.play.views(user))
    town.press(user, act.ACTION_NOT_DECISION, act.encode(decision=one.id), one)
    how = YES
    if town.now(one.id).state is not State.RETRACTED and len(town.stage.play.views(user)) > open_before:
        town.stage.submit(user, town.stage.play.views(user)[-1])
        how = SECOND_TAP
    if town.now(one.id).state is not State.RETRACTED:
        return NO
    (card,) = town.stage.play.bot_messages("search", thread_ts=town.threads[one.id])
    assert f"Removed by {town.stage.bot.room.access.name_of(user)}" in screen(card)
    town.press("lena", act.ACTION_UNDO, act.encode(decision=one.id), one)
    return how


def undo_removal(town: Town, user: str, one: Decision, other: Decision) -> str:
    town.stage.memory.retract(one.id, by=town.stage.bot.room.person(LENA))
    town.press(user, act.ACTION_UNDO, act.encode(decision=one.id))
    back = town.now(one.id).state is State.CURRENT
    town.stage.memory.restore(one.id, by=town.stage.bot.room.person(LENA))
    return said(back)


def undo_edit(town: Town, user: str, one: Decision, other: Decision) -> str:
    """Undo what a colleague had reworded."""
    editor = "U0CLEO" if one.scope.open else OMAR
    form = {**modals.edit_view(one), "id": f"V{next(town.count)}"}
    town.stage.submit(editor, form, title=f"Reworded {next(town.count)}")
    (edited,) = town.now(one.id).superseded_by
    town.press(user, act.ACTION_UNDO, act.encode(decision=edited, menu=act.UNDO_EDIT))
    back = town.now(one.id).state is State.CURRENT
    told = [screen(each) for each in town.stage.play.ephemerals(user)]
    town.stage.memory.unrevise(edited, by=town.stage.bot.room.person(LENA))
    if not back and user in (RAJ, "U0GUS"):
        assert "Only Lena and Cleo can undo that." in told[-1]
    return said(back)


def erase(town: Town, user: str, one: Decision, other: Decision) -> str:
    """Erase what Omar had said: a decision of its own, for what is erased doesn't come back."""
    word = f"topic{next(town.count)}"
    channel = "search" if one.scope.open else "exec"
    town.stage.extractor.finds.clear()
    town.stage.extractor.find(f"so {word}", f"We go with {word}")
    ts = town.stage.play.post("omar", channel, f"so {word} it is, we go with {word}")
    town.stage.play.react("omar", channel, ts, "bookmark")
    town.stage.settle()
    turn = next(each for each in town.stage.decisions() if word in each.title).evidence[0].turn_id
    town.stage.interact({
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": user}, "trigger_id": "1.1",
        "actions": [{"action_id": act.ACTION_TAKE_OUT, "block_id": "b", "action_ts": f"1.{next(town.count)}",
                     "value": act.encode(turn=turn)}],
        "view": {"id": "V1", "type": "home"},
    })  # fmt: skip
    return said(not any(word in each.title for each in town.stage.decisions()))


def set_mode(town: Town, user: str, one: Decision, other: Decision) -> str:
    channel = one.place.anchor.partition("/")[0]
    form = {**channel_view(channel, ChannelSettings(mode=Mode.ASK_FIRST)), "id": f"V{next(town.count)}"}
    town.stage.submit(user, form)
    chosen = town.stage.bot.room.mode(channel)
    town.stage.memory.set_setting(mode_setting(channel), Mode.WHEN_ASKED.value, by=Person(name="Ida", id="U0IDA"))
    return said(chosen is Mode.ASK_FIRST)


def look_back(town: Town, user: str, one: Decision, other: Decision) -> str:
    channel = one.place.anchor.partition("/")[0]
    opened = len(town.stage.play.views(user))
    if KINDS["bot"] != user and KINDS["gone"] != user:
        town.stage.play.open_home(user)
        town.stage.settle()
    home: Any = town.stage.play.home(user)
    try:
        town.stage.play.press(user, home or {"type": "home"}, act.ACTION_LOOK_BACK)
        town.stage.settle()
    except Refusal:
        town.press(user, act.ACTION_LOOK_BACK, act.encode(channel=channel))
    return said(len(town.stage.play.views(user)) > opened)


def said(done: bool) -> str:
    return YES if done else NO


ACTS: dict[str, Act] = {
    "capture": capture, "vote": vote, "confirm": confirm, "edit": edit, "replaces": replaces, "settle": settle,
    "undo a removal": undo_removal, "not a decision": not_a_decision, "undo an edit": undo_edit, "erase text": erase,
    "set the mode": set_mode, "look back": look_back,
}  # fmt: skip


@pytest.mark.parametrize(("what", "kind", "expected"), TABLE, ids=[f"{what} by {kind}" for what, kind, _ in TABLE])
def test_a_person_may_do_what_the_table_says_and_nothing_else(
    what: str, kind: str, expected: str, town: Town, pairs: dict[str, tuple[Decision, Decision]]
) -> None:
    one, other = pairs["exec" if kind == "no reader" else "search"]

    came_of_it = ACTS[what](town, KINDS[kind], one, other)

    assert came_of_it == expected
    assert [town.now(each.id).state for each in (one, other)] == [State.CURRENT, State.CURRENT]
