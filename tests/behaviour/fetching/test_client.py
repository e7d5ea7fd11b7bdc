"""Another system's interface over real HTTP: what is waited for and how long, and what is refused."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import pytest

from bot.errors import Permanent, Transient
from bot.fetching import Api
from bot.fetching.client import TRIES, NotThere
from tests.fakes.systems_server import TOKEN, Systems

NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)
PATH = "/repos/acme/shop/issues"
SPENT = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOON.timestamp()) + 3_000)}


@pytest.fixture
def systems() -> Iterator[Systems]:
    with Systems() as opened:
        yield opened


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def api(systems: Systems, waits: list[float]) -> Iterator[Api]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with closing(Api(systems.url, headers=headers, pause=waits.append, now=lambda: NOON, most_bytes=2_000)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("status", "headers", "body", "seconds"),
    [
        (429, {"Retry-After": "7"}, b"{}", 7),
        (503, {"Retry-After": "Sat, 02 May 2026 12:01:30 GMT"}, b"{}", 90),
        (503, {"Retry-After": "Sat, 02 May 2026 11:00:00 GMT"}, b"{}", 0),
        (403, SPENT, b"{}", 3_000),
        (403, {}, b'{"message": "You have exceeded a secondary rate limit."}', 60),
        (429, {"ratelimit-reset": "20"}, b"{}", 20),
    ],
)
def test_a_limit_is_waited_for_as_long_as_the_system_says(
    api: Api, systems: Systems, waits: list[float], status: int, headers: dict[str, str], body: bytes, seconds: float
) -> None:
    systems.answers, systems.body = [(status, headers)], body

    found = api.get(PATH)

    assert found == []
    assert waits == [seconds]


@pytest.mark.parametrize("said", ["in a while", "Sat, 02 May 2026 12:00:00"])
def test_an_outage_or_what_can_not_be_understood_is_waited_for_briefly(
    api: Api, systems: Systems, waits: list[float], said: str
) -> None:
    hour = {**SPENT, "x-ratelimit-remaining": "4000"}
    systems.answers = [(502, hour), (503, {"Retry-After": said})]

    api.get(PATH)

    assert len(waits) == 2
    assert max(waits) <= 4


def test_a_limit_of_a_day_is_not_waited_for(api: Api, systems: Systems, waits: list[float]) -> None:
    systems.answers = [(429, {"Retry-After": "86400"})]

    with pytest.raises(Transient, match="go on later") as refused:
        api.get(PATH)

    assert (refused.value.retry_after_s, waits) == (86_400, [])


@pytest.mark.parametrize(
    ("headers", "body"),
    [({}, b"[" + b"1," * 4_000 + b"1]"), ({"Content-Encoding": "gzip"}, gzip.compress(b"[" + b" " * 300_000 + b"]"))],
)
def test_a_page_is_read_no_further_than_its_limit(
    api: Api, systems: Systems, headers: dict[str, str], body: bytes
) -> None:
    systems.answers, systems.body = [(200, headers)], body

    with pytest.raises(Permanent, match="more than 2,000 bytes"):
        api.get(PATH)


@pytest.mark.parametrize("body", [b"<html>", b"[" * 1_900, b"\xff\xfe"])
def test_what_is_no_json_is_said(api: Api, systems: Systems, body: bytes) -> None:
    systems.answers, systems.body = [(200, {})], body

    with pytest.raises(Permanent, match="not JSON"):
        api.get(PATH)


def test_what_is_packed_is_unpacked(api: Api, systems: Systems) -> None:
    systems.answers, systems.body = [(200, {"Content-Encoding": "gzip"})], gzip.compress(b'[{"a": 1}]')

    assert api.get(PATH) == [{"a": 1}]


@pytest.mark.parametrize("next_page", ["http://[", "http://169.254.169.254/latest", "https://{here}/next"])
def test_a_next_page_that_is_not_there_is_not_asked_for(api: Api, systems: Systems, next_page: str) -> None:
    link = next_page.replace("{here}", systems.url.removeprefix("http://"))
    systems.answers, systems.body = [(200, {"Link": f'<{link}>; rel="next"'})], b"[]"

    with pytest.raises(Permanent, match="another host"):
        list(api.pages(PATH, {}))

    assert len(systems.asked) == 1


def test_what_is_not_there_and_what_is_refused_are_told_apart(api: Api, systems: Systems) -> None:
    systems.answers = [(410, {}), (422, {})]

    with pytest.raises(NotThere):
        api.get(PATH)
    with pytest.raises(Permanent, match="answered 422"):
        api.get(PATH)


def test_a_system_that_is_away_is_tried_some_times(waits: list[float]) -> None:
    with Systems() as gone:
        url = gone.url
    with (
        closing(Api(url, headers={}, pause=waits.append, now=lambda: NOON)) as api,
        pytest.raises(Transient, match="can't be reached"),
    ):
        api.get(PATH)

    assert len(waits) == TRIES - 1
