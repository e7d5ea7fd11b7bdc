"""One call to Claude: structured output, one deadline, one retry policy, errors in Backstory's own words.

Every other module of this room goes through `ClaudeClient.ask`. The SDK retries nothing itself. Nothing of
a prompt or an answer gets into an error's text or a log. Each call sets aside the most that it can cost before it is
sent (`bot.budget`); one that ends without word of its cost counts in full.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Literal, TypeVar

import anthropic
import httpx2
from anthropic.types import Message, TextBlock, TextBlockParam
from pydantic import BaseModel, ValidationError

from bot.budget import Budget, Purpose, Reserved
from bot.claude.prompting import tokens
from bot.errors import BackstoryError, BudgetUsed, ModelAway, Permanent
from bot.ports import Usage
from store import StoreError

if TYPE_CHECKING:
    from anthropic.types import OutputConfigParam
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

DEFAULT_BASE_URL = "https://api.anthropic.com"

_ATTEMPTS = 3
"""Calls within one deadline; a fourth has never helped a person who waits 12 seconds."""

_PAUSE_S = 0.5
"""Before the second call, doubled before the third, with up to a quarter at random added."""

_CONNECT_S = 3.0
"""A host that takes longer to accept is away; the rest of the deadline is for the answer."""

_ADMIN_RETRY_S = 3600.0
"""A refused key, an empty account or an unknown model needs a person: worth asking again in an hour."""

_ENVELOPE_TOKENS = 500
"""What the API adds around a request's text, on the safe side."""

_WITHOUT_EFFORT = ("claude-haiku-4", "claude-sonnet-4-5")
"""Models that refuse a request with `output_config.effort`."""

Effort = Literal["low", "medium", "high"]
AnswerT = TypeVar("AnswerT", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What one call asks: fixed system blocks (cached in this order), the user's text, and its limits."""

    system: tuple[str, ...]
    user: str
    max_tokens: int
    effort: Effort
    purpose: Purpose

    def most_tokens(self, answer: type[BaseModel]) -> int:
        """Return the most that one call can cost, read and written together."""
        read = sum(map(tokens, (*self.system, self.user, _schema_text(answer))))
        return read + _ENVELOPE_TOKENS + self.max_tokens


class ClaudeClient:
    """Claude by its Messages API; thread-safe, one connection pool, closed by `close`."""

    def __init__(
        self,
        *,
        api_key: str,
        model: str,
        base_url: str = "",
        budget: Budget | None = None,
        connect_s: float = _CONNECT_S,
        pause_s: float = _PAUSE_S,
    ) -> None:
        """Open nothing yet.

        Args:
            api_key: the one credential; the SDK's other sources (environment, profiles) aren't read.
            model: any model id of the API.
            base_url: where the API is, "" for Anthropic's own; redirects from it are not followed.
            budget: what the calls may cost in a month; None for no limit.
            connect_s: seconds to wait for a connection.
            pause_s: seconds before the second try.
        """
        self.model = model
        self._budget = budget
        self._connect_s = connect_s
        self._pause_s = pause_s
        self._spent = Usage()
        self._lock = Lock()
        self._http = anthropic.DefaultHttpxClient(follow_redirects=False)
        self.sdk = anthropic.Anthropic(
            api_key=api_key,
            base_url=base_url or DEFAULT_BASE_URL,
            timeout=60.0,
            max_retries=0,
            http_client=self._http,
            open_telemetry=False,
        )
        # At DEBUG the SDK logs whole requests, which hold people's messages.
        logger = logging.getLogger("anthropic")
        logger.setLevel(max(logger.level, logging.INFO))

    @property
    def spent(self) -> Usage:
        """All that this client has cost so far, failed calls included where the API said what they cost."""
        with self._lock:
            return self._spent

    def close(self) -> None:
        """Close the connections."""
        self.sdk.close()

    def ask(self, answer: type[AnswerT], ask: Ask, *, deadline_s: float) -> tuple[AnswerT, Usage]:
        """Return Claude's answer in the shape asked for, and what it cost.

        Tries again after what may pass (no connection, 408, 409, 429, 5xx, an answer of the wrong shape) as long as the
        pause, by Claude's own advice where given, ends before the deadline.

        Raises:
            BudgetUsed: the month's budget doesn't bear the call, which was not made, or the account is empty.
            ModelAway: away, busy, or nothing within the deadline; `retry_after_s` is an hour where an admin is needed.
            Permanent: refused, cut short, too large, or twice of the wrong shape.
        """
        deadline = time.monotonic() + deadline_s
        before = Usage()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                message = self._call(answer, ask, deadline - time.monotonic())
                usage = self._counted(message, before)
                return read_answer(answer, message), usage
            except Misshapen as error:
                before = usage
                if attempt > 1:
                    raise Permanent("Claude's answer didn't have the shape asked for, twice") from error
            except ModelAway as error:
                advice = error.retry_after_s
                pause = self._pause_s * 2 ** (attempt - 1) * random.uniform(1, 1.25) if advice is None else advice  # noqa: S311 - spreads retries, hides nothing
                if attempt == _ATTEMPTS or time.monotonic() + pause >= deadline:
                    raise
                time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def params(self, answer: type[BaseModel], ask: Ask) -> MessageCreateParamsNonStreaming:
        """Return the request, as one call sends it and as a batch holds it."""
        output: OutputConfigParam = {"format": {"type": "json_schema", "schema": json.loads(_schema_text(answer))}}
        if not self.model.startswith(_WITHOUT_EFFORT):
            output["effort"] = ask.effort
        return {
            "model": self.model,
            "max_tokens": ask.max_tokens,
            "system": _cached(ask.system),
            "messages": [{"role": "user", "content": ask.user}],
            "output_config": output,
        }

    def _call(self, answer: type[BaseModel], ask: Ask, remaining_s: float) -> Message:
        """Make one request and return its message, or raise within the time left, however the bytes drip in."""
        if remaining_s <= 0:
            raise ModelAway("Claude didn't answer in time")
        held = self._budget.reserve(ask.purpose, ask.most_tokens(answer)) if self._budget else None
        params = self.params(answer, ask)

        def send() -> Message:
            with _settled(held) as ended:
                message = self.sdk.messages.create(
                    **params, timeout=anthropic.Timeout(remaining_s, connect=min(self._connect_s, remaining_s))
                )
                ended.append(message)
            return message

        # httpx2 counts its timeout from byte to byte; the pool's thread is left behind when the whole takes too long,
        # and counts what the call did cost when it ends.
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="claude")
        try:
            return pool.submit(send).result(timeout=remaining_s + 0.1)
        except TimeoutError as error:
            raise ModelAway("Claude didn't answer in time") from error
        except anthropic.AnthropicError as error:
            raise translated(error) from error
        finally:
            pool.shutdown(wait=False)

    def _counted(self, message: object, before: Usage) -> Usage:
        """Return the cost so far with this message's, and add it to what was spent."""
        if not isinstance(message, Message) or message.usage is None:
            raise ModelAway("something other than Claude answered")
        one = usage_of(message)
        with self._lock:
            self._spent = self._spent + one
        return before + one


def client_of(api_key: str, *, base_url: str = "", model: str, budget: Budget | None = None) -> ClaudeClient:
    """Return the client that the product uses: the room's own waits and pauses."""
    return ClaudeClient(api_key=api_key, base_url=base_url, model=model, budget=budget)


class Misshapen(Exception):
    """An answer that is not the JSON asked for."""


def usage_of(message: Message) -> Usage:
    """Return what the API says that one call cost; what it read from its cache counts like the rest."""
    billed = message.usage
    cached = (billed.cache_read_input_tokens or 0) + (billed.cache_creation_input_tokens or 0)
    return Usage(calls=1, input_tokens=billed.input_tokens + cached, output_tokens=billed.output_tokens)


@contextmanager
def _settled(held: Reserved | None) -> Iterator[list[object]]:
    """Count what a call did cost: what its message says, nothing where it was refused, all that was set aside else."""
    ended: list[object] = []
    cost: int | None = None
    try:
        yield ended
        if ended and isinstance(message := ended[0], Message) and message.usage is not None:
            usage = usage_of(message)
            cost = usage.input_tokens + usage.output_tokens
    except (anthropic.APIStatusError, anthropic.APIConnectionError) as error:
        if not_billed(error):
            cost = 0
        raise
    finally:
        if held is not None and cost is not None:
            # Where the ledger can't be written now, the call stays set aside, which counts no less.
            with suppress(StoreError):
                held.settle(cost) if cost else held.release()


def not_billed(error: anthropic.APIError) -> bool:
    """Say whether a failed call surely cost nothing: the API refused it, or no connection came about."""
    if isinstance(error, anthropic.APIStatusError):
        return True
    return isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)


@cache
def _schema_text(answer: type[BaseModel]) -> str:
    return json.dumps(anthropic.transform_schema(answer))


def read_answer(answer: type[AnswerT], message: Message) -> AnswerT:
    """Return what a message says; why it stopped is looked at first, since a cut answer is no JSON either.

    Raises:
        Permanent: Claude refused, or its answer was cut short.
        Misshapen: it is not the JSON asked for.
    """
    match message.stop_reason:
        case "end_turn" | "stop_sequence":
            pass
        case "refusal":
            raise Permanent("Claude refused to answer")
        case "max_tokens":
            raise Permanent("Claude's answer was cut short")
        case "model_context_window_exceeded":
            raise Permanent("the thread is longer than Claude can read")
        case _:
            raise Misshapen
    text = "".join(block.text for block in message.content if isinstance(block, TextBlock))
    try:
        return answer.model_validate_json(text)
    except ValidationError as error:
        # The original quotes the answer, which quotes people.
        raise Misshapen(f"{error.error_count()} fields") from None


def _cached(blocks: Sequence[str]) -> list[TextBlockParam]:
    """Return the fixed blocks, each ending a part that the API may cache; the part that varies most comes last."""
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}} for text in blocks]


def translated(error: anthropic.AnthropicError) -> BackstoryError:
    """Return an error of the SDK's in Backstory's own words."""
    match error:
        case anthropic.APITimeoutError():
            return ModelAway("Claude didn't answer in time")
        case anthropic.APIConnectionError():
            return ModelAway("Claude can't be reached")
        case anthropic.APIStatusError():
            return _of_status(error)
        case _:
            return Permanent(f"the SDK gave up: {type(error).__name__}")


def _of_status(error: anthropic.APIStatusError) -> BackstoryError:
    status, where = error.status_code, f"{error.status_code}, request {error.request_id or 'unnamed'}"
    if status == 402:
        return BudgetUsed(f"the model's budget is used ({where})", retry_after_s=_ADMIN_RETRY_S)
    if status in (401, 403):
        return ModelAway(f"Claude refused the key ({where})", retry_after_s=_ADMIN_RETRY_S)
    if status == 404:
        return ModelAway(f"Claude doesn't know the model or the address ({where})", retry_after_s=_ADMIN_RETRY_S)
    if status == 413:
        return Permanent(f"the thread is longer than Claude takes ({where})")
    if status == 429:
        return ModelAway(f"Claude is busy ({where})", retry_after_s=_advice_s(error))
    if status in (408, 409) or status >= 500:
        return ModelAway(f"Claude is away ({where})", retry_after_s=_advice_s(error))
    return Permanent(f"Claude didn't take the request ({where}, {error.type or 'no type'})")


def _advice_s(error: anthropic.APIStatusError) -> float | None:
    """Return the seconds of the retry-after header; a date or nonsense counts as no advice."""
    for header, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(error.response.headers[header]) / scale
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None
