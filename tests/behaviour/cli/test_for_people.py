"""What commands print for people: words, not JSON; and the progress bar only where somebody watches."""

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.cli.frame import FAILED, OK, guarded
from bot.cli.progress import progress_bar, with_word
from tests.builders_cli import Why
from tests.builders_export import decision_thread, said, write_export

RECORDS = (
    {"ref": "adr:1", "title": "Search stays on Postgres", "rationale": "nobody on call knows Elasticsearch",
     "decided_on": "2026-03-04", "decided_by": ["Lena Ortiz"], "elements": ["service:search-api"],
     "sets": {"service:search-api.engine": "postgres"}, "links": [["service:search-api", "depends_on", "service:db"]],
     "alternatives": [{"option": "Elasticsearch", "reason": "a second cluster"}, "Typesense"],
     "evidence": [{"quote": "then we stay on pg", "author": "Omar"}], "outcome": "worked"},
    {"title": "Lunch is at noon"}, {"title": "Invoices go out monthly"}, {"title": "Badges come from Tartu"},
)  # fmt: skip


@pytest.fixture
def recorded(why: Why, tmp_path: Path) -> str:
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)) + "\n")
    return why("ingest", str(path)).out


@pytest.mark.usefixtures("recorded")
def test_an_answer_reads_as_words_with_its_sources(why: Why) -> None:
    ran = why("ask", "why does search stay on Postgres?", "--explain")

    lines = ran.out.splitlines()
    assert lines[0].startswith("Search stays on Postgres")
    assert any(line.startswith("[1] ") and "4 Mar 2026" in line for line in lines)
    ranked = lines[lines.index("Why each stands where it stands:") + 1 :]
    assert [line.count("Search stays on Postgres") for line in ranked if "words" in line] == [1]


@pytest.mark.usefixtures("recorded")
def test_nothing_recorded_is_said_and_the_nearest_named(why: Why) -> None:
    ran = why("ask", "zebra quantum teleportation?")

    assert ran.code == 0
    assert ran.out.startswith("Nothing recorded on this that you can read.")


def test_what_people_wrote_moves_no_terminal_and_poses_as_no_other_fact(why: Why) -> None:
    why("record", "--title", "\x1b[2JSearch \u202estays", "--rationale", "so it is\n  Decided by:  Mia", "--ref", "r")

    listed, shown = why("list").out, why("show", "r").out

    assert listed.endswith("  [2JSearch stays\n")
    assert f"  Why:         so it is\n{'':15}  Decided by:  Mia\n" in shown


@pytest.mark.usefixtures("recorded")
def test_what_was_replaced_is_told_by_its_title(why: Why) -> None:
    why("record", "--title", "Search moves on", "--supersedes", "adr:1", "--ref", "adr:2")

    older, newer = why("show", "adr:1").out, why("show", "adr:2").out

    assert re.search(r"  Replaced by: [0-9a-f]{12}  Search moves on\n", older)
    assert re.search(r"  Replaces:    [0-9a-f]{12}  Search stays on Postgres\n", newer)
    assert why("list", "--element", "service:nobody").out == "no decision is like that\n"


@pytest.mark.usefixtures("recorded")
def test_show_says_what_why_instead_of_what_and_who(why: Why) -> None:
    text = why("show", "adr:1").out

    for said_there in (
        "Search stays on Postgres",
        "nobody on call",
        "Elasticsearch (a second cluster)",
        "Lena Ortiz",
        "pg",
        "worked",
    ):
        assert said_there in text


@pytest.mark.usefixtures("recorded")
def test_history_counts_and_tells_why_and_heads_and_list_are_a_line_each(why: Why) -> None:
    history, heads, listed = why("history", "search-api").out, why("heads", "search-api").out, why("list").out

    count, first, why_line, *_ = history.splitlines()
    assert count == "search-api: 1 decision, oldest first"
    assert first.startswith("● ")
    assert first.endswith("2026-03-04  Search stays on Postgres")
    assert why_line.strip() == "Why: nobody on call knows Elasticsearch"
    assert "engine = postgres" in heads
    assert len(listed.splitlines()) == len(RECORDS)


def test_where_there_is_nothing_it_says_so(why: Why) -> None:
    assert why("list").out == "nothing recorded yet\n"
    assert why("history", "service:x").out == "nothing recorded on service:x\n"
    assert why("heads", "service:x").out == "nothing recorded on that\n"


def test_ingest_and_import_sum_up_in_a_line(why: Why, recorded: str, tmp_path: Path) -> None:
    path = write_export(tmp_path / "export", {"search/2023-11-14": decision_thread(1_700_000_000)})

    preview = why("import", str(path), "--source", "slack-export", "--dry-run")
    imported = why("import", str(path), "--source", "slack-export", "--visible-to", "workspace")

    assert recorded.startswith("4 lines: 4 decisions recorded, 0 known already, 0 refused; ")
    assert preview.out.startswith("1 thread: 1 would be read")
    assert imported.out.startswith("1 thread: 1 decision recorded")
    assert "--visible-to is passed over" in imported.err


def test_folders_that_no_list_names_are_said_to_be_closed(why: Why, tmp_path: Path) -> None:
    days = {"search/2023-11-14": [said("1.000001", "a")]}
    path = write_export(tmp_path / "export", days, channels=None, groups=None)

    ran = why("import", str(path), "--source", "slack-export")

    assert ran.code == 0
    assert "no channel list" in ran.err


@pytest.mark.usefixtures("recorded")
def test_eval_prints_its_figures_and_names_broken_lines(why: Why, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"id": "q1", "question": "why does search stay on Postgres?", "expect": ["adr:1"]}\n{"id": \n')

    ran = why("eval", str(path))

    assert ran.code == 1
    assert "recall@5" in ran.out
    assert "line 2" in ran.err


def test_verify_and_rebuild_and_outcome_speak_plainly(why: Why, recorded: str) -> None:
    assert why("verify").out.startswith("clean: ")
    assert why("rebuild").out.startswith("4 decisions from ")
    assert "failed" in why("outcome", "adr:1", "failed", "--by", "Ana", "--reason", "it was slow").out
    assert why("forget", "adr:1").out.startswith("Forgotten: decision ")


def test_a_record_said_twice_is_recorded_once(why: Why) -> None:
    why("record", "--title", "Deploy on Tuesdays", "--ref", "r", "--decided-on", "2026-01-01")

    again = why("record", "--title", "Deploy on Tuesdays", "--ref", "r", "--decided-on", "2026-01-01")

    assert "recorded already" in again.err
    assert len(why("list").out.splitlines()) == 1


def test_recording_again_what_was_replaced_since_is_no_failure(why: Why) -> None:
    first = ("record", "--title", "Retry at once", "--ref", "r", "--set", "service:a.b=1", "--decided-on", "2026-01-01")
    why(*first)
    why("record", "--title", "Retry later", "--set", "service:a.b=2", "--decided-on", "2026-02-01")

    again = why(*first)

    assert (again.code, "recorded already" in again.err) == (0, True)
    assert "Recorded: Retry at once" in again.out


def test_replacing_what_is_not_recorded_is_said(why: Why) -> None:
    ran = why("record", "--title", "Retry later", "--supersedes", "adr:99")

    assert ran.code == 0
    assert "--supersedes adr:99: nothing is recorded under that id or ref yet" in ran.err


def test_a_list_that_was_cut_says_so(why: Why) -> None:
    for title in ("a", "b"):
        why("record", "--title", title)

    cut, whole = why("list", "--limit", "1"), why("list", "--limit", "2")

    assert (len(cut.out.splitlines()), cut.err) == (1, "why: more than 1 were found: --limit N lists more\n")
    assert (len(whole.out.splitlines()), whole.err) == (2, "")


def test_a_folder_is_no_file_of_lines(why: Why, tmp_path: Path) -> None:
    assert why("ingest", str(tmp_path)).code == 2


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)

        with progress_bar("threads", total=3) as moved:
            moved(1)
            moved(3, 3)

        assert bool(stream.getvalue()) is drawn


@pytest.mark.parametrize(
    ("about", "shown"), [(False, "threads 2,400 of 5,600"), (True, "threads 2,400 of about 5,600")]
)
def test_a_bar_says_how_many_there_are_as_soon_as_that_is_known(
    monkeypatch: pytest.MonkeyPatch, about: bool, shown: str
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with progress_bar("threads") as moved:
        moved(1)
        moved(1_200, 5_600, about=about)
        moved(2_400, 5_600, about=about)

    assert shown in terminal.getvalue()
    assert " left" in terminal.getvalue()


def test_a_long_wait_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    waits: list[float] = []
    wait = with_word(waits.append)

    wait(2)
    wait(3_000)

    assert waits == [2, 3_000]
    assert capsys.readouterr().err == "asked to wait: going on in 3,000 s\n"


def failing(error: BaseException) -> Callable[[], int]:
    """Return a command that fails so."""

    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (PermissionError(13, "Permission denied", "x"), FAILED),
        (RuntimeError("planted"), FAILED),
    ],
)
def test_what_nobody_foresaw_is_one_line_without_what_people_wrote(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    assert guarded(failing(error)) == code

    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "planted" not in err
    assert "Traceback" not in err


def test_a_command_that_works_gives_its_own_code() -> None:
    assert guarded(lambda: OK) == OK
