"""The form of a channel's settings, and what is read back from it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.playground.blocks import check_view
from bot.slack.channel.channel_form import ChannelSettings, channel_view, read_channel
from bot.slack.layout import actions as act
from bot.slack.layout.text import Mrkdwn
from bot.slack.room import Marking, Mode

EVERYTHING = ChannelSettings(mode=Mode.ASK_FIRST, mark=Marking.EMOJI, digest=True, said_before=True)


def submitted(view: dict[str, Any]) -> dict[str, Any]:
    """Return a form handed in as it was opened."""
    state: dict[str, Any] = {}
    for block in (block for block in view["blocks"] if block["type"] == "input"):
        field = block["element"]
        chosen = {"selected_option": field.get("initial_option"), "selected_options": field.get("initial_options", [])}
        state[block["block_id"]] = {field["action_id"]: chosen}
    return {"private_metadata": view["private_metadata"], "state": {"values": state}}


@pytest.mark.parametrize("now", [ChannelSettings(), EVERYTHING, ChannelSettings(mode=Mode.OFF, digest=True)])
def test_a_form_handed_in_as_it_was_opened_changes_nothing(now: ChannelSettings) -> None:
    view = channel_view("C1", now, record=Mrkdwn("19 of the last 20"))

    read = read_channel(submitted(view))

    check_view(view)
    assert read == now
    assert act.decode(view["private_metadata"]) == act.Target(channel="C1")


@pytest.mark.parametrize("values", [{}, {"choice": {}}, {"choice": {"value": {"selected_option": {"value": "all"}}}}])
def test_what_no_form_of_ours_can_have_sent_is_nothing(values: dict[str, Any]) -> None:
    assert read_channel({"state": {"values": values}}) is None
