"""Whatever is wrong with the home, a command says so in a line and exits 1; it never shows a traceback."""

import sqlite3
from pathlib import Path

import pytest

from tests.builders_cli import Ran, Why, call_why

READING = (("list",), ("show", "x"), ("history", "service:a"), ("heads", "service:a"))
OPENING = (("ask", "why postgres?"), ("verify",), ("digest",), ("rebuild",), ("record", "--title", "a"))


def one_line(ran: Ran) -> str:
    """Return the one line of stderr that explains a failure."""
    assert (ran.code, ran.out) == (1, "")
    (line,) = ran.err.strip().splitlines()
    assert line.startswith("why: ")
    return line


@pytest.mark.parametrize("words", READING + OPENING)
def test_a_file_that_is_no_database(why: Why, home: Path, words: tuple[str, ...]) -> None:
    (home / "memory.db").write_bytes(b"\x00garbage" * 1000)

    assert "memory.db" in one_line(why(*words))


@pytest.mark.parametrize("words", READING + OPENING)
def test_a_database_of_a_newer_version(why: Why, home: Path, words: tuple[str, ...]) -> None:
    why("record", "--title", "a")
    with sqlite3.connect(home / "memory.db") as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()

    assert "newer" in one_line(why(*words))


@pytest.mark.parametrize("words", [("ask", "why?"), ("record", "--title", "a"), ("digest",)])
def test_a_home_that_is_a_file(why: Why, tmp_path: Path, words: tuple[str, ...]) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("in the way")

    assert "blocked" in one_line(why(*words, BACKSTORY_HOME=str(blocked)))


def test_a_place_below_a_file(why: Why, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("in the way")

    assert one_line(why("record", "--title", "a", BACKSTORY_HOME=str(tmp_path / "blocked" / "home")))


@pytest.mark.parametrize(
    "question", ["why " * 2500, "🔥" * 50, "検索はなぜPostgresのままですか？", '"; DROP TABLE decisions; --', "?"]
)
def test_a_question_of_any_kind_is_answered(why: Why, question: str) -> None:
    why("record", "--title", "Search stays on Postgres")

    ran = why("ask", question, "--json")

    assert ran.code == 0
    assert ran.document()["success"] is True


def test_an_empty_memory_says_only_that_nothing_is_recorded_yet(why: Why) -> None:
    ran = why("ask", "why postgres?")

    assert ran.code == 0
    assert "Nothing is recorded yet" in ran.out
    assert "Matched by words" not in ran.out


def test_a_part_of_recall_that_does_not_exist_is_wrong_usage(why: Why, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "why?", "expect": []}')

    left_out = why("eval", str(questions), "--without", "dense", "--without", "floor", "--json")
    unknown = why("eval", str(questions), "--without", "dense", "--without", "luck")

    assert (left_out.code, left_out.document()["questions"]) == (0, 1)
    assert (unknown.code, unknown.out) == (2, "")
    assert "--without luck: no part of recall; there is lexical, dense" in unknown.err


@pytest.mark.parametrize("words", [("record", "--title", "b", "--json"), ("ingest", "-", "--json")])
def test_what_is_recorded_is_recorded_where_the_vectors_cannot_follow(
    home: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    home.mkdir()
    (home / "index").write_text("in the way")

    ran = call_why(home, tmp_path, words, stdin=b'{"title": "b"}', environ={"BACKSTORY_FOLLOW": "wait"})

    assert ran.code == 0
    assert ran.document()
    assert "index: can't be written" in ran.err
    assert call_why(home, tmp_path, ("list",)).out.endswith("b\n")


@pytest.mark.parametrize("words", [("forget", "a"), ("rebuild",)])
def test_vectors_that_should_have_gone_and_could_not_are_a_failure(
    home: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    home.mkdir()
    (home / "index").write_text("in the way")
    call_why(home, tmp_path, ("record", "--title", "b", "--ref", "a"))

    ran = call_why(home, tmp_path, words)

    assert ran.code == 1
    assert "index: can't be written" in ran.err


def test_an_empty_path_is_wrong_usage_and_not_the_folder_one_stands_in(why: Why) -> None:
    assert why("import", "", "--source", "slack-export").code == 2


@pytest.mark.parametrize("words", [("list", "--since"), ("list", "--until"), ("ask", "why?", "--as-of")])
@pytest.mark.parametrize("day", ["", "yesterday", "2026-02-30", "2026-13-01"])
def test_a_day_that_is_none_is_wrong_usage_and_never_passed_over(why: Why, words: tuple[str, ...], day: str) -> None:
    ran = why(*words, day)

    assert (ran.code, ran.out) == (2, "")
    assert f"{words[-1]} {day!r}: not a date (YYYY-MM-DD)" in ran.err
