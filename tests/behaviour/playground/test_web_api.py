"""Slack's errors, by the real WebClient: one test for each thing that Slack refuses."""

from __future__ import annotations

import contextlib
import http.client
import json

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.playground import Channel, HandClock, Member, Playground, small_workspace
from tests.builders_playground import Refused, refusing

# --- tokens ---


def test_no_token_is_not_authed(playground: Playground) -> None:
    call = refusing(WebClient(base_url=playground.api_url))

    assert call("auth.test") == "not_authed"


def test_an_unknown_token_is_invalid(playground: Playground) -> None:
    call = refusing(WebClient(token="xoxb-other", base_url=playground.api_url))

    assert call("auth.test") == "invalid_auth"


def test_each_kind_of_token_opens_only_what_it_is_for(playground: Playground, refused: Refused) -> None:
    with_app_token = refusing(WebClient(token=playground.app_token, base_url=playground.api_url))

    assert with_app_token("chat.postMessage", channel="C0SEARCH", text="x") == "not_allowed_token_type"
    assert refused("apps.connections.open") == "not_allowed_token_type"


def test_an_uninstalled_apps_token_is_dead(playground: Playground, refused: Refused) -> None:
    playground.uninstall()

    assert refused("auth.test") == "account_inactive"


def test_auth_test_says_who_the_bot_is(client: WebClient) -> None:
    answer = client.auth_test()

    assert (answer["user_id"], answer["bot_id"], answer["team_id"]) == ("UBACKSTORY", "BBACKSTORY", "T0PLAY")


@pytest.mark.parametrize(
    ("method", "args", "needed"),
    [
        ("reactions.add", {"channel": "C0SEARCH", "timestamp": "1.1", "name": "eyes"}, "reactions:write"),
        ("conversations.open", {"users": "U0MIA"}, "im:write"),
        ("conversations.open", {"users": "U0MIA,U0OMAR"}, "mpim:write"),
        ("conversations.join", {"channel": "C0GENERAL"}, "channels:join"),
        ("conversations.leave", {"channel": "C0SEARCH"}, "channels:manage"),
        ("conversations.leave", {"channel": "C0EXEC"}, "groups:write"),
        ("team.info", {}, "team:read"),
    ],
)
def test_what_was_not_granted_is_a_missing_scope(method: str, args: dict[str, str], needed: str) -> None:
    with Playground(small_workspace(scopes=("chat:write",))) as playground:
        client = WebClient(token=playground.bot_token, base_url=playground.api_url)

        with pytest.raises(SlackApiError) as caught:
            client.api_call(method, json=args)

        assert caught.value.response["error"] == "missing_scope"
        assert caught.value.response["needed"] == needed
        assert "chat:write" in caught.value.response["provided"]


def test_a_method_that_the_playground_does_not_have_is_unknown(refused: Refused) -> None:
    assert refused("files.upload") == "unknown_method"


# --- posting ---


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.postEphemeral"])
@pytest.mark.parametrize(
    ("channel", "error"),
    [
        ("C404", "channel_not_found"),
        ("C0HIRING", "channel_not_found"),
        ("C0GENERAL", "not_in_channel"),
        ("C0OLD", "is_archived"),
    ],
)
def test_nothing_is_posted_where_the_bot_may_not(refused: Refused, method: str, channel: str, error: str) -> None:
    assert refused(method, channel=channel, user="U0LENA", text="words") == error


def test_a_message_needs_words_or_blocks(refused: Refused) -> None:
    assert refused("chat.postMessage", channel="C0SEARCH") == "no_text"
    assert refused("chat.postMessage", channel="C0SEARCH", text="  ") == "no_text"


def test_a_text_of_40_000_characters_is_posted_and_one_more_is_too_long(client: WebClient, refused: Refused) -> None:
    client.chat_postMessage(channel="C0SEARCH", text="x" * 40_000)

    assert refused("chat.postMessage", channel="C0SEARCH", text="x" * 40_001) == "msg_too_long"


def test_a_channel_is_required(refused: Refused) -> None:
    assert "missing required field: channel" in refused("chat.postMessage", text="words")


def test_blocks_that_are_no_json_are_refused(refused: Refused) -> None:
    assert refused("chat.postMessage", channel="C0SEARCH", blocks="[{") == "invalid_blocks_format"


def test_a_reply_needs_a_thread(refused: Refused) -> None:
    error = refused("chat.postMessage", channel="C0SEARCH", text="x", thread_ts="1.000001")

    assert error == "thread_not_found"


def test_a_reply_to_a_reply_lands_in_its_thread(playground: Playground, client: WebClient) -> None:
    parent = playground.post("mia", "search", "one")
    reply = playground.post("omar", "search", "two", thread_ts=parent)

    client.chat_postMessage(channel="C0SEARCH", text="three", thread_ts=reply)

    assert [each["text"] for each in playground.messages("search", thread_ts=parent)] == ["one", "two", "three"]
    assert playground.message("search", parent)["reply_count"] == 2


def test_a_persons_id_stands_for_their_direct_message(playground: Playground, client: WebClient) -> None:
    posted = client.chat_postMessage(channel="U0MIA", text="for you")

    assert posted["channel"] == playground.direct("mia")


def test_a_deactivated_person_gets_no_direct_message(playground: Playground, refused: Refused) -> None:
    playground.deactivate("mia")

    assert refused("chat.postMessage", channel="U0MIA", text="for you") == "user_disabled"


def test_every_ts_is_its_own_although_time_stands_still(client: WebClient) -> None:
    stamps = {client.chat_postMessage(channel="C0SEARCH", text="x")["ts"] for _ in range(5)}

    assert len(stamps) == 5
    assert all(stamp.startswith("1772614800.") and len(stamp) == 17 for stamp in stamps)


def test_metadata_comes_back_only_when_asked_for(client: WebClient, refused: Refused) -> None:
    about = {"event_type": "answer", "event_payload": {"id": "1"}}
    client.chat_postMessage(channel="C0SEARCH", text="x", metadata=about)

    plain = client.conversations_history(channel="C0SEARCH")["messages"][0]
    whole = client.conversations_history(channel="C0SEARCH", include_all_metadata=True)["messages"][0]

    assert "metadata" not in plain
    assert whole["metadata"] == about
    assert refused("chat.postMessage", channel="C0SEARCH", text="x", metadata={"a": 1}) == "invalid_metadata_format"


# --- only for one person ---


def test_a_whisper_is_for_members(refused: Refused) -> None:
    assert refused("chat.postEphemeral", channel="C0EXEC", user="U0NOOR", text="x") == "user_not_in_channel"
    assert refused("chat.postEphemeral", channel="C0EXEC", user="U404", text="x") == "user_not_in_channel"


def test_a_whisper_is_seen_by_its_reader_alone_and_cannot_be_changed_or_reacted_to(
    playground: Playground, client: WebClient, refused: Refused
) -> None:
    ts = client.chat_postEphemeral(channel="C0SEARCH", user="U0MIA", text="only you")["message_ts"]

    assert [each["text"] for each in playground.ephemerals("mia")] == ["only you"]
    assert playground.ephemerals("omar") == ()
    assert playground.messages("search") == ()
    assert refused("chat.update", channel="C0SEARCH", ts=ts, text="x") == "message_not_found"
    assert refused("reactions.add", channel="C0SEARCH", timestamp=ts, name="eyes") == "message_not_found"
    assert refused("chat.getPermalink", channel="C0SEARCH", message_ts=ts) == "message_not_found"


# --- changing ---


def test_the_bot_changes_and_deletes_its_own_messages_only(playground: Playground, refused: Refused) -> None:
    ts = playground.post("mia", "search", "mine")

    assert refused("chat.update", channel="C0SEARCH", ts=ts, text="x") == "cant_update_message"
    assert refused("chat.delete", channel="C0SEARCH", ts=ts) == "cant_delete_message"
    assert refused("chat.update", channel="C0SEARCH", ts="1.000001", text="x") == "message_not_found"
    assert refused("chat.delete", channel="C0SEARCH", ts="1.000001") == "message_not_found"


def test_an_update_with_text_alone_takes_the_blocks_away_and_one_with_blocks_alone_keeps_the_text(
    playground: Playground, client: WebClient
) -> None:
    divider = [{"type": "divider"}]
    ts = client.chat_postMessage(channel="C0SEARCH", text="one")["ts"]

    client.api_call(
        "chat.update", json={"channel": "C0SEARCH", "ts": ts, "blocks": divider}
    )  # no text: the SDK would warn
    both = playground.message("search", ts)
    client.chat_update(channel="C0SEARCH", ts=ts, text="two")
    bare = playground.message("search", ts)

    assert (both["text"], [block["type"] for block in both["blocks"]]) == ("one", ["divider"])
    assert (bare["text"], bare.get("blocks")) == ("two", None)


def test_an_update_is_held_to_the_same_limits(client: WebClient, refused: Refused) -> None:
    ts = client.chat_postMessage(channel="C0SEARCH", text="one")["ts"]
    long = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}

    assert refused("chat.update", channel="C0SEARCH", ts=ts, text="x" * 40_001) == "msg_too_long"
    assert refused("chat.update", channel="C0SEARCH", ts=ts, text="x", blocks=[long]).startswith("invalid_blocks")


def test_a_message_in_an_archived_channel_stays_as_it_is(
    playground: Playground, client: WebClient, refused: Refused
) -> None:
    ts = client.chat_postMessage(channel="C0SEARCH", text="one")["ts"]
    playground.archive("omar", "search")

    assert refused("chat.update", channel="C0SEARCH", ts=ts, text="x") == "is_archived"


# --- addresses and reactions ---


def test_a_permalink_names_a_replys_thread(playground: Playground, client: WebClient, refused: Refused) -> None:
    parent = playground.post("mia", "search", "one")
    reply = playground.post("omar", "search", "two", thread_ts=parent)

    link = client.chat_getPermalink(channel="C0SEARCH", message_ts=reply)["permalink"]

    stem = f"https://playground.slack.com/archives/C0SEARCH/p{reply.replace('.', '')}"
    assert link == f"{stem}?thread_ts={parent}&cid=C0SEARCH"
    assert refused("chat.getPermalink", channel="C0SEARCH", message_ts="1.000001") == "message_not_found"


def test_a_reaction_is_put_once_and_by_name(playground: Playground, client: WebClient, refused: Refused) -> None:
    ts = playground.post("mia", "search", "one")
    client.reactions_add(channel="C0SEARCH", timestamp=ts, name="bookmark")

    assert refused("reactions.add", channel="C0SEARCH", timestamp=ts, name="bookmark") == "already_reacted"
    assert refused("reactions.add", channel="C0SEARCH", timestamp=ts, name="🔖") == "invalid_name"
    assert refused("reactions.add", channel="C0SEARCH", timestamp="1.000001", name="eyes") == "message_not_found"
    assert refused("reactions.add", channel="C0SEARCH", timestamp="now", name="eyes") == "bad_timestamp"
    assert refused("reactions.add", channel="C0GENERAL", timestamp=ts, name="eyes") == "not_in_channel"
    assert refused("reactions.remove", channel="C0SEARCH", timestamp=ts, name="eyes") == "no_reaction"
    assert client.reactions_get(channel="C0SEARCH", timestamp=ts)["message"]["reactions"][0]["count"] == 1


# --- reading ---


@pytest.mark.parametrize("method", ["conversations.history", "conversations.replies"])
@pytest.mark.parametrize(
    ("channel", "error"),
    [("C0GENERAL", "not_in_channel"), ("C0HIRING", "channel_not_found"), ("C404", "channel_not_found")],
)
def test_the_bot_reads_only_where_it_is(refused: Refused, method: str, channel: str, error: str) -> None:
    assert refused(method, channel=channel, ts="1.000001") == error


def test_members_are_told_only_where_the_bot_is(refused: Refused) -> None:
    assert refused("conversations.members", channel="C0GENERAL").startswith("fetch_members_failed")
    assert refused("conversations.members", channel="C0HIRING") == "channel_not_found"
    assert refused("conversations.members", channel="C404") == "channel_not_found"


def test_history_gives_parents_newest_first_in_pages(playground: Playground, client: WebClient) -> None:
    parents = [playground.post("mia", "search", f"parent {n}") for n in range(5)]
    playground.post("omar", "search", "a reply", thread_ts=parents[0])
    playground.post("omar", "search", "to all", thread_ts=parents[0], broadcast=True)

    pages = [page["messages"] for page in client.conversations_history(channel="C0SEARCH", limit=2)]

    texts = [message["text"] for page in pages for message in page]
    assert texts == ["to all", "parent 4", "parent 3", "parent 2", "parent 1", "parent 0"]
    assert [len(page) for page in pages] == [2, 2, 2]


def test_history_is_cut_by_time_without_its_ends_unless_they_are_wanted(
    playground: Playground, client: WebClient
) -> None:
    stamps = [playground.post("mia", "search", f"{n}") for n in range(4)]

    between = client.conversations_history(channel="C0SEARCH", oldest=stamps[0], latest=stamps[3])["messages"]
    all_four = client.conversations_history(channel="C0SEARCH", oldest=stamps[0], latest=stamps[3], inclusive=True)[
        "messages"
    ]

    assert [message["text"] for message in between] == ["2", "1"]
    assert [message["text"] for message in all_four] == ["3", "2", "1", "0"]


def test_replies_start_with_the_parent_oldest_first(
    playground: Playground, client: WebClient, refused: Refused
) -> None:
    parent = playground.post("mia", "search", "parent")
    reply = playground.post("omar", "search", "reply", thread_ts=parent)

    thread = client.conversations_replies(channel="C0SEARCH", ts=parent)["messages"]
    single = client.conversations_replies(channel="C0SEARCH", ts=reply)["messages"]

    assert [message["text"] for message in thread] == ["parent", "reply"]
    assert [message["text"] for message in single] == ["reply"]
    assert refused("conversations.replies", channel="C0SEARCH", ts="1.000001") == "thread_not_found"


def test_limits_and_cursors_are_checked(refused: Refused) -> None:
    assert refused("conversations.history", channel="C0SEARCH", limit=0) == "invalid_limit"
    assert refused("conversations.history", channel="C0SEARCH", limit="many") == "invalid_limit"
    assert refused("conversations.history", channel="C0SEARCH", cursor="abc") == "invalid_cursor"


def test_lists_show_what_the_bot_may_know_of(client: WebClient, refused: Refused) -> None:
    everything = client.conversations_list(types="public_channel,private_channel")["channels"]
    open_ones = client.conversations_list(exclude_archived=True)["channels"]
    own = client.users_conversations(types="public_channel,private_channel")["channels"]

    assert {each["name"] for each in everything} == {"general", "search", "platform", "exec", "partner", "old-search"}
    assert {each["name"] for each in open_ones} == {"general", "search", "platform", "partner"}
    assert {each["name"] for each in own} == {"search", "exec"}
    assert refused("conversations.list", types="secret") == "invalid_types"


def test_a_channel_says_what_it_is(client: WebClient, refused: Refused) -> None:
    private = client.conversations_info(channel="C0EXEC")["channel"]
    shared = client.conversations_info(channel="C0PARTNER", include_num_members=True)["channel"]

    assert (private["is_private"], private["is_member"], private["is_ext_shared"]) == (True, True, False)
    assert (shared["is_private"], shared["is_member"], shared["is_ext_shared"]) == (False, False, True)
    assert shared["num_members"] == 7
    assert refused("conversations.info", channel="C0HIRING") == "channel_not_found"


def test_members_come_in_pages(client: WebClient) -> None:
    pages = [page["members"] for page in client.conversations_members(channel="C0SEARCH", limit=3)]

    assert [len(page) for page in pages] == [3, 3, 2]
    assert "UBACKSTORY" in pages[-1]


def test_people_are_what_they_are(playground: Playground, client: WebClient, refused: Refused) -> None:
    playground.add_member(Member(id="U0BOT2", name="deploybot", is_bot=True))
    people = {each["name"]: each for each in client.users_list()["members"]}

    assert people["gus"]["is_restricted"]
    assert not people["gus"]["is_ultra_restricted"]
    assert people["eve"]["team_id"] == "T0OTHER"
    assert people["lena"]["is_owner"]
    assert people["ana"]["tz"] is None
    assert people["deploybot"]["is_bot"]
    assert client.users_info(user="U0MIA")["user"]["real_name"] == "Mia Sørensen"
    assert client.bots_info(bot="B0BOT2")["bot"]["user_id"] == "U0BOT2"
    assert refused("users.info", user="U404") == "user_not_found"
    assert refused("bots.info", bot="B404") == "bot_not_found"


def test_direct_messages_open_once(client: WebClient, refused: Refused) -> None:
    first = client.conversations_open(users="U0MIA")["channel"]["id"]
    again = client.conversations_open(users=["U0MIA"], return_im=True)["channel"]
    group = client.conversations_open(users="U0MIA,U0OMAR", return_im=True)["channel"]

    assert (first, again["user"], again["is_im"]) == (again["id"], "U0MIA", True)
    assert group["is_mpim"]
    assert refused("conversations.open", users="U404") == "user_not_found"


def test_the_bot_joins_public_channels_alone(client: WebClient, refused: Refused) -> None:
    joined = client.conversations_join(channel="C0GENERAL")["channel"]

    assert joined["is_member"]
    assert refused("conversations.join", channel="C0HIRING") == "channel_not_found"
    assert refused("conversations.join", channel="C0OLD") == "is_archived"


def test_the_bot_leaves_channels_that_it_is_in(playground: Playground, client: WebClient, refused: Refused) -> None:
    client.conversations_leave(channel="C0EXEC")

    assert "UBACKSTORY" not in playground.world.conversation("exec").members
    assert playground.deliveries()[-1].name == "group_left"
    assert refused("conversations.leave", channel="C0PLATFORM") == "not_in_channel"
    assert refused("conversations.leave", channel="C0GENERAL") == "cant_leave_general"
    assert refused("conversations.leave", channel="C0OLD") == "is_archived"
    assert refused("conversations.leave", channel=playground.direct("mia")) == "method_not_supported_for_channel_type"


# --- how requests come ---


def test_forms_and_json_mean_the_same(playground: Playground, client: WebClient) -> None:
    blocks = [{"type": "divider"}]

    by_form = client.api_call(
        "chat.postMessage", params={"channel": "C0SEARCH", "text": "f", "blocks": json.dumps(blocks)}
    )
    by_json = client.api_call("chat.postMessage", json={"channel": "C0SEARCH", "text": "j", "blocks": blocks})

    assert [block["type"] for answer in (by_form, by_json) for block in answer["message"]["blocks"]] == ["divider"] * 2


@pytest.mark.parametrize("header", [("Host", "evil.example"), ("Origin", "https://evil.example")])
def test_requests_from_other_sites_are_turned_away(playground: Playground, header: tuple[str, str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", int(playground.url.rsplit(":", 1)[1]), timeout=5)

    with contextlib.closing(connection):
        connection.request("POST", "/api/auth.test", headers=dict([header]))
        answer = connection.getresponse()
        answer.read()

    assert answer.status == 403
    assert playground.calls() == ()


def test_a_forced_429_names_its_seconds_and_passes(playground: Playground, client: WebClient) -> None:
    playground.limit("chat.postMessage", retry_after_s=7)

    with pytest.raises(SlackApiError) as caught:
        client.chat_postMessage(channel="C0SEARCH", text="one")
    client.chat_postMessage(channel="C0SEARCH", text="two")

    assert (caught.value.response.status_code, caught.value.response["error"]) == (429, "ratelimited")
    assert caught.value.response.headers["Retry-After"] == "7"
    assert [message["text"] for message in playground.messages("search")] == ["two"]


def test_a_forced_error_comes_so_many_times(playground: Playground, client: WebClient, refused: Refused) -> None:
    playground.fail("users.info", "fatal_error", times=2)

    errors = [refused("users.info", user="U0MIA") for _ in range(2)]

    assert errors == ["fatal_error", "fatal_error"]
    assert client.users_info(user="U0MIA")["ok"]


def test_calls_are_kept_with_what_came_of_them(playground: Playground, client: WebClient, refused: Refused) -> None:
    client.chat_postMessage(channel="C0SEARCH", text="one")
    refused("chat.postMessage", channel="C404", text="two")

    calls = playground.calls("chat.postMessage")

    assert [(call.args["text"], call.error) for call in calls] == [("one", ""), ("two", "channel_not_found")]


def test_channels_can_be_added_to_a_running_workspace(
    playground: Playground, client: WebClient, clock: HandClock
) -> None:
    clock.advance(60)

    playground.add_channel(Channel(id="C0NEW", name="new", members=("U0MIA", "UBACKSTORY")))

    assert client.conversations_info(channel="C0NEW")["channel"]["created"] == 1772614860
