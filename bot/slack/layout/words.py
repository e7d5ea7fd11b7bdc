"""Every word that the bot says in Slack, in one place, so that tests can read them all.

People read topic, in force, replaced by, tried before, removed, message; never the log's own terms
(`NEVER`). Words stand beside every emoji. Braces are filled with text that is already safe to show. It is longer than
other modules because it is a list: whoever words something new sees how the same thing is said elsewhere.
"""

from __future__ import annotations

from bot.ports import ByRules, ClaimKind
from store import Happening, State, Status, Verdict

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
I_WILL_TELL = "I'll tell you."
WILL_TELL = "I'll tell you in a direct message, once, when it is decided."
WONT_TELL = "I won't tell you."
QUESTION_GONE = "I no longer have that question. Ask it again."
TOLD = 'You wanted to know: "{question}"'
ANSWERED_IN_THREAD = "It was decided where you asked the team:"
TEAM_ASKED_ALONE = "Asked. I'll tell you in a direct message when an answer is recorded."
ONLY_YOU_CAN_READ = "Only you can read this, so it isn't in what you shared:"
NOBODY_ELSE_READS = "Not everybody here can read what this rests on, so I posted nothing."
NOBODY_SEES = "Nobody sees your question unless you press Ask."
SAYS_FAILED = {1: "1 person says it didn't work", 2: "{count} people say it didn't work"}
SAYS_WORKED = {1: "1 person says it worked", 2: "{count} people say it worked"}
LABEL_WORKED = "worked, {say}"
LABEL_FAILED = "didn't work, {say}"
SAYS_BY_NAME = {1: "says {names}", 2: "say {names}"}
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
SAY_WHY = "Say why…"
WRONG = "Wrong answer"
JUST_THANKS = "Just thanks"
SHARE = "Share"
MORE = "⋯"
MORE_SAID = "More about this answer"
SETTLE = "Settle…"
ASK_TEAM = "Ask the team"
TELL_ME = "Tell me when it is"
TELL_ME_NOT = "Don't tell me"
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
FAILURE_THREAD = (
    "I couldn't read that thread (ref {ref}), so nothing of it is kept. "
    "React again in a few minutes. Admins: {command}."
)
BUDGET_LOW = "Most of this month's model budget is used: {spent} of {limit} million tokens."
BUDGET_LOW_THEN = (
    "Till {day} I read threads by rules, which see less. Answers are worded with what is left, then quoted. "
    "More: {setting}."
)
BUDGET_SETTING = "BACKSTORY_MONTHLY_TOKENS"
UNKEPT = "I couldn't keep your question, so nobody answers it. Try again in a minute. Admins: {command}."
FAILURE_COMMAND = "why doctor"
CAPTURE_OFF = "Capture is off here. {who} can turn it on."
AN_ADMIN = "An admin"
NOT_HERE = "I am not in this channel, so I can't read it. Add me, then try again."
CANT_POST = "I am not in this channel, so I can't post here. Add me, then press it again."
NOT_FOR_YOU = "Only members of this workspace can do that, guests in their own channels."
KEPT_OUT = "An admin keeps me out of this channel by a setting, so I read and keep nothing here, and leave."
KEPT_OUT_STAYS = (
    "An admin keeps me out of this channel by a setting, so I read and keep nothing here. Please remove me."
)
WORDS_GONE = "A message that this rested on was edited or deleted, so it is gone too. Ask again for what still stands."
OR_AN_ADMIN = "{name} or an admin"

# `/why` alone, first contact, what others are told
EMPTY = "I remember what was decided in Slack, and why. Ask me:"
EMPTY_NOTHING_YET = (
    "I remember what was decided in Slack, and why; nothing yet that you can read. "
    "React 🔖 (bookmark) on a thread where something was decided, and I keep it."
)
COMMAND = "/why {question}"
WHY_NOT = "why not {option}?"
WHY_THAT = "why {title}?"
FIRST_WORDS = frozenset({
    "a", "all", "every", "everything", "keep", "move", "no", "nobody", "nothing", "one", "only", "our", "the", "use",
    "we",
})  # fmt: skip
"""First words of titles that are no names."""
COMMAND_SAYS = "why"
ADDED_BY = "{name} added me. I remember decisions; ask {command}."
ADDED = "I was added here. I remember decisions; ask {command}."
ASK_COMMAND = "/why …"
KEPT = "Kept:"
SENT = "Sent to Claude (Anthropic):"
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
REPLACED_BY = "↻ Replaced by:"
BEFORE = "Before:"
SAID_SO = "{name} said so"
WORDED_BY = "in {name}'s words"
TURNED = "↻ The thread has turned. Before:"
ASK_FIRST = "Did you decide here?"
ASK_FIRST_QUIET = "No answer is fine; I won't ask again."
NOTED_YES = "Recorded. Thanks."
NOTED_NO = "Not kept. Thanks."
SEEMS_TO_REPLACE = "This seems to replace {title} ({day})."
IT_DOES = "It does"
IT_DOES_SAID = "It does replace that"
BOTH_STAND = "Both stand"
MAY_PULL = "↔ May pull against {title} ({where})."
REPLACES_IT = "Replaces it"
BOTH_APPLY = "Both apply"
LOOK = "Look"
LOOK_SAID = "Look at both"
BOTH_STAND_SAID = "↔ Both stand, says {name}: this and {title}"
SOMEBODY = "somebody"
CANT_HOLD = "They can't both hold"
CANT_HOLD_NOTED = "Noted: they can't both hold. Whoever asks about either sees both."
PAIR_TITLE = "Two decisions"
SETTLE_BOTH = "Both apply, in different cases"
UNDO_NOT_YOURS = "Only {who} can undo that."
WHO_DECIDED = "whoever decided it"
UNDO_TOO_LATE = "Somebody has changed that since, so there is nothing to undo."
THREAD_LEFT_OUT = "Left out: I won't read this thread again."
IS_LEFT_OUT = "This thread is left out, so I didn't read it. To let it in again, put 🙈 on it and take that off."
READ_LATER = "Claude didn't answer in time. I read this thread again in a moment; nothing is lost."
WRITTEN_LATER = "I couldn't write that down yet. I try again in a moment; nothing is lost."
READ_BY_RULES = {
    ByRules.BUDGET: "This month's model budget is used: read by rules, which see less.",
    ByRules.UNABLE: "Claude couldn't read this thread: read by rules, which see less.",
    ByRules.AWAY: "Claude is away: read by rules, which see less.",
}
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
    "avoid": "Turned down before; think twice:",
    "ask": "Ask about:",
    "review": "Look again at:",
}
STEP_FAILED = "Didn't work before; think twice:"
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
MODE_OPEN = "How I capture here…"
MODE_NOT_YOURS = "Only {who}, whoever made this channel, or a Slack admin can change that."
MODE_INVITER = "whoever added me"
MODE_NOW = "{name} changed how I capture here:"
MODE_OFF = "Off: I keep nothing here"
MODE_WHEN_ASKED = "When asked: only what somebody points at"
MODE_ASK_FIRST = "Ask first: I ask whoever decided, then keep it"
MODE_BY_ITSELF = "By itself: I read threads that have gone quiet"

MODE_SAVED = "Saved. How I capture here:"
MODE_HINT = "🙈 (see no evil) on a thread leaves it out, whatever you choose here."
MODE_HINT_TOLD = "Everybody here is told, once, when I begin to read by myself."
MARK_ASK = "How do I show what I kept?"
MARK_CARD = "With a card in its thread"
MARK_EMOJI = "With 🔖 (bookmark) on the message, and no card"
MARK_HINT = "❌ (a cross) on a card or on a marked message takes it out."
REMOVED = "Removed:"
CROSS_ON_MARK = "You neither wrote in this thread nor decided here. You can still remove it:"
MORE_ASK = "What else may I do here?"
MORE_DIGEST = "Post once a week what was decided"
MORE_DIGEST_HOW = "12 lines at most; nothing new, no post."
MORE_SAID_BEFORE = "Say quietly when something turned down is proposed again"
MORE_SAID_BEFORE_HOW = "To whoever proposes it, alone."

# First contact: what is kept here, by mode
KEEPS_NOTHING = "Capture is off here: I keep nothing."
KEEPS_NOTHING_HOW = "What was kept before stays until somebody takes it out."
KEEPS_POINTED = "Here I keep only what you point at:"
KEEPS_POINTED_HOW = "react 🔖 (bookmark) on a thread, or mention me in it."
KEEPS_ASKING = "Here I read threads that have gone quiet, and ask first:"
KEEPS_ASKING_HOW = (
    "whoever decided is asked, alone and once. What nobody confirms is shown as not confirmed, for 90 days at most."
)
KEEPS_BY_ITSELF = "Here I capture by myself:"
KEEPS_BY_ITSELF_CARD = (
    "I read threads that have gone quiet, and keep what was decided; its thread then shows a card. "
    "🙈 (see no evil) on a thread leaves it out."
)
KEEPS_BY_ITSELF_EMOJI = (
    "I read threads that have gone quiet, and keep what was decided; its message then gets a 🔖 (bookmark). "
    "🙈 (see no evil) on a thread leaves it out."
)
KEPT_WHAT = "the decision and the messages it rests on."
KEPT_NOTHING = "nothing new."
SENT_ASKED = "nothing said here; when somebody asks, the question and what answers it, secrets masked."
SENT_POINTED = "that thread, secrets masked; when somebody asks, the question and what answers it."
SENT_READ = "threads that look decided, secrets masked; when somebody asks, the question and what answers it."

# Looking back
LOOK_TITLE = "Look back 90 days"
LOOK_WAIT = "Counting what was said here in the last 90 days…"
LOOK_COUNTS = "{threads}, about {decisions}"
LOOK_TOKENS = ", {tokens} tokens"
LOOK_THREADS = {1: "1 thread", 2: "{count} threads"}
LOOK_DECISIONS = {1: "1 decision", 2: "{count} decisions"}
LOOK_HOW = (
    "I read them one by one and post nothing in them. What I find goes to you alone, as a list: you keep it or you "
    "don't. Until then an answer shows it as not confirmed, if at all, and what you leave is gone after 90 days."
)
LOOK_SENT = "Sent to Claude (Anthropic): those of them that look decided, secrets masked."
LOOK_LEFT_OUT = "Left out: threads with 🙈 (see no evil), and what people said who asked to be left out."
LOOK_NOTHING = "Nothing was said here in the last 90 days that I could look back on."
LOOK_NOT_YOURS = "Only Slack's admins and owners can let me look back. Ask one of them to press it."
LOOK_AT_IT = "I am looking back here already; whoever started it has the list."
START = "Start"
STOP = "Stop"
STOP_SAID = "Stop looking back"
GO_ON = "Go on"
KEEP = "Keep"
KEEP_ALL = "Keep all"
KEEP_THESE = "Keep these {count}"
LOOK_READING = "Looking back 90 days in {channel}:"
LOOK_STOPPED = "Stopped looking back in {channel}:"
LOOK_DONE = "Looked back 90 days in {channel}:"
LOOK_READ = "{read} of {threads} read"
LOOK_FOUND = {1: "1 decision found", 2: "{count} decisions found"}
LOOK_FOUND_NONE = "no decision found"
LOOK_KEPT = "{count} kept"
LOOK_DROPPED = "{count} not kept"
LOOK_CHOOSE = "Keep what is right. Only you see this list, and nothing is posted in the old threads."
LOOK_MORE = {1: "1 more comes once these are done.", 2: "{count} more come once these are done."}
LOOK_OUT = "I can't read there any more, so I stopped."

# The offer to capture by itself
OFFER = "In {channel}, {kept} of {count} captures were right. Capture by itself?"
OFFER_HERE = "{kept} of the last {count} captures here were right."
OFFER_YES = "Yes"
OFFER_YES_SAID = "Yes, capture by itself"
OFFER_KEEP = "Keep asking"
OFFER_NOW = "Noted. {channel} now:"

# Said before, to whoever proposes
SAID_OPTION = "{matter} was turned down on {day}"
SAID_TURNED_DOWN = "Turned down on {day}: {matter}"
SAID_REPLACED = "{matter} was replaced since; it was decided on {day}"
SAID_FAILED = "{matter} was tried and didn't work; it was decided on {day}"
DECIDED_INSTEAD = "Decided instead: {title}."
LOOK_AGAIN = "Look again {when}."
LOOK_AGAIN_IF = "Look again: {when}."
AGAIN_WORDS = frozenset({
    "above", "after", "as", "at", "before", "below", "by", "from", "if", "in", "once", "past", "when",
})  # fmt: skip
"""What a condition begins with that is a phrase of its own."""
DIFFERENT_NOW = "It's different now"
OTHER_THING = "Not the same thing"
DIFFERENT_NOTED = (
    "Noted. When it is decided anew, put 🔖 (bookmark) on that thread;"
    " Replaces… on its card says what it takes the place of."
)
CHOSEN_HERE = "Only you see this. This channel chose it; {command} changes that."
SETTINGS_COMMAND = "/why settings"
OTHER_NOTED = "Thanks. I won't bring that up with you again."

# Tokens for one's own tools
LOGIN = (
    "A token for your own tools: your assistant and your terminal read as you with it. It lives {days} days, the one"
    " before it ends now, and it isn't shown again. Whoever has it reads what you read: keep it to yourself."
)
LOGIN_NOWHERE = "I run without an address of my own here (Socket Mode), so there is nothing to log in to."

# What is wrong with a submitted view
NEEDS_TITLE = "Say in a few words what was decided."
TOO_LONG = "At most {limit} characters, please."
TOO_MANY = "At most {limit} lines, please."
NEEDS_OPTION = "Line {line} has a reason but no option."
NEEDS_CHOICE = "Choose one."

# Home
HOME_HELLO = "I remember what was decided in Slack, and why."
HOME_HELLO_HOW = "React 🔖 (bookmark) on a thread where something was decided, and I keep it."
HOME_HELLO_ASK = "Ask here, or {command} in any channel."
HOME_NOT_FOR_YOU = "Only members of this workspace can use this page, and guests once they are in a channel."
SEARCH_LABEL = "Ask what was decided, and why"
SEARCH_PLACEHOLDER = "Why did search stay on Postgres?"
SEARCH_HINT = "Press Enter. Only you see the answer."
TITLE_ANSWER = "Your answer"
TITLE_NOTE = "A note"
ANSWER_GONE = "I can't find that answer any more, or you can't read all of it now. Ask again for what stands."
HOME_CONFIRM = "To confirm"
HOME_CONFIRM_NOTE = "I wasn't sure about these. You decided or wrote there; no answer is fine."
HOME_CONTESTED = "Contested"
HOME_CONTESTED_SIDES = "Two that can't both hold:"
HOME_WENT = "How did it go?"
HOME_CAME = "What came of it?"
HOME_CAME_NOTE = "Other systems report these. Nothing is noted until you say so."
HOME_RECENT = "Recent in your channels"
HOME_RECENT_NONE = "Nothing yet. React 🔖 (bookmark) on a thread where something was decided."
HOME_RECENT_MORE = "More: ask {command}"
HOME_ASKED = "Asked by your teams, not answered yet"
HOME_QUESTIONS = "Your questions"
HOME_QUESTIONS_NOTE = "Only you see these."
HOME_QUESTIONS_NONE = "None yet. Ask {command} in any channel."
HOME_QUESTIONS_ALL = "All my questions…"
HOME_MORE = "{count} more"

# Home: my data
HOME_DATA = "My data"
HOME_DATA_NONE = "No message of yours is kept."
HOME_DATA_KEPT = {1: "1 message of yours is kept.", 2: "{count} messages of yours are kept."}
HOME_DATA_SHOWN = "The latest {count}:"
HOME_DATA_HOW = "Take it out: its text goes from here and from every decision that quotes it. Slack keeps the message."
DATA_SHOW = "Everything about me…"
DATA_TAKE_ONE_ASK = "Take this message out?"
DATA_TAKE_ONE_SAYS = (
    "Its text goes from what I keep. A decision that rests on it alone goes too. This can't be undone. Slack keeps the"
    " message."
)
CHANNEL_ERASE = "Erase all of it"
CHANNEL_ERASE_ASK = "Erase the whole channel?"
CHANNEL_ERASE_SAYS = (
    "What was decided there, its messages wherever they are quoted, questions and votes go from everywhere, and I never"
    " capture there again. It can't be undone."
)
CHANNEL_ERASE_YES = "Erase it all"
CHANNEL_ERASING = "I'm erasing all that was said there. It may take a minute."
CHANNEL_ERASED = "All that was said in that channel is erased. I won't capture there again."
DATA_TAKE_ALL = "Take all of it out"
DATA_TAKE_ALL_ASK = "Take all of your messages out?"
DATA_TAKE_ALL_SAYS = (
    "The text of every message of yours goes from what I keep, also of channels that you have left. A decision that"
    " rests on your words alone goes too. This can't be undone. Slack keeps your messages."
)
DATA_TAKE_ALL_YES = "Take it all out"
DATA_TAKE_ALL_NO = "Keep it"
DATA_TAKEN_OUT = "Taken out: its text is gone from here and from every decision that quoted it."
DATA_ALL_TAKEN_OUT = "All of your messages are taken out."
DATA_TAKING = "I am taking your messages out. Open this page again in a minute."
DATA_LEFT_OUT = "*You are left out.* What you write is dropped before a thread is read."
DATA_LEFT_IN = "*Leave me out* drops what you write from now on before a thread is read."
DATA_LEAVE_OUT = "Leave me out"
DATA_LET_IN = "Let me in again"
DATA_FOLLOWED = "*Follow-ups:* I may ask you how a decision of yours went, in one direct message a week at most."
DATA_NOT_FOLLOWED = "*Follow-ups are off.* I don't ask you how your decisions went."
DATA_FOLLOW_OFF = "Don't ask me"
DATA_FOLLOW_ON = "Ask me again"
DATA_NO_MODEL = (
    "No model is set up here, so a thread that isn't in English is never captured by itself. React 🔖 (bookmark) on"
    " it, or record it by its menu."
)
TITLE_MINE = "Everything about me"
MINE_MESSAGES = "Messages of yours that are kept"
MINE_DECIDED = "What you decided"
MINE_VOTES = "How you said it went"
MINE_ASKED = "Your questions"
MINE_NONE = "Nothing that I keep names or quotes you."
MINE_NOTE = "This is what I keep of you where you can read now, and your questions."
MINE_FILE = "All of it as a file, also of channels that you have left: ask whoever runs me for {command}."
MINE_COMMAND = "why export --person {person}"
PAGE_MORE = "More"
PAGE_BACK = "Back"

# Home: for admins
ADMIN_CHANNELS = "Channels"
ADMIN_CHANNELS_NONE = "I am in no channel that you can read. Add me to one: /invite @backstory"
ADMIN_CHANNELS_ALL = "All channels…"
CHANNELS_NOTE = "You added me to these, or made them, so you choose how I capture there."
ADMIN_CHANNELS_NOTE = "For admins. Private channels are listed for their members alone."
MODE_SHORT = {"off": "Off", "when asked": "When asked", "ask first": "Ask first", "by itself": "By itself"}
ADMIN_MARK_EMOJI = "marked with 🔖 (bookmark)"
ADMIN_DIGEST = "weekly digest"
ADMIN_SAID_BEFORE = "says what was turned down before"
ADMIN_SET_BY = "Set by {name}, {day}"
ADMIN_OF_LATE = "In 30 days: {kept} kept, {removed} removed"
ADMIN_OF_LATE_NONE = "Nothing kept yet"
ADMIN_LATEST = "Last kept {day}"
ADMIN_KEPT = "Kept & sent"
ADMIN_KEPT_ALL = "*Kept* in channels that you can read: {decisions}, resting on {messages}"
ADMIN_KEPT_SINCE = "first on {day}"
ADMIN_KEEP_DAYS = "*How long:* a message is kept for {days} days, or until it is deleted in Slack."
ADMIN_KEEP_ALL = "*How long:* a message is kept until it is deleted in Slack."
ADMIN_QUESTIONS = "*Questions:* each seen by its asker alone, kept for {days} days"
ADMIN_SENT = "*Sent to Claude (Anthropic) this month:* {calls}, {tokens}"
ADMIN_SENT_NONE = "*Sent elsewhere:* nothing; no model is set up."
ADMIN_BLOCKED = "*Blocked:* {count}, by the setting {setting}"
ADMIN_BUDGET = "Budget"
ADMIN_SPENT = "*{spent} of {limit} tokens* used this month ({share} %). It starts anew on {day}."
ADMIN_SHARES = (
    "*Left:* {left} for answers, of these {threads} for reading threads too; the last {answers} are kept for answers."
)
ADMIN_IF_USED = "At 80 % threads are read by rules and admins are told. At 100 % answers are quoted, not summed up."
ADMIN_LOW = "⚠ Threads are read by rules until {day}; answers are still worded."
ADMIN_USED = "⚠ This month's model budget is used: answers are quoted, not summed up, until {day}."
ADMIN_NO_MODEL = "No model is set up, so nothing is spent."
DECISIONS = {1: "1 decision", 2: "{count} decisions"}
REQUESTS = {1: "1 request", 2: "{count} requests"}
CHANNELS = {1: "1 channel", 2: "{count} channels"}
TOKENS = {1: "1 token", 2: "{count} tokens"}

# How did it go: follow-ups
CAME_ASKED = {
    Happening.INCIDENT: "{report} on {day}: did this fail?",
    Happening.REVERT: "{report} took it back on {day}: did this fail?",
    Happening.RESOLVED: "{report} was resolved on {day}: did this work?",
}
CAME_INCIDENT = "Incident {number}"
CAME_NOT = {
    Happening.INCIDENT: "Not because of it",
    Happening.REVERT: "Nothing to do with it",
    Happening.RESOLVED: "Nothing to do with it",
}
CAME_NOT_SAID = "That has nothing to do with it"
CAME_NOT_NOTED = "Nothing is noted, and I won't ask again:"
FOLLOW_TWO_WEEKS = "Two weeks ago:"
FOLLOW_HOW = "How did it go?"
FOLLOW_SEVERAL = "How did these go?"
FOLLOW_WORKED = "Worked"
FOLLOW_FAILED = "Didn't work"
FOLLOW_EARLY = "Too early"
FOLLOW_EARLY_SAID = "Too early, ask me again later"
FOLLOW_STOP = "Stop asking me"
FOLLOW_STOP_SAID = "Stop asking me how decisions went"
FOLLOW_STOPPED = "I won't ask you any more how decisions went."
FOLLOW_AGAIN = "I'll ask again on {day}."
FOLLOW_GONE = "This was removed, or you can't read it any more."

# The weekly digest
DIGEST_HEADING = "This week in {channel}:"
DIGEST_DECIDED = {1: "1 decided", 2: "{count} decided"}
DIGEST_CONTESTED = {1: "1 contested", 2: "{count} contested"}
DIGEST_RESULTS = {1: "1 result", 2: "{count} results"}
DIGEST_WAITING = {1: "1 waiting for “how did it go”", 2: "{count} waiting for “how did it go”"}
DIGEST_QUESTIONS = {1: "1 question that its asker made public", 2: "{count} questions that their askers made public"}
DIGEST_NEW = "Decided:"
DIGEST_TURNED_DOWN = "Turned down:"
DIGEST_ASKED = "Asked, no answer yet:"
DIGEST_ANSWERED = "Asked and answered:"
DIGEST_MORE = {1: "1 more: ask /why, or see Home", 2: "{count} more: ask /why, or see Home"}
DIGEST_WHY = "Once a week, since this channel chose it."
DIGEST_STOP = "Not here any more"
DIGEST_STOP_SAID = "No weekly digest here any more"
DIGEST_STOPPED = "{name} switched the weekly digest off here."


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
