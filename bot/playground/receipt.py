"""What a person gets for a command, a press or a submission."""

from __future__ import annotations

import time
from dataclasses import dataclass

from bot.playground.courier import Delivery
from bot.playground.world import Json, ResponseUrl, World, visible


@dataclass(slots=True)
class Receipt:
    """One thing that somebody did with the app, and what came of it so far."""

    world: World
    delivery: Delivery
    answers: ResponseUrl | None = None
    view_errors: Json | None = None
    """What a modal shows beside its inputs when its submission is turned down."""

    @property
    def acked(self) -> bool:
        """Say whether the app acked it."""
        return self.delivery.acked

    @property
    def ack_ms(self) -> float | None:
        """Milliseconds until the first ack."""
        return self.delivery.ack_ms

    @property
    def error(self) -> str:
        """What the person sees when it was not acked in time: "operation_timeout", else ""."""
        return "operation_timeout" if self.delivery.gave_up else ""

    @property
    def responses(self) -> tuple[Json, ...]:
        """The messages that came by its response_url or with its ack, oldest first."""
        with self.world.changed:
            return visible(self.answers.posted) if self.answers else ()

    @property
    def trigger_id(self) -> str:
        """The trigger_id that the app was given."""
        return str(self.delivery.payload.get("trigger_id", ""))

    @property
    def response_url(self) -> str:
        """The response_url that the app was given."""
        return str(self.delivery.payload.get("response_url", ""))

    def wait_for_response(self, *, count: int = 1, timeout_s: float = 15.0) -> tuple[Json, ...]:
        """Return the responses once there are `count`; raise TimeoutError when they don't come."""
        until = time.monotonic() + timeout_s
        with self.world.changed:
            while len(self.responses) < count:
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"{len(self.responses)} of {count} responses within {timeout_s:g} s")
                self.world.changed.wait(left)
            return self.responses
