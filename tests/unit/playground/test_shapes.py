"""The pieces that Slack's blocks are described with."""

from __future__ import annotations

from typing import Any

import pytest

from bot.playground.clock import ts_order
from bot.playground.shapes import Check, boolean, by_type, integer, list_of, one_of, record, string


def problems(check: Check, value: Any) -> list[str]:
    found: list[str] = []
    check(value, "/x", found)
    return found


@pytest.mark.parametrize(
    ("check", "value", "rule"),
    [
        (string(), 1, "must be a string"),
        (string(1), "", "must be more than 0 characters"),
        (string(0, 2), "abc", "must be less than 3 characters"),
        (string(starts=("https://",)), "ftp://x", "invalid url"),
        (boolean, 1, "must be a boolean"),
        (integer, True, "must be a integer"),
        (one_of("a", "b"), "c", "must be one of a, b"),
        (list_of(string()), "abc", "must be an array"),
        (list_of(string(), least=1), [], "no less than 1 items allowed"),
        (record({}), [], "must be an object"),
        (record({"a": string()}), {}, "missing required field: a"),
        (record({}), {"b": 1}, "invalid additional property: b"),
        (by_type({}), "x", "must be an object"),
        (by_type({}), {}, "missing required field: type"),
    ],
)
def test_each_rule_is_said_in_slacks_words_with_the_place(check: Check, value: Any, rule: str) -> None:
    assert problems(check, value) == [f"[ERROR] {rule} [json-pointer:/x]"]


def test_an_unknown_type_is_placed_at_the_type() -> None:
    assert problems(by_type({}), {"type": "x"}) == ["[ERROR] unsupported type: x [json-pointer:/x/type]"]


def test_a_ts_is_ordered_without_losing_digits() -> None:
    assert ts_order("1700000000.000100") == (1700000000, 100)
    assert ts_order("1700000000.999999") < ts_order("1700000001.000000")
    with pytest.raises(ValueError, match="not a ts"):
        ts_order("yesterday")
