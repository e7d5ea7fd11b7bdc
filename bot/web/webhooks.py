"""`POST /webhooks/{source}/{hook_id}`: other systems deliver; verified before parsing, on disk before the 202.

The random id finds the secret and who may read what comes. Whoever has neither learns nothing: an unknown address and a
wrong signature get the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bot import commenting, hooked
from bot.jobs import Arrivals
from bot.slack.room import Room
from bot.sources.json_text import read_json
from bot.web import signed
from bot.web.bodies import body_of
from store import BackstoryError, HookRoute, StoreError

_EVENTS = ("x-github-event", "x-event-key")
_NOBODY = "no such address, or not signed with its secret"


def routes(room: Room, arrivals: Arrivals) -> list[Route]:
    """Return the route at which everything is delivered; the worker begins nothing new while deliveries arrive."""

    def taken(*given: Any) -> Response:
        with arrivals:
            return _taken(room, *given)

    async def deliver(request: Request) -> Response:
        body = await body_of(request)
        if body is None:
            return PlainTextResponse("too large", status_code=413)
        source, hook = request.path_params["source"], request.path_params["hook"]
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        headers = {name.lower(): value for name, value in request.headers.items()}
        return await run_in_threadpool(taken, source, hook, headers, body, target)

    return [Route("/webhooks/{source}/{hook}", deliver, methods=["POST"])]


def _taken(room: Room, source: str, hook: str, headers: Mapping[str, str], body: bytes, target: str) -> Response:
    try:
        route = room.memory.beside.hook_routes.find(hook)
        check = signed.CHECKS.get(source)
        if route is None or check is None or route.source != source:
            return PlainTextResponse(_NOBODY, status_code=401)
        if not check(headers, body, route.secrets, room.clock(), target):
            return PlainTextResponse(_NOBODY, status_code=401)
        return _kept(room, route, headers, body)
    except RecursionError:
        return PlainTextResponse("not read: nested too deeply", status_code=400)
    except StoreError:
        return PlainTextResponse("not kept; deliver it again", status_code=503, headers={"Retry-After": "5"})


def _kept(room: Room, route: HookRoute, headers: Mapping[str, str], body: bytes) -> Response:
    try:
        said = _object(headers, body)
    except (BackstoryError, UnicodeDecodeError) as error:
        return PlainTextResponse(f"not read: {error}", status_code=400)
    plain = said.get("payload", {}).get("plainToken") if isinstance(said.get("payload"), Mapping) else None
    if route.source == "zoom" and said.get("event") == "endpoint.url_validation" and isinstance(plain, str):
        return JSONResponse(signed.validated(route.secrets[0], plain[:200]))
    event = next((headers[name] for name in _EVENTS if headers.get(name)), "")
    key = signed.key_of(headers, body)
    commenting.plan(room.memory, route, event, said, key=key)
    found = hooked.read(route, event, said)
    if not found.pieces:
        return JSONResponse({"kept": False, "why": found.why}, status_code=202)
    fresh = hooked.keep(room.memory, route, found, key=key)
    return JSONResponse({"kept": True, "again": not fresh}, status_code=202)


def _object(headers: Mapping[str, str], body: bytes) -> Mapping[str, Any]:
    """Return the object that a body holds; GitHub may send it as a form's field."""
    text = body.decode("utf-8")
    if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        text = next(iter(parse_qs(text).get("payload", ())), "")
    found = read_json(text)
    if not isinstance(found, dict):
        raise BackstoryError("not a JSON object")
    return found
