"""The team's bot as a memory: `/api/v1` over HTTP, with the token that `/why login` gave.

Standard library, since hooks wait for it. The token goes to the configured address alone: no redirect is followed, and
over plain HTTP only to this machine. What comes back is read as data, at most `MOST_BYTES` of it.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from bot.errors import Permanent, SettingsError, Transient

MOST_BYTES = 8_000_000
TIMEOUT_S = 20.0
"""An answer takes fifteen seconds at most, whatever is down."""


class Remote:
    """The interface of a bot elsewhere, as whoever the token belongs to."""

    def __init__(self, url: str, token: str, *, timeout_s: float = TIMEOUT_S) -> None:
        """Name the bot's address; nothing is asked yet.

        Raises:
            SettingsError: it is no address to which a token may go.
        """
        parts = urlsplit(url.strip())
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise SettingsError("BACKSTORY_URL: not an http(s) address without a user in it")
        if parts.scheme == "http" and not _is_here(parts.hostname):
            raise SettingsError("BACKSTORY_URL: a token goes over plain http to this machine alone; use https")
        self._parts = parts
        self._token = token
        self._timeout_s = timeout_s

    def __repr__(self) -> str:
        """Show the address without the token."""
        return f"Remote({self._parts.scheme}://{self._parts.hostname})"

    def ask(self, question: str, *, as_of: date | None = None) -> dict[str, Any]:
        """Return the document of `why ask`."""
        return self._call("POST", "ask", {"question": question, "as_of": as_of.isoformat() if as_of else None})

    def heads(self, elements: Sequence[str], *, as_of: date | None = None) -> dict[str, Any]:
        """Return the document of `why heads`."""
        given = [("element", each) for each in elements] + ([("as_of", as_of.isoformat())] if as_of else [])
        return self._call("GET", f"heads?{urlencode(given)}")

    def history(self, element: str) -> dict[str, Any]:
        """Return the document of `why history`."""
        return self._call("GET", f"history?element={quote(element, safe='')}")

    def conflicts(self) -> dict[str, Any]:
        """Return the document of `why conflicts`."""
        return self._call("GET", "conflicts")

    def preflight(self, diff: str, *, title: str = "", body: str = "") -> dict[str, Any]:
        """Return the document of `why preflight`."""
        return self._call("POST", "preflight", {"diff": diff, "title": title, "body": body})

    def noticed(self, names: Sequence[str], words: str) -> dict[str, Any]:
        """Return what hooks tell of files and elements of these names, and of what these words name."""
        return self._call("POST", "heads", {"elements": list(names), "words": words})

    def record(self, fields: Mapping[str, object]) -> dict[str, Any]:
        """Record one decision; return the document of `why show`."""
        return self._call("POST", "record", fields)

    def _call(self, method: str, what: str, given: Mapping[str, object] | None = None) -> dict[str, Any]:
        body = None if given is None else json.dumps(given).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=self._timeout_s)
        try:
            connection.request(method, f"{self._parts.path.rstrip('/')}/api/v1/{what}", body, headers)
            answer = connection.getresponse()
            read = answer.read(MOST_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            raise Transient(f"{self!r}: can't be reached ({type(error).__name__}); try again") from error
        finally:
            connection.close()
        return self._read(answer.status, read)

    def _read(self, status: int, body: bytes) -> dict[str, Any]:
        try:
            found = json.loads(body) if len(body) <= MOST_BYTES else None
        except (ValueError, RecursionError):
            found = None
        if status == 200 and isinstance(found, dict):
            return found
        why = str(found.get("error", "")) if isinstance(found, dict) else ""
        if status == 429 or status >= 500:
            raise Transient(f"{self!r}: answered {status} ({why or 'no reason given'}); try again")
        raise Permanent(f"{self!r}: {why or f'answered {status}, which is no answer of a bot'}")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
