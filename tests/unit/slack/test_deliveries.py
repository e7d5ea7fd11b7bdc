"""What of all that Slack sends becomes a row, and under which key."""

from __future__ import annotations

from typing import Any

import pytest

from bot.slack.deliveries import Keep, News, Said, Self, Sorted, Why, sort

ME = Self(team="T1", user="UBOT", bot="BBOT", emoji=frozenset({"bookmark", "+1", "thumbsup"}))


def event(event_id: str = "Ev1", **fields: Any) -> dict[str, Any]:
    return {"type": "event_callback", "team_id": "T1", "event_id": event_id, "event": fields}


def said(**fields: Any) -> dict[str, Any]:
    return event(**{"type": "message", "channel": "C1", "user": "U1", "ts": "1.0", "text": "hello", **fields})


def sorted_(body: dict[str, Any]) -> Sorted:
    return sort(body, ME, lambda text: text.replace("hunter2", "[secret]"))


def kept(body: dict[str, Any]) -> Keep:
    found = sorted_(body)
    assert isinstance(found, Keep)
    return found


def test_a_mention_has_one_key_however_it_arrives() -> None:
    words = "<@UBOT> why Postgres?"

    as_mention = kept(event("Ev1", type="app_mention", channel="C1", user="U1", ts="1.0", text=words))
    as_message = kept(event("Ev2", type="message", channel="C1", user="U1", ts="1.0", text=words))

    assert as_mention.key == as_message.key
    assert as_mention.payload["text"] == "why Postgres?"


def test_a_message_to_the_bot_alone_is_a_question() -> None:
    found = kept(said(channel="D1", channel_type="im", text="why Postgres?"))

    assert found.kind == "question"
    assert found.about == "D1/1.0"


def test_what_people_say_in_a_channel_is_remembered_without_its_words() -> None:
    found = sorted_(said(thread_ts="0.5"))

    assert found == Said(channel="C1", ts="1.0", thread_ts="0.5", user="U1")


def test_of_a_proposal_it_is_remembered_that_it_is_one_and_an_edit_of_it_is_none() -> None:
    proposal = {"text": "could we move search to Elasticsearch?"}

    assert sorted_(said(**proposal)) == Said(channel="C1", ts="1.0", thread_ts="1.0", user="U1", proposes=True)
    assert sorted_(said(**proposal, edited={"ts": "2.0"})) == Said(channel="C1", ts="1.0", thread_ts="1.0", user="U1")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (said(bot_id="BBOT"), Why.OWN),
        (said(user="UBOT"), Why.OWN),
        (said(bot_id="BOTHER"), Why.BOT),
        (said(subtype="bot_message", user=None), Why.BOT),
        (said(subtype="channel_join"), Why.UNKNOWN),
        (said(subtype="something_new"), Why.UNKNOWN),
        (event(type="app_mention", channel="C1", user="U1", ts="1.0", edited={"ts": "2"}), Why.EDITED_MENTION),
        (said(text="<@UBOT> hi", edited={"ts": "2"}), Why.EDITED_MENTION),
        (event(type="brand_new_event"), Why.UNKNOWN),
        ({"type": "app_rate_limited"}, Why.UNKNOWN),
        ({}, Why.UNKNOWN),
    ],
)  # fmt: skip
def test_what_asks_for_nothing_is_dropped(body: dict[str, Any], why: Why) -> None:
    found = sorted_(body)

    assert found is why


def changed(now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    return event(type="message", subtype="message_changed", channel="C1", message=now, previous_message=before)


def test_an_edit_that_changes_words_is_kept_without_them() -> None:
    found = kept(changed({"ts": "1.0", "text": "b", "edited": {"ts": "2"}}, {"ts": "1.0", "text": "a"}))

    assert found.kind == "changed"
    assert found.payload == {"channel": "C1", "ts": "1.0", "thread_ts": ""}


def test_an_edit_of_nothing_but_what_slack_adds_is_dropped() -> None:
    found = sorted_(changed({"ts": "1.0", "text": "a", "edited": {"ts": "2"}}, {"ts": "1.0", "text": "a"}))

    assert found is Why.NO_TEXT_CHANGE


def test_an_edit_of_the_bots_own_message_is_dropped() -> None:
    found = sorted_(changed({"ts": "1.0", "text": "b", "bot_id": "BBOT", "edited": {}}, {"ts": "1.0", "text": "a"}))

    assert found is Why.OWN


@pytest.mark.parametrize("body", [
    event(
        type="message", subtype="message_deleted", channel="C1", deleted_ts="1.0", previous_message={"thread_ts": "0.5"}
    ),
    changed({"ts": "1.0", "thread_ts": "0.5", "subtype": "tombstone", "text": "gone"}, {"text": "a"}),
])  # fmt: skip
def test_a_deleted_message_is_followed_by_its_ids_alone(body: dict[str, Any]) -> None:
    found = kept(body)

    assert found.kind == "deleted"
    assert found.payload == {"channel": "C1", "ts": "1.0", "thread_ts": "0.5"}


def reaction(name: str, **fields: Any) -> dict[str, Any]:
    item = {"type": "message", "channel": "C1", "ts": "1.0"}
    return event(**{"type": "reaction_added", "user": "U1", "reaction": name, "item": item, "event_ts": "9", **fields})


def test_a_thumb_with_a_skin_tone_is_a_thumb() -> None:
    found = kept(reaction("+1::skin-tone-2"))

    assert found.payload["emoji"] == "+1"


def test_giving_taking_back_and_giving_again_are_three_deliveries() -> None:
    keys = {
        kept(reaction("+1")).key,
        kept(reaction("+1", type="reaction_removed", event_ts="10")).key,
        kept(reaction("+1", event_ts="11")).key,
    }

    assert len(keys) == 3


@pytest.mark.parametrize("body", [reaction("tada"), reaction("+1", user="UBOT"), reaction("+1", item={"type": "file"})])
def test_reactions_that_mean_nothing_are_dropped(body: dict[str, Any]) -> None:
    found = sorted_(body)

    assert found in (Why.UNKNOWN, Why.OWN)


def test_a_command_is_kept_masked_under_its_trigger() -> None:
    body = {"command": "/why", "trigger_id": "13.7", "user_id": "U1", "channel_id": "C1", "text": "why hunter2?"}

    found = kept(body)

    assert found.key == "command:13.7"
    assert found.payload["text"] == "why [secret]?"


def test_a_submitted_view_keeps_its_ids_and_masks_what_was_typed() -> None:
    values = {
        "title": {"value": {"type": "plain_text_input", "value": "use hunter2"}},
        "replaces": {"value": {"type": "static_select", "selected_option": {"value": "hunter2"}}},
    }
    view = {"id": "V1", "hash": "h", "callback_id": "edit", "private_metadata": "{}", "state": {"values": values}}

    found = kept({"type": "view_submission", "user": {"id": "U1"}, "view": view})

    state = found.payload["view"]["state"]["values"]
    assert found.key == "view:V1:h"
    assert state["title"]["value"]["value"] == "use [secret]"
    assert state["replaces"]["value"]["selected_option"]["value"] == "hunter2"


@pytest.mark.parametrize("what", ["channel_convert_to_private", "channel_convert_to_public"])
def test_a_channel_that_changes_who_reads_it_is_looked_at_again(what: str) -> None:
    found = sorted_(event(type="message", subtype=what, channel="C1", user="U1", ts="1.0"))

    assert isinstance(found, News)
    assert found.channel == "C1"
    assert found.keep is not None
    assert found.keep.payload["what"] == what


def test_the_bots_own_joining_is_kept_and_others_only_noted() -> None:
    own = sorted_(event(type="member_joined_channel", channel="C1", user="UBOT", inviter="U1"))
    other = sorted_(event(type="member_joined_channel", channel="C1", user="U2"))

    assert isinstance(own, News)
    assert own.keep is not None
    assert own.keep.payload == {"channel": "C1", "inviter": "U1"}
    assert other == News(channel="C1", user="U2")


def test_losing_the_bots_token_closes_and_losing_a_persons_does_not() -> None:
    ours = sorted_(event(type="tokens_revoked", tokens={"bot": ["UBOT"]}))
    theirs = sorted_(event(type="tokens_revoked", tokens={"oauth": ["U1"]}))

    assert isinstance(ours, Keep)
    assert theirs is Why.UNKNOWN


def test_what_somebody_types_into_home_is_text_of_theirs_and_names_nothing() -> None:
    typed = {"type": "plain_text_input", "action_id": "search", "block_id": "b", "action_ts": "1.0"}
    body = {
        "type": "block_actions", "user": {"id": "U1"}, "trigger_id": "T", "view": {"type": "home", "id": "V1"},
        "container": {"type": "view", "view_id": "V1"}, "actions": [typed | {"value": "why is it hunter2?"}],
    }  # fmt: skip

    row = kept(body)

    assert (row.payload["value"], row.payload["typed"]) == ("", "why is it [secret]?")
    assert row.payload["home"]
    assert "hunter2" not in repr(row)
