"""What holds of several machines' logs, whatever is said on each, lost, repeated or late on the way between them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from store import EVERYTHING, Memory
from store.sql.union import Envelope
from store.sync.columns import Held
from store.sync.segment import read_segment, write_segment
from tests.builders_log import counted_salt, memory_in
from tests.builders_steps import Step, steps

machines = st.integers(0, 9)
chances = st.randoms(use_true_random=False)


class ManyWriters(RuleBasedStateMachine):
    """Machines that decide, send what they hold as letters or as segments, and get it in any order or never."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.memories: list[Memory] = []
        self.letters: list[Sequence[Envelope]] = []

    def which(self, number: int) -> Memory:
        return self.memories[number % len(self.memories)]

    @initialize(count=st.integers(2, 4))
    def begin(self, count: int) -> None:
        for number in range(count):
            home = Path(self.folder.name) / str(number)
            salt = None if number else counted_salt()
            self.memories.append(memory_in(home, **({"salt": salt} if salt else {})))

    @rule(who=machines, done=st.lists(steps(), min_size=1, max_size=4))
    def somebody_decides(self, who: int, done: list[Step]) -> None:
        for step in done:
            step(self.which(who))

    @rule(who=machines, chance=chances)
    def part_of_a_log_is_sent(self, who: int, chance: Any) -> None:
        held = self.which(who).envelopes()
        self.letters.append(chance.sample(held, chance.randint(0, len(held))))

    @rule(who=machines, chance=chances)
    def whole_streams_are_sent_as_segments(self, who: int, chance: Any) -> None:
        for stream in streams(self.which(who).envelopes()):
            for segment in chance.sample(cut := cuts(stream, chance), len(cut)):
                self.letters.append([envelope(each) for each in read_segment(segment).events()])

    @rule(who=machines, number=machines, twice=st.booleans())
    def a_letter_arrives(self, who: int, number: int, twice: bool) -> None:
        if self.letters:
            letter = list(self.letters[number % len(self.letters)])
            self.which(who).receive([*letter, *reversed(letter)] if twice else letter)

    def teardown(self) -> None:
        try:
            self.everybody_gets_everything()
        finally:
            for memory in self.memories:
                memory.close()
            self.folder.cleanup()

    def everybody_gets_everything(self) -> None:
        for memory in self.memories:
            for letter in self.letters:
                memory.receive(letter)
        for memory in self.memories:
            for other in self.memories:
                memory.receive(reversed(other.envelopes()))
        digests = {memory.digest(EVERYTHING) for memory in self.memories}
        assert len(digests) <= 1
        for memory in self.memories[:1]:
            assert memory.verify().faults == ()
            memory.rebuild()
            assert {memory.digest(EVERYTHING)} == digests


def streams(held: Iterable[Envelope]) -> list[list[Held]]:
    """Return each stream's events in its order, up to its first gap."""
    found: dict[str, dict[int, Held]] = {}
    for each in held:
        fields = json.loads(each.header)
        found.setdefault(fields["stream"], {})[fields["seq"]] = (each.header, each.parts)
    whole = []
    for events in found.values():
        last = next(number for number in range(1, len(events) + 2) if number not in events) - 1
        whole.append([events[number] for number in range(1, last + 1)])
    return [each for each in whole if each]


def cuts(stream: Sequence[Held], chance: Any) -> list[bytes]:
    """Return a stream as segments: cut anywhere, and some of the pieces merged once more into larger ones."""
    ends = sorted({*chance.sample(range(1, len(stream) + 1), min(2, len(stream))), len(stream)})
    runs = list(zip([0, *ends], ends, strict=False))
    if len(runs) > 1:
        runs.append((chance.choice(runs[:-1])[0], len(stream)))
    return [write_segment("w", stream[start:end]) for start, end in runs]


def envelope(sealed: Any) -> Envelope:
    return Envelope(
        header=sealed.header,
        parts={name: None if body is None else (salt, body) for name, salt, body in sealed.parts},
    )


TestManyWriters = ManyWriters.TestCase
TestManyWriters.settings = settings(
    max_examples=8,  # each opens up to four databases
    stateful_step_count=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking would open them for minutes
    suppress_health_check=[HealthCheck.too_slow],
)
