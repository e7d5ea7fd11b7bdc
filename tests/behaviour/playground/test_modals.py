"""Menus, modals and homes as people use them, with an app that answers over HTTP what a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from slack_sdk import WebClient

from bot.playground import Playground, Refusal

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def options(*names: str) -> list[Json]:
    return [{"text": plain(name), "value": name.lower()} for name in names]


def asks(element: Json, block_id: str, **more: Any) -> Json:
    return {"type": "input", "block_id": block_id, "label": plain(block_id.title()), "element": element, **more}


GO: Json = {"type": "button", "text": plain("Go"), "action_id": "go"}
FORM = {
    "type": "modal",
    "title": plain("Form"),
    "submit": plain("Save"),
    "blocks": [
        asks({"type": "plain_text_input", "action_id": "value"}, "name"),
        asks({"type": "static_select", "action_id": "value", "options": options("Red", "Blue")}, "colour"),
        asks({"type": "checkboxes", "action_id": "value", "options": options("One", "Two")}, "boxes", optional=True),
        asks({"type": "users_select", "action_id": "value"}, "who", optional=True),
        asks({"type": "multi_users_select", "action_id": "value"}, "whom", optional=True),
        asks({"type": "datepicker", "action_id": "value", "initial_date": "2026-03-04"}, "day", optional=True),
        {
            "type": "actions",
            "block_id": "acts",
            "elements": [GO],
        },
    ],
}
SMALL = {"type": "modal", "title": plain("Small"), "blocks": [{"type": "divider"}]}


@dataclass
class Script:
    """What the app answers next, and what it was sent."""

    url: str = ""
    answers: list[Json | str] = field(default_factory=list)


@pytest.fixture(scope="module")
def script() -> Iterator[Script]:
    script = Script()

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            answer = script.answers.pop(0) if script.answers else ""
            body = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script.url = f"http://127.0.0.1:{server.server_port}/"
    yield script
    server.shutdown()
    server.server_close()


@pytest.fixture
def answering(playground: Playground, script: Script) -> Playground:
    script.answers.clear()
    playground.deliver_to(script.url)
    return playground


def opened(playground: Playground, client: WebClient, view: Json = FORM) -> Json:
    with playground.world.changed:
        trigger = playground.world.new_trigger("U0MIA")
    client.views_open(trigger_id=trigger, view=view)
    return playground.views("mia")[-1]


def test_a_filled_in_modal_reaches_the_app_by_block_and_action(answering: Playground, client: WebClient) -> None:
    view = opened(answering, client)
    filled = {"name": "Mia", "colour": "Blue", "boxes": ["One", "two"], "who": "U0OMAR", "whom": ["U0RAJ"]}

    receipt = answering.submit("mia", view, filled)

    values = receipt.delivery.payload["view"]["state"]["values"]
    assert values["name"]["value"] == {"type": "plain_text_input", "value": "Mia"}
    assert values["colour"]["value"]["selected_option"]["value"] == "blue"
    assert [each["value"] for each in values["boxes"]["value"]["selected_options"]] == ["one", "two"]
    assert values["who"]["value"]["selected_user"] == "U0OMAR"
    assert values["whom"]["value"]["selected_users"] == ["U0RAJ"]
    assert values["day"]["value"]["selected_date"] == "2026-03-04"
    assert answering.views("mia") == ()


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({}, "missing_input"),
        ({"name": "x", "colour": "Green"}, "no_such_option"),
        ({"name": "x", "colour": "Red", "shape": "round"}, "no_such_action"),
    ],
)
def test_a_modal_is_not_submitted_as_no_person_could(
    answering: Playground, client: WebClient, values: Json, code: str
) -> None:
    view = opened(answering, client)

    with pytest.raises(Refusal) as caught:
        answering.submit("mia", view, values)

    assert caught.value.code == code
    assert answering.deliveries("view_submission") == ()


@pytest.mark.parametrize(
    ("answer", "titles"),
    [
        ("", []),
        ({"response_action": "update", "view": SMALL}, ["Small"]),
        ({"response_action": "push", "view": SMALL}, ["Form", "Small"]),
        ({"response_action": "clear"}, []),
    ],
)
def test_an_acks_response_action_is_done(
    answering: Playground, client: WebClient, script: Script, answer: Json | str, titles: list[str]
) -> None:
    view = opened(answering, client)
    script.answers.append(answer)

    answering.submit("mia", view, {"name": "x", "colour": "Red"})

    assert [each["title"]["text"] for each in answering.views("mia")] == titles


def test_errors_beside_inputs_that_are_not_there_are_a_mistake_of_the_app(
    answering: Playground, client: WebClient, script: Script
) -> None:
    view = opened(answering, client)
    script.answers.append({"response_action": "errors", "errors": {"value": "no such block"}})

    with pytest.raises(Refusal) as caught:
        answering.submit("mia", view, {"name": "x", "colour": "Red"})

    assert caught.value.code == "invalid_view_errors"


def test_a_button_in_a_modal_carries_the_view_and_lets_the_app_push(answering: Playground, client: WebClient) -> None:
    view = opened(answering, client)

    receipt = answering.press("mia", view, "go")
    client.views_push(trigger_id=receipt.trigger_id, view=SMALL)

    payload = receipt.delivery.payload
    assert (payload["container"], payload["view"]["id"]) == ({"type": "view", "view_id": view["id"]}, view["id"])
    assert [each["title"]["text"] for each in answering.views("mia")] == ["Form", "Small"]


def test_a_press_tells_the_app_what_stands_in_the_inputs_beside_it(answering: Playground, client: WebClient) -> None:
    menu = {"type": "static_select", "action_id": "pick", "options": options("Red", "Blue")}
    row = {"type": "actions", "block_id": "row", "elements": [menu, GO]}
    ts = client.chat_postMessage(channel="C0SEARCH", text="choose", blocks=[row])["ts"]
    view = opened(answering, client)

    on_view = answering.press("mia", view, "go", values={"name": "half a na"})
    on_message = answering.press("lena", answering.message("search", ts), "go", values={"pick": "blue"})

    half, day = (on_view.delivery.payload["view"]["state"]["values"][block]["value"] for block in ("name", "day"))
    assert half == {"type": "plain_text_input", "value": "half a na"}
    assert day["selected_date"] == "2026-03-04"
    picked = on_message.delivery.payload["state"]["values"]["row"]["pick"]
    assert picked == {"type": "static_select", "selected_option": options("Blue")[0]}


def test_a_modal_is_used_by_its_reader_alone_and_while_it_is_open(answering: Playground, client: WebClient) -> None:
    view = opened(answering, client, SMALL)
    answering.dismiss("mia", view)
    other = opened(answering, client)

    for act in (lambda: answering.dismiss("mia", view), lambda: answering.press("omar", other, "go")):
        with pytest.raises(Refusal) as caught:
            act()
        assert caught.value.code == "not_found"
    assert answering.deliveries("view_closed") == ()


def test_a_home_is_pressed_and_comes_along_when_it_is_opened_again(answering: Playground, client: WebClient) -> None:
    button = {"type": "button", "text": plain("Look"), "action_id": "look", "value": "1"}
    client.views_publish(user_id="U0MIA", view={"type": "home", "blocks": [{"type": "actions", "elements": [button]}]})
    home = answering.home("mia") or {}

    receipt = answering.press("mia", home, "look")
    answering.open_home("mia")

    assert receipt.delivery.payload["view"]["type"] == "home"
    assert receipt.response_url == ""
    assert answering.deliveries("app_home_opened")[-1].payload["event"]["view"]["id"] == home["id"]


@pytest.mark.parametrize(
    ("element", "choice", "found"),
    [
        ({"type": "static_select", "options": options("Red", "Blue")}, "Blue", {"selected_option": options("Blue")[0]}),
        ({"type": "radio_buttons", "options": options("Red", "Blue")}, "red", {"selected_option": options("Red")[0]}),
        (
            {"type": "static_select", "option_groups": [{"label": plain("G"), "options": options("Red")}]},
            "Red",
            {"selected_option": options("Red")[0]},
        ),
        ({"type": "users_select"}, "U0OMAR", {"selected_user": "U0OMAR"}),
        ({"type": "datepicker"}, "2026-03-05", {"selected_date": "2026-03-05"}),
    ],
)
def test_every_menu_sends_what_was_chosen(
    answering: Playground, client: WebClient, element: Json, choice: str, found: Json
) -> None:
    block = {"type": "actions", "block_id": "acts", "elements": [element | {"action_id": "pick"}]}
    ts = client.chat_postMessage(channel="C0SEARCH", text="pick", blocks=[block])["ts"]

    receipt = answering.choose("omar", answering.message("search", ts), "pick", choice)

    sent = receipt.delivery.payload["actions"][0]
    assert {key: sent[key] for key in found} == found
    assert (sent["type"], sent["block_id"]) == (element["type"], "acts")


def test_feedback_and_icon_buttons_send_their_values(answering: Playground, client: WebClient) -> None:
    sides = {
        "positive_button": {"text": plain("Good"), "value": "up"},
        "negative_button": {"text": plain("Bad"), "value": "down"},
    }
    elements = [
        {"type": "feedback_buttons", "action_id": "vote", **sides},
        {"type": "icon_button", "icon": "trash", "text": plain("Delete"), "action_id": "bin", "value": "7"},
    ]
    ts = client.chat_postMessage(
        channel="C0SEARCH", text="x", blocks=[{"type": "context_actions", "elements": elements}]
    )["ts"]
    message = answering.message("search", ts)

    vote = answering.press("omar", message, "vote", choice="Bad").delivery.payload["actions"][0]
    thrown = answering.press("omar", message, "bin").delivery.payload["actions"][0]

    assert (vote["type"], vote["value"]) == ("feedback_buttons", "down")
    assert (thrown["icon"], thrown["value"]) == ("trash", "7")
    assert answering.screen(message) == "[Good] [Bad] [Delete]"
    with pytest.raises(Refusal):
        answering.press("omar", message, "vote", choice="Perhaps")


def test_a_deleted_message_and_somebody_elses_whisper_cannot_be_pressed(
    answering: Playground, client: WebClient
) -> None:
    blocks = [{"type": "actions", "elements": [{"type": "button", "text": plain("Go"), "action_id": "go"}]}]
    ts = client.chat_postMessage(channel="C0SEARCH", text="x", blocks=blocks)["ts"]
    message = answering.message("search", ts)
    client.chat_delete(channel="C0SEARCH", ts=ts)
    client.chat_postEphemeral(channel="C0SEARCH", user="U0MIA", text="x", blocks=blocks)
    whisper = answering.ephemerals("mia")[0]

    with pytest.raises(Refusal) as gone:
        answering.press("omar", message, "go")
    with pytest.raises(Refusal) as others:
        answering.press("omar", whisper, "go")

    assert (gone.value.code, others.value.code) == ("message_not_found", "user_not_in_channel")


def test_an_answer_can_take_away_what_was_pressed(answering: Playground, client: WebClient) -> None:
    from slack_sdk.webhook import WebhookClient

    blocks = [{"type": "actions", "elements": [{"type": "button", "text": plain("Go"), "action_id": "go"}]}]
    ts = client.chat_postMessage(channel="C0SEARCH", text="x", blocks=blocks)["ts"]
    client.chat_postEphemeral(channel="C0SEARCH", user="U0MIA", text="y", blocks=blocks)
    public = answering.press("mia", answering.message("search", ts), "go").response_url
    private = answering.press("mia", answering.ephemerals("mia")[0], "go").response_url

    for url in (public, private):
        WebhookClient(url).send(delete_original=True)
    after = [WebhookClient(url).send(text="late", replace_original=True).status_code for url in (public, private)]

    assert answering.messages("search") == ()
    assert answering.ephemerals("mia") == ()
    assert after == [400, 400]


def test_a_shortcut_needs_a_message_and_a_name_that_the_app_has(answering: Playground) -> None:
    ts = answering.post("mia", "search", "hello")
    message = answering.message("search", ts)
    answering.delete("mia", "search", ts)

    with pytest.raises(Refusal) as unknown:
        answering.shortcut("mia", "explode", message)
    with pytest.raises(Refusal) as gone:
        answering.shortcut("mia", "record_decision", message)

    assert (unknown.value.code, gone.value.code) == ("unknown_shortcut", "message_not_found")
