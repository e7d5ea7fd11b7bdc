"""Comments on pull requests: one comment that says which decisions a change goes against, kept up to date in place.

A delivery only says which pull request to look at; what is said follows from how it stands when it is looked at, so
deliveries may come twice and in any order. Only decisions that the stated readers may read are ever cited. Drafts and
bots' pull requests are passed over.

Idempotency key: the address, the pull request and what is said of it. A comment is looked for before one is made, by
its mark and its author, wherever a process may have died between making it and noting it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from bot.comment_text import comment_of, mark_of
from bot.errors import Permanent, Transient, UnreadableDocument
from bot.fetching import DIFF, Api, NotThere, github_api, paths_of, pull_request_named
from bot.jobs import BY_ITSELF
from bot.logs import canonical, logger
from bot.preflight import change_of, findings
from bot.sources.fields import objects_of, text_of
from bot.sources.github import anchor_of
from store import PUBLIC, Delivery, HookRoute, PullComment, Reader, Scope

if TYPE_CHECKING:
    from store import Memory

KIND_PULL = "pull"
ACTIONS = frozenset({"opened", "reopened", "synchronize", "edited", "ready_for_review"})
"""What happens to a pull request that changes what is to be said."""
PAGE = 100
_PERHAPS = "?"
"""In the place of a comment's id while one is being made: it may be there, or not."""

_log = logger("commenting")


def plan(memory: Memory, route: HookRoute, event: str, body: Mapping[str, Any], *, key: str) -> bool:
    """Put a look at a delivery's pull request into the inbox, where its address comments; False where it doesn't.

    Idempotency key: the address and the delivery's key.
    """
    pull = body.get("pull_request")
    if event != "pull_request" or body.get("action") not in ACTIONS or not isinstance(pull, Mapping):
        return False
    thread = anchor_of({**pull, "repository": {"full_name": text_of(body, "repository", "full_name")}})
    if not thread or pull_request_named(thread, "") != thread or route.id not in memory.beside.pull_comments.allowed():
        return False
    memory.inbox.insert(f"pull:{route.id}:{key}", KIND_PULL, {"hook": route.id, "thread": thread}, priority=BY_ITSELF)
    return True


def on_pull(memory: Memory, credentials: Mapping[str, str], now: datetime, delivery: Delivery) -> str:
    """Look at a pull request as it stands and say what it goes against; what GitHub refuses is logged once."""
    hook, thread = str(delivery.payload["hook"]), str(delivery.payload["thread"])
    scope = memory.beside.pull_comments.allowed().get(hook)
    if scope is None:
        return "comments no longer"
    try:
        with closing(_api(credentials, now)) as api, closing(_api(credentials, now, accept=DIFF)) as diffs:
            return _Pull(memory, api, diffs, hook, thread, now).looked_at(scope)
    except UnreadableDocument:
        return "no diff that can be read"
    except Permanent as refused:
        _tell_once(memory, hook, str(refused), now)
        return "refused"


def reader_of(scope: Scope) -> Reader:
    """Return as whom decisions are read for a repository's readers: the workspace's, or those of one channel alone."""
    return PUBLIC if scope.id == "workspace" else Reader(sees_open=False, scopes=frozenset({scope.id}))


def _tell_once(memory: Memory, hook: str, why: str, now: datetime) -> None:
    """Log why nothing can be said, unless that was the last word of this address's log."""
    before = memory.beside.pull_comments.find(hook, "")
    if before is None or before.digest != _short(why):
        canonical(_log, "no comment on a pull request", why=why, hook=hook[:6])
        memory.beside.pull_comments.keep(hook, "", PullComment(id="", digest=_short(why)), now)


class _Pull:
    """One pull request, for one address."""

    def __init__(self, memory: Memory, api: Api, diffs: Api, hook: str, thread: str, now: datetime) -> None:
        self._comments = memory.beside.pull_comments
        self._memory, self._api, self._diffs, self._now = memory, api, diffs, now
        self._hook, self._thread = hook, thread
        self._pull, self._issues = paths_of(thread)
        self._said = f"{self._issues}/{thread.rpartition('#')[2]}/comments"
        self._mark = mark_of(_short(hook))

    def looked_at(self, scope: Scope) -> str:
        """Say what stands against it now, and return what came of that."""
        pull = self._api.get(self._pull)
        if text_of(pull, "state") != "open" or pull.get("draft") or text_of(pull, "user", "type") == "Bot":
            return "passed over"
        change = change_of(self._diffs.text(self._pull), title=text_of(pull, "title"), body=text_of(pull, "body"))
        found = findings(self._memory, reader_of(scope), change)
        text = comment_of(found, mark=self._mark)
        mine = self._mine(looked_for=bool(found))
        if mine is None:
            return self._made(text) if found else "allow"
        if mine.digest == _short(text):
            return "said already"
        return self._changed(mine, text, anything=bool(found))

    def _mine(self, *, looked_for: bool) -> PullComment | None:
        """Return the comment that was made before, looking for it where it may be there."""
        kept = self._comments.find(self._hook, self._thread)
        id_ = kept.id if kept else ""
        if id_ not in ("", _PERHAPS):
            return kept
        if not id_ and not looked_for:
            return None
        me = self._who()
        for page in self._api.pages(self._said, {"per_page": PAGE}):
            for each in objects_of({"page": page}, "page"):
                by = text_of(each, "user", "id") == me if me else text_of(each, "user", "type") == "Bot"
                if by and text_of(each, "body").startswith(self._mark):
                    return self._kept(text_of(each, "id"), text_of(each, "body"))
        return None

    def _who(self) -> str:
        """Return the id of whose the token is; "" for an app's, which can't ask: its comments are a bot's."""
        try:
            return text_of(self._api.get("/user"), "id")
        except Permanent:
            return ""

    def _made(self, text: str) -> str:
        self._kept(_PERHAPS, "")
        made = self._api.post(self._said, {"body": text})
        self._kept(text_of(made, "id"), text)
        return "said"

    def _changed(self, mine: PullComment, text: str, *, anything: bool) -> str:
        try:
            self._api.patch(f"{self._issues}/comments/{mine.id}", {"body": text})
        except NotThere:
            self._kept("", "")  # somebody deleted it
            return self._made(text) if anything else "deleted there"
        self._kept(mine.id, text)
        return "changed" if anything else "taken back"

    def _kept(self, id_: str, text: str) -> PullComment:
        comment = PullComment(id=id_, digest=_short(text) if text else "")
        self._comments.keep(self._hook, self._thread, comment, self._now)
        return comment


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _api(credentials: Mapping[str, str], now: datetime, *, accept: str = "") -> Api:
    """Return GitHub's interface; it waits for nothing, since the inbox does: the same job is done later.

    Raises:
        SettingsError: no token is set.
    """

    def later(seconds: float) -> NoReturn:
        raise Transient("GitHub is busy or away", retry_after_s=seconds)

    return github_api(credentials, purpose="comments are made with it", pause=later, now=lambda: now, accept=accept)
