"""How a connection that writes is set up: by the engine and by the quick way alike."""

from __future__ import annotations

WRITING = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA journal_size_limit = 0",  # an erased text may stand in a log that nobody truncated before a kill
    "PRAGMA temp_store = MEMORY",
)
