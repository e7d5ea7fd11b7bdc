"""What the bot says beside answers: it looks, it failed, it was added here, it has nothing yet."""

from __future__ import annotations

from collections.abc import Sequence

from bot.slack import actions as act
from bot.slack import words
from bot.slack.blocks import names
from bot.slack.kit import Message, actions, button, context, message, section
from bot.slack.surface import to_words
from bot.slack.text import Mrkdwn, bold, code, inert, italic, join
from store import Verdict

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


def first_contact(added_by: str = "", *, model: bool = True, leave_out: Sequence[str] = ()) -> Message:
    """Introduce the bot, once a channel, with the facts that people ask for first.

    Args:
        added_by: the inviter's name; "" where Slack didn't say.
        model: whether threads are sent to Claude at all.
        leave_out: ids of buttons that are not offered.
    """
    said = words.ADDED_BY if added_by else words.ADDED
    first = Mrkdwn(said.format(name=names([added_by]), command=code(Mrkdwn(words.ASK_COMMAND))))
    keeps = join(" ", (bold(Mrkdwn(words.KEEPS_POINTED)), Mrkdwn(words.KEEPS_POINTED_HOW)))
    facts = (
        (words.KEPT, words.KEPT_WHAT),
        (words.SENT, words.SENT_WHAT) if model else (words.SENT_NOWHERE, words.SENT_NOWHERE_WHAT),
        (words.WHO_READS, words.WHO_READS_WHAT),
        (words.TAKEN_OUT, words.TAKEN_OUT_HOW),
    )
    told = join("\n", [join(" ", (italic(Mrkdwn(label)), Mrkdwn(what))) for label, what in facts])
    offered = (
        button(words.LOOK_BACK, act.ACTION_LOOK_BACK),
        button(words.BY_ITSELF, act.ACTION_MODE),
        button(words.STAY_OUT, act.ACTION_STAY_OUT),
    )
    return message(
        [
            section(join("\n", (first, keeps))),
            section(told),
            actions(part for part in offered if part["action_id"] not in leave_out),
        ]
    )


def team_asked(question: str, asker: str) -> Message:
    """Put a question to a channel, once its asker pressed Ask."""
    first = join(" ", (Mrkdwn(words.TEAM_ASKED.format(name=names([asker]))), bold(inert(question))))
    return message([section(first), context(Mrkdwn(words.TEAM_ASKED_HOW))])


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
    return message(
        [section(said), actions([button(words.TAKE_BACK, act.ACTION_TAKE_BACK, act.encode(session=session))])]
    )
