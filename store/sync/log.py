"""What a sync needs of the log: its own streams to give, a place to put others', and who it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from store.core.sealed import Sealed
from store.sync.columns import Held


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """A stream's last event: its number and its id."""

    seq: int
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """An id under which this database wrote until it found that another copy did as well.

    `successor` is the id that it took instead, `tips` the ends of its own chains at that moment.
    """

    successor: str
    tips: Mapping[str, Tip] = field(default_factory=dict)


class Log(Protocol):
    """The log of this machine. Each call is a transaction of its own, or several short ones."""

    def writer(self) -> str:
        """Return the id under which this database writes."""
        ...

    def former(self) -> Mapping[str, Former]:
        """Return the ids under which it wrote before."""
        ...

    def take_new_writer(self) -> str:
        """Write under a new id from now on, keep the old one among the former, and return the new one."""
        ...

    def end(self) -> int:
        """Return the position of the last event."""
        ...

    def tips(self, writer: str) -> Mapping[str, Tip]:
        """Return the last event of each of a writer's streams."""
        ...

    def holds(self, ids: Iterable[str]) -> set[str]:
        """Return those of these event ids that the log holds."""
        ...

    def run(self, stream: str, first: int, last: int, tip: Tip) -> list[Held]:
        """Return a stream's events from `first` to `last` on the chain that ends at `tip`, in order.

        Raises:
            LogDamaged: the log doesn't hold all of them.
        """
        ...

    def finish_filling(self) -> None:
        """Finish a `receive_many` that was killed; before anything else, since the log can't find those events yet."""
        ...

    def take_out_late(self, now: datetime) -> None:
        """Erase what came in of messages that were erased here or there before; again is a no-op."""
        ...

    def erased_since(self, position: int, writers: Iterable[str]) -> set[tuple[str, int]]:
        """Return the stream and number of these writers' events that erasures after a position reach."""
        ...

    def finish_erasures(self, position: int) -> None:
        """Erase beside the log as well what erasures after a position name; again is a no-op."""
        ...

    def openness(self) -> Mapping[str, bool]:
        """Return the scopes that were opened or closed after things were said in them."""
        ...

    def receive(self, events: Sequence[Sealed]) -> int:
        """Take events in, whichever are new; return how many were. Erased parts are blanked in passing.

        Idempotency key: the event's id.
        """
        ...

    def receive_many(self, jobs: Sequence[Callable[[], Iterable[Sealed]]], count: int) -> int:
        """Take in what these jobs yield elsewhere, as `receive` does; for very many events, at most `count`."""
        ...
