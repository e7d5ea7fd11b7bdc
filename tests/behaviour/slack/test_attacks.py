"""What somebody tries who wants to read more than Slack shows them: forged buttons, old ones, changes in between."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from bot.logs import JsonLines
from bot.playground import screen
from bot.slack.layout import actions as act
from bot.slack.layout import modals
from bot.slack.recording.settle_form import settle_view
from store import EVERYTHING, PUBLIC, Admission, Decision, Draft, Place, Quote, Scope, State, Status
from tests.builders_slack import PATIENCE_S, Stage

ASKED = "what happens with zebrafish pricing?"
SECRET = "Zebrafish pricing goes up in May"
CANARY = "zebrafish"


@pytest.fixture
def secret(stage: Stage) -> Decision:
    """Something decided in #exec, by Lena and Omar, that Noor and the others must not hear of."""
    stage.extractor.find(CANARY, SECRET, rationale="nobody outside may know", elements=("service:zebrafish",))
    ts = stage.play.post("lena", "exec", "agreed: zebrafish pricing goes up in May")
    stage.play.post("omar", "exec", "agreed, that settles it", thread_ts=ts)
    stage.play.react("lena", "exec", ts, "bookmark")
    stage.settle()
    return next(one for one in stage.decisions() if one.title == SECRET)


def pressed(stage: Stage, user: str, action: str, value: str, *, channel: str = "C0SEARCH", **more: Any) -> None:
    """Send a press with whatever value, as if such a button stood there."""
    at = f"{len(stage.play.calls())}.0"
    container = {"message_ts": "1.0", "is_ephemeral": True, "channel_id": channel, **more}
    payload = {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": user, "team_id": "T0PLAY"},
        "api_app_id": "ABACKSTORY", "trigger_id": trigger(stage), "response_url": "",
        "actions": [{"action_id": action, "block_id": "b", "action_ts": at, "value": value}],
        "channel": {"id": channel}, "container": container,
    }  # fmt: skip
    stage.interact(payload)


def trigger(stage: Stage, user: str = "ana") -> str:
    """Return a trigger that opens a modal, from a command that is no question."""
    return stage.play.command(user, "search", "/why", "").trigger_id


def told(stage: Stage, user: str) -> str:
    """Return everything that the bot ever showed somebody who is in no private channel."""
    places = ("general", "search", "platform", "partner")
    shown = [json.dumps(message) for place in places for message in stage.play.bot_messages(place)]
    shown += [json.dumps(one) for one in (*stage.play.ephemerals(user), *stage.play.views(user), stage.play.home(user))]
    return "\n".join(shown).casefold()


def questioned(stage: Stage, user: str, channel: str, text: str = ASKED) -> str:
    """Return an answer without the words of the question itself."""
    return stage.ask(user, channel, text).casefold().replace("zebrafish pricing", "").replace("zebrafish", "", 1)


SESSION_ACTIONS = (
    act.ACTION_WORKED, act.ACTION_FAILED, act.ACTION_TAKE_BACK, act.ACTION_JUST_THANKS, act.ACTION_WRONG,
    act.ACTION_SHARE, act.ACTION_MORE, act.ACTION_REOPEN, act.ACTION_SETTLE,
)  # fmt: skip
DECISION_ACTIONS = (
    act.ACTION_NOT_DECISION, act.ACTION_UNDO, act.ACTION_EDIT, act.ACTION_CONFIRM, act.ACTION_DENY,
    act.ACTION_CARD_MENU,
)  # fmt: skip


@pytest.mark.parametrize("action", DECISION_ACTIONS)
@pytest.mark.parametrize("user", ["noor", "gus", "eve"])
def test_a_button_with_the_id_of_a_private_decision_shows_and_changes_nothing(
    stage: Stage, secret: Decision, action: str, user: str
) -> None:
    stage.clock.advance(5)
    who = {"noor": "U0NOOR", "gus": "U0GUEST", "eve": "U0EVE"}[user]

    for menu in (act.MENU_REPLACES, act.MENU_OUTCOME, act.MENU_LEAVE_OUT) if action == act.ACTION_CARD_MENU else ("",):
        pressed(stage, who, action, act.encode(decision=secret.id, menu=menu))

    assert CANARY not in told(stage, user)
    assert stage.memory.decision(secret.id, EVERYTHING) == secret


@pytest.mark.parametrize("action", SESSION_ACTIONS)
@pytest.mark.parametrize("channel", ["C0SEARCH", "C0EXEC"])
def test_a_button_with_somebody_elses_session_shows_and_changes_nothing(
    stage: Stage, secret: Decision, action: str, channel: str
) -> None:
    stage.ask("lena", "search", ASKED)
    (asked,) = stage.memory.sessions.of_asker("U0LENA")
    before = len(stage.play.bot_messages("search"))

    pressed(stage, "U0NOOR", action, act.encode(session=asked.session), channel=channel)

    assert CANARY not in told(stage, "noor")
    assert len(stage.play.bot_messages("search")) == before
    assert stage.memory.votes(secret.id, EVERYTHING) == ()
    assert stage.memory.sessions.of_asker("U0NOOR") == ()


def test_forms_about_a_private_decision_show_and_change_nothing(stage: Stage, secret: Decision) -> None:
    stage.decided()
    mine = next(one for one in stage.decisions() if one.id != secret.id)
    forms = (
        modals.edit_view(secret), modals.second_tap_view(secret), settle_view(secret, mine),
        settle_view(mine, secret), modals.outcome_view(secret),
    )  # fmt: skip

    for number, view in enumerate(forms):
        stage.submit("U0NOOR", {**view, "id": f"V{number}"}, title="mine", choice="failed", replaces=mine.id)
    stage.submit("U0NOOR", {**modals.edit_view(mine, older=[secret]), "id": "VMINE"}, title="Mine", replaces=secret.id)

    assert stage.memory.decision(secret.id, EVERYTHING) == secret
    assert CANARY not in told(stage, "noor")


def test_why_with_an_id_of_a_private_decision_finds_nothing(stage: Stage, secret: Decision) -> None:
    known, unknown = (
        stage.ask("noor", "search", f"what is {name}?").replace(name, "") for name in (secret.id, "f" * 64)
    )

    assert known == unknown


@pytest.mark.parametrize(("user", "channel"), [("lena", "search"), ("omar", "general"), ("mia", "partner")])
def test_who_may_read_a_secret_does_not_make_the_bot_tell_it_to_others(
    stage: Stage, secret: Decision, user: str, channel: str
) -> None:
    if channel != "search":
        stage.play.invite_bot(user, channel)
        stage.settle()

    ts = stage.play.post(user, channel, f"{stage.play.mention} {ASKED}")
    stage.settle()

    (answer,) = stage.screens(channel, thread_ts=ts)
    assert "goes up" not in answer
    assert "May" not in answer
    assert "exec" not in answer


def test_in_a_group_message_a_secret_is_told_only_if_all_can_read_it(stage: Stage, secret: Decision) -> None:
    inside, mixed = stage.play.direct("lena", "omar"), stage.play.direct("lena", "noor")

    shown = {}
    for channel in (inside, mixed):
        ts = stage.play.post("lena", channel, f"{stage.play.mention} {ASKED}")
        stage.settle()
        shown[channel] = json.dumps(stage.play.bot_messages(channel, thread_ts=ts))

    assert SECRET in shown[inside]
    assert "goes up" not in shown[mixed]


def test_a_guest_in_the_channel_keeps_open_decisions_out_of_a_post(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.decided("platform", "kafka", "Events go through kafka")

    ts = stage.play.post("lena", "search", f"{stage.play.mention} why do events go through kafka?")
    stage.settle()

    (answer,) = stage.screens("search", thread_ts=ts)
    assert "nobody on call" not in answer


def test_details_of_a_post_hold_what_the_presser_may_read_alone(stage: Stage, secret: Decision) -> None:
    ts = stage.play.post("lena", "exec", f"{stage.play.mention} {ASKED}")
    stage.settle()
    (post,) = stage.play.bot_messages("exec", thread_ts=ts)
    stage.play.leave("omar", "exec")
    stage.settle()

    pressed(stage, "U0OMAR", act.ACTION_MORE, act.encode(session=session_of(stage)), channel="C0EXEC")

    assert SECRET in post["text"]
    assert CANARY not in "".join(json.dumps(view) for view in stage.play.views("omar"))


def session_of(stage: Stage) -> str:
    (asked, *_) = stage.memory.sessions.of_asker("U0LENA")
    return asked.session


@pytest.mark.parametrize("action", [act.ACTION_WORKED, act.ACTION_FAILED, act.ACTION_MORE, act.ACTION_SHARE])
@pytest.mark.parametrize("how", ["left", "kicked", "made a guest", "deactivated"])
def test_old_buttons_show_nothing_to_who_lost_the_channel(
    stage: Stage, secret: Decision, action: str, how: str
) -> None:
    receipt = stage.play.command("omar", "search", "/why", ASKED)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    answer = receipt.responses[-1]
    assert SECRET in answer["text"]
    seen = len(stage.play.ephemerals("omar")), len(stage.play.bot_messages("search"))
    match how:
        case "left":
            stage.play.leave("omar", "exec")
        case "kicked":
            stage.play.kick("lena", "exec", "omar")
        case "made a guest":
            stage.play.kick("lena", "exec", "omar")
            stage.play.change_user("omar", is_restricted=True)
        case _:
            stage.play.deactivate("omar")
    stage.settle()

    pressed(stage, "U0OMAR", action, answer_value(answer, action))

    since = stage.play.ephemerals("omar")[seen[0] :] + stage.play.bot_messages("search")[seen[1] :]
    shown = json.dumps([*since, *stage.play.views("omar")])
    assert "goes up" not in shown
    assert "nobody outside" not in shown
    assert stage.memory.votes(secret.id, EVERYTHING) == ()


def answer_value(message: dict[str, Any], action: str) -> str:
    """Return the value of one of a message's buttons."""
    for block in message["blocks"]:
        for element in block.get("elements", ()):
            if element.get("action_id") == action:
                return str(element["value"])
    raise AssertionError(f"no {action}")


@pytest.mark.parametrize("action", [act.ACTION_WORKED, act.ACTION_MORE])
def test_an_answer_shown_anew_after_leaving_has_lost_what_was_said_there(stage: Stage, action: str) -> None:
    stage.memory.admit(_said("C0SEARCH", "Zebrafish pricing is shown in euros", open_=True))
    turned_down = _said("C0EXEC", "Zebrafish pricing shown in dollars", open_=False, status=Status.REJECTED)
    stage.memory.admit(turned_down)
    receipt = stage.play.command("omar", "search", "/why", "why is zebrafish pricing shown in euros?")
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    answer = receipt.responses[-1]
    assert "dollars" in json.dumps(answer)
    stage.play.leave("omar", "exec")
    stage.settle()

    stage.play.press("omar", answer, action)
    stage.settle()

    anew = [one for one in stage.play.ephemerals("omar") if one["ts"] != answer["ts"]]
    shown = json.dumps([*anew, *stage.play.views("omar")])
    assert "dollars" not in shown
    assert shown != "[]"


def _said(channel: str, title: str, *, open_: bool, status: Status = Status.ACCEPTED) -> Admission:
    draft = Draft(title=title, evidence=(Quote(quote=title),), status=status, elements=("service:zebrafish",))
    return Admission(
        place=Place(source="slack", anchor=f"{channel}/1.000100"),
        basis="1",
        scope=Scope(id=f"channel:{channel}", open=open_),
        drafts=(draft,),
        provenance="test",
        pointed=True,
    )


def test_the_preview_of_a_thread_is_for_those_who_read_its_channel(stage: Stage, secret: Decision) -> None:
    ts = secret.place.anchor.partition("/")[2]
    payload = {
        "type": "message_action", "team": {"id": "T0PLAY"}, "user": {"id": "U0NOOR", "team_id": "T0PLAY"},
        "callback_id": "record_decision", "trigger_id": trigger(stage, "noor"), "response_url": "",
        "channel": {"id": "C0EXEC"}, "message": {"ts": ts}, "message_ts": ts,
    }  # fmt: skip

    stage.interact(payload)

    (view,) = stage.play.views("noor")
    assert screen(view).splitlines()[1:] != []
    assert "not in this channel" in screen(view)


def test_a_thread_that_was_replaced_out_of_sight_is_still_recorded_for_its_readers(stage: Stage) -> None:
    sets = (("service:search", "engine", "postgres"),)
    stage.extractor.find("postgres", "Search stays on postgres", sets=sets)
    ts = stage.play.post("lena", "search", "agreed: search stays on postgres")
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    stage.extractor.find("elastic", "Search moves to elastic", sets=(("service:search", "engine", "elastic"),))
    later = stage.play.post("lena", "exec", "agreed: search moves to elastic")
    stage.play.react("lena", "exec", later, "bookmark")
    stage.settle()

    stage.play.react("raj", "search", ts, "bookmark")
    stage.settle()

    assert stage.whispers("raj") == []
    assert ["Search stays on postgres" in shown for shown in stage.screens("search", thread_ts=ts)] == [True]


def test_a_channel_that_was_deleted_is_read_by_nobody(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.decided("platform", "kafka", "Events go through kafka")

    stage.play.delete_channel("ana", "platform")
    stage.settle()

    assert stage.decisions(PUBLIC) == ()


def test_a_channel_that_became_private_unnoticed_closes_when_it_is_asked_about(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.decided("platform", "kafka", "Events go through kafka")
    stage.play.hold()
    stage.play.convert("ana", "platform", private=True)
    stage.play.leave("noor", "platform")
    stage.play.release()
    stage.bot.room.access.channel_changed("C0PLATFORM")
    stage.memory.set_setting("scope:channel:C0PLATFORM:open", "yes", by=stage.bot.room.person("U0LENA"))

    shown = stage.ask("noor", "search", "why do events go through kafka?")

    assert "nobody on call" not in shown


def test_a_channel_that_became_private_unnoticed_is_in_no_form_and_no_suggestion(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.decided("platform", "kafka", "Events go through kafka")
    root = stage.decided()
    stage.play.kick("ana", "platform", "UBACKSTORY")
    stage.settle()
    stage.play.convert("ana", "platform", private=True)
    stage.play.leave("noor", "platform")
    stage.clock.advance(61)
    (card,) = stage.play.bot_messages("search", thread_ts=root)

    stage.play.press("noor", card, act.ACTION_EDIT)
    stage.settle()
    form = stage.play.views("noor")[-1]
    stage.memory.set_setting("scope:channel:C0PLATFORM:open", "yes", by=stage.bot.room.person("U0LENA"))
    suggested = stage.ask("noor", "search", "")

    assert "Search stays on Postgres" in json.dumps(form)
    assert "kafka" not in json.dumps(form)
    assert "kafka" not in suggested
    assert "kafka" in stage.ask("ana", "platform", "why do events go through kafka?")


@pytest.mark.parametrize(("refusal", "still_open"), [("channel_not_found", False), ("missing_scope", True)])
def test_only_a_channel_that_slack_does_not_find_is_closed_for_good(
    stage: Stage, refusal: str, still_open: bool
) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.decided("platform", "kafka", "Events go through kafka")
    stage.play.kick("ana", "platform", "UBACKSTORY")
    stage.settle()
    stage.play.fail("conversations.info", refusal, times=9)

    stage.ask("noor", "search", "why do events go through kafka?")

    assert bool(stage.decisions(PUBLIC)) is still_open


def test_a_post_that_waited_is_worded_for_those_who_read_it_when_it_is_sent(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.decided("platform", "kafka", "Events go through kafka")
    stage.play.invite_bot("lena", "general")
    stage.settle()
    stage.play.limit("chat.postMessage", retry_after_s=120)
    ts = stage.play.post("lena", "general", f"{stage.play.mention} why do events go through kafka?")
    stage.settle()
    stage.play.invite("lena", "general", "gus")
    stage.settle()

    stage.later(seconds=121)

    (answer,) = stage.screens("general", thread_ts=ts)
    assert "nobody on call" not in answer


def test_who_may_read_a_channel_is_forgotten_when_the_bot_is_taken_out(stage: Stage, secret: Decision) -> None:
    stage.ask("lena", "exec", ASKED)
    assert stage.memory.members.reader_of("U0LENA").may_read(secret.scope)

    stage.play.kick("lena", "exec", "UBACKSTORY")
    stage.settle()

    assert not stage.memory.members.reader_of("U0LENA").may_read(secret.scope)
    assert "goes up" not in questioned(stage, "lena", "search")


def test_the_command_line_reads_as_nobody_who_left_or_was_deactivated(stage: Stage, secret: Decision) -> None:
    stage.ask("lena", "exec", ASKED)
    members = stage.memory.members
    before = [members.reader_of(user).may_read(secret.scope) for user in ("U0OMAR", "U0MIA")]

    stage.play.leave("omar", "exec")
    stage.play.deactivate("mia")
    stage.settle()

    assert before == [True, True]
    assert [members.reader_of(user).may_read(secret.scope) for user in ("U0OMAR", "U0MIA")] == [False, False]
    assert not members.active("U0MIA")


def test_a_channels_mode_is_not_talked_about_to_those_outside(stage: Stage, secret: Decision) -> None:
    stage.memory.set_setting("channel:C0EXEC:invited_by", "U0MIA", by=stage.bot.room.person("U0LENA"))

    pressed(stage, "U0RAJ", act.ACTION_MODE, act.encode(turn="C0EXEC"), channel="C0EXEC")

    assert "mia" not in told(stage, "raj")


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """Everything that anybody logs from INFO on."""
    kept: list[str] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            kept.append(self.format(record))

    keeper, root, ours = Keeper(), logging.getLogger(), logging.getLogger("backstory")
    keeper.setFormatter(JsonLines())
    levels = root.level, ours.level
    root.addHandler(keeper)
    root.setLevel(logging.INFO)
    ours.setLevel(logging.INFO)
    yield kept
    root.removeHandler(keeper)
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def test_no_log_line_holds_what_people_wrote(stage: Stage, secret: Decision, lines: list[str]) -> None:
    stage.extractor.find("zebrafish two", "Zebrafish two is private as well")
    stage.play.fail("chat.postMessage", "channel_not_found")
    ts = stage.play.post("lena", "exec", "agreed: zebrafish two it is")
    stage.play.react("lena", "exec", ts, "bookmark")
    stage.settle()
    stage.extractor.error = RuntimeError("zebrafish in an error")
    stage.play.react("lena", "exec", stage.play.post("lena", "exec", "zebrafish three, agreed"), "bookmark")
    stage.settle()
    stage.later(seconds=5)
    stage.ask("lena", "exec", ASKED)
    stage.play.post("lena", "exec", f"{stage.play.mention} {ASKED}")
    stage.settle()
    stage.play.limit("chat.postEphemeral", retry_after_s=1)
    pressed(stage, "U0LENA", act.ACTION_EDIT, act.encode(decision=secret.id), channel="C0EXEC")
    pressed(stage, "U0NOOR", act.ACTION_EDIT, act.encode(decision=secret.id))
    stage.submit("U0LENA", {**modals.edit_view(secret), "id": "V9"}, title="Zebrafish pricing goes up in June")

    assert lines
    assert [line for line in lines if CANARY in line.casefold()] == []


def test_no_error_text_and_no_result_of_work_holds_what_people_wrote(stage: Stage, secret: Decision) -> None:
    stage.extractor.error = RuntimeError("zebrafish in an error")
    stage.play.react("lena", "exec", stage.play.post("lena", "exec", "zebrafish three, agreed"), "bookmark")
    stage.settle()
    stage.later(seconds=5)
    stage.ask("lena", "exec", ASKED)

    with closing(sqlite3.connect(stage.memory.home / "inbox.db")) as beside:
        rows = [repr(row) for row in beside.execute("SELECT * FROM inbox")]

    assert rows
    assert [row for row in rows if CANARY in row.casefold()] == []


def test_home_and_suggestions_hold_what_one_may_read_alone(stage: Stage, secret: Decision) -> None:
    for user in ("noor", "omar"):
        stage.play.open_home(user)
        stage.play.command(user, "search", "/why", "")
    stage.settle()

    shown = {user: json.dumps([stage.play.home(user), *stage.play.ephemerals(user)]) for user in ("noor", "omar")}

    assert SECRET in shown["omar"]
    assert CANARY not in shown["noor"].casefold()


def test_a_card_tells_its_channel_nothing_of_another(stage: Stage, secret: Decision) -> None:
    stage.decided()
    mine = next(one for one in stage.decisions() if one.id != secret.id)

    stage.submit("U0OMAR", {**modals.edit_view(mine, older=[secret]), "id": "V1"}, replaces=secret.id)

    ts = mine.place.anchor.partition("/")[2]
    assert all(CANARY not in shown.casefold() for shown in stage.screens("search", thread_ts=ts))
    assert CANARY not in questioned(stage, "noor", "search", "why are we on postgres for search?")
    assert [one.state for one in stage.decisions() if one.id == secret.id] == [State.SUPERSEDED]
