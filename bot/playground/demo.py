"""`why demo`: the product in half a minute, told on the sample company's Slack by the real bot."""

from __future__ import annotations

import errno
import io
import os
import queue
import sys
import threading
from contextlib import ExitStack
from typing import TextIO

from bot.playground.company import PATIENCE_S, Company, at_work
from bot.playground.page import Page
from bot.playground.paint import Painter
from bot.playground.refusal import Refusal
from bot.playground.screen import mrkdwn
from bot.slack.layout.actions import ACTION_FAILED
from store import Ranked, Verdict

SUGGESTIONS = ("sessions in Redis?", "no deploys on Fridays?", "no native app?")
RETRIES = "do we retry card calls?"
HERE = "search"
"""Where people ask, and what the page shows at first: all but the stranger are in it."""
TOLD = "es-turned-down"
"""The thread that the story begins with."""
SILENCE_S = 10.0
"""Seconds after which a silent pipe on stdin ends the demo."""
_THREE_LINES = (0, 2, 5)
"""Of the thread that turns Elasticsearch down: the question, the objection, the decision."""


def demo(*, once: bool, port: int = 0) -> int:
    """Run it in this terminal, with its page on `port` (0: a free one); colours not where NO_COLOR is set."""
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a console without emoji shows question marks
    try:
        return run_demo(once=once, out=sys.stdout, color=color, port=port)
    except TimeoutError:
        print(f"why demo: a step took more than {PATIENCE_S:g} s; is this machine very busy?", file=sys.stderr)
        return 1
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        print(f"why demo: port {port} is taken; leave --port out, or name another", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
        return 0


def run_demo(*, once: bool, out: TextIO, color: bool, typed: TextIO | None = None, port: int = 0) -> int:
    """Tell the story, then (unless `once`) answer what is typed until it ends; returns the exit code.

    Args:
        once: end after the story, and serve no page.
        out: what is written to.
        color: allow bold and dim.
        typed: where questions come from; stdin where left out.
        port: of the page on 127.0.0.1; 0: a free one. Raises OSError where it is taken.
    """
    paint = Painter(out, color=color)
    paint.say("A pretend Slack on this machine. No accounts, no key, nothing leaves it.", style="bold")
    with ExitStack() as stack:
        company = stack.enter_context(at_work())
        page = None if once else stack.enter_context(_page(company, port))
        _nine_months_ago(company, paint)
        company.remember()
        _today(company, paint)
        _not_for_everybody(company, paint)
        _it_did_not(company, paint)
        _nobody_decided(company, paint)
        _what_next(paint, page)
        if page is not None:
            _answer(company, paint, typed or Patient(sys.stdin))
    return 0


def _page(company: Company, port: int) -> Page:
    """Return the page, which opens at the thread that the story begins with."""
    first = company.threads[TOLD].ts
    return Page(company.playground, port=port, person="mia", place=HERE, thread=first, suggestions=SUGGESTIONS)


def _nine_months_ago(company: Company, paint: Painter) -> None:
    thread = company.threads[TOLD]
    messages = company.playground.messages(thread.channel, thread_ts=thread.ts)
    paint.say()
    paint.say("Nine months ago in #search", style="dim")
    for number in _THREE_LINES:
        message = messages[number]
        name = _first_name(company, message["user"])
        paint.say(mrkdwn(message["text"]), first=f"  {name:<5} ")
    paint.say(
        f"🔖 {_first_name(company, thread.pointed_by)} reacts: that is all it takes to keep a decision.", first=" " * 8
    )


def _today(company: Company, paint: Painter) -> None:
    _asks(paint, f"Today Mia, in #{HERE}", "not Elasticsearch?")
    paint.quote(company.playground.screen(company.ask("mia", HERE, "not Elasticsearch?")))


def _not_for_everybody(company: Company, paint: Painter) -> None:
    question = "39 euros for the Team plan?"
    _asks(paint, "Noor, who isn't in #exec, asks about a price", question)
    paint.quote(_lines(company.playground.screen(company.ask("noor", HERE, question)), 1))


def _it_did_not(company: Company, paint: Painter) -> None:
    before = company.order(RETRIES)
    decider = next(person.id for person in before[0].decision.decided_by if person.id)
    name = _first_name(company, decider)
    _asks(paint, f"{name}, in #platform", RETRIES)
    answer = company.ask(decider, "platform", RETRIES)
    _order(paint, "before", before)
    paint.say(f"[👎 It didn't] presses {name}, who decided it", first="  | ", style="bold")
    company.playground.press(decider, answer, ACTION_FAILED)
    company.playground.wait_until(lambda: _failed(company.order(RETRIES)), timeout_s=15)
    _order(paint, "after", company.order(RETRIES))


def _nobody_decided(company: Company, paint: Painter) -> None:
    question = "do we use this HR system?"
    _asks(paint, "Ben, about a thing that nobody decided", question)
    paint.quote(_lines(company.playground.screen(company.ask("ben", HERE, question)), 2))


def _what_next(paint: Painter, page: Page | None) -> None:
    paint.say()
    if page is not None:
        paint.say(f"See it in a browser: {page.url}", style="bold")
    paint.say("Your turn, as Mia; `noor: …` asks as somebody else, an empty line ends it.", style="bold")
    for suggestion in SUGGESTIONS:
        paint.say(suggestion, first="  why> ", style="dim")
    paint.say("Your own Slack, from an export file, without a key either:")
    paint.say("why import export.zip --source slack-export", first="  $ ", style="dim")
    paint.say('why ask "why not Elasticsearch?"', first="  $ ", style="dim")


class Patient:
    """Lines of a stream; where it is no terminal, a silence of so many seconds counts as its end."""

    def __init__(self, stream: TextIO, *, silence_s: float = SILENCE_S) -> None:
        """Read from that stream."""
        self._stream, self._silence_s = stream, silence_s
        self._lines: queue.SimpleQueue[str] | None = None

    def isatty(self) -> bool:
        """Say whether somebody types at a terminal."""
        return self._stream.isatty()

    def readline(self) -> str:
        """Return the next line, "" at the end."""
        if self._stream.isatty():
            return self._stream.readline()
        if self._lines is None:
            self._lines = queue.SimpleQueue()
            threading.Thread(target=self._read, args=(self._lines,), name="demo-input", daemon=True).start()
        try:
            return self._lines.get(timeout=self._silence_s)
        except queue.Empty:
            return ""

    def _read(self, lines: queue.SimpleQueue[str]) -> None:
        for line in self._stream:
            lines.put(line)
        lines.put("")


def _answer(company: Company, paint: Painter, typed: TextIO | Patient) -> None:
    while True:
        paint.ask("why> ")
        line = typed.readline()
        question = line.strip().removeprefix("/why").strip()
        if not typed.isatty():
            paint.say(question)  # a terminal has shown it as it was typed
        elif not line.endswith("\n"):
            paint.say()
        if not question or question in ("q", "quit", "exit"):
            return
        name, colon, rest = question.partition(":")
        user, asked = (name.strip(), rest.strip()) if colon and _known(company, name) else ("mia", question)
        if asked:
            paint.quote(company.playground.screen(company.ask(user, HERE, asked)))
        else:
            paint.say(f"A question goes after the name: {name.strip()}: {SUGGESTIONS[0]}", first="  | ")


def _known(company: Company, name: str) -> bool:
    try:
        person = company.playground.world.user(name.strip())["id"]
    except Refusal:
        return False
    return person in company.playground.world.conversation(HERE).members


def _asks(paint: Painter, who: str, question: str) -> None:
    paint.say()
    paint.say(f"{who}:  /why {question}", style="dim")


def _first_name(company: Company, user: str) -> str:
    return str(company.playground.world.user(user)["real_name"]).split(" ")[0]


def _lines(text: str, most: int) -> str:
    return "\n".join(text.split("\n")[:most])


def _order(paint: Painter, when: str, ranked: tuple[Ranked, ...]) -> None:
    for number, one in enumerate(ranked[:3], start=1):
        warning = " (didn't work)" if one.decision.voices.label is Verdict.FAILED else ""
        label = f"{when:<7}" if number == 1 else " " * 7
        paint.say(f"{one.decision.title}{warning}", first=f"  | {label}{number}  ")


def _failed(ranked: tuple[Ranked, ...]) -> bool:
    return any(one.decision.voices.label is Verdict.FAILED for one in ranked)
