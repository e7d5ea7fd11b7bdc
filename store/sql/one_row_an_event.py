"""The step to schema 3: an event's parts move from rows of their own into its row.

Events are copied piece by piece into tables of the new shape, then the tables change places, then the old ones are
emptied piece by piece. How far it is, the tables tell: a process may be killed at any piece and another go on.
"""

from __future__ import annotations

import json

from store.core.bodies import joined
from store.core.events import event_of
from store.sql import tables
from store.sql.log import event_row
from store.sql.tx import Tx

AT_ONCE = 500
"""Events copied in one transaction: some 30 ms."""
ROWS_AT_ONCE = 2_000
"""Rows of the old tables deleted in one transaction: some 20 ms."""

_NEW, _OLD = "_of_3", "_of_2"
_REPLACED = ("events", "event_about")
_INDEXES = ("events_by_stream", "events_by_lamport")


def move_parts(tx: Tx) -> bool:
    """Do the next piece; False once nothing is left.

    Idempotency key: what the tables say.
    """
    there = {row["name"] for row in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'", {})}
    if "events_of_2" not in there and "event_parts" not in there:
        return False
    if "events_of_2" in there:
        return _empty(tx, there)
    if "event_ids" not in there:
        _make(tx)
    if not _copy(tx):
        _change_places(tx)
    return True


def _make(tx: Tx) -> None:
    for index in _INDEXES:
        tx.run(f"DROP INDEX IF EXISTS {index}")
    for statement in tables.definitions((tables.EventRow, tables.IdRow, tables.AboutRow)):
        for name in _REPLACED:
            statement = statement.replace(f"TABLE {name} ", f"TABLE {name}{_NEW} ").replace(
                f" ON {name} ", f" ON {name}{_NEW} "
            )
        tx.run(statement)
    tx.insert("about_me", [{"name": "spellings", "value": ""}], on_conflict="ignore")
    tx.run("UPDATE about_me SET value = lower(hex(randomblob(16))) WHERE name = 'spellings' AND value = ''")


def _copy(tx: Tx) -> bool:
    after = tx.rows(f"SELECT coalesce(max(position), 0) AS position FROM events{_NEW}", {})[0]["position"]  # noqa: S608
    found = tx.rows(_EVENTS, {"after": after, "limit": AT_ONCE})
    rows, about = [], []
    for row in found:
        living = {each["name"]: each for each in json.loads(row["parts"]) if each["body"] is not None}
        text = joined({name: each["body"] for name, each in living.items()})
        salts = b"".join(bytes.fromhex(living[name]["salt"]) for name in sorted(living))
        event = event_of(row["id"], row["header"], {}, position=row["position"])
        rows.append(event_row(event, row["header"], text, salts, key=row["key"] or ""))
        about += [{"target": target, "position": row["position"]} for target in dict.fromkeys(event.about)]
    tx.insert(f"events{_NEW}", rows)
    tx.insert("event_ids", [{"id": row["id"], "position": row["position"]} for row in rows])
    tx.insert(f"event_about{_NEW}", about)
    return bool(found)


_EVENTS = """
SELECT e.position, e.id, e.key, e.header,
       (SELECT json_group_array(json_object('name', p.name, 'salt', hex(p.salt), 'body', p.body))
          FROM event_parts p WHERE p.position = e.position) AS parts
FROM events e WHERE e.position > :after ORDER BY e.position LIMIT :limit
"""


def _change_places(tx: Tx) -> None:
    for name in _REPLACED:
        tx.run(f"ALTER TABLE {name} RENAME TO {name}{_OLD}")
        tx.run(f"ALTER TABLE {name}{_NEW} RENAME TO {name}")


def _empty(tx: Tx, there: set[str]) -> bool:
    """Delete what is in the old tables, those first that point at another."""
    for name in (f"event_about{_OLD}", "event_parts", f"events{_OLD}"):
        if name not in there:
            continue
        rows = f"DELETE FROM {name} WHERE rowid IN (SELECT rowid FROM {name} LIMIT {ROWS_AT_ONCE})"  # noqa: S608
        if not tx.run(rows):
            tx.run(f"DROP TABLE {name}")
        return True
    return False
