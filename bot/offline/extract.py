"""Drafts without a model: the gate's best sentences are the decisions, what stands around them is the why.

Everything in a draft is a span of somebody's message; nothing is reworded. Lines that give instructions to a
machine are never read as decisions. A draft's confidence is the gate's, calibrated on threads it was not
fitted on; below `PROPOSED_FROM` nothing is drafted unless somebody pointed at the thread or it is short and plain.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.offline.calibration import provenance_of
from bot.offline.options import alternatives_of, joined, listed_as_lost
from bot.offline.people import deciders_of, is_up
from bot.offline.reasons import own_reasons, reasons_of, revisit_of
from bot.offline.titles import bare_sentence, title_of
from bot.ports import Extraction
from store import (
    RECORDED_AT,
    Draft,
    GateScore,
    Quote,
    Settling,
    Status,
    Thread,
    Turn,
    Vocabulary,
    quote_weight,
    recalibrated,
    score,
    sentence_spans,
    stems,
)

PROPOSED_FROM = 30
"""Hundredths of confidence from which a thread that nobody pointed at yields a draft."""
_MOST_ELEMENTS = 4
_NEARBY = 2
"""Turns between two halves of one decision ("no Elasticsearch." … "Loki on the object store.")."""
_SECOND_FROM = 0.35
_SURE_ANYWAY = 97
_SAYING_LITTLE = frozenset({"because", "we_do"})
_NEARLY = 0.7
"""Log odds by which another sentence of the same turn may fall short and still be taken for standing first."""
_NODDED = 1.5
"""Log odds that somebody's thumb on a turn adds: it says where something was settled, never whether."""
_PROPOSAL_WITHIN = 6
_MOST_AGREEING = 60
_MOST_QUOTED = 300
_MOST_CHECKED = 2_000
MIN_QUOTE_WEIGHT = 8
"""Letters and digits below which a part of a turn is no quote (`verify_quote`)."""

_TO_A_MACHINE = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your"
    r"|system)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?)\b"
    r"|\bsystem prompt\b|\byou are (?:now )?(?:an?|the) (?:ai|assistant|bot|language model|decision)\b"
    r"|\bas an ai\b|</?(?:system|instructions?|assistant|user)>"
    r"|\b(?:record|log|capture|save|note|mark|store)\b.{0,20}\b(?:this|that|it"
    r"|the following)\b.{0,30}\b(?:as (?:a |the )?(?:decision|decided|agreed|approved)"
    r"|in (?:the )?(?:memory|backstory))|@?\bbackstory\b.{0,20}\b(?:record|capture|remember|save)\b"
    r"|\b(?:record|remember) (?:this|that)(?: please)?[.! ]*$",
    re.IGNORECASE | re.DOTALL,
)
_TURNED_DOWN = re.compile(
    r"^(?:no (?!longer|more|objection|problem|later)|not (?!only|yet|sure|bad|too|all|much|really|that|in|on|at|by"
    r"|covered|looked|tested|measured|part|here)\w+"
    r"|never\b|we(?:'re| are)? (?:not|won'?t|will not|don'?t|decline|reject)|let'?s not\b|don'?t\b|declin|reject"
    r"|won'?t\b|wontfix|rul(?:e|ed|ing) out"
    r"|(?:(?:we|i)(?:'ll| will|'m| am|'re| are)? )?(?:(?:going to|gonna|have to|must) )?"
    r"(?:reject|declin(?:e|ing)|refus(?:e|ing)|pass(?:ing)? on|turn(?:ing)? (?:it|this|that) down)\b"
    r"|clos(?:e|ing) (?:it |this )?as (?:wontfix|won'?t|not planned)"
    r"|(?:it|that)(?:'s| is) a (?:hard |clear )?no\b|no-go)"
    r"|(?:^|, (?:so|therefore|hence) )[^,;:]{2,80}?\b(?:won'?t (?:go|be|happen|make|get)|will not (?:go|be|happen|get)"
    r"|can(?:'?t|not) be (?:accepted|approved)|(?:is|are) (?:hereby |therefore )?(?:out\b(?! of| in| on| for)"
    r"|off the table|rejected|ruled out|dead\b|not happening|declined|turned down|refused|denied"
    r"|not (?:approved|accepted|granted)|a no-go))\b",
    re.IGNORECASE,
)
_RULE = re.compile(r"^no\b", re.IGNORECASE)
_AGREES = re.compile(
    r"^(?:\W|\+1|ok(?:ay)?|yes|yep|yeah|agreed?|fine|ship|it|do|that|this|go|ahead|for|approved?|make|so"
    r"|lgtm|sounds|good|concur"
    r"|works?|me|with|by|us|great|perfect|let'?s|carried|sold|deal|done|right|then|please|i|we|all|thanks?"
    r"|fair|enough|understood|noted|makes|sense|wfm|sure|cool|nice|settled|supported|fully|confirmed)+$",
    re.IGNORECASE,
)
_TO_ANOTHER = re.compile(r"\W*you\b", re.IGNORECASE)
_EMOJI_NAME = re.compile(r":[a-z0-9_+'-]+:")
_LATER = re.compile(
    r"^\W*(?:(?:and|ok(?:ay)?|so|then|we(?:'ll)?|to|let'?s)[\s,]+)*"
    r"(?:(?:revisit|reconsider|re-?open|review|look again)\b"
    r"|(?:look|talk|decide|see)(?: (?:at|about) (?:it|this|that))? (?:in|next|after|when|once|by|on)\b"
    r"|(?:if|when|once|unless)\b.*\b(?:revisit|reconsider|re-?open|review|look|talk|think)\b)",
    re.IGNORECASE,
)
_MENTION = re.compile(
    r"`([\w./-]{2,40})`|\b([a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:api|service|worker|web|proxy|db|app|ui|core"
    r"|engine|hub|server"
    r"|client|job|gateway|portal|console|sync|v\d+|\d+))\b|\b([a-z][a-z0-9]*_[a-z0-9_]+)\b"
    r"|(?<=[\w,;:)] )([A-Z][\w-]*[A-Za-z0-9])"
)
_NO_MENTION = re.compile(
    r"^(?:[A-Z]{2,}-\d+|(?:I|We|OK|The|It|If|No|Yes|Then|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?s?"
    r"|January|February|March|April|May|June|July|August|September|October|November|December|PR|ADR|RFC"
    r"|PSA|FYI|.*\d{4,}.*)$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """One deciding sentence with the turn whose words are quoted for it."""

    sentence: Settling
    text: str
    status: Status
    proposal: Settling | None = None


class OfflineExtractor:
    """Finds decisions by rules; the same thread gives the same drafts everywhere."""

    def __init__(self, *, threshold: int = RECORDED_AT) -> None:
        """Take the confidence from which this workspace's captures have proved right (`learned_threshold`)."""
        self._threshold = threshold
        self.name = provenance_of(threshold)

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return at most two drafts, the choice first; one at least where somebody pointed and anybody wrote."""
        gate = score(thread, vocabulary)
        if not pointed and gate.confidence < PROPOSED_FROM and not gate.plain:
            return Extraction(drafts=(), provenance=self.name)
        drafts = [
            _draft(thread, found, recalibrated(_confidence(thread, found, gate), self._threshold))
            for found in _decisions(thread, gate, pointed=pointed)
        ]
        return Extraction(drafts=_with_what_lost(drafts), provenance=self.name)


def _confidence(thread: Thread, found: _Found, gate: GateScore) -> int:
    """Return the gate's confidence, short of recording where no word of the sentence decides and nobody nodded at it.

    Of 17 such threads of the corpora 13 had decided something; from `_SURE_ANYWAY` on it was 6 of 6.
    """
    turn = thread.turns[found.sentence.turn]
    heard = found.proposal is not None or found.sentence.cues - _SAYING_LITTLE
    if heard or gate.confidence >= _SURE_ANYWAY or any(is_up(reaction.name) for reaction in turn.reactions):
        return gate.confidence
    return min(gate.confidence, RECORDED_AT - 1)


def _with_what_lost(drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """Give the choice what was turned down beside it as an alternative: "Postgres. No Elasticsearch"."""
    lost = [each for draft in drafts if draft.status is Status.REJECTED for each in draft.alternatives]
    return tuple(
        replace(draft, alternatives=joined(lost, draft.alternatives)) if draft.status is Status.ACCEPTED else draft
        for draft in drafts
    )


def _decisions(thread: Thread, gate: GateScore, *, pointed: bool) -> list[_Found]:
    barred = _barred(thread, gate)
    candidates = [one for one in gate.settling if _may_decide(thread, one, barred)]
    if not candidates:
        return _whole_turn(thread) if pointed else []
    best = max(candidates, key=lambda one: (_weight(thread, one), one.turn, one.start))
    main = _found(thread, _first_of(candidates, best, thread), candidates)
    second = _other_half(thread, main, candidates)
    return [main] if second is None else sorted([main, second], key=lambda one: one.status is Status.REJECTED)


def _weight(thread: Thread, sentence: Settling) -> float:
    """Return how likely this is the sentence, given that the thread has one: the gate's odds, and who nodded at it."""
    text = _text(thread, sentence)
    weight = _odds(sentence)
    if any(is_up(reaction.name) for reaction in thread.turns[sentence.turn].reactions):
        weight += _NODDED
    if len(stems(text)) < 2 and not sentence.cues and not _AGREES.match(text):
        weight -= _NODDED
    return weight


def _first_of(candidates: Sequence[Settling], best: Settling, thread: Thread) -> Settling:
    """Return the first sentence of the best one's turn that settles it nearly as well: people say the choice first."""
    near = [
        one
        for one in candidates
        if one.turn == best.turn and _odds(one) >= _odds(best) - _NEARLY and len(stems(_text(thread, one))) >= 2
    ]
    return min(near, key=lambda one: one.start, default=best)


def _may_decide(thread: Thread, sentence: Settling, barred: frozenset[int]) -> bool:
    text = _text(thread, sentence)
    if sentence.turn in barred or not _EMOJI_NAME.sub("", text).strip("?!. ") or _LATER.search(text):
        return False
    if listed_as_lost(text):
        return False  # it goes along with what was chosen instead
    return not text.rstrip(" )\"'*_").endswith("?")


def _barred(thread: Thread, gate: GateScore) -> frozenset[int]:
    """Return the turns that decide nothing whatever they say: a bot's, and instructions to one."""
    turns = {one.turn for one in gate.settling}
    return frozenset(turn for turn in turns if not _is_for_people(thread.turns[turn]))


def _is_for_people(turn: Turn) -> bool:
    text = turn.text
    looked_at = text if len(text) <= 2 * _MOST_CHECKED else text[:_MOST_CHECKED] + text[-_MOST_CHECKED:]
    return not turn.is_bot and not _TO_A_MACHINE.search(looked_at)


def _found(thread: Thread, sentence: Settling, candidates: Sequence[Settling]) -> _Found:
    text = _text(thread, sentence)
    proposal = None
    if len(text) < _MOST_AGREEING and (_AGREES.match(text) or _opens_agreeing(thread, sentence)):
        proposal = _proposal(thread, sentence, candidates)
    return _Found(sentence=sentence, text=text, status=_status(text, sentence.cues), proposal=proposal)


def _opens_agreeing(thread: Thread, sentence: Settling) -> bool:
    """Say whether the turn begins by agreeing ("+1 ship it. battery wins"), its short rest deciding nothing."""
    turn = thread.turns[sentence.turn].text
    first = next((turn[start:end] for start, end in sentence_spans(turn) if end <= sentence.start), "")
    few = len(stems(_text(thread, sentence))) <= 2 and not sentence.cues
    return few and bool(first) and bool(_AGREES.match(first))


def _proposal(thread: Thread, agreed: Settling, candidates: Sequence[Settling]) -> Settling | None:
    """Return the statement shortly before that a bare "ship it" agrees to."""
    mine = [
        one
        for one in candidates
        if agreed.turn - _PROPOSAL_WITHIN <= one.turn <= agreed.turn
        and one is not agreed
        and (one.turn, one.start) < (agreed.turn, agreed.start)
        and not (one.turn == agreed.turn and len(stems(_text(thread, one))) <= 2)
        and len(stems(_text(thread, one))) >= 2
        and quote_weight(_text(thread, one)) >= 12
    ]
    return max(mine, key=lambda one: (_odds(one) + _said_much(thread, one), one.turn, one.start), default=None)


def _said_much(thread: Thread, sentence: Settling) -> float:
    """Return odds for what says enough to be agreed to, against what only tells another what they do."""
    text = _text(thread, sentence)
    return 0.5 * min(4, len(stems(text))) - _NODDED * bool(_TO_ANOTHER.match(text))


def _other_half(thread: Thread, main: _Found, candidates: Sequence[Settling]) -> _Found | None:
    """Return the turned-down half beside a choice, or the choice beside a turned-down half, by the same person."""
    author = _key(thread.turns[main.sentence.turn])
    near = [
        _Found(sentence=one, text=text, status=_status(text, one.cues))
        for one in candidates
        if one is not main.sentence
        and abs(one.turn - main.sentence.turn) <= _NEARBY
        and one.score >= _SECOND_FROM
        and _key(thread.turns[one.turn]) == author
        and stems(text := _text(thread, one))
        and quote_weight(text) >= 8
    ]
    others = [one for one in near if one.status is not main.status]
    return max(others, key=lambda one: (one.sentence.score, -one.sentence.turn), default=None)


def _draft(thread: Thread, found: _Found, confidence: int) -> Draft:
    told = found.proposal or found.sentence
    turn = thread.turns[found.sentence.turn]
    words = _text(thread, told)
    own = next((text for _, text in own_reasons(thread, found.sentence, words)), "")
    whole = words if told is found.sentence else f"{words} {found.text}"
    rejected = found.status is Status.REJECTED
    alternatives = alternatives_of(thread, told.turn, whole, because=own, denied_only=rejected)
    if not rejected:
        alternatives = joined(listed_as_lost(turn.text), alternatives)
    reasons = reasons_of(thread, found.sentence, words, alternatives)
    quotes = [_quote(thread.turns[told.turn], words)]
    if found.proposal is not None and quote_weight(found.text) >= MIN_QUOTE_WEIGHT:
        quotes.append(_quote(turn, found.text))
    quotes += [_quote(thread.turns[index], text) for index, text in reasons]
    quotes += _matter(thread)
    return Draft(
        title=title_of(words, thread),
        rationale=" ".join(text if text[-1:] in ".!?" else f"{text}." for _, text in reasons),
        status=found.status,
        decided_on=turn.occurred_at.date(),
        decided_by=deciders_of(
            thread,
            found.sentence.turn,
            proposal=found.proposal.turn if found.proposal else None,
            words=thread.turns[told.turn].text[: told.end],
        ),
        elements=_elements(thread, words),
        alternatives=alternatives,
        tags=("replaces something",) if "replaces" in found.sentence.cues else (),
        confidence=confidence,
        revisit_when=revisit_of(thread, found.sentence),
        evidence=tuple(dict.fromkeys(quotes)),
    )


def _status(text: str, cues: frozenset[str]) -> Status:
    """Say whether the words turn a proposal down; "no X from Monday" sets a rule and turns nothing down."""
    bare = bare_sentence(text)
    if _RULE.search(bare) and "when" in cues:
        return Status.ACCEPTED
    return Status.REJECTED if _TURNED_DOWN.search(bare) else Status.ACCEPTED


def _elements(thread: Thread, words: str) -> tuple[str, ...]:
    """Return the things by name in the deciding words, as written, people's names left out."""
    people = {_plain(part) for turn in thread.turns for part in turn.author.split()}
    names = ("".join(match.groups("")) for match in _MENTION.finditer(words))
    kept = [name for name in names if _plain(name) not in people and not _NO_MENTION.match(name)]
    return tuple(dict.fromkeys(kept))[:_MOST_ELEMENTS]


def _plain(name: str) -> str:
    """Return a name without case and accents: Inês is Ines."""
    split = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in split if not unicodedata.combining(letter)).lower()


def _whole_turn(thread: Thread) -> list[_Found]:
    """Return the first turn that people wrote for people, for a thread that was pointed at and no rule can read."""
    for index, turn in enumerate(thread.turns):
        text = turn.text.strip()
        if quote_weight(text) and _is_for_people(turn):
            sentence = Settling(turn=index, start=0, end=len(text), score=0.0, cues=frozenset())
            return [_Found(sentence=sentence, text=text, status=Status.ACCEPTED)]
    return []


def _quote(turn: Turn, text: str) -> Quote:
    """Quote a sentence, or its whole turn where the sentence is too short to stand by itself ("csv it is.")."""
    whole = turn.text.strip()
    if quote_weight(text) < MIN_QUOTE_WEIGHT and len(whole) <= _MOST_QUOTED:
        text = whole
    return Quote(
        quote=text,
        author=turn.author,
        author_id=turn.author_id,
        at=turn.occurred_at,
        permalink=turn.permalink,
        turn_id=turn.turn_id,
    )


def _matter(thread: Thread) -> list[Quote]:
    """Quote what a resolved matter is called, so that it is found by what was wrong and not by what was done alone."""
    if not any(turn.resolves for turn in thread.turns):
        return []
    name = thread.turns[0].text.strip().partition("\n")[0][:_MOST_QUOTED].strip()
    return [_quote(thread.turns[0], name)] if quote_weight(name) >= MIN_QUOTE_WEIGHT else []


def _text(thread: Thread, sentence: Settling) -> str:
    return thread.turns[sentence.turn].text[sentence.start : sentence.end]


def _key(turn: Turn) -> str:
    return turn.author_id or turn.author


def _odds(sentence: Settling) -> float:
    return math.log(max(sentence.score, 1e-9) / max(1.0 - sentence.score, 1e-9))
