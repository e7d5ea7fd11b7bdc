"""How places are named in what people write: a permalink, a ticket's key, `owner/repo#41`, ADR 6, incident 327; pure.

A name is a short text of one form for all ways of writing it, so that a text and a place can be held together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.core.model import Place

_SLACK = re.compile(
    r"/archives/(?P<channel>[A-Z0-9]+)/p(?P<s>\d{10})(?P<us>\d{6})(?:\?[^\s|>]*?thread_ts=(?P<root>\d+\.\d+))?"
)
_CHANGE_URL = re.compile(r"github\.com/(?P<repo>[\w.-]+/[\w.-]+)/(?:pull|issues)/(?P<number>\d+)")
_CHANGE = re.compile(r"(?<![\w/.-])[\w.-]+/[\w.-]+#\d+\b")
_BARE_CHANGE = re.compile(r"(?<![\w/#&.-])#(?P<number>\d+)\b")
_RECORD = re.compile(r"\badrs?[ #:_-]*0*(?P<number>\d+)\b", re.IGNORECASE)
_INCIDENT = re.compile(r"\b(?:inc|incidents?)[ #:-]*0*(?P<number>\d+)\b", re.IGNORECASE)
_TICKET = re.compile(r"\b(?!ADR-|INC-)[A-Z][A-Z0-9]+-\d+\b")
_COMMIT = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_URL = re.compile(r"https?://[^\s<>|)\]\"'?#]+")
_COMMIT_DIGITS = 7
"""Of a commit's hash, as people shorten it."""
_REPLACING = re.compile(
    r"\b(?:replac|supersed|revers|revert|overturn|overrul|undo|undid|drop|scrap|abandon|instead\ of|rather\ than"
    r"|no\ longer|back\ on|unlike|contrary\ to|not\ (?:as|what))\w*(?P<what>[^\n.;!?]{0,80}(?:\.\w[^\n.;!?\s]*)*)",
    re.IGNORECASE,
)


def names_in(text: str, *, within: Place | None = None) -> frozenset[str]:
    """Return the names of all places that a text names.

    Args:
        text: what somebody wrote.
        within: where they wrote it: a bare `#41` means a change of the same repository.
    """
    return frozenset(_names(text, within))


def names_replaced(text: str, *, within: Place | None = None) -> frozenset[str]:
    """Return the names of those places of which a text says that they are replaced: "ADR 6 replaces ADR 1"."""
    return frozenset(name for match in _REPLACING.finditer(text) for name in _names(match["what"], within))


def names_of(place: Place) -> frozenset[str]:
    """Return the names that a place goes by."""
    names = {f"slack:{place.anchor}"} if place.source == "slack" else set()
    if place.source == "git":
        names.add(f"commit:{place.anchor[:_COMMIT_DIGITS]}")
    named = place.ref or place.permalink
    names.update(_names(named.replace("adr:", "ADR ").replace("incident:", "incident "), place))
    names.update(_names(place.permalink, place))
    return frozenset(names)


def _names(text: str, within: Place | None) -> Iterator[str]:
    for match in _SLACK.finditer(text):
        yield f"slack:{match['channel']}/{match['root'] or match['s'] + '.' + match['us']}"
    for match in _CHANGE_URL.finditer(text):
        yield f"{match['repo']}#{match['number']}".lower()
    for match in _CHANGE.finditer(text):
        yield match[0].lower()
    if within is not None and within.source == "github":
        repository = within.anchor.rpartition("#")[0].lower()
        for match in _BARE_CHANGE.finditer(text):
            yield f"{repository}#{match['number']}"
    for match in _RECORD.finditer(text):
        yield f"adr:{match['number']}"
    for match in _INCIDENT.finditer(text):
        yield f"incident:{match['number']}"
    for match in _TICKET.finditer(text):
        yield match[0]
    for match in _COMMIT.finditer(text):
        yield f"commit:{match[0][:_COMMIT_DIGITS]}"
    for match in _URL.finditer(text):
        yield match[0].rstrip("/.,:;").lower()
