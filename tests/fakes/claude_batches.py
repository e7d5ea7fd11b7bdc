"""The Message Batches API of the loopback Claude: create, look, list, read results, cancel, delete; as strict as it is.

Each request of a batch is held to the rules of a single one and answered by the same script, when the batch ends: after
`looks` looks at it. A script's error status makes a result `errored`, `late()` one that `expired`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

PATH = "/v1/messages/batches"
MOST_REQUESTS, MOST_BYTES = 100_000, 256 * 1024 * 1024
_DEFAULT_PAGE, _MOST_PAGE = 20, 1000
_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_KEPT = timedelta(days=1)

Answered = Callable[[Mapping[str, Any]], tuple[str, dict[str, Any]]]
"""From one request's parameters to the kind of its result and what the result holds beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One HTTP answer; `dropped` closes the connection instead, after `body` where there is one."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    dropped: bool = False


@dataclass(slots=True, kw_only=True)
class Fault:
    """What goes wrong with the next call of a kind; a batch may be `taken` all the same."""

    on: str
    """create, look, list, results, cancel or delete."""
    reply: Reply
    taken: bool = False


@dataclass(slots=True, kw_only=True)
class Made:
    """One batch as the server has it."""

    id: str
    requests: list[dict[str, Any]]
    made_at: datetime
    looks: int
    status: str = "in_progress"
    cancelled: bool = False
    results: list[dict[str, Any]] = field(default_factory=list)

    def document(self, base_url: str) -> dict[str, Any]:
        """Return the batch as the API shows it."""
        ended = self.status == "ended"
        kinds = [each["result"]["type"] for each in self.results]
        counts = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
        at = self.made_at.isoformat()
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": self.status,
            "request_counts": {"processing": 0 if ended else len(self.requests), **counts},
            "created_at": at,
            "expires_at": (self.made_at + _KEPT).isoformat(),
            "ended_at": at if ended else None,
            "cancel_initiated_at": at if self.cancelled else None,
            "archived_at": None,
            "results_url": f"{base_url}{PATH}/{self.id}/results" if ended else None,
        }


class BatchFake:
    """All batches of one server; `asked` counts requests that were ever taken, `paid` those that were billed."""

    def __init__(self, answered: Answered, problem_of: Callable[[Mapping[str, Any]], str]) -> None:
        """Answer by `answered`; `problem_of` says what is wrong with one request's parameters."""
        self.made: dict[str, Made] = {}
        self.deleted: list[str] = []
        self.faults: list[Fault] = []
        self.problems: list[str] = []
        self.sizes: list[int] = []
        self.looks = 1
        self.asked = self.paid = 0
        self.clock: Callable[[], datetime] = lambda: datetime.now(UTC)
        self._answered, self._problem_of = answered, problem_of

    def reply(self, method: str, path: str, raw: bytes, base_url: str) -> Reply:
        """Answer one request whose headers are right; called by one thread at a time."""
        path, _, query = path.partition("?")
        steps = path.removeprefix(PATH).strip("/").split("/")
        match method, *steps:
            case "POST", "":
                return self._or_fault("create", lambda: self._create(raw, base_url))
            case "GET", "":
                return self._or_fault("list", lambda: self._list(query, base_url))
            case "GET", id_:
                return self._or_fault("look", lambda: self._look(id_, base_url))
            case "GET", id_, "results":
                return self._or_fault("results", lambda: self._results(id_))
            case "POST", id_, "cancel":
                return self._or_fault("cancel", lambda: self._cancel(id_, base_url))
            case "DELETE", id_:
                return self._or_fault("delete", lambda: self._delete(id_))
            case _:
                return self._problem(404, f"{method} {path}: no such thing")

    def _or_fault(self, on: str, do: Callable[[], Reply]) -> Reply:
        fault = next((each for each in self.faults if each.on == on), None)
        if fault is None:
            return do()
        self.faults.remove(fault)
        if fault.taken:
            do()
        return fault.reply

    def _create(self, raw: bytes, base_url: str) -> Reply:
        body = json.loads(raw)
        if set(body) != {"requests"} or not 1 <= len(body["requests"]) <= MOST_REQUESTS:
            return self._problem(400, f"not 1..{MOST_REQUESTS} requests and nothing else")
        if len(raw) > MOST_BYTES:
            return self._problem(413, f"{len(raw)} bytes are more than {MOST_BYTES}")
        ids = [each.get("custom_id", "") for each in body["requests"]]
        if len(set(ids)) < len(ids) or not all(map(_CUSTOM_ID.fullmatch, ids)):
            return self._problem(400, "custom ids are not unique, or not of 1 to 64 letters, digits, - and _")
        for each in body["requests"]:
            if set(each) != {"custom_id", "params"}:
                return self._problem(400, f"a request has {sorted(each)}")
            if problem := self._problem_of(each["params"]):
                return self._problem(400, problem)
        made = Made(
            id=f"msgbatch_{len(self.sizes) + 1:04}", requests=body["requests"], made_at=self.clock(), looks=self.looks
        )
        self.made[made.id] = made
        self.asked += len(ids)
        self.sizes.append(len(ids))
        return _json(made.document(base_url))

    def _look(self, id_: str, base_url: str) -> Reply:
        if (made := self.made.get(id_)) is None:
            return _error(404, "not_found_error")
        if made.status != "ended":
            made.looks -= 1
            if made.looks < 0 or made.cancelled:
                self._end(made)
        return _json(made.document(base_url))

    def _list(self, query: str, base_url: str) -> Reply:
        asked = {name: values[-1] for name, values in parse_qs(query).items()}
        limit = int(asked.get("limit", _DEFAULT_PAGE))
        if not set(asked) <= {"limit", "after_id", "before_id"} or not 1 <= limit <= _MOST_PAGE:
            return self._problem(400, f"a list is asked for with {query}")
        ids = list(reversed(self.made))
        after = ids.index(asked["after_id"]) + 1 if "after_id" in asked else 0
        page = ids[after : after + limit]
        return _json(
            {
                "data": [self.made[id_].document(base_url) for id_ in page],
                "first_id": page[0] if page else None,
                "last_id": page[-1] if page else None,
                "has_more": after + limit < len(ids),
            }
        )

    def _results(self, id_: str) -> Reply:
        made = self.made.get(id_)
        if made is None:
            return _error(404, "not_found_error")
        if made.status != "ended":
            return self._problem(400, "results are asked for before the batch has ended")
        lines = "".join(json.dumps(each) + "\n" for each in reversed(made.results))
        return Reply(body=lines.encode(), content_type="application/x-jsonl")

    def _cancel(self, id_: str, base_url: str) -> Reply:
        made = self.made.get(id_)
        if made is None:
            return _error(404, "not_found_error")
        if made.status == "ended":
            return self._problem(400, "a batch that ended can't be cancelled")
        made.status, made.cancelled = "canceling", True
        return _json(made.document(base_url))

    def _delete(self, id_: str) -> Reply:
        made = self.made.get(id_)
        if made is None:
            return _error(404, "not_found_error")
        if made.status != "ended":
            return self._problem(400, "a batch is deleted before it has ended")
        del self.made[id_]
        self.deleted.append(id_)
        return _json({"id": id_, "type": "message_batch_deleted"})

    def _end(self, made: Made) -> None:
        for at, each in enumerate(made.requests):
            kind, more = ("canceled", {}) if made.cancelled and at else self._answered(each["params"])
            self.paid += kind == "succeeded"
            made.results.append({"custom_id": each["custom_id"], "result": {"type": kind, **more}})
        made.status = "ended"

    def _problem(self, status: int, problem: str) -> Reply:
        self.problems.append(problem)
        return _error(status, "invalid_request_error")


def _json(document: Mapping[str, Any]) -> Reply:
    return Reply(body=json.dumps(document).encode())


def _error(status: int, kind: str) -> Reply:
    body = {"type": "error", "error": {"type": kind, "message": "scripted"}, "request_id": "req_scripted"}
    return Reply(status=status, body=json.dumps(body).encode())


def error_of(status: int) -> Reply:
    """Return an HTTP error of the API."""
    return _error(status, "api_error")
