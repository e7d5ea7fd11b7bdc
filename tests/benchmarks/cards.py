"""The company's Slack replayed live, the clock moved: the cards of channels "by itself", and whether they are right.

    python -m tests.benchmarks.cards [--claude] [--elsewhere] [--wrong]

Everything runs through the real bot: signed deliveries, inbox, worker, quiet rule, second reading, cards edited in
place; only time is moved by hand. The gate reads each thread with weights and thresholds that were fitted without it
(`--elsewhere`: without any thread of the company). With `--claude` a loopback Claude answers from the truth, with what
is decided in the part of the thread that it is shown.

A card is right on a thread that `truth/threads.jsonl` calls a decision when it states one of its decisions; it is told
for the card as first posted and as it stands in the end. Borderline threads count neither way.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.answer import Answers
from bot.claude import ClaudeClient, ClaudeExtractor
from bot.offline import OfflineExtractor, OfflineSynthesiser
from bot.playground import HandClock, Playground
from bot.playground.people import Channel, Member, Workspace
from bot.ports import Extraction, Extractor
from bot.settings import Settings
from bot.slack.app import SlackBot, slack_bot
from bot.slack.clock import tick
from bot.slack.room import Mode, mode_setting
from store import EVERYTHING, Decision, Memory, Person, Thread, Vocabulary, verify_quote
from store.core.gate_features import stems
from tests.benchmarks.claude_truth import drafts_of
from tests.benchmarks.gate_corpora import SHARED, Labelled, company
from tests.benchmarks.gate_fit import Model, Thresholds
from tests.benchmarks.gate_unseen import unseen_weights, weighed
from tests.fakes.claude_server import ClaudeServer, Received, Scripted, structured

COMPANY = SHARED / "company"
BOT = "UBACKSTORY"
REACTS_AFTER_S = 45.0
"""Seconds from a message to the reactions on it: an export doesn't say when they were put."""
A_DAY = timedelta(days=1)
_QUIET_END = timedelta(days=3)
_SAME_WORDS = 0.5


@dataclass(frozen=True, slots=True)
class Happening:
    """A message or its reactions, at the time when it came."""

    at: datetime
    channel: str
    message: Mapping[str, Any]
    reacts: bool = False


@dataclass(slots=True)
class Seen:
    """What the replay noted: by thread anchor the cards as first posted, and how often each thread was read."""

    first: dict[str, tuple[Decision, ...]] = field(default_factory=dict)
    posted: list[tuple[datetime, str]] = field(default_factory=list)
    readings: Counter[str] = field(default_factory=Counter)


# --- the company's Slack ---


def workspace(export: Path) -> Workspace:
    """Return the export's people, those who have left among them, and channels, the bot in each."""
    users = json.loads((export / "users.json").read_text(encoding="utf-8"))
    members = tuple(
        Member(
            id=user["id"],
            name=user["name"],
            real_name=user["real_name"],
            tz=user.get("tz"),
            admin=bool(user.get("is_admin")),
            is_bot=bool(user.get("is_bot")),
        )
        for user in users
    )
    robots = tuple(member.id for member in members if member.is_bot)
    channels = tuple(
        Channel(
            id=channel["id"],
            name=channel["name"],
            members=tuple(dict.fromkeys((*channel["members"], *robots, BOT))),
            private=listing == "groups.json",
            creator=channel["creator"],
        )
        for listing in ("channels.json", "groups.json")
        for channel in json.loads((export / listing).read_text(encoding="utf-8"))
    )
    return Workspace(members=members, channels=channels, team_id="T0FERNWAY", name="Fernway", domain="fernway")


def happenings(export: Path, channels: Sequence[Channel]) -> list[Happening]:
    """Return what was said and reacted, oldest first."""
    found: list[Happening] = []
    for channel in channels:
        for day in sorted((export / channel.name).glob("*.json")):
            for message in json.loads(day.read_text(encoding="utf-8")):
                at = _moment(message["ts"])
                found.append(Happening(at, channel.id, message))
                if message.get("reactions"):
                    found.append(Happening(at + timedelta(seconds=REACTS_AFTER_S), channel.id, message, reacts=True))
    return sorted(found, key=lambda one: (one.at, one.message["ts"]))


def _moment(ts: str) -> datetime:
    seconds, _, micros = ts.partition(".")
    return datetime.fromtimestamp(int(seconds), tz=UTC) + timedelta(microseconds=int(micros))


class Replay:
    """Lets a workspace live through what happened in it, the bot working off each delivery before time goes on."""

    def __init__(self, play: Playground, bot: SlackBot, memory: Memory, clock: HandClock) -> None:
        """Take a playground whose deliveries are held back."""
        self._play, self._bot, self._memory, self._clock = play, bot, memory, clock
        self._told = 0
        self._ts: dict[tuple[str, str], str] = {}
        self._robots = {user["real_name"]: user["id"] for user in play.world.users.values() if user["is_bot"]}
        self.seen = Seen()

    def live(self, story: Sequence[Happening], weights: Callable[[str], tuple[Model, Thresholds]]) -> Seen:
        """Go through it all, then three days on."""
        for one in story:
            self._read_until(one.at, weights)
            self._go_to(one.at)
            self._happen(one)
            self._hear()
        self._read_until(story[-1].at + _QUIET_END, weights)
        return self.seen

    def _read_until(self, end: datetime, weights: Callable[[str], tuple[Model, Thresholds]]) -> None:
        """Read threads as they come due, each at its time."""
        while ripe := self._memory.watch.due(end, limit=1):
            thread = ripe[0]
            self._go_to(thread.due_at)
            anchor = f"{thread.channel}/{thread.thread_ts}"
            self.seen.readings[anchor] += 1
            with weighed(*weights(anchor)):
                tick(self._memory, self._clock())
                self._bot.worker.drain()
            self._note(anchor)
            self._hear()

    def _note(self, anchor: str) -> None:
        card = self._memory.posts.by_key(f"card:{anchor}")
        if card is not None and card.ts and anchor not in self.seen.first:
            self.seen.first[anchor] = stated(self._memory, card.decisions)
            self.seen.posted.append((self._clock(), card.channel))

    def _go_to(self, moment: datetime) -> None:
        self._clock.advance(max(0.0, (moment - self._clock()).total_seconds()))

    def _hear(self) -> None:
        """Hand over what Slack would deliver now, signed, and work it off."""
        while self._told < len(told := self._play.deliveries()):
            for delivery in told[self._told :]:
                body, headers = self._play.signed(delivery)
                reply = self._bot.dispatch(body.decode(), headers)
                assert reply.status == 200, reply
            self._told = len(told)
            self._bot.worker.drain()

    def _happen(self, one: Happening) -> None:
        message, channel = one.message, one.channel
        ts = self._ts.get((channel, message["ts"]), "")
        if one.reacts:
            inside = set(self._play.world.conversation(channel).members)
            for reaction in message["reactions"]:
                for user in inside & set(reaction["users"]):
                    self._play.react(user, channel, ts, reaction["name"])
            return
        subtype = message.get("subtype", "")
        if subtype == "channel_join":
            return
        author = self._robots[message["username"]] if subtype == "bot_message" else message["user"]
        if subtype == "tombstone":
            author = message["reply_users"][0]
        root = message.get("thread_ts", "")
        posted = self._play.post(
            author,
            channel,
            message["text"],
            thread_ts=self._ts[channel, root] if root and root != message["ts"] else "",
            broadcast=subtype == "thread_broadcast",
            subtype="bot_message" if subtype == "bot_message" else "",
        )
        assert posted == message["ts"], "Slack's time is the clock's"
        self._ts[channel, message["ts"]] = posted


# --- what came of it ---


def stated(memory: Memory, ids: Sequence[str]) -> tuple[Decision, ...]:
    """Return the decisions that a card names."""
    found = (memory.decision(one, EVERYTHING) for one in ids)
    return tuple(one for one in found if one is not None)


def is_right(decisions: Sequence[Decision], labelled: Labelled) -> bool:
    """Say whether a card on a decision thread states one of its decisions: by its words, or in the same message."""
    return labelled.decided and any(_states(one, truth, labelled) for one in decisions for truth in labelled.truths)


def _states(decision: Decision, truth: Mapping[str, Any], labelled: Labelled) -> bool:
    theirs = [truth["quote"], *(other.get("quote", "") for other in truth["also_in"])]
    for quote in decision.evidence:
        if str(quote.turn_id).endswith("/" + truth["anchor"].get("message_ts", "?")):
            return True
        if any(_overlap(quote.quote, other) for other in theirs):
            return True
    mine, other = stems(decision.title), stems(truth["title"])
    return len(mine & other) >= _SAME_WORDS * min(len(mine), len(other))


def _overlap(ours: str, theirs: str) -> bool:
    mine, other = set(ours.lower().split()), set(theirs.lower().split())
    return len(mine & other) >= _SAME_WORDS * max(1, len(mine | other))


def report(seen: Seen, memory: Memory, play: Playground, calls: int) -> tuple[dict[str, Any], list[str]]:
    """Return the figures, and each card that is wrong."""
    labels = {one.thread.place.anchor: one for one in company(borderline=True)}
    sure = {one.thread.place.anchor for one in company()}
    decided = [anchor for anchor in sure if labels[anchor].decided]
    tally: Counter[str] = Counter()
    wrong: list[str] = []
    for anchor, first in seen.first.items():
        kind = "borderline" if anchor in labels and anchor not in sure else "scored"
        tally[f"cards {kind}"] += 1
        if kind == "borderline":
            continue
        labelled = labels.get(anchor)
        post = memory.posts.by_key(f"card:{anchor}")
        last = stated(memory, post.decisions) if post is not None else ()
        for when, decisions in (("first", first), ("last", last)):
            right = labelled is not None and is_right(decisions, labelled)
            tally[f"right {when}"] += right
            if not right:
                label = "unthreaded" if labelled is None else "decision" if labelled.decided else "none"
                wrong.append(f"{when} {anchor} ({label}): " + " | ".join(one.title for one in decisions))
    asked = sum(1 for anchor in labels if memory.posts.by_key(f"ask:{anchor}") is not None)
    missing = [anchor for anchor in decided if anchor not in seen.first]
    told = sum(memory.posts.by_key(f"ask:{anchor}") is not None for anchor in missing)
    scored = tally["cards scored"]
    figures = {
        "threads": len(labels),
        "decision threads": len(decided),
        "cards posted": len(seen.first),
        "on borderline threads": tally["cards borderline"],
        "cards scored": scored,
        "right as first posted": round(tally["right first"] / max(1, scored), 3),
        "right as they stand": round(tally["right last"] / max(1, scored), 3),
        "decision threads with a card": len(decided) - len(missing),
        "decision threads asked about": told,
        "decision threads left silent": len(missing) - told,
        "asked first, all threads": asked,
        "asked first where nothing was decided": asked - told,
        "readings": seen.readings.total(),
        "model calls": calls,
        "model calls a decision thread": round(calls / len(decided), 2),
        **_noise(seen, play),
    }
    return figures, wrong + [f"no card: {anchor}" for anchor in missing]


def _noise(seen: Seen, play: Playground) -> dict[str, int]:
    """Return the most messages of the bot in one thread, and unasked in one channel within a day."""
    mine: Counter[tuple[str, str]] = Counter()
    for channel in play.world.workspace.channels:
        for message in play.bot_messages(channel.id):
            mine[channel.id, str(message.get("thread_ts", message["ts"]))] += 1
    times: dict[str, list[datetime]] = defaultdict(list)
    for at, channel_id in seen.posted:
        times[channel_id].append(at)
    busiest = (sum(at - A_DAY < other <= at for other in all_) for all_ in times.values() for at in all_)
    return {"most messages a thread": max(mine.values(), default=0), "most a channel and day": max(busiest, default=0)}


# --- put together ---


@contextmanager
def extractors(*, claude: bool) -> Iterator[tuple[Extractor, Callable[[], int]]]:
    """Give the extractor and what counts its calls of a model."""
    if not claude:
        yield OfflineExtractor(), lambda: 0
        return
    truths = {one.thread.place.anchor: one.truths for one in company()}
    shown = Shown()

    def answer(_received: Received) -> Scripted:
        thread = shown.thread
        return structured({"decisions": drafts_of(thread, _shown(truths.get(thread.place.anchor, ()), thread))})

    with ClaudeServer(answer) as server:
        client = ClaudeClient(api_key=server.api_key, base_url=server.base_url, model="claude-haiku-5-5")
        shown.inner = ClaudeExtractor(client)
        try:
            yield shown, lambda: len(server.received)
        finally:
            client.close()


class Shown:
    """An extractor that notes the thread which the next request holds."""

    name = "claude"
    inner: Extractor
    thread: Thread

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Ask the inner one."""
        self.thread = thread
        return self.inner.extract(thread, vocabulary, pointed=pointed, deadline_s=deadline_s)

    def at_last(self) -> Extractor:
        """Never give up on the inner one."""
        return self


def _shown(truths: Sequence[Mapping[str, Any]], thread: Thread) -> list[dict[str, Any]]:
    """Return the truths whose deciding words stand in the thread by now, each quoted as the thread has it."""
    found = []
    for truth in truths:
        quotes = (truth["quote"], *(other.get("quote", "") for other in truth["also_in"]))
        said = [quote for quote in quotes if quote and any(verify_quote(quote, turn.text) for turn in thread.turns)]
        found += [{**truth, "quote": quote} for quote in said[:1]]
    return found


def main() -> None:
    """Print one JSON document, with `--wrong` then each card that is wrong and each decision thread without one."""
    logging.disable(logging.WARNING)
    claude, elsewhere, tell = (flag in sys.argv[1:] for flag in ("--claude", "--elsewhere", "--wrong"))
    began = time.monotonic()
    weights = unseen_weights(elsewhere=elsewhere)
    place = workspace(COMPANY / "slack_export")
    story = happenings(COMPANY / "slack_export", place.channels)
    clock = HandClock(story[0].at - timedelta(hours=1))
    with (
        tempfile.TemporaryDirectory() as home,
        extractors(claude=claude) as (extractor, calls),
        Playground(place, clock=clock) as play,
    ):
        play.hold()
        memory = Memory.open(Path(home), clock=clock, index="off")
        offline = OfflineSynthesiser()
        settings = Settings(
            home=Path(home),
            slack_bot_token=play.bot_token,
            slack_signing_secret=play.signing_secret,
            slack_api_url=play.api_url,
        )
        bot = slack_bot(
            settings=settings,
            memory=memory,
            answers=Answers(memory, offline, offline, clock),
            extractor=extractor,
            clock=clock,
            with_claude=claude,
        )
        for channel in place.channels:
            memory.set_setting(mode_setting(channel.id), Mode.BY_ITSELF.value, by=Person(name="Viktor Petrov"))
        seen = Replay(play, bot, memory, clock).live(story, weights)
        figures, wrong = report(seen, memory, play, calls())
        memory.close()
    print(json.dumps({**figures, "seconds": round(time.monotonic() - began)}, indent=1))
    if tell:
        print(*wrong, sep="\n")


if __name__ == "__main__":
    main()
