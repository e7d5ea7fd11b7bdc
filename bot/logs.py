"""Logging: JSON lines on stderr, one canonical line per delivery, question and job.

A canonical line holds counts, ids and milliseconds; never the text of a message, a prompt or a token.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

ROOT = "backstory"
_RESERVED = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}

Field = str | int | float | bool | None
"""What a canonical line may hold."""


class JsonLines(logging.Formatter):
    """One JSON object a line: `at`, `level`, `logger`, `event`, then the fields of `canonical` by name."""

    def format(self, record: logging.LogRecord) -> str:
        """Render a record; an exception becomes its class's name, since its text may quote people."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line.update((key, value) for key, value in sorted(record.__dict__.items()) if key not in _RESERVED)
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False, default=str)


def logger(name: str) -> logging.Logger:
    """Return the logger of one room: `backstory.<name>`."""
    return logging.getLogger(f"{ROOT}.{name}")


def canonical(log: logging.Logger, event: str, /, **fields: Field) -> None:
    """Write the one line that tells of a delivery, a question or a job; fields are ids, counts and ms."""
    log.info(event, extra=fields)


def start(stream: TextIO | None = None, *, level: int = logging.INFO) -> None:
    """Send the product's lines to a stream (stderr); a second call replaces the first."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger(ROOT)
    root.handlers[:] = [handler]
    root.setLevel(level)
    root.propagate = False
