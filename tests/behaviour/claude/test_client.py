"""The real SDK against the loopback Claude: what comes of each way in which it can fail."""

import json
import logging
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import BaseModel

from bot.budget import Purpose
from bot.claude.client import Ask, ClaudeClient, client_of
from bot.errors import BackstoryError, Permanent, Transient
from bot.ports import Usage
from tests.fakes import claude_server as fake
from tests.fakes.claude_rules import problem_of
from tests.fakes.claude_server import ClaudeServer


class Weather(BaseModel):
    degrees: int


ASK = Ask(system=("Say how warm it is.",), user="Berlin?", max_tokens=500, effort="low", purpose=Purpose.ANSWER)


@pytest.fixture
def claude() -> Iterator[ClaudeServer]:
    with ClaudeServer() as server:
        yield server


@pytest.fixture
def client(claude: ClaudeServer) -> Iterator[ClaudeClient]:
    client = ClaudeClient(api_key=claude.api_key, base_url=claude.base_url, model="claude-haiku-5-5", pause_s=0.001)
    yield client
    client.close()


def test_an_answer_comes_in_the_shape_asked_for_with_what_it_cost(claude: ClaudeServer, client: ClaudeClient) -> None:
    claude.then(fake.structured({"degrees": 12}))

    answer, usage = client.ask(Weather, ASK, deadline_s=5)

    assert answer == Weather(degrees=12)
    assert usage == client.spent == Usage(calls=1, input_tokens=1200, output_tokens=150)


def test_the_fixed_part_is_marked_for_caching_and_limits_are_explicit(
    claude: ClaudeServer, client: ClaudeClient
) -> None:
    claude.then(fake.structured({"degrees": 12}))

    client.ask(Weather, ASK, deadline_s=5)

    body = claude.received[0].body
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["max_tokens"] == 500
    assert body["output_config"]["effort"] == "low"


def test_a_model_without_effort_is_not_sent_any(claude: ClaudeServer) -> None:
    claude.then(fake.structured({"degrees": 12}))
    client = ClaudeClient(api_key=claude.api_key, base_url=claude.base_url, model="claude-haiku-4-5")

    client.ask(Weather, ASK, deadline_s=5)

    assert "effort" not in claude.received[0].body["output_config"]
    client.close()


@pytest.mark.parametrize(
    "passing",
    [
        fake.failure(429, retry_after_s=0),
        fake.failure(529),
        fake.failure(500),
        fake.failure(503),
        fake.failure(408),
        fake.dropped(),
        fake.schema_miss({"celsius": 12}),
        fake.plain("it's mild"),
    ],
)
def test_what_may_pass_is_tried_again(claude: ClaudeServer, client: ClaudeClient, passing: fake.Scripted) -> None:
    claude.then(replace(passing, may_miss_schema=True), fake.structured({"degrees": 12}))

    answer, _ = client.ask(Weather, ASK, deadline_s=5)

    assert answer.degrees == 12
    assert len(claude.received) == 2


@pytest.mark.parametrize(
    ("answers", "error", "words", "advice"),
    [
        ([fake.failure(529)] * 3, Transient, "Claude is away (529", None),
        ([fake.failure(429, retry_after_s=30)], Transient, "Claude is busy (429", 30.0),
        ([fake.failure(402)], Transient, "budget is used (402", 3600.0),
        ([fake.failure(401)], Transient, "refused the key (401", 3600.0),
        ([fake.failure(403)], Transient, "refused the key (403", 3600.0),
        ([fake.failure(404)], Transient, "doesn't know the model", 3600.0),
        ([fake.dropped()] * 3, Transient, "can't be reached", None),
        ([fake.failure(400)], Permanent, "didn't take the request (400", None),
        ([fake.failure(413)], Permanent, "longer than Claude takes", None),
        ([fake.refusal()], Permanent, "refused to answer", None),
        ([fake.cut_short('{"degr')], Permanent, "cut short", None),
        (
            [fake.Scripted(stop_reason="model_context_window_exceeded", may_miss_schema=True)],
            Permanent,
            "longer than Claude can read",
            None,
        ),
        ([fake.Scripted(stop_reason="pause_turn", may_miss_schema=True)] * 2, Permanent, "asked for, twice", None),
        ([fake.Scripted(status=429, headers={"retry-after": "soon"})] * 3, Transient, "busy", None),
        ([fake.Scripted(status=429, headers={"retry-after-ms": "30000"})], Transient, "busy", 30.0),
        ([fake.schema_miss({"celsius": 1})] * 2, Permanent, "the shape asked for, twice", None),
        ([fake.elsewhere()] * 3, Transient, "something other than Claude answered", None),
    ],
)
def test_what_does_not_pass_is_said_in_our_own_words(
    claude: ClaudeServer,
    client: ClaudeClient,
    answers: list[fake.Scripted],
    error: type[BackstoryError],
    words: str,
    advice: float | None,
) -> None:
    claude.then(*answers)

    with pytest.raises(error, match=r".") as caught:
        client.ask(Weather, ASK, deadline_s=5)

    assert words in str(caught.value)
    assert getattr(caught.value, "retry_after_s", None) == advice
    assert len(claude.received) == len(answers)


@pytest.mark.parametrize("late", [fake.slow(fake.structured({"degrees": 1}), 30), fake.dripping(fake.plain("x"), 0.1)])
def test_nothing_takes_longer_than_its_deadline(
    claude: ClaudeServer, client: ClaudeClient, late: fake.Scripted
) -> None:
    claude.then(replace(late, may_miss_schema=True))
    started = time.monotonic()

    with pytest.raises(Transient, match="in time"):
        client.ask(Weather, ASK, deadline_s=0.4)

    assert time.monotonic() - started < 2


def test_a_busy_claude_is_not_waited_for_past_the_deadline(claude: ClaudeServer, client: ClaudeClient) -> None:
    claude.then(fake.failure(529, retry_after_s=20))
    started = time.monotonic()

    with pytest.raises(Transient):
        client.ask(Weather, ASK, deadline_s=2)

    assert time.monotonic() - started < 1


def test_no_time_left_asks_nothing(claude: ClaudeServer, client: ClaudeClient) -> None:
    with pytest.raises(Transient, match="in time"):
        client.ask(Weather, ASK, deadline_s=0)

    assert claude.received == []


def test_the_product_s_client_asks_the_model_of_the_settings(claude: ClaudeServer) -> None:
    claude.then(fake.structured({"degrees": 12}))
    client = client_of(claude.api_key, base_url=claude.base_url, model="claude-sonnet-5-5")

    client.ask(Weather, ASK, deadline_s=5)

    assert claude.received[0].body["model"] == "claude-sonnet-5-5"
    client.close()


def test_nobody_there_is_transient() -> None:
    with ClaudeServer() as closed:
        url = closed.base_url
    client = ClaudeClient(api_key="k", base_url=url, model="claude-haiku-5-5", pause_s=0.001)

    with pytest.raises(Transient, match="can't be reached"):
        client.ask(Weather, ASK, deadline_s=3)

    client.close()


def test_a_redirect_does_not_carry_the_key_elsewhere(claude: ClaudeServer, client: ClaudeClient) -> None:
    with ClaudeServer() as other:
        claude.then(fake.Scripted(status=307, headers={"location": f"{other.base_url}/v1/messages"}))

        with pytest.raises(BackstoryError):
            client.ask(Weather, ASK, deadline_s=3)

        assert other.received == []


def test_failed_calls_count_what_they_cost(claude: ClaudeServer, client: ClaudeClient) -> None:
    claude.then(fake.refusal())

    with pytest.raises(Permanent):
        client.ask(Weather, ASK, deadline_s=3)

    assert client.spent == Usage(calls=1, input_tokens=1200, output_tokens=150)


def test_no_log_and_no_error_holds_what_people_wrote(
    claude: ClaudeServer, client: ClaudeClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("anthropic").setLevel(logging.DEBUG)
    again = ClaudeClient(api_key=claude.api_key, base_url=claude.base_url, model="claude-haiku-5-5", pause_s=0.001)
    claude.then(*[fake.schema_miss({"Berlin?": "Berlin?"})] * 2)

    with pytest.raises(Permanent) as caught:
        again.ask(Weather, ASK, deadline_s=3)

    chain = [str(error) for error in (caught.value, caught.value.__cause__, caught.value.__context__)]
    assert "Berlin" not in caplog.text + "".join(chain)
    assert claude.api_key not in caplog.text
    again.close()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"temperature": 0.5}, "temperature"),
        ({"model": "claude-haiku-9"}, "is not known"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"messages": [{"role": "user", "content": " "}]}, "a message is empty"),
        ({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "{"}]}, "prefilled"),
        ({"messages": [{"role": "narrator", "content": "a"}]}, "the SDK's types"),
        ({"system": [{"type": "text", "text": "a", "cached": True}]}, "the SDK's types"),
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, "adaptive thinking only"),
        ({"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}}, "additionalProperties"),
        (
            {"output_config": {"format": {"type": "json_schema", "schema": {"type": "integer", "minimum": 1}}}},
            "minimum is not supported",
        ),
    ],
)
def test_the_loopback_claude_refuses_what_the_api_would(change: dict[str, object], problem: str) -> None:
    body = {"model": "claude-haiku-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], **change}
    headers = {"authorization": "Bearer k", "anthropic-version": "2026-10-21", "content-type": "application/json"}

    status, said = problem_of("/v1/messages", headers, json.dumps(body).encode(), body, "k")

    assert status == 400
    assert problem in said


def test_a_call_without_a_script_fails_the_test() -> None:
    def call() -> None:
        with ClaudeServer() as claude:
            client = ClaudeClient(api_key=claude.api_key, base_url=claude.base_url, model="claude-haiku-5-5")
            with pytest.raises(Permanent):
                client.ask(Weather, ASK, deadline_s=3)
            client.close()

    with pytest.raises(AssertionError, match="call 1 has no script"):
        call()
