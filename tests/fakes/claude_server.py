"""A strict `/v1/messages` on loopback that answers from a script and refuses what Claude's API would refuse.

What it refuses stands in `claude_rules`, its batches in `claude_batches`. Anything wrong with a request, and any call
that no script answers, fails the test when the server closes.

    with ClaudeServer([structured({"decisions": []})]) as claude:
        client = ClaudeClient(api_key=claude.api_key, base_url=claude.base_url)
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, get_args

import jsonschema
from anthropic.types import Model

from tests.fakes import claude_batches
from tests.fakes.claude_batches import BatchFake, Reply
from tests.fakes.claude_rules import holds_key, problem_of, text_of, wrong_params

API_KEY = "sk-ant-loopback"

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "invalid_request_error",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it arrived."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def system(self) -> str:
        """The system prompt's blocks, joined by blank lines."""
        return text_of(self.body.get("system", ""))

    @property
    def user(self) -> str:
        """What the user's messages say, joined by blank lines."""
        return "\n\n".join(
            text_of(message["content"]) for message in self.body["messages"] if message["role"] == "user"
        )

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema that the answer must keep, None for plain text."""
        format_ = (self.body.get("output_config") or {}).get("format")
        return None if format_ is None else format_["schema"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """One answer: a message, an error, or a connection that breaks."""

    text: str = ""
    stop_reason: str = "end_turn"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drip_s: float = 0.0
    """Seconds between the bytes of the answer; 0 sends it at once."""
    dropped: bool = False
    late: bool = False
    """In a batch: its day is over before this one's turn."""
    may_miss_schema: bool = False
    raw: bytes | None = None
    input_tokens: int = 1200
    output_tokens: int = 150
    cached_tokens: int = 0


Script = Callable[[Received], Scripted]


def plain(text: str) -> Scripted:
    """Answer in words."""
    return Scripted(text=text)


def structured(value: object) -> Scripted:
    """Answer with JSON; the server checks that it keeps the schema of the request."""
    return Scripted(text=json.dumps(value, ensure_ascii=False))


def schema_miss(value: object) -> Scripted:
    """Answer with JSON of another shape than asked for."""
    return Scripted(text=json.dumps(value), may_miss_schema=True)


def refusal(text: str = "") -> Scripted:
    """Refuse, as the safety classifiers do."""
    return Scripted(text=text, stop_reason="refusal", may_miss_schema=True)


def cut_short(text: str = '{"decisions": [{"title": "Sea') -> Scripted:
    """Stop in the middle of the JSON because `max_tokens` is used up."""
    return Scripted(text=text, stop_reason="max_tokens", may_miss_schema=True)


def failure(status: int, *, retry_after_s: float | None = None) -> Scripted:
    """Answer with an HTTP error, with the advice when to come back where given."""
    headers = {} if retry_after_s is None else {"retry-after": f"{retry_after_s:g}"}
    return Scripted(status=status, headers=headers)


def dropped() -> Scripted:
    """Close the connection without an answer."""
    return Scripted(dropped=True)


def late() -> Scripted:
    """Let a request of a batch expire."""
    return Scripted(late=True, may_miss_schema=True)


def elsewhere() -> Scripted:
    """Answer as a proxy's sign-in page would: 200, HTML."""
    return Scripted(raw=b"<html><body>Sign in</body></html>", headers={"content-type": "text/html"})


def slow(answer: Scripted, seconds: float) -> Scripted:
    """Give the same answer, later."""
    return replace(answer, delay_s=seconds)


def dripping(answer: Scripted, seconds: float) -> Scripted:
    """Give the same answer byte by byte."""
    return replace(answer, drip_s=seconds)


class ClaudeServer:
    """The server: port 0, in its own threads, closed by leaving the `with` block, which raises what went wrong."""

    def __init__(self, script: Script | Iterable[Scripted] = (), *, api_key: str = API_KEY) -> None:
        """Take a callable that answers each request, or answers to give in order."""
        self.api_key = api_key
        self.received: list[Received] = []
        self.problems: list[str] = []
        self._script = script if callable(script) else None
        self._queue: list[Scripted] = [] if callable(script) else list(script)
        self.batches = BatchFake(self._of_batch, wrong_params)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """Where the SDK's `base_url` must point."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def then(self, *answers: Scripted) -> None:
        """Script more answers, given after those that are waiting."""
        with self._lock:
            self._queue.extend(answers)

    def __enter__(self) -> ClaudeServer:
        """Serve."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop, and fail on any problem unless the test has failed already."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if (problems := [*self.problems, *self.batches.problems]) and error is None:
            raise AssertionError("\n".join(problems))

    def answer(self, received: Received, problem: str, status: int) -> Scripted:
        """Return what the script has for a request; called by the handler's threads."""
        with self._lock:
            self.received.append(received)
            if problem:
                self.problems.append(problem)
                return failure(status)
            if self._script is None and not self._queue:
                self.problems.append(f"call {len(self.received)} has no script")
                return failure(400)
            queued = None if self._script else self._queue.pop(0)
        answer = queued if queued is not None else self._called(received)
        if missed := _missed(answer, received):
            self.problems.append(missed)
        return answer

    def batch(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Reply:
        """Answer a request to the batches; called by the handler's threads."""
        if not holds_key(headers, self.api_key):
            return claude_batches.error_of(401)
        with self._lock:
            return self.batches.reply(method, path, raw, self.base_url)

    def _of_batch(self, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        received = Received(params, {})
        answer = self._called(received) if self._script else self._queue.pop(0)
        if missed := _missed(answer, received):
            self.problems.append(missed)
        if answer.late:
            return "expired", {}
        if answer.status != 200:
            return "errored", {"error": _error(answer.status, "scripted")}
        return "succeeded", {"message": _payload(answer, "", params)}

    def _called(self, received: Received) -> Scripted:
        assert self._script is not None
        try:
            return self._script(received)
        except (LookupError, ValueError, AssertionError) as error:
            self.problems.append(f"the script failed: {error!r}")
            return failure(400)

    def wait(self, seconds: float) -> None:
        """Let time pass, no longer than the server stays open."""
        self._closing.wait(seconds)


def _handler_of(server: ClaudeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

        def _batch(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.batch(self.command, self.path, headers, raw)
            if reply.dropped:
                self.close_connection = True
                if not reply.body:
                    return
            with contextlib.suppress(OSError):
                self.send_response(reply.status)
                self.send_header("content-type", reply.content_type)
                self.send_header("content-length", str(len(reply.body) + reply.dropped))
                self.end_headers()
                self.wfile.write(reply.body)

        def do_DELETE(self) -> None:
            self._batch()

        def do_GET(self) -> None:
            """Answer a look-up of a model, as the API does: who may ask, and whether there is one."""
            if self.path.startswith(claude_batches.PATH):
                self._batch()
                return
            sent = {name.lower(): value for name, value in self.headers.items()}
            model = self.path.partition("/v1/models/")[2].partition("?")[0]
            if f"Bearer {server.api_key}" != sent.get("authorization") and server.api_key != sent.get("x-api-key"):
                status, body = 401, _error(401, "invalid key")
            elif model not in get_args(get_args(Model)[0]):
                status, body = 404, _error(404, "no such model")
            else:
                status, body = 200, {
                    "type": "model", "id": model, "display_name": model.replace("-", " ").title(),
                    "created_at": "2026-01-01T00:00:00Z",
                }  # fmt: skip
            payload = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def do_POST(self) -> None:
            if self.path.startswith(claude_batches.PATH):
                self._batch()
                return
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                body = json.loads(raw)
            except ValueError:
                body = {}
            status, problem = problem_of(self.path, headers, raw, body, server.api_key)
            answer = server.answer(Received(body if isinstance(body, dict) else {}, headers), problem, status)
            server.wait(answer.delay_s)
            if answer.dropped:
                self.close_connection = True
                return
            with contextlib.suppress(OSError):
                self._send(answer, problem, body)

        def _send(self, answer: Scripted, problem: str, body: Mapping[str, Any]) -> None:
            payload = answer.raw if answer.raw is not None else json.dumps(_payload(answer, problem, body)).encode()
            self.send_response(answer.status)
            self.send_header("request-id", f"req_{len(server.received):04}")
            headers = {"content-type": "application/json", **answer.headers, "content-length": str(len(payload))}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if not answer.drip_s:
                self.wfile.write(payload)
                return
            for byte in payload:
                server.wait(answer.drip_s)
                self.wfile.write(bytes([byte]))

    return Handler


def _error(status: int, message: str) -> dict[str, Any]:
    kind = _ERROR_TYPES.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"}


def _payload(answer: Scripted, problem: str, body: Mapping[str, Any]) -> dict[str, Any]:
    if answer.status != 200:
        return _error(answer.status, problem or f"scripted {answer.status}")
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": answer.text}] if answer.text else [],
        "stop_reason": answer.stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "cache_read_input_tokens": answer.cached_tokens,
            "cache_creation_input_tokens": 0,
        },
    }


def _missed(answer: Scripted, received: Received) -> str:
    """Return how a scripted answer misses the schema of its request, which Claude's own would keep."""
    if (
        received.schema is None
        or answer.status != 200
        or answer.raw is not None
        or answer.may_miss_schema
        or answer.dropped
    ):
        return ""
    try:
        jsonschema.Draft202012Validator(received.schema).validate(json.loads(answer.text))
    except (ValueError, jsonschema.ValidationError) as error:
        return f"the scripted answer misses the schema: {error}"[:600]
    return ""
