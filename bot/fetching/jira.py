"""Jira's issues, by when they were made or changed, with all their comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from bot.fetching.client import Api, NotThere, not_again
from bot.fetching.span import PAGE, Found, Span, Way
from bot.sources.document import moment
from bot.sources.fields import objects_of, text_of
from bot.sources.jira import FIELDS

ZONES = timedelta(days=1)
"""Jira reads a query's times in the zone of whoever asks, to the minute: none is further from UTC than 14 hours."""


def jira(api: Api, target: str, span: Span) -> Iterator[Found]:
    """Ask for all issues by when they were made, which nothing changes meanwhile; later for those that changed."""
    field = "updated" if span.since else "created"
    wanted = f'project = "{target}"' + (f' AND {field} >= "{span.start - ZONES:%Y-%m-%d %H:%M}"' if span.start else "")
    asked: dict[str, Any] = {
        "jql": f"{wanted} ORDER BY {field} ASC",
        "maxResults": PAGE,
        "fields": [*FIELDS, "comment"],
    }
    way, seen = Way(span), set[str]()
    while True:
        page = api.post("/rest/api/3/search/jql", asked)
        for issue in objects_of(page, "issues"):
            at = moment(text_of(issue, "fields", field))
            if span.start and at and at < span.start:
                continue  # asked for in case Jira's clock stands elsewhere
            with suppress(NotThere):  # moved or deleted since it was listed
                yield way.at(_with_comments(api, issue), at)
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
