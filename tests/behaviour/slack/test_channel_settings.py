"""Coming into a channel, how it captures there, who may say so, and that what it said of itself stays true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.playground import screen
from bot.playground.people import SCOPES, small_workspace
from bot.slack.channel.introducing import KIND_INTRODUCTIONS
from bot.slack.layout import actions as act
from bot.slack.room import Mode
from tests.builders_slack import Gateway, Stage, staged

PLATFORM = "C0PLATFORM"


def introduced(stage: Stage, by: str = "ana") -> dict[str, Any]:
    stage.play.invite_bot(by, "platform")
    stage.settle()
    return stage.play.bot_messages("platform")[-1]


def said(stage: Stage) -> list[str]:
    """Return what the bot said in the channel, after Slack's own word that it came."""
    return stage.screens("platform")[1:]


def opened(stage: Stage, user: str, message: dict[str, Any], action: str = act.ACTION_MODE) -> dict[str, Any]:
    stage.play.press(user, message, action)
    stage.settle()
    (view,) = stage.play.views(user)
    return view


def chosen(stage: Stage, user: str, view: dict[str, Any], **values: Any) -> None:
    stage.play.submit(user, view, values)
    stage.settle()


def test_first_contact_stays_true_when_the_mode_changes(stage: Stage) -> None:
    first = introduced(stage)
    before = screen(first)
    view = opened(stage, "ana", first)

    chosen(stage, "ana", view, mark="emoji", more=["digest"])

    now = said(stage)
    settings = [
        stage.memory.setting(f"channel:{PLATFORM}:{name}") for name in ("mode", "mark", "digest", "said_before")
    ]
    assert "Here I keep only what you point at" in before
    assert "Here I capture by myself: I read threads that have gone quiet" in now[0]
    assert "gets a 🔖" in now[0]
    assert now[1].startswith("Ana Costa changed how I capture here: By itself")
    assert settings == ["by itself", "emoji", "on", ""]
    assert any("Saved." in told for told in stage.whispers("ana"))


def test_stepping_down_edits_first_contact_and_tells_whoever_did_alone(stage: Stage) -> None:
    first = introduced(stage)

    stage.play.press("ana", first, act.ACTION_STAY_OUT)
    stage.settle()

    (told,) = said(stage)
    assert "Capture is off here: I keep nothing." in told
    assert "Look back" not in told
    assert any("Off: I keep nothing here" in said for said in stage.whispers("ana"))


def test_the_form_is_kept_by_its_channel_when_the_process_begins_anew(stage: Stage) -> None:
    view = opened(stage, "ana", introduced(stage))
    stage.bot.room.pressed.clear()

    chosen(stage, "ana", view, choice="ask_first")

    assert stage.bot.room.mode(PLATFORM) is Mode.ASK_FIRST
    assert any("Saved." in told for told in stage.whispers("ana"))


@pytest.mark.parametrize(
    ("user", "channel", "may"),
    [
        ("U0ANA", "C0PLATFORM", True),  # invited it, and made the channel
        ("U0LENA", "C0PLATFORM", True),  # an admin
        ("U0RAJ", "C0PLATFORM", False),
        ("U0OMAR", "C0SEARCH", True),  # made the channel
        ("U0GUEST", "C0SEARCH", False),
        ("U0EVE", "C0PARTNER", False),
        ("U0LENA", "C0EXEC", True),
        ("U0NOOR", "C0EXEC", False),  # an admin by the settings, but not in it
        ("U0NOOR", "C0PLATFORM", True),
    ],
)
def test_who_may_set_a_channels_mode(tmp_path: Path, gateway: Gateway, user: str, channel: str, may: bool) -> None:
    with staged(tmp_path, gateway, admins=frozenset({"U0NOOR"})) as stage:
        introduced(stage)

        stage.interact(press_of(user, act.ACTION_MODE, act.encode(channel=channel), stage))

        assert bool(stage.play.views(user)) is may


def press_of(user: str, action: str, value: str, stage: Stage) -> dict[str, Any]:
    trigger = stage.play.world.new_trigger(user)
    return {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": user, "team_id": "T0PLAY"},
        "api_app_id": "ABACKSTORY", "trigger_id": trigger, "container": {"type": "message", "channel_id": "C0GENERAL"},
        "actions": [{"type": "button", "action_id": action, "block_id": "b", "action_ts": trigger, "value": value}],
    }  # fmt: skip


def test_a_key_that_was_set_meanwhile_is_told_where_it_was_said_that_nothing_is_sent(stage: Stage) -> None:
    first = introduced(stage)
    object.__setattr__(stage.bot.room, "with_claude", True)

    stage.memory.inbox.insert("introductions:1", KIND_INTRODUCTIONS, {})
    stage.settle()

    assert "nothing; no model is set up" in screen(first)
    assert "Sent to Claude (Anthropic): that thread, secrets masked" in said(stage)[0]


def test_a_blocked_channel_is_left_with_a_word_on_why(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway, blocked_channels=frozenset({"platform"})) as stage:
        told = screen(introduced(stage))

        assert "keeps me out of this channel by a setting, so I read and keep nothing here, and leave" in told
        assert "UBACKSTORY" not in stage.play.world.conversation("platform").members


def test_where_it_may_not_leave_it_asks_to_be_removed(tmp_path: Path, gateway: Gateway) -> None:
    without = small_workspace(scopes=tuple(scope for scope in SCOPES if scope != "channels:manage"))
    with staged(tmp_path, gateway, workspace=without, blocked_channels=frozenset({"platform"})) as stage:
        introduced(stage)

        (told,) = said(stage)
        ts = stage.play.post("raj", "platform", "decided: we use kafka")
        stage.play.react("raj", "platform", ts, "bookmark")
        stage.play.shortcut("raj", "record_decision", stage.play.messages("platform")[-1])
        stage.settle()

        assert "Please remove me." in told
        assert "leave" not in told
        assert stage.extractor.read == []
        assert any("keeps me out" in hint for hint in stage.whispers("raj"))
        assert "keeps me out" in screen(stage.play.views("raj")[-1])


def test_a_channel_that_is_blocked_later_is_left_at_the_next_start(stage: Stage) -> None:
    introduced(stage)
    object.__setattr__(stage.bot.room.settings, "blocked_channels", frozenset({"platform"}))

    for number in (1, 2):
        stage.memory.inbox.insert(f"introductions:{number}", KIND_INTRODUCTIONS, {})
        stage.settle()

    assert sum("keeps me out" in told for told in stage.screens("platform")) == 1
    assert "UBACKSTORY" not in stage.play.world.conversation("platform").members
