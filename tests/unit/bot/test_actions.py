"""What buttons carry comes back from outside: only what we could have written is read."""

import pytest

from bot.slack.layout import actions as act


def test_what_a_button_carries_comes_back() -> None:
    value = act.encode(session="s1", decision="ab" * 32, other="cd" * 32, turn="C1/1700000000.000100", menu="outcome")

    assert act.decode(value) == act.Target(
        session="s1", decision="ab" * 32, other="cd" * 32, turn="C1/1700000000.000100", menu="outcome"
    )


@pytest.mark.parametrize(
    "value",
    [None, 7, "", "{}", "[]", "null", "{", "s1", '{"s":7}', '{"s":""}', '{"x":"a"}', '{"s":"a b"}', '{"s":"<!here>"}',
     '{"s":{"s":"a"}}', '{"s":"' + "a" * 300 + '"}', '{"s":"a"' + " " * 3_000 + "}", "[" * 1_500],
)  # fmt: skip
def test_what_we_cannot_have_written_is_not_read(value: object) -> None:
    assert act.decode(value) is None
