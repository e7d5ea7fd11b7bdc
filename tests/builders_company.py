"""The sample company's Slack export in a memory, with a word that stands nowhere else in each private decision."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

from bot.answer import Answers
from bot.backfill import import_threads
from bot.cli.importing import remember_readers
from bot.offline import OfflineExtractor, OfflineSynthesiser
from bot.sources.slack_export import SlackExport
from store import EVERYTHING, Admission, Alternative, Draft, Memory, Person, Place, Quote, Scope, Status

COMPANY = Path(__file__).resolve().parents[2] / "shared" / "company"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""The day as of which the questions are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One private decision: the words that tell it, and the scope of its channel."""

    id: str
    scope: str
    canary: str
    title: str
    quote: str
    place: Place

    @property
    def words(self) -> tuple[str, ...]:
        """Whatever of it would give it away."""
        return (self.canary, self.title, self.quote, self.place.anchor)


def truth(name: str) -> list[dict[str, Any]]:
    """Return the lines of one file of the answers to check against."""
    return [json.loads(line) for line in (COMPANY / "truth" / name).read_text(encoding="utf-8").splitlines()]


def private_decisions() -> list[dict[str, Any]]:
    """Return the truth's decisions that were made in Slack's private channels."""
    return [one for one in truth("decisions.jsonl") if one["source"] == "slack" and one["visibility"] != "public"]


def company_in(
    home: Path, *, without: Collection[str] = (), index: Literal["own", "read", "off"] = "off", canaries: bool = True
) -> Memory:
    """Open a memory that has read the export, its channels in `without` left out."""
    memory = Memory.open(home, clock=lambda: NOW, index=index)
    with SlackExport(COMPANY / "slack_export", blocked=frozenset(without)) as export:
        remember_readers(memory, export, live=False)
        import_threads(memory, OfflineExtractor(), export, pause=lambda _seconds: None)
    if canaries:
        for admission in map(_planted, private_decisions()):
            memory.admit(admission)
    if index != "off":
        memory.follow()
    return memory


def secrets(memory: Memory) -> tuple[Secret, ...]:
    """Return the private decisions as they were planted."""
    planted = {one["id"]: (one, _planted(one)) for one in private_decisions()}
    return tuple(
        Secret(
            id=next(d.id for d in memory.at_place("slack", told.place.anchor, EVERYTHING) if _canary(name) in d.title),
            scope=told.scope.id,
            canary=_canary(name),
            title=one["title"],
            quote=one["quote"],
            place=told.place,
        )
        for name, (one, told) in planted.items()
    )


def answers_of(memory: Memory) -> Answers:
    """Return what answers without a model."""
    offline = OfflineSynthesiser()
    return Answers(memory, offline, offline, lambda: NOW)


def _canary(id_: str) -> str:
    return f"zq{id_.removeprefix('dec-')}xylograph"


def _planted(one: Mapping[str, Any]) -> Admission:
    canary, anchor = _canary(one["id"]), one["anchor"]
    scope = Scope(id=f"channel:{anchor['channel_id']}", open=False)
    named = [Person(name=n, id=i) for n, i in zip(one["decided_by"], one["decided_by_user_ids"], strict=True)]
    quote = Quote(
        quote=one["quote"], author=named[0].name, author_id=named[0].id,
        turn_id=f"{anchor['channel_id']}/{anchor['message_ts']}", permalink=f"https://fernway/{canary}",
    )  # fmt: skip
    about = (*one["elements"], f"service:{canary}")
    draft = Draft(
        title=f"{one['title']} ({canary})",
        rationale=f"{one['rationale']} {canary}",
        status=Status(one["status"]),
        decided_on=date.fromisoformat(one["decided_on"]),
        decided_by=tuple(named),
        elements=about,
        sets=tuple((element, "private_term", f"{canary} value") for element in about),
        links=((one["elements"][0], "uses", f"vendor:{canary}"),),
        alternatives=tuple(
            Alternative(option=f"{each['option']} {canary}", reason=each["reason"]) for each in one["alternatives"]
        ),
        tags=(canary,),
        revisit_when=f"{one['revisit_when'] or ''} {canary}".strip(),
        evidence=(quote,),
        text=f"{canary} in full",
    )
    return Admission(
        place=Place(source="slack", anchor=f"{anchor['channel_id']}/{anchor['thread_ts']}"),
        basis=canary,
        scope=scope,
        drafts=(draft,),
        provenance="planted",
        pointed=True,
    )
