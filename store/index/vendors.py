"""The libraries behind the index, loaded at their first use and by one thread at a time.

numpy can't be imported by two threads at once, and onnxruntime and chromadb each import it: a question
and the follower that both come first would break each other. onnxruntime reports its use to its maker over
HTTPS and leaves a device id and a database in the home folder unless it is told not to before it is imported.
"""

from __future__ import annotations

import os
import threading
from importlib import import_module
from typing import Any

_ONE_AT_A_TIME = threading.RLock()
_NO_REPORTS = {"ORT_DISABLE_TELEMETRY": "1"}
"""onnxruntime's Privacy.md, "Disabling Telemetry": read once, when the library initialises."""


def vendor(name: str) -> Any:
    """Return a vendor's module by its full name, importing it if nobody has; it reports to nobody."""
    with _ONE_AT_A_TIME:
        os.environ.update(_NO_REPORTS)
        return import_module(name)
