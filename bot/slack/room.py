"""What every handler of Slack deliveries works with, built once a workspace."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

from bot.answer import SYNTHESIS_DEADLINE_S, Answers
from bot.budget import Budget
from bot.by_rules import ElseByRules
from bot.ports import Extraction
from bot.settings import Settings
from bot.slack.access import Access
from bot.slack.client import SlackClient
from store import Memory, Person

_Value = TypeVar("_Value")

VIEWS_HELD = 100
"""What is kept in memory while modals stand open; it is written nowhere."""


class Mode(StrEnum):
    """How a channel's threads come to be read."""

    OFF = "off"
    WHEN_ASKED = "when asked"
    ASK_FIRST = "ask first"
    BY_ITSELF = "by itself"


class Marking(StrEnum):
    """How a thread shows that something in it was kept."""

    CARD = "card"
    EMOJI = "emoji"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """Who the bot is in this workspace."""

    team: str
    user: str
    bot: str
    app: str = ""

    @property
    def ids(self) -> frozenset[str]:
        """Every id under which its own messages stand."""
        return frozenset({self.user, self.bot, self.app} - {""})


class Held(Generic[_Value]):
    """The latest values by key, at most so many; thread-safe, gone when the process ends."""

    def __init__(self, most: int) -> None:
        """Hold at most that many."""
        self._most, self._values, self._lock = most, OrderedDict[str, _Value](), threading.Lock()

    def put(self, key: str, value: _Value) -> None:
        """Hold a value, and let the oldest go."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def get(self, key: str) -> _Value | None:
        """Return the value of a key, if it is still held."""
        with self._lock:
            return self._values.get(key)

    def pop(self, key: str) -> _Value | None:
        """Return the value of a key and let it go."""
        with self._lock:
            return self._values.pop(key, None)

    def clear(self) -> None:
        """Let all go."""
        with self._lock:
            self._values.clear()


class Locks:
    """One lock a name, for as long as somebody holds it: two captures of one thread take turns."""

    def __init__(self) -> None:
        """Hold none."""
        self._guard = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Hold the lock of that name."""
        with self._guard:
            lock, users = self._held.get(name, (threading.Lock(), 0))
            self._held[name] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._held[name]
                if users == 1:
                    del self._held[name]
                else:
                    self._held[name] = (lock, users - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The parts that handlers share; all of them thread-safe."""

    memory: Memory
    answers: Answers
    extractor: ElseByRules
    client: SlackClient
    access: Access
    settings: Settings
    bot: Bot
    clock: Callable[[], datetime]
    with_claude: bool
    budget: Budget
    locks: Locks = field(default_factory=Locks)
    patience_s: float = SYNTHESIS_DEADLINE_S
    """Seconds that a model gets while somebody waits: what is said in its place comes after that."""
    previews: Held[Extraction] = field(default_factory=lambda: Held(VIEWS_HELD))
    pressed: Held[Mapping[str, Any]] = field(default_factory=lambda: Held(VIEWS_HELD))
    """What opened a modal, by the view's id: a submitted view doesn't say where it came from."""
    shown: Held[dict[str, Any]] = field(default_factory=lambda: Held(VIEWS_HELD))
    """Open modals as they were filled, by the view's id: words can only be added to what is known to stand there."""
    told: Held[tuple[dict[str, Any], ...]] = field(default_factory=lambda: Held(VIEWS_HELD))
    """What somebody's Home says at its top the next time that it is drawn, by person: what came of their press."""

    def person(self, user: str) -> Person:
        """Return somebody as the memory names them."""
        return Person(name=self.access.name_of(user), id=user)

    def mode(self, channel: str) -> Mode:
        """Return how a channel captures; *when asked* unless somebody chose otherwise."""
        chosen = self.memory.setting(mode_setting(channel), Mode.WHEN_ASKED)
        return Mode(chosen) if chosen in set(Mode) else Mode.WHEN_ASKED

    def captures(self, channel: str) -> bool:
        """Say whether a channel's threads are read without anybody pointing at them."""
        return self.mode(channel) in (Mode.ASK_FIRST, Mode.BY_ITSELF)

    def marking(self, channel: str) -> Marking:
        """Return how a channel's threads are marked; by a card unless somebody chose otherwise."""
        chosen = self.memory.setting(mark_setting(channel), Marking.CARD)
        return Marking(chosen) if chosen in set(Marking) else Marking.CARD

    def is_on(self, setting: str) -> bool:
        """Say whether a setting that is off by default was switched on."""
        return self.memory.setting(setting) == "on"


def mode_setting(channel: str) -> str:
    """Return the setting that holds a channel's mode."""
    return f"channel:{channel}:mode"


def inviter_setting(channel: str) -> str:
    """Return the setting that holds who invited the bot."""
    return f"channel:{channel}:invited_by"


def digest_setting(channel: str) -> str:
    """Return the setting that holds whether a channel gets the weekly digest: "on", or "off" as by default."""
    return f"channel:{channel}:digest"


def follow_ups_setting(user: str) -> str:
    """Return the setting that holds whether somebody is asked how decisions went: "off", or "on" as by default."""
    return f"person:{user}:follow_ups"


def mark_setting(channel: str) -> str:
    """Return the setting that holds how a channel's threads are marked: "card" or "emoji"."""
    return f"channel:{channel}:mark"


def said_before_setting(channel: str) -> str:
    """Return the setting that says, by "on", that proposers hear, alone, of what was turned down before."""
    return f"channel:{channel}:said_before"
