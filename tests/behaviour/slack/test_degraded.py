"""Whatever is down: a question, a mention and a capture each end in a message, and no thread is lost."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.jobs import ATTEMPTS
from bot.offline import OfflineExtractor
from bot.playground import screen
from tests.builders_claude import proposed, worded
from tests.builders_slack import Gateway, Stage, staged, wait_for
from tests.fakes import claude_server as fake
from tests.fakes.claude_server import ClaudeServer, Received, Scripted, structured

WHY = "why do we stay on postgres for search?"
QUOTED = "we stay on postgres for search"
LATE = "… Claude didn't answer in time: quoted, not summed up."
USED = "… This month's model budget is used: quoted, not summed up."
UNABLE = "… Claude couldn't word this: quoted, not summed up."
WORDS_ONLY = "… Matched by words only; the index is being rebuilt."
AGAIN = "I read this thread again in a moment"
BY_RULES_USED = "This month's model budget is used: read by rules"
BY_RULES = "Claude couldn't read this thread: read by rules"
INTERIM = "Looking through what was decided…"
RECORDED = "🔖 Recorded: "
SLOW_S = 1.5
HURRIED_S = 0.4
"""Seconds in the place of the twelve that a model has while somebody waits."""


@dataclass
class Claude:
    """A script with a trouble that comes and goes: while there is none, threads are read and answers left to rules."""

    trouble: Scripted | None = None
    read: list[str] = field(default_factory=list)

    def __call__(self, received: Received) -> Scripted:
        if self.trouble is not None:
            return self.trouble
        if "Question:" in received.user:
            return structured(worded({"kind": "headline", "text": "We stay on postgres for search.", "citations": [1]}))
        line = next(line for line in received.user.splitlines() if "so we stay on" in line)
        self.read.append(line)
        return structured({"decisions": [proposed(line.partition(": so ")[2], 1, line.partition(": ")[2])]})


@contextmanager
def at_work(
    home: Path, gateway: Gateway, claude: Claude, *, patience_s: float = 5.0, **options: object
) -> Iterator[Stage]:
    """Open a stage with one decision in it."""
    with (
        ClaudeServer(claude) as server,
        staged(home, gateway, claude=server, patience_s=patience_s, busy_ms=200, **options) as stage,  # type: ignore[arg-type]
    ):
        point_at(stage, "postgres for search")
        while not stage.decisions():  # on a busy machine the first try is too short
            stage.later(seconds=3)
        yield stage


def point_at(stage: Stage, what: str) -> str:
    ts = stage.play.post("lena", "search", f"so we stay on {what}, nobody on call knows the other one")
    stage.play.post("omar", "search", "agreed, that settles it", thread_ts=ts)
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    return ts


def mentioned(stage: Stage) -> str:
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    stage.settle()
    return "\n".join(stage.screens("search", thread_ts=ts))


def cards(stage: Stage, ts: str) -> list[str]:
    return [shown for shown in stage.screens("search", thread_ts=ts) if RECORDED in shown]


@pytest.mark.parametrize(
    ("trouble", "line", "told", "by_rules"),
    [
        (fake.slow(fake.schema_miss({}), SLOW_S), LATE, AGAIN, False),
        (fake.failure(429, retry_after_s=30), LATE, AGAIN, False),
        (fake.failure(529), LATE, AGAIN, False),
        (fake.failure(402), USED, BY_RULES_USED, True),
        (fake.refusal(), UNABLE, BY_RULES, True),
        (fake.cut_short(), UNABLE, BY_RULES, True),
    ],
    ids=["slow", "429", "529", "402", "refusal", "cut short"],
)
def test_claude_in_trouble_is_a_quoted_answer_with_one_line_why_and_a_thread_read_later_or_by_rules(
    tmp_path: Path, gateway: Gateway, trouble: Scripted, line: str, told: str, by_rules: bool
) -> None:
    claude = Claude()
    with at_work(tmp_path, gateway, claude, patience_s=HURRIED_S if trouble.delay_s else 5.0) as stage:
        claude.trouble = trouble
        before = len(stage.whispers("lena"))

        receipt = stage.play.command("omar", "search", "/why", WHY)
        first, answer = (stage.play.screen(shown) for shown in receipt.wait_for_response(count=2))
        mention = mentioned(stage)
        ts = point_at(stage, "one region for backups")
        early, whispered = cards(stage, ts), stage.whispers("lena")[before:]
        claude.trouble = None
        stage.later(seconds=31)

        assert INTERIM in first
        assert receipt.ack_ms is not None
        assert receipt.ack_ms < 1_000
        assert [line in said and QUOTED in said for said in (answer, mention)] == [True, True]
        assert [told in said for said in whispered].count(True) == 1
        assert (len(early), len(cards(stage, ts))) == (int(by_rules), 1)


def test_vectors_that_are_gone_are_words_only_and_threads_are_kept(tmp_path: Path, gateway: Gateway) -> None:
    (tmp_path / "index").write_bytes(b"this is no folder")
    with at_work(tmp_path, gateway, Claude(), index="own") as stage:
        answer = stage.ask("omar", "search", WHY)
        mention = mentioned(stage)
        ts = point_at(stage, "one region for backups")

        assert [WORDS_ONLY in said and "postgres" in said for said in (answer, mention)] == [True, True]
        assert len(cards(stage, ts)) == 1


@contextmanager
def written_by_another(database: Path) -> Iterator[None]:
    """Hold a database's write lock, as another process would that writes for long."""
    with closing(sqlite3.connect(database, isolation_level=None, timeout=10)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


def test_a_memory_that_another_process_writes_is_read_and_a_thread_is_written_down_later(
    tmp_path: Path, gateway: Gateway
) -> None:
    with at_work(tmp_path, gateway, Claude()) as stage:
        with written_by_another(tmp_path / "memory.db"):
            answer = stage.ask("omar", "search", WHY)
            mention = mentioned(stage)
            ts = point_at(stage, "one region for backups")
            early, whispered = cards(stage, ts), stage.whispers("lena")
        stage.later(seconds=3)

        assert ["We stay on postgres" in said for said in (answer, mention)] == [True, True]
        assert "I couldn't write that down yet. I try again in a moment; nothing is lost." in whispered[-1]
        assert (early, len(cards(stage, ts))) == ([], 1)


def test_an_inbox_that_another_process_writes_says_so_to_a_command_and_takes_the_rest_when_it_comes_again(
    tmp_path: Path, gateway: Gateway
) -> None:
    with at_work(tmp_path, gateway, Claude()) as stage:
        root = stage.play.post("lena", "search", "so we stay on one region for backups, it is enough")
        stage.settle()
        with written_by_another(tmp_path / "inbox.db"):
            (told,) = stage.play.command("omar", "search", "/why", WHY).wait_for_response(count=1)
            asked = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
            stage.play.react("lena", "search", root, "bookmark")
            lost = wait_for(lambda: [each for each in stage.play.deliveries() if each.gave_up])
        for delivery in lost:
            stage.play.redeliver(delivery)
        stage.settle()

        assert "I couldn't keep your question, so nobody answers it. Try again in a minute." in stage.play.screen(told)
        assert any("We stay on postgres" in said for said in stage.screens("search", thread_ts=asked))
        assert len(cards(stage, root)) == 1


def test_slack_that_asks_for_patience_gets_each_answer_and_card_once_after_that(
    tmp_path: Path, gateway: Gateway
) -> None:
    with at_work(tmp_path, gateway, Claude()) as stage:
        stage.play.limit("chat.postMessage", retry_after_s=5, times=2)

        answer = stage.ask("omar", "search", WHY)
        asked = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
        ts = point_at(stage, "one region for backups")
        early = (stage.screens("search", thread_ts=asked), cards(stage, ts))
        stage.later(seconds=6)

        assert "We stay on postgres" in answer
        assert early == ([], [])
        assert len(stage.screens("search", thread_ts=asked)) == 1
        assert len(cards(stage, ts)) == 1


def test_a_thread_that_can_not_be_read_for_good_is_told_with_the_reference_that_the_log_has(
    tmp_path: Path, gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="backstory")
    with at_work(tmp_path, gateway, Claude()) as stage:
        stage.play.fail("conversations.replies", "fatal_error", times=100)

        point_at(stage, "one region for backups")
        for _ in range(ATTEMPTS):
            stage.later(seconds=601)

        (told,) = (said for said in stage.whispers("lena") if "I couldn't read that thread (ref " in said)
        ref = told.partition("(ref ")[2][:4]
        assert "so nothing of it is kept. React again in a few minutes. Admins: `why doctor`." in told
        assert any(getattr(record, "ref", "") == ref or ref in record.getMessage() for record in caplog.records)


def test_a_model_that_stays_away_is_done_without_at_the_last_try(tmp_path: Path, gateway: Gateway) -> None:
    claude = Claude()
    with at_work(tmp_path, gateway, claude) as stage:
        claude.trouble = fake.failure(529)

        ts = point_at(stage, "one region for backups")
        for _ in range(ATTEMPTS):
            stage.later(seconds=601)

        assert len(cards(stage, ts)) == 1
        assert "Claude is away: read by rules, which see less." in stage.whispers("lena")[-1]


def test_a_preview_is_made_by_rules_where_claude_is_away(tmp_path: Path, gateway: Gateway) -> None:
    claude = Claude()
    with at_work(tmp_path, gateway, claude) as stage:
        ts = stage.play.post("lena", "search", "so we stay on one region for backups, nobody needs two")
        stage.play.post("omar", "search", "agreed, that settles it", thread_ts=ts)
        stage.settle()
        claude.trouble = fake.failure(529)

        stage.play.shortcut("lena", "record_decision", stage.play.message("search", ts))
        stage.settle()
        (preview,) = stage.play.views("lena")
        stage.submit("U0LENA", preview)

        assert "one region for backups" in screen(preview)
        assert len(cards(stage, ts)) == 1
        assert {one.provenance for one in stage.decisions() if "region" in one.title} == {OfflineExtractor().name}
