"""Answers as people see them: the first line is the whole point, in bold.

An answer keeps to 80 words and five citations by construction (`surface`); the rest waits behind ⋯.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, datetime

from bot.ports import Answer, ClaimKind, Evidence
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.kit import Block, Message, actions, button, context, message, section, sections
from bot.slack.layout.surface import HEADLINE_WORDS, SURFACE_WORDS, Piece, choose, main_decision, to_words
from bot.slack.layout.text import (
    NOTHING,
    Mrkdwn,
    bold,
    clean,
    cut_words,
    day,
    inert,
    italic,
    join,
    link,
    model_text,
    spoken,
    word_count,
)
from store import Decision, State, Status, Verdict

__all__ = ["Message", "answer", "citation", "citation_of", "day_of", "moment", "names", "titled", "where"]

MIGHT_KNOW_MAX = 2
QUESTION_WORDS = 12
QUOTE_WORDS = 12
TITLE_WORDS = 12
NAMES_MAX = 2

_ON_SCREEN = (
    ClaimKind.SIDE,
    ClaimKind.WHY,
    ClaimKind.INSTEAD_OF,
    ClaimKind.SINCE,
    ClaimKind.TRIED_BEFORE,
    ClaimKind.NOTE,
)
_ENDS = (".", "!", "?", "…", '"', ":", "。", "！", "？")
_SAYS_SO = re.compile(
    r"\b(?:contested|replaced|(?:it|that|this|which|has|had|have) failed|did(?:n['’]t| not) work)\b", re.IGNORECASE
)
"""What a title may hold ("Failed calls are retried") doesn't say that the decision failed."""


def answer(
    answer: Answer,
    *,
    alone: bool = True,
    shared_by: str = "",
    voted: Verdict | None = None,
    counted: bool = True,
    waiting: bool = False,
    leave_out: Collection[str] = (),
) -> Message:
    """Lay out an answer: sure, contested or nothing.

    Args:
        answer: as its readers may see it.
        alone: its asker alone sees this message; False for a mention's reply.
        shared_by: who made it visible; then `answer` was asked anew for all who read the place.
        voted: what the presser has just said of it, shown instead of the thumbs.
        counted: whether that vote counts yet.
        waiting: its asker will be told when it is decided.
        leave_out: ids of buttons that this place does not offer.
    """
    alone = alone and not shared_by
    if answer.shape == "nothing" or all(claim.kind is not ClaimKind.HEADLINE for claim in answer.claims):
        return _nothing(answer, alone=alone, shared_by=shared_by, waiting=waiting, leave_out=leave_out)
    unconfirmed = _unconfirmed(_worth_asking(answer), leave_out)
    footer = _footer(answer, alone=alone, shared_by=shared_by)
    state = _state(answer)
    fixed = [footer, state, Mrkdwn(words.MORE_BEHIND), *_notices(answer), *_texts(unconfirmed)]
    surface = choose(
        answer,
        SURFACE_WORDS - sum(word_count(spoken(line)) for line in fixed) - word_count(_prefix(answer, "")),
        lambda line: word_count(spoken(citation(line))),
    )
    if surface.left_over or answer.recommendations:
        footer = join(" · ", (footer, Mrkdwn(words.MORE_BEHIND)))
    by_number = {line.n: line for line in answer.evidence}
    cited = sorted({number for piece in surface.pieces for number in piece.citations} - _told(surface.pieces))
    lines = [_first_line(answer, surface.pieces, state, by_number), *_lines(answer, surface.pieces, by_number)]
    return message(
        [
            *sections(lines),
            context(_sources([by_number[number] for number in cited])),
            *unconfirmed,
            context(_voted(voted, counted=counted) if voted else NOTHING),
            _buttons(answer, alone=alone, voted=voted, counted=counted, leave_out=leave_out),
            context(join("\n", (*_notices(answer), footer))),
        ]
    )


def _texts(blocks: Sequence[Block | None]) -> list[Mrkdwn]:
    return [Mrkdwn(block["text"]["text"]) for block in blocks if block and block["type"] == "section"]


# --- the lines of an answer that there is ---


def _first_line(answer: Answer, pieces: Sequence[Piece], state: Mrkdwn, by_number: dict[int, Evidence]) -> Mrkdwn:
    """Return the whole point in bold, then since when and by whom."""
    headline = next(piece for piece in pieces if piece.kind is ClaimKind.HEADLINE)
    said = _prefix(answer, headline.text) + headline.text
    point = model_text(said if said.endswith(_ENDS) else f"{said}.", within_bold=True)
    on_sides = any(piece.kind is ClaimKind.SIDE for piece in pieces)
    marks = NOTHING if on_sides else _marks(headline.citations, by_number)
    return join(" ", (bold(point), state, marks))


def _prefix(answer: Answer, headline: str) -> str:
    """Say contested, replaced or failed first, unless the headline itself does."""
    if answer.shape == "contested":
        return words.CONTESTED
    if _SAYS_SO.search(headline):
        return ""
    if answer.main_outcome is Verdict.FAILED:
        return words.DID_NOT_WORK
    main = main_decision(answer)
    return words.NO_LONGER.get(main.state, "") if main is not None else ""


def _state(answer: Answer) -> Mrkdwn:
    """Say since when it is in force and who decided; nothing where sides differ."""
    main = main_decision(answer)
    if main is None or answer.shape == "contested":
        return NOTHING
    past = main.state is not State.CURRENT or answer.main_outcome is Verdict.FAILED
    form = words.ONCE_IN_FORCE if past and main.status is Status.ACCEPTED else words.SINCE_DAY[main.status]
    when = day(decided_at(main))
    said = Mrkdwn(form.format(day=when)) if when else NOTHING
    return join(", ", (said, names([person.name for person in main.decided_by])))


def _lines(answer: Answer, pieces: Sequence[Piece], by_number: dict[int, Evidence]) -> list[Mrkdwn]:
    """Return the lines below the first: one a kind, but a line for each side and note."""
    links = {line.permalink for line in answer.evidence if line.permalink}
    found: list[Mrkdwn] = []
    for kind in _ON_SCREEN:
        of_kind = [piece for piece in pieces if piece.kind is kind]
        said = [join(" ", (model_text(piece.text, links), _behind(piece, by_number))) for piece in of_kind]
        if kind is ClaimKind.SIDE:
            found += [Mrkdwn(f"{chr(ord('A') + place)} · {side}") for place, side in enumerate(said)]
        elif kind is ClaimKind.NOTE:
            found += said
        else:
            labels = [_label(piece, by_number) for piece in of_kind]
            for label in dict.fromkeys(labels):
                told = [line for line, own in zip(said, labels, strict=True) if own == label]
                found.append(join(" ", (italic(Mrkdwn(label)), join(" · ", told))))
    return found


def _label(piece: Piece, by_number: dict[int, Evidence]) -> str:
    """Return what stands before a piece; only what failed is said to have failed."""
    if piece.kind is not ClaimKind.TRIED_BEFORE:
        return words.LABELS[piece.kind]
    cited = [by_number[number].decision for number in piece.citations]
    if any(decision.voices.label is Verdict.FAILED for decision in cited):
        return words.LABELS[piece.kind]
    down = any(decision.status is Status.REJECTED for decision in cited)
    return words.TURNED_DOWN_BEFORE if down else words.TRIED_BEFORE


def _behind(piece: Piece, by_number: dict[int, Evidence]) -> Mrkdwn:
    """Return what stands behind a piece: its numbers, and for a side who said it, where and when."""
    if piece.kind is not ClaimKind.SIDE:
        return _marks(piece.citations, by_number)
    first = by_number[piece.citations[0]]
    author = clean(first.author)
    if author and author.split()[0] in piece.text:
        return _marks(piece.citations, by_number)
    return join(" ", (where(first), day(moment(first)), _marks(piece.citations, by_number)))


def _told(pieces: Sequence[Piece]) -> set[int]:
    """Return the numbers whose source stands on their side's own line already."""
    return {piece.citations[0] for piece in pieces if piece.kind is ClaimKind.SIDE}


def _marks(numbers: Sequence[int], by_number: dict[int, Evidence]) -> Mrkdwn:
    """Return "[1] [2]", each a link to its message."""
    return join(" ", [link(by_number[number].permalink, Mrkdwn(f"[{number}]")) for number in numbers])


def citation(line: Evidence, *, also: Sequence[Evidence] = ()) -> Mrkdwn:
    """Return "[1] Lena #search 4 Mar", linked to the message; `also` are more lines from the same one: "[1] [2] …"."""
    numbers = Mrkdwn(" ".join(f"[{each.n}]" for each in (line, *also)))
    named = link(line.permalink, join(" ", (numbers, where(line) or _title(line))))
    return join(" ", (named, day(moment(line))))


def citation_of(decision: Decision) -> Mrkdwn:
    """Return "[1]", linked to the message in which a decision fell; nothing where that has no address."""
    said = next((quote.permalink for quote in decision.evidence if quote.permalink), decision.place.permalink)
    return link(said, Mrkdwn("[1]")) if said else NOTHING


def _sources(cited: Sequence[Evidence]) -> Mrkdwn:
    """Return who said what is cited, each message once."""
    told: dict[object, list[Evidence]] = {}
    for line in cited:
        told.setdefault((where(line), moment(line), line.permalink) if line.permalink else line.n, []).append(line)
    return join(" · ", [citation(first, also=rest) for first, *rest in told.values()])


def where(line: Evidence) -> Mrkdwn:
    """Return who said it and where, as words: "Lena #search"."""
    return join(" ", (inert(cut_words(line.author, 3)), inert(cut_words(line.label, 4))))


def _title(line: Evidence) -> Mrkdwn:
    return inert(cut_words(line.decision.title, 6))


def moment(line: Evidence) -> date | datetime | None:
    """Return when it was said, to the second where the quoted message is known: its day depends on the zone."""
    said = (quote.at for quote in line.decision.evidence if quote.at and quote.permalink == line.permalink)
    return next(said, None) or line.at


def decided_at(decision: Decision) -> date | datetime | None:
    """Return when something was decided: the moment of its deciding words, so that one day is told in one way."""
    moments = [quote.at for quote in decision.evidence if quote.at]
    on_the_day = (at for at in moments if decision.decided_on in (None, at.date()))
    return next(on_the_day, None) or decision.decided_on


def day_of(decision: Decision) -> Mrkdwn:
    """Return the day of a decision as it is shown: when it was decided, else when it was recorded."""
    return day(decided_at(decision) or decision.recorded_at)


def titled(decision: Decision, limit: int) -> Mrkdwn:
    """Return a decision's title, linked to its place, cut to so many words (1 or more)."""
    return link(decision.place.permalink, inert(to_words(decision.title, limit)))


def names(people: Sequence[str], *, shown: int = NAMES_MAX) -> Mrkdwn:
    """Return "Lena and Omar" or "Lena, Omar and 2 others", plain words that ping nobody."""
    return Mrkdwn(words.several(tuple(inert(cut_words(name, 3)) for name in people if name.strip()), shown=shown))


# --- what stands below ---


def _worth_asking(answer: Answer) -> Sequence[Evidence]:
    """Return the capture to ask about: beside an answer only one that fits the question at least as well."""
    best = max(line.score for line in answer.evidence)
    return [line for line in answer.unconfirmed if line.score >= best][:1]


def _unconfirmed(waiting: Sequence[Evidence], leave_out: Collection[str]) -> list[Block | None]:
    """Return the line of a capture that nobody has confirmed, with its two buttons."""
    found: list[Block | None] = []
    for line in waiting:
        place = link(line.permalink, inert(cut_words(line.label, 4)) or _title(line))
        told = join(" ", (Mrkdwn(words.NOT_CONFIRMED), place, day(moment(line))))
        quote = inert(f'"{to_words(line.quote, QUOTE_WORDS)}"')
        value = act.encode(decision=line.decision.id)
        offered = (
            button(words.THATS_RIGHT, act.ACTION_CONFIRM, value, said=words.THATS_RIGHT_SAID),
            button(words.NO, act.ACTION_DENY, value, said=words.NO_SAID),
        )
        found += [section(join(", ", (told, quote))), actions(_offered(offered, leave_out))]
    return found


def _buttons(
    answer: Answer, *, alone: bool, voted: Verdict | None, counted: bool, leave_out: Collection[str]
) -> Block | None:
    """Return the row of buttons: no thumbs where sides differ, nor once this person has voted.

    A vote that doesn't count yet can be given a reason, which makes it count.
    """
    value = act.encode(session=answer.session)
    more = button(words.MORE, act.ACTION_MORE, value, said=words.MORE_SAID)
    wrong = button(words.WRONG, act.ACTION_WRONG, value)
    row: tuple[Block, ...]
    if answer.shape == "contested":
        row = (button(words.SETTLE, act.ACTION_SETTLE, value), wrong)
    elif voted:
        why = () if counted else (button(words.SAY_WHY, act.ACTION_SAY_WHY, value),)
        row = (button(words.TAKE_BACK, act.ACTION_TAKE_BACK, value), *why, wrong)
    elif answer.main:
        row = (button(words.WORKED, act.ACTION_WORKED, value), button(words.FAILED, act.ACTION_FAILED, value), wrong)
    else:
        row = (wrong,)
    if alone and answer.shape != "contested":
        row += (button(words.SHARE, act.ACTION_SHARE, value),)
    return actions(_offered((*row, more), leave_out))


def _offered(parts: Collection[Block], leave_out: Collection[str]) -> list[Block]:
    return [part for part in parts if part["action_id"] not in leave_out]


def _voted(verdict: Verdict, *, counted: bool) -> Mrkdwn:
    return Mrkdwn(words.YOU_SAID[verdict] if counted else f"{words.YOU_SAID[verdict]} {words.COUNTS_LATER}")


def _footer(answer: Answer, *, alone: bool, shared_by: str) -> Mrkdwn:
    """Say who sees it and who worded it: "Only you see this · worded by Claude from 3 messages"."""
    seen = words.SHARED_BY.format(name=names([shared_by])) if shared_by else words.ONLY_YOU if alone else ""
    worded = _worded(answer)
    return join(" · ", (Mrkdwn(seen), Mrkdwn(worded[:1].lower() + worded[1:] if seen else worded)))


def _notices(answer: Answer) -> list[Mrkdwn]:
    """Return what is degraded, a line each, marked as such."""
    return [Mrkdwn(words.DEGRADED.format(line=inert(line.removeprefix("…")))) for line in answer.notices]


def _worded(answer: Answer) -> str:
    if answer.shape == "nothing" or not answer.claims:
        return ""
    if not answer.worded_by:
        return words.QUOTED
    numbers = {number for claim in answer.claims for number in claim.citations}
    cited = [line for line in answer.evidence if line.n in numbers]
    forms = words.MESSAGES if all(line.decision.place.source == "slack" for line in cited) else words.PLACES
    return words.WORDED.format(count=words.counted(forms, len(cited)))


# --- nothing recorded ---


def _nothing(answer: Answer, *, alone: bool, shared_by: str, waiting: bool, leave_out: Collection[str]) -> Message:
    """Say that nothing is recorded, what is nearest, and who might know (to the asker alone)."""
    headline = next((claim.text for claim in answer.claims if claim.kind is ClaimKind.HEADLINE), "")
    known = names(answer.who_might_know[:MIGHT_KNOW_MAX]) if alone else NOTHING
    asks = alone and act.ACTION_ASK_TEAM not in leave_out
    value = act.encode(session=answer.session)
    offered = (
        *((button(words.ASK_TEAM, act.ACTION_ASK_TEAM, value),) if alone else ()),
        button(words.TELL_ME_NOT, act.ACTION_TELL_ME_NOT, value)
        if waiting
        else button(words.TELL_ME, act.ACTION_TELL_ME, value),
    )
    lines = [
        bold(model_text(to_words(headline, HEADLINE_WORDS), within_bold=True))
        if headline
        else _unknown(answer.question, alone=alone),
        _nearest(answer),
        Mrkdwn(words.MIGHT_KNOW.format(names=known)) if known else NOTHING,
    ]
    told = Mrkdwn(words.I_WILL_TELL if waiting else "")
    seen = Mrkdwn(words.NOBODY_SEES) if asks else _footer(answer, alone=alone, shared_by=shared_by)
    return message(
        [
            *sections(lines),
            *_unconfirmed(answer.unconfirmed[:1], leave_out),
            actions(_offered(offered, leave_out)),
            context(join("\n", (*_notices(answer), join(" ", (told, seen))))),
        ]
    )


def _unknown(question: str, *, alone: bool) -> Mrkdwn:
    """Return the first line: what was asked, in the asker's words, has no record."""
    asked = inert(to_words(question, QUESTION_WORDS)) or Mrkdwn(words.THIS)
    said = words.NOTHING_RECORDED if alone else words.NOTHING_RECORDED_FOR_ALL
    return bold(Mrkdwn(said.format(question=asked)))


def _nearest(answer: Answer) -> Mrkdwn:
    """Return the nearest decision, said to be no answer: "_Payroll export by SFTP_, Lena #fin-eng 12 Jan [1]"."""
    if not answer.nearest:
        return NOTHING
    line = answer.nearest[0]
    title = italic(inert(to_words(line.decision.title, TITLE_WORDS)))
    said = join(" ", (where(line), day(moment(line)), link(line.permalink, Mrkdwn(f"[{line.n}]"))))
    return join(" ", (Mrkdwn(words.NEAREST), join(", ", (title, said))))
