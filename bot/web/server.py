"""What the bot serves over HTTP: Slack's requests, whether the inbox is worked off, `/api/v1` and `/webhooks`.

The bot is synchronous: each request is handed over to a thread, so that no commit holds up the event loop.
"""

from __future__ import annotations

import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bot.slack.app import SlackBot
from bot.web import api, webhooks
from bot.web.bodies import body_of
from store import failpoints


def web_app(bot: SlackBot) -> Starlette:
    """Return the application that serves one bot."""

    async def slack(request: Request) -> Response:
        body = await body_of(request)
        if body is None:
            return PlainTextResponse("too large", status_code=413)
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return PlainTextResponse("not UTF-8", status_code=400)
        reply = await run_in_threadpool(bot.dispatch, text, dict(request.headers))
        failpoints.hit("ack.before")
        done = BackgroundTask(failpoints.hit, "ack.after")
        return Response(reply.body, status_code=reply.status, headers=dict(reply.headers), background=done)

    async def healthz(_request: Request) -> Response:
        counts = await run_in_threadpool(bot.room.memory.inbox.counts)
        return JSONResponse({"ok": True, "waiting": counts.waiting, "claimed": counts.claimed, "failed": counts.failed})

    return Starlette(
        routes=[
            Route("/slack/events", slack, methods=["POST"]),
            Route("/healthz", healthz, methods=["GET"]),
            *api.routes(bot.room),
            *webhooks.routes(bot.room, bot.worker.arrivals),
        ]
    )


def serve(bot: SlackBot, *, port: int, works: bool = True, host: str = "0.0.0.0") -> None:  # noqa: S104 - platforms route from outside
    """Serve until the process is told to stop; the bot works its inbox meanwhile, unless others do."""
    server = uvicorn.Server(uvicorn.Config(web_app(bot), host=host, port=port, log_config=None, access_log=False))
    if works:
        bot.start()
    try:
        server.run()
    finally:
        bot.stop()
