"""The page is shipped as built: from the sources beside it, with what others wrote named, licensed and unchanged."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from bot.playground.page.seen import COMMAND_HINTS, SHORTCUT_NAMES

PAGE = Path(__file__).parents[3] / "bot" / "playground" / "page"
BUILT, SOURCES = PAGE / "built", PAGE / "src"
THIRD_PARTY = json.loads((BUILT / "third_party.json").read_text("utf-8"))
MANIFEST = yaml.safe_load((PAGE.parents[2] / "manifest.yml").read_text("utf-8"))
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/xhtml"}
NAMESPACES |= {"http://www.w3.org/1999/xlink", "http://www.w3.org/XML/1998/namespace"}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


@pytest.mark.parametrize("asset", THIRD_PARTY, ids=lambda asset: asset["file"])
def test_each_third_party_file_is_the_one_that_is_named(asset: dict[str, str]) -> None:
    pinned = json.loads((SOURCES / "package.json").read_text("utf-8"))["dependencies"]

    assert sha256(BUILT / asset["file"]) == asset["sha256"]
    assert asset["version"] == pinned[asset["name"]]
    assert asset["licence"] == "MIT"
    assert asset["origin"].startswith("https://github.com/")
    assert f"{asset['name']} {asset['version']}\n" in (BUILT / "licences.txt").read_text("utf-8")


def test_no_other_script_is_shipped_than_the_pages_own_and_those() -> None:
    scripts = {path.name for path in BUILT.glob("*.js")}

    assert scripts == {"page.js"} | {asset["file"] for asset in THIRD_PARTY}


def test_what_is_shipped_was_built_from_the_sources_as_they_are() -> None:
    kept = {path.name: sha256(path) for path in SOURCES.iterdir() if path.is_file() and not path.name.startswith(".")}
    kept.pop("package-lock.json", None)

    assert json.loads((BUILT / "sources.json").read_text("utf-8")) == kept


@pytest.mark.parametrize("name", ["page.html", "page.js", "page.css", "preact.js", "mrkdwn.js"])
def test_nothing_is_loaded_from_elsewhere(name: str) -> None:
    text = (BUILT / name).read_text("utf-8")

    assert set(re.findall(r"https?://[\w./-]+\w", text)) <= NAMESPACES
    assert not re.search(r"innerHTML\s*=(?!=)[^;]*\$|\beval\(|new Function|@import|url\(", text)


def test_every_built_file_is_packaged() -> None:
    project = tomllib.loads((PAGE.parents[2] / "pyproject.toml").read_text("utf-8"))
    packaged = project["tool"]["setuptools"]["package-data"]["*"]

    assert {f"*{path.suffix}" for path in BUILT.iterdir()} <= set(packaged)


def test_menus_and_commands_are_named_as_in_the_manifest() -> None:
    features = MANIFEST["features"]

    assert {each["callback_id"]: each["name"] for each in features["shortcuts"]} == SHORTCUT_NAMES
    hints = {each["command"]: each["usage_hint"] for each in features["slash_commands"]}
    assert hints == {name: hint for name, hint in COMMAND_HINTS.items() if name != "/invite"}
