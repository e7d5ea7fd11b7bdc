"""PagerDuty's incidents: one incident is one thread of its title, notes, status updates and review.

A review is long and holds what follows from the incident; each of its paragraphs is a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from bot.errors import UnreadableDocument
from bot.sources.document import Reported, Unread, moment
from bot.sources.fields import element_of, objects_of, text_of
from bot.sources.happened import of_incident
from bot.sources.json_text import read_json
from store import Turn, TurnId, Vocabulary

_PARAGRAPHS = re.compile(r"\n\s*\n")


class PagerdutySource:
    """Incidents."""

    name = "pagerduty"
    suffixes = (".json",)
    vocabulary = Vocabulary(
        decided=("decision from the review", "what changes", "we keep", "from now on", "action:", "decided"),
        superseded=("is removed", "no longer", "replaces", "instead of"),
        rejected=("was considered", "would bring back", "not doing", "rejected"),
    )

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread | Reported]:
        """Yield the turns of every incident of a list, a page of the API, or one by itself."""
        for number, incident in enumerate(_incidents(read_json(document), origin), start=1):
            anchor = text_of(incident, "incident_number") or text_of(incident, "number")
            if not anchor:
                yield Unread(where=f"{origin}: entry {number}", rule="no incident: it has no number")
                continue
            yield from _turns_of(incident, anchor, dated)
            if happened := of_incident(incident, anchor):
                yield happened

    def ref(self, thread_id: str) -> str:
        """An incident is called `incident:344`."""
        return f"incident:{thread_id}"


def _incidents(found: object, origin: str) -> Iterable[Mapping[str, Any]]:
    if isinstance(found, Mapping):
        return objects_of(found, "incidents") if "incidents" in found else (found,)
    if isinstance(found, list):
        return (each if isinstance(each, Mapping) else {} for each in found)
    raise UnreadableDocument(f"{origin}: neither an incident nor a list of incidents")


def _turns_of(incident: Mapping[str, Any], anchor: str, dated: datetime) -> Iterator[Turn]:
    link = text_of(incident, "html_url")
    opened = moment(incident.get("created_at")) or dated

    def turn(mark: str, by: object, at: datetime, text: str) -> Turn:
        return Turn(
            turn_id=TurnId(f"{anchor}{mark}"),
            thread_id=anchor,
            author=text_of(by, "summary"),
            author_id=text_of(by, "id"),
            occurred_at=at,
            text=text,
            permalink=link,
            is_bot=not mark,
            about=element_of("service", text_of(incident, "service", "summary")),
        )

    yield turn("", {}, opened, text_of(incident, "title") or text_of(incident, "summary"))
    for note in objects_of(incident, "notes"):
        at = moment(note.get("created_at")) or opened
        yield turn(f"#note-{text_of(note, 'id')}", note.get("user"), at, text_of(note, "content"))
    for update in objects_of(incident, "status_updates"):
        at = moment(update.get("created_at")) or opened
        yield turn(f"#update-{text_of(update, 'id')}", update.get("sender"), at, text_of(update, "message"))
    review = incident.get("postmortem")
    if isinstance(review, Mapping):
        at = moment(review.get("created_at")) or opened
        for number, paragraph in enumerate(_PARAGRAPHS.split(text_of(review, "content")), start=1):
            yield turn(f"#review-{number}", review.get("author"), at + timedelta(seconds=number), paragraph.strip())
