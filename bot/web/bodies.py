"""Reading a request's body without believing what it says of its own length."""

from __future__ import annotations

from starlette.requests import Request

BODY_MAX = 4_000_000
"""Bytes of one request: Slack's largest deliveries have some hundred kB."""


async def body_of(request: Request, most: int = BODY_MAX) -> bytes | None:
    """Read a body of at most so many bytes; None for a larger one."""
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > most:
            return None
    return bytes(read)
