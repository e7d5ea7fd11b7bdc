"""Where people's clocks stand: pure functions over Slack's `tz` and `tz_offset`, either of which may be null.

Working hours are those of a person's own zone; the weekend is Saturday and Sunday.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

BEGINS, ENDS = 9, 17
"""The hours between which somebody at work may be written to; at five in the afternoon no more."""
_SATURDAY = 5


def zone_of(raw: Mapping[str, Any]) -> tzinfo | None:
    """Return the zone that users.info gives somebody: by name, else by its offset; None where it gives neither."""
    name, offset = raw.get("tz"), raw.get("tz_offset")
    if isinstance(name, str) and name:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):  # a name that this machine doesn't know, or no name
            pass
    if isinstance(offset, int) and abs(offset) < timedelta(days=1).total_seconds():
        return timezone(timedelta(seconds=offset))
    return None


def most_common(zones: Iterable[tzinfo | None]) -> tzinfo:
    """Return the zone that most people have, of equals the first by name; UTC where nobody has one."""
    known = [zone for zone in zones if zone is not None]
    counts = Counter(str(zone) for zone in known)
    return min(known, key=lambda zone: (-counts[str(zone)], str(zone)), default=UTC)


def at_work(now: datetime, zone: tzinfo) -> bool:
    """Say whether it is a weekday between nine and five there."""
    there = now.astimezone(zone)
    return there.weekday() < _SATURDAY and BEGINS <= there.hour < ENDS


def monday_morning(now: datetime, zone: tzinfo) -> datetime:
    """Return the latest Monday at nine there, now or before, in UTC."""
    there = now.astimezone(zone)
    this = (there - timedelta(days=there.weekday())).replace(hour=BEGINS, minute=0, second=0, microsecond=0)
    latest = this if this <= there else this - timedelta(days=7)
    return latest.astimezone(UTC)
