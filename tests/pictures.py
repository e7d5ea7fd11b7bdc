"""README's pictures, taken on the sample company with the real bot:

    python -m tests.pictures

writes them to .github/, light and dark. Run it after what people see has changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, expect
from playwright.sync_api import Page as Tab

from bot.playground.company import Company, at_work
from bot.playground.page import Page
from store import Decision, Person, Reader
from tests.builders_page import Visitor
from tests.builders_pictures import MISSING, browser

FOLDER = Path(__file__).parents[1] / ".github"
THREAD = "sessions"
CONTESTED = ("retry-idempotent", "batch-5")
QUESTION = "/why not JWTs for the login?"


def take(folder: Path) -> tuple[Path, ...]:
    """Take every picture, light and dark, into that folder and return the files."""
    taken = []
    with at_work() as company, Page(company.playground) as page, browser() as started:
        company.remember()
        _pull_apart(company)
        for theme in ("light", "dark"):
            taken += [folder / f"thread-card-answer-{theme}.png", folder / f"home-{theme}.png"]
            tab = _tab(started, theme)
            visitor = Visitor(tab=tab, url=page.url, play=company.playground)
            _answer(company, visitor, taken[-2], first=theme == "light")
            _home(visitor, taken[-1])
            tab.close()
    return tuple(taken)


def _pull_apart(company: Company) -> None:
    """Let Ana say that two decisions pull against each other, so that Home has something to settle."""
    one, other = (_decided(company, key) for key in CONTESTED)
    quotes = (one.evidence[0].quote, other.evidence[0].quote)
    company.memory.note_conflict(one.id, other.id, quotes=quotes, by=Person(name="Ana Costa", id="U0ANA"))


def _decided(company: Company, key: str) -> Decision:
    thread = company.threads[key]
    channel = company.playground.world.conversation(thread.channel).id
    return company.memory.at_place("slack", f"{channel}/{thread.ts}", Reader(sees_open=True))[0]


def _tab(started: Browser, theme: str) -> Tab:
    size = ViewportSize(width=1280, height=900)
    tab = started.new_page(viewport=size, reduced_motion="reduce")
    tab.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    return tab


def _answer(company: Company, visitor: Visitor, path: Path, *, first: bool) -> None:
    """The thread with its card beside the answer that Mia gets."""
    thread = company.threads[THREAD]
    channel = company.playground.world.conversation(thread.channel)
    visitor.come("mia", channel.name)
    if first:
        visitor.say(QUESTION)
    expect(visitor.message("In force since")).to_contain_text("Only visible to you")
    looking = visitor.message("Looking through")
    looking.hover()
    looking.get_by_role("button", name="Dismiss").click()
    visitor.tab.goto(f"{visitor.url}#U0MIA/{channel.id}/{thread.ts}")
    visitor.seen("Recorded", within="aside.thread")
    visitor.tab.locator("main .composer textarea").fill(QUESTION)  # nothing else shows what the answer answers
    visitor.tab.locator("main .composer textarea").press("Escape")
    visitor.tab.mouse.move(0, 0)
    visitor.tab.screenshot(path=path)


def _home(visitor: Visitor, path: Path) -> None:
    """What Lena, an admin, has on her Home."""
    visitor.come("lena", "home")
    visitor.seen("Contested")
    visitor.tab.set_viewport_size({"width": 1280, "height": 640})
    visitor.tab.screenshot(path=path)


def main() -> int:
    """Take them; returns the exit code."""
    if MISSING:
        print(MISSING, file=sys.stderr)
        return 1
    for path in take(FOLDER):
        print(f"{path.relative_to(FOLDER.parent)}  {path.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
