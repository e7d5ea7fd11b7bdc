"""What is asked of each system, and how its answers become the documents that its parser reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from bot.errors import Permanent, SettingsError, Transient, WrongInput
from bot.fetching.client import Api, NotThere, Params, not_again
from bot.ports import Extractor
from bot.sources.document import Source, Stated, moment, threads_of_text
from bot.sources.fields import objects_of, text_of
from bot.sources.listed import SOURCES
from store import BackfillRun, Backfills, Scope, Thread, Vocabulary

PAGE = 100
OVERLAP = timedelta(hours=1)
"""Before the last run's begin, from which on is asked again: clocks differ, and what is known is passed over."""
ZONES = timedelta(days=1)
"""Jira reads a query's times in the zone of whoever asks, to the minute: none is further from UTC than 14 hours."""
WIDEST, NARROWEST = timedelta(days=90), timedelta(minutes=1)
MOST_LISTED = 10_000
"""PagerDuty's: what a list has beyond that is refused."""
NOTED_EVERY = 20
"""Threads after which is noted how far a run is: so many are read once more after a kill."""
_REPO = re.compile(r"[\w.-]+/[\w.-]+")
_PROJECT = re.compile(r"[A-Z][A-Z0-9_]{0,30}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What is asked for: what changed since a moment (all, where that is None) until now.

    A run that was broken off had worked off all until `reached`; None where it begins at the beginning.
    """

    since: datetime | None
    reached: datetime | None
    now: datetime

    @property
    def start(self) -> datetime | None:
        """From when on it is asked for changes; None from the beginning."""
        known = self.reached or self.since
        return known - OVERLAP if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One document; where a run is broken off after it, the next one goes on from `reached`."""

    document: Mapping[str, Any]
    reached: datetime | None
    share: float
    """How far the run is then, 0 to 1."""


class Asking(Protocol):
    """How one system is asked: yields one document after the other, the oldest change first."""

    def __call__(self, api: Api, target: str, span: Span) -> Iterator[Found]:
        """Yield what changed in a span; raises as `Api.get` does."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One system: its parser, where it is, which settings hold its credential, and how it is asked."""

    source: str
    target: str
    """What a command names there, for its help."""
    is_target: Callable[[str], bool]
    credentials: tuple[str, ...]
    base: Callable[[Mapping[str, str]], str]
    headers: Callable[[Mapping[str, str]], dict[str, str]]
    auth: Callable[[Mapping[str, str]], tuple[str, str] | None]
    asking: Asking


class _Way:
    """How far a run is that goes from old to new."""

    def __init__(self, span: Span) -> None:
        self._span, self._first, self._share = span, span.start, 0.0

    def at(self, document: Mapping[str, Any], changed: datetime | None) -> Found:
        """Return a document of that time as found."""
        if changed is not None:
            self._first = self._first or changed
            whole = max(self._span.now - self._first, timedelta(seconds=1))
            self._share = min(max((changed - self._first) / whole, self._share), 1.0)
        return Found(document=document, reached=changed, share=self._share)


class Fetched:
    """A system's threads, like those of an import; `problems` grows while it is read.

    Idempotency key of what it notes: the source and the target.
    """

    def __init__(
        self, system: System, api: Api, target: str, *, scope: Scope, since: datetime | None, kept: Backfills
    ) -> None:
        """Name what is to be read; nothing is asked yet.

        Args:
            system: which.
            api: its interface, with a credential.
            target: what of it.
            scope: who may read it.
            since: what changed since; None for what changed since the last run.
            kept: how far earlier runs came.
        """
        self._system, self._api, self._target, self._scope, self._kept = system, api, target, scope, kept
        self._named = since
        self._last = kept.read_at(system.source, target)
        broken = kept.broken(system.source, target)
        wanted = since or self._last
        goes_on = broken is not None and broken.since == wanted
        self._began_at = broken.began_at if broken is not None and goes_on else api.now()
        reached = moment(broken.reached) if broken is not None and goes_on else None
        self._span = Span(since=wanted, reached=reached, now=api.now())
        self._parser: Source = SOURCES[system.source]
        self._out: dict[int, datetime | None] = {}
        self._count = 0
        self._left = self._whole = False
        self.share = 0.0
        """How far it is, 0 to 1."""
        self.vocabulary: Vocabulary = self._parser.vocabulary
        self.problems: list[str] = []

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each thread that changed, the oldest change first; another order is not to be had."""
        del newest_first
        try:
            for found in self._system.asking(self._api, self._target, self._span):
                self.share = found.share
                text = json.dumps([found.document], ensure_ascii=False)
                dated = self._span.now
                for thread in threads_of_text(self._parser, text, origin=self._target, dated=dated, scope=self._scope):
                    self._out[id(thread)] = found.reached
                    yield thread
        except (Transient, Permanent) as error:
            self.problems.append(f"{error}; what came until then is kept, and the same command goes on")
            return
        self._whole = True

    def stated(self, _thread: Thread) -> Stated | None:
        """Return None: these systems state nothing by their form."""
        return None

    def as_captured(self, extractor: Extractor) -> Extractor:
        """Return the extractor as it is."""
        return extractor

    def worked_off(self, thread: Thread, /, *, done: bool) -> None:
        """Note how far the run is, each so many threads; what is left stops that. Twice is once."""
        reached = self._out.pop(id(thread))
        self._count += 1
        self._left = self._left or not done
        if self._left or reached is None or self._leaves_a_gap or self._count % NOTED_EVERY:
            return
        run = BackfillRun(began_at=self._began_at, since=self._span.since, reached=reached.isoformat())
        self._kept.reached(self._system.source, self._target, run)

    def ended(self) -> None:
        """Note that the run came to its end, if it did. Twice is once."""
        if self._whole and not self._left and not self._leaves_a_gap:
            self._kept.ended(self._system.source, self._target, self._began_at)

    @property
    def _leaves_a_gap(self) -> bool:
        """Whether it begins after the end of what was read before."""
        return self._named is not None and self._last is not None and self._named > self._last


# --- GitHub -----------------------------------------------------------------------------------


def _github(api: Api, target: str, span: Span) -> Iterator[Found]:
    asked: dict[str, str | int] = {"state": "all", "sort": "updated", "direction": "asc", "per_page": PAGE}
    if span.start:
        asked["since"] = span.start.strftime("%Y-%m-%dT%H:%M:%SZ")
    way = _Way(span)
    for page in api.pages(f"/repos/{target}/issues", asked):
        for issue in objects_of({"page": page}, "page"):
            with suppress(NotThere):  # moved or deleted since it was listed
                yield way.at(_whole_issue(api, target, issue), moment(issue.get("updated_at")))


def _whole_issue(api: Api, target: str, issue: Mapping[str, Any]) -> Mapping[str, Any]:
    number, whole = issue.get("number"), dict(issue)
    if issue.get("comments"):
        whole["comments"] = _all(api, f"/repos/{target}/issues/{number}/comments")
    if "pull_request" in issue:
        whole["reviews"] = _all(api, f"/repos/{target}/pulls/{number}/reviews")
        whole["review_comments"] = _all(api, f"/repos/{target}/pulls/{number}/comments")
    return whole


def _all(api: Api, path: str) -> list[Mapping[str, Any]]:
    return [each for page in api.pages(path, {"per_page": PAGE}) for each in objects_of({"page": page}, "page")]


# --- Jira -------------------------------------------------------------------------------------

_JIRA_FIELDS = [
    "summary",
    "description",
    "reporter",
    "creator",
    "created",
    "updated",
    "resolution",
    "resolutiondate",
    "components",
    "status",
    "comment",
]


def _jira(api: Api, target: str, span: Span) -> Iterator[Found]:
    wanted = f'project = "{target}"' + (f' AND updated >= "{span.start - ZONES:%Y-%m-%d %H:%M}"' if span.start else "")
    asked: dict[str, Any] = {"jql": f"{wanted} ORDER BY updated ASC", "maxResults": PAGE, "fields": _JIRA_FIELDS}
    way, seen = _Way(span), set[str]()
    while True:
        page = api.post("/rest/api/3/search/jql", asked)
        for issue in objects_of(page, "issues"):
            changed = moment(text_of(issue, "fields", "updated"))
            if span.start and changed and changed < span.start:
                continue  # asked for in case Jira's clock stands elsewhere
            with suppress(NotThere):  # moved or deleted since it was listed
                yield way.at(_with_comments(api, issue), changed)
        token = text_of(page, "nextPageToken")
        if not token:
            return
        not_again(repr(api), seen, token)
        asked["nextPageToken"] = token


def _with_comments(api: Api, issue: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an issue with all its comments: a search gives the first twenty."""
    fields = issue.get("fields")
    held = fields.get("comment") if isinstance(fields, Mapping) else None
    listed, total = list(objects_of(held, "comments")), held.get("total") if isinstance(held, Mapping) else None
    if not isinstance(fields, Mapping) or not isinstance(total, int) or len(listed) >= total:
        return issue
    while len(listed) < total:
        path = f"/rest/api/3/issue/{text_of(issue, 'key')}/comment"
        page = list(objects_of(api.get(path, {"startAt": len(listed), "maxResults": PAGE}), "comments"))
        if not page:
            break
        listed += page
    return {**issue, "fields": {**fields, "comment": {"comments": listed}}}


# --- PagerDuty --------------------------------------------------------------------------------


def _pagerduty(api: Api, target: str, span: Span) -> Iterator[Found]:
    """Ask for all incidents by when they began; later for those in whose log something stands since."""
    chosen: dict[str, str | int] = {} if target == "all" else {"service_ids[]": target}
    if span.since is None:
        yield from _every_incident(api, chosen, span)
        return
    log = _in_windows(api, "log_entries", {}, span.since - OVERLAP, span.now)
    changed = list(dict.fromkeys(text_of(entry, "incident", "id") for entry in log))
    for number, id_ in enumerate(changed, start=1):
        with suppress(NotThere):
            found = api.get(f"/incidents/{id_}")
            incident = found.get("incident") if isinstance(found, Mapping) else None
            if isinstance(incident, Mapping) and target in ("all", text_of(incident, "service", "id")):
                yield Found(document=_with_notes(api, incident), reached=None, share=number / len(changed))


def _every_incident(api: Api, chosen: Params, span: Span) -> Iterator[Found]:
    asked: Params = {"sort_by": "created_at:asc", **chosen}
    first = api.get("/incidents", {**asked, "date_range": "all", "limit": 1})
    began = next((moment(each.get("created_at")) for each in objects_of(first, "incidents")), None)
    way = _Way(span)
    for incident in _in_windows(api, "incidents", asked, span.start or began or span.now, span.now):
        with suppress(NotThere):
            yield way.at(_with_notes(api, incident), moment(incident.get("created_at")))


def _with_notes(api: Api, incident: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**incident, "notes": list(objects_of(api.get(f"/incidents/{text_of(incident, 'id')}/notes"), "notes"))}


def _in_windows(
    api: Api, name: str, asked: Params, begin: datetime, end: datetime, *, widest: timedelta = WIDEST
) -> Iterator[Mapping[str, Any]]:
    """Yield what a list has of a time, window by window: PagerDuty lists at most half a year and 10,000 things."""
    while begin < end:
        until = min(begin + widest, end)
        window: Params = {**asked, "since": begin.isoformat(), "until": until.isoformat(), "limit": PAGE}
        page = api.get(f"/{name}", {**window, "offset": 0, "total": "true"})
        if _number(page, "total") > MOST_LISTED and until - begin > NARROWEST:
            yield from _in_windows(api, name, asked, begin, until, widest=(until - begin) / 2)
        else:
            yield from _listed(api, name, window, page)
        begin = until


def _listed(api: Api, name: str, window: Params, page: object) -> Iterator[Mapping[str, Any]]:
    offset = 0
    while True:
        yield from objects_of(page, name)
        if not (isinstance(page, Mapping) and page.get("more")):
            return
        offset += _number(page, "limit") or PAGE
        if offset + PAGE > MOST_LISTED:
            raise Permanent(f"{api!r}: more than {MOST_LISTED:,} {name} from {window['since']} to {window['until']}")
        page = api.get(f"/{name}", {**window, "offset": offset})


def _number(page: object, field: str) -> int:
    said = text_of(page, field)
    return int(said) if said.isdecimal() else 0


SYSTEMS: Mapping[str, System] = {
    "github": System(
        source="github",
        target="OWNER/REPO",
        is_target=lambda text: bool(_REPO.fullmatch(text)),
        credentials=("GITHUB_TOKEN",),
        base=lambda given: given.get("GITHUB_API_URL") or "https://api.github.com",
        headers=lambda given: {
            "Authorization": f"Bearer {given['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        auth=lambda _given: None,
        asking=_github,
    ),
    "jira": System(
        source="jira",
        target="PROJECT",
        is_target=lambda text: bool(_PROJECT.fullmatch(text)),
        credentials=("JIRA_BASE_URL", "JIRA_EMAIL", "JIRA_API_TOKEN"),
        base=lambda given: given["JIRA_BASE_URL"],
        headers=lambda _given: {"Accept": "application/json"},
        auth=lambda given: (given["JIRA_EMAIL"], given["JIRA_API_TOKEN"]),
        asking=_jira,
    ),
    "pagerduty": System(
        source="pagerduty",
        target="SERVICE_ID|all",
        is_target=lambda text: text.isalnum(),
        credentials=("PAGERDUTY_API_TOKEN",),
        base=lambda given: given.get("PAGERDUTY_API_URL") or "https://api.pagerduty.com",
        headers=lambda given: {
            "Authorization": f"Token token={given['PAGERDUTY_API_TOKEN']}",
            "Accept": "application/vnd.pagerduty+json;version=2",
        },
        auth=lambda _given: None,
        asking=_pagerduty,
    ),
}
"""Every system that can be asked, by the name of its source."""


def system_named(name: str, target: str, credentials: Mapping[str, str]) -> System:
    """Return a system, once it is known that it can be asked.

    Raises:
        WrongInput: there is none of that name, or the target isn't one of its.
        SettingsError: a credential is missing.
    """
    system = SYSTEMS.get(name)
    if system is None:
        raise WrongInput(f"{name}: can't be asked; there is {', '.join(SYSTEMS)}")
    if not system.is_target(target):
        raise WrongInput(f"{target}: not {system.target}, as {name} names what is read")
    missing = [each for each in system.credentials if not credentials.get(each)]
    if missing:
        raise SettingsError(f"{', '.join(missing)}: not set; {name} is asked with it")
    return system
