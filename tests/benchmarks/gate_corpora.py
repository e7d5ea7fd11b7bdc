"""Labelled threads to fit and measure the gate on: an invented company, real meetings, other voices."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store.core.gate_features import stems
from store.core.model import Place, Reaction, Scope, Thread, Turn, TurnId

SHARED = Path(__file__).resolve().parents[3] / "shared"
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
VOICES = FIXTURES / "gate_voices.jsonl"
"""A hospital, a game studio, an open project; looked at while the gate's words were chosen."""
UNSEEN_VOICES = FIXTURES / "gate_voices_unseen.jsonl"
"""A bank, a shop, a lab, a city, a start-up; written afterwards and not looked at before they were scored."""
FRESH_VOICES = FIXTURES / "gate_voices_fresh.jsonl"
"""A grid operator, a clinic, a software house; full of banter, written last and scored by the weights before theirs."""
SHORT = FIXTURES / "gate_short.jsonl"
"""Two or three messages each: decisions that open their thread or follow one question, and what is none; not fitted
on, which taught the gate nothing that held: looked at when `GateScore.plain` was written."""
UNSEEN_SHORT = FIXTURES / "gate_short_unseen.jsonl"
"""More of these, not looked at."""
DECIDERS = FIXTURES / "deciders_unseen.jsonl"
"""Terse and formal voices, votes, messengers, objectors, with who decided and what lost; scored before looked at."""
CUT = "cut"
_FEWEST_TURNS = 2


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
            gold = line.get("key") or str(line.get("gold_text") or "").partition(":")[2]
            deciding = tuple((index, "") for index, turn in enumerate(thread.turns) if _states(turn.text, gold))[-1:]
            labelled.append(
                Labelled(thread=thread, decided=line["label"] == "decision", deciding=deciding, corpus="meetings")
            )
    return labelled


def voices(path: Path = VOICES) -> list[Labelled]:
    """Return threads written for this project in the voices of other organisations."""
    labelled = []
    for line in _lines(path):
        thread = _plain(line["id"], [tuple(turn) for turn in line["turns"]])
        deciding = tuple((index, quote) for index, quote in line["deciding"])
        labelled.append(Labelled(thread=thread, decided=line["decided"], deciding=deciding, corpus=path.stem))
    return labelled


def deciders(path: Path = DECIDERS) -> list[Labelled]:
    """Return threads that say who decided, who objected and what lost; the truth as in the file, names for ids."""
    labelled = []
    for line in _lines(path):
        plain = _plain(line["id"], [(author, text) for author, text, *_ in line["turns"]])
        thread = replace(
            plain,
            turns=tuple(
                replace(
                    turn,
                    author_id=turn.author,
                    reactions=tuple(
                        Reaction(name=name, users=tuple(users)) for put in rest for name, users in put.items()
                    ),
                )
                for turn, (_, _, *rest) in zip(plain.turns, line["turns"], strict=True)
            ),
        )
        deciding = tuple((index, quote) for index, quote in line["deciding"])
        labelled.append(
            Labelled(
                thread=thread,
                decided=line["decided"],
                deciding=deciding,
                truths=(line,) if line["decided"] else (),
                corpus=path.stem,
            )
        )
    return labelled


def cut_short(labelled: Labelled) -> list[Labelled]:
    """Return the thread as it stood before anything was settled: a debate that is open, as long as the real one was."""
    first = min((index for index, _ in labelled.deciding), default=0)
    if first < _FEWEST_TURNS:
        return []
    thread = replace(labelled.thread, turns=labelled.thread.turns[:first])
    return [replace(labelled, thread=thread, decided=False, deciding=(), truths=(), corpus=f"{labelled.corpus} {CUT}")]


def _states(text: str, gold: str) -> bool:
    """Say whether a turn states a resolution, proposed or resolved, nearly in its words."""
    theirs = stems(gold)
    return bool(theirs) and len(stems(text) & theirs) >= 0.8 * len(theirs)


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
