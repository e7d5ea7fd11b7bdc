"""Postgres' errors in our words; its own may hold people's text (`DETAIL: Key (…)`): only their first line is told."""

from __future__ import annotations

import psycopg

from store.errors import NotADatabase, StoreBusy, StoreError, StoreFull

_BUSY = {"55P03", "40P01", "40001", "53300", "57014"}
"""Waited too long, a deadlock, a serialisation failure, too many connections, cancelled."""
_FULL = {"53100", "53200", "54000"}
_NO_ROLE = {"42501", "28000", "28P01", "0LP01"}


def translated(error: BaseException, shown: str) -> StoreError:
    """Return a database's error as one of ours: what, where, and what to do.

    Args:
        error: psycopg's, or what SQLAlchemy's pool raises when no connection comes free.
        shown: host and database, without a password.
    """
    if not isinstance(error, psycopg.Error):
        return StoreBusy(f"{shown}: no connection came free; try again")
    state = error.sqlstate or ""
    if isinstance(error, psycopg.DataError) and not state:
        return StoreError(f"{shown}: a text holds a sign that Postgres can't keep (U+0000); take it out and try again")
    if state in _BUSY:
        return StoreBusy(f"{shown}: others kept writing; try again")
    if state in _FULL:
        return StoreFull(
            f"{shown}: the database's disk is full; this step is rolled back: free some space and try again"
        )
    if state in _NO_ROLE:
        return StoreError(
            f"{shown}: the database refuses this role ({_said(error)}); README says which rights it needs"
        )
    if state == "3D000":
        return NotADatabase(f"{shown}: there is no such database; create it first (`createdb`)")
    if state[:2] in ("08", "57") or (isinstance(error, psycopg.OperationalError) and not state):
        _, refused, why = str(error).partition("FATAL:")  # what the server says before anything of ours was sent
        told = f" ({why.strip().splitlines()[0]})" if refused else ""
        return StoreError(f"{shown}: the database can't be reached{told}; is it running, and is DATABASE_URL right?")
    return StoreError(f"{shown}: {_said(error)} ({state or type(error).__name__})")


def _said(error: psycopg.Error) -> str:
    return error.diag.message_primary or type(error).__name__
