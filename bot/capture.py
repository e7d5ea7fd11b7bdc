"""Capture: a thread becomes decisions in the log, or is known to hold none.

Idempotency key: the thread's place and basis (the version of its text). A place known at its basis is
never extracted again; one that was forgotten is never captured again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.masking import mask
from bot.ports import ByRules, Extraction, Extractor, Refused, Usage
from store import (
    EVERYTHING,
    Admission,
    Decision,
    DecisionId,
    Draft,
    Person,
    State,
    Thread,
    Vocabulary,
    failpoints,
    keeps,
    verify_draft,
)

if TYPE_CHECKING:
    from store import Memory

EXTRACTION_DEADLINE_S = 60.0
"""A thread of a thousand messages takes a small model about half of it."""
_POINTED = "+pointed"
"""Marks the basis of a thread that somebody pointed at: it is read again if reading it by itself gave nothing."""

LEFT_OUT_EMOJI = "see_no_evil"

Gate = Callable[[Thread, Vocabulary], bool]
States = Callable[[Thread], tuple[Draft, ...]]
BY_FORM = "form-1"
"""The provenance of what a document states by its form: nobody had to read it."""


def states_nothing(_thread: Thread) -> tuple[Draft, ...]:
    """Return nothing: a conversation states nothing by its form."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What came of one thread; `decisions` are its decisions as they now stand, oldest first.

    At most one of `forgotten`, `unchanged` and `gated_out` is true, and then no model was asked.
    """

    decisions: tuple[Decision, ...] = ()
    new: tuple[DecisionId, ...] = ()
    revised: tuple[DecisionId, ...] = ()
    duplicates: int = 0
    """Drafts that said what the log had already: at this place, or from another one of the same scope."""
    again: tuple[DecisionId, ...] = ()
    """What stands at another place too: of the same scope it is one decision, else one of two that are linked."""
    forgotten: bool = False
    """Its place was forgotten, or somebody asked that it is never read."""
    unchanged: bool = False
    gated_out: bool = False
    refused: tuple[Refused, ...] = ()
    usage: Usage = field(default_factory=Usage)
    by_rules: ByRules | None = None
    """Why rules read the thread where a model should have."""


def capture_thread(
    memory: Memory,
    extractor: Extractor,
    thread: Thread,
    vocabulary: Vocabulary,
    *,
    pointed: bool = False,
    by: Person | None = None,
    deadline_s: float = EXTRACTION_DEADLINE_S,
    gate: Gate = keeps,
    states: States = states_nothing,
) -> Captured:
    """Read a thread once, admit what it decided, and say what came of it.

    Args:
        memory: where it goes.
        extractor: with a model or without.
        thread: whole, oldest turn first, as its source gives it; secrets are masked here.
        vocabulary: the source's own words.
        pointed: somebody pointed at it, so the gate is skipped and what is found is confirmed.
        by: who pointed.
        deadline_s: seconds that the extractor may take.
        gate: decides whether a thread is worth extracting.
        states: returns what the thread's form states; then neither gate nor extractor is asked.

    Raises:
        Transient: the model is away; nothing was written, so the same call may be made later.
        Permanent: this thread can't be worked off.
    """
    if memory.forgotten(thread.place) or is_left_out(memory, thread):
        return Captured(forgotten=True)
    heard = without_left_out(memory, thread)
    if heard is None:
        return Captured(gated_out=True)
    thread = heard
    if is_known(memory, thread, pointed=pointed):
        return Captured(decisions=_known(memory, thread, confirmed_by=by if pointed else None), unchanged=True)
    masked = masked_thread(thread)
    if drafts := states(masked):
        extraction = Extraction(drafts=drafts, provenance=BY_FORM)
    elif not pointed and not gate(masked, vocabulary):
        return Captured(gated_out=True)
    else:
        failpoints.hit("extraction.before")
        extraction = extractor.extract(masked, vocabulary, pointed=pointed, deadline_s=deadline_s)
        failpoints.hit("extraction.after")
        extraction = _verified(extraction, masked)
    return _admitted(
        memory,
        masked,
        replace(extraction, provenance=extraction.provenance or extractor.name),
        basis=_basis(thread, pointed=pointed),
        pointed=pointed,
        by=by,
    )


def _admitted(
    memory: Memory, thread: Thread, extraction: Extraction, *, basis: str, pointed: bool, by: Person | None
) -> Captured:
    """Admit what was verified of a masked thread, and say what came of it with what was refused before."""
    drafts = tuple(replace(draft, elements=(*draft.elements, *thread.about)) for draft in extraction.drafts)
    said = "\n".join(turn.text for turn in thread.turns)
    admitted = memory.admit(
        Admission(
            place=thread.place,
            basis=basis,
            scope=thread.scope,
            drafts=memory.said_elsewhere(thread.place, drafts, scope=thread.scope, thread=said),
            provenance=extraction.provenance,
            pointed=pointed,
            by=by,
            recorded_from="capture",
        )
    )
    return Captured(
        decisions=admitted.decisions,
        new=admitted.new,
        revised=admitted.revised,
        duplicates=admitted.duplicates,
        again=admitted.again,
        refused=(*extraction.refused, *(Refused(what=what, rule="not admitted") for what in admitted.refused)),
        usage=extraction.usage,
        by_rules=extraction.by_rules,
    )


def masked_thread(thread: Thread) -> Thread:
    """Return the thread with secrets masked in every turn."""
    return replace(thread, turns=tuple(replace(turn, text=mask(turn.text)) for turn in thread.turns))


def left_out_setting(anchor: str) -> str:
    """Return the setting that says, by "yes", that a thread is never read."""
    return f"thread:{anchor}:left_out"


def is_left_out(memory: Memory, thread: Thread) -> bool:
    """Say whether somebody asked that this thread is never read: by a setting, or by 🙈 on one of its messages."""
    if memory.setting(left_out_setting(thread.place.anchor)) == "yes":
        return True
    names = (reaction.name.partition("::")[0] for turn in thread.turns for reaction in turn.reactions)
    return LEFT_OUT_EMOJI in names


def person_left_out_setting(user: str) -> str:
    """Return the setting that says, by "yes", that what somebody says is never read."""
    return f"person:{user}:left_out"


def person_left_out(memory: Memory, user: str) -> bool:
    """Say whether somebody asked that what they say is left out."""
    return bool(user) and memory.setting(person_left_out_setting(user)) == "yes"


def leave_person_out(memory: Memory, person: Person, *, left_out: bool) -> bool:
    """Leave out what somebody says from now on, or let it in again; False if it was so already.

    What decisions rest on already stays until they take it out.
    """
    if person_left_out(memory, person.id) is left_out:
        return False
    return memory.set_setting(person_left_out_setting(person.id), "yes" if left_out else "no", by=person)


def without_left_out(memory: Memory, thread: Thread) -> Thread | None:
    """Return a thread as if those who are left out had said nothing and nodded at nothing; None where nobody else did.

    Whoever said nothing in a thread isn't named as having decided there either (`verify_draft`).
    """
    people = {turn.author_id for turn in thread.turns}
    people |= {user for turn in thread.turns for reaction in turn.reactions for user in reaction.users}
    gone = {user for user in people if person_left_out(memory, user)}
    if not gone:
        return thread
    turns = tuple(
        replace(
            turn,
            reactions=tuple(
                replace(reaction, users=tuple(user for user in reaction.users if user not in gone))
                for reaction in turn.reactions
                if not gone.issuperset(reaction.users) or not reaction.users
            ),
        )
        for turn in thread.turns
        if turn.author_id not in gone
    )
    return replace(thread, turns=turns) if turns else None


def is_known(memory: Memory, thread: Thread, *, pointed: bool) -> bool:
    """Say whether this version of the text was read already; pointing at what gave nothing reads it once more."""
    if memory.known(thread.place, thread.basis + _POINTED):
        return True
    return memory.known(thread.place, thread.basis) and not (pointed and not _standing(memory, thread))


def _basis(thread: Thread, *, pointed: bool) -> str:
    return thread.basis + _POINTED if pointed else thread.basis


def _standing(memory: Memory, thread: Thread) -> tuple[Decision, ...]:
    return memory.at_place(thread.place.source, thread.place.anchor, EVERYTHING)


def _known(memory: Memory, thread: Thread, *, confirmed_by: Person | None) -> tuple[Decision, ...]:
    """Return the place's decisions; pointing at them is a person's word that they are decisions."""
    standing = _standing(memory, thread)
    waiting = [decision.id for decision in standing if not decision.confirmed and decision.state is not State.RETRACTED]
    if confirmed_by is None or not waiting:
        return standing
    for decision in waiting:
        memory.confirm(decision, by=confirmed_by)
    return _standing(memory, thread)


def _verified(extraction: Extraction, thread: Thread) -> Extraction:
    """Return an extraction with what of its drafts the turns bear out, whoever worded it; the rest is refused."""
    kept: list[Draft] = []
    refused = list(extraction.refused)
    for draft in extraction.drafts:
        verified, broken = verify_draft(draft, thread)
        refused.extend(Refused(what=one.what, rule=one.rule) for one in broken)
        if verified is not None:
            kept.append(verified)
    return replace(extraction, drafts=tuple(kept), refused=tuple(refused))
