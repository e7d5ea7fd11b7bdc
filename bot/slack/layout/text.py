"""Words for Slack's markup: whatever people or models wrote stays words.

`Mrkdwn` is text that Slack may parse; only functions of this module make it. Three rules hold for each:
the only `<…>` in it are links to addresses handed in apart from the text, and dates; its only `*` are pairs of ours;
and `&`, `<`, `>` of people's text are escaped. Slack's formatting characters in people's text are swapped for
look-alikes, because a zero-width character beside one does not reliably disarm it.
Lengths are UTF-16 units: never less than what Slack counts, whichever way it does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from datetime import date, datetime
from typing import NewType

Mrkdwn = NewType("Mrkdwn", str)

__all__ = [
    "Mrkdwn",
    "bold",
    "clean",
    "code",
    "cut",
    "cut_plain",
    "cut_words",
    "day",
    "inert",
    "italic",
    "join",
    "link",
    "model_text",
    "spoken",
    "units",
    "word_count",
]

NOTHING = Mrkdwn("")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_URL = re.compile(r"https?://[^\s<>|]+", re.IGNORECASE)
_URL_MAX = 400
"""Longer addresses are shown as words: Slack's permalinks have some 100 characters."""
CHARACTERS_A_WORD = 12
"""A limit in words is also one of so many characters each: some languages write without spaces."""

# What turns text around on screen, and what no screen shows; U+200D stays, emoji are joined by it.
_UNSEEN = re.compile("[\u00ad\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
_LOW_LINE = "ˍ"
_LOOK_ALIKES = str.maketrans({"*": "∗", "~": "∼"})
_ESCAPE = re.compile(r"&(?:amp|lt|gt);")
_MARKS = re.compile(r"(?:\[\d+\])+")
_TICKS = re.compile(r"`+")
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_QUOTE_MARK = re.compile(r"^(?:>\s*)+")

_ITALIC = r"(?<!\w)_(?=\S)(?:(?!\n).)+?(?<=\S)_(?!\w)"
_ATOM = re.compile(
    rf"<[^<>]*>|&(?:amp|lt|gt);|\*[^*\n]+\*|`[^`\n]+`|{_ITALIC}|:[a-z0-9_+'-]+:(?::skin-tone-[2-6]:)?|.", re.DOTALL
)
_DATE = re.compile(r"<!date\^[^<>|]*\|([^<>]*)>")
_LINK = re.compile(r"<[^<>|!]*\|([^<>]*)>")
_MODEL = re.compile(r"\*\*(?P<bold>[^*\n]+)\*\*|\[(?P<label>[^\[\]\n]+)\]\((?P<url>[^()\s]+)\)")


def units(text: str) -> int:
    """Return the length in UTF-16 units, as JavaScript counts it."""
    return len(text) + sum(character > "\uffff" for character in text)


def word_count(text: str) -> int:
    """Count the words that people see: runs that hold a letter or digit; "[1]", "·" or "&amp;" are none."""
    seen = _ESCAPE.sub("&", text).replace(_LOW_LINE, "_")
    return sum(any(map(str.isalnum, run)) and not _MARKS.fullmatch(run) for run in seen.split())


def clean(text: str) -> str:
    """Return the text on one line, without control, invisible and direction-turning characters.

    For places that Slack does not parse (buttons, titles, options), and the first step of everything else.
    """
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    seen = _UNSEEN.sub("", whole)
    spaced = "".join(" " if unicodedata.category(character) == "Cc" else character for character in seen)
    return " ".join(spaced.split())


def inert(text: str) -> Mrkdwn:
    """Return somebody's text so that Slack shows it and parses nothing in it: one line, no markup, escaped."""
    words = _TICKS.sub("'", clean(text)).translate(_LOOK_ALIKES)
    words = _EDGE_UNDERSCORE.sub(lambda match: _LOW_LINE * len(match[0]), words)
    words = _QUOTE_MARK.sub("› ", words)
    return Mrkdwn(words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def model_text(text: str, links: Collection[str] = (), *, within_bold: bool = False) -> Mrkdwn:
    """Return a model's text: `**bold**` is bold, `[label](url)` a link when the url is one of `links`, else its label.

    Args:
        text: as the model wrote it.
        links: the addresses that may be linked, compared whole: those of the answer's own messages.
        within_bold: the caller makes the whole bold, so that no pair of its own may end it.
    """
    line = clean(text)
    parts: list[str] = []
    end = 0
    for match in _MODEL.finditer(line):
        parts.append(_kept_spaces(line[end : match.start()]))
        end = match.end()
        if (strong := match["bold"]) is not None:
            parts.append(inert(strong) if within_bold else bold(inert(strong)))
        elif match["url"] in links:
            parts.append(link(match["url"], inert(match["label"])))
        else:
            parts.append(inert(match["label"]))
    parts.append(_kept_spaces(line[end:]))
    return Mrkdwn("".join(parts).strip())


def _kept_spaces(piece: str) -> str:
    """Make a piece inert without losing the space at its ends."""
    core = inert(piece)
    return (" " if piece[:1] == " " else "") + core + (" " if core and piece[-1:] == " " else "")


def bold(words: Mrkdwn) -> Mrkdwn:
    """Return the words in bold; nothing stays nothing."""
    return Mrkdwn(f"*{words}*") if words else NOTHING


def italic(words: Mrkdwn) -> Mrkdwn:
    """Return the words in italics; nothing stays nothing."""
    return Mrkdwn(f"_{words}_") if words else NOTHING


def code(words: Mrkdwn) -> Mrkdwn:
    """Return the words as something to type; nothing stays nothing."""
    return Mrkdwn(f"`{words}`") if words else NOTHING


def link(url: str, label: Mrkdwn) -> Mrkdwn:
    """Return the label as a link; the label alone where the address is none of the web, or far too long.

    The address comes from the memory (a message's permalink), never out of the text that is shown.
    """
    if not _URL.fullmatch(url) or units(url) > _URL_MAX or not label:
        return label
    address = url.replace("&", "&amp;").replace("*", "%2A").replace("`", "%60").replace("_", "%5F")
    return Mrkdwn(f"<{address}|{label.replace('|', '¦')}>")


def day(when: date | datetime | None) -> Mrkdwn:
    """Return the day in the zone of whoever reads it, "4 Mar 2026" where Slack can't; a plain date has no zone."""
    if when is None:
        return NOTHING
    words = f"{when.day} {_MONTHS[when.month - 1]} {when.year}"
    if isinstance(when, datetime):
        return Mrkdwn(f"<!date^{int(when.timestamp())}^{{date_short}}|{words}>")
    return Mrkdwn(words)


def join(separator: str, parts: Collection[Mrkdwn]) -> Mrkdwn:
    """Join what isn't empty; the separator is one of our own words."""
    return Mrkdwn(separator.join(part for part in parts if part))


def spoken(words: Mrkdwn) -> str:
    """Return the words without markup, for screen readers and notifications: still escaped, dates as words."""
    text = _LINK.sub(r"\1", _DATE.sub(r"\1", words))
    text = text.replace("*", "").replace("`", "")
    return re.sub(_ITALIC, lambda match: match[0][1:-1], text)


def cut(words: Mrkdwn, limit: int) -> Mrkdwn:
    """Return at most `limit` (1 or more) units, with "…" when something went; no escape, link or emoji is halved."""
    if units(words) <= limit:
        return words
    kept: list[str] = []
    room = limit - 1
    for atom in _atoms(words):
        size = units(atom)
        if size > room:
            if room > 2 and atom[0] == atom[-1] and atom[0] in "*_`" and len(atom) > 2:
                kept.append(_within(atom, room))
            break
        kept.append(atom)
        room -= size
    return Mrkdwn("".join(kept).rstrip() + "…")


def _within(span: str, room: int) -> str:
    """Cut a marked span to the room (3 or more) and close it again; the caller's "…" follows."""
    mark, inside = span[0], span[1:-1]
    kept = cut(Mrkdwn(inside), min(room - 1, units(inside) - 1)).removesuffix("…").rstrip()
    return f"{mark}{kept}{mark}" if kept else ""


def cut_plain(text: str, limit: int) -> str:
    """Return at most `limit` units of text that Slack doesn't parse, cleaned, with "…" when something went."""
    words = clean(text)
    if units(words) <= limit:
        return words
    kept: list[str] = []
    room = limit - 1
    for cluster in _clusters(words):
        room -= units(cluster)
        if room < 0:
            break
        kept.append(cluster)
    return "".join(kept).rstrip() + "…"


def cut_words(text: str, limit: int) -> str:
    """Return the first `limit` (1 or more) words of somebody's text, with "…" when something went."""
    runs = clean(text).split()
    room = limit * CHARACTERS_A_WORD
    if len(runs) <= limit:
        return cut_plain(" ".join(runs), room)
    return cut_plain(" ".join(runs[:limit]).rstrip(" ,;:.·") + "…", room)


def _atoms(words: str) -> Iterator[str]:
    """Yield what must stay whole: entities, escapes, emoji, marked spans, characters with their marks."""
    position = 0
    while position < len(words):
        match = _ATOM.match(words, position)
        atom = match[0] if match else words[position]
        if len(atom) == 1:
            atom = next(_clusters(words[position : position + 64]))
        yield atom
        position += len(atom)


def _clusters(text: str) -> Iterator[str]:
    """Yield characters with the marks, joiners and skin tones that belong to them; flags as pairs."""
    start = 0
    while start < len(text):
        end = start + 1
        if _is_flag(text[start]) and end < len(text) and _is_flag(text[end]):
            end += 1
        while end < len(text) and (_belongs(text[end]) or text[end - 1] == "\u200d"):
            end += 1
        yield text[start:end]
        start = end


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _belongs(character: str) -> bool:
    return (
        character == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or unicodedata.category(character).startswith("M")
    )
