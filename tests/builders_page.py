"""Builders for walks on the playground's page: a browser, and somebody who uses it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, expect
from playwright.sync_api import Page as Tab

from bot.playground import Playground

PATIENCE_MS = 20_000
"""How long anything may take to show on a busy machine."""
expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Visitor:
    """Somebody at the page, doing with pointer and keys what people do."""

    tab: Tab
    url: str
    play: Playground

    def come(self, person: str, channel: str = "") -> None:
        """Open the page as that person, in that channel."""
        user = self.play.world.user(person)["id"]
        where = "home" if channel == "home" else self.play.world.conversation(channel).id if channel else ""
        self.tab.goto(f"{self.url}#{user}/{where}")
        expect(self.tab.locator(".who strong")).to_have_text(self.play.world.users[user]["real_name"])

    def become(self, name: str) -> None:
        """Choose another person in the switch."""
        self.tab.locator("button.who").click()
        self.tab.get_by_role("menuitemradio", name=name).click()
        expect(self.tab.locator(".who strong")).to_contain_text(name)

    def channels(self) -> list[str]:
        """Return the names of the channels that are listed."""
        return self.tab.locator(".sidebar a.row .name").all_inner_texts()

    def enter(self, channel: str) -> None:
        """Click a channel."""
        self.tab.locator(".sidebar a.row", has_text=channel).click()
        expect(self.tab.locator("main .head h1")).to_contain_text(channel)

    def say(self, text: str, *, thread: bool = False) -> None:
        """Write something and send it."""
        field = self.tab.locator("aside.thread textarea" if thread else "main .composer textarea")
        field.fill(text)
        field.press("Escape")
        field.press("Enter")

    def message(self, words: str, *, thread: bool = False) -> Locator:
        """Return the last message with those words."""
        place = "aside.thread" if thread else "main"
        return self.tab.locator(f"{place} article", has_text=words).last

    def react(self, words: str, emoji: str) -> None:
        """Point at a message and press one of the quick reactions."""
        message = self.message(words)
        message.hover()
        message.get_by_label(f"React with {emoji}").click()

    def open_thread(self, words: str) -> Locator:
        """Open the thread under a message and return it."""
        self.message(words).locator(".thread-line").click()
        return self.tab.locator("aside.thread")

    def modal(self) -> Locator:
        """Return the dialog that lies open."""
        return self.tab.locator("dialog[open]")

    def seen(self, words: str | re.Pattern[str], *, within: str = "main") -> None:
        """Wait until those words stand on the screen."""
        expect(self.tab.locator(within)).to_contain_text(words)
