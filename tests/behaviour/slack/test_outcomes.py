"""An incident that names a decision waits on its decider's Home, and counts from their press on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bot.hooked import QUIET
from bot.playground import screen
from bot.slack.layout import actions as act
from bot.slack.layout import words
from store import EVERYTHING, PUBLIC, WORKSPACE, Admission, Draft, Place, Scope, Verdict
from tests.builders_hooks import Deliverer, route
from tests.builders_slack import Gateway, Stage

SHOWN = "Incident 318 on"
FORGED = {
    "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": "U0MIA", "team_id": "T0PLAY"},
    "api_app_id": "ABACKSTORY", "trigger_id": "", "response_url": "", "channel": {"id": "C0SEARCH"},
    "container": {"message_ts": "1.0", "channel_id": "C0SEARCH"},
}  # fmt: skip


def incident(stage: Stage, gateway: Gateway, scope: Scope = WORKSPACE) -> None:
    """Let PagerDuty deliver an incident a month on, and its note, in the wrong order."""
    stage.clock.advance(timedelta(days=30).total_seconds())
    stage.memory.beside.hook_routes.keep(route("pagerduty", scope=scope), stage.clock())
    there = Deliverer(base=gateway.url.removesuffix("/slack/events"), route=route("pagerduty", scope=scope))
    at = stage.clock().isoformat()
    note = {"id": "N1", "type": "incident_note", "content": "Postgres was full.", "incident": {"id": "P318"}}
    opened = {
        "id": "P318", "type": "incident", "number": 318, "title": "Search stays down", "created_at": at,
        "html_url": "https://acme.pagerduty.com/incidents/P318", "status": "resolved",
    }  # fmt: skip
    for kind, data in (("incident.annotated", note), ("incident.resolved", opened)):
        there.send({"event": {"id": kind, "event_type": kind, "occurred_at": at, "data": data}})
    stage.settle()
    stage.later(QUIET.total_seconds() + 1)


def home(stage: Stage, user: str) -> dict[str, Any]:
    stage.play.open_home(user)
    stage.settle()
    return dict(stage.play.home(user) or {})


def press(stage: Stage, user: str, view: Any, action: str) -> dict[str, Any]:
    stage.play.press(user, view, action)
    stage.settle()
    return dict(stage.play.home(user) or {})


def test_a_decider_says_that_it_failed_and_answers_warn_of_it_until_that_is_taken_back(
    stage: Stage, gateway: Gateway
) -> None:
    stage.decided()
    (decision,) = stage.decisions()
    incident(stage, gateway)
    asked, elsewhere = home(stage, "lena"), screen(home(stage, "noor"))
    before = stage.memory.votes(decision.id, EVERYTHING)

    told = press(stage, "lena", asked, act.ACTION_CAME_FAILED)
    (vote,) = stage.memory.votes(decision.id, EVERYTHING)
    answer = stage.ask("mia", "search", "why does search stay on postgres?")
    again = press(stage, "lena", told, act.ACTION_CAME_UNDO)
    undone = stage.memory.votes(decision.id, EVERYTHING)
    dropped = press(stage, "lena", again, act.ACTION_CAME_NOT)

    assert SHOWN in screen(asked)
    assert "[It didn't work] [It worked] [Not because of it]" in screen(asked)
    assert SHOWN not in elsewhere
    assert before == undone == ()
    assert (vote.verdict, vote.counts, vote.voter.id) == (Verdict.FAILED, True, "U0LENA")
    assert vote.reason == "incident 318 https://acme.pagerduty.com/incidents/P318"
    assert words.DID_NOT_WORK.strip() in answer
    assert words.VOTE_COUNTED[Verdict.FAILED] in screen(told)
    assert SHOWN not in screen(told)
    assert SHOWN in screen(again)
    assert words.CAME_NOT_NOTED in screen(dropped)
    assert SHOWN in screen(press(stage, "lena", dropped, act.ACTION_CAME_UNDO))


def test_a_thread_that_is_recorded_later_is_met_too_and_hinted_to_nobody_else_whatever_they_press(
    stage: Stage, gateway: Gateway
) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "so we stay on postgres for this, agreed")
    elsewhere = Draft(title="Nobody may write while search stays on Postgres", decided_on=stage.clock().date())
    place = Place(source="jira", anchor="PAY-1", ref="PAY-1")
    stage.memory.admit(Admission(place=place, basis="1", scope=WORKSPACE, provenance="file", drafts=(elsewhere,)))
    incident(stage, gateway, Scope(id="channel:C0EXEC", open=False))
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    (decision,) = stage.decisions()
    shown = {user: screen(home(stage, user)).count(SHOWN) for user in ("lena", "mia", "noor")}

    value = act.encode(decision=decision.id, other="pagerduty:318")
    for action in (act.ACTION_CAME_FAILED, act.ACTION_CAME_UNDO):
        said = {"action_id": action, "block_id": "b", "action_ts": "1.0", "value": value}
        stage.interact({**FORGED, "actions": [said]})
    forged = stage.memory.votes(decision.id, EVERYTHING)
    press(stage, "lena", home(stage, "lena"), act.ACTION_CAME_FAILED)

    assert shown == {"lena": 2, "mia": 0, "noor": 0}, "as an admin she has what has no decider here too"
    assert forged == ()
    (vote,) = stage.memory.votes(decision.id, EVERYTHING)
    assert vote.scope == Scope(id="channel:C0EXEC", open=False)
    assert stage.memory.votes(decision.id, PUBLIC) == ()
