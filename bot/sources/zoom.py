"""Meeting transcripts in WebVTT, as Zoom writes them: one file is one meeting, a cue is `Name: words`.

Cues of one speaker that follow each other are one turn: a sentence is often cut between two. Times count from
the meeting's start, which the file's name or its own date gives.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime, timedelta

import webvtt

from bot.errors import UnreadableDocument
from bot.sources.document import Unread
from store import Turn, TurnId, Vocabulary

_LONGEST_NAME = 60
"""Characters before a colon that may be a speaker's name; more of them are words."""
_PAUSE_S = 20.0
"""Seconds of silence after which the same speaker begins a new turn."""


class ZoomSource:
    """Transcripts of meetings."""

    name = "zoom"
    suffixes = (".vtt",)
    vocabulary = Vocabulary(
        decided=("we go with", "so the decision is", "we'll go with", "let's go with", "agreed", "then we", "decided"),
        superseded=("instead of what we said", "we said last time", "that changes", "no longer"),
        rejected=("we are not doing", "off the table", "not going to", "ruled out", "we won't"),
    )

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread]:
        """Yield one turn a speaker's stretch; the turn's id names its first cue."""
        if not document.lstrip("\ufeff").startswith("WEBVTT"):
            raise UnreadableDocument(f"{origin}: not WebVTT: its first line is not WEBVTT")
        try:
            cues = webvtt.from_buffer(io.StringIO(document.lstrip("\ufeff"))).captions
        except webvtt.errors.MalformedFileError as error:
            raise UnreadableDocument(f"{origin}: not WebVTT: {error}") from error
        if not cues:
            yield Unread(where=origin, rule="a transcript without cues")
        speaker, words, start, end, first = "", list[str](), 0.0, 0.0, 0
        for number, cue in enumerate(sorted(cues, key=lambda cue: cue.start_in_seconds), start=1):
            who, said = _spoken(cue, speaker)
            if words and (who != speaker or cue.start_in_seconds - end > _PAUSE_S):
                yield _turn(origin, first, speaker, dated + timedelta(seconds=start), words)
                words = []
            if not words:
                start, first = float(cue.start_in_seconds), number
            speaker, end = who, float(cue.end_in_seconds)
            words.append(said)
        if words:
            yield _turn(origin, first, speaker, dated + timedelta(seconds=start), words)

    def ref(self, thread_id: str) -> str:
        """A meeting is called by its file."""
        return thread_id


def _spoken(cue: webvtt.Caption, before: str) -> tuple[str, str]:
    """Return who speaks and what; a cue without a name goes on with the one before."""
    text = " ".join(line.strip() for line in cue.lines)
    if voice := getattr(cue, "voice", None):
        return str(voice), cue.text.strip()
    name, colon, said = text.partition(":")
    if colon and said.startswith(" ") and len(name) <= _LONGEST_NAME and "." not in name:
        return name.strip(), said.strip()
    return before, text


def _turn(origin: str, cue: int, speaker: str, at: datetime, words: list[str]) -> Turn:
    return Turn(
        turn_id=TurnId(f"{origin}#cue-{cue}"),
        thread_id=origin,
        author=speaker,
        occurred_at=at,
        text=" ".join(words),
        permalink=f"{origin}#cue-{cue}",
    )
