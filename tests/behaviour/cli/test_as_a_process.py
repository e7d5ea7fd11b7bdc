"""What only a process of its own can show: its streams, what it imports, how it starts and ends."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bot.playground import Playground, small_workspace
from tests.builders_cli import PROJECT, Why, environment

HEAVY = (
    "anthropic",
    "chromadb",
    "numpy",
    "onnxruntime",
    "pydantic",
    "rich",
    "slack_bolt",
    "slack_sdk",
    "sqlalchemy",
    "sqlmodel",
)
COLD = {
    "bot", "bot.__main__", "bot.cli", "bot.cli.cold", "bot.cli.frame", "bot.cli.located", "bot.conflict_shape",
    "bot.decision_markdown",
    "bot.decision_shape", "bot.element_shape", "bot.errors", "bot.settings", "store", "store.core", "store.core.events",
    "store.core.ids", "store.core.kept", "store.core.model", "store.core.outcomes", "store.core.paths",
    "store.core.views", "store.errors", "store.sql", "store.sql.elements", "store.sql.faults", "store.sql.listing",
    "store.sql.partners",
    "store.servers", "store.sql.address",
    "store.sql.queries", "store.sql.quick", "store.sql.reading", "store.sql.schema", "store.sql.tombstones",
}  # fmt: skip
"""What a cold command may import of ours."""


def loaded_by(home: Path, *words: str, said: str = "", **environ: str) -> set[str]:
    """Return the modules that a `why` process, which is told something on stdin, has loaded when it ends."""
    program = (
        "import atexit, json, sys; from bot.__main__ import main;"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr)); main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        input=said.encode(),
        capture_output=True,
        cwd=PROJECT,
        env={**environment(home), **environ},
        timeout=60,
        check=False,
    )
    return set(json.loads(done.stderr.decode().splitlines()[-1]))


def test_a_cold_command_loads_only_what_it_is_allowed_to(home: Path, tmp_path: Path, why: Why) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"title": "a", "elements": ["service:a"], "ref": "r"}\n')
    why("ingest", str(path))

    for words in (("history", "service:a"), ("heads", "service:a"), ("show", "r"), ("list",)):
        loaded = loaded_by(home, *words, "--json")
        assert not [name for name in HEAVY if name in loaded], words
        assert "typer" not in loaded
        assert {name for name in loaded if name.split(".")[0] in ("bot", "store")} <= COLD, words


def test_a_command_that_records_loads_no_engine_and_no_index(home: Path, tmp_path: Path, why: Why) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"title": "a", "ref": "r"}\n')
    why("ingest", str(path))

    for words in (("record", "--title", "b"), ("ingest", str(path))):
        loaded = loaded_by(home, *words, "--json", BACKSTORY_FOLLOW="later")
        assert not [name for name in (*HEAVY, "typer", "requests") if name in loaded], words


def test_a_hook_loads_the_memory_that_it_reads_and_nothing_of_the_other(home: Path, tmp_path: Path) -> None:
    repository = tmp_path / "shop"
    (repository / ".git").mkdir(parents=True)
    (repository / ".backstory").mkdir()
    event = json.dumps(
        {"session_id": "s", "tool_name": "Edit", "tool_input": {"file_path": str(repository / "pay.py")}}
    )
    around = {"CLAUDE_PROJECT_DIR": str(repository), "HOME": str(tmp_path)}

    beside = loaded_by(home, "hook", "run", "PreToolUse", said=event, **around)
    there = {"BACKSTORY_URL": "http://127.0.0.1:9", "BACKSTORY_TOKEN": "t"}
    team = loaded_by(home, "hook", "run", "PreToolUse", said=event, **around, **there)

    assert {"store.sql.quick"} <= beside
    assert not {"http.client", "bot.agents.teams_bot"} & beside
    assert {"http.client", "bot.agents.teams_bot"} <= team
    assert not {"sqlite3", "store.sql.quick", "bot.decision_shape"} & team
    assert not [name for name in (*HEAVY, "typer", "requests") if name in beside | team]


def test_stdout_holds_one_document_and_nothing_else(why_process: Why, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text('{"title": "a"}\n{"title": ""}\n')

    ran = why_process("ingest", str(path), "--json")

    assert ran.code == 1
    assert ran.document()["decisions"] == 1
    assert "line 2" in ran.err


def test_ingest_then_ask_by_meaning_and_by_words(why_process: Why, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    records = [
        {"ref": "adr:1", "title": "Search stays on Postgres", "rationale": "nobody on call knows Elasticsearch"},
        {"ref": "adr:2", "title": "The office closes on Fridays", "rationale": "nobody is here"},
    ]
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    why_process("ingest", str(path), BACKSTORY_FOLLOW="background")
    followed = why_process("follow", "--json")

    document = why_process("ask", "which database do we use for search, and why?", "--json").document()

    assert followed.document()["behind"] == 0
    assert document["evidence"][0]["ref"] == "adr:1"
    assert document["notices"] == []


def test_whoever_stops_reading_is_no_failure(home: Path, tmp_path: Path, why: Why) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(
        "".join(json.dumps({"title": f"Decision {number}", "rationale": "x" * 2000}) + "\n" for number in range(100))
    )
    why("ingest", str(path))
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "list", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=PROJECT, env=environment(home),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None

    process.stdout.read(10)
    process.stdout.close()

    assert process.stderr.read() == b""
    assert process.wait(timeout=30) == 0
    process.stderr.close()


def test_text_comes_out_as_utf_8_whatever_the_locale_says(why_process: Why, why: Why) -> None:
    why("record", "--title", "Größe bleibt: 検索 🔖")

    for words in (("list",), ("list", "--json"), ("ask", "検索?")):
        assert why_process(*words, PYTHONIOENCODING="ascii", PYTHONUTF8="0").code == 0

    assert "検索 🔖" in why_process("list", PYTHONIOENCODING="ascii", PYTHONUTF8="0").out


def test_bytes_that_are_no_text_are_no_failure(why_process: Why) -> None:
    for words in (("ask", "why \udcff?"), ("history", "\udcff"), ("heads", "\udcff")):
        assert why_process(*words, "--json").code == 0

    assert why_process("show", "\udcff").code == 1


def test_serve_answers_over_http_until_it_is_told_to_stop(why: Why, home: Path) -> None:
    why("record", "--title", "Search stays on Postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Playground(workspace=small_workspace()) as play:
        slack = {
            "SLACK_API_URL": play.api_url,
            "SLACK_BOT_TOKEN": play.bot_token,
            "SLACK_SIGNING_SECRET": play.signing_secret,
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", "serve"],
            cwd=PROJECT,
            env=environment(home) | slack | {"PORT": str(port)},
            stderr=subprocess.DEVNULL,
        )
        try:
            play.wait_until(lambda: _listens(port), timeout_s=30)
            play.deliver_to(f"http://127.0.0.1:{port}/slack/events")
            receipt = play.command("mia", "search", "/why", "why does search stay on Postgres?")
            receipt.wait_for_response(count=1, timeout_s=30)
        finally:
            process.terminate()
            code = process.wait(timeout=30)

    assert receipt.acked
    assert code == 0


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def shell(home: Path, cwd: Path, line: str) -> "subprocess.CompletedProcess[str]":
    """Run a line of the shell in which `why` is called as `$WHY`."""
    return subprocess.run(
        ["/bin/sh", "-c", line],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**environment(home), "WHY": f"{sys.executable} -m bot"},
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the shell closes streams another way there")
@pytest.mark.parametrize("words", ["list --json", "list", "--version", "--help", "ingest - --json <&-"])
def test_a_stream_that_was_closed_before_is_no_failure(home: Path, tmp_path: Path, words: str) -> None:
    ran = shell(home, tmp_path, f"$WHY {words} >&-")

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", ["list --json", "--version", "--help", "heads x"])
def test_a_full_disk_under_stdout_is_one_line_and_exit_1(home: Path, tmp_path: Path, words: str) -> None:
    ran = shell(home, tmp_path, f"$WHY {words} >/dev/full")

    assert (ran.returncode, ran.stderr) == (1, "why: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use can't be removed there")
def test_a_folder_that_is_gone_is_named_as_the_fault(home: Path, tmp_path: Path) -> None:
    ran = shell(home, tmp_path, "mkdir gone && cd gone && rmdir ../gone && $WHY list")

    assert ran.returncode == 1
    assert ran.stderr == "why: the folder that this runs in is gone: change to another one\n"
