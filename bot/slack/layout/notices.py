"""What the bot says beside answers: it looks, it failed, it was added here, it has nothing yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from bot.ports import Evidence
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import citation, names, titled
from bot.slack.layout.kit import Block, Message, actions, button, context, message, section
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import Mrkdwn, bold, code, day, inert, italic, join
from bot.slack.room import Marking, Mode
from store import Decision, Verdict

QUESTIONS_MAX = 3
QUESTION_WORDS = 20
TITLE_WORDS = 20


def interim() -> Message:
    """Say within a second that an answer is coming."""
    return message([section(italic(Mrkdwn(words.INTERIM)))])


def failure(ref: str) -> Message:
    """Say that there is no answer, what is kept and what to do; `ref` is what a log line carries too."""
    command = code(Mrkdwn(words.FAILURE_COMMAND))
    return message([section(Mrkdwn(words.FAILURE.format(ref=inert(ref), command=command)))])


def failed_thread(ref: str) -> Message:
    """Say to whoever pointed at a thread that it could not be read, and what to do."""
    command = code(Mrkdwn(words.FAILURE_COMMAND))
    return message([section(Mrkdwn(words.FAILURE_THREAD.format(ref=inert(ref), command=command)))])


def budget_low(spent: int, limit: int, renews_at: datetime) -> Message:
    """Tell an admin that most of the month's tokens are used, what changes, and how to have more."""
    used = Mrkdwn(words.BUDGET_LOW.format(spent=_millions(spent), limit=_millions(limit)))
    then = words.BUDGET_LOW_THEN.format(day=day(renews_at), setting=code(Mrkdwn(words.BUDGET_SETTING)))
    return message([section(join("\n", (bold(used), Mrkdwn(then))))])


def _millions(tokens: int) -> str:
    return f"{tokens / 1_000_000:.1f}"


def unkept() -> Message:
    """Say that a question came in and could not be kept, to whoever asked it by command."""
    return message([section(Mrkdwn(words.UNKEPT.format(command=code(Mrkdwn(words.FAILURE_COMMAND)))))])


def capture_off(who: str = "") -> Message:
    """Say that capture is off in this channel, and who may turn it on (the name of its inviter, if known)."""
    person = words.OR_AN_ADMIN.format(name=names([who])) if who else words.AN_ADMIN
    return message([section(Mrkdwn(words.CAPTURE_OFF.format(who=person)))])


def notice(line: str) -> Message:
    """Say one line of `words` to one person; text of theirs in it is shown as it is."""
    return message([section(inert(line))])


def empty(questions: Sequence[str]) -> Message:
    """Answer `/why` alone: one sentence, and up to three questions that this channel can answer."""
    asked = [code(_command(question)) for question in questions[:QUESTIONS_MAX] if question.strip()]
    if not asked:
        return message([section(Mrkdwn(words.EMPTY_NOTHING_YET))])
    return message([section(Mrkdwn(words.EMPTY)), section(join("\n", asked))])


def _command(question: str) -> Mrkdwn:
    """Return what to type; the command says the question's own "why" already."""
    first, _, rest = question.strip().partition(" ")
    question = rest if first.casefold() == words.COMMAND_SAYS and rest else question
    return Mrkdwn(words.COMMAND.format(question=inert(to_words(question, QUESTION_WORDS))))


_KEEPS = {
    Mode.OFF: (words.KEEPS_NOTHING, words.KEEPS_NOTHING_HOW),
    Mode.WHEN_ASKED: (words.KEEPS_POINTED, words.KEEPS_POINTED_HOW),
    Mode.ASK_FIRST: (words.KEEPS_ASKING, words.KEEPS_ASKING_HOW),
    Mode.BY_ITSELF: (words.KEEPS_BY_ITSELF, words.KEEPS_BY_ITSELF_CARD),
}
_SENT = {
    Mode.OFF: words.SENT_ASKED,
    Mode.WHEN_ASKED: words.SENT_POINTED,
    Mode.ASK_FIRST: words.SENT_READ,
    Mode.BY_ITSELF: words.SENT_READ,
}


def first_contact(
    added_by: str = "",
    *,
    model: bool = True,
    mode: Mode = Mode.WHEN_ASKED,
    mark: Marking = Marking.CARD,
) -> Message:
    """Introduce the bot, once a channel, with the facts that people ask for first, as they are now.

    Args:
        added_by: the inviter's name; "" where Slack didn't say.
        model: whether text is sent to Claude at all.
        mode: how the channel captures.
        mark: how its threads are marked.
    """
    said = words.ADDED_BY if added_by else words.ADDED
    first = Mrkdwn(said.format(name=names([added_by]), command=code(Mrkdwn(words.ASK_COMMAND))))
    what, how = _KEEPS[mode]
    if mode is Mode.BY_ITSELF and mark is Marking.EMOJI:
        how = words.KEEPS_BY_ITSELF_EMOJI
    keeps = join(" ", (bold(Mrkdwn(what)), Mrkdwn(how)))
    facts = (
        (words.KEPT, words.KEPT_NOTHING if mode is Mode.OFF else words.KEPT_WHAT),
        (words.SENT, _SENT[mode]) if model else (words.SENT_NOWHERE, words.SENT_NOWHERE_WHAT),
        (words.WHO_READS, words.WHO_READS_WHAT),
        (words.TAKEN_OUT, words.TAKEN_OUT_HOW),
    )
    told = join("\n", [join(" ", (italic(Mrkdwn(label)), Mrkdwn(what))) for label, what in facts])
    return message([section(join("\n", (first, keeps))), section(told), actions(_first_buttons(mode))])


def _first_buttons(mode: Mode) -> list[Block]:
    """Return what can be done from a first contact: look back and stay out only where something is kept."""
    back, out = button(words.LOOK_BACK, act.ACTION_LOOK_BACK), button(words.STAY_OUT, act.ACTION_STAY_OUT)
    by_itself = button(words.BY_ITSELF, act.ACTION_MODE, act.encode(menu=act.MENU_BY_ITSELF))
    settings = button(words.MODE_OPEN, act.ACTION_MODE)
    match mode:
        case Mode.OFF:
            return [settings]
        case Mode.WHEN_ASKED:
            return [back, by_itself, out]
        case Mode.ASK_FIRST | Mode.BY_ITSELF:
            return [back, settings, out]
        case _:
            assert_never(mode)


def removed(decision: Decision) -> Message:
    """Tell whoever removed what no card shows, alone, and let them undo it."""
    title = inert(to_words(decision.title, TITLE_WORDS))
    undo = button(words.UNDO, act.ACTION_UNDO, act.encode(decision=decision.id))
    return message([section(join(" ", (Mrkdwn(words.REMOVED), bold(title))), accessory=undo)])


def remove_anyway(decision: Decision) -> Message:
    """Tell somebody who took no part how to remove what no card shows."""
    value = act.encode(decision=decision.id)
    row = actions([button(words.NOT_A_DECISION, act.ACTION_NOT_DECISION, value)])
    return message([section(Mrkdwn(words.CROSS_ON_MARK)), row])


def team_asked(question: str, asker: str) -> Message:
    """Put a question to a channel, once its asker pressed Ask."""
    first = join(" ", (Mrkdwn(words.TEAM_ASKED.format(name=names([asker]))), bold(inert(question))))
    return message([section(first), context(Mrkdwn(words.TEAM_ASKED_HOW))])


def will_tell(session: str, *, asked: bool = False) -> Message:
    """Tell somebody that they will be told, once, and how to take that back; `asked` when they asked the team."""
    said = Mrkdwn(words.TEAM_ASKED_ALONE if asked else words.WILL_TELL)
    value = act.encode(session=session)
    row = [button(words.TELL_ME_NOT, act.ACTION_TELL_ME_NOT, value)]
    return message([section(said), actions(row)])


def wont_tell() -> Message:
    """Tell somebody that they won't be told."""
    return notice(words.WONT_TELL)


def told_answer(question: str, answer: Message) -> Message:
    """Tell somebody the answer that they waited for: what they had asked, then the answer itself."""
    return message([context(_asked(question)), *answer.blocks])


def told_decided(question: str, decided: Decision) -> Message:
    """Tell whoever asked the team what was decided in that thread."""
    title = bold(titled(decided, TITLE_WORDS))
    people = names([person.name for person in decided.decided_by])
    return message(
        [context(_asked(question)), section(join(" ", (Mrkdwn(words.ANSWERED_IN_THREAD), join(", ", (title, people)))))]
    )


def _asked(question: str) -> Mrkdwn:
    return Mrkdwn(words.TOLD.format(question=inert(to_words(question, QUESTION_WORDS))))


def only_you(lines: Sequence[Evidence]) -> Message:
    """Show somebody, alone, what they can read beyond what everybody here was shown."""
    told = [join(": ", (citation(line), inert(f'"{to_words(line.quote, QUESTION_WORDS)}"'))) for line in lines]
    titles = dict.fromkeys(inert(to_words(line.decision.title, TITLE_WORDS)) for line in lines)
    return message(
        [
            section(join("\n", (Mrkdwn(words.ONLY_YOU_CAN_READ), *(bold(title) for title in titles)))),
            context(join("\n", told)),
        ]
    )


def thumb_counted(verdict: Verdict, title: str, session: str, *, counted: bool = True) -> Message:
    """Tell the voter of a first emoji thumb, alone, what it meant."""
    meant = join(" ", (Mrkdwn(words.THUMB_COUNTED[verdict]), bold(inert(to_words(title, TITLE_WORDS)))))
    later = Mrkdwn(words.THUMB_ASKS if counted else f"{words.COUNTS_LATER} {words.THUMB_ASKS}")
    value = act.encode(session=session)
    row = (button(words.JUST_THANKS, act.ACTION_JUST_THANKS, value), button(words.WRONG, act.ACTION_WRONG, value))
    return message([section(join("\n", (meant, later))), actions(row)])


def voted(verdict: Verdict, session: str, *, counted: bool = True) -> Message:
    """Tell a voter, alone, what was noted, and offer to take it back."""
    said = Mrkdwn(words.VOTE_COUNTED[verdict] if counted else f"{words.VOTE_COUNTED[verdict]} {words.COUNTS_LATER}")
    value = act.encode(session=session)
    why = None if counted else button(words.SAY_WHY, act.ACTION_SAY_WHY, value)
    return message([section(said), actions([button(words.TAKE_BACK, act.ACTION_TAKE_BACK, value), why])])
