"""`/api/v1`: what the command line reads and records, for a person's own tools, as that person.

Each request carries a token that `/why login` gave to one person in Slack. It is looked up anew who that is and what
they may read; documents are those of the command line. The bot is synchronous: each request goes to a thread.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.answer_shape import answer_json
from bot.decision_shape import decision_json, show_json
from bot.element_shape import view_json
from bot.errors import Permanent, Transient, UnreadableDocument
from bot.ingest import admission_of
from bot.slack.room import Room
from bot.sources.records import record_from
from bot.tokens import person_of
from bot.web.bodies import body_of
from store import WORKSPACE, BackstoryError, Person, Reader, StoreError

MOST_ELEMENTS = 50
"""Elements of one request."""


class Caller:
    """Whoever a token belongs to, as they stand now."""

    def __init__(self, room: Room, user: str) -> None:
        """Look nothing up yet."""
        self.room = room
        self.user = user

    @property
    def reader(self) -> Reader:
        """What they may read at this moment."""
        return self.room.access.reader_of(self.user)

    @property
    def person(self) -> Person:
        """Return them as the memory names them."""
        return self.room.person(self.user)


Handler = Callable[[Caller, Mapping[str, Any]], dict[str, object]]


def routes(room: Room) -> list[Route]:
    """Return the routes of one workspace's interface."""
    return [
        Route("/api/v1/ask", _endpoint(room, _ask), methods=["POST"]),
        Route("/api/v1/record", _endpoint(room, _record), methods=["POST"]),
        Route("/api/v1/heads", _endpoint(room, _heads), methods=["GET"]),
        Route("/api/v1/history", _endpoint(room, _history), methods=["GET"]),
        Route("/api/v1/conflicts", _endpoint(room, _conflicts), methods=["GET"]),
    ]


def _endpoint(room: Room, handler: Handler) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        user = await run_in_threadpool(
            person_of, room.memory.beside.tokens, request.headers.get("authorization", ""), room.clock()
        )
        if user is None:
            return _refused(401, "no token, or one that has ended: ask for one with /why login in Slack")
        if request.method == "GET":
            given: Mapping[str, Any] = {name: request.query_params.getlist(name) for name in request.query_params}
        else:
            body = await body_of(request)
            if body is None:
                return _refused(413, "too large")
            try:
                given = json.loads(body)
            except ValueError:
                return _refused(400, "not JSON")
            if not isinstance(given, dict):
                return _refused(400, "not a JSON object")
        return await run_in_threadpool(_handled, handler, Caller(room, user), given)

    return answer


def _handled(handler: Handler, caller: Caller, given: Mapping[str, Any]) -> Response:
    try:
        if not caller.room.access.may_use_home(caller.user):
            return _refused(403, "this token's person can't use the memory any more")
        return JSONResponse(handler(caller, given))
    except (UnreadableDocument, Permanent) as error:
        return _refused(400, str(error))
    except (Transient, StoreError) as error:
        return _refused(503, str(error))
    except BackstoryError as error:
        return _refused(400, str(error))


def _refused(status: int, why: str) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"error": why}, status_code=status, headers=headers)


# --- what can be asked ------------------------------------------------------------------------


def _ask(caller: Caller, given: Mapping[str, Any]) -> dict[str, object]:
    question = given.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UnreadableDocument("question: missing or empty")
    answer = caller.room.answers.ask(question, caller.reader, asker=caller.person, as_of=_day(given.get("as_of")))
    return answer_json(answer)


def _heads(caller: Caller, given: Mapping[str, Any]) -> dict[str, object]:
    views = caller.room.memory.heads(_elements(given), caller.reader, as_of=_day(_first(given, "as_of")))
    return {"elements": [view_json(each) for each in views]}


def _history(caller: Caller, given: Mapping[str, Any]) -> dict[str, object]:
    (element, *_) = _elements(given)
    decisions = caller.room.memory.history(element, caller.reader)
    return {"element": element, "decisions": [decision_json(each) for each in decisions]}


def _conflicts(caller: Caller, _given: Mapping[str, Any]) -> dict[str, object]:
    found = caller.room.memory.conflicts(caller.reader)
    return {
        "conflicts": [
            {"element": one.element, "property": one.property, "heads": [decision_json(head) for head in one.heads]}
            for one in found
        ]
    }


def _record(caller: Caller, given: Mapping[str, Any]) -> dict[str, object]:
    """Record one decision for the workspace, said by the token's person."""
    if not caller.room.access.may_act(caller.user):
        raise UnreadableDocument("guests read through this interface, and record nothing")
    record = record_from(given)
    if record.channel:
        raise UnreadableDocument("scope: through this interface decisions are recorded for the workspace alone")
    admission = replace(admission_of(record, WORKSPACE, recorded_from="record"), by=caller.person)
    admitted = caller.room.memory.admit(admission)
    if admitted.refused:
        raise UnreadableDocument("; ".join(admitted.refused))
    (decision, *_) = admitted.decisions
    return show_json(decision, caller.room.memory.votes(decision.id, caller.reader))


def _elements(given: Mapping[str, Any]) -> list[str]:
    elements = [each for each in given.get("element", ()) if each.strip()]
    if not elements:
        raise UnreadableDocument("element: missing or empty")
    if len(elements) > MOST_ELEMENTS:
        raise UnreadableDocument(f"element: more than {MOST_ELEMENTS} of them")
    return elements


def _first(given: Mapping[str, Any], name: str) -> str | None:
    return next(iter(given.get(name, ())), None)


def _day(value: object) -> date | None:
    if value in (None, ""):
        return None
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise UnreadableDocument(f"as_of: {str(value)[:40]!r} is not a date (YYYY-MM-DD)") from None
