"""On which decisions does a report of a system bear? Rules over digests of words, names and refs; pure.

An incident may say that a decision failed, a merged revert as well, a resolved ticket that it worked. None of it is
recorded: it is put before a person. So precision comes first, and of one report few are put.

Of a report's words only digests are kept, so that a decision which is recorded later meets it too. Whoever holds them
and guesses a word can confirm it, no more.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from hashlib import blake2b

from store import Decision, Happening, Occurrence, OutcomeProposal, State, Status, Thread, Verdict, normal, stems

WINDOW = timedelta(days=180)
"""How long before a report something was decided that it is held against: half a year has a peak, a quarter's end and
a renewal in it. What has lasted longer rarely breaks by itself; named by its ref it is found however old it is."""
SHARE = 0.5
"""Of the words of a decision's title, the least that a report holds as well: half of them. Rare words weigh no more
than others, so that what is proposed doesn't hang on what else is recorded, and in which order."""
FEWEST_SHARED = 3
"""Words of a title that a report must share: two meet by chance."""
SURE = 200
"""Strength of what names a decision by its ref, or takes it back; words come to 100 at most, a name adds half."""
NAMED = 50
AT_MOST = 2
"""Decisions that are put for one report: who is asked about five reads none."""
MOST_WORDS = 48
"""Words of a report by which decisions are looked for: more find no better ones."""
MOST_NAMES = 20
DIGEST_BYTES = 5
"""A thousand reports of a hundred words meet a title's ten by chance once in a million times."""

VERDICTS = {
    Happening.INCIDENT: Verdict.FAILED,
    Happening.REVERT: Verdict.FAILED,
    Happening.RESOLVED: Verdict.WORKED,
}
"""What each kind of report is a sign of."""

UNRELATED = "unrelated"
"""What is kept of a proposal of which somebody said that the report has nothing to do with the decision."""

_WORD = re.compile(r"[^\W\d_]\w+")
_NAME = re.compile(r"(?:[a-z]+:)?[^\W\d_]\w*(?:[-_.][\w]+)+|[a-z]+:[\w.-]+")
_PULL = re.compile(r"(?:(?P<owner>[\w.-]+)/)?(?P<repo>[\w.-]+)#(?P<number>\d+)")
_KEY = re.compile(r"\b[A-Z][A-Z0-9]+-\d+\b")
_URL = re.compile(r"https?://[^\s<>|\"')\]]+")
_HEX = re.compile(r"\b[0-9a-f]{7,64}\b")
_SHA, _REF = 7, 12
"""Digits by which a commit or a decision is called at least; those of a commit's ref."""
GENERIC = frozenset({
    "api", "app", "application", "backend", "base", "bot", "cache", "ci", "client", "cluster", "core", "data",
    "database", "db", "deploy", "dev", "edge", "event", "events", "frontend", "gateway", "host", "infra", "job",
    "jobs", "kafka", "key", "lib", "main", "model", "network", "node", "platform", "postgres", "prod", "production",
    "proxy", "queue", "redis", "server", "service", "services", "staging", "storage", "store", "system", "team",
    "test", "user", "users", "web", "worker",
})  # fmt: skip
"""Names that say nothing by themselves: half of all incidents name one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing:
    """A decision that a report bears on, and how strongly, in hundredths."""

    decision: Decision
    strength: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """The marks by which a decision is met; `words` has those of its title, each with the word."""

    words: Mapping[str, str]
    headline: frozenset[str]
    """What it is about, as a report's headline may call it."""
    inline: frozenset[str]
    """The same, as a report's text may."""
    refs: frozenset[str]
    mentions: frozenset[str]
    """Refs of other places that its own words name."""

    def called_by(self, found: Occurrence) -> bool:
        """Say whether a report calls the decision by a ref, takes it back, or is called by the decision's words."""
        refs = self.refs if found.kind is Happening.REVERT else self.refs | self.mentions
        return bool(found.marks & refs)

    def named_by(self, found: Occurrence) -> bool:
        """Say whether a report names what the decision is about."""
        return bool(found.marks & self.headline or found.marks & self.inline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What decisions are looked for by, in the report's own spelling: words, the headline's names, refs."""

    words: tuple[str, ...]
    names: tuple[str, ...]
    refs: tuple[str, ...]


def marked(kind: str, text: str) -> str:
    """Return the digest of a word ("w"), a name ("n" in the headline, "i" in the text), or a ref ("r", own: "o")."""
    return blake2b(f"{kind}:{text}".encode("utf-8", "replace"), digest_size=DIGEST_BYTES).hexdigest()


def occurrence_of(thread: Thread) -> Occurrence | None:
    """Return what a system reported of a thread's place, its words as digests; None where it reported nothing.

    Secrets in the thread are masked already.
    """
    happened = thread.happened
    if happened is None or not thread.turns:
        return None
    repo = thread.place.anchor.partition("#")[0] if "#" in thread.place.anchor else ""
    marks = {marked("r", ref) for undone in happened.undoes for ref in _refs(undone)}
    if happened.kind is not Happening.REVERT:
        text = "\n".join(turn.text for turn in thread.turns)
        headline = text.partition("\n")[0]
        about = {name for element in thread.about for name in _element_names(element)}
        marks = {marked("w", stem) for stem in stems(" ".join((*about, text)))}
        marks |= {marked("n", name) for name in about | _names(headline, bare=True)}
        marks |= {marked("i", name) for name in _names(_PULL.sub(" ", _URL.sub(" ", text)), bare=False)}
        marks |= {marked("r", ref) for ref in _refs(text, repo)}
        place = thread.place
        marks |= {marked("o", ref) for ref in _place_refs(place.anchor, place.ref, place.permalink)}
    return Occurrence(
        place=thread.place, scope=thread.scope, kind=happened.kind, at=happened.at, marks=frozenset(marks)
    )


def searched(thread: Thread) -> Searched:
    """Return what the decisions that a report may bear on are looked for by, the likeliest first."""
    happened = thread.happened
    text = "\n".join(turn.text for turn in thread.turns)
    headline = text.partition("\n")[0]
    own = re.findall(r"\w+", thread.place.ref.lower())
    about = dict.fromkeys(name for element in thread.about for name in _element_names(element))
    names = (*about, *(match[0] for match in _NAME.finditer(headline)))
    refs = (
        *(happened.undoes if happened else ()),
        *(match[0] for each in (_KEY, _PULL, _HEX) for match in each.finditer(text)),
    )
    return Searched(
        words=tuple(dict.fromkeys((*own, *words_of(" ".join((*about, text))))))[:MOST_WORDS],
        names=tuple(dict.fromkeys(names))[:MOST_NAMES],
        refs=tuple(dict.fromkeys(ref[:_REF] if _HEX.fullmatch(ref) else ref for ref in refs))[:MOST_NAMES],
    )


def signs_of(decision: Decision) -> Signs:
    """Return what a decision is known by."""
    places = (decision.place, *decision.places)
    text = "\n".join((decision.title, decision.rationale, decision.text, *(quote.quote for quote in decision.evidence)))
    refs = {ref for place in places for ref in _place_refs(place.anchor, place.ref, place.permalink)}
    refs |= {place.anchor[:_SHA] for place in places if place.source == "git"} | {decision.id[:_SHA]}
    words = {word: stem for word in words_of(decision.title) for stem in stems(word)}
    names = {name for element in decision.elements for name in _element_names(element)}
    return Signs(
        words={marked("w", stem): word for word, stem in words.items()},
        headline=frozenset(marked("n", name) for name in names),
        inline=frozenset(marked("i", name) for name in names),
        refs=frozenset(marked("r", ref) for ref in refs),
        mentions=frozenset(marked("o", ref) for ref in _refs(text)),
    )


def words_of(text: str) -> tuple[str, ...]:
    """Return a text's words that have a stem, in lower case, each once in order; numbers are none."""
    return tuple(dict.fromkeys(word for word in map(str.lower, _WORD.findall(text)) if stems(word)))


def may_bear(reports: Sequence[Occurrence]) -> Callable[[Signs], list[Occurrence]]:
    """Return what finds, among many reports, those that share enough with a decision for a closer look."""
    holding: dict[str, list[int]] = defaultdict(list)
    for number, report in enumerate(reports):
        for mark in report.marks:
            holding[mark].append(number)

    def found(signs: Signs) -> list[Occurrence]:
        sure = signs.refs | signs.mentions | signs.headline | signs.inline
        near = {number for mark in sure for number in holding.get(mark, ())}
        shared = Counter(number for mark in signs.words for number in holding.get(mark, ()))
        near |= {number for number, count in shared.items() if count >= FEWEST_SHARED}
        return [reports[number] for number in sorted(near)]

    return found


def bearing(
    found: Occurrence,
    decision: Decision,
    signs: Signs,
    *,
    named: bool = False,
    alone: Callable[[], bool] = lambda: False,
) -> Bearing | None:
    """Return how strongly a report bears on a decision; None where it doesn't.

    Args:
        found: the report.
        decision: as it stands now; `could_bear` is the caller's to ask.
        signs: what it is known by.
        named: the report's headline names its topic by another name.
        alone: whether nothing else was decided on that topic within the window; asked only where it matters.
    """
    if signs.called_by(found):
        return Bearing(decision=decision, strength=SURE)
    since = (found.at - WINDOW).date()
    if found.kind is Happening.REVERT or day_decided(decision) < since:
        return None
    shared = [word for mark, word in signs.words.items() if mark in found.marks]
    share = len(shared) / len(signs.words) if signs.words else 0.0
    said = len(shared) >= FEWEST_SHARED and share >= SHARE
    is_named = found.kind is Happening.INCIDENT and (named or signs.named_by(found))
    if is_named and not said:
        beside = [word for word in shared if not any(word in name for name in map(str.lower, decision.elements))]
        in_headline = named or bool(signs.headline & found.marks)
        said = bool(beside) or (in_headline and alone())
    return Bearing(decision=decision, strength=round(100 * share) + NAMED * is_named) if said else None


def could_bear(found: Occurrence, decision: Decision, superseders: Sequence[Decision]) -> bool:
    """Say whether a decision was in force when something happened, and whether it is still open how it went.

    What replaced it since is often how people answered the incident: then it was in force at that time.
    """
    place = (found.place.source, found.place.anchor)
    return (
        decision.status is Status.ACCEPTED
        and decision.state is not State.RETRACTED
        and bool(decision.title)
        and decision.voices.label is None
        and not any((each.source, each.anchor) == place for each in (decision.place, *decision.places))
        and decided_at(decision) < found.at
        and not any(each.day < found.at.date() for each in superseders)
    )


def day_decided(decision: Decision) -> date:
    """Return the day of a decision: as it says, else that of the last words that it rests on."""
    last = max((quote.at for quote in decision.evidence if quote.at is not None), default=None)
    return decision.decided_on or (last.date() if last else decision.day)


def decided_at(decision: Decision) -> datetime:
    """Return when people had said all that a decision rests on; a day without a time ends at midnight."""
    day = day_decided(decision)
    said = [quote.at for quote in decision.evidence if quote.at is not None and quote.at.date() == day]
    return max(said, default=datetime.combine(day, time(), UTC) + timedelta(days=1))


def proposal_of(found: Occurrence, one: Bearing) -> OutcomeProposal:
    """Return what is put before a person."""
    return OutcomeProposal(
        decision=one.decision.id,
        place=found.place,
        scope=found.scope,
        kind=found.kind,
        happened_at=found.at,
        verdict=VERDICTS[found.kind],
        strength=one.strength,
    )


def strongest(proposals: Iterable[OutcomeProposal]) -> tuple[OutcomeProposal, ...]:
    """Return of each report the few that it bears on most, in the order given; where one is sure, sure ones alone."""
    by_place: dict[tuple[str, str], list[OutcomeProposal]] = {}
    for one in proposals:
        by_place.setdefault((one.place.source, one.place.anchor), []).append(one)
    kept: list[OutcomeProposal] = []
    for found in by_place.values():
        best = sorted(found, key=lambda one: (-one.strength, one.decision))[:AT_MOST]
        kept += [one for one in best if one.strength >= SURE or best[0].strength < SURE]
    return tuple(kept)


# --- names and refs ---------------------------------------------------------------------------


def _element_names(element: str) -> Iterable[str]:
    """Yield the names by which a text may call an element: as it is written, and without its kind."""
    name = normal(element)
    bare = name.partition(":")[2] or name
    yield name
    if bare not in GENERIC and (":" in name or _NAME.fullmatch(bare)):
        yield bare


def _names(text: str, *, bare: bool) -> set[str]:
    """Return what a text may call an element by: what looks like a name, and in a headline its bare words too."""
    found = {normal(match[0]) for match in _NAME.finditer(text)}
    if bare:
        found |= {normal(text)} | {normal(word) for word in words_of(text)}
    return {name for name in found if name not in GENERIC}


def _place_refs(anchor: str, ref: str, permalink: str) -> set[str]:
    """Return what a text may call a place by."""
    return {each for text in (ref, permalink) for each in _refs(text)} | _refs(anchor) | {ref.casefold()} - {""}


def _refs(text: str, repo: str = "") -> set[str]:
    """Return the refs in a text: pull requests, keys of tickets, addresses, incidents, decision records, commits."""
    found = {match[0].casefold() for match in _KEY.finditer(text)}
    found |= {match[0].rstrip(".,;:").casefold() for match in _URL.finditer(text)}
    for match in _PULL.finditer(text):
        found.add(f"{match['repo']}#{match['number']}".casefold())
    if repo:
        short = repo.rpartition("/")[2]
        found |= {f"{short}#{number}".casefold() for number in re.findall(r"(?<![\w/-])#(\d+)\b", text)}
    found |= {match[0][:_SHA] for match in _HEX.finditer(text) if not match[0].isdigit()}
    return found
