"""What is kept of a coding session at its end: its decisions with a few quotes, never the transcript.

Idempotency key: the session's conversation and its text, as for any other thread.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bot.capture import EXTRACTION_DEADLINE_S, capture_thread
from bot.ports import Extraction, Extractor
from bot.sources.claude_code import ClaudeCodeSource
from bot.sources.document import Documents
from store import WORKSPACE, Decision, Draft, Memory, Thread, Vocabulary

MOST_QUOTES, LONGEST_QUOTE = 3, 300
"""Of one session's decision: enough to see that it was said, too little to be a transcript."""
MOST_BYTES = 50_000_000
"""Of a transcript: a longer one is a machine's, and nobody waits for it."""


class _Sparing:
    """An extractor whose drafts keep a few short quotes and nothing else of what was said."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor
        self.name = extractor.name

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return what the extractor returns, cut."""
        found = self._extractor.extract(thread, vocabulary, pointed=pointed, deadline_s=deadline_s)
        return replace(found, drafts=tuple(map(_cut, found.drafts)))


def remember(memory: Memory, extractor: Extractor, transcript: Path) -> tuple[Decision, ...]:
    """Record what a session decided and return what is new, oldest first; nothing where nothing was decided.

    Args:
        memory: beside the code.
        extractor: with a model or without.
        transcript: the session's file, perhaps still being written.

    Raises:
        UnreadableDocument: there is no such file.
    """
    if transcript.stat().st_size > MOST_BYTES:
        return ()
    source = ClaudeCodeSource()
    new: list[Decision] = []
    with Documents(transcript, source, scope=WORKSPACE) as documents:
        for thread in documents.threads():
            captured = capture_thread(
                memory, _Sparing(extractor), thread, source.vocabulary, deadline_s=EXTRACTION_DEADLINE_S
            )
            fresh = {*captured.new, *captured.revised}
            new += [each for each in captured.decisions if each.id in fresh]
    return tuple(sorted(new, key=lambda each: (each.decided_on or datetime.now(UTC).date(), each.id)))


def _cut(draft: Draft) -> Draft:
    quotes = tuple(replace(each, quote=_shortened(each.quote)) for each in draft.evidence[:MOST_QUOTES])
    return replace(draft, evidence=quotes, text="")


def _shortened(quote: str) -> str:
    """Return a quote cut at a word: what is left is still verbatim."""
    return quote if len(quote) <= LONGEST_QUOTE else quote[:LONGEST_QUOTE].rsplit(None, 1)[0]
