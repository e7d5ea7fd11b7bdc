"""`why demo`: the product in half a minute, told on the sample company's Slack by the real bot."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from bot.playground.company import PATIENCE_S, Company, at_work
from bot.playground.paint import Painter
from bot.playground.refusal import Refusal
from bot.playground.screen import mrkdwn
from bot.slack.actions import ACTION_FAILED
from store import Ranked, Verdict

SUGGESTIONS = ("sessions in Redis?", "no deploys on Fridays?", "no native app?")
RETRIES = "do we retry card calls?"
_THREE_LINES = (0, 2, 5)
"""Of the thread that turns Elasticsearch down: the question, the objection, the decision."""


def demo(*, once: bool) -> int:
    """Run it in this terminal; colours only on one, and not where NO_COLOR is set."""
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a console without emoji shows question marks
    try:
        return run_demo(once=once, out=sys.stdout, color=color)
    except TimeoutError:
        print(f"why demo: a step took more than {PATIENCE_S:g} s; is this machine very busy?", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
        return 0


def run_demo(*, once: bool, out: TextIO, color: bool, typed: TextIO | None = None) -> int:
    """Tell the story, then (unless `once`) answer what is typed until it ends; returns the exit code.

    Args:
        once: end after the story.
        out: what is written to.
        color: allow bold and dim.
        typed: where questions come from; stdin where left out.
    """
    paint = Painter(out, color=color)
    paint.say("A pretend Slack on this machine. No accounts, no key, nothing leaves it.", style="bold")
    with at_work() as company:
        _nine_months_ago(company, paint)
        company.remember()
        _today(company, paint)
        _not_for_everybody(company, paint)
        _it_did_not(company, paint)
        _nobody_decided(company, paint)
        _what_next(paint)
        if not once:
            _answer(company, paint, typed or sys.stdin)
    return 0


def _nine_months_ago(company: Company, paint: Painter) -> None:
    thread = company.threads["es-turned-down"]
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
    _asks(paint, "Today Mia, in #general", "not Elasticsearch?")
    paint.quote(company.playground.screen(company.ask("mia", "general", "not Elasticsearch?")))


def _not_for_everybody(company: Company, paint: Painter) -> None:
    question = "39 euros for the Team plan?"
    _asks(paint, "Noor, who isn't in #exec, about its price", question)
    paint.quote(_lines(company.playground.screen(company.ask("noor", "general", question)), 1))


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
    paint.quote(_lines(company.playground.screen(company.ask("ben", "general", question)), 2))


def _what_next(paint: Painter) -> None:
    paint.say()
    paint.say("Your turn, as Mia; `noor: …` asks as somebody else, an empty line ends it.", style="bold")
    for suggestion in SUGGESTIONS:
        paint.say(suggestion, first="  why> ", style="dim")
    paint.say("Your own Slack, from an export file, without a key either:")
    paint.say("why import export.zip --source slack-export", first="  $ ", style="dim")
    paint.say('why ask "why not Elasticsearch?"', first="  $ ", style="dim")


def _answer(company: Company, paint: Painter, typed: TextIO) -> None:
    while True:
        paint.ask("why> ")
        line = typed.readline()
        question = line.strip().removeprefix("/why").strip()
        if not question or question in ("q", "quit", "exit"):
            if not line.endswith("\n"):
                paint.say()
            return
        name, colon, rest = question.partition(":")
        user, asked = (name.strip(), rest.strip()) if colon and _known(company, name) else ("mia", question)
        paint.quote(company.playground.screen(company.ask(user, "general", asked)))


def _known(company: Company, name: str) -> bool:
    try:
        person = company.playground.world.user(name.strip())["id"]
    except Refusal:
        return False
    return person in company.playground.world.conversation("general").members


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
