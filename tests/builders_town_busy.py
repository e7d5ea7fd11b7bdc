"""The generated town with all else that happens in a workspace: settings, digests, follow-ups, wishes, look backs.

Names of channels are marked words too: whoever can't read a channel learns neither what was said in it nor its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from bot.playground import Refusal, Workspace
from bot.slack.layout import actions as act
from bot.slack.room import Mode, digest_setting, mode_setting, said_before_setting
from store import EVERYTHING, Person
from tests.builders_town import BOT, TOPICS, Town, town

NEW_TOPICS = ("kilns", "glazes", "looms", "anvils", "lathes", "presses", "ovens", "mills")
"""On what nothing is decided at the start."""
TOOLS = ("Elasticsearch", "Kafka", "Mongo", "Terraform", "Jenkins", "Redis", "Nomad", "Consul")
"""What was turned down."""
BOSS = Person(name="Person 0", id="U000TOWN")


def busy_town(seed: int, *, people: int = 30, channels: int = 25) -> Workspace:
    """Return the town with marked names of channels."""
    plain = town(seed, people=people, channels=channels)
    named = tuple(replace(one, name=f"zqn{number}q") for number, one in enumerate(plain.channels))
    return replace(plain, channels=named)


@dataclass
class BusyTown(Town):
    """The town in which everything happens."""

    threads: list[tuple[str, str]] = field(default_factory=list)
    """Threads in which somebody decided something, and their channels."""

    def decide(self, count: int) -> None:
        """Decide as in the plain town, and let channels choose what they want to hear."""
        self.said_in |= {one.name: one.id for one in self._channels()}
        super().decide(count)
        for channel in self._channels():
            self._set(channel.id, self.pick.choice(list(Mode)))

    def lost(self, number: int, word: str) -> str:
        """Return the tool that was turned down: people propose it by that name alone."""
        return TOOLS[number % len(TOOLS)] if number % 2 else super().lost(number, word)

    def acts(self) -> dict[Callable[[], None], float]:
        """Return what people do, by how often."""
        return {
            self._ask: 8, self._mention: 6, self._press: 30, self._home: 5, self._point: 5, self._move: 9,
            self._wait: 2, self._search: 5, self._wish: 7, self._settle: 5, self._propose: 5, self._set_anew: 2,
            self._look_back: 2, self._thumb: 5, self._write: 3, self._leave: 0.3, self._unseen: 1, self._rename: 0.5,
            self._close: 0.5, self._erase: 2, self._tidy: 3,
        }  # fmt: skip

    def _channels(self) -> list[Any]:
        return [one for one in self.stage.play.world.conversations.values() if one.kind == "channel"]

    def _set(self, channel: str, mode: Mode) -> None:
        memory = self.stage.memory
        memory.set_setting(mode_setting(channel), mode.value, by=BOSS)
        for setting in (digest_setting, said_before_setting):
            memory.set_setting(setting(channel), self.pick.choice(("on", "on", "off")), by=BOSS)

    def _set_anew(self) -> None:
        self._set(self.pick.choice(self._channels()).id, self.pick.choice(list(Mode)))

    def _private(self, letter: str, user: str) -> str:
        """Return a marked word that somebody alone knows, until they say it."""
        word = self._word(letter, next(self._numbers), f"person:{user}")
        self.typed.setdefault(user, set()).add(word)
        return word

    # --- asking ---

    def _search(self) -> None:
        user, play = self._person(), self.stage.play
        play.open_home(user)
        self.stage.settle()
        if (home := play.home(user)) is not None:
            question = self._question(user) if self.pick.random() < 0.7 else f"who has {self._private('q', user)}?"
            play.press(user, home, act.ACTION_SEARCH, choice=question)

    def _write(self) -> None:
        user = self._person()
        self.stage.play.post(user, self.stage.play.direct(user), self._question(user))

    def _wish(self) -> None:
        """Ask for what nobody decided yet, and for an answer later, from the team or alone."""
        user, play = self._person(), self.stage.play
        room, word = self._room(user), self._private("q", user)
        play.command(user, room, "/why", f"what runs the {self.pick.choice(NEW_TOPICS)}, {word}?")
        self.stage.settle()
        self.check()
        shown = play.ephemerals(user)[-1]
        pressed = self.pick.choice((act.ACTION_ASK_TEAM, act.ACTION_TELL_ME, act.ACTION_SHARE))
        play.press(user, shown, pressed)
        self.stage.settle()
        if pressed == act.ACTION_ASK_TEAM:
            self._published(room, word)

    def _published(self, room: str, word: str) -> None:
        """Let everybody who reads a channel know a question that was put to it."""
        play = self.stage.play
        posts = [one for one in play.bot_messages(room) if word in str(one)]
        if not posts:
            return
        self.said_in[word] = room
        for user in self.readers(room):
            self.typed.setdefault(user, set()).add(word)  # they have read it, wherever they are later

    # --- deciding ---

    def _point(self) -> None:
        self._said(self.pick.choice(("printing", "printing", "pressing", self.pick.choice(TOPICS))))

    def _settle(self) -> None:
        self._said(self.pick.choice(NEW_TOPICS))

    def _said(self, topic: str) -> None:
        user, play = self._person(), self.stage.play
        room = self._room(user)
        word = self._word("p", next(self._numbers), room)
        self.stage.extractor.find(
            word, f"The {topic} run on {word}", decided_by=(Person(name=user, id=user),),
            elements=(f"service:{topic}",), sets=((f"service:{topic}", "runs on", word),), confidence=95,
        )  # fmt: skip
        ts = play.post(user, room, f"we decided: the {topic} run on {word} from now on")
        self.threads.append((room, ts))
        others = [one for one in play.world.conversations[room].members if one not in (BOT, user)]
        if others:
            play.post(others[0], room, "agreed, let's do that", thread_ts=ts)
        if self.pick.random() < 0.6:
            play.react(user, room, ts, "bookmark")

    def _propose(self) -> None:
        user = self._person()
        tool, topic = self.pick.choice(TOOLS), self.pick.choice(TOPICS)
        self.stage.play.post(user, self._room(user), f"why don't we use {tool} for {topic} after all?")

    def _look_back(self) -> None:
        play, user = self.stage.play, self.pick.choice(("U000TOWN", "U001TOWN"))
        play.open_home(user)
        self.stage.settle()
        home = play.home(user)
        if home is None:
            raise Refusal("no_home")
        play.press(user, home, act.ACTION_LOOK_BACK)
        self.stage.settle()
        self.check()
        for view in play.views(user)[-1:]:
            if view.get("submit"):
                play.submit(user, view)

    def _thumb(self) -> None:
        user, play = self._person(), self.stage.play
        room = self._room(user)
        posts = play.bot_messages(room)[-5:]
        if posts:
            play.react(user, room, self.pick.choice(posts)["ts"], self.pick.choice(("+1", "-1", "x")))

    def _erase(self) -> None:
        if self.threads:
            room, ts = self.pick.choice(self.threads)
            author = self.stage.play.message(room, ts)["user"]
            self.stage.play.delete(author, room, ts)

    def _filled(self, user: str, view: Mapping[str, Any]) -> Mapping[str, Any]:
        """Type marked words into the fields of a form, and choose something of each menu."""
        target = act.decode(view.get("private_metadata", ""))
        found = self.stage.memory.decision(target.decision, EVERYTHING) if target and target.decision else None
        typed: dict[str, Any] = {}
        for block in view["blocks"]:
            element = block.get("element") or {}
            if element.get("type") == "plain_text_input" and block["block_id"] != act.BLOCK_ALTERNATIVES:
                typed[block["block_id"]] = f"The town goes on with {self._typed_word(user, found)}"
            elif element.get("type") in ("static_select", "radio_buttons") and self.pick.random() < 0.7:
                typed[block["block_id"]] = self.pick.choice(_options(element))
        return typed

    def _typed_word(self, user: str, found: Any) -> str:
        """Return a word that is typed about a decision: its readers may read it."""
        word = self._private("e", user)
        if found is not None and found.scope.id.startswith("channel:"):
            self.said_in[word] = found.scope.id.removeprefix("channel:")
        return word

    # --- coming and going ---

    def _move(self) -> None:
        super()._move()
        self.stage.settle()
        self.stage.later(61)  # what nobody tells the bot it believes for a minute

    def _leave(self) -> None:
        user = self._person()
        if user not in (BOSS.id, "U001TOWN"):
            self.stage.play.deactivate(user)

    def _unseen(self) -> None:
        """Make a channel private that the bot isn't in: nobody tells it."""
        channel = self.pick.choice([one for one in self._channels() if BOT not in one.members])
        inside = [one for one in channel.members if one != BOT]
        if inside:
            self.stage.play.convert(inside[0], channel.id, private=not channel.private)
            self.stage.later(61)

    def _rename(self) -> None:
        channel = self.pick.choice(self._channels())
        old, new = channel.id, f"C{900 + next(self._numbers)}TOWN"
        self.stage.play.change_channel_id(old, new)
        self.said_in |= {word: new for word, where in self.said_in.items() if where == old}
        self.threads = [(new if where == old else where, ts) for where, ts in self.threads]

    def _close(self) -> None:
        channel = self.pick.choice(self._channels())
        inside = [one for one in channel.members if one != BOT]
        if inside and not channel.archived:
            self.stage.play.archive(inside[0], channel.id)

    def _wait(self) -> None:
        """Go on to the next Monday morning, or the next morning of a working day."""
        now = self.stage.clock()
        days = self.pick.choice((1, 1, 15, (7 - now.weekday()) or 7))
        morning = (now + timedelta(days=days)).replace(hour=14, minute=30)
        self.stage.later((morning - now).total_seconds())
        self.stage.later(900)

    def _tidy(self) -> None:
        self.stage.later(self.pick.choice((60, 900)))


def _options(element: Mapping[str, Any]) -> Sequence[str]:
    options = [
        *element.get("options", ()),
        *(one for group in element.get("option_groups", ()) for one in group["options"]),
    ]
    return [option["value"] for option in options]
