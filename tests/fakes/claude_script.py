"""Scripts for the loopback Claude that know which thread a request holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from bot.capture import masked_thread
from bot.claude.window import numbered
from store import Thread
from tests.fakes.claude_server import Received, Script, Scripted, structured

_CONVERSATION = re.compile(r"<<<<< (conversation \w+)\n(?:Place: [^\n]*\n)?(.*)\n>>>>> \1", re.DOTALL)

Drafts = list[dict[str, Any]]
"""Decisions as the extractor's schema has them; a quote's `turn` is the 1-based place of its turn in the thread."""


def extraction_script(threads: Iterable[Thread], drafts_of: Callable[[Thread], Drafts]) -> Script:
    """Answer each extraction with what `drafts_of` says of its thread; any other thread fails the test."""
    known = {numbered(masked_thread(thread)): thread for thread in threads}

    def answer(received: Received) -> Scripted:
        held = _CONVERSATION.search(received.user)
        if held is None or held[2] not in known:
            raise LookupError("a request holds none of the scripted threads")
        return structured({"decisions": drafts_of(known[held[2]])})

    return answer
