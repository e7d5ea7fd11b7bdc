"""Coding-assistant sessions as Claude Code keeps them: JSON lines, each a message with its parent.

Each conversation of a session is one thread: its own, and each side chain (a sub-agent's work). What tools returned,
thinking and what the program itself put in are nobody's words and are left out; a line that is cut short is the end
of a session that is still being written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bot.errors import UnreadableDocument
from bot.sources.document import Unread, moment
from bot.sources.fields import element_of, objects_of, text_of
from bot.sources.json_text import read_json
from store import Turn, TurnId, Vocabulary

_INSERTED = ("<command-", "<local-command", "<system-reminder", "Caveat: The messages below", "[Request interrupted")
_DEEP = 3
"""Parts of a path from which on it names more than whose machine it is: `/home/bo/shop`, `C:\\Users\\bo\\shop`."""
_ROLES = {"user": "developer", "assistant": "assistant"}


class ClaudeCodeSource:
    """Sessions with a coding assistant."""

    name = "claude-code"
    suffixes = (".jsonl",)
    vocabulary = Vocabulary(
        decided=("decision:", "ok final", "then the choice is", "go with", "let's do", "summary:", "we use"),
        superseded=("instead of the", "replacing", "no longer", "changed my mind"),
        rejected=("not chosen", "don't use", "ruled out", "no ", "rejected"),
    )

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread]:
        """Yield what the developer and the assistant wrote, one turn a message."""
        lines = document.split("\n")  # of JSON: other signs that end a line may stand in a string
        roots: dict[str, str] = {}
        session = ""
        for number, line in enumerate(lines, start=1):
            try:
                message = read_json(line) if line.strip() else {}
            except UnreadableDocument as error:
                if number < len(lines):  # the last line may still be being written
                    yield Unread(where=f"{origin}:{number}", rule=str(error))
                continue
            if not isinstance(message, Mapping):
                yield Unread(where=f"{origin}:{number}", rule="not a JSON object")
                continue
            session = text_of(message, "sessionId") or session
            uuid, parent = text_of(message, "uuid"), text_of(message, "parentUuid")
            roots[uuid] = roots.get(parent) or uuid
            role = text_of(message, "type")
            if role not in _ROLES or message.get("isMeta") or not (text := _said(message)):
                continue
            anchor = f"{session or origin}/{roots[uuid] or number}"
            yield Turn(
                turn_id=TurnId(f"{session or origin}/{uuid or number}"),
                thread_id=anchor,
                author=_ROLES[role],
                occurred_at=moment(message.get("timestamp")) or dated,
                text=text,
                permalink=f"{origin}#L{number}",
                about=_worked_in(text_of(message, "cwd")),
            )

    def ref(self, thread_id: str) -> str:
        """A conversation is called by its session and its first message."""
        return thread_id


def _worked_in(folder: str) -> tuple[str, ...]:
    """Return what a folder in which somebody worked is called: a person's own folder names nothing that is built."""
    parts = [part for part in re.split(r"[/\\]", folder) if part and part[-1] != ":"]
    return element_of("component", parts[-1]) if len(parts) >= _DEEP else ()


def _said(message: Mapping[str, Any]) -> str:
    content = message.get("message", {}).get("content") if isinstance(message.get("message"), Mapping) else None
    if isinstance(content, str):
        texts = [content]
    else:
        texts = [text_of(each, "text") for each in objects_of(content) if text_of(each, "type") == "text"]
    return "\n\n".join(text for text in texts if text and not text.lstrip().startswith(_INSERTED))
