"""What may be said of languages before anybody is disappointed: one line for `why doctor` and Home."""

from __future__ import annotations


def languages_note(*, with_claude: bool) -> str:
    """Return which languages threads are captured in without anybody pointing at them, and how others are found."""
    if with_claude:
        return "Threads are read in any language; questions find them in that language and in English."
    return (
        "Only English threads are captured without being pointed at; those in other languages need Claude for it, and "
        "are found by words of their own language alone."
    )
