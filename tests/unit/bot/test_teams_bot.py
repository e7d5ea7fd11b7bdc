"""The team's bot as hooks read it: within a moment or not at all, and what it said before."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.agents.heard import AWAY_S, FRESH_S, KEEP_S, MOST_BYTES, MOST_FILES, Heard
from bot.agents.sessions import CodingSessions
from bot.agents.teams_bot import Asked, TeamsBot, words_of
from bot.at_hand import brief_of
from bot.cli.elsewhere import note_recorded, teams_memory
from bot.errors import Permanent, SettingsError
from bot.settings import Settings

ID = "0123456789ab"
ANSWER = {"decisions": [{"id": ID, "title": "Backoff", "status": "accepted"}], "empty": False}
NAMES = ("./a.py",)


class Asking:
    """A bot that answers as told, and counts how often it was asked."""

    def __init__(self, answer: Callable[[], dict[str, Any]]) -> None:
        self.answer, self.asked = answer, 0

    def noticed(self, names: Sequence[str], words: str) -> dict[str, Any]:
        self.asked += 1
        return self.answer()


@pytest.fixture
def heard(tmp_path: Path) -> Heard:
    return Heard(tmp_path / "heard", whose="https://bot.example\nbks_1")


@pytest.fixture
def hanging() -> Iterator[Callable[[], dict[str, Any]]]:
    """What answers once the test has ended."""
    ended = threading.Event()
    yield lambda: ANSWER if ended.wait() else {}
    ended.set()


def bot_of(asking: Asking, heard: Heard, tmp_path: Path) -> tuple[TeamsBot, list[Asked]]:
    later: list[Asked] = []
    return TeamsBot(lambda: asking, heard, CodingSessions(tmp_path), later.extend), later


def aged(folder: Path, seconds: float) -> None:
    for path in folder.iterdir():
        os.utime(path, (time.time() - seconds,) * 2)


def test_an_answer_is_told_and_asked_for_once_while_it_is_fresh(heard: Heard, tmp_path: Path) -> None:
    asking = Asking(lambda: ANSWER)
    bot, later = bot_of(asking, heard, tmp_path)

    first, second = bot.on(NAMES), bot.on(NAMES)
    bot.close()

    assert [one["title"] for one in first] == ["Backoff"]
    assert (first, asking.asked, later) == (second, 1, [])


def test_a_stale_answer_is_told_and_asked_for_anew_and_an_old_one_is_gone(heard: Heard, tmp_path: Path) -> None:
    asking = Asking(lambda: ANSWER)
    bot, later = bot_of(asking, heard, tmp_path)
    heard.keep((NAMES, ""), ANSWER)

    aged(tmp_path / "heard", FRESH_S + 1)
    stale = bot.on(NAMES)
    bot.close()
    aged(tmp_path / "heard", KEEP_S + 1)
    gone = heard.find((NAMES, ""))

    assert [one["title"] for one in stale] == ["Backoff"]
    assert (later, asking.asked, gone) == ([(NAMES, "")], 0, None)


def test_what_takes_too_long_is_asked_in_the_background_and_nobody_waits_again(
    heard: Heard, tmp_path: Path, hanging: Callable[[], dict[str, Any]]
) -> None:
    asking = Asking(hanging)
    bot, later = bot_of(asking, heard, tmp_path)

    told = [bot.on(NAMES), bot.named_in("elasticsearch"), bot.is_empty()]
    bot.close()

    assert told == [[], [], True]
    assert asking.asked == 1
    assert later == [(NAMES, ""), ((), "elasticsearch"), ((), "")]


@pytest.mark.parametrize("error", [Permanent("no"), ValueError("a port of letters"), RecursionError()])
def test_who_refuses_is_left_alone_for_half_a_minute(heard: Heard, tmp_path: Path, error: Exception) -> None:
    def refuse() -> dict[str, Any]:
        raise error

    asking = Asking(refuse)
    bot, later = bot_of(asking, heard, tmp_path)

    during = [bot.on(NAMES), bot.on(NAMES)]
    bot.warm([NAMES])
    bot.close()
    aged(tmp_path / "heard", AWAY_S + 1)
    bot.on(NAMES)

    assert (during, later, asking.asked) == ([[], []], [], 2)


def test_what_is_known_is_not_warmed_and_nothing_is_asked_twice_at_once(heard: Heard, tmp_path: Path) -> None:
    bot, later = bot_of(Asking(lambda: ANSWER), heard, tmp_path)
    heard.keep((NAMES, ""), ANSWER)

    bot.warm([NAMES, ("./b.py",)])
    bot.close()
    begun = [heard.begin((NAMES, "")), heard.begin((NAMES, ""))]
    heard.end((NAMES, ""))
    heard.end((NAMES, ""))

    assert later == [(("./b.py",), "")]
    assert (begun, heard.begin((NAMES, ""))) == ([True, False], True)


def test_answers_are_their_owners_few_and_small(heard: Heard, tmp_path: Path) -> None:
    heard.keep((NAMES, ""), {"decisions": ["x" * MOST_BYTES]})
    for number in range(MOST_FILES + 3):
        heard.keep(((str(number),), ""), {"empty": True})

    files = list((tmp_path / "heard").iterdir())

    assert len(files) <= MOST_FILES
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "heard", *files)} == {0}
    assert heard.find((NAMES, "")) is None
    assert Heard(tmp_path / "heard", whose="somebody else").find((("9",), "")) is None


def test_what_is_recorded_elsewhere_is_noted_for_the_sessions_of_its_repository(
    heard: Heard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".git", ".backstory"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    began = datetime(2026, 5, 4, tzinfo=UTC)
    bot = TeamsBot(lambda: Asking(lambda: ANSWER), heard, CodingSessions(tmp_path / ".backstory"), lambda _asked: None)
    before = bot.recorded_since(began)

    note_recorded()

    assert (before, bot.recorded_since(began)) == (False, True)


def test_a_bot_without_a_token_is_asked_nothing(tmp_path: Path) -> None:
    settings = Settings.from_env({"BACKSTORY_URL": "https://bot.example"}, cwd=tmp_path)

    with pytest.raises(SettingsError, match="/why login"):
        teams_memory(settings)


def test_a_prompts_words_go_out_sorted_without_what_looks_like_a_secret() -> None:
    said = "Please move Search to elasticsearch; token xoxb-12345678901-abcdefghij and AKIAIOSFODNN7EXAMPLE, v2"

    assert words_of(said) == "elasticsearch move please search token"


@pytest.mark.parametrize("found", [None, 1, {}, {"id": 7}, {"id": "not a digest\n>>"}, {"id": "a" * 65}])
def test_what_is_no_decision_is_passed_over(found: object) -> None:
    assert brief_of(found) is None


def test_a_decision_of_a_strange_bot_is_cut_to_its_shape() -> None:
    strange = {"id": ID, "title": ["x"], "decided_on": "]\n>>", "alternatives": ["x", {"option": "y", "reason": 1}]}

    kept = brief_of({**strange, "confirmed": "yes", "status": {}, "text": "all of it"})

    assert kept == {
        "id": ID, "title": "", "rationale": "", "status": "", "state": "", "confirmed": False, "decided_on": None,
        "alternatives": [{"option": "y", "reason": ""}], "outcome": "",
    }  # fmt: skip
