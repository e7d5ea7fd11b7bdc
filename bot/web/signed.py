"""Whether a delivery is from whom it says: each system's own signature over the body, compared in constant time.

Everything is checked on the bytes as they came, before anybody parses them. What carries a time is refused when that is
more than five minutes off.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from urllib.parse import parse_qsl, quote

import jwt
from jwt.types import Options

WINDOW_S = 300
"""Seconds that a signed time may be off: clocks differ, and whoever recorded a delivery must not use it later."""

_CLAIMS: Options = {
    "require": ["exp", "iat"],
    "verify_exp": False,
    "verify_iat": False,
    "verify_aud": False,
    "enforce_minimum_key_length": True,
}
"""Times are compared with the clock at hand below; whom a token is for is said by its request's hash."""

Headers = Mapping[str, str]
"""Names in lower case."""


def _digest(secret: str, *parts: bytes) -> str:
    found = hmac.new(secret.encode(), digestmod=hashlib.sha256)
    for part in parts:
        found.update(part)
    return found.hexdigest()


def _same(given: str, secrets: Sequence[str], *parts: bytes) -> bool:
    """Say whether a digest was made with any of the secrets; all are tried, so that time tells nothing."""
    matches = [hmac.compare_digest(given.encode(), _digest(secret, *parts).encode()) for secret in secrets]
    return any(matches)


def _fresh(text: str, now: datetime) -> bool:
    return bool(re.fullmatch(r"\d{9,11}", text)) and abs(now.timestamp() - int(text)) <= WINDOW_S


def github(headers: Headers, body: bytes, secrets: Sequence[str], now: datetime, target: str) -> bool:
    """Check X-Hub-Signature-256."""
    del now, target
    return _same(headers.get("x-hub-signature-256", "").removeprefix("sha256="), secrets, body)


def jira(headers: Headers, body: bytes, secrets: Sequence[str], now: datetime, target: str) -> bool:
    """Check X-Hub-Signature, or the token of a Connect app: HS256 alone, in its time, for this very request."""
    if given := headers.get("x-hub-signature", ""):
        return given.startswith("sha256=") and _same(given.removeprefix("sha256="), secrets, body)
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme not in ("JWT", "Bearer") or not token:
        return False
    return any(_is_valid(token, secret, target, now) for secret in secrets)


def _is_valid(token: str, secret: str, target: str, now: datetime) -> bool:
    try:
        claims = jwt.decode(token, secret, algorithms=["HS256"], options=_CLAIMS)
        begins, ends = int(claims["iat"]), int(claims["exp"])
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
        return False
    in_time = begins - WINDOW_S <= now.timestamp() <= ends + WINDOW_S
    return in_time and hmac.compare_digest(str(claims.get("qsh", "")).encode(), query_hash("POST", target).encode())


def query_hash(method: str, target: str) -> str:
    """Return the hash by which a Connect token names its request: method, path and sorted query, percent-encoded."""
    path, _, query = target.partition("?")
    pairs = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in parse_qsl(query, True))
    named = "&".join(f"{name}={value}" for name, value in pairs if name != "jwt")
    return hashlib.sha256(f"{method}&{path.rstrip('/') or '/'}&{named}".encode()).hexdigest()


def pagerduty(headers: Headers, body: bytes, secrets: Sequence[str], now: datetime, target: str) -> bool:
    """Check X-PagerDuty-Signature: one `v1=` of several is enough, while keys are changed."""
    del now, target
    given = [each.strip() for each in headers.get("x-pagerduty-signature", "").split(",")]
    return any(_same(each.removeprefix("v1="), secrets, body) for each in given if each.startswith("v1="))


def zoom(headers: Headers, body: bytes, secrets: Sequence[str], now: datetime, target: str) -> bool:
    """Check x-zm-signature over its timestamp and the body."""
    del target
    at = headers.get("x-zm-request-timestamp", "")
    given = headers.get("x-zm-signature", "").removeprefix("v0=")
    return _fresh(at, now) and _same(given, secrets, b"v0:", at.encode(), b":", body)


def turns(headers: Headers, body: bytes, secrets: Sequence[str], now: datetime, target: str) -> bool:
    """Check X-Backstory-Signature: `v1=` and the HMAC-SHA256 of `v1:TIMESTAMP:BODY`."""
    del target
    at = headers.get("x-backstory-timestamp", "")
    given = headers.get("x-backstory-signature", "").removeprefix("v1=")
    return _fresh(at, now) and _same(given, secrets, b"v1:", at.encode(), b":", body)


CHECKS: Mapping[str, Callable[[Headers, bytes, Sequence[str], datetime, str], bool]] = {
    "github": github,
    "jira": jira,
    "pagerduty": pagerduty,
    "turns": turns,
    "zoom": zoom,
}
"""Each source that delivers, with what checks one delivery of it."""

DELIVERY_IDS = ("x-github-delivery", "x-atlassian-webhook-identifier", "x-backstory-delivery")
"""Headers that name a delivery, the same when it comes again; without one the body's hash does."""


def key_of(headers: Headers, body: bytes) -> str:
    """Return what names a delivery however often it comes."""
    named = next((headers[name] for name in DELIVERY_IDS if headers.get(name)), "")
    return named[:100] or hashlib.sha256(body).hexdigest()


def validated(secret: str, plain: str) -> dict[str, str]:
    """Return the answer to Zoom's question whether an address knows its secret."""
    return {"plainToken": plain, "encryptedToken": _digest(secret, plain.encode())}
