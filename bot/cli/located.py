"""A file as somebody names it at a terminal, turned into its path from the root of its repository.

Elements claim files by globs from that root; people name a file as it stands from where they are, or as their editor
has it. Standard library only: a cold command passes through here.
"""

from __future__ import annotations

import os
from pathlib import Path


def in_repository(named: str, here: Path) -> str:
    """Return the path of a file or folder that there is, as `./…` from its repository's root; else what was named.

    Args:
        named: what somebody wrote: from `here`, or absolute.
        here: the folder in which they are.
    """
    try:
        place = Path(os.path.abspath(here / named))  # not resolved: a link is claimed where it stands
        if not named.strip() or not os.path.lexists(place):
            return named
        root = next((folder for folder in (place, *place.parents) if (folder / ".git").exists()), None)
        return named if root is None else f"./{place.relative_to(root).as_posix()}"
    except (OSError, ValueError):  # no path of this system: then it is a name
        return named
