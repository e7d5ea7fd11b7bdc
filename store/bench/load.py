"""The load that speed is measured on: many writers, many elements, words as people use them.

Decision number n is about element n modulo their number and comes from writer n modulo theirs; each third
decision links its element to another, each fifth sets one of its properties. Words are drawn by Zipf's law.
Facts stand as an admission that has seen everything before would say them: who sets a property anew replaces
what stands; a few don't, as if both had written at once, and are conflicts until the next. The same load gives
the same bytes on every machine.
"""

from __future__ import annotations

import json
import random
import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import accumulate
from typing import TYPE_CHECKING

from store.core.model import Draft

if TYPE_CHECKING:
    from store.sql.union import Envelope

VOCABULARY = 30_000
"""Distinct words: as many as a company's tickets and chats of some years have beside names and numbers."""

TITLE_WORDS, REASON_WORDS = (5, 8), (22, 44)
"""Fewest and most words: an event comes to about 0.8 kB of text without its digests."""

CONCURRENT = 100
"""One of as many settings of a property doesn't name what stood: its writer had not seen it."""

FIRST_DAY = datetime(2023, 1, 1, tzinfo=UTC)
SPAN = timedelta(days=3 * 365)
"""Over which the decisions are spread evenly."""

KINDS = ("service", "api", "table", "queue", "job", "page", "team", "library")
RELATIONS = ("depends_on", "replaces", "owned_by", "reads_from")
PROPERTIES = ("retry_policy", "storage", "owner")
VALUES = tuple(f"{word}-{number}" for word in ("backoff", "cache", "region", "tier", "pool") for number in range(1, 9))

_COMMON = (
    "the of to and a in is for that it on with as by we at be this are from or an not was have when which than no"
    " all service request data system time error change team queue user table release index call test read write"
    " cache load cost store key event job page host message limit client server deploy traffic build"
)
"""The most frequent words, in order: what English has most of, then what engineers write most."""

_STARTS, _ENDS = "b br c d f g gr h k l m n p pl r s st t tr v w", "a e i o u an en or al is um"
"""What the syllables of every other word are made of."""

_SLOTS_LOG2 = 20
_BLOCK = struct.Struct("<64I")
"""The random numbers of one decision: some choices, then one a word."""

_SALT_BYTES, _FIRST_WORD = 64, 4
"""Random bytes after the numbers (three salts and a basis), and which number the words begin with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one decision of the load states."""

    number: int
    title: str
    reason: str
    element: int
    link: tuple[str, int] | None
    """A relation and the element at its other end."""
    set: tuple[str, str] | None
    """A property and its value."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """A load of a size, decided evenly over `SPAN` from `began`; `seed` chooses words, salts and targets."""

    decisions: int
    elements: int = 50_000
    writers: int = 30
    seed: int = 1
    began: datetime = FIRST_DAY

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The elements as decisions mention them, by number: `service:ledger-export-17`."""
        words, kinds = vocabulary(), len(KINDS)
        return tuple(
            f"{KINDS[number % kinds]}:{words[60 + number % 941]}-{words[1001 + number * 7 % 2003]}-{number}"
            for number in range(self.elements)
        )

    @cached_property
    def streams(self) -> tuple[str, ...]:
        """The writers' streams, in the order in which they take turns."""
        made = random.Random(self.seed)  # noqa: S311  # repeatable, and nothing to keep secret
        return tuple(f"{made.randbytes(8).hex()}/open/workspace" for _ in range(self.writers))

    def moment(self, number: int) -> datetime:
        """Return when a decision was recorded."""
        return self.began + number * (SPAN // max(1, self.decisions))

    @property
    def half_way(self) -> date:
        """The day by which half of it was decided."""
        return self.moment(self.decisions // 2).date()

    def drafts(self) -> Iterator[Draft]:
        """Yield what the decisions state, for an admission to work out what replaces what."""
        made = _Making(self)
        for number in range(self.decisions):
            yield made.draft(made.said(number))

    def lines(self) -> Iterator[bytes]:
        """Yield what the decisions state as lines for `why ingest`."""
        for draft in self.drafts():
            document = {
                "title": draft.title,
                "rationale": draft.rationale,
                "decided_on": draft.decided_on.isoformat() if draft.decided_on else "",
                "elements": draft.elements,
                "sets": {f"{element}.{name}": value for element, name, value in draft.sets},
                "links": draft.links,
            }
            yield json.dumps(document).encode() + b"\n"

    def envelopes(self) -> Iterator[Envelope]:
        """Yield every fact in canonical order: each decision, then whatever it replaces."""
        from store.sql.union import Envelope

        for header, parts in facts(self):
            yield Envelope(header=header, parts=parts)


@lru_cache(maxsize=1)
def vocabulary() -> tuple[str, ...]:
    """Return every word, the most frequent first; rarer ones are longer."""
    made = random.Random(0)  # noqa: S311  # the same words everywhere
    starts, ends = _STARTS.split(), _ENDS.split()
    words = dict.fromkeys(_COMMON.split())
    while len(words) < VOCABULARY:
        syllables = 2 if len(words) < VOCABULARY // 10 else 3
        words["".join(made.choice(starts) + made.choice(ends) for _ in range(syllables))] = None
    return tuple(words)


@lru_cache(maxsize=1)
def _slots() -> list[str]:
    """Return a table in which each word has as many of 2^20 places as its share by Zipf's law, at least one."""
    words = vocabulary()
    bounds = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    free = (1 << _SLOTS_LOG2) - len(words)
    table: list[str] = []
    for number, word in enumerate(words):
        table += [word] * (round(bounds[number] / bounds[-1] * free) + number + 1 - len(table))
    return table


def facts(load: Load) -> Iterator[tuple[str, dict[str, tuple[bytes, str]]]]:
    """Yield (header, {part: (salt, text)}) of every fact; what `Load.envelopes` yields, as plain values."""
    making = _Making(load)
    for number in range(load.decisions):
        yield from making.facts(number)


@dataclass(slots=True)
class _Standing:
    """What a property is at present: ids of heads and their values."""

    heads: list[tuple[str, str]] = field(default_factory=list)


class _Making:
    """Makes one decision after another; must be asked for all of them in order."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._random = random.Random(load.seed)  # noqa: S311  # repeatable, and nothing to keep secret
        self._beside = random.Random(f"edges {load.seed}")  # noqa: S311  # for edges: what is said doesn't depend on them
        self._names, self._streams, self._table = load.names, load.streams, _slots()
        self._tips = [(0, "")] * load.writers
        self._lamport = 0
        self._standing: dict[tuple[int, str], _Standing] = defaultdict(_Standing)
        self._draws: tuple[int, ...] = ()
        self._bytes = b""
        self._step_us = SPAN // max(1, load.decisions) // timedelta(microseconds=1)
        self._day, self._day_text = -1, ""

    def said(self, number: int) -> Said:
        load = self._load
        self._bytes = self._random.randbytes(_BLOCK.size + _SALT_BYTES)
        draws = self._draws = _BLOCK.unpack_from(self._bytes)
        table, shift = self._table, 32 - _SLOTS_LOG2
        length = TITLE_WORDS[0] + draws[0] % (TITLE_WORDS[1] - TITLE_WORDS[0] + 1)
        end = _FIRST_WORD + length + REASON_WORDS[0] + draws[1] % (REASON_WORDS[1] - REASON_WORDS[0] + 1)
        words = [table[each >> shift] for each in draws[_FIRST_WORD:end]]
        element = number % load.elements
        other, choice = divmod(draws[2], len(RELATIONS))
        link = (RELATIONS[choice], other % load.elements) if number % 3 == 0 else None
        given = None
        if number % 5 == 0:
            value, choice = divmod(draws[3], len(PROPERTIES))
            given = (PROPERTIES[choice], VALUES[value % len(VALUES)])
        return Said(
            number=number,
            title=" ".join(words[:length]),
            reason=" ".join(words[length:]),
            element=element,
            link=link,
            set=given,
        )

    def draft(self, said: Said) -> Draft:
        name = self._names[said.element]
        return Draft(
            title=said.title,
            rationale=said.reason,
            decided_on=self._load.moment(said.number).date(),
            elements=(name,),
            sets=((name, *said.set),) if said.set else (),
            links=((name, said.link[0], self._names[said.link[1]]),) if said.link else (),
        )

    def facts(self, number: int) -> Iterator[tuple[str, dict[str, tuple[bytes, str]]]]:
        said = self.said(number)
        salts = self._bytes[_BLOCK.size :]
        name, day, at = self._names[said.element], *self._recorded(number)
        links = f'[["{name}","{said.link[0]}","{self._names[said.link[1]]}"]]' if said.link else "[]"
        sets = f'[["{name}","{said.set[0]}","{said.set[1]}"]]' if said.set else "[]"
        statement = (
            f'{{"alternatives":[],"elements":["{name}"],"links":{links},"rationale":"{said.reason}"'
            f',"sets":{sets},"status":"accepted","title":"{said.title}"}}'
        )
        decision = sha256(f'["file","",0,{statement}]'.encode()).hexdigest()
        parts = {
            "meta": (
                salts[:16],
                f'{{"confidence":100,"confirmed":1,"decided_on":"{day}","provenance":"file"}}',
            ),
            "place": (
                salts[16:32],
                f'{{"anchor":"","basis":"{salts[48:64].hex()}","ordinal":0,"permalink":"","ref":"","source":"file"}}',
            ),
            "statement": (salts[32:48], statement),
        }
        writer = number % self._load.writers
        yield self._fact(writer, "DecisionRecorded", f'["{decision}"]', parts, at)
        if said.set:
            for older in self._replaced(decision, said):
                salt = self._beside.randbytes(16)
                about = f'["{decision}","{older}"]'
                yield self._fact(writer, "DecisionSuperseded", about, {"edge": (salt, '{"why":"sets"}')}, at)

    def _replaced(self, decision: str, said: Said) -> tuple[str, ...]:
        """Return what a decision replaces, and note that it stands now, alone or (written at once) beside others."""
        assert said.set is not None  # noqa: S101  # narrows a type: the caller asked
        name, value = said.set
        standing = self._standing[said.element, name]
        at_once = self._beside.randrange(CONCURRENT) == 0 and all(held != value for _, held in standing.heads)
        gone = () if at_once else tuple(each for each, _ in standing.heads)
        standing.heads = [*(standing.heads if at_once else ()), (decision, value)]
        return gone

    def _recorded(self, number: int) -> tuple[str, str]:
        """Return the day and the moment of a decision as text."""
        day, rest = divmod(number * self._step_us, 86_400_000_000)
        if day != self._day:
            self._day, self._day_text = day, (self._load.began + timedelta(days=day)).date().isoformat()
        seconds, micros = divmod(rest, 1_000_000)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        return self._day_text, f"{self._day_text}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z"

    def _fact(
        self, writer: int, kind: str, about: str, parts: Mapping[str, tuple[bytes, str]], at: str
    ) -> tuple[str, dict[str, tuple[bytes, str]]]:
        """Return one fact of a writer; `parts` come sorted by name, as the header has them."""
        seq, prev = self._tips[writer]
        self._lamport += 1
        digests = ",".join(
            f'"{name}":"{sha256(salt + body.encode()).hexdigest()}"' for name, (salt, body) in parts.items()
        )
        header = (
            f'{{"about":{about},"kind":"{kind}","lamport":{self._lamport},"parts":{{{digests}}},"prev":"{prev}"'
            f',"recorded_at":"{at}","seq":{seq + 1},"stream":"{self._streams[writer]}","v":1}}'
        )
        self._tips[writer] = (seq + 1, sha256(header.encode()).hexdigest())
        return header, dict(parts)
