"""GitHub, Jira and PagerDuty on loopback, as far as their history is read: strict, paged, limited, and away when told.

A request that they don't know, or without its credential, is answered as they would, and noted in `refused`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.loopback import Loopback

TOKEN = "a-token-of-the-tests"
PAGE = 2
"""Things on a page, so that a handful of them has several."""


class Systems(Loopback):
    """One server for the three; a context manager."""

    def __init__(self) -> None:
        self.github: list[Mapping[str, Any]] = []
        self.jira: list[Mapping[str, Any]] = []
        self.incidents: list[Mapping[str, Any]] = []
        """Each with its notes, and in `log` the times at which something stands in its log."""
        self.widest: timedelta | None = None
        """PagerDuty says of a list of a longer time that there is too much in it."""
        self.same_page = False
        """Whether every page names the first as the next one."""
        self.answers: list[tuple[int, dict[str, str]]] = []
        """Refusals that the next requests get, first to last."""
        self.body = b'{"message": "later"}'
        """What they hold."""
        self.meanwhile: Callable[[int], None] = lambda asked: None
        """Called with the number of each request before it is answered."""
        self.away_after: int | None = None
        """Requests after which it takes no credential any more."""
        self.asked: list[str] = []
        self.refused: list[str] = []
        systems = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_arguments: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                systems._answer(self, {})

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                systems._answer(self, json.loads(self.rfile.read(length) or b"{}"))

        super().__init__(Handler)

    @property
    def environment(self) -> dict[str, str]:
        """The settings with which each of them is asked."""
        return {
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_API_URL": self.url,
            "JIRA_BASE_URL": self.url,
            "JIRA_EMAIL": "ana@example.org",
            "JIRA_API_TOKEN": TOKEN,
            "PAGERDUTY_API_TOKEN": TOKEN,
            "PAGERDUTY_API_URL": self.url,
        }

    def _answer(self, handler: BaseHTTPRequestHandler, body: Mapping[str, Any]) -> None:
        parts = urlsplit(handler.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.asked.append(handler.path)
        self.meanwhile(len(self.asked))
        if self.answers:
            status, headers = self.answers.pop(0)
            self._send(handler, status, self.body, headers)
            return
        authorization = handler.headers.get("authorization", "")
        away = self.away_after is not None and len(self.asked) > self.away_after
        if away or (TOKEN not in authorization and not authorization.startswith("Basic ")):
            self.refused.append(handler.path)
            self._send(handler, 401, {"message": "no credential"})
            return
        found = self._found(parts.path, query, body)
        if found is None:
            self.refused.append(handler.path)
            self._send(handler, 404, {"message": "unknown"})
            return
        self._send(handler, 200, *found)

    def _found(self, path: str, query: Mapping[str, str], body: Mapping[str, Any]) -> tuple[Any, dict[str, str]] | None:
        names = path.strip("/").split("/")
        if names[0] == "repos" and len(names) >= 4:
            return self._github(path, names, query)
        if path == "/rest/api/3/search/jql":
            return self._jira(body)
        if names[:4] == ["rest", "api", "3", "issue"] and names[5:] == ["comment"]:
            issue = next(one for one in self.jira if one["key"] == names[4])
            held, start = issue["fields"]["comment"]["comments"], int(query["startAt"])
            return {"comments": held[start : start + PAGE], "total": len(held)}, {}
        if names[0] in ("incidents", "log_entries"):
            return self._pagerduty(names, query)
        return None

    def _github(self, path: str, names: list[str], query: Mapping[str, str]) -> tuple[Any, dict[str, str]] | None:
        if names[3:] == ["issues"]:
            since = query.get("since", "")
            listed: list[Any] = [
                {**one, "comments": len(one["comments"])} for one in self.github if str(one["updated_at"]) >= since
            ]
            listed.sort(key=lambda one: str(one["updated_at"]))
        elif len(names) == 6 and names[5] in ("comments", "reviews"):
            issue = next(one for one in self.github if str(one["number"]) == names[4])
            field = "comments" if names[3] == "issues" else "review_comments" if names[5] == "comments" else "reviews"
            listed = list(issue.get(field, ()))
        else:
            return None
        page = int(query.get("page", 1))
        more = page * PAGE < len(listed)
        since_too = f"&since={query['since']}" if "since" in query else ""
        page, more = (0, True) if self.same_page and names[3:] == ["issues"] else (page, more)
        link = {"Link": f'<{self.url}{path}?page={page + 1}{since_too}>; rel="next"'} if more else {}
        return listed[max(page - 1, 0) * PAGE : max(page, 1) * PAGE], link

    def _jira(self, body: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
        self.asked[-1] += f" {body['jql']}"
        start = int(body.get("nextPageToken") or 0)
        page: dict[str, Any] = {"issues": [_cut(one) for one in self.jira[start : start + PAGE]]}
        if self.same_page:
            page["nextPageToken"] = "0"
        elif start + PAGE < len(self.jira):
            page["nextPageToken"] = str(start + PAGE)
        return page, {}

    def _pagerduty(self, names: list[str], query: Mapping[str, str]) -> tuple[Any, dict[str, str]] | None:
        if names == ["log_entries"]:
            listed = [
                {"id": f"R{one['id']}{at}", "created_at": at, "incident": {"id": one["id"]}}
                for one in self.incidents
                for at in (one["created_at"], *one.get("log", ()))
            ]
            return self._windowed("log_entries", listed, query)
        if len(names) == 1:
            bare = [{name: value for name, value in one.items() if name != "notes"} for one in self.incidents]
            service = query.get("service_ids[]")
            listed = [one for one in bare if service in (None, one.get("service", {}).get("id"))]
            return self._windowed("incidents", sorted(listed, key=lambda one: one["created_at"]), query)
        incident = next((one for one in self.incidents if one["id"] == names[1]), None)
        if incident is None:
            return None
        return ({"notes": incident["notes"]} if names[2:] else {"incident": incident}), {}

    def _windowed(self, name: str, listed: list[Any], query: Mapping[str, str]) -> tuple[Any, dict[str, str]] | None:
        """List what began in a time, which must have both ends and be no longer than half a year."""
        if query.get("date_range") != "all":
            since, until = (datetime.fromisoformat(query[end]) for end in ("since", "until"))
            if until - since > timedelta(days=181):
                return None
            listed = [one for one in listed if since <= datetime.fromisoformat(one["created_at"]) <= until]
            if self.widest is not None and until - since > self.widest:
                return {name: listed[:1], "more": True, "total": 10_001}, {}
        start, limit = int(query.get("offset", 0)), min(int(query["limit"]), PAGE)
        page = listed[start : start + limit]
        return {name: page, "limit": limit, "more": start + limit < len(listed), "total": len(listed)}, {}

    @staticmethod
    def _send(
        handler: BaseHTTPRequestHandler, status: int, body: Any, headers: Mapping[str, str] | None = None
    ) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)


def _cut(issue: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an issue as a search gives it: with its first comments and how many there are."""
    held = issue["fields"]["comment"]["comments"]
    return {**issue, "fields": {**issue["fields"], "comment": {"comments": held[:PAGE], "total": len(held)}}}
