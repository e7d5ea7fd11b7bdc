"""What people do, and the events that Slack sends for it: exactly those, to an app that is in the channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from slack_sdk import WebClient

from bot.playground import HandClock, Member, Playground, Refusal, people, small_workspace


def events(playground: Playground) -> list[dict[str, Any]]:
    return [each.payload["event"] for each in playground.deliveries()]


def names(playground: Playground) -> list[str]:
    return [each.name for each in playground.deliveries()]


# --- messages ---


def test_a_message_is_told_once_and_not_where_the_bot_is_not(playground: Playground) -> None:
    ts = playground.post("mia", "#search", "hello")
    playground.post("mia", "#general", "hello")

    (event,) = events(playground)
    assert (event["type"], event["channel"], event["channel_type"]) == ("message", "C0SEARCH", "channel")
    assert (event["user"], event["ts"], event["text"], event["event_ts"]) == ("U0MIA", ts, "hello", ts)


def test_a_mention_is_told_as_message_and_as_app_mention_with_two_event_ids(playground: Playground) -> None:
    playground.post("mia", "search", f"{playground.mention} record this")

    first, second = playground.deliveries()
    assert [first.name, second.name] == ["message", "app_mention"]
    assert first.payload["event_id"] != second.payload["event_id"]
    assert first.payload["event"]["ts"] == second.payload["event"]["ts"]
    assert "channel_type" not in second.payload["event"]


def test_a_mention_in_a_direct_message_is_a_message_only(playground: Playground) -> None:
    playground.post("mia", playground.direct("mia"), f"{playground.mention} why?")

    (event,) = events(playground)
    assert (event["type"], event["channel_type"]) == ("message", "im")


def test_an_edit_is_message_changed_and_replays_a_mention(playground: Playground) -> None:
    ts = playground.post("mia", "search", f"{playground.mention} record this")
    playground.edit("mia", "search", ts, f"{playground.mention} record that")

    changed, mention = events(playground)[2:]
    assert (changed["subtype"], changed["message"]["text"]) == ("message_changed", "<@UBACKSTORY> record that")
    assert changed["previous_message"]["text"] == "<@UBACKSTORY> record this"
    assert changed["message"]["edited"]["user"] == "U0MIA"
    assert (changed["hidden"], mention["type"], "edited" in mention, mention["ts"]) == (True, "app_mention", True, ts)


def test_a_preview_under_a_message_is_a_change_without_a_changed_text(playground: Playground) -> None:
    ts = playground.post("mia", "search", "see https://x.y")
    playground.unfurl("search", ts)

    changed = events(playground)[-1]
    assert changed["message"]["text"] == changed["previous_message"]["text"]
    assert "edited" not in changed["message"]


def test_a_deleted_message_is_message_deleted_and_a_deleted_parent_is_a_tombstone(playground: Playground) -> None:
    parent = playground.post("mia", "search", "parent")
    reply = playground.post("omar", "search", "reply", thread_ts=parent)
    playground.delete("mia", "search", parent)
    playground.delete("omar", "search", reply)

    tombstone, deleted = events(playground)[-2:]
    assert (tombstone["subtype"], tombstone["message"]["subtype"]) == ("message_changed", "tombstone")
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", reply)
    assert deleted["previous_message"]["text"] == "reply"
    assert [each["text"] for each in playground.messages("search")] == ["This message was deleted."]


def test_a_broadcast_reply_says_so(playground: Playground) -> None:
    parent = playground.post("mia", "search", "parent")
    playground.post("mia", "search", "to all", thread_ts=parent, broadcast=True)

    event = events(playground)[-1]
    assert (event["subtype"], event["thread_ts"], event["root"]["ts"]) == ("thread_broadcast", parent, parent)


def test_a_reaction_names_the_message_and_its_author(playground: Playground) -> None:
    ts = playground.post("mia", "search", "hello")
    playground.react("omar", "search", ts, "+1::skin-tone-2")
    playground.unreact("omar", "search", ts, "+1::skin-tone-2")

    added, removed = events(playground)[1:]
    assert (added["type"], removed["type"]) == ("reaction_added", "reaction_removed")
    assert added["item"] == {"type": "message", "channel": "C0SEARCH", "ts": ts}
    assert (added["user"], added["item_user"], added["reaction"]) == ("U0OMAR", "U0MIA", "+1::skin-tone-2")


def test_what_the_bot_posts_comes_back_with_its_bot_id(playground: Playground, client: WebClient) -> None:
    client.chat_postMessage(channel="C0SEARCH", text=f"I am {playground.mention}")

    (event,) = events(playground)
    assert (event["bot_id"], event["user"], event["app_id"]) == ("BBACKSTORY", "UBACKSTORY", "ABACKSTORY")


def test_another_bots_message_has_its_own_bot_id(playground: Playground) -> None:
    playground.add_member(Member(id="U0BOT2", name="deploybot", is_bot=True))
    playground.invite("mia", "search", "deploybot")
    playground.post("deploybot", "search", "deployed", subtype="bot_message")

    event = events(playground)[-1]
    assert (event["bot_id"], event["subtype"]) == ("B0BOT2", "bot_message")


# --- what people may not do ---


def test_people_can_do_no_more_than_slack_lets_them(playground: Playground) -> None:
    ts = playground.post("mia", "search", "hello")

    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: playground.post("noor", "exec", "hello"), "not_in_channel"),
        (lambda: playground.post("mia", "old-search", "hello"), "is_archived"),
        (lambda: playground.edit("omar", "search", ts, "other words"), "cant_update_message"),
        (lambda: playground.delete("omar", "search", ts), "cant_delete_message"),
        (lambda: playground.react("mia", "search", "1.000001", "eyes"), "message_not_found"),
        (lambda: playground.join("noor", "exec"), "method_not_supported_for_channel_type"),
        (lambda: playground.join("gus", "general"), "user_is_restricted"),
        (lambda: playground.command("mia", "search", "/why", "x", thread_ts=ts), "command_in_thread"),
        (lambda: playground.command("noor", "exec", "/why", "x"), "not_in_channel"),
        (lambda: playground.command("mia", "search", "/who", "x"), "unknown_command"),
        (lambda: playground.post("nobody", "search", "hello"), "user_not_found"),
        (lambda: playground.post("mia", "nowhere", "hello"), "channel_not_found"),
        (lambda: playground.press("mia", playground.message("search", ts), "go"), "no_such_action"),
    ]

    for act, code in refused:
        with pytest.raises(Refusal) as caught:
            act()
        assert caught.value.code == code


def test_an_admin_may_delete_what_others_wrote(playground: Playground) -> None:
    ts = playground.post("mia", "search", "hello")

    playground.delete("lena", "search", ts)

    assert playground.messages("search") == ()


# --- members and channels ---


def test_inviting_the_bot_tells_it_who_did(playground: Playground) -> None:
    playground.invite_bot("mia", "general")

    line, joined = events(playground)
    assert (line["subtype"], line["inviter"], line["user"]) == ("channel_join", "U0MIA", "UBACKSTORY")
    assert (joined["type"], joined["user"], joined["inviter"]) == ("member_joined_channel", "UBACKSTORY", "U0MIA")


def test_members_come_and_go(playground: Playground) -> None:
    playground.leave("raj", "search")
    playground.join("raj", "search")
    playground.kick("omar", "exec", "mia")
    playground.kick("omar", "exec", "UBACKSTORY")

    assert names(playground) == [
        "message.channel_leave",
        "member_left_channel",
        "message.channel_join",
        "member_joined_channel",
        "message.group_leave",
        "member_left_channel",
        "group_left",
    ]


def test_archiving_a_channel_puts_the_bot_out_of_it(playground: Playground) -> None:
    playground.archive("omar", "search")
    playground.unarchive("omar", "search")

    assert names(playground) == ["message.channel_archive", "channel_archive", "channel_left", "channel_unarchive"]


def test_a_channel_that_turns_private_is_told_in_the_channel(playground: Playground) -> None:
    playground.convert("omar", "search", private=True)

    (event,) = events(playground)
    assert (event["subtype"], event["channel_type"]) == ("channel_convert_to_private", "group")


def test_channels_change_name_id_and_neighbours_and_end(playground: Playground) -> None:
    playground.rename("omar", "search", "finding")
    playground.share("finding")
    playground.share("finding", shared=False)
    playground.change_channel_id("finding", "C0FIND")
    playground.delete_channel("omar", "finding")

    assert names(playground) == [
        "message.channel_name",
        "channel_rename",
        "channel_shared",
        "channel_unshared",
        "channel_id_changed",
        "channel_deleted",
    ]


def test_accounts_come_change_and_end(playground: Playground) -> None:
    playground.add_member(Member(id="U0NEW", name="new"))
    playground.change_user("raj", is_restricted=True)
    playground.deactivate("ana")

    joined, changed, ended = events(playground)
    assert (joined["type"], joined["user"]["id"]) == ("team_join", "U0NEW")
    assert (changed["type"], changed["user"]["is_restricted"]) == ("user_change", True)
    assert (ended["user"]["id"], ended["user"]["deleted"]) == ("U0ANA", True)
    assert "U0ANA" not in playground.world.conversation("search").members


def test_uninstalling_revokes_the_token_and_says_so(playground: Playground) -> None:
    playground.uninstall()

    assert names(playground) == ["tokens_revoked", "app_uninstalled"]


def test_opening_the_home_is_told_with_its_tab(playground: Playground) -> None:
    playground.open_home("mia")
    playground.open_home("mia", tab="messages")

    assert [(each["tab"], each["user"]) for each in events(playground)] == [("home", "U0MIA"), ("messages", "U0MIA")]


def test_events_that_the_app_does_not_subscribe_to_do_not_come() -> None:
    playground = Playground(replace(small_workspace(), bot_events=("app_mention",)))

    playground.post("mia", "search", f"{playground.mention} record this")

    assert names(playground) == ["app_mention"]


def test_the_app_is_granted_what_the_manifest_asks_for() -> None:
    manifest = yaml.safe_load((Path(__file__).parents[3] / "manifest.yml").read_text())

    features = manifest["features"]
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == set(people.SCOPES)
    assert set(manifest["settings"]["event_subscriptions"]["bot_events"]) == set(people.BOT_EVENTS)
    assert {each["command"] for each in features["slash_commands"]} == set(people.COMMANDS)
    assert {each["callback_id"] for each in features["shortcuts"]} == set(people.SHORTCUTS)


def test_every_event_comes_in_slacks_own_envelope(playground: Playground) -> None:
    playground.post("mia", "search", "hello")

    body = playground.deliveries()[0].payload
    assert body["type"] == "event_callback"
    assert (body["team_id"], body["api_app_id"], body["is_ext_shared_channel"]) == ("T0PLAY", "ABACKSTORY", False)
    assert body["authorizations"][0]["user_id"] == "UBACKSTORY"
    assert body["event_time"] == 1772614800


def test_a_commands_payload_hides_a_private_channels_name_and_escapes_names(
    playground: Playground, clock: HandClock
) -> None:
    receipt = playground.command("mia", "exec", "/why", "did @lena & #search agree?", wait=False)

    payload = receipt.delivery.payload
    assert (payload["channel_id"], payload["channel_name"]) == ("C0EXEC", "privategroup")
    assert payload["text"] == "did <@U0LENA|lena> &amp; <#C0SEARCH|search> agree?"
    assert (payload["user_id"], payload["user_name"], payload["command"]) == ("U0MIA", "mia", "/why")
