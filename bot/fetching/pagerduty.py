"""PagerDuty's incidents with their notes: all by when they began, later by their log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from bot.errors import Permanent
from bot.fetching.client import Api, NotThere, Params
from bot.fetching.span import OVERLAP, PAGE, Found, Span, Way
from bot.sources.document import moment
from bot.sources.fields import objects_of, text_of

WIDEST, NARROWEST = timedelta(days=90), timedelta(minutes=1)
MOST_LISTED = 10_000
"""PagerDuty's: what a list has beyond that is refused."""


def pagerduty(api: Api, target: str, span: Span) -> Iterator[Found]:
    """Ask for all incidents by when they began; later for those in whose log something stands since."""
    chosen: dict[str, str | int] = {} if target == "all" else {"service_ids[]": target}
    if span.since is None:
        yield from _every_incident(api, chosen, span)
        return
    log = _in_windows(api, "log_entries", {}, span.since - OVERLAP, span.now)
    changed = [id_ for id_ in dict.fromkeys(text_of(entry, "incident", "id") for entry in log) if id_]
    for number, id_ in enumerate(changed, start=1):
        with suppress(NotThere):
            found = api.get(f"/incidents/{id_}")
            incident = found.get("incident") if isinstance(found, Mapping) else None
            if isinstance(incident, Mapping) and target in ("all", text_of(incident, "service", "id")):
                yield Found(document=_with_notes(api, incident), reached=None, share=number / len(changed))


def _every_incident(api: Api, chosen: Params, span: Span) -> Iterator[Found]:
    asked: Params = {"sort_by": "created_at:asc", **chosen}
    first = api.get("/incidents", {**asked, "date_range": "all", "limit": 1})
    began = next((moment(each.get("created_at")) for each in objects_of(first, "incidents")), None)
    way, begin = Way(span), span.start or (began - OVERLAP if began else span.now)
    for incident in _in_windows(api, "incidents", asked, begin, span.now):
        with suppress(NotThere):
            yield way.at(_with_notes(api, incident), moment(incident.get("created_at")))


def _with_notes(api: Api, incident: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**incident, "notes": list(objects_of(api.get(f"/incidents/{text_of(incident, 'id')}/notes"), "notes"))}


def _in_windows(
    api: Api, name: str, asked: Params, begin: datetime, end: datetime, *, widest: timedelta = WIDEST
) -> Iterator[Mapping[str, Any]]:
    """Yield what a list has of a time, window by window: PagerDuty lists at most half a year and 10,000 things."""
    while begin < end:
        until = min(begin + widest, end)
        window: Params = {**asked, "since": begin.isoformat(), "until": until.isoformat(), "limit": PAGE}
        page = api.get(f"/{name}", {**window, "offset": 0, "total": "true"})
        if _number(page, "total") > MOST_LISTED and until - begin > NARROWEST:
            yield from _in_windows(api, name, asked, begin, until, widest=(until - begin) / 2)
        else:
            yield from _listed(api, name, window, page)
        begin = until


def _listed(api: Api, name: str, window: Params, page: object) -> Iterator[Mapping[str, Any]]:
    offset = 0
    while True:
        yield from objects_of(page, name)
        if not (isinstance(page, Mapping) and page.get("more")):
            return
        offset += _number(page, "limit") or PAGE
        if offset + PAGE > MOST_LISTED:
            raise Permanent(f"{api!r}: more than {MOST_LISTED:,} {name} from {window['since']} to {window['until']}")
        page = api.get(f"/{name}", {**window, "offset": offset})


def _number(page: object, field: str) -> int:
    said = text_of(page, field)
    return int(said) if said.isdecimal() else 0
