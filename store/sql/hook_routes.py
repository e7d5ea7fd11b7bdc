"""Where other systems may deliver: an unguessable address each, whose secret it is checked with, and who reads it.

The secrets lie here as they are: whoever checks a signature needs them. Several may hold at once, so that they can be
changed without losing what was signed with the old one.
"""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import Column, Integer, String, Table, Text, select

from store.core.beside import HookRoute
from store.core.model import Scope
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "hook_routes",
    metadata,
    Column("id", String, primary_key=True),
    Column("source", String, nullable=False),
    Column("secrets", Text, nullable=False),
    Column("scope", String, nullable=False),
    Column("open", Integer, nullable=False),
    Column("made_at", Moment, nullable=False),
)


class HookRoutes:
    """The addresses of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def keep(self, route: HookRoute, made_at: datetime) -> None:
        """Keep an address, in the place of one of the same id. Idempotency key: the id."""
        row = {
            "id": route.id, "source": route.source, "secrets": json.dumps(list(route.secrets)),
            "scope": route.scope.id, "open": int(route.scope.open), "made_at": made_at,
        }  # fmt: skip
        fresh = insert(table).values(row)
        with self._file.transaction() as tx:
            tx.execute(fresh.on_conflict_do_update(index_elements=["id"], set_=row))

    def find(self, id_: str) -> HookRoute | None:
        """Return the address of an id; None where there is none."""
        return next((each for each in self.all() if each.id == id_), None)

    def all(self) -> tuple[HookRoute, ...]:
        """Return every address, oldest first."""
        with self._file.reading() as seen:
            rows = seen.execute(select(table).order_by(table.c.made_at, table.c.id)).all()
        return tuple(
            HookRoute(
                id=row.id,
                source=row.source,
                secrets=tuple(json.loads(row.secrets)),
                scope=Scope(id=row.scope, open=bool(row.open)),
            )
            for row in rows
        )

    def drop(self, id_: str) -> bool:
        """End an address; False where there is none."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(table.c.id == id_)).rowcount == 1

    def forget_scope(self, scope: str) -> int:
        """End the addresses of a scope, by its id: nothing is captured for it again; returns how many."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(table.c.scope == scope)).rowcount

    def clear(self) -> int:
        """End every address: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount
