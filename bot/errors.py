"""What can go wrong, as one tree from one root; the memory's branch is defined in `store`.

    BackstoryError                     the root: its message says what, where and which rule
    ├── Transient                      the other side is away, slow or busy: the same call may work later
    │   └── ModelAway                  the model is away, slow, busy, or doesn't let this app in
    │       ├── BudgetUsed             the month's tokens are used, or the model's account is empty
    │       └── MaybeSent              whether a batch was taken isn't known: look before sending it again
    ├── Permanent                      the same call will fail again
    │   ├── NoSuchBatch                the model knows no batch of that id
    │   ├── SettingsError              a setting is unknown, missing or not what it should be
    │   ├── UnreadableDocument         a file, or an entry of one, is not what its format says
    │   └── WrongInput                 what a person gave can't be worked with: an unknown id, an empty title
    └── StoreError                     the memory can't be read or written
        ├── StoreFull                  the disk is full; nothing was written
        ├── StoreBusy                  another process kept writing
        ├── SchemaTooNew               a newer version wrote the database
        ├── NotADatabase               the file is something else, or damaged
        ├── LogDamaged                 the log breaks a rule that appending relies on
        ├── UnknownDecision            no decision of that id or ref, for this reader
        └── IndexBusy                  another process owns the vector index

Vendors' errors are translated in the vendor's room with `raise ... from`.
"""

from __future__ import annotations

from store import BackstoryError

__all__ = [
    "BackstoryError",
    "BudgetUsed",
    "MaybeSent",
    "ModelAway",
    "NoSuchBatch",
    "Permanent",
    "SettingsError",
    "Transient",
    "UnreadableDocument",
    "WrongInput",
]


class Transient(BackstoryError):
    """The other side is away, slow or busy; `retry_after_s` is its own advice in seconds, None where it gave none."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        """Keep the advice beside the message."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelAway(Transient):
    """The model is away, slow, busy, or doesn't let this app in."""


class BudgetUsed(ModelAway):
    """The month's tokens are used or what is left is kept for answers, or the model's account is empty."""


class MaybeSent(ModelAway):
    """A batch was sent and no answer came: it may have been taken, so look for it before sending it again."""


class Permanent(BackstoryError):
    """The same call will fail again; nothing is gained by repeating it."""


class NoSuchBatch(Permanent):
    """The model knows no batch of that id: it was deleted there, is older than 29 days, or is another account's."""


class SettingsError(Permanent):
    """A setting is unknown, missing or not what it should be."""


class UnreadableDocument(Permanent):
    """A file, or an entry of one, is not what its format says: `channels.json: not JSON at character 17`."""


class WrongInput(Permanent):
    """What a person gave can't be worked with: an id that nobody knows, a date that isn't one."""
