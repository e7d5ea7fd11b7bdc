"""Claude's message batches: the extractor's very requests, many at a time, for half the price and within a day.

A long thread is one request, as it is one call (`bot.claude.window`). What comes back is read and checked as a single
answer is. The SDK retries nothing itself; who asks here is patient (`bot.batch_desk`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import cast

import anthropic
import httpx2
from anthropic.types import Message
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse
from anthropic.types.messages.batch_create_params import Request

from bot.claude.client import ClaudeClient, Misshapen, not_billed, read_answer, translated, usage_of
from bot.claude.extract import PROMPT, Decisions, ask_of, checked, shown
from bot.errors import MaybeSent, ModelAway, NoSuchBatch, Permanent
from bot.ports import BatchRequest, BatchResult, BatchState, Extraction
from store import Thread, Vocabulary

MOST_REQUESTS = 100_000
"""Of one batch, by the API's own limit."""
MOST_BYTES = 128 * 1024 * 1024
"""Of one batch: half of what the API takes, since all of it lies in memory while it is sent."""
_SEND = anthropic.Timeout(600.0, connect=10.0)
_LOOK = anthropic.Timeout(60.0, connect=10.0)
"""Seconds between two bytes, for sending a batch by a slow line and for all other requests; and to be let in."""
_AROUND_BYTES = 64
_ID_CHARS = 48
_PAGE = 100


class ClaudeBatches:
    """The batch port by Claude; one client's model, key and connections."""

    most_requests = MOST_REQUESTS
    most_bytes = MOST_BYTES

    def __init__(self, client: ClaudeClient) -> None:
        """Use the client's model."""
        self._client = client
        self._batches = client.sdk.messages.batches
        self.name = f"{client.model}/{PROMPT}"

    def request(self, thread: Thread, vocabulary: Vocabulary) -> BatchRequest:
        """Return what is asked about a masked thread that holds some text."""
        ask = ask_of(thread, vocabulary, pointed=False)
        body = Request(custom_id=_custom_id(thread), params=self._client.params(Decisions, ask))
        return BatchRequest(
            custom_id=body["custom_id"],
            most_tokens=ask.most_tokens(Decisions),
            size_bytes=len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")) + _AROUND_BYTES,
            body=body,
        )

    def send(self, requests: Sequence[BatchRequest]) -> str:
        """Send one batch within the limits; returns Claude's id of it. See `bot.ports.BatchReader`."""
        bodies = [each.body for each in requests]
        try:
            return self._batches.create(requests=bodies, timeout=_SEND).id  # type: ignore[arg-type]  # made above
        except anthropic.APIStatusError as error:
            if error.status_code >= 500:
                raise MaybeSent("Claude didn't say whether it took the batch") from error
            raise translated(error) from error
        except anthropic.AnthropicError as error:
            if isinstance(error, anthropic.APIConnectionError) and not_billed(error):
                raise translated(error) from error
            raise MaybeSent("Claude didn't say whether it took the batch") from error

    def state(self, given_id: str) -> BatchState:
        """Look how far a batch is. See `bot.ports.BatchReader`."""
        with _in_our_words(given_id):
            return _state(self._batches.retrieve(given_id, timeout=_LOOK))

    def made_since(self, at: datetime) -> Iterator[BatchState]:
        """Yield the account's batches made since a time, newest first. See `bot.ports.BatchReader`."""
        with _in_our_words("any"):
            for batch in self._batches.list(limit=_PAGE, timeout=_LOOK):
                if batch.created_at < at:
                    return
                yield _state(batch)

    def results(self, given_id: str) -> Iterator[BatchResult]:
        """Yield what came of each request of a batch that ended, in any order. See `bot.ports.BatchReader`."""
        with _in_our_words(given_id):
            for line in self._batches.results(given_id, timeout=_LOOK):
                yield _result(line)

    def extraction(self, result: BatchResult, thread: Thread) -> Extraction:
        """Return verified drafts from a result that succeeded. See `bot.ports.BatchReader`."""
        try:
            answer = read_answer(Decisions, cast("Message", result.message))
        except Misshapen as error:
            raise Permanent("Claude's answer didn't have the shape asked for") from error
        return checked(answer, thread, usage=result.usage, provenance=self.name)

    def cancel(self, given_id: str) -> None:
        """Ask that a batch ends early. See `bot.ports.BatchReader`."""
        with _in_our_words(given_id):
            self._batches.cancel(given_id, timeout=_LOOK)

    def delete(self, given_id: str) -> None:
        """Delete a batch that ended with all that it holds. See `bot.ports.BatchReader`."""
        with _in_our_words(given_id):
            self._batches.delete(given_id, timeout=_LOOK)


def _custom_id(thread: Thread) -> str:
    """Return a digest of the thread's place, its basis and all that is shown of it."""
    parts = (thread.place.source, thread.place.anchor, thread.basis, shown(thread))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:_ID_CHARS]


@contextmanager
def _in_our_words(given_id: str) -> Iterator[None]:
    """Turn what goes wrong on the way into Backstory's errors; what isn't Claude's answer counts as its absence."""
    try:
        yield
    except anthropic.NotFoundError as error:
        raise NoSuchBatch(f"Claude knows no batch {given_id}") from error
    except anthropic.AnthropicError as error:
        raise translated(error) from error
    except httpx2.TransportError as error:  # while an answer is read: the SDK translates only what comes before
        raise ModelAway("the connection to Claude broke") from error
    except (ValueError, AttributeError, TypeError):
        # A proxy's page, or a line that broke off; the original may quote people.
        raise ModelAway("something other than Claude answered") from None


def _state(batch: MessageBatch) -> BatchState:
    counts = batch.request_counts
    return BatchState(
        given_id=batch.id,
        made_at=batch.created_at,
        ended=batch.processing_status == "ended",
        processing=counts.processing,
        succeeded=counts.succeeded,
        errored=counts.errored,
        canceled=counts.canceled,
        expired=counts.expired,
    )


def _result(line: MessageBatchIndividualResponse) -> BatchResult:
    result = line.result
    if result.type == "succeeded":
        message = result.message
        return BatchResult(custom_id=line.custom_id, kind=result.type, usage=usage_of(message), message=message)
    error = result.error.error.type if result.type == "errored" else ""
    return BatchResult(custom_id=line.custom_id, kind=result.type, error=error)
