"""Every word that the bot says in Slack, in one place, so that tests can read them all.

People read topic, in force, replaced by, tried before, removed, message; never the log's own terms
(`NEVER`). Words stand beside every emoji. Braces are filled with text that is already safe to show.
"""

from __future__ import annotations

from bot.ports import ClaimKind
from store import State, Status, Verdict

NEVER = (
    "element",
    "head",
    "tenant",
    "scope",
    "supersede",
    "retract",
    "precedent",
    "cautionary",
    "evidence",
    "trajectory",
    "abstain",
    "extraction",
)
"""Stems that no screen in Slack shows, whatever follows them ("superseded", "heads")."""

# Answers: the first line
CONTESTED = "⚠ Contested: "
DID_NOT_WORK = "⚠ Didn't work: "
NO_LONGER = {State.SUPERSEDED: "Replaced since: ", State.RETRACTED: "Removed since: "}
SINCE_DAY = {
    Status.ACCEPTED: "In force since {day}",
    Status.REJECTED: "Turned down {day}",
    Status.PROPOSED: "Proposed {day}, not decided",
    Status.WITHDRAWN: "Withdrawn {day}",
}
ONCE_IN_FORCE = "Decided {day}"
NOTHING_RECORDED = 'Nothing recorded on "{question}" that you can read.'
NOTHING_RECORDED_FOR_ALL = 'Nothing recorded on "{question}" that everybody here can read.'
THIS = "this"

# Answers: the lines below
INSTEAD_OF = "Instead of:"
LABELS = {
    ClaimKind.WHY: "Why:",
    ClaimKind.INSTEAD_OF: INSTEAD_OF,
    ClaimKind.SINCE: "Since:",
    ClaimKind.TRIED_BEFORE: "Tried before, didn't work:",
}
TURNED_DOWN_BEFORE = "Turned down before:"
TRIED_BEFORE = "Tried before:"
NEAREST = "Nearest, no answer:"
MIGHT_KNOW = "Might know: {names}"
NOT_CONFIRMED = "○ Not confirmed:"
NOBODY_SEES = "Nobody sees your question unless you press Ask."
SAYS_FAILED = {1: "1 person says it didn't work", 2: "{count} people say it didn't work"}
SAYS_WORKED = {1: "1 person says it worked", 2: "{count} people say it worked"}
LABEL_WORKED = "worked, {say}"
LABEL_FAILED = "didn't work, {say}"
SAY = {1: "says 1 person", 2: "say {count} people"}

# Answers: the last line
ONLY_YOU = "Only you see this"
SHARED_BY = "Shared by {name}"
WORDED = "Worded by Claude from {count}"
QUOTED = "Quoted, no model"
MESSAGES = {1: "1 message", 2: "{count} messages"}
PLACES = {1: "1 place", 2: "{count} places"}
MORE_BEHIND = "more behind ⋯"
YOU_SAID = {Verdict.WORKED: "You said: it worked.", Verdict.FAILED: "You said: it didn't work."}
COUNTS_LATER = "It counts once a second person says so, or with a reason."

# Buttons
WORKED = "👍 It worked"
FAILED = "👎 It didn't"
TAKE_BACK = "Take it back"
WRONG = "Wrong answer"
JUST_THANKS = "Just thanks"
SHARE = "Share"
MORE = "⋯"
MORE_SAID = "More about this answer"
SETTLE = "Settle…"
ASK_TEAM = "Ask the team"
TELL_ME = "Tell me when it is"
THATS_RIGHT = "That's right"
THATS_RIGHT_SAID = "That's right, keep it"
NO = "No"
NO_SAID = "No, don't keep it"
YES = "Yes"
NOT_A_DECISION = "Not a decision"
EDIT = "Edit"
UNDO = "Undo"
MENU_REPLACES = "Replaces…"
MENU_OUTCOME = "How did it go"
MENU_LEAVE_OUT = "Leave this thread out"
LOOK_BACK = "Look back 90 days…"
BY_ITSELF = "Capture by itself…"
STAY_OUT = "Stay out"
OPEN_AGAIN = "Open again"
TAKE_OUT = "Take it out"
CANCEL = "Cancel"
CLOSE = "Close"
SAVE = "Save"
RECORD = "Record"
REMOVE = "Remove"
SEND = "Send"
YOU_CAN_PRESS = "You can press: {labels}"

# When something is wrong
DEGRADED = "… {line}"
INTERIM = "Looking through what was decided…"
FAILURE = "I couldn't answer (ref {ref}). Nothing is lost; try again in a minute. Admins: {command}."
UNKEPT = "I couldn't keep your question, so nobody answers it. Try again in a minute. Admins: {command}."
FAILURE_COMMAND = "why doctor"
CAPTURE_OFF = "Capture is off here. {who} can turn it on."
AN_ADMIN = "An admin"
NOT_HERE = "I am not in this channel, so I can't read it. Add me, then try again."
CANT_POST = "I am not in this channel, so I can't post here. Add me, then press it again."
NOT_FOR_YOU = "Only members of this workspace can do that, guests in their own channels."
KEPT_OUT = "I am kept out of this channel by a setting, so I read and keep nothing here. You can remove me."
WORDS_GONE = "A message that this rested on was edited or deleted, so it is gone too. Ask again for what still stands."
OR_AN_ADMIN = "{name} or an admin"

# `/why` alone, first contact, what others are told
EMPTY = "I remember what was decided in Slack, and why. Ask me:"
EMPTY_NOTHING_YET = (
    "I remember what was decided in Slack, and why; nothing yet that you can read. "
    "React 🔖 (bookmark) on a thread where something was decided, and I keep it."
)
COMMAND = "/why {question}"
COMMAND_SAYS = "why"
ADDED_BY = "{name} added me. I remember decisions; ask {command}."
ADDED = "I was added here. I remember decisions; ask {command}."
ASK_COMMAND = "/why …"
KEEPS_POINTED = "Here I keep only what you point at:"
KEEPS_POINTED_HOW = "react 🔖 (bookmark) on a thread, or mention me in it."
KEPT = "Kept:"
KEPT_WHAT = "the decision and the messages it rests on."
SENT = "Sent to Claude (Anthropic):"
SENT_WHAT = "that thread, secrets masked."
SENT_NOWHERE = "Sent elsewhere:"
SENT_NOWHERE_WHAT = "nothing; no model is set up."
WHO_READS = "Who can read it:"
WHO_READS_WHAT = "those who can read this channel."
TAKEN_OUT = "Take it out:"
TAKEN_OUT_HOW = "❌ (a cross) on it, or Home → My data."
TEAM_ASKED = "{name} asks the team:"
TEAM_ASKED_HOW = "Nothing is recorded on it yet. Answer in the thread, then react 🔖 (bookmark) and I keep it."
THUMB_COUNTED = {
    Verdict.WORKED: "👍 I counted that as “it worked”, for the decision:",
    Verdict.FAILED: "👎 I counted that as “it didn't work”, for the decision:",
}
THUMB_ASKS = "If you meant the answer, tell me:"
THANKED = "Thanks; not counted."
VOTE_COUNTED = {Verdict.WORKED: "Noted: it worked.", Verdict.FAILED: "Noted: it didn't work."}
VOTE_GONE = "I can't find that decision any more, so nothing was noted."
WRONG_TOLD = "Noted as a wrong answer. It counts for no decision."
TAKEN_BACK = "Taken back."

# Cards
RECORDED = {
    Status.ACCEPTED: "🔖 Recorded:",
    Status.REJECTED: "🔖 Recorded, turned down:",
    Status.PROPOSED: "🔖 Recorded, only proposed:",
    Status.WITHDRAWN: "🔖 Recorded, withdrawn:",
}
NOT_ACCEPTED = {
    Status.REJECTED: "Turned down:",
    Status.PROPOSED: "Only proposed:",
    Status.WITHDRAWN: "Withdrawn:",
}
RECORDED_SEVERAL = "🔖 Recorded: {count} decisions in this thread"
BECAUSE = "Because:"
DECIDED_BY = "Decided by {names}"
ABOVE = {1: "1 message above", 2: "{count} messages above"}
FURTHER = "{count} more: ask /why"
REMOVED_BY = "Removed by {name}:"
EDITED_BY = "Edited by {name}"
CONFIRMED_BY = "Confirmed by {name}"
REPLACES_TITLE = "Replaces:"
TURNED = "↻ The thread has turned. Before:"
ASK_FIRST = "Did you decide here?"
ASK_FIRST_QUIET = "No answer is fine; I won't ask again."
NOTED_YES = "Recorded. Thanks."
NOTED_NO = "Not kept. Thanks."
THREAD_LEFT_OUT = "Left out: I won't read this thread again."
IS_LEFT_OUT = "This thread is left out, so I didn't read it. To let it in again, put 🙈 on it and take that off."
NOTHING_FOUND = "I read the thread and found no decision in it. Nothing is kept."
CHANGED_MEANWHILE = "Somebody replaced or removed that meanwhile, so nothing was changed. Its card shows what stands."
SLOW_THREAD = "I couldn't read the thread in time. Close this and try again in a minute."
AND_OTHERS = {1: "1 other", 2: "{count} others"}
AND = "and"

# Views
TITLE_EDIT = "Edit the decision"
TITLE_PREVIEW = "Record this thread"
TITLE_SECOND_TAP = "Not a decision?"
TITLE_SETTLE = "Settle"
TITLE_WRONG = "Wrong answer"
TITLE_OUTCOME = "How did it go?"
TITLE_DETAILS = "More about this"
ASK_TITLE = "What was decided"
ASK_REASON = "Why"
ASK_ALTERNATIVES = "Instead of"
ASK_REPLACES = "Replaces"
HINT_ALTERNATIVES = "One a line. A reason goes after a colon: Elasticsearch: a second cluster"
HINT_REPLACES = "The older one stays readable, marked as replaced."
HINT_EDIT = "Your version is shown from now on, with your name; the one before stays in its history."
PREVIEW_WAIT = "Reading the thread…"
PREVIEW_HOW = "This is what I would keep, with the messages it rests on:"
PREVIEW_NOTHING = "I found no decision in this thread. If there is one, say it in a sentence:"
PREVIEW_KEEP = "Keep"
SECOND_TAP = "You neither wrote in this thread nor decided here. You can still remove it; the card will name you."
CROSS_BY_OTHERS = (
    "You neither wrote in this thread nor decided here. To remove it all the same, press Not a decision on the card."
)
SECOND_TAP_UNDO = "Anybody who can read it can undo that for 30 days."
SETTLE_ASK = "Which one stands?"
SETTLE_HINT = "The other is marked as replaced, with your name. Whoever decided can undo that."
WRONG_ASK = "What was wrong with it?"
WRONG_CATEGORIES = {
    "not_relevant": "It answers another question",
    "outdated": "It is out of date",
    "wrong": "It is wrong",
    "already_handled": "We have handled that already",
    "wrong_timing": "Right, but not now",
    "other": "Something else",
}
WARNINGS = {
    "not_relevant": "not relevant",
    "outdated": "out of date",
    "wrong": "wrong",
    "already_handled": "handled already",
    "wrong_timing": "the wrong time",
    "other": "another reason",
}
WRONG_REASON = "In your words"
OUTCOME_ASK = "So far"
OUTCOME_CHOICES = {Verdict.WORKED: "It worked", Verdict.FAILED: "It didn't work"}
OUTCOME_REASON = "What happened"
DETAILS_ALTERNATIVES = "Considered and not chosen"
DETAILS_HISTORY = "History"
DETAILS_ORDER = "Why in this order"
ORDER_FITS = {
    "words": ("has some words of your question", "has most words of your question"),
    "meaning": ("says something near it", "says much the same"),
}
ORDER_REPLACED = "stands where an older decision fitted"
ORDER_DAYS = "was decided in the days that you named"
ORDER_UP = "moved up: people say it worked"
ORDER_DOWN = "moved down: people say it didn't work"
ORDER_WARNING = "kept in as a warning"
DETAILS_VOTES = "Who said how it went"
DETAILS_NEXT = "What follows from it"
STEPS = {
    "follow": "Go by:",
    "settle": "Settle which one holds:",
    "avoid": "Think twice before going there again:",
    "ask": "Ask about:",
    "review": "Look again at:",
}
STEP = "Next:"
TURNED_DOWN_ONCE = "Something like this was turned down before: {why}."
TURNED_DOWN_OFTEN = "Things like this were turned down more than once: {why}."
RISKS = {"medium": "Some risk.", "high": "A high risk."}
DETAILS_ALL = "All messages this rests on"
DETAILS_WAIT = "Looking it up…"
DETAILS_FURTHER = "{count} more"
DETAILS_NONE = "There is nothing more on this."
VOTED = {Verdict.WORKED: "It worked", Verdict.FAILED: "It didn't work"}
NOT_COUNTED_YET = "not counted yet"
STATES = {State.CURRENT: "in force", State.SUPERSEDED: "replaced", State.RETRACTED: "removed"}
NOT_IN_FORCE = {Status.REJECTED: "turned down", Status.PROPOSED: "proposed", Status.WITHDRAWN: "withdrawn"}

# A channel's mode
MODE = "How I capture here"
MODE_ASK = "When do I read a thread?"
MODE_CHANGE = "Change…"
MODE_NOT_YOURS = "Only {who}, whoever made this channel, or a Slack admin can change that."
MODE_INVITER = "whoever added me"
MODE_NOW = "{name} changed how I capture here."
MODE_OFF = "Off: I keep nothing here"
MODE_WHEN_ASKED = "When asked: only what somebody points at"
MODE_ASK_FIRST = "Ask first: I ask whoever decided, then keep it"
MODE_BY_ITSELF = "By itself: I read threads that have gone quiet"

# What is wrong with a submitted view
NEEDS_TITLE = "Say in a few words what was decided."
TOO_LONG = "At most {limit} characters, please."
TOO_MANY = "At most {limit} lines, please."
NEEDS_OPTION = "Line {line} has a reason but no option."
NEEDS_CHOICE = "Choose one."

# Home
HOME_RECENT = "Recent in your channels"
HOME_RECENT_NONE = "Nothing yet. React 🔖 (bookmark) on a thread where something was decided."
HOME_QUESTIONS = "Your questions"
HOME_QUESTIONS_NOTE = "Only you see these."
HOME_QUESTIONS_NONE = "None yet. Ask {command} in any channel."
HOME_DATA = "My data"
HOME_DATA_NONE = "No message of yours is kept."
HOME_DATA_KEPT = {1: "1 message of yours is kept.", 2: "{count} messages of yours are kept."}
HOME_DATA_SHOWN = "The latest {count}:"
HOME_DATA_HOW = "Take it out: its text goes from here and from every decision that quotes it. Slack keeps the message."


def counted(forms: dict[int, str], count: int) -> str:
    """Return the form for that many: 1 has its own words, all others share one."""
    return forms[1] if count == 1 else forms[2].format(count=count)


def several(names: tuple[str, ...], *, shown: int = 2) -> str:
    """Return "Lena", "Lena and Omar", or "Lena, Omar and 3 others"; nothing for nobody."""
    if len(names) <= 1:
        return "".join(names)
    if len(names) <= shown:
        return f"{', '.join(names[:-1])} {AND} {names[-1]}"
    return f"{', '.join(names[:shown])} {AND} {counted(AND_OTHERS, len(names) - shown)}"
