import pytest

from bot.forget import turn_named


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("https://fernway.slack.com/archives/C1/p1700000120000300", "C1/1700000120.000300"),
        (
            "https://fernway.slack.com/archives/C1/p1700000120000300?thread_ts=1700000000.000100&cid=C1",
            "C1/1700000120.000300",
        ),
        ("C0A436DE8D9/1758015676.409995", "C0A436DE8D9/1758015676.409995"),
        ("adr:0001", None),
        ("https://example.com/archives/C1", None),
        ("abcdef0123", None),
    ],
)
def test_a_message_is_named_by_permalink_or_id(text: str, turn: str | None) -> None:
    assert turn_named(text) == turn
