"""The team's bot as hooks read it: what it says within a moment, or said before; else nothing, and nobody waits.

A hook waits `WAIT_S` in all, name look-up and handshake included. What takes longer is asked for by a process in the
background and told at the next event on the same file; a bot that is away costs one hook that moment and the others
nothing for half a minute. Of a prompt its words go out in alphabetical order, without what looks like a secret.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from bot.agents.heard import AWAY, FOLDER, SLOW, Heard
from bot.agents.sessions import CodingSessions
from bot.at_hand import Document, brief_of

WAIT_S = 0.04
"""Seconds of a hook's 150 ms in which the bot may answer: Python and the product take some 70 to start and end,
HTTP some 20, a process in the background some 10."""
LATER_S = 15.0
"""Seconds in all that the process in the background gives the bot for one answer."""
MOST_WORDS = 40
_WORD = re.compile(r"[^\W_][\w-]*")
_LONGEST_WORD, _LONGEST_MIXED = 30, 11
"""Characters; letters and digits mixed in a longer word are a token or a hash."""

Asked = tuple[tuple[str, ...], str]
"""Names of files and elements, and the words of a text."""


class Asking(Protocol):
    """What asks a bot."""

    def noticed(self, names: Sequence[str], words: str) -> dict[str, Any]:
        """Return what is recorded on these names, or on what these words name."""
        ...


class TeamsBot:
    """What hooks read of a team's bot, as whoever the token belongs to."""

    ways = "the tools `heads` and `ask` of `why mcp`"
    more = ""

    def __init__(
        self, bot: Callable[[], Asking], heard: Heard, sessions: CodingSessions, later: Callable[[list[Asked]], None]
    ) -> None:
        """Ask a bot.

        Args:
            bot: returns what is asked, at most for `WAIT_S`; not called where nothing is.
            heard: what it answered before.
            sessions: where it is noted that somebody recorded something.
            later: asks in the background, when it is closed.
        """
        self._bot = bot
        self._heard = heard
        self._sessions = sessions
        self._later = later
        self._left: list[Asked] = []

    def is_empty(self) -> bool:
        """Say whether nothing is recorded yet, or nobody knows."""
        return self._answer(((), "")).get("empty") is not False

    def on(self, names: Sequence[str]) -> list[Document]:
        """Return the decisions on elements or files of these names, each once."""
        return _decisions(self._answer((tuple(names), "")))

    def named_in(self, text: str) -> list[Document]:
        """Return the decisions on what a text names by a rare word, the most alike first."""
        words = words_of(text)
        return _decisions(self._answer(((), words))) if words else []

    def recorded_since(self, moment: datetime) -> bool:
        """Say whether somebody recorded a decision from this repository since then."""
        return self._sessions.recorded_since(moment.timestamp())

    def warm(self, files: Iterable[Sequence[str]]) -> None:
        """Have it asked in the background what is recorded on each of these files, given by its names."""
        wanted: list[Asked] = [(tuple(names), "") for names in files]
        self._left += [each for each in wanted if self._heard.find(each) is None]

    def _answer(self, asked: Asked) -> dict[str, Any]:
        kept = self._heard.find(asked)
        if kept is not None:
            answer, fresh = kept
            if not fresh:
                self._left.append(asked)
            return answer
        if self._heard.state():
            self._left.append(asked)
            return {}
        bot = self._bot()
        try:
            found = within(WAIT_S, lambda: bot.noticed(*asked))
        except Exception:  # whatever it says or is: hooks fail open, and ask it again later
            self._heard.note(AWAY)
            return {}
        if found is None:
            self._heard.note(SLOW)
            self._left.append(asked)
            return {}
        self._heard.keep(asked, found)
        return found

    def close(self) -> None:
        """Ask in the background, all at once, for what could not be waited for; unless the bot is away."""
        if self._left and self._heard.state() != AWAY:
            self._later(self._left)


def words_of(text: str) -> str:
    """Return what of a prompt the bot is asked about: its first words, each once, in alphabetical order."""
    words = dict.fromkeys(word.casefold() for word in _WORD.findall(text) if len(word) > 3 and not _odd(word))
    return " ".join(sorted(list(words)[:MOST_WORDS]))


def _odd(word: str) -> bool:
    mixed = not word.isalpha() and any(map(str.isdigit, word))
    return len(word) > (_LONGEST_MIXED if mixed else _LONGEST_WORD)


def within(seconds: float, work: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    """Return what some work returns within so many seconds; None where it takes longer, and is left behind.

    Raises:
        Exception: the work did.
    """
    done: list[dict[str, Any]] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            done.append(work())
        except Exception as error:  # raised below, where somebody waits for it
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    return done[0] if done else None


def teams_bot(url: str, token: str, sessions: CodingSessions) -> TeamsBot:
    """Return the bot of an address and token; whether one may go there is checked when it is asked."""
    return TeamsBot(lambda: _remote(url, token), _heard(url, token), sessions, _in_background)


def _remote(url: str, token: str) -> Asking:
    from bot.agents.remote import Remote  # 20 ms of HTTP: not for what was heard before

    return Remote(url, token)


def _heard(url: str, token: str) -> Heard:
    return Heard(Path.home() / FOLDER, whose=f"{url.strip()}\n{token}")


def _in_background(asked: list[Asked]) -> None:
    """Start a process that outlives this one; what is asked goes in on stdin, where no list of processes shows it."""
    import subprocess  # not for those who were answered

    apart = 0
    if sys.platform == "win32":
        apart = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "bot.agents.later"],  # -P: nothing is loaded from where the hook happens to run
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=Path.home(),
        start_new_session=True,
        creationflags=apart,
    )
    assert process.stdin is not None  # noqa: S101  # narrows a type
    process.stdin.write(json.dumps(asked).encode())  # a few kB: a pipe takes that without anybody reading
    process.stdin.close()


def ask_later(url: str, token: str, asked: Sequence[Asked]) -> None:
    """Ask a bot and keep its answers; the first failure ends it, as the next would fail too.

    Idempotency key: each question, while somebody asks it.
    """
    remote, heard = _remote(url, token), _heard(url, token)
    for one in asked:
        if heard.state() == AWAY or not heard.begin(one):
            continue
        try:
            found = within(LATER_S, lambda one=one: remote.noticed(*one))  # type: ignore[misc]  # bound at once
        except Exception:  # as above
            found = None
        finally:
            heard.end(one)
        if found is None:
            heard.note(AWAY)
        else:
            heard.keep(one, found)


def _decisions(answer: dict[str, Any]) -> list[Document]:
    listed = answer.get("decisions")
    return [kept for each in (listed if isinstance(listed, list) else []) if (kept := brief_of(each))]
