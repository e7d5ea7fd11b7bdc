"""Buttons, menus and submitted views: to the one function that knows what each means.

A value names things and grants nothing: whoever handles it asks anew whether this person may do this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.capture import left_out_setting
from bot.slack.answering import voting
from bot.slack.answering.publishing import ask_team, share
from bot.slack.answering.said_before import different_now, other_thing
from bot.slack.answering.telling import tell_me, tell_me_not
from bot.slack.channel import channels, lookback, lookback_list
from bot.slack.client import Json
from bot.slack.home import came_of, erasing_channels, overseeing, owning, said_on_home, searching
from bot.slack.home.homing import open_details, show_home
from bot.slack.layout import actions as act
from bot.slack.layout import modals, notices, words
from bot.slack.recording import pointing, removing, settling, undoing
from bot.slack.rights import readable
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import OPENED, open_form, say
from bot.slack.unasked import answering_how, answering_offer, digesting
from store import Delivery, Verdict

Press = Callable[[Room, Delivery, act.Target], str]
Submit = Callable[[Room, Delivery], str]


def _menu(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Do what somebody chose behind a card's ⋯."""
    user = delivery.payload["user"]
    found = readable(room, user, target.decision)
    if found is None:
        return "not readable"
    match target.menu:
        case act.MENU_REPLACES:
            return removing.on_edit(room, delivery, found.id)
        case act.MENU_OUTCOME:
            return open_form(room, delivery.payload, modals.outcome_view(found))
        case act.MENU_LEAVE_OUT:
            room.memory.set_setting(left_out_setting(found.place.anchor), "yes", by=room.person(user))
            say(room, delivery.payload, body_of(notices.notice(words.THREAD_LEFT_OUT)))
            return "left out"
        case _:
            return "unknown"


PRESSES: Mapping[str, Press] = {
    act.ACTION_WORKED: lambda room, got, target: voting.vote_by_button(room, got, target.session, Verdict.WORKED),
    act.ACTION_FAILED: lambda room, got, target: voting.vote_by_button(room, got, target.session, Verdict.FAILED),
    act.ACTION_TAKE_BACK: lambda room, got, target: voting.take_back(room, got, target.session, words.TAKEN_BACK),
    act.ACTION_SAY_WHY: lambda room, got, target: voting.say_why(room, got, target.session),
    act.ACTION_JUST_THANKS: lambda room, got, target: voting.take_back(room, got, target.session, words.THANKED),
    act.ACTION_WRONG: lambda room, got, target: voting.say_wrong(room, got, target.session),
    act.ACTION_ASK_TEAM: lambda room, got, target: ask_team(room, got, target.session),
    act.ACTION_TELL_ME: lambda room, got, target: tell_me(room, got, target.session),
    act.ACTION_TELL_ME_NOT: lambda room, got, target: tell_me_not(room, got, target.session),
    act.ACTION_DIFFERENT_NOW: lambda room, got, target: different_now(room, got, target.decision),
    act.ACTION_OTHER_THING: lambda room, got, target: other_thing(room, got, target.decision),
    act.ACTION_SHARE: lambda room, got, target: share(room, got, target.session),
    act.ACTION_MORE: lambda room, got, target: open_details(room, got, target.session),
    act.ACTION_REOPEN: lambda room, got, target: searching.reopen(room, got, target.session),
    act.ACTION_SEARCH: lambda room, got, _target: searching.search(room, got),
    act.ACTION_ALL_QUESTIONS: lambda room, got, _target: owning.open_questions(room, got),
    act.ACTION_MINE: lambda room, got, target: owning.open_mine(room, got, target.menu),
    act.ACTION_MINE_BACK: lambda room, got, target: owning.open_mine(room, got, target.menu),
    act.ACTION_TAKE_ALL: lambda room, got, _target: owning.take_all_out(room, got),
    act.ACTION_LEAVE_ME_OUT: lambda room, got, target: owning.leave_me_out(room, got, target.menu),
    act.ACTION_ERASE_CHANNEL: lambda room, got, target: erasing_channels.erase_channel(room, got, target.channel),
    act.ACTION_ALL_CHANNELS: lambda room, got, target: overseeing.open_channels(room, got, target.menu),
    act.ACTION_ALL_CHANNELS_BACK: lambda room, got, target: overseeing.open_channels(room, got, target.menu),
    act.ACTION_SETTLE: settling.on_settle,
    act.ACTION_LOOK: settling.on_look,
    act.ACTION_CONTEST: settling.on_contest,
    act.ACTION_IT_REPLACES: settling.on_it_replaces,
    act.ACTION_BOTH_STAND: settling.on_both_stand,
    act.ACTION_NOT_DECISION: lambda room, got, target: removing.on_not_decision(room, got, target.decision),
    act.ACTION_UNDO: undoing.on_undo,
    act.ACTION_EDIT: lambda room, got, target: removing.on_edit(room, got, target.decision),
    act.ACTION_CONFIRM: lambda room, got, target: removing.on_confirm(room, got, target.decision),
    act.ACTION_DENY: lambda room, got, target: said_on_home.deny(room, got, target.decision),
    act.ACTION_CARD_MENU: _menu,
    act.ACTION_MODE: channels.on_mode,
    act.ACTION_LOOK_BACK: lookback.on_look_back,
    act.ACTION_LOOK_STOP: lookback.on_stop,
    act.ACTION_LOOK_GO_ON: lookback.on_go_on,
    act.ACTION_LOOK_KEEP: lookback_list.on_keep,
    act.ACTION_LOOK_NO: lookback_list.on_no,
    act.ACTION_LOOK_KEEP_ALL: lookback_list.on_keep_all,
    act.ACTION_OFFER_YES: answering_offer.on_yes,
    act.ACTION_OFFER_KEEP: answering_offer.on_keep_asking,
    act.ACTION_STAY_OUT: lambda room, got, _target: channels.on_stay_out(room, got),
    act.ACTION_FOLLOW_WORKED: lambda room, got, target: said_on_home.answer_how(
        room, got, target.decision, Verdict.WORKED
    ),
    act.ACTION_FOLLOW_FAILED: lambda room, got, target: said_on_home.answer_how(
        room, got, target.decision, Verdict.FAILED
    ),
    act.ACTION_FOLLOW_EARLY: lambda room, got, target: answering_how.on_too_early(room, got, target.decision),
    act.ACTION_FOLLOW_UNDO: lambda room, got, target: answering_how.on_undo(room, got, target.decision),
    act.ACTION_FOLLOW_STOP: lambda room, got, _target: answering_how.on_stop(room, got),
    act.ACTION_FOLLOW_RESUME: lambda room, got, _target: answering_how.on_resume(room, got),
    act.ACTION_CAME_FAILED: lambda room, got, target: came_of.on_answer(room, got, target, Verdict.FAILED),
    act.ACTION_CAME_WORKED: lambda room, got, target: came_of.on_answer(room, got, target, Verdict.WORKED),
    act.ACTION_CAME_NOT: lambda room, got, target: came_of.on_answer(room, got, target, None),
    act.ACTION_CAME_UNDO: came_of.on_undo,
    act.ACTION_DIGEST_STOP: lambda room, got, target: digesting.on_stop(room, got, target.channel),
    act.ACTION_TAKE_OUT: lambda room, got, target: owning.take_out(room, got, target),
}
"""What each button does; those that only open an address are acknowledged alone."""

SUBMISSIONS: Mapping[str, Submit] = {
    act.CALLBACK_EDIT: removing.on_edited,
    act.CALLBACK_SECOND_TAP: removing.on_second_tap,
    act.CALLBACK_SETTLE: settling.on_settled,
    act.CALLBACK_WRONG: voting.on_wrong,
    act.CALLBACK_OUTCOME: voting.on_outcome,
    act.CALLBACK_PREVIEW: lambda room, got: pointing.on_previewed(room, got.payload["view"], got.payload["user"]),
    act.CALLBACK_CHANNEL: channels.on_chosen,
    act.CALLBACK_LOOK_BACK: lookback.on_started,
}
"""What each submitted view does."""


def on_press(room: Room, delivery: Delivery) -> str:
    """Work off a press."""
    pressed = delivery.payload
    press = PRESSES.get(pressed["action"])
    if press is None:
        return "nothing behind it"
    if not _may_press(room, pressed):
        if pressed["response_url"]:
            say(room, pressed, body_of(notices.notice(words.NOT_FOR_YOU)))
        return "not allowed"
    target = act.decode(pressed["value"]) if pressed["value"] else act.Target()
    if target is None:
        return "not ours"
    done = press(room, delivery, target)
    if pressed.get("home") and done != OPENED:
        show_home(room, pressed["user"])
    return done


def _may_press(room: Room, pressed: Json) -> bool:
    """Say whether somebody may press anything there; what it is about is asked after by what it does."""
    if pressed.get("home") or pressed.get("view"):
        return room.access.may_use_home(pressed["user"])
    return room.access.may_act(pressed["user"], pressed["channel"])


def on_submit(room: Room, delivery: Delivery) -> str:
    """Work off a submitted view."""
    submit = SUBMISSIONS.get(delivery.payload["view"]["callback_id"])
    if submit is None:
        return "not ours"
    opened = room.pressed.get(delivery.payload["view"]["id"]) or {}
    done = submit(room, delivery)
    if opened.get("home"):
        show_home(room, delivery.payload["user"])
    return done


def mistakes(view: Mapping[str, Any]) -> Mapping[str, str]:
    """Return what is wrong with a submitted view, by block id; empty when nothing is."""
    match view.get("callback_id"):
        case act.CALLBACK_EDIT | act.CALLBACK_PREVIEW:
            edited = None if act.BLOCK_KEEP in view["state"]["values"] else modals.read_edit(view)
            return edited.errors if edited else {}
        case act.CALLBACK_WRONG:
            return modals.read_choice(view, tuple(words.WRONG_CATEGORIES)).errors
        case act.CALLBACK_OUTCOME:
            return modals.read_choice(view, tuple(verdict.value for verdict in Verdict)).errors
        case _:
            return {}
