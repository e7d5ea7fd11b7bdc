"""What the bot says beside answers, and the words that it never says."""

import pkgutil
import re
from importlib import import_module
from typing import Any

import pytest

import bot.slack
from bot.playground.blocks import check_message
from bot.slack.home import view as home
from bot.slack.layout import actions as act
from bot.slack.layout import details, modals, notices, words
from bot.slack.layout.blocks import answer
from bot.slack.layout.kit import Message
from bot.slack.recording import cards
from bot.slack.recording.settle_form import settle_view
from bot.slack.room import Marking, Mode
from store import Verdict
from tests.builders_messages import contested, decision, nothing, sure, waiting

KEPT = decision()
MESSAGES: dict[str, Message] = {
    "interim": notices.interim(),
    "failure": notices.failure("7F3K"),
    "capture off": notices.capture_off("Mia"),
    "first contact": notices.first_contact("Mia"),
    "first contact, nobody known, no model": notices.first_contact(model=False),
    "empty": notices.empty(["why not Elasticsearch?", "what did we try for retries?", "who decided?", "a fourth"]),
    "empty, nothing yet": notices.empty([]),
    "asked": notices.team_asked("which HR system do we use?", "Noor"),
    "thumb": notices.thumb_counted(Verdict.FAILED, "Search stays on Postgres", "s1", counted=False),
    "voted": notices.voted(Verdict.WORKED, "s1"),
    "thanked": notices.notice(words.THANKED),
    "sure": answer(sure(unconfirmed=(waiting(),))),
    "contested": answer(contested()),
    "nothing": answer(nothing()),
    "card": cards.card([KEPT]),
    "ask first": cards.ask_first(KEPT),
}
VIEWS: list[Any] = [
    modals.edit_view(KEPT, older=[decision("b")]),
    modals.preview_view([], act.encode(turn="C1/1")),
    modals.preview_view([modals.edited_draft(KEPT)], act.encode(turn="C1/1")),
    modals.second_tap_view(KEPT),
    settle_view(KEPT, decision("b")),
    modals.wrong_view("s1"),
    modals.outcome_view(KEPT),
    details.details_view(sure(), history=[KEPT]),
    home.home_view(home.Home(recent=(KEPT,))),
]
NEVER = re.compile(rf"\b(?:{'|'.join(words.NEVER)})\w*", re.IGNORECASE)
EMOJI = re.compile("[\U0001f300-\U0001faff☀-➿⬀-⯿]")


def strings(value: Any) -> list[str]:
    """Return every text that people read in a payload: what stands under `text`, labels and hints included."""
    if isinstance(value, dict):
        own = [value["text"]] if isinstance(value.get("text"), str) else []
        return own + [text for part in value.values() for text in strings(part)]
    return [text for part in value for text in strings(part)] if isinstance(value, (list, tuple)) else []


def own_words(value: Any) -> list[str]:
    """Return every string of a constant, however it is nested."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in own_words(part)]
    return []


def constants() -> list[str]:
    """Return every string that a module of the room keeps under a name in capitals."""
    modules = [import_module(found.name) for found in pkgutil.walk_packages(bot.slack.__path__, "bot.slack.")]
    named = [item for module in modules for item in vars(module).items() if item[0].isupper()]
    return [text for name, value in named if name != "NEVER" for text in own_words(value)]


@pytest.mark.parametrize("name", MESSAGES)
def test_every_message_is_what_slack_accepts_and_says_itself_in_words(name: str) -> None:
    shown = MESSAGES[name]

    check_message(shown.blocks)
    assert shown.text.strip()
    assert not set("*`<") & set(shown.text)


def test_no_screen_shows_the_logs_own_terms() -> None:
    told = [text for shown in MESSAGES.values() for text in (shown.text, *strings(shown.blocks))]
    told += [text for view in VIEWS for text in strings(view)]
    told += [text for text in constants() if " " in text]

    assert [(text, NEVER.findall(text)) for text in told if NEVER.search(text)] == []


def test_every_sentence_for_people_stands_among_the_words() -> None:
    held = {text for value in vars(words).values() for text in own_words(value)}

    assert [text for text in constants() if re.match(r"[A-Z]\w*… |[A-Z]\w* ", text) and text not in held] == []


def test_a_word_stands_beside_every_emoji() -> None:
    told = [text for text in constants() if EMOJI.search(text)]

    assert [text for text in told if not re.search(r"[A-Za-z]{2}", text)] == []


def test_a_failure_gives_a_reference_and_what_to_do() -> None:
    assert MESSAGES["failure"].text == (
        "I couldn't answer (ref 7F3K). Nothing is lost; try again in a minute. Admins: why doctor."
    )


def test_capture_that_is_off_names_who_can_turn_it_on() -> None:
    assert MESSAGES["capture off"].text == "Capture is off here. Mia or an admin can turn it on."
    assert notices.capture_off().text == "Capture is off here. An admin can turn it on."


def test_the_command_alone_offers_three_questions_to_type() -> None:
    assert MESSAGES["empty"].text.split("\n") == [
        "I remember what was decided in Slack, and why. Ask me:",
        "/why not Elasticsearch?",
        "/why what did we try for retries?",
        "/why who decided?",
    ]


def test_first_contact_states_the_facts() -> None:
    assert MESSAGES["first contact"].text.split("\n")[:6] == [
        "Mia added me. I remember decisions; ask /why ….",
        "Here I keep only what you point at: react 🔖 (bookmark) on a thread, or mention me in it.",
        "Kept: the decision and the messages it rests on.",
        "Sent to Claude (Anthropic): that thread, secrets masked; "
        "when somebody asks, the question and what answers it.",
        "Who can read it: those who can read this channel.",
        "Take it out: ❌ (a cross) on it, or Home → My data.",
    ]


ALL = "Look back 90 days…, How I capture here…, Stay out"


@pytest.mark.parametrize(
    ("mode", "mark", "said", "kept", "offered"),
    [
        (Mode.OFF, Marking.CARD, "Capture is off here: I keep nothing.", "nothing new", "How I capture here…"),
        (Mode.ASK_FIRST, Marking.CARD, "and ask first", "the decision", ALL),
        (Mode.BY_ITSELF, Marking.CARD, "shows a card", "the decision", ALL),
        (Mode.BY_ITSELF, Marking.EMOJI, "gets a 🔖", "the decision", ALL),
    ],
)  # fmt: skip
def test_first_contact_says_what_is_kept_in_each_mode(
    mode: Mode, mark: Marking, said: str, kept: str, offered: str
) -> None:
    text = notices.first_contact("Mia", mode=mode, mark=mark).text

    assert said in text
    assert f"Kept: {kept}" in text
    assert text.endswith(f"You can press: {offered}")


def test_without_a_model_first_contact_says_that_nothing_is_sent() -> None:
    assert "Claude" not in MESSAGES["first contact, nobody known, no model"].text


def test_a_first_emoji_thumb_is_told_what_it_meant_and_offered_two_ways() -> None:
    shown = MESSAGES["thumb"]

    assert "👎 I counted that as “it didn't work”, for the decision: Search stays on Postgres" in shown.text
    assert "You can press: Just thanks, Wrong answer" in shown.text


@pytest.mark.parametrize(
    ("names", "said"),
    [((), ""), (("Lena",), "Lena"), (("Lena", "Omar"), "Lena and Omar"),
     (("Lena", "Omar", "Raj"), "Lena, Omar and 1 other"), (("A", "B", "C", "D"), "A, B and 2 others")],
)  # fmt: skip
def test_several_names_are_told_as_people_would(names: tuple[str, ...], said: str) -> None:
    assert words.several(names) == said
