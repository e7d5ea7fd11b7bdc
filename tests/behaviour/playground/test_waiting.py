"""Waiting, holding back, troubles on demand, and bad requests."""

from __future__ import annotations

import contextlib
import http.client
import json
import time

import pytest
from slack_sdk import WebClient

from bot.playground import Playground, Refusal
from bot.playground.server import BODY_BYTES
from tests.builders_playground import Refused


def posted(playground: Playground, path: str, body: bytes, content: str) -> tuple[int, dict[str, object]]:
    connection = http.client.HTTPConnection("127.0.0.1", int(playground.url.rsplit(":", 1)[1]), timeout=5)
    with contextlib.closing(connection):
        connection.request("POST", path, body=body, headers={"Content-Type": content})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_waiting_for_what_never_comes_ends(playground: Playground) -> None:
    receipt = playground.command("mia", "search", "/why", "x", wait=False)

    with pytest.raises(TimeoutError):
        playground.wait_until(lambda: False, timeout_s=0.05)
    with pytest.raises(TimeoutError):
        playground.settle(timeout_s=0.05, quiet_s=0.01)
    with pytest.raises(TimeoutError):
        receipt.wait_for_response(timeout_s=0.05)
    assert not receipt.acked
    assert receipt.ack_ms is None


def test_a_command_that_nobody_acks_times_out_for_its_user() -> None:
    with Playground(ack_timeout_s=0.05) as playground:
        playground.deliver_to("http://127.0.0.1:9/")

        receipt = playground.command("mia", "search", "/why", "x")

        assert receipt.error == "operation_timeout"
        assert receipt.delivery.attempts[0].error == "connection_failed"


def test_what_is_held_back_is_sent_in_order_when_released(playground: Playground) -> None:
    playground.hold()
    playground.deliver_to("http://127.0.0.1:9/")
    playground.post("mia", "search", "one")
    playground.post("mia", "search", "two")
    before = [list(delivery.attempts) for delivery in playground.deliveries()]

    playground.release()
    playground.wait_until(lambda: all(delivery.gave_up for delivery in playground.deliveries()))

    assert before == [[], []]
    assert [delivery.payload["event"]["text"] for delivery in playground.deliveries()] == ["one", "two"]


def test_an_event_of_ones_own_making_is_delivered(playground: Playground) -> None:
    delivery = playground.deliver({"type": "galaxy_exploded", "event_ts": "1.1"}, "search")

    assert delivery.name == "galaxy_exploded"
    assert delivery.payload["type"] == "event_callback"


def test_a_slow_method_answers_late(playground: Playground, client: WebClient) -> None:
    playground.slow("auth.test", 0.2)
    began = time.monotonic()

    client.auth_test()

    assert time.monotonic() - began >= 0.2


def test_any_method_can_be_troubled(playground: Playground, refused: Refused) -> None:
    playground.fail("*", "internal_error")

    assert refused("auth.test") == "internal_error"


def test_what_is_not_there_is_refused(playground: Playground) -> None:
    with pytest.raises(Refusal):
        playground.message("search", "1.000001")
    with pytest.raises(Refusal):
        playground.edit("mia", "search", "1.000001", "x")
    with pytest.raises(Refusal):
        playground.convert("omar", "search", private=False)
    with pytest.raises(Refusal):
        playground.unreact("omar", "search", "1.000001", "eyes")


@pytest.mark.parametrize(
    ("body", "content", "error"),
    [
        (b"{", "application/json", "invalid_post_type"),
        (b"[1]", "application/json", "invalid_post_type"),
        (b"token=xoxb-other", "application/x-www-form-urlencoded", "invalid_auth"),
        (b"", "application/json", "not_authed"),
    ],
)
def test_bodies_that_are_no_arguments_are_refused(
    playground: Playground, body: bytes, content: str, error: str
) -> None:
    assert posted(playground, "/api/auth.test", body, content) == (200, {"ok": False, "error": error})


def test_a_body_beyond_every_limit_is_refused(playground: Playground) -> None:
    status, answer = posted(playground, "/api/auth.test", b"x" * (BODY_BYTES + 1), "application/json")

    assert (status, answer["error"]) == (413, "request_too_large")


def test_a_response_url_that_was_never_given_is_not_there(playground: Playground) -> None:
    status, answer = posted(playground, "/commands/T0PLAY/1/made-up", b"{}", "application/json")

    assert (status, answer["error"]) == (404, "no_such_url")


@pytest.mark.parametrize("body", [b"no json", b"[1]", b"{}"])
def test_a_response_url_wants_an_object_with_words(playground: Playground, body: bytes) -> None:
    receipt = playground.command("mia", "search", "/why", "x", wait=False)

    status, _ = posted(playground, receipt.response_url.removeprefix(playground.url), body, "application/json")

    assert status == 400
    assert receipt.responses == ()


def test_a_permalink_is_the_one_that_the_app_would_get(playground: Playground, client: WebClient) -> None:
    ts = playground.post("mia", "search", "hello")

    link = client.chat_getPermalink(channel="C0SEARCH", message_ts=ts)["permalink"]

    assert playground.permalink("search", ts) == link
