"""The door through which everything from Slack comes: verify → sort → mask → row → acknowledge.

It is a Bolt middleware, after Bolt's own that check the signature: when keeping the row fails, it raises,
Slack gets no 200 and delivers again; a command, which Slack delivers once, is answered with that. Every
delivery is acknowledged, also of kinds that nobody knows; none is dropped merely because it is a retry. No
listener runs: the work is done from the inbox.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from slack_bolt import BoltRequest, BoltResponse
from slack_bolt.middleware import Middleware

from bot.jobs import CAPTURES, Arrivals
from bot.logs import canonical, logger
from bot.masking import mask
from bot.slack.access import Access
from bot.slack.deliveries import KIND_COMMAND, KIND_PROPOSED, KIND_VIEW, Keep, News, Said, Self, Why, sort
from bot.slack.room import Bot
from store import Inbox, StoreError, Watch, failpoints

QUIET_S = 600
"""Seconds without a message after which a thread is read: people answer within ten minutes or much later."""

_log = logger("intake")


class Intake(Middleware):
    """Keeps what is worth a row and acknowledges all; it ends Bolt's chain.

    Idempotency key: that of the row (`bot.slack.deliveries`).
    """

    def __init__(
        self,
        *,
        inbox: Inbox,
        watch: Watch,
        access: Access,
        bot: Bot,
        clock: Callable[[], datetime],
        arrivals: Arrivals,
        captures: Callable[[str], bool],
        said_before: Callable[[str], bool],
        emoji: Collection[str],
        votes: Collection[str],
        interim: Callable[[str], Mapping[str, Any]],
        unkept: Callable[[], Mapping[str, Any]],
        mistakes: Callable[[Mapping[str, Any]], Mapping[str, str]],
    ) -> None:
        """Take what it writes to.

        Args:
            inbox: where rows go.
            watch: where threads wait to go quiet.
            access: told what has changed.
            bot: who the bot is here.
            clock: aware UTC now.
            arrivals: told that a delivery is being taken in.
            captures: whether a channel's threads are read without anybody pointing at them.
            said_before: whether whoever proposes something in a channel is told that it was turned down before.
            emoji: names of the reactions that mean something.
            votes: those among them that are votes.
            interim: what somebody sees at once who asked something by command; empty where the answer comes as fast.
            unkept: what they see where their question could not be kept: Slack never delivers a command again.
            mistakes: what is wrong with a submitted view, by block id: Slack shows that from the reply alone.
        """
        self._inbox, self._watch, self._access, self._clock = inbox, watch, access, clock
        self._arrivals = arrivals
        self._captures, self._said_before = captures, said_before
        self._interim, self._unkept = interim, unkept
        self._me = Self(team=bot.team, user=bot.user, bot=bot.bot, emoji=frozenset(emoji), votes=frozenset(votes))
        self._mistakes = mistakes

    def process(self, *, req: BoltRequest, resp: BoltResponse, next: Callable[[], BoltResponse]) -> BoltResponse:
        """Keep and acknowledge one delivery; raise where it can't be kept."""
        with self._arrivals:
            return self._taken(req)

    def _taken(self, req: BoltRequest) -> BoltResponse:
        began = time.monotonic()
        found = sort(req.body, self._me, mask)
        if isinstance(found, Keep) and found.kind == KIND_VIEW and (wrong := self._mistakes(found.payload["view"])):
            return BoltResponse(status=200, body={"response_action": "errors", "errors": dict(wrong)})
        is_command = isinstance(found, Keep) and found.kind == KIND_COMMAND
        unkept = False
        try:
            outcome = self._keep(found)
        except StoreError as error:
            if not is_command:
                raise
            outcome, unkept = f"not kept: {type(error).__name__}", True
        canonical(_log, "intake", outcome=outcome, ms=round((time.monotonic() - began) * 1000))
        shown: Mapping[str, Any] = {}
        if isinstance(found, Keep) and is_command:
            shown = self._unkept() if unkept else self._interim(found.payload["text"])
        return BoltResponse(status=200, body={"response_type": "ephemeral", **shown} if shown else "")

    def _keep(self, found: Keep | Said | News | Why) -> str:
        match found:
            case Keep():
                return self._row(found)
            case Said():
                return self._said(found)
            case News():
                if found.channel and found.user:
                    self._access.membership_changed(found.channel, found.user)
                elif found.channel:
                    self._access.channel_changed(found.channel)
                elif found.user:
                    self._access.person_changed(found.user, gone=found.gone)
                return self._row(found.keep) if found.keep else "noted"
            case Why():
                return found.value

    def _row(self, keep: Keep) -> str:
        failpoints.hit("inbox.insert.before")
        fresh = self._inbox.insert(
            keep.key, keep.kind, keep.payload, priority=keep.priority, about=keep.about, serial=keep.serial
        )
        failpoints.hit("inbox.insert.after")
        return keep.kind if fresh else "known"

    def _said(self, said: Said) -> str:
        """Keep the ids alone of what somebody wrote, where it is waited for or looked at."""
        looked_at = said.proposes and self._said_before(said.channel)
        if looked_at:
            ids = {"user": said.user, "channel": said.channel, "ts": said.ts, "thread_ts": said.thread_ts}
            self._inbox.insert(f"proposed:{said.channel}:{said.ts}", KIND_PROPOSED, ids, priority=CAPTURES)
        if not self._captures(said.channel):
            return KIND_PROPOSED if looked_at else Why.NOT_CAPTURED.value
        self._watch.touch(said.channel, said.thread_ts, said.ts, self._clock() + timedelta(seconds=QUIET_S))
        return "watched"
