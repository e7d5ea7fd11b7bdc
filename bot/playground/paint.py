"""Lines for a terminal of 80 columns: wrapped by what a character is wide, coloured only where that is wanted."""

from __future__ import annotations

import unicodedata
from typing import TextIO

COLUMNS = 80
_DIM, _BOLD, _END = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def cells(text: str) -> int:
    """Return how many columns a text takes; emoji and East Asian letters take two."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(bool(unicodedata.combining(character)) for character in text)


def wrapped(text: str, columns: int) -> list[str]:
    """Return a text's lines, none wider than that; a word that is wider stands alone."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cells(longer) > columns:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class Painter:
    """Writes to one stream and counts the lines."""

    def __init__(self, out: TextIO, *, color: bool) -> None:
        """Write to `out`; `color` allows bold and dim."""
        self._out = out
        self._color = color
        self.lines = 0

    def say(self, text: str = "", *, first: str = "", rest: str | None = None, style: str = "") -> None:
        """Write a text, wrapped.

        Args:
            text: its own line breaks stay.
            first: stands before its first line.
            rest: stands before the other lines; as many blanks as `first` takes where left out.
            style: "bold", "dim" or "".
        """
        margin = " " * cells(first) if rest is None else rest
        for number, line in enumerate(
            piece for part in text.split("\n") for piece in wrapped(part, COLUMNS - cells(first))
        ):
            self._line((first if number == 0 else margin) + self._styled(line, style))

    def quote(self, text: str) -> None:
        """Write what stands on somebody's screen, the first line in bold."""
        head, _, body = text.partition("\n")
        self.say(head, first="  | ", rest="  | ", style="bold")
        if body:
            self.say(body, first="  | ", rest="  | ")

    def ask(self, prompt: str) -> None:
        """Write a prompt and leave the cursor behind it."""
        self._out.write(self._styled(prompt, "bold"))
        self._out.flush()

    def _line(self, line: str) -> None:
        self._out.write(line.rstrip() + "\n")
        self._out.flush()
        self.lines += 1

    def _styled(self, text: str, style: str) -> str:
        if not self._color or not style or not text:
            return text
        return f"{_BOLD if style == 'bold' else _DIM}{text}{_END}"
