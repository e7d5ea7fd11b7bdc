"""GitHub on loopback as far as comments on a pull request go: strict, and noting what changed whose comment.

What it doesn't know, or what comes without the credential, is answered as GitHub would and noted in `refused`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fakes.loopback import Loopback

TOKEN = "a-token-that-may-comment"
ME, SOMEBODY = 99, 7
DIFF = "application/vnd.github.diff"
_PATHS = re.compile(
    r"/(?:(?P<user>user)|repos/acme/shop/(?:pulls/(?P<pull>\d+)|issues/(?P<issue>\d+)/comments(?:\?per_page=100)?"
    r"|issues/comments/(?P<comment>\d+)))"
)


class PullRequests(Loopback):
    """One repository's pull requests, by number; a context manager."""

    def __init__(self) -> None:
        self.pulls: dict[int, dict[str, Any]] = {}
        """Each as GitHub gives it, and its `diff`."""
        self.comments: list[dict[str, Any]] = []
        self.answers: list[tuple[str, int, dict[str, str]]] = []
        """Refusals for the next requests of a method ("" for any), first to last."""
        self.is_app = False
        """Whether the token is an app's, which can't ask who it is."""
        self.did: list[str] = []
        self.refused: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_arguments: object) -> None:
                """Say nothing."""

            def answer(self) -> None:
                length = int(self.headers.get("content-length", 0))
                status, found, headers = server._answer(
                    self.command, self.path, dict(self.headers.items()), json.loads(self.rfile.read(length) or b"{}")
                )
                content = found.encode() if isinstance(found, str) else json.dumps(found).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = answer

        super().__init__(Handler)

    @property
    def credentials(self) -> dict[str, str]:
        """The settings with which it is asked."""
        return {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": self.url}

    def open(self, diff: str, number: int = 41, **fields: Any) -> None:
        """Let a pull request stand with a diff, in the place of what stood there."""
        pull = {"number": number, "title": "Search", "body": "", "state": "open", "draft": False, "diff": diff}
        self.pulls[number] = {**pull, "user": {"id": SOMEBODY, "type": "User"}, **fields}

    def say(self, body: str, *, by: int = SOMEBODY, kind: str = "User") -> dict[str, Any]:
        """Let somebody comment."""
        made = {"id": 1000 + len(self.comments), "body": body, "user": {"id": by, "type": kind}}
        self.comments.append(made)
        return made

    def _answer(
        self, method: str, path: str, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> tuple[int, Any, dict[str, str]]:
        self.did.append(f"{method} {path}")
        if self.answers and self.answers[0][0] in ("", method):
            _, status, more = self.answers.pop(0)
            return status, {"message": "no"}, more
        match = _PATHS.fullmatch(path)
        found: Any = None
        if headers.get("Authorization") == f"Bearer {TOKEN}" and match:
            found = self._found(method, match, headers.get("Accept", ""), body)
        if found is None:
            self.refused.append(f"{method} {path}")
            return 404, {"message": "Not Found"}, {}
        return (201 if method == "POST" else 200), found, {}

    def _found(self, method: str, match: re.Match[str], accept: str, body: Mapping[str, Any]) -> Any:
        if match["user"] and method == "GET":
            return None if self.is_app else {"id": ME, "login": "backstory-bot"}
        if match["pull"] and method == "GET" and (pull := self.pulls.get(int(match["pull"]))):
            return pull["diff"] if accept == DIFF else {name: pull[name] for name in pull if name != "diff"}
        if match["issue"] and method == "GET":
            return list(self.comments)
        if match["issue"] and method == "POST":
            return self.say(body["body"], by=ME, kind="Bot" if self.is_app else "User")
        if match["comment"] and method == "PATCH":
            changed = [one for one in self.comments if str(one["id"]) == match["comment"]]
            for one in changed:
                one["body"] = body["body"]
            return changed[0] if changed else None
        return None
