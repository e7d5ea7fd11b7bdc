"""Serving on this machine alone: 127.0.0.1, and no request that came by another name or from another site's page."""

from __future__ import annotations

import asyncio
import socket
import threading
import urllib.parse
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

_HERE = ("127.0.0.1", "localhost")


class LocalOnly:
    """ASGI middleware: refuses requests that came by another name or from another site's page."""

    def __init__(self, app: ASGIApp) -> None:
        """Guard that application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let it through when Host and Origin are local, else answer 403 (or refuse the socket)."""
        if scope["type"] in ("http", "websocket"):
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            origin = headers.get("origin", "")
            if not _local("//" + headers.get("host", "")) or (origin and not _local(origin)):
                if scope["type"] == "websocket":
                    await send({"type": "websocket.close", "code": 1008})
                else:
                    await PlainTextResponse("this playground is for this machine alone", 403)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _local(address: str) -> bool:
    try:
        return urllib.parse.urlsplit(address).hostname in _HERE
    except ValueError:
        return False


class Loopback:
    """uvicorn in a thread; `start` returns once it listens, `stop` once it has ended."""

    def __init__(
        self, routes: Sequence[BaseRoute], *, name: str, ready: Callable[[asyncio.AbstractEventLoop], None]
    ) -> None:
        """Serve these routes; `ready` is called in the server's event loop before the first request."""
        self._name, self._ready = name, ready
        self._started = threading.Event()
        self._socket: socket.socket | None = None
        self.url = ""
        config = uvicorn.Config(
            LocalOnly(Starlette(routes=routes, lifespan=self._lifespan)),
            log_config=None,
            log_level="error",
            access_log=False,
            lifespan="on",
            loop="asyncio",
            ws="websockets-sansio",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self, port: int = 0) -> None:
        """Take that port (0: a free one) and serve there; raises OSError where it is taken."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.bind(("127.0.0.1", port))
        except OSError:
            self._socket.close()
            raise
        self._socket.listen(128)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread.start()
        if not self._started.wait(timeout=10):
            raise RuntimeError(f"the {self._name} did not start within 10 s")

    def stop(self) -> None:
        """End it and close the port."""
        self._server.should_exit = True
        self._thread.join(timeout=10)
        if self._socket is not None:
            self._socket.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket] if self._socket is not None else [])

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self._ready(asyncio.get_running_loop())
        self._started.set()
        yield
