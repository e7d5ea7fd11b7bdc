"""One object of S3 on loopback that answers as it is told: slow, broken, truncated, without conditional writes.

Each answer is one step of the script; a request that no step answers fails the test when the server closes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.fakes.loopback import Loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one request gets; `said` is how many bytes are promised, where that isn't the truth."""

    status: int = 200
    code: str = ""
    body: bytes = b""
    said: int | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return f"<Error><Code>{self.code}</Code><Message>no</Message></Error>".encode() if self.code else self.body


class S3Server(Loopback):
    """Answers requests in the order of the script, and keeps what they were."""

    def __init__(self, script: Sequence[Answer]) -> None:
        self.script = list(script)
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.unscripted: list[str] = []
        super().__init__(self._handler())

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if error[0] is None:
            assert self.unscripted == []
            assert self.script == []

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # else a client that waits for a 100 before it sends waits a second

            def do_GET(self) -> None:
                self._answer()

            def do_PUT(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self._answer()

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

            def _answer(self) -> None:
                server.requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
                if not server.script:
                    server.unscripted.append(f"{self.command} {self.path}")
                answer = server.script.pop(0) if server.script else Answer(status=400, code="Unscripted")
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.content) if answer.said is None else answer.said))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(answer.content)
                self.close_connection = True

        return Handler
