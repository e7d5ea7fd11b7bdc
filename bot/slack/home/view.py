"""The Home tab, put together: what one person may see, within Slack's 100 blocks whatever there is.

Every list has a most (`home_people`, `home_data`, `home_admin`); together they come to fewer than 100 blocks, so
nothing is ever cut off at the end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from bot.proposing import Offered
from bot.slack.answering.gaps import Gap
from bot.slack.home import people
from bot.slack.home.admin import Admin, Channel, admin, channels
from bot.slack.home.data import MyData, my_data
from bot.slack.layout import words
from bot.slack.layout.kit import Block, divider, home, section
from bot.slack.layout.text import Mrkdwn
from bot.slack.unasked.followups import FollowUp
from store import Conflict, Decision, Trajectory

VIEW_BYTES = 250_000
"""Of a view's JSON as it is sent, where each sign beyond ASCII takes six bytes or twelve; Slack refuses more."""

TOLD_MAX = 4
"""Blocks of what came of the last press."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """What one person's Home shows; each list is what they may read, likeliest to be wanted first."""

    told: tuple[Block, ...] = ()
    """What came of what they pressed last."""
    waiting: tuple[Decision, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    came: tuple[Offered, ...] = ()
    """What other systems report of what they decided."""
    asked_how: tuple[FollowUp, ...] = ()
    recent: tuple[Decision, ...] = ()
    """Newest first; one more than `people.RECENT_MAX` says that there are more."""
    gaps: tuple[Gap, ...] = ()
    questions: tuple[Trajectory, ...] = ()
    """Their own, newest first."""
    data: MyData = field(default_factory=MyData)
    channels: tuple[Channel, ...] = ()
    """Those whose settings they may set."""
    admin: Admin | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    """What people call a channel ("#search"), by its id; only channels of what is shown."""

    @property
    def is_new(self) -> bool:
        """Whether nothing stands in it yet that it could be explained by."""
        lists = (self.waiting, self.conflicts, self.came, self.asked_how, self.recent, self.questions)
        return not (any(lists) or self.data.kept)


def home_view(shown: Home) -> Block:
    """Lay out somebody's Home: what they can do first, then what waits for them, then what there is.

    Where its texts are longer than a view may be, as many emoji are, each list shows half, or half of that.
    """
    view = _laid_out(shown)
    while len(json.dumps(view)) > VIEW_BYTES:
        shown = _halved(shown)
        view = _laid_out(shown)
    return view


def _halved(shown: Home) -> Home:
    values = {each.name: getattr(shown, each.name) for each in fields(shown)}
    lists: dict[str, Any] = {
        name: value[: len(value) // 2] for name, value in values.items() if isinstance(value, tuple)
    }
    latest = shown.data.latest[: len(shown.data.latest) // 2]
    return replace(shown, data=replace(shown.data, latest=latest), **lists)


def _laid_out(shown: Home) -> Block:
    where = dict(shown.where)
    told: list[Block | None] = [*shown.told[:TOLD_MAX], divider()] if shown.told else []
    lists: list[Block | None] = [
        *people.to_confirm(shown.waiting, where),
        *people.contested(shown.conflicts, where),
        *people.what_came(shown.came, where),
        *people.how_did_it_go(shown.asked_how, where),
        *([] if shown.is_new else people.recent(shown.recent, where)),
        *people.asked_openly(shown.gaps, where),
        *([] if shown.is_new else people.questions(shown.questions)),
    ]
    below: list[Block | None] = []
    if shown.channels or shown.admin is not None:
        below += channels(shown.channels, for_admin=shown.admin is not None)
    if shown.admin is not None:
        below += admin(shown.admin)
    first = people.hello() if shown.is_new else []
    last = shown.questions[0].session if shown.questions else ""
    return home(
        [
            *told,
            *first,
            *people.search(last),
            *lists,
            *my_data(shown.data),
            *below,
        ]
    )


def closed_view() -> Block:
    """Say plainly that this page is for others."""
    return home([section(Mrkdwn(words.HOME_NOT_FOR_YOU))])
