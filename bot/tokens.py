"""Tokens for a person's own tools: made at random, shown once, kept as a digest, ended by time or by the next one.

A token is 256 random bits, so that its SHA-256 needs no salt: nobody can guess one and compare.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store import Tokens

PREFIX = "bks_"
"""What a token begins with, so that people and secret scanners know it."""
DAYS = 90
"""Days that a token lives: a quarter, like the passwords of those who rotate them."""


def issue(tokens: Tokens, person: str, now: datetime, *, random: Callable[[int], str] = secrets.token_urlsafe) -> str:
    """Return a new token of somebody; what they had before ends."""
    token = f"{PREFIX}{random(32)}"
    tokens.keep(_digest(token), person, made_at=now, expires_at=now + timedelta(days=DAYS))
    return token


def person_of(tokens: Tokens, header: str, now: datetime) -> str | None:
    """Return whose token an Authorization header carries; None where it carries nobody's."""
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token.startswith(PREFIX) or len(token) > 200:
        return None
    return tokens.person_of(_digest(token), now)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
