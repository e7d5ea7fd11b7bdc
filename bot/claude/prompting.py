"""What prompts are made of: versioned files, and people's text between two lines that it can't forge."""

from __future__ import annotations

import secrets
from functools import cache
from importlib.resources import files

_FENCE_BYTES = 8
_CHARS_A_TOKEN = 3
"""Of ASCII text, on the safe side; any other character counts as a token of its own."""


@cache
def prompt(name: str) -> str:
    """Return the fixed part of a prompt by its versioned name: `extract-2`."""
    return (files("bot.claude") / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()


def fenced(what: str, text: str) -> str:
    """Return people's text between two lines with a mark drawn anew for each call: data, whatever it says."""
    mark = f"{what} {secrets.token_hex(_FENCE_BYTES)}"
    return f"<<<<< {mark}\n{text}\n>>>>> {mark}"


def one_line(text: str) -> str:
    """Return a text with its white space made single spaces, so that a name can't look like another turn."""
    return " ".join(text.split())


def tokens(text: str) -> int:
    """Return an upper estimate of a text's tokens."""
    ascii_count = sum(char < "\x80" for char in text)
    return ascii_count // _CHARS_A_TOKEN + len(text) - ascii_count + 1
