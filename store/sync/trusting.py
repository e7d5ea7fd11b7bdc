"""Whom to believe: each writer's first key is pinned, and what it signed once it signs from then on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.core.events import writer_of
from store.sync.segment import Label
from store.sync.signing import is_signed
from store.sync.state import SignedTip, SyncState

ASK_THEM = (
    "ask whoever runs that machine; if it is right, `why sync REMOTE --trust WRITER` accepts what it signs with now"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How many segments of a run, from its beginning, may be taken in, and what is wrong with the next."""

    accepted: int
    what: str = ""


class Trust:
    """The pins, as a sync finds and adds them."""

    def __init__(self, state: SyncState, *, now: str) -> None:
        """Read the pinned keys; `now` is noted beside a new one."""
        self._state = state
        self._now = now
        self._pins = state.keys()

    def judge(self, labels: Sequence[Label]) -> Verdict:
        """Say how far a run of segments of one stream, each following the one before, is its writer's.

        A signature vouches for all before it, so an unsigned segment is accepted before a signed one.
        A writer that has signed once is not believed without a signature any more.
        """
        accepted = 0
        pinned = self._pins.get(writer_of(labels[0].stream), "")
        for number, label in enumerate(labels, start=1):
            if not label.key:
                if not pinned:
                    accepted = number
                continue
            if pinned and label.key != pinned:
                return Verdict(accepted=accepted, what=f"writer {label.owner} signs with another key than before")
            if not is_signed(label.key, label.signature, stream=label.stream, seq=label.last, tip=label.tip):
                return Verdict(accepted=accepted, what="its signature is wrong: its writer didn't write this")
            pinned, accepted = label.key, number
        if accepted < len(labels):
            return Verdict(
                accepted=accepted, what=f"writer {labels[0].owner} has signed before, and this is not signed"
            )
        return Verdict(accepted=accepted)

    def note(self, labels: Sequence[Label]) -> None:
        """Keep the signed tips of segments that were taken in, and pin the first key of a writer."""
        for label in labels:
            if not label.key:
                continue
            writer = writer_of(label.stream)
            if writer not in self._pins:
                self._pins[writer] = label.key
                self._state.pin(writer, label.key, since=self._now)
            self._state.note_tip(tip_of(label))


def tip_of(label: Label) -> SignedTip:
    """Return the signed tip that a label names."""
    return SignedTip(stream=label.stream, seq=label.last, id=label.tip, key=label.key, signature=label.signature)


def broken_tips(state: SyncState, held: Mapping[str, tuple[str, int]]) -> list[tuple[SignedTip, str]]:
    """Return the signed tips that the log no longer bears out, each with what is wrong.

    Args:
        state: where the tips are kept.
        held: stream and number of each tip's event, by id, as the log holds it.
    """
    found = []
    pins = state.keys()
    for tip in state.tips():
        writer = writer_of(tip.stream)
        if not is_signed(tip.key, tip.signature, stream=tip.stream, seq=tip.seq, tip=tip.id):
            found.append((tip, "the signature is wrong"))
        elif pins.get(writer, tip.key) != tip.key:
            found.append((tip, "it is signed with another key than the one pinned for its writer"))
        elif held.get(tip.id) != (tip.stream, tip.seq):
            found.append((tip, "the log doesn't hold the event that was signed: it was replaced or taken out"))
    return found
