"""Who may read what in Slack, and who may act: asked of Slack, kept for a minute, closed when in doubt.

`is_private` decides, never an id's first letter; a channel shared with another organisation counts as
private; whoever isn't known, is a bot or has left reads nothing. A post in a channel is for the
intersection of those who read it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any, Generic, Literal, TypeVar

from bot.slack import zones
from bot.slack.client import Refused, SlackClient
from bot.sources.slack import SlackChannel, SlackPerson, person_of
from store import NOBODY, Members, Reader

FRESH_S = 60
"""Longest age in seconds of what is believed about channels and members; events shorten it, and posts that others
see ask anew. Half of Slack's budget for users.conversations (50 a minute) serves 25 askers a minute."""
PEOPLE_FRESH_S = 600
"""Longest age in seconds of the list of people; user_change and team_join shorten it."""
FEW = 12
"""People up to which Slack is asked person by person. A closed channel with more is taken to share its own
scope alone, which is a part of the true intersection; more unknown people are read from the whole list."""

SHARED = ("is_ext_shared", "is_pending_ext_shared")
"""What conversations.info says of a channel in which another organisation reads or soon will."""

_Value = TypeVar("_Value")
Kind = Literal["member", "guest", "external"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """A person as access needs them."""

    person: SlackPerson
    external: bool
    admin: bool
    zone: tzinfo | None = None
    """Where their clock stands; None where Slack doesn't say."""

    @property
    def full(self) -> bool:
        """Whether they are a full member: neither guest nor of another organisation."""
        return not (self.external or self.person.guest)

    @property
    def here(self) -> bool:
        """Whether they are a person who hasn't left: no bot, not deactivated."""
        return self.person.active and not self.person.is_bot


class _Kept(Generic[_Value]):
    """Values by key, each believed for a time; thread-safe, and no lock is held while one is fetched."""

    def __init__(self, clock: Callable[[], datetime], seconds: int) -> None:
        self._clock, self._age = clock, timedelta(seconds=seconds)
        self._held: dict[str, tuple[datetime, _Value]] = {}
        self._drops = 0
        self._lock = threading.Lock()

    def get(self, key: str, fetch: Callable[[], _Value], *, fresh: bool = False) -> _Value:
        """Return what is held, or fetch it; what was dropped while it was fetched isn't held."""
        with self._lock:
            held, drops = self._held.get(key), self._drops
        if held is not None and not fresh and self._clock() - held[0] < self._age:
            return held[1]
        asked_at, value = self._clock(), fetch()
        with self._lock:
            if drops == self._drops:
                self._held[key] = (asked_at, value)
        return value

    def put(self, key: str, value: _Value) -> None:
        """Hold a value that came along with others."""
        with self._lock:
            self._held[key] = (self._clock(), value)

    def missing(self, keys: Iterable[str]) -> int:
        """Count the keys that would have to be fetched."""
        with self._lock:
            held, now = dict(self._held), self._clock()
        return sum(1 for key in keys if key not in held or now - held[key][0] >= self._age)

    def drop(self, key: str = "") -> None:
        """Forget one value, or all."""
        with self._lock:
            self._drops += 1
            if key:
                self._held.pop(key, None)
            else:
                self._held.clear()


class NothingNoted:
    """In the place of a memory's note of memberships, for whoever only counts."""

    def put_channel(self, channel: str, *, name: str, open: bool, members: Iterable[str], at: datetime) -> None:
        """Note nothing of a channel."""

    def put_person(self, person: str, *, name: str, kind: Kind, at: datetime, active: bool = True) -> None:
        """Note nothing of a person."""

    def left(self, channel: str, person: str) -> None:
        """Note nothing of who left."""

    def gone(self, person: str) -> None:
        """Note nothing of who is gone."""

    def channel(self, channel: str) -> None:
        """Know no channel."""


Noted = Members | NothingNoted


class Access:
    """Readers and rights of one workspace; thread-safe."""

    def __init__(
        self,
        client: SlackClient,
        members: Noted,
        clock: Callable[[], datetime],
        *,
        home_team: str,
        admins: frozenset[str] = frozenset(),
    ) -> None:
        """Ask Slack through `client`; note what it says in `members`, for the command line.

        Args:
            client: of the bot.
            members: the memory's own note of memberships.
            clock: aware UTC now.
            home_team: the id of the workspace's team; people of another are external.
            admins: user ids that count as admins besides Slack's own.
        """
        self._client, self._members, self._clock = client, members, clock
        self._home, self._admins = home_team, admins
        self._channels: _Kept[dict[str, Any] | None] = _Kept(clock, FRESH_S)
        self._inside: _Kept[tuple[str, ...] | None] = _Kept(clock, FRESH_S)
        self._held: _Kept[frozenset[str] | None] = _Kept(clock, FRESH_S)
        self._people: _Kept[Who | None] = _Kept(clock, PEOPLE_FRESH_S)
        self._own: _Kept[tuple[dict[str, Any], ...]] = _Kept(clock, FRESH_S)
        self._zone: _Kept[tzinfo] = _Kept(clock, PEOPLE_FRESH_S)

    # --- people ---

    def who(self, user: str) -> Who | None:
        """Return a person; None when Slack doesn't know them."""
        return self._people.get(user, lambda: self._fetch_person(user)) if user else None

    def name_of(self, user: str) -> str:
        """Return what people call somebody; "Somebody" when unknown."""
        who = self.who(user)
        return who.person.name if who and who.person.name else "Somebody"

    def is_admin(self, user: str) -> bool:
        """Say whether somebody is an admin or owner in Slack, or by the settings."""
        who = self.who(user)
        return who is not None and who.full and who.here and (who.admin or user in self._admins)

    def admins(self) -> tuple[str, ...]:
        """Return the ids of all who act as admins, by Slack or by the settings alone where Slack won't say."""
        try:
            slacks = {str(raw["id"]) for raw in self._client.users() if self._note_person(raw).admin}
        except Refused:
            slacks = set()
        return tuple(sorted(user for user in slacks | self._admins if self.is_admin(user)))

    def zone_of(self, user: str) -> tzinfo:
        """Return where somebody's clock stands; that of most people here where Slack doesn't say."""
        who = self.who(user)
        return (who.zone if who else None) or self.common_zone()

    def common_zone(self) -> tzinfo:
        """Return the zone of most full members; UTC where nobody has one, or Slack won't say."""
        return self._zone.get("", self._fetch_zone)

    def _fetch_zone(self) -> tzinfo:
        try:
            everybody = [self._note_person(raw) for raw in self._client.users()]
        except Refused:
            return zones.most_common(())
        return zones.most_common(who.zone for who in everybody if who.full and who.here)

    def _fetch_person(self, user: str) -> Who | None:
        try:
            raw = self._client.user(user)
        except Refused:
            return None
        return self._note_person(raw)

    def _note_person(self, raw: dict[str, Any]) -> Who:
        person = person_of(raw)
        who = Who(
            person=person,
            external=bool(raw.get("is_stranger")) or bool(person.team and person.team != self._home),
            admin=bool(raw.get("is_admin") or raw.get("is_owner") or raw.get("is_primary_owner")),
            zone=zones.zone_of(raw),
        )
        kind: Kind = "external" if who.external else "guest" if person.guest else "member"
        active = person.active and not person.is_bot
        self._members.put_person(person.id, name=person.name, kind=kind, active=active, at=self._clock())
        return who

    # --- channels ---

    def channel(self, channel: str, *, fresh: bool = False) -> SlackChannel | None:
        """Return a channel, open only where every full member may read it; None when the bot can't see it."""
        raw = self.raw_channel(channel, fresh=fresh)
        return None if raw is None else channel_of(raw)

    def raw_channel(self, channel: str, *, fresh: bool = False) -> dict[str, Any] | None:
        """Return a channel as conversations.info has it; None when the bot can't see it."""
        return self._channels.get(channel, lambda: self._fetch_channel(channel), fresh=fresh)

    def _fetch_channel(self, channel: str) -> dict[str, Any] | None:
        try:
            return self._client.channel(channel)
        except Refused:
            return None

    def is_direct(self, channel: str) -> bool:
        """Say whether a conversation is between one person and the bot."""
        raw = self.raw_channel(channel)
        return raw is not None and raw.get("is_im") is True

    def inside(self, channel: str, *, fresh: bool = False) -> tuple[str, ...] | None:
        """Return the people in a channel, bots left out; None when the bot can't know."""
        return self._inside.get(channel, lambda: self._fetch_members(channel), fresh=fresh)

    def _fetch_members(self, channel: str) -> tuple[str, ...] | None:
        try:
            listed = self._client.members(channel)
            if self._people.missing(listed) > FEW:
                for raw in self._client.users():
                    self._people.put(str(raw["id"]), self._note_person(raw))
        except Refused:
            self._forget_members(channel)
            return None
        people = tuple(user for user in listed if not ((who := self.who(user)) and who.person.is_bot))
        if (known := self.channel(channel)) is not None:
            self._members.put_channel(channel, name=known.name, open=known.open, members=people, at=self._clock())
        return people

    def _forget_members(self, channel: str) -> None:
        """Note that nobody is known to be in a channel that the bot no longer sees."""
        if (noted := self._members.channel(channel)) is not None:
            self._members.put_channel(channel, name=noted[0], open=noted[1], members=(), at=self._clock())

    def own_channels(self, bot: str) -> tuple[dict[str, Any], ...]:
        """Return the channels that the bot is in, as Slack lists them; direct and group messages are none.

        Args:
            bot: its user id.
        """

        def listed() -> tuple[dict[str, Any], ...]:
            left_out = ("is_im", "is_mpim", "is_archived")
            return tuple(raw for raw in self._client.channels_of(bot) if not any(raw.get(flag) for flag in left_out))

        return self._own.get(bot, listed)

    # --- readers ---

    def reader_of(self, user: str, *, fresh: bool = False) -> Reader:
        """Return what one person may read; nothing when unknown, a bot, or gone."""
        who = self.who(user)
        if who is None or not who.here:
            return NOBODY
        held = self._held.get(user, lambda: self._fetch_held(user), fresh=fresh)
        if held is None:
            return NOBODY
        return Reader(sees_open=who.full, scopes=held)

    def _fetch_held(self, user: str) -> frozenset[str] | None:
        try:
            return frozenset(f"channel:{raw['id']}" for raw in self._client.channels_of(user))
        except Refused:
            return None

    def readers_of_channel(self, channel: str, *, fresh: bool = False) -> Reader:
        """Return what everybody who reads a channel may read; nothing when the bot can't know who that is.

        An open channel is read by all full members, now and later, and by the guests in it. One that is shared with
        another organisation may be public on either side, whoever is in it now: it gets only what was said there.
        """
        raw, people = self.raw_channel(channel, fresh=fresh), self.inside(channel, fresh=fresh)
        if raw is None or not people:
            return NOBODY
        known = channel_of(raw)
        own = frozenset({known.scope.id})
        if any(raw.get(flag) for flag in SHARED):
            return Reader(sees_open=False, scopes=own)
        everybody = [self.who(user) for user in people]
        all_full = all(who is not None and who.full and who.person.active for who in everybody)
        if known.open:
            return Reader(sees_open=all_full, scopes=own)
        joint = Reader(sees_open=all_full, scopes=own)
        if len(people) > FEW or not all_full:
            return joint
        held = self.reader_of(people[0], fresh=fresh)
        for user in people[1:]:
            held = held.and_also(self.reader_of(user, fresh=fresh))
        return Reader(sees_open=held.sees_open, scopes=held.scopes | own)

    def may_read(self, user: str, channel: str) -> bool:
        """Say whether somebody may read what is said in a channel."""
        known = self.channel(channel)
        return known is not None and self.reader_of(user).may_read(known.scope)

    def may_act(self, user: str, channel: str = "") -> bool:
        """Say whether somebody may act at all; guests only in a channel that they are in, outsiders and bots never."""
        who = self.who(user)
        if who is None or not who.here or who.external:
            return False
        if not who.person.guest:
            return True
        return bool(channel) and f"channel:{channel}" in self.reader_of(user).scopes

    def may_use_home(self, user: str) -> bool:
        """Say whether somebody may use what only they see: members, and guests where they are in any channel.

        What they press there is about a decision or a channel, and asked after for that.
        """
        who = self.who(user)
        if who is None or not who.here or who.external:
            return False
        return not who.person.guest or bool(self.reader_of(user).scopes)

    # --- news ---

    def channel_changed(self, channel: str) -> None:
        """Forget what is believed about a channel and its members."""
        self._channels.drop(channel)
        self._inside.drop(channel)
        self._held.drop()
        self._own.drop()

    def person_changed(self, user: str, *, gone: bool = False) -> None:
        """Forget what is believed about a person; note it where they were deactivated."""
        self._people.drop(user)
        self._held.drop(user)
        if gone:
            self._members.gone(user)

    def membership_changed(self, channel: str, user: str) -> None:
        """Forget who is in a channel, and which channels that person is in."""
        self._inside.drop(channel)
        self._held.drop(user)
        self._members.left(channel, user)


def channel_of(raw: dict[str, Any]) -> SlackChannel:
    """Read a conversation; open only when it is public and of this organisation alone."""
    closed = ("is_private", "is_im", "is_mpim", "is_group", *SHARED)
    return SlackChannel(
        id=str(raw["id"]),
        name="" if raw.get("is_im") else str(raw.get("name") or ""),
        open=raw.get("is_channel") is True and not any(raw.get(flag) for flag in closed),
    )
