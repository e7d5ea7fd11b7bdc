"""The page's server: loopback alone, under an address that nobody can guess, with a strict content policy.

GET  /SECRET/            the page; its files beside it
GET  /SECRET/state       what one person sees (`as`, `in`, `thread`)
POST /SECRET/act         what one person does
GET  /SECRET/changes     server-sent events: a number whenever something changed
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import threading
from collections.abc import AsyncIterator, Sequence
from importlib.resources import files
from types import TracebackType

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from bot.playground.loopback import Loopback
from bot.playground.page.done import Misread, do
from bot.playground.page.seen import seen
from bot.playground.playground import Playground
from bot.playground.refusal import Refusal

BODY_BYTES = 200_000
"""Largest act taken: a modal's state and a message of 40,000 characters fit."""
TOGETHER_S = 0.05
"""Seconds for which changes are told together."""
BREATH_S = 15.0
"""Seconds of silence after which a comment keeps the stream open."""
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_NAME = re.compile(r"[a-z-]+\.[a-z]+")
_BUILT = files("bot.playground.page") / "built"


class Page:
    """A page on which people use a playground; a context manager that serves while it is open."""

    def __init__(
        self,
        playground: Playground,
        *,
        port: int = 0,
        person: str = "",
        place: str = "",
        thread: str = "",
        suggestions: Sequence[str] = (),
    ) -> None:
        """Show that playground on a port of this machine.

        Args:
            playground: what is shown.
            port: where; 0: a free one.
            person: to whom at first; "" to the workspace's first.
            place: the channel that lies open at first, by name; "" the first that they have.
            thread: the ts of the thread that lies open beside it at first, "" none.
            suggestions: questions that the page offers to ask.
        """
        self._play, self._port, self._person = playground, port, person
        self._place = playground.world.conversation(place).id if place else ""
        self._thread, self._suggestions = thread, list(suggestions)
        self._secret = secrets.token_urlsafe(12)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[asyncio.Event] = set()
        self._version = 0
        self._ended = False
        self._watcher = threading.Thread(target=self._watch, name="playground-watcher", daemon=True)
        stem = f"/{self._secret}"
        routes = [
            Route(f"{stem}/", self._on_page, methods=["GET"]),
            Route(f"{stem}/state", self._on_state, methods=["GET"]),
            Route(f"{stem}/act", self._on_act, methods=["POST"]),
            Route(f"{stem}/changes", self._on_changes, methods=["GET"]),
            Route(f"{stem}/{{name}}", self._on_file, methods=["GET"]),
        ]
        self._loopback = Loopback(routes, name="playground-page", ready=self._ready)

    def __enter__(self) -> Page:
        """Start serving; raises OSError where the port is taken."""
        self._loopback.start(self._port)
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop serving."""
        with self._play.world.changed:
            self._ended = True
            self._play.world.changed.notify_all()
        self._watcher.join(timeout=5)
        if self._loop is not None and self._loop.is_running():
            self._loop.call_soon_threadsafe(self._wake)
        self._loopback.stop()

    @property
    def url(self) -> str:
        """The page's address, with the secret in it."""
        return f"{self._loopback.url}/{self._secret}/"

    # --- changes ---

    def _ready(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def _watch(self) -> None:
        changed = self._play.world.changed
        with changed:
            while not self._ended:
                if changed.wait(1.0) and self._loop is not None and self._loop.is_running():
                    self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._version += 1
        for listener in self._listeners:
            listener.set()

    async def _on_changes(self, request: Request) -> Response:
        return StreamingResponse(self._changes(request), media_type="text/event-stream", headers=HEADERS)

    async def _changes(self, request: Request) -> AsyncIterator[str]:
        woken = asyncio.Event()
        self._listeners.add(woken)
        try:
            yield f"data: {self._version}\n\n"
            while not self._ended and not await request.is_disconnected():
                try:
                    await asyncio.wait_for(woken.wait(), BREATH_S)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                await asyncio.sleep(TOGETHER_S)
                woken.clear()
                yield f"data: {self._version}\n\n"
        finally:
            self._listeners.discard(woken)

    # --- requests ---

    async def _on_page(self, _request: Request) -> Response:
        return _file("page.html")

    async def _on_file(self, request: Request) -> Response:
        return _file(request.path_params["name"])

    async def _on_state(self, request: Request) -> Response:
        asked = request.query_params
        return await run_in_threadpool(self._state, asked.get("as", ""), asked.get("in", ""), asked.get("thread", ""))

    def _state(self, who: str, where: str, thread: str) -> Response:
        world = self._play.world
        with world.changed:
            where, thread = where or self._place, thread if where else thread or self._thread
            who = who or self._person or next(user["id"] for user in world.users.values() if not user["is_bot"])
            try:
                shown = seen(self._play, who, where=where, thread=thread)
                return _json({**shown, "suggestions": self._suggestions})
            except Refusal as refusal:
                return _json({"error": refusal.code, "said": str(refusal)}, 404)

    async def _on_act(self, request: Request) -> Response:
        if not self._own(request):
            return PlainTextResponse("acts come from the page itself", 403, headers=HEADERS)
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > BODY_BYTES:  # the rest isn't read, however much there is
                return _json({"error": "request_too_large", "said": ""}, 413)
        return await run_in_threadpool(self._act, bytes(body))

    def _own(self, request: Request) -> bool:
        """Say whether an act comes from this very page: same origin (to the port), and JSON, which no form sends."""
        origin = request.headers.get("origin")
        kind = request.headers.get("content-type", "").split(";")[0]
        return origin in (None, f"http://{request.headers['host']}") and kind == "application/json"

    def _act(self, body: bytes) -> Response:
        try:
            read = json.loads(body)
            if not isinstance(read, dict) or not isinstance(read.get("as"), str):
                raise Misread("as")
            who = str(self._play.world.user(read["as"])["id"])
            return _json({"done": True, **do(self._play, who, read)})
        except Refusal as refusal:
            return _json({"error": refusal.code, "said": str(refusal)}, 409)
        except (ValueError, RecursionError) as error:
            return _json({"error": "misread", "said": str(error)}, 400)


def _json(value: object, status: int = 200) -> Response:
    return JSONResponse(value, status, headers=HEADERS)


def _file(name: str) -> Response:
    kind = _KINDS.get(name[name.rfind(".") :]) if _NAME.fullmatch(name) else None
    found = _BUILT / name
    if kind is None or not found.is_file():
        return PlainTextResponse("there is no such file", 404, headers=HEADERS)
    return Response(found.read_bytes(), media_type=kind, headers=HEADERS)
