"""README and CONTRIBUTING against the code: settings, events and commands are all written down."""

import re
from pathlib import Path

from bot.cli.cold import COMMANDS
from bot.cli.importing import SOURCES
from bot.cli.main import app
from bot.settings import DEFAULT_QUESTION_DAYS, OURS, THEIRS
from store.core.events import Kind
from store.sql import beside, inbox, inbox_file, tables

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def named(text: str, pattern: str) -> set[str]:
    return set(re.findall(pattern, text))


def test_readme_lists_each_setting_and_no_other() -> None:
    settings = named(section("Settings"), r"`([A-Z]+_?[A-Z_]+)`")

    known = OURS.keys() | THEIRS.keys()

    assert settings == {name for name in known if name not in CONTRIBUTING}


def test_readme_lists_each_event_of_the_log_and_no_other() -> None:
    events = named(section("How it works"), r"`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`")

    assert events == {kind.value for kind in Kind}


def test_readme_lists_each_source_with_its_lines_of_code() -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \|.*\| (\d+) \|$", section("The command line"), re.MULTILINE))

    files = {name: (f"{name.replace('-', '_')}.py",) for name in SOURCES} | {
        "adr": ("adr.py", "adr_form.py"),
        "git": ("git_history.py",),
        "slack-export": ("slack_export.py", "slack.py"),
    }

    assert rows == {name: str(sum(map(lines_of_code, found))) for name, found in files.items()}


def lines_of_code(file: str) -> int:
    return sum(1 for line in (ROOT / "bot" / "sources" / file).read_text(encoding="utf-8").splitlines() if line.strip())


def test_readme_shows_the_two_commands_of_a_newcomer() -> None:
    assert "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/why demo" in README
    assert ".venv/bin/pip install -e '.[dev]' && .venv/bin/pytest" in README


def test_readme_names_each_command() -> None:
    commands = COMMANDS.keys() | {str(one.name) for one in app.registered_commands}

    unnamed = {name for name in commands if not re.search(rf"`why {re.escape(name)}[ `]", section("The command line"))}

    assert unnamed == set()


def test_readme_tells_a_security_reviewer_of_each_table_and_of_no_other() -> None:
    rows = [line.split("|")[1] for line in section("For a security reviewer").splitlines() if line.startswith("| `")]

    told = {name for row in rows for name in named(row, r"`([a-z_]+)`")}

    assert told == {str(one.__tablename__) for one in tables.ALL} | inbox_file.metadata.tables.keys()


def test_readme_tells_how_long_things_are_kept_as_the_code_has_it() -> None:
    review, kept = section("For a security reviewer"), section("What it reads, keeps and sends")

    assert f"their key for {inbox.KEPT_DAYS} days; failed ones whole for {inbox.KEPT_DAYS} days" in review
    assert f"{DEFAULT_QUESTION_DAYS} days, or `BACKSTORY_QUESTION_DAYS`" in review
    assert f"said unasked {beside.NUDGED_DAYS} days" in review
    assert f"nudges {beside.NUDGED_DAYS} days" in review
    assert f"{beside.SPENT_DAYS} days" in review
    assert f"{DEFAULT_QUESTION_DAYS} days (`BACKSTORY_QUESTION_DAYS`)" in kept
    assert f"all of one that failed, {inbox.KEPT_DAYS} days" in kept
