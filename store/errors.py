"""What can go wrong: the root of every error that Backstory describes, and the memory's branch of it.

BackstoryError         the root, the bot's own branches too (`bot/errors.py` draws the whole tree)
└── StoreError
    ├── StoreFull          the disk or the database's page limit is full; nothing was written
    ├── StoreBusy          another process held the append lock for longer than the timeout
    ├── SchemaTooNew       a newer version of Backstory wrote this database
    ├── SchemaTooOld       an older one did, and a reader doesn't carry it forward
    ├── NotADatabase       the file is something else, or damaged
    ├── LogDamaged         the log itself breaks a rule that appending relies on
    ├── UnknownDecision    no decision of that id or ref, for this reader
    ├── IndexBusy          another process owns the vector index
    ├── RemoteUnreachable  the place to sync with doesn't answer; it may in a moment
    └── RemoteRefused      it won't let us, until somebody changes something
        └── NoRemote       what was given is no remote's address at all
"""

from __future__ import annotations


class BackstoryError(Exception):
    """Any failure that Backstory itself describes; its text may be shown to the person who acted."""


class StoreError(BackstoryError):
    """The memory's own: what happened, where, and which rule it breaks."""


class StoreFull(StoreError):
    """The disk is full; the transaction was rolled back and nothing is lost."""


class StoreBusy(StoreError):
    """Somebody else is appending; the same call may succeed in a moment."""


class SchemaTooNew(StoreError):
    """The database's schema is newer than this program."""


class SchemaTooOld(StoreError):
    """An older program wrote the database, and whoever only reads doesn't carry it forward."""


class NotADatabase(StoreError):
    """The file is no SQLite database of ours."""


class LogDamaged(StoreError):
    """The log breaks a rule that every append relies on; `why verify` names where."""


class UnknownDecision(StoreError):
    """No such decision among those that this reader may read."""


class IndexBusy(StoreError):
    """Another process holds the vector index's lock."""


class RemoteUnreachable(StoreError):
    """The remote didn't answer, or not in time; the same call may succeed in a moment."""


class RemoteRefused(StoreError):
    """The remote doesn't let us in, or isn't what it should be; somebody has to change something."""


class NoRemote(RemoteRefused):
    """What was given is no address of a kind that is known; nothing was asked."""
