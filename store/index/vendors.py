"""The libraries behind the index, loaded at their first use and by one thread at a time.

numpy can't be imported by two threads at once, and onnxruntime and chromadb each import it: a question
and the follower that both come first would break each other.
"""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any

_ONE_AT_A_TIME = threading.RLock()


def vendor(name: str) -> Any:
    """Return a vendor's module by its full name, importing it if nobody has."""
    with _ONE_AT_A_TIME:
        return import_module(name)
