"""Deliveries to a real Bolt app: sockets, acks, retries, duplicates, signed requests, response_urls, modals."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from slack_bolt import App, BoltRequest
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.webhook import WebhookClient

from bot.playground import HandClock, Playground, small_workspace
from tests.builders_playground import GENEROUS, START, client_of

BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Go"}, "action_id": "go", "value": "1"}
MENU_OPTIONS = [{"text": {"type": "plain_text", "text": name}, "value": name.lower()} for name in ("Red", "Blue")]
MENU = {"type": "overflow", "action_id": "more", "options": MENU_OPTIONS}
BLOCKS = [{"type": "actions", "block_id": "acts", "elements": [BUTTON, MENU]}]
MODAL = {
    "type": "modal",
    "callback_id": "edit",
    "notify_on_close": True,
    "title": {"type": "plain_text", "text": "Edit"},
    "submit": {"type": "plain_text", "text": "Save"},
    "blocks": [
        {
            "type": "input",
            "block_id": "title",
            "label": {"type": "plain_text", "text": "Title"},
            "element": {"type": "plain_text_input", "action_id": "text", "initial_value": "old"},
        }
    ],
}


@dataclass
class Linked:
    """A Bolt app on a socket, and what it was told."""

    playground: Playground
    app: App
    handler: SocketModeHandler | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    retries: list[tuple[str, str]] = field(default_factory=list)
    deaf: threading.Event = field(default_factory=threading.Event)


@pytest.fixture(scope="module")
def clock() -> HandClock:
    return HandClock(START)


@pytest.fixture(scope="module")
def linked(clock: HandClock) -> Iterator[Linked]:
    """One app for the module, since Bolt's socket takes seconds to close."""
    with Playground(
        small_workspace(bot_in=("search", "exec", "platform"), scopes=GENEROUS),
        clock=clock,
        ack_timeout_s=1.0,
        retry_delays_s=(0.0,),
    ) as playground:
        app = App(client=client_of(playground), process_before_response=True)
        linked = Linked(playground=playground, app=app)
        _listen(linked)
        handler = SocketModeHandler(app, playground.app_token, ping_interval=1)
        linked.handler = handler
        handler.connect()  # type: ignore[no-untyped-call] # Bolt has no types there
        playground.wait_until(playground.sockets)
        yield linked
        handler.close()  # type: ignore[no-untyped-call]


def _listen(linked: Linked) -> None:
    app = linked.app

    @app.middleware
    def note(body: dict[str, Any], request: BoltRequest, next: Any) -> Any:
        linked.bodies.append(body)
        number = (request.headers.get("x-slack-retry-num") or [""])[0]
        linked.retries.append((number, (request.headers.get("x-slack-retry-reason") or [""])[0]))
        return next() if not linked.deaf.is_set() else None

    @app.event("message")
    def message() -> None: ...

    @app.event("app_mention")
    def mention() -> None: ...

    @app.command("/why")
    def why(ack: Any, respond: Any, body: dict[str, Any]) -> None:
        ack(text="one moment") if body["text"] == "at once" else ack()
        if body["text"] != "at once":
            respond(text="answer", blocks=BLOCKS)

    @app.action("go")
    def go(ack: Any, respond: Any, body: dict[str, Any]) -> None:
        ack()
        respond(text="replaced", replace_original=True)

    @app.action("more")
    def more(ack: Any, body: dict[str, Any]) -> None:
        ack()
        app.client.views_open(trigger_id=body["trigger_id"], view=MODAL)

    @app.shortcut("record_decision")
    def record(ack: Any) -> None:
        ack()

    @app.view("edit")
    def edit(ack: Any, view: dict[str, Any]) -> None:
        if view["state"]["values"]["title"]["text"]["value"] == "bad":
            ack(response_action="errors", errors={"title": "not that"})
        else:
            ack()

    @app.view_closed("edit")
    def closed(ack: Any) -> None:
        ack()


def test_an_event_is_acked_over_the_socket(linked: Linked) -> None:
    playground = linked.playground

    playground.post("mia", "search", "hello")
    playground.settle()

    delivery = playground.deliveries("message")[-1]
    assert delivery.acked
    assert 0 < (delivery.ack_ms or 0) < 1000
    assert playground.acks("message")[-1] == delivery.ack_ms


def test_a_delivery_that_is_not_acked_in_time_is_retried_with_number_and_reason(linked: Linked) -> None:
    playground = linked.playground
    linked.deaf.set()
    linked.retries.clear()

    ts = playground.post("mia", "platform", "hello?")
    playground.wait_until(lambda: playground.deliveries("message")[-1].gave_up)
    linked.deaf.clear()

    delivery = playground.deliveries("message")[-1]
    assert delivery.payload["event"]["ts"] == ts
    assert [(attempt.retry, attempt.error) for attempt in delivery.attempts] == [(0, "timeout"), (1, "timeout")]
    assert linked.retries[-1] == ("1", "timeout")


def test_each_thing_can_be_delivered_twice_with_the_same_ids_inside(linked: Linked) -> None:
    playground = linked.playground
    playground.deliver_twice = True
    linked.bodies.clear()

    playground.post("mia", "search", "hello")
    playground.settle()
    playground.deliver_twice = False

    assert len({body["event_id"] for body in linked.bodies}) == 1
    assert len(linked.bodies) == 2
    assert len({attempt.envelope_id for attempt in playground.deliveries("message")[-1].attempts}) == 2


def test_a_delivery_can_come_again_as_a_retry(linked: Linked) -> None:
    playground = linked.playground
    playground.post("mia", "search", "hello")
    playground.settle()
    linked.bodies.clear()

    playground.redeliver(playground.deliveries("message")[-1], retry=2, reason="http_error")
    playground.wait_until(lambda: linked.bodies)

    assert linked.retries[-1] == ("2", "http_error")


def test_a_commands_answers_are_seen_by_its_asker_alone(linked: Linked) -> None:
    playground = linked.playground

    receipt = playground.command("noor", "general", "/why", "not Elasticsearch?")
    (answer,) = receipt.wait_for_response()

    assert receipt.acked
    assert playground.screen(answer) == "[Go] [⋯ Red / Blue]"
    assert playground.ephemerals("noor", "general")[-1] == answer
    assert playground.messages("general") == ()


def test_what_stands_in_a_commands_ack_is_shown_too(linked: Linked) -> None:
    receipt = linked.playground.command("mia", "general", "/why", "at once")

    assert [each["text"] for each in receipt.responses] == ["one moment"]


def test_a_press_replaces_what_only_its_reader_sees(linked: Linked) -> None:
    playground = linked.playground
    (answer,) = playground.command("mia", "search", "/why", "x").wait_for_response()

    receipt = playground.press("mia", answer, "go")
    receipt.wait_for_response()

    payload = receipt.delivery.payload
    assert playground.ephemerals("mia")[-1]["text"] == "replaced"
    assert payload["container"]["is_ephemeral"]
    assert "message" not in payload
    assert payload["actions"][0] | {"action_ts": ""} == BUTTON | {"block_id": "acts", "action_ts": ""}


def test_a_press_on_a_public_message_carries_it(linked: Linked) -> None:
    playground = linked.playground
    ts = linked.app.client.chat_postMessage(channel="C0SEARCH", text="card", blocks=BLOCKS)["ts"]

    receipt = playground.press("omar", playground.message("search", ts), "go")
    receipt.wait_for_response()

    assert receipt.delivery.payload["message"]["ts"] == ts
    assert playground.message("search", ts)["text"] == "replaced"


def test_a_modal_is_opened_from_a_menu_filled_in_turned_down_and_saved(linked: Linked) -> None:
    playground = linked.playground
    (answer,) = playground.command("mia", "search", "/why", "x").wait_for_response()

    playground.choose("mia", answer, "more", "Red")
    (view,) = playground.wait_until(lambda: playground.views("mia"))
    turned_down = playground.submit("mia", view, {"text": "bad"})
    still_open = playground.views("mia")
    saved = playground.submit("mia", view)

    assert playground.screen(view) == "[[ Edit ]]\nTitle: old\n[Save]"
    assert turned_down.view_errors == {"title": "not that"}
    assert len(still_open) == 1
    assert saved.view_errors is None
    assert playground.views("mia") == ()


def test_a_closed_modal_is_told_to_those_who_asked(linked: Linked) -> None:
    playground = linked.playground
    (answer,) = playground.command("mia", "search", "/why", "x").wait_for_response()
    playground.choose("mia", answer, "more", "Blue")
    (view,) = playground.wait_until(lambda: playground.views("mia"))

    playground.dismiss("mia", view)
    playground.settle()

    assert playground.deliveries("view_closed")[-1].acked


def test_a_message_shortcut_carries_the_message(linked: Linked) -> None:
    playground = linked.playground
    ts = playground.post("mia", "search", "we stay on pg")

    receipt = playground.shortcut("omar", "record_decision", playground.message("search", ts))

    assert receipt.acked
    assert receipt.delivery.payload["message"]["text"] == "we stay on pg"
    assert receipt.delivery.payload["message_ts"] == ts


def test_a_response_url_serves_five_times(linked: Linked) -> None:
    receipt = linked.playground.command("mia", "search", "/why", "at once")
    hook = WebhookClient(receipt.response_url)

    answers = [hook.send(text=f"{n}").status_code for n in range(6)]

    assert answers == [200] * 5 + [404]
    assert linked.playground.calls("response_url")[-1].error == "used_url"


def test_a_response_url_serves_for_thirty_minutes(linked: Linked, clock: HandClock) -> None:
    receipt = linked.playground.command("mia", "search", "/why", "at once")
    hook = WebhookClient(receipt.response_url)
    clock.advance(29 * 60)
    in_time = hook.send(text="late").status_code
    clock.advance(61)

    too_late = hook.send(text="too late")

    assert (in_time, too_late.status_code) == (200, 404)
    assert json.loads(too_late.body)["error"] == "expired_url"


def test_a_response_url_is_held_to_the_same_limits(linked: Linked) -> None:
    receipt = linked.playground.command("mia", "search", "/why", "at once")
    long = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}

    answer = WebhookClient(receipt.response_url).send(text="x", blocks=[long])

    assert answer.status_code == 400
    assert json.loads(answer.body)["error"] == "invalid_blocks"


def test_a_commands_response_url_replaces_nothing(linked: Linked) -> None:
    playground = linked.playground
    receipt = playground.command("mia", "search", "/why", "at once")
    hook = WebhookClient(receipt.response_url)

    hook.send(text="interim")
    hook.send(text="answer", replace_original=True)

    assert [each["text"] for each in receipt.responses] == ["one moment", "interim", "answer"]


def test_an_answer_for_the_channel_works_where_the_bot_is_not(linked: Linked) -> None:
    playground = linked.playground
    receipt = playground.command("mia", "general", "/why", "at once")

    WebhookClient(receipt.response_url).send(text="for all", response_type="in_channel")

    assert playground.messages("general")[-1]["text"] == "for all"


def test_an_app_that_is_told_to_reconnect_does_and_goes_on(linked: Linked) -> None:
    playground = linked.playground
    assert linked.handler is not None
    client = linked.handler.client
    before = client.session_id()

    playground.disconnect()
    playground.wait_until(lambda: client.session_id() != before)  # Bolt waits up to 3 s for its old socket to end
    playground.wait_until(lambda: playground.sockets() == 1)
    playground.post("mia", "search", "still there?")
    playground.settle()

    assert playground.deliveries("message")[-1].acked


def test_a_commands_payload_can_be_dispatched_as_a_signed_request(playground: Playground) -> None:
    receipt = playground.command("mia", "search", "/why", "x", wait=False)
    body, signed = playground.signed(receipt.delivery)
    headers: dict[str, str | Sequence[str]] = dict(signed)
    app = App(client=client_of(playground), signing_secret=playground.signing_secret, process_before_response=True)
    app.command("/why")(lambda ack: ack("done"))

    good = app.dispatch(BoltRequest(body=body.decode(), headers=headers))
    forged = app.dispatch(BoltRequest(body=body.decode() + "&x=1", headers=headers))

    assert (good.status, good.body) == (200, "done")
    assert forged.status == 401


class _Endpoint(BaseHTTPRequestHandler):
    """Answers 500 to the first request of each path and 200 to the next."""

    seen: list[tuple[str, str]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        type(self).seen.append(
            (self.headers.get("X-Slack-Retry-Num", ""), self.headers.get("X-Slack-Retry-Reason", ""))
        )
        self.send_response(500 if len(type(self).seen) == 1 else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


def test_deliveries_by_http_are_signed_and_retried() -> None:
    _Endpoint.seen = []
    server = HTTPServer(("127.0.0.1", 0), _Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Playground(retry_delays_s=(0.0,)) as playground:
        playground.deliver_to(f"http://127.0.0.1:{server.server_port}/slack/events")

        playground.post("mia", "search", "hello")
        playground.wait_until(lambda: playground.deliveries("message")[0].acked)

    server.shutdown()
    server.server_close()
    assert _Endpoint.seen == [("", ""), ("1", "http_error")]


def test_a_socket_needs_a_fresh_ticket(playground: Playground) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", int(playground.url.rsplit(":", 1)[1]), timeout=5)
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}

    with contextlib.closing(connection):
        connection.request("GET", "/link/made-up", headers=upgrade | {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
        answer = connection.getresponse()
        answer.read()

    assert answer.status == 403
    assert playground.sockets() == 0
