"""One system's interface over HTTP: patient, and only ever that system's.

A credential goes to the configured host alone. No redirect is followed, and a link to a next page that leads elsewhere
is refused, as is one that was there before. A page is read no further than `MOST_BYTES`. What a limit or an outage
delays is tried again, as long as the system itself asks for and no longer than `MOST_WAIT_S` at a time.
"""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from bot.errors import Permanent, SettingsError, Transient, UnreadableDocument
from bot.sources.json_text import read_json

TRIES = 6
MOST_WAIT_S = 3_900.0
"""GitHub's limit is lifted within the hour, most others' within a minute: who asks for longer is asked again later."""
UNSAID_LIMIT_S = 60.0
"""What GitHub asks to be waited for a limit of its second kind that doesn't say how long it lasts."""
TIMEOUT_S = 30.0
MOST_BYTES = 50_000_000
"""Of one page; the largest real ones have some megabytes."""

Params = Mapping[str, str | int]


_OF_THE_WAY = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers of how an answer came, which don't hold for it once it is read."""


class NotThere(Permanent):
    """The system has no such thing, or has it no more."""


def not_again(where: str, seen: set[str], page: str) -> None:
    """Note which page comes next; `page` is how the system names it, "" for none.

    Raises:
        Permanent: it was read before, so that this would never end.
    """
    if page and page in seen:
        raise Permanent(f"{where}: its next page is one that was read before")
    seen.add(page)


class Api:
    """An interface with its credential; `close` it at the end."""

    def __init__(
        self,
        base: str,
        *,
        headers: Mapping[str, str],
        auth: tuple[str, str] | None = None,
        pause: Callable[[float], None],
        now: Callable[[], datetime],
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Name it; nothing is asked yet.

        Args:
            base: its address.
            headers: with the credential, unless `auth` has it.
            auth: user and token.
            pause: waits so many seconds.
            now: aware UTC.
            most_bytes: of one page, unpacked.

        Raises:
            SettingsError: it is no address to which a credential may go.
        """
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise SettingsError(f"{base.rpartition('@')[2][:80]}: not an http(s) address without a user in it")
        if parts.scheme == "http" and not _is_here(parts.hostname):
            raise SettingsError(f"{base[:80]}: a credential goes over plain http to this machine alone; use https")
        self._base = base.rstrip("/")
        self._pause = pause
        self.now = now
        self._most_bytes = most_bytes
        self._client = httpx.Client(headers=dict(headers), auth=auth, timeout=TIMEOUT_S, follow_redirects=False)

    def __repr__(self) -> str:
        """Show the address alone."""
        return f"Api({self._base})"

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def get(self, path: str, params: Params | None = None) -> Any:
        """Return the JSON at a path.

        Raises:
            Transient: it is away, or its limit lasts too long; the same call may work later.
            Permanent: it refuses.
        """
        return self._json("GET", f"{self._base}{path}", params=params)[0]

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the JSON that answers a body; raises as `get` does."""
        return self._json("POST", f"{self._base}{path}", body=body)[0]

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """Change what is at a path; return the JSON that answers; raises as `get` does."""
        return self._json("PATCH", f"{self._base}{path}", body=body)[0]

    def text(self, path: str) -> str:
        """Return the text at a path, where the interface was opened for a form that is no JSON; raises as `get` does.

        What is no UTF-8 in it is replaced.
        """
        return self._accepted(self._answered("GET", f"{self._base}{path}")).content.decode("utf-8", "replace")

    def pages(self, path: str, params: Params) -> Iterator[Any]:
        """Yield the JSON of each page, following `Link: …; rel="next"` on the same host; raises as `get` does."""
        url, given, seen = f"{self._base}{path}", dict(params) or None, set[str]()
        while url:
            found, answer = self._json("GET", url, params=given)
            yield found
            url, given = str(answer.links.get("next", {}).get("url", "")), None
            if url and _origin(url) != _origin(self._base):
                raise Permanent(f"{self!r}: its next page lies on another host, which gets no credential")
            not_again(f"{self!r}", seen, url)

    def _json(
        self, method: str, url: str, *, params: Params | None = None, body: Mapping[str, Any] | None = None
    ) -> tuple[Any, httpx.Response]:
        answer = self._answered(method, url, params=params, body=body)
        return self._read(answer), answer

    def _answered(
        self, method: str, url: str, *, params: Params | None = None, body: Mapping[str, Any] | None = None
    ) -> httpx.Response:
        """Return what answers a request, tried again while a limit or an outage lasts."""
        for attempt in range(1, TRIES + 1):
            answer = self._sent(method, url, params, body, last=attempt == TRIES)
            if answer is not None and answer.status_code not in (429, 500, 502, 503, 504) and not _is_limit(answer):
                return answer
            self._pause(self._wait(answer, attempt, last=attempt == TRIES))
        raise AssertionError("the last try raises")

    def _sent(
        self, method: str, url: str, params: Params | None, body: Mapping[str, Any] | None, *, last: bool
    ) -> httpx.Response | None:
        try:
            with self._client.stream(method, url, params=params, json=body) as answer:
                return self._whole(answer)
        except (httpx.TransportError, httpx.DecodingError) as error:
            if last:
                raise Transient(f"{self!r}: can't be reached ({type(error).__name__})") from error
            return None

    def _whole(self, answer: httpx.Response) -> httpx.Response:
        """Read an answer to its end, unpacked, and no further than the limit."""
        parts, size = [], 0
        for part in answer.iter_bytes():
            size += len(part)
            if size > self._most_bytes:
                raise Permanent(f"{self!r}: more than {self._most_bytes:,} bytes for {answer.request.url.path}")
            parts.append(part)
        headers = [(name, value) for name, value in answer.headers.multi_items() if name not in _OF_THE_WAY]
        return httpx.Response(answer.status_code, headers=headers, content=b"".join(parts), request=answer.request)

    def _wait(self, answer: httpx.Response | None, attempt: int, *, last: bool) -> float:
        """Return the seconds to wait before the next try, by the system's own word where it gives one."""
        said = None if answer is None else _asked_wait(answer, self.now())
        if last or (said or 0.0) > MOST_WAIT_S:
            status = answer.status_code if answer is not None else 0
            raise Transient(f"{self!r}: answered {status}; go on later", retry_after_s=said)
        return said if said is not None else min(60.0, 2.0**attempt) * random.uniform(0.5, 1.0)  # noqa: S311  # spreads

    def _accepted(self, answer: httpx.Response) -> httpx.Response:
        """Return an answer that is no refusal."""
        if answer.is_redirect:
            raise Permanent(f"{self!r}: leads to another address, which gets no credential")
        if answer.status_code in (401, 403):
            raise Permanent(f"{self!r}: doesn't take the credential ({answer.status_code}): check it and its rights")
        if answer.status_code in (404, 410):
            raise NotThere(f"{self!r}: has nothing at {answer.request.url.path}")
        if answer.status_code >= 400:
            raise Permanent(f"{self!r}: answered {answer.status_code} for {answer.request.url.path}")
        return answer

    def _read(self, answer: httpx.Response) -> Any:
        try:
            return read_json(self._accepted(answer).content.decode())
        except (ValueError, UnreadableDocument) as error:
            raise Permanent(f"{self!r}: answered something that is not JSON for {answer.request.url.path}") from error


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _origin(url: str) -> tuple[str, str]:
    """Return scheme and host with port; of what is no address, what equals nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", url
    return parts.scheme, parts.netloc


def _is_limit(answer: httpx.Response) -> bool:
    """Say whether a refusal is GitHub's way of saying that a limit is reached, of the hour or of the second kind."""
    if answer.status_code != 403:
        return False
    return _is_spent(answer) or "retry-after" in answer.headers or b"secondary rate limit" in answer.content


def _is_spent(answer: httpx.Response) -> bool:
    return bool(answer.headers.get("x-ratelimit-remaining") == "0")


def _asked_wait(answer: httpx.Response, now: datetime) -> float | None:
    """Return the seconds after which a system wants to be asked again; None where it doesn't say."""
    said = answer.headers.get("retry-after", "")
    if said.isdigit():
        return float(said)
    try:
        if said:
            return max(0.0, (parsedate_to_datetime(said) - now).total_seconds())
    except (ValueError, TypeError):
        return None
    reset = answer.headers.get("x-ratelimit-reset", "")
    if _is_spent(answer) and reset.isdigit():
        return max(1.0, int(reset) - now.timestamp())
    left = answer.headers.get("ratelimit-reset", "")  # PagerDuty's, in seconds from now
    if answer.status_code == 429 and left.isdigit():
        return float(left)
    return UNSAID_LIMIT_S if answer.status_code == 403 else None
