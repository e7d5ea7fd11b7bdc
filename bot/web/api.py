"""`/api/v1`: what the command line reads and records, for a person's own tools, as that person.

Each request carries a token that `/why login` gave to one person in Slack. It is looked up anew who that is and what
they may read; documents are those of the command line. The bot is synchronous: each request goes to a thread.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.errors import Transient, UnreadableDocument
from bot.interface import Document, OneMemory, day_of
from bot.slack.room import Room
from bot.tokens import person_of
from bot.web.bodies import body_of
from store import BackstoryError, StoreError

Handler = Callable[[OneMemory, Mapping[str, Any]], Document]


def routes(room: Room) -> list[Route]:
    """Return the routes of one workspace's interface."""
    return [
        Route(f"/api/v1/{name}", _endpoint(room, handler), methods=[method])
        for (method, name), handler in _HANDLERS.items()
    ]


def _endpoint(room: Room, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        user = await run_in_threadpool(
            person_of, room.memory.beside.tokens, request.headers.get("authorization", ""), room.clock()
        )
        if user is None:
            return _refused(401, "no token, or one that has ended: ask for one with /why login in Slack")
        given: Mapping[str, Any] = {name: request.query_params.getlist(name) for name in request.query_params}
        if request.method == "POST":
            body = await body_of(request)
            if body is None:
                return _refused(413, "too large")
            try:
                given = json.loads(body)
            except (ValueError, RecursionError):
                return _refused(400, "not JSON")
            if not isinstance(given, dict):
                return _refused(400, "not a JSON object")
        return await run_in_threadpool(_handled, room, user, handler, given)

    return answer


def _handled(room: Room, user: str, handler: Handler, given: Mapping[str, Any]) -> Response:
    """Answer as whoever the person is at this moment."""
    try:
        if not room.access.may_use_home(user):
            return _refused(403, "this token's person can't use the memory any more")
        if handler is _record and not room.access.may_act(user):
            return _refused(403, "guests read through this interface, and record nothing")
        memory = OneMemory(room.memory, room.answers, room.access.reader_of(user), room.person(user))
        return JSONResponse(handler(memory, given))
    except (Transient, StoreError) as error:
        return _refused(503, str(error))
    except BackstoryError as error:
        return _refused(400, str(error))


def _refused(status: int, why: str) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"error": why}, status_code=status, headers=headers)


# --- what can be asked ------------------------------------------------------------------------


def _ask(memory: OneMemory, given: Mapping[str, Any]) -> Document:
    question = given.get("question")
    if not isinstance(question, str):
        raise UnreadableDocument("question: missing or empty")
    return memory.ask(question, as_of=day_of(given.get("as_of")))


def _record(memory: OneMemory, given: Mapping[str, Any]) -> Document:
    return memory.record(given)


def _preflight(memory: OneMemory, given: Mapping[str, Any]) -> Document:
    said = {name: given.get(name, "") for name in ("diff", "title", "body")}
    if not all(isinstance(value, str) for value in said.values()) or not said["diff"].strip():
        raise UnreadableDocument("diff: missing or empty, or title or body is no text")
    return memory.preflight(said["diff"], title=said["title"], body=said["body"])


def _heads(memory: OneMemory, given: Mapping[str, Any]) -> Document:
    return memory.heads(given.get("element", ()), as_of=day_of(next(iter(given.get("as_of", ())), None)))


def _noticed(memory: OneMemory, given: Mapping[str, Any]) -> Document:
    names, words = given.get("elements", []), given.get("words", "")
    if not isinstance(words, str) or not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise UnreadableDocument("elements: not a list of names, or words is no text")
    return memory.noticed(names, words)


def _history(memory: OneMemory, given: Mapping[str, Any]) -> Document:
    return memory.history(next(iter(given.get("element", ())), ""))


def _conflicts(memory: OneMemory, _given: Mapping[str, Any]) -> Document:
    return memory.conflicts()


_HANDLERS: Mapping[tuple[str, str], Handler] = {
    ("POST", "ask"): _ask,
    ("POST", "record"): _record,
    ("POST", "preflight"): _preflight,
    ("GET", "heads"): _heads,
    ("POST", "heads"): _noticed,
    ("GET", "history"): _history,
    ("GET", "conflicts"): _conflicts,
}
