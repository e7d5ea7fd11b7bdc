"""The one form in which a channel's settings are seen and chosen, and reading back what was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.kit import Block, actions, asking_first, button, context, input_block, modal, option, section
from bot.slack.layout.text import Mrkdwn, bold, inert
from bot.slack.room import Marking, Mode

MODES: Mapping[Mode, str] = {
    Mode.OFF: words.MODE_OFF,
    Mode.WHEN_ASKED: words.MODE_WHEN_ASKED,
    Mode.ASK_FIRST: words.MODE_ASK_FIRST,
    Mode.BY_ITSELF: words.MODE_BY_ITSELF,
}
_MARKS = {Marking.CARD: words.MARK_CARD, Marking.EMOJI: words.MARK_EMOJI}
_DIGEST, _SAID_BEFORE = "digest", "said_before"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """What is set for one channel."""

    mode: Mode = Mode.WHEN_ASKED
    mark: Marking = Marking.CARD
    digest: bool = False
    said_before: bool = False


def channel_view(
    channel: str, now: ChannelSettings, *, record: Mrkdwn | None = None, name: str = "", erasable: bool = False
) -> Block:
    """Ask for a channel's settings; what is chosen now, or proposed, stands chosen.

    Args:
        channel: whose settings these are.
        now: what stands chosen.
        record: how right captures here were, where that speaks for capturing by itself.
        name: what people call it, where the form is opened somewhere else: "#search".
        erasable: whether whoever sees it may erase all that was said there.
    """
    modes = [option(label, mode.name.lower()) for mode, label in MODES.items()]
    marks = [option(label, mark.value) for mark, label in _MARKS.items()]
    more = [
        option(words.MORE_DIGEST, _DIGEST) | {"description": _plain(words.MORE_DIGEST_HOW)},
        option(words.MORE_SAID_BEFORE, _SAID_BEFORE) | {"description": _plain(words.MORE_SAID_BEFORE_HOW)},
    ]
    switched = [each for each, on in zip(more, (now.digest, now.said_before), strict=True) if on]
    boxes: Block = {"type": "checkboxes", "action_id": act.INPUT, "options": more}
    blocks = [
        section(bold(inert(name))),
        context(record) if record else None,
        input_block(
            act.BLOCK_CHOICE, words.MODE_ASK, _radio(modes, list(MODES).index(now.mode)), hint=words.MODE_HINT_TOLD
        ),
        context(Mrkdwn(words.MODE_HINT)),
        input_block(act.BLOCK_MARK, words.MARK_ASK, _radio(marks, list(_MARKS).index(now.mark)), hint=words.MARK_HINT),
        input_block(
            act.BLOCK_MORE, words.MORE_ASK, boxes | ({"initial_options": switched} if switched else {}), optional=True
        ),
        actions([_erase(channel)]) if erasable else None,
    ]
    metadata = act.encode(channel=channel)
    return modal(words.MODE, blocks, callback_id=act.CALLBACK_CHANNEL, metadata=metadata, submit=words.SAVE)


def _erase(channel: str) -> Block:
    return asking_first(
        button(words.CHANNEL_ERASE, act.ACTION_ERASE_CHANNEL, act.encode(channel=channel), style="danger"),
        title=words.CHANNEL_ERASE_ASK,
        says=words.CHANNEL_ERASE_SAYS,
        yes=words.CHANNEL_ERASE_YES,
        no=words.DATA_TAKE_ALL_NO,
    )


def read_channel(view: Mapping[str, Any]) -> ChannelSettings | None:
    """Read a submitted form; None for what no form of ours can have sent."""
    values = view["state"]["values"]
    mode, mark = _chosen(values, act.BLOCK_CHOICE).upper(), _chosen(values, act.BLOCK_MARK)
    if mode not in Mode.__members__ or mark not in set(Marking):
        return None
    boxes = values.get(act.BLOCK_MORE, {}).get(act.INPUT, {}).get("selected_options") or ()
    on = {str(box.get("value")) for box in boxes}
    return ChannelSettings(
        mode=Mode[mode], mark=Marking(mark), digest=_DIGEST in on, said_before=_SAID_BEFORE in on
    )  # fmt: skip


def _radio(options: list[Block], chosen: int) -> Block:
    return {"type": "radio_buttons", "action_id": act.INPUT, "options": options, "initial_option": options[chosen]}


def _chosen(values: Mapping[str, Any], block: str) -> str:
    return str((values.get(block, {}).get(act.INPUT, {}).get("selected_option") or {}).get("value") or "")


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": True}
