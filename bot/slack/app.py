"""The Slack side put together: intake in front, worker and clock behind, sockets or HTTP around it.

Bolt has one middleware of ours and no listener: every delivery ends in `Intake`, whose reply is the acknowledgement.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slack_bolt import App, BoltRequest
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_bolt.adapter.socket_mode.internals import run_bolt_app, send_response
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.logger.messages import warning_client_prioritized_and_token_skipped
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.answer import SYNTHESIS_DEADLINE_S, Answers
from bot.budget import Budget
from bot.by_rules import ElseByRules
from bot.errors import SettingsError, Transient
from bot.jobs import FOLLOWS, Arrivals, Worker
from bot.logs import logger
from bot.ports import Extractor
from bot.settings import Settings
from bot.slack.access import Access, Noted, NothingNoted
from bot.slack.answering.asking import answered_at_once
from bot.slack.answering.said_before import asks_here
from bot.slack.answering.voting import THUMBS
from bot.slack.channel.introducing import FIRST, KIND_INTRODUCTIONS
from bot.slack.client import PatientClient, Refused, SlackClient
from bot.slack.clock import Clock
from bot.slack.history import SlackHistory
from bot.slack.intake import Intake
from bot.slack.layout import notices
from bot.slack.listeners import handlers, tell_failure
from bot.slack.pressing import mistakes
from bot.slack.reacting import CROSS, LEAVE_OUT
from bot.slack.recording.following import reopen
from bot.slack.room import Bot, Room
from bot.slack.saying.posting import body_of
from store import Memory, failpoints

SOCKET_THREADS = 24
"""Envelopes that are kept and acknowledged side by side: fifty commands at once take two rounds of some 10 ms."""
PING_S = 3
"""Seconds between looks at the socket: how long one that dropped without a word goes unnoticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes back to Slack over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: str


class SlackBot:
    """One workspace's bot; `start` and `stop` once each."""

    def __init__(self, room: Room, app: App, worker: Worker) -> None:
        """Use `slack_bot`."""
        self.room, self.app, self.worker = room, app, worker
        self._clock = Clock(room.memory, room.clock)
        self._started = False
        self._socket: SocketModeHandler | None = None

    def start(self) -> None:
        """Work the inbox off and look at the clock; what a dead process had begun is begun anew.

        Raises:
            StoreBusy: another process works this inbox off.
        """
        self.room.memory.beside.take_work()
        self._started = True
        self._look_around()
        self.worker.start()
        self._clock.start()

    def _look_around(self) -> None:
        """Let the worker see to what the bot said when other settings held."""
        if self.room.memory.posts.of_kind(FIRST):
            key = f"introductions:{self.room.clock().isoformat()}"
            self.room.memory.inbox.insert(key, KIND_INTRODUCTIONS, {}, priority=FOLLOWS)

    def connect(self, app_token: str) -> None:
        """Open a socket to Slack and keep it open, through drops and Slack's own requests to reconnect.

        Raises:
            SettingsError: Slack doesn't take the app's token.
            Transient: Slack is away.
        """
        self._socket = _Sockets(
            self.app, app_token, logger=self.app.logger, concurrency=SOCKET_THREADS, ping_interval=PING_S
        )
        try:
            self._socket.connect()  # type: ignore[no-untyped-call]  # Bolt's adapter has no types
        except SlackApiError as refused:
            raise SettingsError(f"SLACK_APP_TOKEN: Slack says {refused.response.get('error', 'no')}") from refused
        except (SlackClientError, OSError) as error:
            raise Transient(f"Slack's socket could not be opened ({type(error).__name__}); try again") from error

    def dispatch(self, body: str, headers: Mapping[str, str]) -> Reply:
        """Check, keep and answer one HTTP request of Slack; 401 for a bad signature."""
        reply = self.app.dispatch(BoltRequest(body=body, headers=dict(headers)))
        return Reply(status=reply.status, headers=reply.first_headers_without_set_cookie(), body=reply.body)

    def stop(self) -> bool:
        """Take nothing more from Slack, let running work end; False when some was left for the next process.

        Twice is once.
        """
        if self._socket is not None:
            self._socket.close()  # type: ignore[no-untyped-call]
            self._socket = None
        if self._started:
            self._started = False
            self._clock.stop()
        return self.worker.stop()


class _Sockets(SocketModeHandler):
    """Bolt's own handler with the crash points of an acknowledgement around it."""

    def handle(self, client: Any, req: Any) -> None:
        began = time.time()
        reply = run_bolt_app(self.app, req)
        failpoints.hit("ack.before")
        send_response(client, req, reply, began)
        failpoints.hit("ack.after")


def slack_bot(
    *,
    settings: Settings,
    memory: Memory,
    answers: Answers,
    extractor: Extractor,
    clock: Callable[[], datetime],
    with_claude: bool,
    rules: Extractor | None = None,
    patience_s: float = SYNTHESIS_DEADLINE_S,
) -> SlackBot:
    """Put the bot of one workspace together; asks Slack who it is.

    Args:
        settings: SLACK_BOT_TOKEN is needed, SLACK_SIGNING_SECRET for HTTP.
        memory: opened, its inbox included.
        answers: what answers questions.
        extractor: what reads threads.
        clock: aware UTC now.
        with_claude: whether text is sent to a model at all.
        rules: what reads the threads that `extractor` can't; None where it needs no model itself.
        patience_s: seconds that a model gets while somebody waits.

    Raises:
        SettingsError: the token is missing or Slack doesn't take it.
        Transient: Slack is away.
    """
    web = _web(settings)
    client = SlackClient(web)
    room = _room(
        client,
        memory.members,
        settings=settings,
        memory=memory,
        answers=answers,
        extractor=ElseByRules(extractor, rules or extractor),
        clock=clock,
        with_claude=with_claude,
        patience_s=patience_s,
    )
    reopen(room)
    arrivals = Arrivals()
    worker = Worker(
        memory.inbox,
        handlers(room),
        clock=clock,
        arrivals=arrivals,
        failed=lambda delivery, ref: tell_failure(room, delivery, ref),
    )
    return SlackBot(room, _app(room, web, arrivals), worker)


def slack_history(
    target: str,
    *,
    since: datetime | None,
    counts: bool,
    settings: Settings,
    memory: Memory,
    answers: Answers,
    extractor: Extractor,
    clock: Callable[[], datetime],
    pause: Callable[[float], None],
) -> SlackHistory:
    """Choose channels whose past is read, patiently and without a bot around it; asks Slack who it is.

    Args:
        target: a channel's id or name, or `all`.
        since: what changed since; None for what changed since the last run.
        counts: nothing is written, what Slack says of people included.
        settings: SLACK_BOT_TOKEN is needed.
        memory: opened.
        answers: of the same memory.
        extractor: what reads threads.
        clock: aware UTC now.
        pause: waits so many seconds, as long as Slack asks.

    Raises:
        SettingsError: the token is missing or Slack doesn't take it.
        WrongInput: the channel isn't there, or isn't to be read.
        Transient: Slack is away.
    """
    room = _room(
        PatientClient(_web(settings, level=logging.CRITICAL), pause),
        NothingNoted() if counts else memory.members,
        settings=settings,
        memory=memory,
        answers=answers,
        extractor=ElseByRules(extractor, extractor),
        clock=clock,
        with_claude=False,
    )
    return SlackHistory(room, target, since=since, counts=counts)


def _web(settings: Settings, *, level: int = logging.WARNING) -> WebClient:
    if not settings.slack_bot_token:
        raise SettingsError("SLACK_BOT_TOKEN: not set; it is the xoxb-… token of the installed app")
    bolt_log = logger("bolt")
    bolt_log.setLevel(level)  # below a warning Bolt logs whole requests, with people's text
    bolt_log.addFilter(_not_of_two_tokens)
    return WebClient(token=settings.slack_bot_token, base_url=settings.slack_api_url, logger=bolt_log)


def _room(
    client: SlackClient,
    noted: Noted,
    *,
    settings: Settings,
    memory: Memory,
    answers: Answers,
    extractor: ElseByRules,
    clock: Callable[[], datetime],
    with_claude: bool,
    patience_s: float = SYNTHESIS_DEADLINE_S,
) -> Room:
    bot = _whose_token(client, settings)
    return Room(
        memory=memory,
        answers=answers,
        extractor=extractor,
        client=client,
        access=Access(client, noted, clock, home_team=bot.team, admins=settings.admins),
        settings=settings,
        bot=bot,
        clock=clock,
        with_claude=with_claude,
        budget=Budget(memory.spending, limit=settings.monthly_tokens, clock=clock),
        patience_s=patience_s,
    )


def _whose_token(client: SlackClient, settings: Settings) -> Bot:
    """Ask Slack who the bot is."""
    try:
        me = client.me()
    except Refused as refused:
        raise SettingsError(f"SLACK_BOT_TOKEN: Slack says {refused.code}") from refused
    except Transient as away:
        raise Transient(f"{settings.slack_api_url}: Slack can't be reached ({away}); try again") from away
    return Bot(team=str(me["team_id"]), user=str(me["user_id"]), bot=str(me.get("bot_id", "")))


def _not_of_two_tokens(record: logging.LogRecord) -> bool:
    """Keep Bolt's warning out that it leaves SLACK_BOT_TOKEN aside: it reads that itself, and is given a client."""
    return record.getMessage() != warning_client_prioritized_and_token_skipped()


def _app(room: Room, web: WebClient, arrivals: Arrivals) -> App:
    """Return a Bolt app that checks signatures, leaves out its own events, and hands over to the intake."""
    known = AuthorizeResult(
        enterprise_id=None, team_id=room.bot.team, bot_user_id=room.bot.user, bot_id=room.bot.bot, bot_token=web.token
    )
    app = App(
        name="slack",  # Bolt sets the level of the logger of this name, so it can't be ours
        logger=web.logger,
        client=WebClient(base_url=web.base_url, logger=web.logger),
        authorize=lambda: known,
        signing_secret=room.settings.slack_signing_secret,
        ignoring_self_events_enabled=False,  # the intake knows its own: Bolt would also drop the deletion of a card
    )
    intake = Intake(
        inbox=room.memory.inbox,
        watch=room.memory.watch,
        access=room.access,
        bot=room.bot,
        clock=room.clock,
        arrivals=arrivals,
        captures=room.captures,
        said_before=lambda channel: asks_here(room, channel),
        emoji=(*room.settings.capture_emoji, *THUMBS, CROSS, LEAVE_OUT),
        votes=THUMBS,
        interim=lambda text: {} if answered_at_once(text) else body_of(notices.interim()),
        unkept=lambda: body_of(notices.unkept()),
        mistakes=mistakes,
    )
    app.use(intake)
    return app


def check_http(settings: Settings) -> None:
    """Refuse to serve HTTP without what checks that requests come from Slack.

    Raises:
        SettingsError: SLACK_SIGNING_SECRET is not set.
    """
    if not settings.slack_signing_secret:
        raise SettingsError("SLACK_SIGNING_SECRET: not set; without it nothing tells Slack's requests from anybody's")
