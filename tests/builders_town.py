"""A generated town of people and channels in which anything may be asked and pressed, and who could read what.

Every call of the bot to Slack is held against what its audience could read at that moment, by Slack's own state and by
where each marked word was said: nothing of the bot is asked for that.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bot.playground import Channel, Member, Refusal, Workspace
from store import EVERYTHING, Admission, Alternative, Draft, Person, Place, Quote, Scope, Status, Verdict
from tests.builders_slack import Stage

CANARY = re.compile(r"zq[a-z]\d+q")
BOT = "UBACKSTORY"
OWN, OTHER = "T0PLAY", "T0OTHER"
TOPICS = (
    "retries", "search", "invoices", "deploys", "caching", "logging", "billing", "alerts", "backups", "queues", "login",
    "exports", "imports", "webhooks", "sharding", "tracing", "printing", "maps", "routing", "pricing",
)  # fmt: skip
QUIET = frozenset({"mode", "stay_out", "look_back", "take_out", "left_out"})
"""What isn't pressed at random: it would close the town down early."""


def town(seed: int, *, people: int = 30, channels: int = 25) -> Workspace:
    """Return a workspace of members, guests and outsiders, and of channels of every kind."""
    pick = random.Random(seed)
    members = [_member(number, people) for number in range(people)]
    return Workspace(
        members=tuple(members),
        channels=tuple(_channel(pick, number, [member.id for member in members]) for number in range(channels)),
    )


def _member(number: int, people: int) -> Member:
    last = people - number
    return Member(
        id=f"U{number:03}TOWN",
        name=f"person{number}",
        real_name=f"Person {number}",
        admin=number < 2,
        owner=number == 0,
        guest="single" if last <= 4 else "multi" if last <= 7 else "",
        team_id=OTHER if 7 < last <= 10 else OWN,
    )


def _channel(pick: random.Random, number: int, people: Sequence[str]) -> Channel:
    kind = ("public", "public", "private", "private", "connect", "mpim")[number % 6]
    inside = pick.sample(people, pick.randint(3, 6 if kind == "mpim" else 14))
    if kind in ("public", "private"):
        inside = [one for one in inside if not _outside(one, people)] or [people[0]]
    bot = (BOT,) if kind == "mpim" or pick.random() < 0.75 else ()
    return Channel(
        id=f"C{number:03}TOWN",
        name=f"room{number}",
        members=(*inside, *bot),
        kind="mpim" if kind == "mpim" else "channel",
        private=kind == "private",
        connected=kind == "connect",
        creator=inside[0],
    )


def _outside(person: str, people: Sequence[str]) -> bool:
    return 7 < len(people) - people.index(person) <= 10


@dataclass
class Town:
    """The town on a stage: what was said where, and what its people do at random."""

    stage: Stage
    pick: random.Random
    said_in: dict[str, str] = field(default_factory=dict)
    """The channel in which each marked word was said."""
    typed: dict[str, set[str]] = field(default_factory=dict)
    """Marked words that somebody typed into a question: those may be shown to them again."""
    published: set[str] = field(default_factory=set)
    """Marked words in questions that their askers put to a channel, or whose answer they shared."""
    leaks: list[str] = field(default_factory=list)
    did: dict[str, int] = field(default_factory=dict)
    shown: int = 0
    """Messages, views and homes that were checked."""
    words: int = 0
    """Marked words in them."""
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _calls: int = 0
    _whispers: int = 0
    _pressed: Mapping[str, Any] = field(default_factory=dict)
    """What was pressed last: where one person alone sees it, it may have been put another way."""
    _views: dict[str, str] = field(default_factory=dict)

    # --- by Slack's own state ---

    def reads(self, user: str, channel: str) -> bool:
        """Say whether somebody could read a channel at this moment."""
        world = self.stage.play.world
        person, conversation = world.users.get(user), world.conversations.get(channel)
        if person is None or conversation is None or person.get("deleted"):
            return False
        if user in conversation.members:
            return True
        everybodys = conversation.kind == "channel" and not conversation.private
        own = person["team_id"] == OWN and not person.get("is_restricted") and not person.get("is_ultra_restricted")
        return everybodys and own

    def readers(self, channel: str) -> list[str]:
        """Return everybody who reads a channel: of a direct message its one person."""
        people = [user for user in self.stage.play.world.users if user != BOT]
        return [user for user in people if self.reads(user, channel)]

    # --- what is recorded at the start ---

    def decide(self, count: int) -> None:
        """Let that many things be decided, in channels of all kinds, some replacing and some contesting others."""
        channels = [one for one in self.stage.play.world.conversations.values() if one.kind != "im"]
        made: list[str] = []
        for number in range(count):
            channel = self.pick.choice(channels)
            made += self._decide(number, channel.id, [one for one in channel.members if one != BOT])
            if number % 7 == 3:
                one, other = self.pick.sample(made, 2)
                self._pair(number, one, other)
            if number % 5 == 2:
                self._vote(number, self.pick.choice(made))

    def _word(self, letter: str, number: int, channel: str) -> str:
        word = f"zq{letter}{number}q"
        self.said_in[word] = channel
        return word

    def _decide(self, number: int, channel: str, inside: Sequence[str]) -> Sequence[str]:
        topic, author = self.pick.choice(TOPICS), self.pick.choice(inside or ["U000TOWN"])
        title, why, option, said = (self._word(letter, number, channel) for letter in "abcd")
        conversation = self.stage.play.world.conversations[channel]
        ts = f"{1_790_000_000 + number}.{number:06}"
        text = f"we settle {topic} on {said} for now"
        quote = Quote(quote=text, author=author, author_id=author, at=self.stage.clock(), turn_id=f"{channel}/{ts}")
        draft = Draft(
            title=f"{topic.title()} uses {title}",
            rationale=f"because {why} is simplest",
            alternatives=(Alternative(option=self.lost(number, option), reason=f"{why} costs less"),),
            status=Status.REJECTED if number % 9 == 4 else Status.ACCEPTED,
            decided_by=(Person(name=f"Person of {said}", id=author),),
            elements=(f"service:{topic}",),
            sets=((f"service:{topic}", f"p{number % 4}", title),) if number % 3 == 0 else (),
            evidence=(quote,),
            confidence=60 if number % 8 == 6 else 97,
        )
        open_ = conversation.kind == "channel" and not conversation.private and not conversation.connected
        place = Place(source="slack", anchor=f"{channel}/{ts}", permalink=f"https://playground.slack.com/archives/{ts}")
        scope = Scope(id=f"channel:{channel}", open=open_)
        admission = Admission(
            place=place, basis="1", scope=scope, drafts=(draft,), provenance="test", pointed=number % 8 != 6
        )
        return self.stage.memory.admit(admission).new

    def lost(self, _number: int, word: str) -> str:
        """Return an option that was turned down."""
        return f"{word} instead"

    def _pair(self, number: int, one: str, other: str) -> None:
        by = Person(name="Person 0", id="U000TOWN")
        memory = self.stage.memory
        if number % 2:
            memory.supersede(one, other, by=by)
        else:
            memory.note_conflict(one, other, quotes=("", ""))

    def _vote(self, number: int, decision: str) -> None:
        found = self.stage.memory.decision(decision, EVERYTHING)
        assert found is not None
        channel = found.scope.id.removeprefix("channel:")
        reason = self._word("v", number, channel)
        self.stage.memory.observe_outcome(
            decision, voter=Person(name="Person 1", id="U001TOWN"), verdict=self.pick.choice(list(Verdict)),
            counts=True, key=reason, reason=reason, scope=found.scope, at=self.stage.clock(),
        )  # fmt: skip

    # --- what happens ---

    def step(self) -> None:
        """Let somebody do something, and hold everything that was shown for it against who saw it."""
        acts = self.acts()
        (act,) = self.pick.choices(list(acts), weights=list(acts.values()))
        with suppress(Refusal):
            act()
            self.did[act.__name__[1:]] = self.did.get(act.__name__[1:], 0) + 1
        self.stage.settle()
        self.check()

    def acts(self) -> dict[Callable[[], None], float]:
        """Return what people do, by how often."""
        return {
            self._ask: 55, self._mention: 13, self._press: 18, self._home: 7, self._point: 3, self._move: 3.6,
            self._wait: 0.4,
        }  # fmt: skip

    def _person(self) -> str:
        return self.pick.choice([one for one in self.stage.play.world.users if one != BOT])

    def _room(self, user: str) -> str:
        rooms = [one.id for one in self.stage.play.world.conversations.values() if user in one.members]
        if not rooms:
            raise Refusal("not_in_channel")
        return self.pick.choice(rooms)

    def _question(self, user: str) -> str:
        topic = self.pick.choice(TOPICS)
        question = self.pick.choice((f"why {topic}?", f"what did we decide on {topic}", f"who decided {topic}?", topic))
        if self.pick.random() < 0.3:
            word = self.pick.choice(sorted(self.said_in))
            self.typed.setdefault(user, set()).add(word)
            question = f"why {word}?"
        return question

    def _ask(self) -> None:
        user = self._person()
        self.stage.play.command(user, self._room(user), "/why", self._question(user))

    def _mention(self) -> None:
        user = self._person()
        room, question = self._room(user), self._question(user)
        for word in CANARY.findall(question):
            self.said_in.pop(word, None)  # whoever reads the mention reads the word
        self.stage.play.post(user, room, f"{self.stage.play.mention} {question}")

    def _home(self) -> None:
        self.stage.play.open_home(self._person())

    def _point(self) -> None:
        user = self._person()
        room = self._room(user)
        word = self._word("p", next(self._numbers), room)
        self.stage.extractor.finds = {}
        self.stage.extractor.find(word, f"Printing uses {word}", decided_by=(Person(name=user, id=user),))
        ts = self.stage.play.post(user, room, f"let us settle printing on {word} then")
        self.stage.play.react(user, room, ts, "bookmark")

    def _press(self) -> None:
        user = self._person()
        play = self.stage.play
        seen = [*play.ephemerals(user)[-3:], *play.views(user)[-1:], *([home] if (home := play.home(user)) else [])]
        for room in self.pick.sample(sorted(play.world.conversations), 6):
            if user in play.world.conversations[room].members:
                seen += play.bot_messages(room)[-2:]
        pressable = [(message, element) for message in seen for element in _pressable(message)]
        if not pressable:
            raise Refusal("nothing_to_press")
        message, element = self.pick.choice(pressable)
        options = [option["value"] for option in element.get("options", ())]
        choice = self.pick.choice(options) if options else ""
        self._pressed = message
        play.press(user, message, element["action_id"], choice=choice)
        self.stage.settle()
        self.check()
        for view in play.views(user)[-1:]:
            if view.get("submit") and self.pick.random() < 0.7:
                play.submit(user, view, self._filled(user, view))

    def _filled(self, _user: str, _view: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what somebody types into a form, by block id: nothing, so that it says what stood there."""
        return {}

    def _move(self) -> None:
        """Change who reads what: somebody comes, goes or is made a guest, or a channel changes its kind."""
        play, user = self.stage.play, self._person()
        channel = self.pick.choice([one for one in play.world.conversations.values() if one.kind == "channel"])
        somebody = next((one for one in channel.members if one != BOT), user)
        match self.pick.choice(("in", "in", "out", "out", "bot", "kind", "guest", "share")):
            case "in":
                play.invite(somebody, channel.id, user)
            case "out":
                play.leave(user, channel.id)
            case "bot":
                play.invite_bot(somebody, channel.id)
            case "kind":
                if BOT in channel.members:
                    play.convert(somebody, channel.id, private=not channel.private)
            case "guest":
                play.change_user(user, is_restricted=not play.world.users[user].get("is_restricted"))
            case _:
                if BOT in channel.members:
                    play.share(channel.id, shared=not channel.connected)

    def _wait(self) -> None:
        self.stage.later(self.pick.choice((3_600, 20 * 3_600, 8 * 86_400)))

    # --- holding it against the oracle ---

    def check(self) -> None:
        """Look at what was shown since the last look."""
        world = self.stage.play.world
        calls, self._calls = world.calls[self._calls :], len(world.calls)
        for call in calls:
            if call.method in ("chat.postMessage", "chat.update") and not call.error:
                channel = str(call.reply.get("channel") or call.args["channel"])
                self._hold(call.args, self.readers(channel), f"{call.method} in {channel}")
        whispers, self._whispers = world.ephemerals[self._whispers :], len(world.ephemerals)
        for whisper in whispers:
            self._hold(whisper, [whisper["to"]], f"to {whisper['to']} alone")
        pressed, self._pressed = self._pressed, {}
        for whisper in [each for each in reversed(world.ephemerals) if pressed and each["ts"] == pressed.get("ts")]:
            lay_there = frozenset(CANARY.findall(json.dumps(pressed)))
            self._hold(whisper, [whisper["to"]], f"instead, to {whisper['to']} alone", lay_there=lay_there)
        for view in [*world.views.values(), *world.homes.values()]:
            text = json.dumps(view["blocks"])
            if (before := self._views.get(view["id"], "")) != text:
                self._views[view["id"]] = text
                lay_there = frozenset(CANARY.findall(before)) if view["type"] == "modal" else frozenset()
                self._hold(view, [self._owner(view)], f"{view['type']} of {self._owner(view)}", lay_there=lay_there)

    def _all_typed(self) -> set[str]:
        return {word for words in self.typed.values() for word in words}

    def _owner(self, view: Mapping[str, Any]) -> str:
        homes = self.stage.play.world.homes
        return str(view.get("user") or next(user for user, home in homes.items() if home["id"] == view["id"]))

    def _hold(
        self, shown: Mapping[str, Any], audience: Iterable[str], where: str, *, lay_there: frozenset[str] = frozenset()
    ) -> None:
        """Hold something against its audience; what lay open before them already tells them nothing new."""
        self.shown += 1
        if "asks the team" in json.dumps(shown) or "Shared by" in json.dumps(shown):
            self.published |= {word for word in CANARY.findall(json.dumps(shown)) if word in self._all_typed()}
        words = {word for word in CANARY.findall(json.dumps(shown)) if word in self.said_in} - lay_there
        self.words += len(words)
        people = list(audience)
        for word in sorted(words):
            for user in people:
                own = self.typed.get(user, set()) | self.published
                if word not in own and not self.reads(user, self.said_in[word]):
                    self.leaks.append(f"{where}: {word} of {self.said_in[word]}, which {user} doesn't read")


def _pressable(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for block in message.get("blocks", ()):
        for element in (*block.get("elements", ()), *([block["accessory"]] if "accessory" in block else ())):
            pressed = element.get("type") in ("button", "overflow") and not element.get("url")
            if pressed and element.get("action_id") not in QUIET:
                yield element
