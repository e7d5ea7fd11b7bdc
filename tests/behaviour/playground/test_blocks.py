"""Slack's limits on blocks, each by the real WebClient: at the limit it passes, one beyond is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from slack_sdk import WebClient

from bot.playground import Playground
from tests.builders_playground import Refused, client_of, refusing

Block = dict[str, Any]


@pytest.fixture(scope="module")
def client() -> Iterator[WebClient]:
    """One workspace for all of these: none of them looks at what is in it."""
    with Playground() as opened:
        yield client_of(opened)


@pytest.fixture(scope="module")
def refused(client: WebClient) -> Refused:
    return refusing(client)


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}


def section(text: str = "x", **more: Any) -> Block:
    return {"type": "section", "text": mrkdwn(text), **more}


def button(number: int = 0, **more: Any) -> Block:
    return {"type": "button", "text": plain("Go"), "action_id": f"a{number}", **more}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def option(number: int = 0, *, text: str = "One", value: str = "") -> Block:
    return {"text": plain(text), "value": value or f"v{number}"}


def overflow(count: int) -> Block:
    return actions({"type": "overflow", "action_id": "more", "options": [option(n) for n in range(count)]})


def feedback(value: str) -> Block:
    sides = {f"{name}_button": {"text": plain("Y"), "value": value} for name in ("positive", "negative")}
    return {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "f", **sides}]}


LIMITS: list[tuple[str, Callable[[int], list[Block]], int, str]] = [
    ("section text", lambda n: [section("x" * n)], 3000, "must be less than 3001 characters"),
    ("header", lambda n: [{"type": "header", "text": plain("x" * n)}], 150, "less than 151"),
    ("fields", lambda n: [{"type": "section", "fields": [mrkdwn("x")] * n}], 10, "no more than 10 items"),
    ("field text", lambda n: [{"type": "section", "fields": [mrkdwn("x" * n)]}], 2000, "less than 2001"),
    ("actions", lambda n: [actions(*[button(i) for i in range(n)])], 25, "no more than 25 items"),
    ("context", lambda n: [{"type": "context", "elements": [mrkdwn("x")] * n}], 10, "no more than 10 items"),
    ("block_id", lambda n: [section(block_id="x" * n)], 255, "less than 256"),
    ("action_id", lambda n: [actions(button() | {"action_id": "x" * n})], 255, "less than 256"),
    ("button text", lambda n: [actions(button(text=plain("x" * n)))], 75, "less than 76"),
    ("button value", lambda n: [actions(button(value="x" * n))], 2000, "less than 2001"),
    ("button url", lambda n: [actions(button(url="https://" + "x" * (n - 8)))], 3000, "less than 3001"),
    ("blocks", lambda n: [section()] * n, 50, "no more than 50 items"),
    ("markdown", lambda n: [{"type": "markdown", "text": "x" * n}], 12_000, "less than 12001"),
    (
        "markdown in all",
        lambda n: [{"type": "markdown", "text": "x" * (n - 1)}, {"type": "markdown", "text": "x"}],
        12_000,
        "less than 12001 characters in all",
    ),
    ("overflow options", lambda n: [overflow(n)], 5, "no more than 5 items"),
    (
        "option text",
        lambda n: [actions({"type": "overflow", "action_id": "m", "options": [option(text="x" * n)]})],
        75,
        "less than 76",
    ),
    (
        "option value",
        lambda n: [actions({"type": "overflow", "action_id": "m", "options": [option(value="x" * n)]})],
        150,
        "less than 151",
    ),
    (
        "select options",
        lambda n: [
            section(accessory={"type": "static_select", "action_id": "s", "options": [option(i) for i in range(n)]})
        ],
        100,
        "no more than 100 items",
    ),
    (
        "confirm text",
        lambda n: [
            actions(
                button(confirm={"title": plain("T"), "text": plain("x" * n), "confirm": plain("Y"), "deny": plain("N")})
            )
        ],
        300,
        "less than 301",
    ),
    ("feedback value", lambda n: [feedback("x" * n)], 2000, "less than 2001"),
    (
        "table rows",
        lambda n: [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]] * n}],
        100,
        "no more than 100",
    ),
    (
        "table cells",
        lambda n: [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * n]}],
        20,
        "no more than 20",
    ),
    (
        "image alt text",
        lambda n: [{"type": "image", "image_url": "https://x.y/z.png", "alt_text": "x" * n}],
        2000,
        "less than 2001",
    ),
]


@pytest.mark.parametrize(("build", "limit", "rule"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS])
def test_a_block_at_its_limit_is_posted_and_one_beyond_is_refused(
    client: WebClient, refused: Refused, build: Callable[[int], list[Block]], limit: int, rule: str
) -> None:
    at_limit, beyond = build(limit), build(limit + 1)

    posted = client.chat_postMessage(channel="C0SEARCH", text="words", blocks=at_limit)
    error = refused("chat.postMessage", channel="C0SEARCH", text="words", blocks=beyond)

    assert posted["ok"]
    assert error.startswith("invalid_blocks")
    assert rule in error


def wrong_blocks() -> list[tuple[str, list[Block], str]]:
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}
    return [
        ("unknown block", [{"type": "paragraph", "text": "x"}], "unsupported type: paragraph"),
        ("no type", [{"text": "x"}], "missing required field: type"),
        ("unknown field", [section(color="red")], "invalid additional property: color"),
        ("empty section", [{"type": "section"}], "text or fields"),
        ("empty text", [section("")], "must be more than 0 characters"),
        ("text as a string", [{"type": "section", "text": "x"}], "must be an object"),
        ("mrkdwn header", [{"type": "header", "text": mrkdwn("x")}], "unsupported type: mrkdwn"),
        ("mrkdwn button", [actions(button(text=mrkdwn("x")))], "unsupported type: mrkdwn"),
        ("no elements", [actions()], "no less than 1 items"),
        ("a button in context", [{"type": "context", "elements": [button()]}], "unsupported type: button"),
        ("a button style", [actions(button(style="warning"))], "must be one of primary, danger"),
        ("a script url", [actions(button(url="javascript:x"))], "invalid url"),
        ("an action_id twice", [actions(button(1), button(1))], "`action_id` a1 already exists"),
        ("a block_id twice", [section(block_id="b"), section(block_id="b")], "`block_id` b already exists"),
        ("a number as value", [actions(button(value=1))], "must be a string"),
        ("no alt text", [{"type": "image", "image_url": "https://x.y"}], "missing required field: alt_text"),
        ("two tables", [table, table], "only one table"),
        ("feedback among actions", [actions(*feedback("v")["elements"])], "unsupported type: feedback_buttons"),
        ("an overflow without options", [overflow(0)], "no less than 1 items"),
    ]


@pytest.mark.parametrize(("blocks", "rule"), [row[1:] for row in wrong_blocks()], ids=[r[0] for r in wrong_blocks()])
def test_blocks_that_slack_would_not_take_are_refused_with_the_rule_and_the_place(
    refused: Refused, blocks: list[Block], rule: str
) -> None:
    error = refused("chat.postMessage", channel="C0SEARCH", text="words", blocks=blocks)

    assert error.startswith("invalid_blocks")
    assert rule in error


def test_the_place_of_a_broken_rule_is_a_json_pointer(refused: Refused) -> None:
    blocks = [section(), actions(button(), button(1, text=plain("x" * 76)))]

    error = refused("chat.postMessage", channel="C0SEARCH", text="words", blocks=blocks)

    assert "[json-pointer:/blocks/1/elements/1/text/text]" in error


def test_the_same_action_id_may_stand_in_two_blocks(client: WebClient) -> None:
    blocks = [actions(button(1)), actions(button(1))]

    posted = client.chat_postMessage(channel="C0SEARCH", text="words", blocks=blocks)

    assert posted["ok"]


def test_every_kind_of_block_that_the_product_may_use_passes(client: WebClient) -> None:
    rich = {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}],
    }
    blocks = [
        {"type": "header", "text": plain("H")},
        section(accessory=button(1, style="primary")),
        {"type": "divider"},
        rich,
        {"type": "context", "elements": [mrkdwn("x"), {"type": "image", "image_url": "https://x.y", "alt_text": "z"}]},
        actions(button(), {"type": "overflow", "action_id": "m", "options": [option()]}),
        feedback("v"),
        {"type": "markdown", "text": "**bold**"},
        {"type": "task_card", "task_id": "t", "title": "T", "status": "complete", "details": rich},
        {"type": "plan", "title": "P", "tasks": []},
    ]

    posted = client.chat_postMessage(channel="C0SEARCH", text="words", blocks=blocks)

    assert posted["ok"]
