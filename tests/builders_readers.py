"""Generated workspaces for tests of who reads what: people, channels, decisions, and what changes afterwards.

What somebody may read is said here by Slack's own state, without anything of the bot.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from bot.playground import Channel, Member, Refusal
from store import Admission, Draft, Place, Quote, Scope, Verdict
from tests.builders_slack import Stage

PEOPLE = ("U0LENA", "U0OMAR", "U0NOOR", "U0RAJ", "U0GUEST", "U0EVE")
"""Four members, a guest and somebody of another organisation; "NEW" is a member who comes with each example."""
NEW = "NEW"
CANARY = re.compile(r"zq\d+[a-z]\d+|[0-9a-f]{64}")

_person = st.sampled_from((*PEOPLE, NEW))
_channel = st.integers(0, 3)
_decision = st.integers(0, 5)


@dataclass(frozen=True, slots=True)
class Script:
    """What happens in one example; numbers name channels and decisions, those that don't exist are passed over."""

    channels: list[tuple[str, frozenset[str], bool]]
    decisions: list[tuple[int, int, bool]]
    pairs: list[tuple[str, int, int]]
    votes: list[tuple[int, str, int, Verdict]]
    changes: list[tuple[str, str, int]]


scripts = st.builds(
    Script,
    st.lists(
        st.tuples(
            st.sampled_from(("public", "private", "private", "connect", "group message")),
            st.frozensets(_person, min_size=1),
            st.booleans(),
        ),
        min_size=2,
        max_size=4,
    ),
    st.lists(st.tuples(_channel, st.integers(0, 2), st.booleans()), min_size=2, max_size=6),
    st.lists(st.tuples(st.sampled_from(("replaces", "conflicts", "same")), _decision, _decision), max_size=4),
    st.lists(st.tuples(_decision, _person, _channel, st.sampled_from(list(Verdict))), max_size=4),
    st.lists(
        st.tuples(
            st.sampled_from(
                (
                    "in",
                    "out",
                    "out",
                    "bot out",
                    "private",
                    "private",
                    "public",
                    "shared",
                    "alone",
                    "guest",
                    "gone",
                    "deleted",
                )
            ),
            _person,
            _channel,
        ),
        min_size=1,
        max_size=4,
    ),
)


@dataclass
class Told:
    """An example on its stage: where each canary was said, by the channels that one must read to know it."""

    stage: Stage
    number: int
    script: Script
    channels: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    said_in: dict[str, frozenset[str]] = field(default_factory=dict)
    unnoticed: bool = False
    """Whether a channel became private without the bot in it: answers look again, lists can't."""

    @property
    def topic(self) -> str:
        return f"topic{self.number}"

    @property
    def people(self) -> tuple[str, ...]:
        return (*PEOPLE, self.person(NEW))

    def person(self, name: str) -> str:
        return f"U1NEW{self.number}" if name == NEW else name

    def begin(self) -> None:
        """Set the workspace up and let everything be decided in it."""
        self.stage.play.add_member(Member(id=self.person(NEW), name=f"new{self.number}"))
        for kind, members, bot_in in self.script.channels:
            self._open(kind, members, bot_in)
        self.stage.settle()
        for where, value, is_setting in self.script.decisions:
            if where < len(self.channels):
                self._decide(self.channels[where], value, is_setting)
        for what, one, other in self.script.pairs:
            if max(one, other) < len(self.decisions) and one != other:
                self._pair(what, self.decisions[one], self.decisions[other])
        for decision, voter, where, verdict in self.script.votes:
            if decision < len(self.decisions) and where < len(self.channels):
                self._vote(self.decisions[decision], self.person(voter), self.channels[where], verdict)

    def change(self, what: str, who: str, where: int) -> None:
        """Let something change in Slack; what Slack wouldn't let them do doesn't happen."""
        if where >= len(self.channels) or self.channels[where] not in self.stage.play.world.conversations:
            return
        play, channel, user = self.stage.play, self.channels[where], self.person(who)
        inside = play.world.conversations[channel].members
        somebody = next((one for one in inside if one != "UBACKSTORY"), user)
        self.unnoticed |= what in ("private", "shared") and "UBACKSTORY" not in inside
        with suppress(Refusal):
            match what:
                case "in":
                    play.invite(somebody, channel, user)
                case "out":
                    play.leave(user, channel)
                case "bot out":
                    play.kick(somebody, channel, "UBACKSTORY")
                case "private" | "public":
                    play.convert(somebody, channel, private=what == "private")
                case "shared" | "alone":
                    play.share(channel, shared=what == "shared")
                case "guest":
                    play.change_user(self.person(NEW), is_restricted=True)
                case "gone":
                    play.deactivate(self.person(NEW))
                case _:
                    play.delete_channel(somebody, channel)
        self.stage.settle()

    # --- by Slack's own state ---

    def reads(self, user: str, channel: str) -> bool:
        """Say whether somebody could read a channel in Slack at this moment."""
        world = self.stage.play.world
        person, conversation = world.users[user], world.conversations.get(channel)
        if conversation is None or person.get("deleted"):
            return False
        if user in conversation.members:
            return True
        everybodys = conversation.kind == "channel" and not conversation.private
        own = person["team_id"] == "T0PLAY"
        return everybodys and own and not person.get("is_restricted") and not person.get("is_ultra_restricted")

    def readers(self, channel: str) -> tuple[str, ...]:
        """Return those of the example's people who can read a channel."""
        return tuple(user for user in self.people if self.reads(user, channel))

    def leaked(self, text: str, *users: str, asked: str = "") -> set[str]:
        """Return the canaries and ids in a text that one of these people could not read."""
        shown = {word for word in CANARY.findall(text) if word in self.said_in} - {asked}
        return {
            word
            for word in shown
            if not all(self.reads(user, channel) for user in users for channel in self.said_in[word])
        }

    # --- setting up ---

    def _open(self, kind: str, members: frozenset[str], bot_in: bool) -> None:
        people = {self.person(one) for one in members}
        if kind in ("public", "private"):
            people -= {"U0EVE"}
        inside = (*sorted(people), *(("UBACKSTORY",) if bot_in or kind == "group message" else ()))
        channel = Channel(
            id=f"C{self.number}X{len(self.channels)}",
            name=f"c{self.number}x{len(self.channels)}",
            members=inside,
            kind="mpim" if kind == "group message" else "channel",
            private=kind == "private",
            connected=kind == "connect",
        )
        self.channels.append(self.stage.play.add_channel(channel))

    def _scope(self, channel: str) -> Scope:
        known = self.stage.bot.room.access.channel(channel)
        return Scope(id=f"channel:{channel}", open=known is not None and known.open)

    def _canary(self, letter: str, *channels: str) -> str:
        word = f"zq{self.number}{letter}{len(self.said_in)}"
        self.said_in[word] = frozenset(channels)
        return word

    def _decide(self, channel: str, value: int, is_setting: bool) -> None:
        title, why, about, said = (self._canary(letter, channel) for letter in "abce")
        quote = Quote(
            quote=f"we take {value} for {self.topic}, {said}", author=f"Author {said}", author_id="U0LENA",
            turn_id=f"{channel}/{said}",
        )  # fmt: skip
        draft = Draft(
            title=f"Retries of {self.topic} are {value}, {title}",
            rationale=f"because of {why}",
            elements=(f"service:{self.topic}", f"service:{about}"),
            sets=((f"service:{self.topic}", "retries", str(value)),) if is_setting else (),
            evidence=(quote,),
        )
        admitted = self.stage.memory.admit(
            Admission(
                place=Place(source="slack", anchor=f"{channel}/{len(self.decisions)}.{self.number:06}"),
                basis="1",
                scope=self._scope(channel),
                drafts=(draft,),
                provenance="test",
                pointed=True,
            )
        )
        self.decisions += admitted.new
        self.said_in |= dict.fromkeys(admitted.new, frozenset({channel}))

    def _pair(self, what: str, one: str, other: str) -> None:
        memory, by = self.stage.memory, self.stage.bot.room.person("U0LENA")
        match what:
            case "replaces":
                memory.supersede(one, other, by=by)
            case "conflicts":
                memory.note_conflict(one, other, quotes=("", ""))
            case _:
                memory.say_same(one, other)

    def _vote(self, decision: str, voter: str, channel: str, verdict: Verdict) -> None:
        about = next(iter(self.said_in[decision]))
        there = self._scope(channel)
        if not there.open and not self._scope(about).open:
            channel, there = about, self._scope(about)
        reason = self._canary("v", about, *(() if there.open else (channel,)))
        self.stage.memory.observe_outcome(
            decision, voter=self.stage.bot.room.person(voter), verdict=verdict, counts=True, key=reason, reason=reason,
            scope=there, at=self.stage.clock(),
        )  # fmt: skip


def everything_of(value: Any) -> str:
    """Return all that a value holds, as text."""
    return repr(value)
