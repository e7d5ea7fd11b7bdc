"""Where a crash test kills the process: named points, armed by an environment variable.

Each step that must survive a crash calls `hit("<step>.before")` and `hit("<step>.after")`. With
`BACKSTORY_FAILPOINT` unset a hit is one dictionary look-up and nothing else.
"""

from __future__ import annotations

import os
import signal

STEPS = ("ack", "append", "claim", "extraction", "inbox.insert", "index", "post", "projection")
"""The steps that have a point before and one after, in a bot that works."""

OF_A_SYNC = (
    "sync.fetch.after",
    "sync.received.after",
    "sync.put.after",
    "sync.gone.before",
    "sync.push.before",
    "sync.push.after",
    "sync.published.after",
)
"""The points of a sync, as it comes to them; those of fetching and pushing are git's alone."""

OF_A_BATCH = (
    "batch.noted",
    "batch.sent",
    "batch.named",
    "batch.admitted",
    "batch.read",
    "batch.settled",
    "batch.done",
)
"""The points of a batch's life, as it comes to them."""

_VARIABLE = "BACKSTORY_FAILPOINT"


def hit(name: str) -> None:
    """Kill this process at once, without any clean-up, if the point of this name is armed."""
    if os.environ.get(_VARIABLE) == name:
        os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
