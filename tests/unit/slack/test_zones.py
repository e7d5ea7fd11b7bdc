"""Clocks differ from person to person, and Slack doesn't always say how."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.slack.zones import at_work, monday_morning, most_common, zone_of

BERLIN, TOKYO = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    ("raw", "hours"),
    [
        ({"tz": "Europe/Berlin", "tz_offset": 3600}, 1),
        ({"tz": "No/Such_Place", "tz_offset": -18000}, -5),
        ({"tz": None, "tz_offset": 19800}, 5.5),
        ({"tz": "", "tz_offset": None}, None),
        ({"tz": "../etc/passwd"}, None),
        ({"tz_offset": 10**9}, None),
        ({}, None),
    ],
)
def test_a_zone_is_read_by_name_else_by_offset_else_not_at_all(raw: dict[str, object], hours: float | None) -> None:
    winter = datetime(2026, 1, 14, 12, tzinfo=UTC)

    zone = zone_of(raw)

    assert (zone.utcoffset(winter) if zone else None) == (None if hours is None else timedelta(hours=hours))


def test_the_zone_of_most_stands_in_for_nobodys_and_utc_for_none() -> None:
    assert most_common([None, BERLIN, TOKYO, BERLIN]) is BERLIN
    assert most_common([TOKYO, BERLIN]) is TOKYO
    assert most_common([None]) is UTC


@pytest.mark.parametrize(
    ("moment", "awake"),
    [
        ("2026-03-04T07:59:59", False),
        ("2026-03-04T08:00:00", True),
        ("2026-03-04T15:59:59", True),
        ("2026-03-04T16:00:00", False),
        ("2026-03-07T10:00:00", False),
        ("2026-03-08T10:00:00", False),
    ],
)
def test_somebody_in_berlin_is_at_work_on_weekdays_from_nine_to_five(moment: str, awake: bool) -> None:
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)

    there = at_work(now, BERLIN)

    assert there is awake


@pytest.mark.parametrize(
    ("now", "monday"),
    [
        ("2026-03-02T07:59:00", "2026-02-23T08:00:00"),
        ("2026-03-02T08:00:00", "2026-03-02T08:00:00"),
        ("2026-03-08T23:00:00", "2026-03-02T08:00:00"),
        ("2026-03-30T12:00:00", "2026-03-30T07:00:00"),
    ],
)
def test_the_latest_monday_morning_is_that_of_the_zone_summer_time_included(now: str, monday: str) -> None:
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)

    found = monday_morning(moment, BERLIN)

    assert found == datetime.fromisoformat(monday).replace(tzinfo=UTC)
