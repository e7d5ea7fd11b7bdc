"""The process in the background that asks the team's bot what a hook could not wait for: one JSON list on stdin."""

from __future__ import annotations

import json
import os
import sys

from bot.agents.teams_bot import ask_later

MOST_INPUT_BYTES = 1_000_000


def main() -> None:
    """Ask, and say nothing to anybody."""
    asked = json.loads(sys.stdin.buffer.read(MOST_INPUT_BYTES))
    wanted = [(tuple(names), words) for names, words in asked]
    ask_later(os.environ["BACKSTORY_URL"], os.environ["BACKSTORY_TOKEN"], wanted)


if __name__ == "__main__":
    main()
