"""What can go wrong, as the rooms of the bot tell each other.

    BackstoryError                     the root: its message says what, where and which rule
    ├── Transient                      the other side is away, slow or busy: the same call may work later
    └── Permanent                      the same call will fail again
        ├── SettingsError              a setting is unknown, missing or not what it should be
        ├── UnreadableDocument         a file, or an entry of one, is not what its format says
        └── WrongInput                 what a person gave can't be worked with: an unknown id, an empty title

Vendors' errors are translated in the vendor's room with `raise ... from`. The memory's own errors
are in the tree of `store/errors.py`.
"""

from __future__ import annotations


class BackstoryError(Exception):
    """Any failure that Backstory itself describes; its text may be shown to the person who acted."""


class Transient(BackstoryError):
    """The other side is away, slow or busy; `retry_after_s` is its own advice in seconds, None where it gave none."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        """Keep the advice beside the message."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Permanent(BackstoryError):
    """The same call will fail again; nothing is gained by repeating it."""


class SettingsError(Permanent):
    """A setting is unknown, missing or not what it should be."""


class UnreadableDocument(Permanent):
    """A file, or an entry of one, is not what its format says: `channels.json: not JSON at character 17`."""


class WrongInput(Permanent):
    """What a person gave can't be worked with: an id that nobody knows, a date that isn't one."""
