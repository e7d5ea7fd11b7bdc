"""What a decision record states by its form: its title, status, deciders, options that lost, and what it replaces.

Nothing is guessed: where the form has no outcome section, nothing is stated and the record is read like any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bot.sources.document import Stated, moment
from store import Alternative, Draft, Person, Quote, Status, Thread, Turn, sentence_spans, stems

_HEADING = re.compile(r"#{1,6}[ \t]*(?P<title>[^\n]*)(?:\n|$)")
_NUMBERED = re.compile(
    r"^(?:(?:ADR|PEP|RFC)[ -]?)?\d+(?:[.:)]|[ \t]+[-\u2013\u2014])?[ \t]+[-\u2013\u2014:]?[ \t]*", re.IGNORECASE
)
_ITEM = re.compile(r"^[ \t]*(?:[*+-]|\d+[.)])[ \t]+(?P<text>.*(?:\n(?![ \t]*(?:[*+-]|\d+[.)])[ \t]).+)*)", re.MULTILINE)
_LINK = re.compile(r"!?\[(?P<text>[^\[\]]{0,500})\]\([^()]{0,2000}\)")
_REF = re.compile(r"\b(?:ADR|PEP|RFC|record)?[ -]?0*(?P<number>\d{1,5})\b", re.IGNORECASE)
_CHOSEN = re.compile(
    r"chosen option:?[ \t]*[\"'\u201c*]+(?P<option>.{1,300}?)[\"'\u201d*]+(?:,?[ \t]*because[ \t]+(?P<why>.+))?",
    re.IGNORECASE | re.DOTALL,
)
_TURNED_DOWN = re.compile(r"^rejected:[ \t]*(?P<option>[^.]+)\.?[ \t]*(?P<why>.*)$", re.IGNORECASE | re.DOTALL)
_DROPPED = re.compile(
    r"""(?x)(?:^|(?<=\.[ ]))(?P<option>[A-Z][^.:]{3,80}?)[ ](?:was|were)[ ]considered
    (?:[ ]and[ ](?:dropped|rejected|discarded))?[:;,.][ ](?P<why>[^
]+)"""
)
_OPTION_NUMBER = re.compile(r"\bOption (?P<number>\d+)\b")
_AGAINST = re.compile(r"^(?:bad|con)[,:]?[ \t]*(?:because[ \t]+)?", re.IGNORECASE)

_OUTCOME = ("decision outcome", "decision", "resolution", "the decision", "specification")
_CONTEXT = ("context and problem statement", "context", "problem", "motivation", "background")
_OPTIONS = ("considered options", "options", "alternatives", "alternatives considered", "options considered")
_LOST = ("pros and cons of the", "rejected", "alternatives considered", "considered and rejected")
_STATUS = {
    "accept": Status.ACCEPTED, "approv": Status.ACCEPTED, "final": Status.ACCEPTED, "active": Status.ACCEPTED,
    "implement": Status.ACCEPTED, "done": Status.ACCEPTED, "adopted": Status.ACCEPTED, "supersed": Status.ACCEPTED,
    "replac": Status.ACCEPTED, "deprecat": Status.ACCEPTED, "propos": Status.PROPOSED, "draft": Status.PROPOSED,
    "review": Status.PROPOSED, "discuss": Status.PROPOSED, "reject": Status.REJECTED, "declin": Status.REJECTED,
    "withdraw": Status.WITHDRAWN, "abandon": Status.WITHDRAWN, "defer": Status.WITHDRAWN,
}  # fmt: skip
_LONGEST_RATIONALE = 700
_LONGEST_QUOTE = 400
_QUOTES = 3


def stated(thread: Thread, fields: Mapping[str, str], *, ref: str) -> Stated | None:
    """Return what a record of these sections states; None where its form says no outcome.

    Args:
        thread: the header as its first turn where there is one, then one turn a section.
        fields: of its header, by lower-case name.
        ref: its own name, `adr:0007`.
    """
    parts = [(_title_of(turn.text), turn) for turn in thread.turns]
    outcome = _section(parts, _OUTCOME)
    title = _NUMBERED.sub("", fields.get("title", "") or next((head for head, _ in parts if head), "")).strip()
    if outcome is None or not title:
        return None
    body = _body(outcome.text)
    status = fields.get("status", "") or _body_of(_section(parts, ("status",)))
    options = _options(parts)
    lost = tuple(_lost(parts, body, options))
    chosen = _CHOSEN.search(body)
    return Stated(
        draft=Draft(
            title=title,
            rationale=_rationale(body, chosen, _body_of(_section(parts, _CONTEXT))),
            status=next((one for stem, one in _STATUS.items() if stem in status.lower()), Status.ACCEPTED),
            decided_on=at.date() if (at := moment(fields.get("date") or fields.get("created"))) else None,
            decided_by=tuple(Person(name=name) for name in _people(fields)),
            alternatives=lost,
            evidence=tuple(_quotes(outcome, body)),
            supersedes=tuple(each for each in _refs(_said(fields, status, "supersedes", "replaces")) if each != ref),
        ),
        replaced_by=tuple(each for each in _refs(_replaced_by(fields, status)) if each != ref),
    )


def _title_of(text: str) -> str:
    match = _HEADING.match(text)
    return match["title"].strip().rstrip(" \t#") if match else ""


def _body(text: str) -> str:
    return _HEADING.sub("", text, count=1).strip() if text.startswith("#") else text.strip()


def _body_of(turn: Turn | None) -> str:
    return _body(turn.text) if turn else ""


def _section(parts: Sequence[tuple[str, Turn]], names: Sequence[str]) -> Turn | None:
    """Return the first section of the first of these names that has one and says something."""
    for name in names:
        for head, turn in parts:
            if head.lower().rstrip("?:").strip() == name and _body(turn.text):
                return turn
    return None


def _people(fields: Mapping[str, str]) -> list[str]:
    said = next(
        (
            fields[name]
            for name in ("deciders", "decision-makers", "decided-by", "authors", "author")
            if fields.get(name)
        ),
        "",
    )
    return list(
        dict.fromkeys(name for part in said.split(",") if (name := re.sub(r"<[^<>]*>", "", part).strip(" []\"'")))
    )


def _quotes(outcome: Turn, body: str) -> Iterator[Quote]:
    """Yield the sentences of the outcome's first paragraph."""
    paragraph = body.split("\n\n")[0]
    spans = [(start, end) for start, end in sentence_spans(paragraph) if 0 < end - start <= _LONGEST_QUOTE]
    for start, end in spans[:_QUOTES]:
        yield Quote(
            quote=paragraph[start:end],
            author=outcome.author,
            at=outcome.occurred_at,
            permalink=outcome.permalink,
            turn_id=outcome.turn_id,
        )


def _rationale(body: str, chosen: re.Match[str] | None, context: str) -> str:
    if chosen and chosen["why"]:
        return _cut(_plain(chosen["why"].split("\n\n")[0]))
    paragraphs = [
        part for part in body.split("\n\n") if not _TURNED_DOWN.match(part) and not _OPTION_NUMBER.match(part)
    ]
    said = paragraphs[0] if paragraphs else ""
    spans = sentence_spans(said)
    rest = said[spans[0][1] :].strip() if spans else ""
    return _cut(_plain(f"{context} {rest}"))


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_RATIONALE:
        return text
    ends = [end for _, end in sentence_spans(text) if end <= _LONGEST_RATIONALE]
    return text[: ends[-1]] if ends else text[:_LONGEST_RATIONALE].rsplit(" ", 1)[0]


def _plain(text: str) -> str:
    return " ".join(_LINK.sub(lambda m: m["text"], text).replace("**", "").replace("__", "").split())


# --- what lost --------------------------------------------------------------------------------


def _options(parts: Sequence[tuple[str, Turn]]) -> list[str]:
    return [option for option, _ in _listed(_body_of(_section(parts, _OPTIONS)))]


def _listed(body: str) -> Iterator[tuple[str, str]]:
    """Yield each item of a list as an option and what is said of it behind a colon."""
    for match in _ITEM.finditer(body):
        option, _, said = _plain(match["text"]).partition(": ")
        yield option, said


def _lost(parts: Sequence[tuple[str, Turn]], outcome: str, options: Sequence[str]) -> Iterator[Alternative]:
    """Yield what was considered and not chosen, each once, with why where that is said."""
    reasons = dict(_reasons(parts, options))
    chosen = _chosen(outcome, options)
    for option in dict.fromkeys((*options, *reasons)):
        if option != chosen and not any(option != other and option in other for other in options):
            why = next((said for name, said in reasons.items() if name == option or _alike(name, option)), "")
            if option in options or not any(_alike(option, other) for other in options):
                yield Alternative(option=option.rstrip("."), reason=why)


def _chosen(outcome: str, options: Sequence[str]) -> str:
    """Return the option that the outcome chose: the one it names, else the one that shares most words with it."""
    named = _CHOSEN.search(outcome)
    words = stems(named["option"] if named else outcome.split("\n\n")[0])
    shares = {option: len(stems(option) & words) / max(1, len(stems(option))) for option in options}
    return max(options, key=lambda option: shares[option], default="") if any(shares.values()) else ""


def _reasons(parts: Sequence[tuple[str, Turn]], options: Sequence[str]) -> Iterator[tuple[str, str]]:
    for head, turn in parts:
        body, name = _body(turn.text), head.lower()
        if any(name.startswith(each) for each in _LOST) or name.rstrip("?:") in _OPTIONS:
            yield from ((option, why) for option, why in _listed(body) if why)
        elif any(_plain(head) == option for option in options):
            against = [
                _AGAINST.sub("", text)
                for match in _ITEM.finditer(body)
                if _AGAINST.match(text := _plain(match["text"]))
            ]
            if against:
                yield _plain(head), " ".join(against)
        for paragraph in body.split("\n\n"):
            yield from _in_words(_plain(paragraph), options)


def _in_words(paragraph: str, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    if match := _TURNED_DOWN.match(paragraph):
        yield match["option"].strip(), match["why"].strip()
    for match in _DROPPED.finditer(paragraph):
        yield match["option"].strip(), match["why"].strip()
    for start, end in sentence_spans(paragraph):
        sentence = paragraph[start:end]
        number = _OPTION_NUMBER.match(sentence)
        if number and int(number["number"]) <= len(options):
            yield options[int(number["number"]) - 1], sentence


def _alike(one: str, other: str) -> bool:
    mine, theirs = stems(one), stems(other)
    return bool(mine and theirs) and len(mine & theirs) >= min(len(mine), len(theirs))


# --- what replaces what -----------------------------------------------------------------------


def _said(fields: Mapping[str, str], status: str, *names: str) -> str:
    """Return what the header or the status says behind one of these words, and nothing of "superseded by"."""
    told = [fields[name] for name in names if fields.get(name)]
    told += [line for line in status.splitlines() if line.strip().lower().startswith(names)]
    return " ".join(told)


def _replaced_by(fields: Mapping[str, str], status: str) -> str:
    told = [fields.get("superseded-by", ""), fields.get("superseded by", "")]
    told += re.findall(r"(?:superseded|replaced) by ([^\n]+)", status, re.IGNORECASE)
    return " ".join(told)


def _refs(text: str) -> Iterator[str]:
    """Yield `adr:0003` for each record that a text names."""
    shown = _LINK.sub(lambda match: match["text"], text)
    yield from dict.fromkeys(f"adr:{int(match['number']):04}" for match in _REF.finditer(shown))
