"""Labelled threads to fit and measure the gate on: an invented company, real meetings, other voices."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store.core.model import Place, Reaction, Scope, Thread, Turn, TurnId

SHARED = Path(__file__).resolve().parents[3] / "shared"
OTHER_VOICES = Path(__file__).resolve().parents[1] / "fixtures" / "other_voices.jsonl"
_OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A thread, whether something was decided in it, and where."""

    thread: Thread
    decided: bool
    deciding: tuple[tuple[int, str], ...] = ()
    """Index of a deciding turn with the words that settle it ("" where the whole turn does)."""
    truths: tuple[dict[str, Any], ...] = ()
    corpus: str = ""


def company(root: Path = SHARED / "company", *, borderline: bool = False) -> list[Labelled]:
    """Return the company's labelled threads in file order, borderline ones only when asked for."""
    truths = {line["id"]: line for line in _lines(root / "truth" / "decisions.jsonl")}
    threads = _export(root / "slack_export")
    labelled = []
    for line in _lines(root / "truth" / "threads.jsonl"):
        if line["label"] == "borderline" and not borderline:
            continue
        thread = threads[line["channel"], line["thread_ts"]]
        mine = tuple(truths[decision] for decision in line["decision_ids"])
        deciding = tuple(
            (index, truth["quote"])
            for truth in mine
            for index, turn in enumerate(thread.turns)
            if turn.turn_id.endswith("/" + truth["anchor"].get("message_ts", "?"))
        )
        labelled.append(
            Labelled(
                thread=thread, decided=line["label"] == "decision", deciding=deciding, truths=mine, corpus="company"
            )
        )
    return labelled


def meetings(root: Path = SHARED / "corpora") -> list[Labelled]:
    """Return threads of real meetings and chats, those with a written resolution and those where it was cut out."""
    labelled = []
    for name in ("decision_detection.jsonl", "decision_detection_silver.jsonl"):
        for line in _lines(root / name):
            if line["label"] == "borderline":
                continue
            thread = _plain(line["id"], [(message["user"], message["text"]) for message in line["messages"]])
            key = line.get("key") or ""
            deciding = tuple((index, key) for index, turn in enumerate(thread.turns) if key and key[:60] in turn.text)[
                -1:
            ]
            labelled.append(
                Labelled(thread=thread, decided=line["label"] == "decision", deciding=deciding, corpus=name[:-6])
            )
    return labelled


def other_voices(path: Path = OTHER_VOICES) -> list[Labelled]:
    """Return the threads written for this project in other voices: a hospital, a game studio, an open project."""
    labelled = []
    for line in _lines(path):
        thread = _plain(line["id"], [tuple(turn) for turn in line["turns"]])
        deciding = tuple((index, quote) for index, quote in line.get("deciding", []))
        labelled.append(
            Labelled(thread=thread, decided=line["decided"], deciding=deciding, corpus=line["id"].split("-")[0])
        )
    return labelled


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _plain(name: str, said: list[Any]) -> Thread:
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    turns = tuple(
        Turn(
            turn_id=TurnId(f"{name}/{index}"),
            thread_id=name,
            author=author,
            occurred_at=start + timedelta(minutes=index),
            text=text,
        )
        for index, (author, text) in enumerate(said)
    )
    return Thread(
        place=Place(source="slack", anchor=name), scope=Scope(id="channel:C1", open=True), turns=turns, basis="1"
    )


def _export(root: Path) -> dict[tuple[str, str], Thread]:
    people = {user["id"]: user for user in json.loads((root / "users.json").read_text(encoding="utf-8"))}
    threads = {}
    for listing in ("channels.json", "groups.json"):
        for channel in json.loads((root / listing).read_text(encoding="utf-8")):
            grouped: dict[str, dict[str, Any]] = defaultdict(dict)
            for day in sorted((root / channel["name"]).glob("*.json")):
                for message in json.loads(day.read_text(encoding="utf-8")):
                    grouped[message.get("thread_ts") or message["ts"]][message["ts"]] = message
            for ts, messages in grouped.items():
                anchor = f"{channel['id']}/{ts}"
                turns = tuple(_turn(channel["id"], anchor, messages[key], people) for key in sorted(messages))
                threads[channel["name"], ts] = Thread(
                    place=Place(source="slack", anchor=anchor),
                    scope=Scope(id=f"channel:{channel['id']}", open=listing == "channels.json"),
                    turns=turns,
                    basis=max(messages),
                    label=f"#{channel['name']}",
                )
    return threads


def _turn(channel: str, anchor: str, message: dict[str, Any], people: dict[str, Any]) -> Turn:
    user = message.get("user", "")
    named = people.get(user, {})
    text = message.get("text", "").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
    return Turn(
        turn_id=TurnId(f"{channel}/{message['ts']}"),
        thread_id=anchor,
        author=named.get("real_name") or message.get("username", ""),
        author_id=user,
        occurred_at=datetime.fromtimestamp(int(message["ts"].split(".")[0]), tz=UTC),
        text=text,
        is_bot=message.get("subtype") == "bot_message" or bool(named.get("is_bot")),
        reactions=tuple(
            Reaction(name=reaction["name"], users=tuple(reaction["users"])) for reaction in message.get("reactions", [])
        ),
    )
