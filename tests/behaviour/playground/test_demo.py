"""`why demo` on the sample company: what stands on the screen, and how long it takes."""

from __future__ import annotations

import io
import os
import re
import socket
import time
from dataclasses import dataclass

import pytest

from bot.playground import Playground
from bot.playground.demo import RETRIES, SUGGESTIONS, Patient, run_demo
from bot.playground.page import Page
from bot.playground.paint import COLUMNS, cells

MOST_LINES = 60


@dataclass(frozen=True)
class Shown:
    """One run: the story up to the prompt, and what came after each question."""

    story: str
    answers: tuple[str, ...]
    code: int
    seconds: float


@pytest.fixture(scope="module")
def shown() -> Shown:
    questions = [*SUGGESTIONS, "noor: Team plan price?", "lena: /why a dress code?", "noor:"]
    out, began = io.StringIO(), time.monotonic()
    code = run_demo(once=False, out=out, color=False, typed=io.StringIO("\n".join(questions) + "\n\n"))
    story, *answers = re.split(r"^why> ", out.getvalue(), flags=re.MULTILINE)
    return Shown(story=story, answers=tuple(answers[:-1]), code=code, seconds=time.monotonic() - began)


def test_the_story_fits_on_a_screen_without_colours(shown: Shown) -> None:
    lines = shown.story.rstrip("\n").split("\n")

    assert len(lines) <= MOST_LINES
    assert max(cells(line) for line in lines) <= COLUMNS
    assert "\x1b" not in shown.story
    assert shown.code == 0


def test_the_page_is_named_before_the_prompt_and_gone_at_the_end(shown: Shown) -> None:
    (port,) = re.findall(r"See it in a browser: http://127\.0\.0\.1:(\d+)/[\w-]{16}/\n", shown.story)

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port)), timeout=5)


def test_a_taken_port_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with Playground() as playground, pytest.raises(OSError, match=r"address|Address"), Page(playground, port=port):
            pass


def test_a_silent_pipe_ends_like_an_ended_one() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "w") as typist:
        patient = Patient(stream, silence_s=0.2)
        typist.write("one question?\n")
        typist.flush()

        lines = [patient.readline(), patient.readline()]
        typist.close()

        assert lines == ["one question?\n", ""]


def test_the_story_says_that_nothing_leaves_the_machine_first(shown: Shown) -> None:
    first = shown.story.split("\n")[0]

    assert first == "A pretend Slack on this machine. No accounts, no key, nothing leaves it."


def test_mia_gets_the_whole_answer_with_its_quote_and_citations(shown: Shown) -> None:
    asked = shown.story.split("/why not Elasticsearch?")[1].split("\n\n")[0]

    assert "Elasticsearch" in asked
    assert "nobody on call knows it" in asked
    assert re.search(r"\[\d\] Lena Brandt #search", asked)
    assert "[👍 It worked] [👎 It didn't]" in asked


def test_noor_learns_nothing_of_a_private_channel(shown: Shown) -> None:
    asked = shown.story.split("Noor, who isn't in #exec")[1].split("\n\n")[0]

    for text in (asked, shown.answers[3]):
        assert "that you can read" in text.replace("\n  | ", " ")
        assert "29" not in text
        assert "January" not in text


def test_a_deciders_it_did_not_changes_the_order(shown: Shown) -> None:
    asked = shown.story.split(RETRIES)[1].split("\n\n")[0]
    before, after = (_ranks(part) for part in asked.split("[👎 It didn't]"))

    assert sorted(before) == sorted(line.removesuffix(" (didn't work)") for line in after)
    assert after.index(f"{before[0]} (didn't work)") > 0
    assert after[0] == before[1]


def _ranks(part: str) -> list[str]:
    """Return the lines that have a rank, each put together again where it was wrapped."""
    joined = re.sub(r"\n[ |]*(?![ |]*(?:before|after)?\s*\d {2})", " ", part)
    return [line.strip() for line in re.findall(r"\d {2}([^\n]*)", joined)]


def test_what_nobody_decided_is_not_guessed(shown: Shown) -> None:
    asked = shown.story.split("a thing that nobody decided")[1].split("\n\n")[0]

    assert "Nothing recorded on" in asked
    assert "Nothing recorded on" in shown.answers[4]


@pytest.mark.parametrize("number", range(len(SUGGESTIONS)))
def test_every_suggested_question_has_an_answer(shown: Shown, number: int) -> None:
    answer = shown.answers[number]

    assert "Nothing recorded" not in answer
    assert "[1]" in answer


def test_a_decision_that_replaced_another_is_the_answer(shown: Shown) -> None:
    assert "Fridays are open again" in shown.answers[1].split("In force")[0]


def test_a_name_without_a_question_is_told_how_to_ask(shown: Shown) -> None:
    assert shown.answers[-1] == "noor:\n  | A question goes after the name: noor: sessions in Redis?\n"


def test_it_says_how_to_feed_it_ones_own_slack(shown: Shown) -> None:
    assert "why import export.zip --source slack-export" in shown.story


def test_the_whole_of_it_takes_less_than_twenty_seconds_or_the_machine_is_busy(shown: Shown) -> None:
    assert shown.seconds < 60
