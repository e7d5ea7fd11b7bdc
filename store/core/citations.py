"""What may stand: quotes that are in their turn, drafts true to their quotes, claims that their evidence bears.

Pure functions over text. Everything that a model, a rule or a person proposes passes here before it is
kept or shown. A rule that can't tell lets the proposal pass only where the verbatim quote still stands
beside it, so that a reader can check it; it never repairs a proposal by inventing words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from store.core.languages import is_english, may_be_alike
from store.core.model import Draft, Person, Quote, Status, Thread, Turn
from store.core.stance import contradicts, objects, objects_by_reaction, passes_on
from store.core.wording import content_words, known_numbers, numbers, support, word_set

MIN_QUOTE_WEIGHT = 8
"""Letters and digits that a quote needs unless it is a whole turn: "ship it!" is six and says nothing alone."""

MIN_STATED_SUPPORT = 0.25
"""Share of a reason's or option's content words that the thread must hold; people sum up in other words."""

MIN_TITLE_SUPPORT = 0.34
"""Share of a title's content words that must stand around its quotes; the lowest of 48 real ones had 0.5."""

MIN_CLAIM_SUPPORT = 0.5
"""Share of a claim's content words that its cited evidence (or the question) must hold."""

_SAME_WORDS = 0.75
"""Share of each other's content words from which a title and a quote in another language differ by a denial alone."""

_TURNS_BEFORE = 4
_WIDE = 3  # one ideograph says about as much as three letters
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|nbsp|#39|#x27);", re.IGNORECASE)
_ENTITY_TEXT = {"amp": "&", "lt": "<", "gt": ">", "quot": "'", "nbsp": " ", "#39": "'", "#x27": "'"}
_QUOTE_MARKS = frozenset("\"'`´‘’‚‛“”„‟«»‹›′″「」『』")
_DASHES = frozenset("-‐‑‒–—―−﹣-")
_DROPPED = frozenset("*`\u200b\u200c\u200d\u2060\ufeff\u00ad")
_QUOTED_SPAN = re.compile(r"[\"“„«]([^\"“”„«»]{2,400})[\"”“»]")
_CITE_MARK = re.compile(r"\[(\d{1,2})\]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something proposed that was dropped, and the rule that it broke."""

    what: str
    rule: str


class Claimed(Protocol):
    """What a claim must say of itself to be checked."""

    @property
    def text(self) -> str:
        """The sentence as it would be shown."""
        ...

    @property
    def citations(self) -> tuple[int, ...]:
        """The numbers of the evidence that it rests on."""
        ...


ClaimT = TypeVar("ClaimT", bound=Claimed)


def verify_quote(quote: str, text: str) -> str | None:
    """Return the span of the text that the quote repeats, exactly as the text has it, else None.

    Verbatim but for white space, the kind of quote marks and dashes, case, entities (`&amp;`), emphasis
    marks and Unicode form. A quote needs `MIN_QUOTE_WEIGHT` letters or digits, or to be the whole turn.
    """
    needle = _folded(_unwrapped(quote))[0].strip()
    if not needle:
        return None
    haystack, spans = _folded(text)
    start = _found(haystack, needle)
    if start < 0 and needle[-1] in ".!?,;:":
        needle = needle.rstrip(".!?,;: ")
        start = _found(haystack, needle) if needle else -1
    if start < 0:
        return None
    whole = len(needle) >= len(haystack.strip(" .!?,;:"))
    if not whole and quote_weight(needle) < MIN_QUOTE_WEIGHT:
        return None
    first, last = spans[start][0], spans[start + len(needle) - 1][1]
    return text[first:last]


def quote_weight(text: str) -> int:
    """Return how much a text says, in letters and digits; an ideograph or syllable sign counts three."""
    return sum(_WIDE if _is_wide(char) else 1 for char in text if char.isalnum())


def verify_draft(draft: Draft, thread: Thread) -> tuple[Draft | None, tuple[Refusal, ...]]:
    """Return the draft as far as the thread bears it, and what was dropped; None where nothing is left.

    Quotes come back as their turn has them, with the turn's author, time and link. Dropped are quotes that
    are in no turn, then reasons, options, trade-offs and edge cases whose numbers or words the thread
    doesn't hold, and deciders who didn't write in it or objected. Refused are drafts without a
    substantial quote, and those whose title holds a number that nobody wrote, has no words in common with what
    stands around its quotes, or says the opposite of them.
    """
    refused: list[Refusal] = []
    evidence = _located(draft.evidence, thread, refused)
    if not any(quote_weight(quote.quote) >= MIN_QUOTE_WEIGHT for quote in evidence):
        return None, (*refused, Refusal(draft.title, "no quote from the thread"))
    said = " \n".join(f"{turn.occurred_at:%d %B %Y} {turn.author}: {turn.text}" for turn in thread.turns)
    if missing := numbers(draft.title) - known_numbers(said):
        return None, (*refused, Refusal(draft.title, f"nobody wrote {', '.join(sorted(missing))}"))
    if not _is_anchored(draft.title, evidence, thread):
        return None, (*refused, Refusal(draft.title, "its words don't stand around its quotes"))
    if _says_the_opposite(draft, evidence, thread):
        return None, (*refused, Refusal(draft.title, "says the opposite of its quote"))
    kept = replace(
        draft,
        evidence=evidence,
        rationale=draft.rationale if _stated("rationale", draft.rationale, said, refused) else "",
        alternatives=tuple(
            option if _stated("why it lost", option.reason, said, refused) else replace(option, reason="")
            for option in draft.alternatives
            if _stated("alternative", option.option, said, refused)
        ),
        trade_offs=tuple(text for text in draft.trade_offs if _stated("trade-off", text, said, refused)),
        edge_cases=tuple(text for text in draft.edge_cases if _stated("edge case", text, said, refused)),
        revisit_when=draft.revisit_when if _stated("revisit when", draft.revisit_when, said, refused) else "",
    )
    return replace(kept, decided_by=_deciders(kept, thread, refused)), tuple(refused)


def verify_claims(
    claims: Iterable[ClaimT], evidence: Mapping[int, str], *, question: str = ""
) -> tuple[tuple[ClaimT, ...], tuple[Refusal, ...]]:
    """Return the claims that their cited evidence bears, in their order, and those that go.

    Args:
        claims: sentences with the numbers that they cite.
        evidence: all that the writer was shown under each number, the verbatim quote included.
        question: its words may be repeated without support; its numbers and names too.
    """
    kept: list[ClaimT] = []
    refused: list[Refusal] = []
    for claim in claims:
        rule = broken_rule(claim.text, claim.citations, evidence, question=question)
        if rule:
            refused.append(Refusal(claim.text, rule))
        else:
            kept.append(claim)
    return tuple(kept), tuple(refused)


def broken_rule(
    text: str,
    citations: Sequence[int],
    evidence: Mapping[int, str],
    *,
    question: str = "",
    least: float = MIN_CLAIM_SUPPORT,
) -> str:
    """Return the rule that a cited sentence breaks, or "" when its evidence bears it.

    Args:
        text: the sentence.
        citations: the numbers that it cites.
        evidence: all that may be said under each number.
        question: what may be repeated without support.
        least: share of its content words that must be supported; advice needs fewer than a claim.
    """
    if not text.strip():
        return "says nothing"
    if not citations:
        return "cites nothing"
    inline = {int(number) for number in _CITE_MARK.findall(text)}
    if unknown := (set(citations) | inline) - set(evidence):
        return f"cites {', '.join(map(str, sorted(unknown)))}, which isn't there"
    text = _CITE_MARK.sub(" ", text)
    cited = " \n".join(evidence[number] for number in dict.fromkeys((*citations, *sorted(inline))))
    for span in _QUOTED_SPAN.findall(text):
        if _found(_folded(cited)[0], _folded(span)[0].strip(" .,;:!?")) < 0:
            return "quotes words that aren't in its evidence"
    known = f"{cited} \n{question}"
    if numbers(text) - known_numbers(known):
        return "holds a number that isn't in its evidence"
    if (_names(text) if is_english([text]) else _odd_names(text)) - {word[:_STEM] for word in content_words(known)}:
        return "holds a name that isn't in its evidence"
    if may_be_alike(text, cited) and support(text, known) < least:
        return "its words aren't in its evidence"
    return ""


_STEM = 4
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<=[\w,;:)\]] )([A-Z][\w'-]+)")
_NO_NAMES = word_set(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday i it the a an api ok yes no"
)


def _names(text: str) -> set[str]:
    """Return the first letters of each capitalised word inside a sentence: people, products, companies."""
    words = (word.lower().removesuffix("'s") for word in _NAME.findall(text))
    return {word[:_STEM] for word in words if word not in _NO_NAMES and word in content_words(word)}


def _odd_names(text: str) -> set[str]:
    """Return the same of words with a capital inside ("RabbitMQ"): other languages don't write names alone large."""
    return {
        part[:_STEM]
        for word in _WORD.findall(text)
        if word[1:] != word[1:].lower()
        for part in content_words(word)
        if part.isascii()
    }


def _located(quotes: Iterable[Quote], thread: Thread, refused: list[Refusal]) -> tuple[Quote, ...]:
    """Return each quote as its turn has it; one that names the wrong turn moves to the only one that has it."""
    turns = {turn.turn_id: turn for turn in thread.turns}
    located: dict[tuple[str, str], Quote] = {}
    for quote in quotes:
        home = next((turn for turn_id, turn in turns.items() if turn_id == quote.turn_id), None)
        span = verify_quote(quote.quote, home.text) if home else None
        if span is None and quote_weight(quote.quote) >= MIN_QUOTE_WEIGHT:
            elsewhere = [(turn, found) for turn in thread.turns if (found := verify_quote(quote.quote, turn.text))]
            home, span = elsewhere[0] if len({turn.turn_id for turn, _ in elsewhere}) == 1 else (None, None)
        if home is None or span is None:
            refused.append(Refusal(quote.quote, "not in the thread"))
            continue
        located.setdefault((home.turn_id, span), _quoted(span, home))
    return tuple(located.values())


def _quoted(span: str, turn: Turn) -> Quote:
    return Quote(
        quote=span,
        author=turn.author,
        author_id=turn.author_id,
        at=turn.occurred_at,
        permalink=turn.permalink,
        turn_id=turn.turn_id,
    )


def _is_anchored(title: str, evidence: Sequence[Quote], thread: Thread) -> bool:
    """Say whether a title shares a word with its quotes and enough of them with the turns around these.

    Around is: the thread's first turn, the quoted turns, four before each and one after.
    """
    quoted = {quote.turn_id for quote in evidence}
    around = {0}
    for at, turn in enumerate(thread.turns):
        if turn.turn_id in quoted:
            around.update(range(at - _TURNS_BEFORE, at + 2))
    near = " \n".join([thread.label, *(turn.text for at, turn in enumerate(thread.turns) if at in around)])
    if support(title, near) < MIN_TITLE_SUPPORT:
        return False
    return support(title, " ".join(quote.quote for quote in evidence)) > 0


def _says_the_opposite(draft: Draft, evidence: Sequence[Quote], thread: Thread) -> bool:
    """Say whether a title denies what its quotes affirm, or the other way round.

    Outside English only where title and quote say nearly the same words but for that: how others deny is not all known.
    """
    quotes = [quote.quote for quote in evidence]
    if not is_english(turn.text for turn in thread.turns):
        quotes = [
            quote for quote in quotes if min(support(quote, draft.title), support(draft.title, quote)) >= _SAME_WORDS
        ]
    return contradicts(draft.title, quotes, turned_down=_turned_down(draft.status))


def _stated(what: str, text: str, said: str, refused: list[Refusal]) -> bool:
    """Say whether the thread bears a summing-up: each of its numbers, and enough of its words."""
    if not text:
        return False
    if numbers(text) - known_numbers(said):
        refused.append(Refusal(text, f"{what}: a number that nobody wrote"))
        return False
    if support(text, said) < MIN_STATED_SUPPORT:
        refused.append(Refusal(text, f"{what}: not in the thread's words"))
        return False
    return True


def _deciders(draft: Draft, thread: Thread, refused: list[Refusal]) -> tuple[Person, ...]:
    """Return those named who wrote in the thread and didn't object; else whoever wrote the deciding words.

    Nobody where these pass on what others decided.
    """
    writers = {turn.author_id or turn.author: Person(name=turn.author, id=turn.author_id) for turn in thread.turns}
    by_name = {person.name.casefold(): key for key, person in writers.items()}
    settled = draft.evidence[0]
    against = objectors(draft, thread)
    deciders: dict[str, Person] = {}
    for person in draft.decided_by:
        key = person.id if person.id in writers else by_name.get(person.name.casefold(), "")
        if not key:
            refused.append(Refusal(person.name, "decided: has no turn in the thread"))
        elif key in against:
            refused.append(Refusal(person.name, "decided: objected"))
        else:
            deciders[key] = writers[key]
    key = settled.author_id or settled.author
    if not deciders and key in writers and key not in against and not passes_on(settled.quote):
        deciders[key] = writers[key]
    return tuple(deciders.values())


def objectors(draft: Draft, thread: Thread) -> frozenset[str]:
    """Return who stands against a decision when its thread ends, by author id (name where there is none).

    The last stance of each person counts. Words against an option that lost are not against the decision,
    and whoever turned a proposal down didn't object to that. Whoever wrote the deciding words never objected;
    a thumb down on them is an objection.
    """
    said_so = next(at for at, turn in enumerate(thread.turns) if turn.turn_id == draft.evidence[0].turn_id)
    settled = thread.turns[said_so]
    stances: dict[str, bool] = {}
    options = [option.option for option in draft.alternatives]
    if not _turned_down(draft.status):
        for at, turn in enumerate(thread.turns):
            before = thread.turns[at - 1].text if at else ""
            stance = objects(turn.text, draft.title, options, settled=at > said_so, about=before)
            if stance is not None:
                stances[turn.author_id or turn.author] = stance
    stances.update(dict.fromkeys(objects_by_reaction(settled.reactions), True))
    stances.pop(settled.author_id or settled.author, None)
    return frozenset(person for person, against in stances.items() if against)


def _turned_down(status: Status) -> bool:
    return status in (Status.REJECTED, Status.WITHDRAWN)


def _unwrapped(quote: str) -> str:
    """Return a quote without the marks that its writer put around it."""
    quote = quote.strip().strip("…").removeprefix("...").removesuffix("...").strip()
    while len(quote) > 1 and quote[0] in _QUOTE_MARKS and quote[-1] in _QUOTE_MARKS:
        quote = quote[1:-1].strip()
    return quote


def _found(haystack: str, needle: str) -> int:
    """Return where the needle stands as whole words ("pay" isn't in "repay"), or -1."""
    start = haystack.find(needle)
    while start >= 0:
        end = start + len(needle)
        cut_before = start > 0 and _joined(haystack[start - 1], haystack[start])
        cut_after = end < len(haystack) and _joined(haystack[end - 1], haystack[end])
        if not cut_before and not cut_after:
            return start
        start = haystack.find(needle, start + 1)
    return -1


def _joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not (_is_wide(left) or _is_wide(right))


def _is_wide(char: str) -> bool:
    return char > "\u2e80" and unicodedata.east_asian_width(char) in ("W", "F")


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text in one form for comparison, and for each of its characters the span it came from."""
    out: list[str] = []
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(text):
        char, end = text[at], at + 1
        if char == "&" and (entity := _ENTITY.match(text, at)):
            char, end = _ENTITY_TEXT[entity[0][1:-1].lower()], entity.end()
        for part in _form(char):
            if part in " -" and out and out[-1] == part:
                spans[-1] = (spans[-1][0], end)
            else:
                out.append(part)
                spans.append((at, end))
        at = end
    return "".join(out), spans


def _form(char: str) -> str:
    if char in _DROPPED:
        return ""
    if char.isascii():
        return " " if char.isspace() else "'" if char in _QUOTE_MARKS else char.lower()
    if char.isspace():
        return " "
    if char in _QUOTE_MARKS:
        return "'"
    if char in _DASHES:
        return "-"
    return unicodedata.normalize("NFKD", char).lower()
