"""Slack's messages as turns and threads, the same from an export and from the Web API.

A thread is rebuilt from each message's own `thread_ts`, never from `replies`, which exports leave out
or cut. A `ts` is an opaque string: it is ordered and dated by its digits and never passes through a float.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from store import Place, Reaction, Scope, Thread, Turn, TurnId, Vocabulary

SOURCE = "slack"

VOCABULARY = Vocabulary(
    decided=(
        "decided", "decision:", "agreed", "let's go with", "lets go with", "going with", "we'll go", "go for it",
        "settled", "final answer", "ship it", "do that", "ok so:", "so we", "let's do", "we keep", "stays on",
    ),
    superseded=("instead of what we said", "reversing", "no longer", "changed our mind", "replaces", "moving off"),
    rejected=("not going with", "ruled out", "we won't", "not doing", "let's not", "turned down", "no to", "rejected"),
)  # fmt: skip

NOT_SAID_BY_ANYBODY = frozenset({
    "bot_add", "bot_remove", "channel_archive", "channel_canvas_updated", "channel_convert_to_private",
    "channel_convert_to_public", "channel_join", "channel_leave", "channel_name", "channel_posting_permissions",
    "channel_purpose", "channel_topic", "channel_unarchive", "ekm_access_denied", "group_archive", "group_join",
    "group_leave", "group_name", "group_purpose", "group_topic", "group_unarchive", "huddle_thread", "pinned_item",
    "reminder_add", "reply_broadcast", "sh_room_created", "tombstone", "unpinned_item",
})  # fmt: skip
"""Subtypes that Slack writes itself, or that hold nobody's words any more."""

_TS = re.compile(r"(\d{1,12})\.(\d{1,6})")
_ANGLED = re.compile(r"<([^<>\n]+)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackPerson:
    """A member, a bot or a guest as users.json or users.info tells; `name` is what people call them."""

    id: str
    name: str
    is_bot: bool = False
    active: bool = True
    guest: bool = False
    team: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackChannel:
    """A conversation; `open` only where every full member of the workspace can read it."""

    id: str
    name: str
    open: bool
    members: frozenset[str] = frozenset()

    @property
    def scope(self) -> Scope:
        """Return who can read what is said here."""
        return Scope(id=f"channel:{self.id}", open=self.open)

    @property
    def label(self) -> str:
        """Return what people call it: `#search`, or `a direct message`."""
        return f"#{self.name}" if self.name else "a direct message"


def ts_order(ts: str) -> tuple[int, int]:
    """Return what orders a `ts` by time; (0, 0) for one that is none."""
    match = _TS.fullmatch(ts)
    return (int(match[1]), int(match[2].ljust(6, "0"))) if match else (0, 0)


def ts_time(ts: str) -> datetime:
    """Return the moment of a `ts`, to the microsecond."""
    seconds, micros = ts_order(ts)
    return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=micros)


def channel_id(place: Place) -> str:
    """Return the id of the channel in which a place lies, "" where it isn't one of Slack's."""
    return place.anchor.partition("/")[0] if place.source == SOURCE else ""


def person_of(raw: Mapping[str, object]) -> SlackPerson:
    """Read a user object of users.json, users.list or users.info; what is missing is taken as the safe side."""
    profile = _object(raw.get("profile"))
    names = (
        profile.get("real_name"),
        raw.get("real_name"),
        profile.get("display_name"),
        raw.get("name"),
        raw.get("id"),
    )
    return SlackPerson(
        id=_text(raw.get("id")),
        name=next((name for name in map(_text, names) if name), ""),
        is_bot=bool(raw.get("is_bot")) or raw.get("id") == "USLACKBOT",
        active=not raw.get("deleted"),
        guest=bool(raw.get("is_restricted") or raw.get("is_ultra_restricted") or raw.get("is_stranger")),
        team=_text(raw.get("team_id")),
    )


def question_key(team: str, channel: str, ts: str) -> str:
    """Return the key of the delivery of a question that stands in that message."""
    return f"question:{team}:{channel}:{ts}"


def turn_id_of(channel_id: str, ts: str) -> TurnId:
    """Return the id by which a message is known on every machine."""
    return TurnId(f"{channel_id}/{ts}")


def place_of(channel_id: str, thread_ts: str, *, permalink: str = "") -> Place:
    """Return the place of a thread, or of a message without one."""
    return Place(source=SOURCE, anchor=f"{channel_id}/{thread_ts}", permalink=permalink)


def thread_from_messages(
    messages: Iterable[Mapping[str, object]],
    *,
    channel: SlackChannel,
    thread_ts: str,
    people: Mapping[str, SlackPerson],
    permalinks: Mapping[str, str] | None = None,
    leave_out: frozenset[str] = frozenset(),
) -> Thread | None:
    """Build one thread of the messages given, in any order, each `ts` once; None where nobody said anything.

    Args:
        messages: of this thread alone, as Slack gives them; tombstones, joins and wordless ones are left out.
        channel: where it was said.
        thread_ts: the root's `ts`, whether the root itself is there or not.
        people: by user id; who is missing goes by what the message says of them, else by their id.
        permalinks: by `ts`, as chat.getPermalink gave them.
        leave_out: user, bot and app ids whose messages are not read and make no new version of the text: the
            bot itself, who asked to be left out.
    """
    links = permalinks or {}
    by_ts: dict[str, Mapping[str, object]] = {}
    for message in messages:
        ts = _text(message.get("ts"))
        if _TS.fullmatch(ts) and not (ts in by_ts and message.get("subtype") == "thread_broadcast"):
            by_ts[ts] = message
    read = sorted(
        (message for message in by_ts.values() if _is_said(message) and not leave_out & _authors(message)),
        key=lambda message: (ts_order(_text(message.get("ts"))), _text(message.get("ts"))),
    )
    if not read:
        return None
    turns = tuple(_turn(message, channel, thread_ts, people, links) for message in read)
    basis = max((version for message in read for version in _versions(message)), key=ts_order)
    place = place_of(channel.id, thread_ts, permalink=links.get(thread_ts, turns[0].permalink))
    return Thread(place=place, scope=channel.scope, turns=turns, basis=basis, label=channel.label)


def plain_text(text: str, people: Mapping[str, SlackPerson]) -> str:
    """Return a message as its readers see it: names for ids, labels for links, no entities."""
    return html.unescape(_ANGLED.sub(lambda match: _shown(match[1], people), text)).strip()


def _shown(inside: str, people: Mapping[str, SlackPerson]) -> str:
    target, _, label = inside.partition("|")
    if target.startswith("@"):
        person = people.get(target[1:])
        return f"@{person.name if person else label or target[1:]}"
    if target.startswith("#"):
        return f"#{label or target[1:]}"
    if target.startswith("!"):
        return label if target.startswith(("!date", "!subteam")) and label else f"@{target[1:].partition('^')[0]}"
    if target.startswith(("http://", "https://", "mailto:")):
        return f"{label} ({target})" if label and label not in target else target.removeprefix("mailto:")
    return f"<{inside}>"


def _turn(
    message: Mapping[str, object],
    channel: SlackChannel,
    thread_ts: str,
    people: Mapping[str, SlackPerson],
    links: Mapping[str, str],
) -> Turn:
    ts = _text(message.get("ts"))
    user_id = _text(message.get("user"))
    person = people.get(user_id)
    return Turn(
        turn_id=turn_id_of(channel.id, ts),
        thread_id=f"{channel.id}/{thread_ts}",
        author=person.name if person else _name_in(message) or user_id or "somebody",
        author_id=user_id,
        occurred_at=ts_time(ts),
        text=plain_text(_words(message), people),
        permalink=links.get(ts, ""),
        is_bot=bool(message.get("bot_id")) or message.get("subtype") == "bot_message" or bool(person and person.is_bot),
        reactions=tuple(_reactions(message)),
    )


def _is_said(message: Mapping[str, object]) -> bool:
    return message.get("subtype") not in NOT_SAID_BY_ANYBODY and bool(_words(message).strip())


def _words(message: Mapping[str, object]) -> str:
    """Return the text; where there is none, what the attachments say (alerts and links of other apps)."""
    if text := _text(message.get("text")):
        return text
    parts = (_object(part) for part in _array(message.get("attachments")))
    return "\n".join(words for part in parts if (words := _text(part.get("text")) or _text(part.get("fallback"))))


def _versions(message: Mapping[str, object]) -> Iterable[str]:
    yield _text(message.get("ts"))
    if edited := _text(_object(message.get("edited")).get("ts")):
        yield edited


def _authors(message: Mapping[str, object]) -> frozenset[str]:
    return frozenset(_text(message.get(key)) for key in ("user", "bot_id", "app_id")) - {""}


def _name_in(message: Mapping[str, object]) -> str:
    profile, bot = _object(message.get("user_profile")), _object(message.get("bot_profile"))
    names = (
        profile.get("real_name"),
        profile.get("display_name"),
        message.get("username"),
        bot.get("name"),
        message.get("bot_id"),
    )
    return next((name for name in map(_text, names) if name), "Slackbot" if message.get("user") == "USLACKBOT" else "")


def _reactions(message: Mapping[str, object]) -> Iterable[Reaction]:
    for raw in map(_object, _array(message.get("reactions"))):
        if name := _text(raw.get("name")):
            yield Reaction(name=name, users=tuple(user for user in map(_text, _array(raw.get("users"))) if user))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _array(value: object) -> list[object]:
    return value if isinstance(value, list) else []
