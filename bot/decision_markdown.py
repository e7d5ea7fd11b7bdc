"""A decision as a Markdown record that can be kept beside code: the sections of MADR 4 that its facts fill.

Standard library only, since the cold commands pass through here. People's words are quoted; none of them starts a
heading, a list or a link of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from store import Decision, Quote, State, Status, Verdict, Vote

_STATUS = {
    Status.ACCEPTED: "accepted",
    Status.REJECTED: "rejected",
    Status.PROPOSED: "proposed",
    Status.WITHDRAWN: "withdrawn",
}
_STATE = {State.SUPERSEDED: "superseded", State.RETRACTED: "retracted: not a decision"}
_VERDICT = {Verdict.WORKED: "worked", Verdict.FAILED: "failed"}
_MARKED = re.compile(r"([\\`*_\[\]<>|#])")
"""What Markdown would take for its own in the middle of a line."""
_LEADING = re.compile(r"^(\s*)([-+=~]|\d+[.)])", re.MULTILINE)
"""What it would take for a list, a rule or a heading at a line's start."""


def link_of(one: Decision) -> str:
    """Return the link of a decision that stays the same: where it was said, else a name that `why show` takes."""
    return one.place.permalink or f"{LINK}{one.id}"


LINK = "backstory:"
"""Begins the link of a decision that was said at no address."""


def markdown(one: Decision, *, votes: Sequence[Vote] = (), others: Sequence[Decision] = ()) -> str:
    """Return the record.

    Args:
        one: what is told, as its reader may see it.
        votes: what people said came of it.
        others: the decisions that it replaces, is replaced by or cites, for their titles.
    """
    titles: dict[str, Decision] = {other.id: other for other in others}
    sections = [
        _front(one, titles),
        f"# {_plain(one.title)}" if one.title else "# (erased)",
        _section("Context and Problem Statement", _context(one)),
        _section("Decision Drivers", [f"- {_plain(text)}" for text in (one.rationale,) if text]),
        _section("Considered Options", _options(one)),
        _section("Decision Outcome", _outcome(one)),
        _section("Consequences", _consequences(one)),
        _section("Confirmation", _votes(votes)),
        _section("More Information", _more(one, titles)),
    ]
    return "\n\n".join(filter(None, sections)) + "\n"


def _front(one: Decision, titles: dict[str, Decision]) -> str:
    status = _STATE.get(one.state, _STATUS[one.status])
    if one.state is State.SUPERSEDED:
        newer = [titles[name] for name in one.superseded_by if name in titles]
        status = f"superseded by {', '.join(_line(other.title) for other in newer)}" if newer else status
    facts = [
        ("status", status),
        ("date", one.day.isoformat()),
        ("decision-makers", ", ".join(person.name for person in one.decided_by)),
        ("id", one.id),
        ("link", link_of(one)),
    ]
    lines = [f"{name}: {_quoted(value)}" for name, value in facts if value]
    return "\n".join(["---", *lines, "---"])


def _quoted(value: str) -> str:
    """Return a YAML value: as it is where it is plain, else in double quotes."""
    if re.fullmatch(r"[A-Za-z0-9][\w ,./@+-]*(:[\w./@+-]+)*", value, re.ASCII):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else " " for char in escaped) + '"'


def _section(title: str, lines: Iterable[str]) -> str:
    shown = list(lines)
    return "\n".join([f"## {title}", "", *shown]) if shown else ""


def _context(one: Decision) -> Iterator[str]:
    if one.elements:
        yield f"About {', '.join(f'`{_code(name)}`' for name in one.elements)}."


def _options(one: Decision) -> Iterator[str]:
    if one.alternatives:
        yield f"- {_plain(one.title)}" + (" (chosen)" if one.status is Status.ACCEPTED else "")
    for other in one.alternatives:
        yield f"- {_plain(other.option)}" + (f": {_plain(other.reason)}" if other.reason else "")


def _outcome(one: Decision) -> Iterator[str]:
    chosen = {Status.ACCEPTED: "Chosen", Status.REJECTED: "Turned down"}.get(one.status, _STATUS[one.status].title())
    yield f"{chosen}: {_plain(one.title)}" + (f", because {_plain(one.rationale)}" if one.rationale else "")
    for quote in one.evidence:
        if quote.quote:
            yield from ("", *_cited(quote))


def _cited(quote: Quote) -> list[str]:
    said = [f"> {_plain(line)}" for line in quote.quote.splitlines() or [""]]
    who = ", ".join(filter(None, (_plain(quote.author), quote.at.date().isoformat() if quote.at else "")))
    link = f"[{who or 'source'}](<{quote.permalink}>)" if quote.permalink else who
    return [*said, *([">", f"> {link}"] if link else [])]


def _consequences(one: Decision) -> Iterator[str]:
    for text in one.trade_offs:
        yield f"- Given up: {_plain(text)}"
    for text in one.edge_cases:
        yield f"- Special case: {_plain(text)}"
    for element, name, value in one.sets:
        yield f"- Sets `{_code(element)}.{_code(name)}` to `{_code(value)}`"
    for link in one.links:
        yield f"- Links `{_code(' '.join(link))}`"
    if one.revisit_when:
        yield f"- Look again: {_plain(one.revisit_when)}"


def _votes(votes: Sequence[Vote]) -> Iterator[str]:
    for vote in votes:
        said = f": {_plain(vote.reason)}" if vote.reason else ""
        yield f"- {_VERDICT[vote.verdict]}, says {_plain(vote.voter.name)} ({vote.at.date().isoformat()}){said}"


def _more(one: Decision, titles: dict[str, Decision]) -> Iterator[str]:
    for said, names in (("Replaces", one.supersedes), ("Replaced by", one.superseded_by), ("Rests on", one.cites)):
        for name in names:
            other = titles.get(name)
            if other is not None and other.title:
                yield f"- {said} [{_plain(other.title)}](<{link_of(other)}>)"
    for place in one.places:
        if place.permalink:
            yield f"- Said in [{_plain(place.ref or place.source)}](<{place.permalink}>)"


def _line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Return people's words as one line that Markdown shows as they are."""
    return _LEADING.sub(r"\1\\\2", _MARKED.sub(r"\\\1", _line(text)))


def _code(text: str) -> str:
    return _line(text).replace("`", "'")
