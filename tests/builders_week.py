"""A working week of a company through the real bot, and what it said there that nobody had asked for.

What counts as asked is kept by the week itself, not read from the bot: threads that somebody pointed at, questions.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot.playground import Channel, Member, Workspace, buttons, screen
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.room import digest_setting, mode_setting
from bot.sources.slack import ts_time
from store import Admission, Draft, Person, Place, Quote, Scope
from tests.builders_slack import Stage

ZONES = ("Europe/Berlin", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Tokyo", None)
MODES = ("by itself", "by itself", "by itself", "ask first", "when asked", "off")
SUBJECTS = ("queue", "cache", "search", "billing", "login", "export", "reports", "backups", "deploys", "alerts")
BOT = "UBACKSTORY"
HOUR_S = 3600
WORK = range(8, 18)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a week is; `threads` is a channel's a day, `seeds` are decisions of two weeks before."""

    people: int
    channels: int
    threads: int
    days: int
    seeds: int
    hours: tuple[int, ...] = tuple(WORK)
    """UTC hours of a day in which people write."""
    looks: tuple[int, ...] = tuple(range(24))
    """UTC hours of a day in which the bot looks at the clock; it is down in the others."""


@dataclass
class Noise:
    """What the bot said unasked: messages by thread and by channel, direct messages by person, with their times."""

    threads: Counter[tuple[str, str]] = field(default_factory=Counter)
    channels: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    people: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    whispers: Counter[tuple[str, str]] = field(default_factory=Counter)
    """To one person alone about one thread: asked first whether they decided."""
    asked: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    """The same by person, with their times."""
    said: Counter[str] = field(default_factory=Counter)
    """How many of each kind, by their first words."""


class CompanyWeek:
    """People who discuss, decide, turn, edit, delete, point, ask and vote, by a seed."""

    def __init__(self, stage: Stage, workspace: Workspace, size: Size, *, seed: int) -> None:
        self.stage, self.size, self.chance = stage, size, random.Random(seed)
        self.channels = [one for one in workspace.channels if one.kind == "channel"]
        self.zones = {one.id: one.tz for one in workspace.members}
        self.writers = {one.id: [who for who in one.members if who != BOT] for one in self.channels}
        self.pointed: set[tuple[str, str]] = set()
        self.open_threads: list[tuple[str, str, str]] = []
        self.counts: Counter[str] = Counter()

    def settings(self) -> dict[str, str]:
        """Give each channel its mode in turn, and every second one the digest; returns the modes by channel."""
        admin = self.stage.bot.room.person("U000")
        modes = {one.id: MODES[number % len(MODES)] for number, one in enumerate(self.channels)}
        for number, (channel, mode) in enumerate(modes.items()):
            self.stage.memory.set_setting(mode_setting(channel), mode, by=admin)
            if number % 2 == 0:
                self.stage.memory.set_setting(digest_setting(channel), "on", by=admin)
        return modes

    def seed(self) -> None:
        """Record what people decided today; it is followed up two weeks later."""
        for number in range(self.size.seeds):
            channel = self.channels[number % len(self.channels)]
            decider = self.chance.choice(self.writers[channel.id])
            said = f"we go with seed{number} for {self.chance.choice(SUBJECTS)}"
            ts = self.stage.play.post(decider, channel.id, said)
            quote = Quote(quote=said, author_id=decider, at=self.stage.clock(), turn_id=f"{channel.id}/{ts}")
            draft = Draft(title=said, evidence=(quote,), decided_by=(Person(name=decider, id=decider),))
            scope = Scope(id=f"channel:{channel.id}", open=not channel.private)
            self.stage.memory.admit(
                Admission(
                    place=Place(source="slack", anchor=f"{channel.id}/{ts}"), basis=ts, scope=scope, drafts=(draft,),
                    provenance="test", pointed=True,
                )
            )  # fmt: skip
        self.stage.settle()

    def run(self) -> None:
        """Let the days pass hour by hour; people write in working hours, the clock looks in each."""
        for _ in range(self.size.days * 24):
            now = self.stage.clock()
            if now.weekday() < 5 and now.hour in self.size.hours:
                self._hour()
            if now.hour not in self.size.looks:
                self.stage.clock.advance(HOUR_S)
                continue
            self.stage.later(601)
            self.stage.later(HOUR_S - 601)
            self._answer_messages()

    def _hour(self) -> None:
        share = self.size.threads / len(self.size.hours)
        for channel in self.channels:
            started = int(share) + (self.chance.random() < share % 1)
            for _ in range(started):
                self._thread(channel.id)
        self._turn_one()
        self._ask_one()
        self.stage.settle()

    def _thread(self, channel: str) -> None:
        one, two = self.chance.sample(self.writers[channel], 2)
        self.counts["threads"] += 1
        number = self.counts["threads"]
        if self.chance.random() < 0.3:
            self.stage.play.post(one, channel, "does anybody know when the kitchen is cleaned?")
            return
        self.counts["decisions"] += 1
        word, subject = f"choice{number}x", self.chance.choice(SUBJECTS)
        sure = 95 if self.chance.random() < 0.8 else 60
        sets = ((f"service:{subject}", "engine", word),) if self.chance.random() < 0.5 else ()
        self.stage.extractor.find(word, f"{subject} runs on {word}", confidence=sure, sets=sets)
        ts = self.stage.play.post(one, channel, f"shall {subject} run on {word}? nobody on call knows the other one")
        self.stage.play.post(two, channel, f"agreed. decision: we go with {word}", thread_ts=ts)
        self.open_threads.append((channel, ts, word))
        if self.chance.random() < 0.15:
            self.pointed.add((channel, ts))
            self.stage.play.react(two, channel, ts, "bookmark")

    def _turn_one(self) -> None:
        """Let one thread turn, be edited or deleted."""
        if not self.open_threads:
            return
        channel, ts, word = self.open_threads.pop(self.chance.randrange(len(self.open_threads)))
        root = self.stage.play.message(channel, ts)
        what = self.chance.random()
        if what < 0.6:
            newer = f"{word}new"
            self.stage.extractor.find(newer, f"it runs on {newer} after all", confidence=95)
            self.stage.play.post(root["user"], channel, f"hm, decision: we go with {newer} instead", thread_ts=ts)
        elif what < 0.85:
            self.stage.play.edit(root["user"], channel, ts, f"{root['text']} (edited)")
        else:
            self.stage.play.delete(root["user"], channel, ts)

    def _ask_one(self) -> None:
        channel = self.chance.choice(self.channels).id
        asker, subject = self.chance.choice(self.writers[channel]), self.chance.choice(SUBJECTS)
        receipt = self.stage.play.command(asker, channel, "/why", f"what does {subject} run on?")
        receipt.wait_for_response(count=2, timeout_s=20)
        answer = receipt.responses[-1]
        self.counts["questions"] += 1
        if act.ACTION_WORKED in buttons(answer):
            self.counts["votes"] += 1
            self.stage.play.press(asker, answer, self.chance.choice((act.ACTION_WORKED, act.ACTION_FAILED)))

    def _answer_messages(self) -> None:
        """Let every second person who is asked how it went say so."""
        for user in list(self.zones)[::2]:
            for message in self._direct(user):
                if act.ACTION_FOLLOW_WORKED in buttons(message):
                    self.counts["answered"] += 1
                    self.stage.play.press(user, message, act.ACTION_FOLLOW_WORKED)
        self.stage.settle()

    def _direct(self, user: str) -> list[dict[str, Any]]:
        known = [
            one for one in self.stage.play.world.conversations.values() if one.kind == "im" and user in one.members
        ]
        return [message for one in known for message in self.stage.play.bot_messages(one.id)]

    def noise(self) -> Noise:
        """Count what stands in the channels, in direct messages and before single people, by who asked for it."""
        found = Noise()
        for channel in self.channels:
            for message in self.stage.play.bot_messages(channel.id):
                root = str(message.get("thread_ts") or "")
                self._note(found, channel.id, "" if root == message["ts"] else root, message)
        for user in self.zones:
            for message in self._direct(user):
                found.people[user].append(ts_time(message["ts"]))
                found.said["direct message"] += 1
            for whisper in self.stage.play.ephemerals(user):
                if words.ASK_FIRST in screen(whisper):
                    found.whispers[(user, str(whisper.get("thread_ts") or whisper["ts"]))] += 1
                    found.asked[user].append(ts_time(whisper["ts"]))
        return found

    def _note(self, found: Noise, channel: str, root: str, message: dict[str, Any]) -> None:
        if (channel, root) in self.pointed:
            return
        if root:
            found.threads[(channel, root)] += 1
        found.channels[channel].append(ts_time(message["ts"]))
        found.said[screen(message).split(":")[0][:24]] += 1


def company(size: Size) -> Workspace:
    """Return a workspace of that size: guests, outsiders and private channels among it, the bot in every channel."""
    people = [
        Member(
            id=f"U{number:03}", name=f"p{number}", real_name=f"Person {number}", tz=ZONES[number % len(ZONES)],
            admin=number == 0, guest="multi" if number % 17 == 5 else "", team_id="T0OTHER" if number % 19 == 7 else "",
        )
        for number in range(size.people)
    ]  # fmt: skip
    inside = [one.id for one in people if not one.guest and not one.team_id]
    channels = []
    for number in range(size.channels):
        private = number % 5 == 4
        chance = random.Random(number)
        some = [
            *chance.sample(inside, min(len(inside), 8)),
            *([people[5].id] if number == 0 and size.people > 5 else []),
        ]
        members = (*dict.fromkeys([people[0].id, *(some if private else inside)]), BOT)
        channels.append(
            Channel(id=f"C{number:03}", name=f"room{number}", members=members, private=private, creator=people[0].id)
        )
    return Workspace(members=tuple(people), channels=tuple(channels))


def most_within(times: list[datetime], span: timedelta) -> int:
    """Return how many of these moments fall at most into a span of that length."""
    ordered = sorted(times)
    return max((sum(1 for other in ordered if at <= other < at + span) for at in ordered), default=0)


def outside_work(times: list[datetime], zone: str | None) -> list[datetime]:
    """Return the moments that are not on a weekday from nine to five there (Berlin where it isn't known)."""
    local = [(at, at.astimezone(ZoneInfo(zone or "Europe/Berlin"))) for at in times]
    return [at for at, there in local if there.weekday() >= 5 or not 9 <= there.hour < 17]


def to_monday(stage: Stage, *, weeks: int = 0) -> None:
    """Move the clock to the next Monday at midnight UTC and so many weeks further; nothing is looked at meanwhile."""
    now = stage.clock()
    midnight = (now + timedelta(days=7 - now.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    stage.clock.advance((midnight + timedelta(weeks=weeks) - now).total_seconds())
