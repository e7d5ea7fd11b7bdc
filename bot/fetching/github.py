"""GitHub's issues and pull requests, by their last change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from bot.fetching.client import Api, NotThere
from bot.fetching.span import PAGE, Found, Span, Way
from bot.sources.document import moment
from bot.sources.fields import objects_of, text_of


def github(api: Api, target: str, span: Span) -> Iterator[Found]:
    """Ask for what changed in a repository, `OWNER/REPO`, with all that was said there."""
    way = Way(span)
    for issue in _by_change(api, f"/repos/{target}/issues", span.start):
        with suppress(NotThere):  # moved or deleted since it was listed
            yield way.at(_whole_issue(api, target, issue), moment(issue.get("updated_at")))


def _by_change(api: Api, path: str, start: datetime | None) -> Iterator[Mapping[str, Any]]:
    """Yield issues by their last change.

    What changes meanwhile leaves its page for the end, and all after it move up: so each page is asked for by the last
    change of the one before, and not by its number, unless all of it changed in one second.
    """
    asked: dict[str, str | int] = {"state": "all", "sort": "updated", "direction": "asc", "per_page": PAGE}
    seen: set[tuple[str, str]] = set()
    going_on = True
    while going_on:
        going_on = False
        if start:
            asked["since"] = start.strftime("%Y-%m-%dT%H:%M:%SZ")
        for page in api.pages(path, asked):
            issues = list(objects_of({"page": page}, "page"))
            keys = [(text_of(issue, "number"), text_of(issue, "updated_at")) for issue in issues]
            yield from (issue for issue, key in zip(issues, keys, strict=True) if key not in seen)
            seen.update(keys)
            last = max(filter(None, (moment(changed) for _, changed in keys)), default=None)
            if last and (start is None or last > start):
                start, seen, going_on = last, set(keys), True
                break


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
