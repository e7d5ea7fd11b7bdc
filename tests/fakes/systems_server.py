"""GitHub, Jira and PagerDuty on loopback, as far as their history is read: strict, paged, limited, and away when told.

A request that they don't know, or without its credential, is answered as they would, and noted in `refused`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "a-token-of-the-tests"
PAGE = 2
"""Things on a page, so that a handful of them has several."""


class Systems:
    """One server for the three; a context manager."""

    def __init__(self) -> None:
        self.github: list[Mapping[str, Any]] = []
        self.jira: list[Mapping[str, Any]] = []
        self.incidents: list[Mapping[str, Any]] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        """Refusals that the next requests get, first to last."""
        self.asked: list[str] = []
        self.refused: list[str] = []
        systems = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_arguments: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                systems._answer(self, {})

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                systems._answer(self, json.loads(self.rfile.read(length) or b"{}"))

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Systems:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

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
        if self.answers:
            status, headers = self.answers.pop(0)
            self._send(handler, status, {"message": "later"}, headers)
            return
        authorization = handler.headers.get("authorization", "")
        if TOKEN not in authorization and not authorization.startswith("Basic "):
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
        if names[0] == "incidents":
            return self._pagerduty(names, query)
        return None

    def _github(self, path: str, names: list[str], query: Mapping[str, str]) -> tuple[Any, dict[str, str]] | None:
        if names[3:] == ["issues"]:
            since = query.get("since", "")
            listed: list[Any] = [
                {**one, "comments": len(one["comments"])} for one in self.github if str(one["updated_at"]) >= since
            ]
        elif len(names) == 6 and names[5] in ("comments", "reviews"):
            issue = next(one for one in self.github if str(one["number"]) == names[4])
            field = "comments" if names[3] == "issues" else "review_comments" if names[5] == "comments" else "reviews"
            listed = list(issue.get(field, ()))
        else:
            return None
        page = int(query.get("page", 1))
        more = page * PAGE < len(listed)
        since_too = f"&since={query['since']}" if "since" in query else ""
        link = {"Link": f'<{self.url}{path}?page={page + 1}{since_too}>; rel="next"'} if more else {}
        return listed[(page - 1) * PAGE : page * PAGE], link

    def _jira(self, body: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
        start = int(body.get("nextPageToken") or 0)
        page: dict[str, Any] = {"issues": [_cut(one) for one in self.jira[start : start + PAGE]]}
        if start + PAGE < len(self.jira):
            page["nextPageToken"] = str(start + PAGE)
        return page, {}

    def _pagerduty(self, names: list[str], query: Mapping[str, str]) -> tuple[Any, dict[str, str]] | None:
        if names[2:] == ["notes"]:
            incident = next(one for one in self.incidents if one["id"] == names[1])
            return {"notes": incident["notes"]}, {}
        if len(names) > 1:
            return None
        start, limit = int(query["offset"]), int(query["limit"])
        bare = [{name: value for name, value in one.items() if name != "notes"} for one in self.incidents]
        return {"incidents": bare[start : start + limit], "more": start + limit < len(bare)}, {}

    @staticmethod
    def _send(
        handler: BaseHTTPRequestHandler, status: int, body: Any, headers: Mapping[str, str] | None = None
    ) -> None:
        content = json.dumps(body).encode()
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
