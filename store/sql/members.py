"""Who may read which channel, as Slack or an export last said; what isn't known here reads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Literal

from sqlalchemy import Boolean, Column, Connection, Index, String, Table, delete, select

from store.core.model import NOBODY, Reader
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

Kind = Literal["member", "guest", "external"]

channels = Table(
    "channels",
    metadata,
    Column("channel", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("open", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
)
people = Table(
    "people",
    metadata,
    Column("person", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
)
_members = Table(
    "members",
    metadata,
    Column("channel", String, primary_key=True),
    Column("person", String, primary_key=True),
    Index("members_person", "person"),
)


class Noting:
    """Facts that are written in one transaction."""

    def __init__(self, tx: Connection) -> None:
        """Use `Members.noting`."""
        self._tx = tx

    def channel(self, channel: str, *, name: str, open: bool, members: Iterable[str], at: datetime) -> None:
        """Replace what is known of a channel: its name, whether every member may read it, who is in it."""
        rows = [{"channel": channel, "person": person} for person in dict.fromkeys(members)]
        self._tx.execute(delete(channels).where(channels.c.channel == channel))
        self._tx.execute(insert(channels).values(channel=channel, name=name, open=open, at=at))
        self._tx.execute(delete(_members).where(_members.c.channel == channel))
        if rows:
            self._tx.execute(insert(_members), rows)

    def person(self, person: str, *, name: str, kind: Kind, at: datetime, active: bool = True) -> None:
        """Replace what is known of a person; somebody deactivated reads nothing."""
        self._tx.execute(delete(people).where(people.c.person == person))
        self._tx.execute(insert(people).values(person=person, name=name, kind=kind, active=active, at=at))


class Members:
    """Memberships of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    @contextmanager
    def noting(self) -> Iterator[Noting]:
        """Write many facts at once: each transaction is a wait for the disk, in which no delivery can be kept."""
        with self._file.transaction(alone="members") as tx:
            yield Noting(tx)

    def put_channel(self, channel: str, *, name: str, open: bool, members: Iterable[str], at: datetime) -> None:
        """Replace what is known of one channel."""
        with self.noting() as noting:
            noting.channel(channel, name=name, open=open, members=members, at=at)

    def put_person(self, person: str, *, name: str, kind: Kind, at: datetime, active: bool = True) -> None:
        """Replace what is known of one person."""
        with self.noting() as noting:
            noting.person(person, name=name, kind=kind, active=active, at=at)

    def left(self, channel: str, person: str) -> None:
        """Forget that somebody is in a channel, until it is read anew who is."""
        with self._file.transaction() as tx:
            tx.execute(delete(_members).where(_members.c.channel == channel, _members.c.person == person))

    def gone(self, person: str) -> None:
        """Note that somebody was deactivated: they read nothing and are named no more."""
        with self._file.transaction() as tx:
            tx.execute(people.update().where(people.c.person == person).values(active=False))

    def reader_of(self, person: str) -> Reader:
        """Return what somebody may read: NOBODY when unknown; guests only the channels that they are in."""
        with self._file.reading() as seen:
            known = seen.execute(select(people).where(people.c.person == person)).one_or_none()
            if known is None or not known.active:
                return NOBODY
            inside = seen.execute(select(_members.c.channel).where(_members.c.person == person)).scalars()
            return Reader(
                sees_open=known.kind == "member", scopes=frozenset(f"channel:{channel}" for channel in inside)
            )

    def channel(self, channel: str) -> tuple[str, bool] | None:
        """Return a channel's name and whether it is open; None when it isn't known."""
        with self._file.reading() as seen:
            row = seen.execute(select(channels).where(channels.c.channel == channel)).one_or_none()
        return None if row is None else (row.name, row.open)

    def find_channel(self, named: str) -> tuple[str, str, bool] | None:
        """Return (id, name, open) of a channel given by id or name ("#search" too); None when it isn't known."""
        name = named.removeprefix("#")
        query = select(channels).where((channels.c.channel == named) | (channels.c.name == name))
        with self._file.reading() as seen:
            row = seen.execute(query.order_by(channels.c.channel != named, channels.c.channel)).first()
        return None if row is None else (row.channel, row.name, row.open)

    def channels(self) -> tuple[tuple[str, str], ...]:
        """Return (id, name) of every channel that is known, by name."""
        with self._file.reading() as seen:
            found = seen.execute(select(channels.c.channel, channels.c.name).order_by(channels.c.name)).all()
        return tuple((row.channel, row.name) for row in found)

    def find_person(self, named: str) -> str | None:
        """Return the id of a person given by id or name; None when nobody or more than one has that name."""
        query = select(people.c.person).where((people.c.person == named) | (people.c.name == named.removeprefix("@")))
        with self._file.reading() as seen:
            found = list(seen.execute(query).scalars())
        if named in found:
            return named
        return found[0] if len(found) == 1 else None

    def people_called(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return (id, name) of everybody of an id or a name ("@mia" too), by id."""
        named = (people.c.person == name) | (people.c.name == name.removeprefix("@"))
        with self._file.reading() as seen:
            found = seen.execute(select(people.c.person, people.c.name).where(named).order_by(people.c.person))
            return tuple((row.person, row.name) for row in found)

    def active(self, person: str) -> bool:
        """Say whether somebody is known and not deactivated."""
        with self._file.reading() as seen:
            return bool(seen.execute(select(people.c.active).where(people.c.person == person)).scalar_one_or_none())

    def forget(self, person: str) -> int:
        """Drop a person's name and memberships, until Slack is asked again; returns how many rows. Twice is once."""
        with self._file.transaction() as tx:
            gone = tx.execute(delete(_members).where(_members.c.person == person)).rowcount
            return gone + tx.execute(delete(people).where(people.c.person == person)).rowcount

    def forget_channel(self, channel: str) -> int:
        """Drop a channel's name and who is in it, until Slack is asked again; returns how many rows. Twice is once."""
        with self._file.transaction() as tx:
            gone = tx.execute(delete(_members).where(_members.c.channel == channel)).rowcount
            return gone + tx.execute(delete(channels).where(channels.c.channel == channel)).rowcount

    def clear(self) -> None:
        """Drop everybody: the workspace has gone."""
        with self._file.transaction() as tx:
            for one in (channels, people, _members):
                tx.execute(one.delete())
