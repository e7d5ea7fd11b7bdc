"""Questions asked from Home, and old ones opened again: the answer fills a modal, for its asker alone.

A trigger lives three seconds, so the modal opens at once and a row of its own fills it in.
Idempotency key: the modal's id; a second try fills the same modal.
"""

from __future__ import annotations

from bot.jobs import ASKED
from bot.slack.answering.asking import ask_for, asks_about_the_bot, worded
from bot.slack.answering.suggesting import suggestions
from bot.slack.home.homing import answer_for, show_home
from bot.slack.layout import modals, notices, words
from bot.slack.layout.kit import Message
from bot.slack.room import Room
from bot.slack.saying.replying import OPENED, open_over, show_in_view
from bot.slack.saying.threads import as_seen
from store import Delivery

KIND_SEARCH = "search"


def search(room: Room, delivery: Delivery) -> str:
    """Open the modal of a question that somebody typed on Home."""
    typed = str(delivery.payload.get("typed") or "").strip()
    return _opened(room, delivery, text=typed) if typed else "nothing asked"


def reopen(room: Room, delivery: Delivery, session: str) -> str:
    """Open the modal of a question that somebody asked before."""
    return _opened(room, delivery, session=session)


def _opened(room: Room, delivery: Delivery, *, text: str = "", session: str = "") -> str:
    pressed = delivery.payload
    view = open_over(room, pressed, modals.answer_waiting())
    asked = {"user": pressed["user"], "view": view, "text": text, "session": session, "home": pressed.get("home")}
    room.memory.inbox.insert(f"search:{view}", KIND_SEARCH, asked, priority=ASKED)
    return OPENED


def on_search(room: Room, delivery: Delivery) -> str:
    """Fill the modal with the answer, as its asker may see it now."""
    asked = delivery.payload
    user = asked["user"]
    if not room.access.may_use_home(user):
        return "not allowed"
    told = _again(room, user, asked["session"]) if asked["session"] else _answer(room, delivery, user, asked["text"])
    shown = show_in_view(room, asked["view"], told.blocks, title=words.TITLE_ANSWER)
    if asked.get("home") and asked["text"]:
        show_home(room, user)
    return "answered" if shown else "closed meanwhile"


def tell_search_failure(room: Room, delivery: Delivery, told: Message) -> None:
    """Say in the modal that there is no answer."""
    show_in_view(room, delivery.payload["view"], told.blocks, title=words.TITLE_ANSWER)


def _answer(room: Room, delivery: Delivery, user: str, text: str) -> Message:
    reader, question = room.access.reader_of(user), as_seen(room, text)
    if asks_about_the_bot(question):
        return notices.empty(suggestions(room, reader, ""))
    answer = ask_for(room, question, reader, lambda: room.access.reader_of(user), user, delivery)
    return worded(room, answer, alone=True, direct=True).message


def _again(room: Room, user: str, session: str) -> Message:
    answer = answer_for(room, user, "", session)
    return (
        notices.notice(words.ANSWER_GONE) if answer is None else worded(room, answer, alone=True, direct=True).message
    )
