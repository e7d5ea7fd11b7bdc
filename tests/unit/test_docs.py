"""README and CONTRIBUTING against the code: settings, events and commands are all written down."""

import re
from pathlib import Path

from bot.settings import OURS, THEIRS
from store.core.events import Kind

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


def test_readme_shows_the_two_commands_of_a_newcomer() -> None:
    assert "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/why demo" in README
    assert ".venv/bin/pip install -e '.[dev]' && .venv/bin/pytest" in README
