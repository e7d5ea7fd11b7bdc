"""What typed words become, and how people's own messages are laid out."""

from __future__ import annotations

import pytest

from bot.playground import small_workspace
from bot.playground.clock import machine_time
from bot.playground.composer import wire
from bot.playground.messages import rich_text
from bot.playground.world import World

WORLD = World(small_workspace(), machine_time)


@pytest.mark.parametrize(
    ("typed", "wired"),
    [
        ("plain words", "plain words"),
        ("@lena, look", "<@U0LENA>, look"),
        ("@Backstory why?", "<@UBACKSTORY> why?"),
        ("@here and @nobody", "<!here> and @nobody"),
        ("see #search.", "see <#C0SEARCH|search>."),
        ("see #exec", "see <#C0EXEC|>"),
        ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
        ("<!channel> <b>", "&lt;!channel&gt; &lt;b&gt;"),
        ("https://a.example/x?y=1&z=2.", "<https://a.example/x?y=1&amp;z=2>."),
        ("mail me@lena.example", "mail me@lena.example"),
        ("https://a.example/@lena#search", "<https://a.example/@lena#search>"),
    ],
)
def test_typed_words_become_what_slack_sends(typed: str, wired: str) -> None:
    assert wire(WORLD, typed) == wired


def test_mentions_links_and_emoji_are_told_apart_in_rich_text() -> None:
    (block,) = rich_text(
        "hi <@U0LENA> <#C0SEARCH|search> <!here> <https://a.example|label> :tada: at 10:30:45 &lt;b&gt;"
    )

    (section,) = block["elements"]
    assert [run for run in section["elements"] if run.get("text") != " "] == [
        {"type": "text", "text": "hi "},
        {"type": "user", "user_id": "U0LENA"},
        {"type": "channel", "channel_id": "C0SEARCH"},
        {"type": "broadcast", "range": "here"},
        {"type": "link", "url": "https://a.example", "text": "label"},
        {"type": "emoji", "name": "tada"},
        {"type": "text", "text": " at 10:30:45 <b>"},
    ]


def test_marks_become_styles_only_around_whole_words() -> None:
    (block,) = rich_text("so *no* `pg_trgm`, snake_case_name, 2*3*4 and **stars**")

    (section,) = block["elements"]
    assert section["elements"] == [
        {"type": "text", "text": "so "},
        {"type": "text", "text": "no", "style": {"bold": True}},
        {"type": "text", "text": " "},
        {"type": "text", "text": "pg_trgm", "style": {"code": True}},
        {"type": "text", "text": ", snake_case_name, 2*3*4 and **stars**"},
    ]
