"""Modals and homes: Slack's limits, trigger_ids that live three seconds, hashes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk import WebClient

from bot.playground import HandClock, Playground
from tests.builders_playground import Refused


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def modal(**more: Any) -> dict[str, Any]:
    return {"type": "modal", "title": plain("Edit"), "blocks": [{"type": "divider"}]} | more


def entry(*, label: str = "Title", **more: Any) -> dict[str, Any]:
    return {"type": "input", "label": plain(label), "element": {"type": "plain_text_input", "action_id": "t"}} | more


def home(**more: Any) -> dict[str, Any]:
    return {"type": "home", "blocks": []} | more


def trigger(playground: Playground) -> str:
    with playground.world.changed:
        return playground.world.new_trigger("U0MIA")


LIMITS: list[tuple[str, Callable[[int], dict[str, Any]], int]] = [
    ("title", lambda n: modal(title=plain("x" * n)), 24),
    ("submit", lambda n: modal(submit=plain("x" * n)), 24),
    ("close", lambda n: modal(close=plain("x" * n)), 24),
    ("private_metadata", lambda n: modal(private_metadata="x" * n), 3000),
    ("callback_id", lambda n: modal(callback_id="x" * n), 255),
    ("external_id", lambda n: modal(external_id="x" * n), 255),
    ("blocks", lambda n: modal(blocks=[{"type": "divider"}] * n), 100),
    ("label", lambda n: modal(submit=plain("Go"), blocks=[entry(label="x" * n)]), 2000),
]


@pytest.mark.parametrize(("build", "limit"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS])
def test_a_modal_at_its_limit_opens_and_one_beyond_is_refused(
    playground: Playground, client: WebClient, refused: Refused, build: Callable[[int], dict[str, Any]], limit: int
) -> None:
    first, second = trigger(playground), trigger(playground)

    opened = client.views_open(trigger_id=first, view=build(limit))
    error = refused("views.open", trigger_id=second, view=build(limit + 1))

    assert opened["view"]["id"] == playground.views("mia")[0]["id"]
    assert error.startswith("invalid_arguments")


@pytest.mark.parametrize(
    ("view", "rule"),
    [
        (modal(blocks=[]), "no less than 1 items"),
        (modal(blocks=[entry()]), "missing required field: submit"),
        (modal(colour="red"), "invalid additional property: colour"),
        (modal(blocks=[{"type": "markdown", "text": "x"}]), "unsupported type: markdown"),
        ({"type": "modal", "blocks": [{"type": "divider"}]}, "missing required field: title"),
        (home(), "must provide a view of type modal"),
        ({"type": "page"}, "unsupported type: page"),
    ],
)
def test_a_view_that_slack_would_not_take_is_refused(
    playground: Playground, refused: Refused, view: dict[str, Any], rule: str
) -> None:
    error = refused("views.open", trigger_id=trigger(playground), view=view)

    assert rule in error
    assert playground.views("mia") == ()


def test_a_view_of_more_than_250_kilobytes_is_too_large(playground: Playground, refused: Refused) -> None:
    text = {"type": "section", "text": plain("x" * 3000)}

    error = refused("views.open", trigger_id=trigger(playground), view=modal(blocks=[text] * 90))

    assert error == "view_too_large"


def test_a_trigger_id_lives_three_seconds(playground: Playground, refused: Refused, clock: HandClock) -> None:
    late = trigger(playground)
    clock.advance(3.1)

    error = refused("views.open", trigger_id=late, view=modal())

    assert error == "expired_trigger_id"


def test_a_trigger_id_opens_one_modal_only(playground: Playground, client: WebClient, refused: Refused) -> None:
    once = trigger(playground)
    client.views_open(trigger_id=once, view=modal())

    error = refused("views.open", trigger_id=once, view=modal())

    assert error == "exchanged_trigger_id"


def test_a_trigger_id_that_was_never_given_is_invalid(refused: Refused) -> None:
    assert refused("views.open", trigger_id="1.2.abc", view=modal()) == "invalid_trigger_id"
    assert "missing required field: trigger_id" in refused("views.open", view=modal())


def test_an_update_with_an_old_hash_conflicts(playground: Playground, client: WebClient, refused: Refused) -> None:
    opened = client.views_open(trigger_id=trigger(playground), view=modal())["view"]
    client.views_update(view_id=opened["id"], hash=opened["hash"], view=modal(title=plain("Second")))

    error = refused("views.update", view_id=opened["id"], hash=opened["hash"], view=modal())

    assert error == "hash_conflict"
    assert playground.views("mia")[0]["title"]["text"] == "Second"


def test_a_view_that_is_not_open_cannot_be_updated(refused: Refused) -> None:
    assert refused("views.update", view_id="V404", view=modal()) == "not_found"
    assert "view_id or external_id" in refused("views.update", view=modal())


def test_a_home_is_published_for_one_person(playground: Playground, client: WebClient, refused: Refused) -> None:
    blocks = [{"type": "header", "text": plain("Search")}]

    client.views_publish(user_id="U0MIA", view=home(blocks=blocks))
    error = refused("views.publish", user_id="U0MIA", view=modal())

    assert playground.screen(playground.home("mia") or {}) == "Search"
    assert playground.home("omar") is None
    assert "view of type home" in error


def test_modals_lie_three_deep_at_most(playground: Playground, client: WebClient, refused: Refused) -> None:
    opened = client.views_open(trigger_id=trigger(playground), view=modal())["view"]
    for _ in range(2):
        with playground.world.changed:
            again = playground.world.new_trigger("U0MIA", view_id=opened["id"])
        opened = client.views_push(trigger_id=again, view=modal())["view"]
    with playground.world.changed:
        last = playground.world.new_trigger("U0MIA", view_id=opened["id"])

    error = refused("views.push", trigger_id=last, view=modal())

    assert error == "push_limit_reached"
