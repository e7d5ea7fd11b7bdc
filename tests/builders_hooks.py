"""Deliveries of other systems, signed as they sign them."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import jwt

from bot.web.signed import query_hash
from store import WORKSPACE, HookRoute, Scope

SECRET = "a-secret-of-thirty-two-characters"


def digest(*parts: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), b"".join(parts), hashlib.sha256).hexdigest()


def signed(source: str, body: bytes, *, at: float, path: str, secret: str = SECRET) -> dict[str, str]:
    """Return the headers with which a source would deliver a body."""
    when = str(int(at))
    match source:
        case "github":
            return {"x-hub-signature-256": f"sha256={digest(body, secret=secret)}"}
        case "jira":
            return {"x-hub-signature": f"sha256={digest(body, secret=secret)}"}
        case "jira-connect":
            claims = {"iss": "jira", "iat": int(at), "exp": int(at) + 180, "qsh": query_hash("POST", path)}
            return {"authorization": f"JWT {jwt.encode(claims, secret, algorithm='HS256')}"}
        case "pagerduty":
            return {"x-pagerduty-signature": f"v1={'0' * 64},v1={digest(body, secret=secret)}"}
        case "zoom":
            mark = digest(f"v0:{when}:".encode(), body, secret=secret)
            return {"x-zm-request-timestamp": when, "x-zm-signature": f"v0={mark}"}
        case _:
            mark = digest(f"v1:{when}:".encode(), body, secret=secret)
            return {"x-backstory-timestamp": when, "x-backstory-signature": f"v1={mark}"}


@dataclass(frozen=True, kw_only=True)
class Deliverer:
    """Delivers to one bot over HTTP."""

    base: str
    route: HookRoute

    def send(
        self,
        said: Any,
        *,
        how: str = "",
        secret: str = SECRET,
        at: float | None = None,
        path: str = "",
        **headers: str,
    ) -> httpx.Response:
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        there = path or f"/webhooks/{self.route.source}/{self.route.id}"
        moment = time.time() if at is None else at
        marks = signed(how or self.route.source, body, at=moment, path=there, secret=secret)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.post(f"{self.base}{there}", content=body, headers={**marks, **named}, timeout=20)


def route(source: str, *, scope: Scope = WORKSPACE, id_: str = "hook-of-some-length") -> HookRoute:
    return HookRoute(id=id_, source=source, secrets=("an-older-secret-of-theirs", SECRET), scope=scope)


def github_comment(
    text: str, number: int = 1, *, action: str = "created", edited: str = "", by: str = "ana", issue: int = 41
) -> Mapping[str, Any]:
    """Return the body of an issue_comment event."""
    at = f"2026-05-02T10:{number:02}:00Z"
    return {
        "action": action,
        "repository": {"full_name": "acme/shop"},
        "issue": {
            "number": issue,
            "title": "Where to search",
            "body": "Elasticsearch or Postgres?",
            "user": {"login": "ben", "id": 2, "type": "User"},
            "created_at": "2026-05-02T10:00:00Z",
            "html_url": f"https://github.com/acme/shop/issues/{issue}",
        },
        "comment": {
            "id": number,
            "body": text,
            "user": {"login": by, "id": 7, "type": "User"},
            "created_at": at,
            "updated_at": edited or at,
            "html_url": f"https://github.com/acme/shop/issues/{issue}#issuecomment-{number}",
        },
    }
