"""How much is kept and what is set: counts by scope, and settings with who set them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from store.core.model import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How much is kept, of what one reader may read; `oldest` is when the first of it was recorded."""

    decisions: int = 0
    messages: int = 0
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeCount:
    """What was recorded of late in one scope: how many stand, how many were removed, and when the latest came."""

    kept: int
    removed: int
    latest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChange:
    """A setting's value as it stands, who set it and when."""

    name: str
    value: str
    by: Person
    at: datetime
