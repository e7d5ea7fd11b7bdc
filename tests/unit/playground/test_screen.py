"""How messages look to a person."""

from __future__ import annotations

import pytest

from bot.playground import buttons, mrkdwn, pings, screen


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*Search stays*, see <https://x.y|PR 88>", "Search stays, see PR 88"),
        ("_Why:_ a * b * c", "Why: a * b * c"),
        ("~old~ new_name and other_name", "old new_name and other_name"),
        ("3 &lt; 4 &amp;&amp; 5 &gt; 4", "3 < 4 && 5 > 4"),
        ("<@U1> in <#C1|search> said <!here>", "@Lena in #search said @here"),
        ("<https://x.y>", "https://x.y"),
        ("since <!date^1772614800^{date_short}|4 Mar>", "since 4 Mar"),
        ("on <!date^1772614800^{date} at {time}|then>", "on 4 Mar 2026 at 09:00"),
        (":bookmark: *kept*", "🔖 kept"),
    ],
)
def test_mrkdwn_shows_as_words(text: str, shown: str) -> None:
    assert mrkdwn(text, {"U1": "Lena"}.get) == shown  # type: ignore[arg-type]


def test_blocks_show_in_order_with_their_buttons_in_brackets() -> None:
    option = {"text": {"type": "plain_text", "text": "Share"}, "value": "s"}
    message = {
        "text": "not shown",
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": "Search"}},
            {"type": "section", "text": {"type": "mrkdwn", "text": "*In force*\n[1] <https://x.y|Lena>"}},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": "Only you see this"}]},
            {
                "type": "actions",
                "elements": [
                    {"type": "button", "text": {"type": "plain_text", "text": "👍 It worked"}, "action_id": "up"},
                    {"type": "overflow", "options": [option], "action_id": "more"},
                ],
            },
        ],
    }

    assert screen(message).split("\n") == [
        "Search",
        "In force",
        "[1] Lena",
        "Only you see this",
        "[👍 It worked] [⋯ Share]",
    ]
    assert buttons(message) == ("up", "more")


def test_a_message_without_blocks_shows_its_text() -> None:
    assert screen({"text": "one\n*two*"}) == "one\ntwo"


def test_rich_text_shows_names_links_and_lists() -> None:
    runs = [
        {"type": "user", "user_id": "U1"},
        {"type": "text", "text": " see "},
        {"type": "link", "url": "https://x.y"},
    ]
    item = {"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]}
    parts = [
        {"type": "rich_text_section", "elements": runs},
        {"type": "rich_text_list", "style": "bullet", "elements": [item]},
    ]

    shown = screen({"blocks": [{"type": "rich_text", "elements": parts}]}, lambda each: "Lena")

    assert shown == "@Lena see https://x.y\n• one"


def test_whatever_would_notify_somebody_is_found_wherever_it_stands() -> None:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "<!here> <@U1> <!date^1^{date}|x> <!subteam^S1>"}}

    assert pings({"text": "<!channel> &lt;!here&gt;", "blocks": [section]}) == (
        "!channel",
        "!here",
        "@U1",
        "!subteam^S1",
    )


def test_every_other_kind_of_block_shows_something() -> None:
    plain = {"type": "plain_text", "text": "Words"}
    choice = {"type": "static_select", "action_id": "s", "options": [{"text": plain, "value": "w"}]}
    runs = [
        {"type": "channel", "channel_id": "C1"},
        {"type": "emoji", "name": "bookmark"},
        {"type": "emoji", "name": "parrot"},
        {"type": "broadcast", "range": "here"},
        {"type": "date", "timestamp": 1, "format": "{date}", "fallback": "then"},
    ]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_quote", "elements": runs}]}
    message = {
        "blocks": [
            {"type": "section", "fields": [plain, plain], "accessory": {"type": "image", "alt_text": "a graph"}},
            {"type": "divider"},
            {"type": "markdown", "text": "**bold**"},
            {"type": "image", "alt_text": "a cat"},
            {"type": "input", "label": plain, "element": choice},
            {"type": "context", "elements": [plain, {"type": "image", "alt_text": "a dog"}]},
            {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}, rich]]},
            {"type": "plan", "title": "A plan"},
            rich,
        ]
    }

    assert screen(message, lambda each: "search").split("\n") == [
        "Words",
        "Words",
        "(image: a graph)",
        "---",
        "**bold**",
        "(image: a cat)",
        "Words: <Words>",
        "Words  (image: a dog)",
        "a | > #search🔖:parrot:@herethen",
        "A plan",
        "> #search🔖:parrot:@herethen",
    ]


def test_a_modal_shows_its_title_and_buttons() -> None:
    title, close = ({"type": "plain_text", "text": text} for text in ("Edit", "Cancel"))

    assert screen({"title": title, "close": close, "blocks": [{"type": "divider"}]}) == "[[ Edit ]]\n---\n[Cancel]"


def test_mentions_in_rich_text_would_notify_too() -> None:
    runs = [{"type": "broadcast", "range": "here"}, {"type": "user", "user_id": "U1"}]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": runs}]}

    assert pings({"blocks": [rich]}) == ("!here", "@U1")


def test_a_date_that_cannot_be_read_shows_its_fallback() -> None:
    assert mrkdwn("<!date^soon^{date}|later> <!date^1|then>") == "later then"
