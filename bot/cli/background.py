"""The vectors of what a short command recorded: a process in the background makes them, as nobody waits for it.

Loading the vector index takes longer than recording, and embedding ten thousand decisions some minutes: words find
them at once, their meaning once `why follow` has been by, which runs in the background unless BACKSTORY_FOLLOW says so.
"""

from __future__ import annotations

import os
import subprocess
import sys

from bot.cli.frame import tell
from bot.settings import Settings

PER_SECOND = 50
"""Decisions embedded in a second by the bundled model on two cores; longer texts take longer."""
TOLD_FROM = 100
"""Decisions from which on it takes long enough to be told of."""


def follow_later(settings: Settings, recorded: int) -> None:
    """See to it that somebody embeds what was recorded; who owns the index already does so by itself."""
    if not recorded or settings.follow == "later":
        return
    if settings.follow == "wait":
        from bot.cli.following import follow_to_the_end  # the whole product: for those who chose to wait

        follow_to_the_end(settings)
        return
    _start(settings)
    if recorded >= TOLD_FROM:
        minutes = max(1, round(recorded / PER_SECOND / 60))
        tell(
            f"{recorded:,} decisions are found by their words now, and by their meaning in about {minutes} min:"
            " `why follow` in the background embeds them"
        )


def _start(settings: Settings) -> None:
    """Start `why follow` as a process that outlives this one and its terminal; twice at a time is no harm."""
    apart = 0
    if sys.platform == "win32":
        apart = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    subprocess.Popen(
        [sys.executable, "-P", "-m", "bot", "follow"],  # -P: nothing is loaded from the folder of the memory
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=settings.home,
        env={**os.environ, "BACKSTORY_HOME": str(settings.home.absolute())},
        start_new_session=True,
        creationflags=apart,
    )
