"""The page's own door: who gets in, what each may see, what an act may be. No browser is needed."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from bot.playground import Member, Playground
from bot.playground.api_chat import whisper
from bot.playground.page import Page
from bot.playground.page.site import BODY_BYTES

Reply = tuple[int, dict[str, str], str]


@pytest.fixture(scope="module")
def playground() -> Iterator[Playground]:
    with Playground(retry_delays_s=(), ack_timeout_s=0.1) as opened:
        opened.add_member(Member(id="U0LEFT", name="left", deactivated=True))
        yield opened


@pytest.fixture(scope="module")
def page(playground: Playground) -> Iterator[Page]:
    with Page(playground, person="mia") as opened:
        yield opened


def asked(
    page: Page, path: str = "", *, method: str = "GET", body: Any = None, secret: str = "", **headers: str
) -> Reply:
    """Send one request to the page's server; `secret` stands in for the right one."""
    address = urllib.parse.urlsplit(page.url)
    sent = {"Content-Type": "application/json"} if body is not None else {}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=10)
    try:
        stem = f"/{secret}/" if secret else address.path
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        connection.request(method, stem + path, body=text, headers=sent)
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read().decode()
    finally:
        connection.close()


def screen_of(page: Page, person: str, where: str = "", thread: str = "") -> dict[str, Any]:
    query = urllib.parse.urlencode({"as": person, "in": where, "thread": thread})
    status, _, body = asked(page, f"state?{query}")
    assert status == 200, body
    return dict(json.loads(body))


def act(page: Page, person: str, what: str, **parts: Any) -> tuple[int, dict[str, Any]]:
    status, _, body = asked(page, "act", method="POST", body={"as": person, "what": what, **parts})
    return status, json.loads(body)


def test_it_opens_at_the_place_that_it_was_given_for_whoever_may_read_it(playground: Playground) -> None:
    ts = playground.post("lena", "exec", "Only for us")

    with Page(playground, person="lena", place="exec", thread=ts, suggestions=("no native app?",)) as page:
        first, other = screen_of(page, ""), screen_of(page, "U0NOOR")

    assert (first["me"]["id"], first["open"]["thread"]["ts"], first["suggestions"]) == (
        "U0LENA",
        ts,
        ["no native app?"],
    )
    assert other["place"] != first["place"]
    assert other["open"]["thread"] is None


def test_nothing_is_served_without_the_secret(page: Page) -> None:
    for path in ("", "state?as=U0LENA", "page.js", "changes"):
        status, _, _ = asked(page, path, secret="guessed")
        assert status == 404

    assert asked(page)[0] == 200


def test_the_page_may_load_only_what_comes_from_itself(page: Page) -> None:
    _, headers, body = asked(page)

    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src", "img-src")} == {"'self'"}
    assert {policy[name] for name in ("base-uri", "form-action", "frame-ancestors")} == {"'none'"}
    assert "http" not in body
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
    ],
)
def test_an_act_from_another_page_is_refused(page: Page, headers: dict[str, str]) -> None:
    before = len(screen_of(page, "U0LENA", "C0SEARCH")["open"]["messages"])

    said = {"as": "U0LENA", "what": "say", "channel": "C0SEARCH", "text": "not me"}
    status, _, _ = asked(page, "act", method="POST", body=said, **headers)

    assert status == 403
    assert len(screen_of(page, "U0LENA", "C0SEARCH")["open"]["messages"]) == before


@pytest.mark.parametrize("name", ["seen.py", "..%2Fseen.py", "..%2F..%2Fpeople.py", "third_party.json", "nothing.js"])
def test_only_the_pages_own_files_are_served(page: Page, name: str) -> None:
    assert asked(page, name)[0] == 404


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        "[]",
        "[" * 50_000,
        {"what": "say"},
        {"as": "U0LENA"},
        {"as": "U0LENA", "what": "uninstall"},
        {"as": "U0LENA", "what": "say", "channel": 1, "text": "x"},
        {"as": "U0LENA", "what": "press", "on": [], "action": "x"},
        {"as": "U0LENA", "what": "press", "on": {"channel": "C0SEARCH", "ts": "1"}, "action": "x", "choice": {"a": 1}},
    ],
)
def test_what_is_no_act_is_named_so(page: Page, body: Any) -> None:
    status, _, said = asked(page, "act", method="POST", body=body)

    assert status == 400
    assert json.loads(said)["error"] == "misread"


def test_an_act_that_is_too_large_is_refused_before_it_has_all_come(page: Page) -> None:
    address = urllib.parse.urlsplit(page.url)
    with closing(http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=10)) as connection:
        connection.putrequest("POST", f"{address.path}act")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(10**12))
        connection.endheaders(b"x" * (BODY_BYTES + 1))

        status = connection.getresponse().status

    assert status == 413


def test_everybody_sees_their_own_channels_and_open_ones_alone(page: Page) -> None:
    names = {
        person: {each["name"] for each in screen_of(page, person)["conversations"] if each["kind"] == "channel"}
        for person in ("U0LENA", "U0NOOR", "U0GUEST", "U0EVE")
    }

    assert names["U0LENA"] >= {"exec", "hiring", "search"}
    assert names["U0NOOR"] == {"general", "search", "platform", "partner", "old-search"}
    assert names["U0GUEST"] == {"search"}
    assert names["U0EVE"] == {"partner"}


def test_the_page_begins_with_the_person_that_it_was_given(page: Page) -> None:
    assert screen_of(page, "")["me"]["name"] == "Mia Sørensen"


def test_a_closed_channel_can_not_be_opened_by_its_id(page: Page, playground: Playground) -> None:
    ts = playground.post("lena", "exec", "canary of the board")
    playground.post("omar", "exec", "canary below it", thread_ts=ts)

    screens = [screen_of(page, person, "C0EXEC", ts) for person in ("U0NOOR", "U0GUEST", "U0EVE")]

    assert all("canary" not in json.dumps(screen) and "exec" not in json.dumps(screen) for screen in screens)
    assert "canary below it" in json.dumps(screen_of(page, "U0MIA", "C0EXEC", ts))


def test_what_one_person_alone_is_shown_is_on_no_other_screen(page: Page, playground: Playground) -> None:
    with playground.world.changed:
        whisper(playground.world, playground.world.conversation("search"), "U0MIA", "canary for Mia", [])

    assert "canary for Mia" in json.dumps(screen_of(page, "U0MIA", "C0SEARCH"))
    assert "canary for Mia" not in json.dumps(screen_of(page, "U0LENA", "C0SEARCH"))


def test_nobody_is_a_bot_or_a_deactivated_account(page: Page) -> None:
    for who in ("UBACKSTORY", "U0LEFT", "U0NOBODY"):
        assert asked(page, f"state?as={who}")[0] == 404

    assert {each["id"] for each in screen_of(page, "U0LENA")["people"]}.isdisjoint({"UBACKSTORY", "U0LEFT"})


def test_acts_are_as_strict_as_slack(page: Page, playground: Playground) -> None:
    ts = playground.post("lena", "search", "hello")

    refused = {
        "a closed channel": act(page, "U0NOOR", "say", channel="C0EXEC", text="hi"),
        "an archived one": act(page, "U0LENA", "say", channel="C0OLD", text="hi"),
        "a command in a thread": act(page, "U0LENA", "say", channel="C0SEARCH", thread=ts, text="/why not?"),
        "an unknown command": act(page, "U0LENA", "say", channel="C0SEARCH", text="/nothing"),
        "another's message": act(page, "U0NOOR", "edit", channel="C0SEARCH", ts=ts, text="mine"),
        "nothing": act(page, "U0LENA", "say", channel="C0SEARCH", text="  "),
    }

    assert {what: (status, said["error"]) for what, (status, said) in refused.items()} == {
        "a closed channel": (409, "not_in_channel"),
        "an archived one": (409, "is_archived"),
        "a command in a thread": (409, "command_in_thread"),
        "an unknown command": (409, "unknown_command"),
        "another's message": (409, "cant_update_message"),
        "nothing": (409, "no_text"),
    }


def test_typed_names_become_mentions_but_not_of_a_channel_that_the_writer_can_not_see(
    page: Page, playground: Playground
) -> None:
    _, said = act(
        page, "U0NOOR", "say", channel="C0SEARCH", text="@lena see #platform, not #exec <b> & https://a.example/?b=1&c."
    )

    text = playground.message("search", said["ts"])["text"]

    assert text == ("<@U0LENA> see <#C0PLATFORM|platform>, not #exec &lt;b&gt; &amp; <https://a.example/?b=1&amp;c>.")


def test_who_mentions_the_app_where_it_is_not_is_told(page: Page) -> None:
    _, elsewhere = act(page, "U0NOOR", "say", channel="C0PLATFORM", text="@Backstory why?")
    _, here = act(page, "U0NOOR", "say", channel="C0SEARCH", text="@Backstory why?")

    assert (elsewhere["unheard"], here["unheard"]) == (True, False)


def test_a_reaction_comes_and_goes(page: Page, playground: Playground) -> None:
    ts = playground.post("lena", "search", "hello again")

    act(page, "U0MIA", "react", channel="C0SEARCH", ts=ts, name="bookmark")
    there = playground.message("search", ts)["reactions"]
    act(page, "U0MIA", "react", channel="C0SEARCH", ts=ts, name="bookmark")

    assert there == [{"name": "bookmark", "users": ["U0MIA"], "count": 1}]
    assert playground.message("search", ts)["reactions"] == []


def test_a_change_is_told_at_once(page: Page, playground: Playground) -> None:
    address = urllib.parse.urlsplit(page.url)
    connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=10)
    connection.request("GET", address.path + "changes")
    stream = connection.getresponse()
    first = stream.readline()

    playground.post("lena", "search", "news")
    stream.readline()
    second = stream.readline()
    connection.close()

    assert first.startswith(b"data: ")
    assert second.startswith(b"data: ")
    assert second != first
