"""The playground's door: a loopback server for Slack's Web API, its response_urls and its sockets.

Binds 127.0.0.1 alone on a free port, and turns away requests whose Host or Origin isn't this machine's own.
"""

from __future__ import annotations

import asyncio
import json
import urllib.parse
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from bot.playground.loopback import Loopback

Json = dict[str, Any]
BODY_BYTES = 4_000_000
"""Largest request body taken; the largest message is far below."""

Answer = tuple[int, Json, dict[str, str]]
"""HTTP status, JSON body, more headers."""


class Server:
    """Answers the app: `start` returns once it listens, `stop` once it has ended."""

    def __init__(
        self,
        *,
        api: Callable[[str, str, Json], tuple[Answer, float]],
        respond: Callable[[str, bytes], Answer],
        ticket: Callable[[str], bool],
        opened: Callable[[str, Callable[[str], Awaitable[None]]], None],
        received: Callable[[str], None],
        closed: Callable[[str], None],
        ready: Callable[[asyncio.AbstractEventLoop], None],
    ) -> None:
        """Take what answers: `api` gets method, token and arguments, and gives an answer and a delay in seconds."""
        self._api, self._respond, self._ticket = api, respond, ticket
        self._opened, self._received, self._closed = opened, received, closed
        self._links = 0
        routes = [
            Route("/api/{method}", self._on_api, methods=["GET", "POST"]),
            Route("/{source}/{team}/{number}/{secret}", self._on_response_url, methods=["POST"]),
            WebSocketRoute("/link/{ticket}", self._on_socket),
        ]
        self._loopback = Loopback(routes, name="playground-server", ready=ready)

    @property
    def url(self) -> str:
        """Where it serves, "" before it does."""
        return self._loopback.url

    def start(self) -> None:
        """Take a free port and serve there; returns when requests are answered."""
        self._loopback.start()

    def stop(self) -> None:
        """End it and close the port."""
        self._loopback.stop()

    async def _on_api(self, request: Request) -> Response:
        body = await request.body()
        if len(body) > BODY_BYTES:
            return JSONResponse({"ok": False, "error": "request_too_large"}, 413)
        args, token = _arguments(request, body)
        if args is None:
            return JSONResponse({"ok": False, "error": "invalid_post_type"})
        (status, reply, headers), delay_s = self._api(request.path_params["method"], token, args)
        if delay_s:
            await asyncio.sleep(delay_s)
        return JSONResponse(reply, status, headers=headers)

    async def _on_response_url(self, request: Request) -> Response:
        status, reply, headers = self._respond(request.path_params["secret"], await request.body())
        return JSONResponse(reply, status, headers=headers)

    async def _on_socket(self, websocket: WebSocket) -> None:
        ticket = websocket.path_params["ticket"]
        if not self._ticket(ticket):
            await websocket.close(code=1008)
            return
        await websocket.accept()
        self._links += 1
        hello = {"type": "hello", "num_connections": self._links, "connection_info": {}, "debug_info": {}}
        await websocket.send_text(json.dumps(hello))

        async def send(text: str) -> None:
            if text == CLOSE:
                await websocket.close()
            else:
                await websocket.send_text(text)

        self._opened(ticket, send)
        try:
            while True:
                self._received(await websocket.receive_text())
        except (WebSocketDisconnect, RuntimeError):
            pass  # RuntimeError: starlette's word for "it was closed from our side"
        finally:
            self._links -= 1
            self._closed(ticket)


CLOSE = "\x00close"
"""Sent to a socket's sender to close it."""


def _arguments(request: Request, body: bytes) -> tuple[Json | None, str]:
    """Return the arguments of a request, as the SDKs send them, and its token."""
    args: Json = dict(request.query_params)
    content = request.headers.get("content-type", "").split(";")[0]
    if content == "application/json" and body:
        try:
            parsed = json.loads(body)
        except ValueError:
            return None, ""
        if not isinstance(parsed, dict):
            return None, ""
        args |= {name: value for name, value in parsed.items() if value is not None}
    elif body:
        args |= dict(urllib.parse.parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    token = bearer.strip() if scheme.lower() == "bearer" else ""
    return args, str(args.pop("token", "")) or token
