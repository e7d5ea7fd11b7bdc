"""Small pieces to describe JSON with, so that a description of Slack's blocks reads like Slack's own pages.

A `Check` looks at one value at one place and adds a line, worded and placed as Slack's, for each rule that it breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any, str, list[str]], None]


def _say(problems: list[str], where: str, rule: str) -> None:
    problems.append(f"[ERROR] {rule} [json-pointer:{where}]")


def string(least: int = 0, most: int | None = None, *, starts: tuple[str, ...] = ()) -> Check:
    """Text of `least` to `most` characters, beginning with one of `starts` where given."""

    def check(value: Any, where: str, problems: list[str]) -> None:
        if not isinstance(value, str):
            _say(problems, where, "must be a string")
        elif len(value) < least:
            _say(problems, where, f"must be more than {least - 1} characters")
        elif most is not None and len(value) > most:
            _say(problems, where, f"must be less than {most + 1} characters")
        elif starts and not value.startswith(starts):
            _say(problems, where, "invalid url")

    return check


def kind(wanted: type, name: str) -> Check:
    """A value of that JSON kind; true and false are no numbers."""

    def check(value: Any, where: str, problems: list[str]) -> None:
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            _say(problems, where, f"must be a {name}")

    return check


boolean = kind(bool, "boolean")
integer = kind(int, "integer")


def one_of(*values: str) -> Check:
    """One of these words."""

    def check(value: Any, where: str, problems: list[str]) -> None:
        if value not in values:
            _say(problems, where, f"must be one of {', '.join(values)}")

    return check


def list_of(item: Check, *, least: int = 0, most: int | None = None) -> Check:
    """A list of `least` to `most` such items."""

    def check(value: Any, where: str, problems: list[str]) -> None:
        if not isinstance(value, list):
            _say(problems, where, "must be an array")
            return
        if len(value) < least:
            _say(problems, where, f"no less than {least} items allowed")
        if most is not None and len(value) > most:
            _say(problems, where, f"no more than {most} items allowed")
        for number, each in enumerate(value):
            item(each, f"{where}/{number}", problems)

    return check


def record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these fields and no others."""
    known = {**required, **(optional or {})}

    def check(value: Any, where: str, problems: list[str]) -> None:
        if not isinstance(value, dict):
            _say(problems, where, "must be an object")
            return
        for name in required:
            if name not in value:
                _say(problems, where, f"missing required field: {name}")
        for name, inner in value.items():
            if name not in known:
                _say(problems, where, f"invalid additional property: {name}")
            else:
                known[name](inner, f"{where}/{name}", problems)

    return check


def by_type(shapes: Mapping[str, Check]) -> Check:
    """An object whose `type` says which of these it is."""

    def check(value: Any, where: str, problems: list[str]) -> None:
        if not isinstance(value, dict):
            _say(problems, where, "must be an object")
        elif "type" not in value:
            _say(problems, where, "missing required field: type")
        elif value["type"] not in shapes:
            _say(problems, f"{where}/type", f"unsupported type: {value['type']}")
        else:
            shapes[value["type"]](value, where, problems)

    return check


def also(first: Check, rule: Callable[[Any], str]) -> Check:
    """A value that passes `first` and of which `rule` returns no complaint."""

    def check(value: Any, where: str, problems: list[str]) -> None:
        before = len(problems)
        first(value, where, problems)
        if len(problems) == before and (complaint := rule(value)):
            _say(problems, where, complaint)

    return check
