"""What is asked of each system, and how its answers become the documents that its parser reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from bot.errors import SettingsError, WrongInput
from bot.fetching.client import Api
from bot.sources.document import Source, Stated, threads_of_text
from bot.sources.fields import objects_of, text_of
from bot.sources.listed import SOURCES
from store import Scope, Thread, Vocabulary

PAGE = 100
OVERLAP = timedelta(hours=1)
"""Before the last run's begin, from which on is asked again: clocks differ, and what is known is passed over."""
ZONES = timedelta(hours=14)
"""Jira reads a query's times in the zone of whoever asks: none is further from UTC."""
_REPO = re.compile(r"[\w.-]+/[\w.-]+")
_PROJECT = re.compile(r"[A-Z][A-Z0-9_]{0,30}")


class Asking(Protocol):
    """How one system is asked: yields one document after the other, the oldest change first."""

    def __call__(self, api: Api, target: str, since: datetime | None) -> Iterator[Mapping[str, Any]]:
        """Yield what changed since a moment; everything where that is None."""
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


class Fetched:
    """A system's threads, like those of an import; `problems` grows while it is read."""

    def __init__(self, system: System, api: Api, target: str, *, scope: Scope, since: datetime | None) -> None:
        """Name what is to be read; nothing is asked yet."""
        self._system = system
        self._api = api
        self._target = target
        self._scope = scope
        self._since = since - OVERLAP if since else None
        self._parser: Source = SOURCES[system.source]
        self.vocabulary: Vocabulary = self._parser.vocabulary
        self.problems: list[str] = []

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each thread that changed, the oldest change first; another order is not to be had."""
        del newest_first
        for document in self._system.asking(self._api, self._target, self._since):
            text = json.dumps([document], ensure_ascii=False)
            dated = datetime.now(UTC)
            yield from threads_of_text(self._parser, text, origin=self._target, dated=dated, scope=self._scope)

    def stated(self, _thread: Thread) -> Stated | None:
        """Return None: these systems state nothing by their form."""
        return None


# --- GitHub -----------------------------------------------------------------------------------


def _github(api: Api, target: str, since: datetime | None) -> Iterator[Mapping[str, Any]]:
    asked: dict[str, str | int] = {"state": "all", "sort": "updated", "direction": "asc", "per_page": PAGE}
    if since:
        asked["since"] = since.strftime("%Y-%m-%dT%H:%M:%SZ")
    for page in api.pages(f"/repos/{target}/issues", asked):
        for issue in objects_of({"page": page}, "page"):
            number = issue.get("number")
            whole = dict(issue)
            if issue.get("comments"):
                whole["comments"] = _all(api, f"/repos/{target}/issues/{number}/comments")
            if "pull_request" in issue:
                whole["reviews"] = _all(api, f"/repos/{target}/pulls/{number}/reviews")
                whole["review_comments"] = _all(api, f"/repos/{target}/pulls/{number}/comments")
            yield whole


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
    "status",
    "comment",
]


def _jira(api: Api, target: str, since: datetime | None) -> Iterator[Mapping[str, Any]]:
    wanted = f'project = "{target}"' + (f' AND updated >= "{since - ZONES:%Y-%m-%d %H:%M}"' if since else "")
    asked: dict[str, Any] = {"jql": f"{wanted} ORDER BY updated ASC", "maxResults": PAGE, "fields": _JIRA_FIELDS}
    while True:
        page = api.post("/rest/api/3/search/jql", asked)
        for issue in objects_of(page, "issues"):
            yield _with_comments(api, issue)
        token = text_of(page, "nextPageToken")
        if not token:
            return
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


def _pagerduty(api: Api, target: str, since: datetime | None) -> Iterator[Mapping[str, Any]]:
    asked: dict[str, str | int] = {"limit": PAGE, "sort_by": "created_at:asc", "offset": 0}
    asked |= {"since": since.isoformat()} if since else {"date_range": "all"}
    if target != "all":
        asked["service_ids[]"] = target
    while True:
        page = api.get("/incidents", asked)
        for incident in objects_of(page, "incidents"):
            id_ = text_of(incident, "id")
            notes = list(objects_of(api.get(f"/incidents/{id_}/notes"), "notes"))
            yield {**incident, "notes": notes}
        if not page.get("more"):
            return
        asked["offset"] = int(asked["offset"]) + PAGE


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
