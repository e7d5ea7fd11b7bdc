"""The whole recall: a question and a reader in, what the memory has on it out.

Both retrievals run side by side over what the reader may read; then everything is arithmetic over
values (`store.core.ranking`). When the vectors can't be asked, words go on alone and the result
says so.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from store.core import ranking
from store.core.model import Decision, DecisionId, Question, Ranked, Reader, Recall, State
from store.core.passages import passages
from store.core.questions import Reading, read, subject
from store.core.ranking import Candidate, Hits, Parameters, Term
from store.errors import StoreError
from store.sql import elements, lexical, queries
from store.sql.queries import Changed, Rows
from store.sql.words import IndexedWords, WordSearch

if TYPE_CHECKING:
    from store.index.dense import DenseIndex, Entry
    from store.index.embedder import Embedder, Vector
    from store.index.follower import Follower, Ownership, Role

Part = Literal["lexical", "dense", "outcomes", "heirs", "window", "warning", "floor"]
"""What can be left out, to show what it is worth."""

PARTS: frozenset[Part] = frozenset(("lexical", "dense", "outcomes", "heirs", "window", "warning", "floor"))

MOST_CHARACTERS = 2_000
"""Characters of a question that are read: ten thousand of them ask nothing more."""

LOG_NAME = "SELECT value FROM about_me WHERE name = 'writer'"
SAME = (
    "SELECT d.id AS first, o.id AS second FROM pairs p JOIN decisions d ON d.n = p.first"  # noqa: S608  # constants
    f" JOIN decisions o ON o.n = p.second WHERE p.kind = 'same' AND {queries.readable('p')}"
    f" AND p.first IN {queries.THESE} AND p.second IN {queries.THESE} AND {queries.together('p')} ORDER BY d.id, o.id"
)


class Recollection:
    """Recall and the vector index of one memory; thread-safe. Nothing heavy loads before its first use."""

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[Rows]],
        home: Path,
        *,
        role: Role,
        clock: Callable[[], datetime],
        embedder: Embedder | None = None,
        parameters: Parameters = ranking.DEFAULTS,
        words: WordSearch | None = None,
        vectors: VectorServer | None = None,
    ) -> None:
        """Bind to a memory.

        Args:
            reading: opens one snapshot of the projections.
            home: the index is `home/index`, its lock `home/index.lock`.
            role: "own" takes the lock if it is free, "read" only asks, "off" asks by words only.
            clock: returns aware UTC; "last quarter" is counted from it.
            embedder: the bundled one if left out.
            parameters: of the ranking.
            words: what answers for words; the index in the memory's own file if left out.
            vectors: the server that holds the vectors; a folder of `home` if left out.
        """
        self._reading = reading
        self._clock = clock
        self._parameters = parameters
        self._pool = ThreadPoolExecutor(4, thread_name_prefix="recall")
        self._words = words or IndexedWords()
        self._index: DenseIndex | None = None
        self._follower: Follower | None = None
        if role != "off":
            self._index, self._follower = _index(reading, home, role, embedder, vectors)

    @property
    def role(self) -> Role:
        """What this process is to the index: "read" where another one owns it."""
        return "off" if self._follower is None else self._follower.role

    @property
    def words(self) -> WordSearch:
        """What answers for words."""
        return self._words

    # --- following ----------------------------------------------------------------------------

    def follow(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Catch the index up to the log's end; return how many passages were embedded.

        Raises:
            IndexBusy: another process owns the index and follows by itself.
        """
        return 0 if self._follower is None else self._follower.follow(progress)

    def lag(self) -> tuple[int, int] | None:
        """Return how far the vectors have followed the log and how far they could, as positions; None without them."""
        return None if self._follower is None else self._follower.lag()

    def start(self) -> None:
        """Follow in the background from now on, if this process owns the index."""
        if self._follower is not None:
            self._follower.start()

    def wake(self) -> None:
        """Tell the background that something was appended."""
        if self._follower is not None:
            self._follower.wake()

    def close(self) -> None:
        """Stop following and let go of the index."""
        self._pool.shutdown(cancel_futures=True)
        if self._follower is not None:
            self._follower.close()

    # --- asking -------------------------------------------------------------------------------

    def recall(self, question: Question, reader: Reader, *, without: Collection[Part] = ()) -> Recall:
        """Return what the memory has on a question that this reader may see, best first.

        Args:
            question: its `as_of` day hides what was decided later.
            reader: filters before anything is ranked or counted.
            without: parts to leave out, for measuring.
        """
        started = time.perf_counter()
        today = question.as_of or self._clock().date()
        asked = read(question.text[:MOST_CHARACTERS], today)
        if "window" in without:
            asked = Reading(text=question.text[:MOST_CHARACTERS], past=asked.past, names=asked.names)
        meaning = self._start_dense(asked, reader, without)
        with self._reading() as rows:
            end = int(rows(queries.LAST_CHANGE, {})[0]["position"])
            depth = 0 if "lexical" in without else self._parameters.depth
            words = _Words.found(self._words, rows, asked, question.as_of, reader, depth)
            near = _given(meaning)
            found = _candidates(rows, words, near.hits, reader, question.as_of, self._parameters, without)
            placed = _placed(rows, found, words, asked, near.position < end or not near.read, self._parameters, without)
            contested = _contested(rows, placed.ranked, reader, question.as_of)
        return Recall(
            ranked=placed.ranked,
            nearest=placed.nearest,
            order=placed.order,
            abstained=placed.abstained,
            contested=contested,
            words_only=not near.position,
            candidates=len(found),
            ms=round((time.perf_counter() - started) * 1000, 2),
        )

    def _start_dense(self, asked: Reading, reader: Reader, without: Collection[Part]) -> Future[_Near] | None:
        if self._index is None or "dense" in without:
            return None
        return self._pool.submit(_nearest, self._index, asked, reader, self._parameters.depth)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorServer:
    """Where the vectors lie if not in the home: on a Chroma server."""

    url: str = field(repr=False)
    """May hold a password."""
    name: str = ""
    """The tenant's; "" takes the log's name."""
    owner: Ownership | None = None
    """Says which of many processes follows the log; a lock in the home if left out."""


def _index(
    reading: Callable[[], AbstractContextManager[Rows]],
    home: Path,
    role: Role,
    embedder: Embedder | None,
    server: VectorServer | None,
) -> tuple[DenseIndex, Follower]:
    from store.index.dense import DenseIndex
    from store.index.embedder import BundledEmbedder
    from store.index.follower import Follower

    with reading() as rows:
        name = str(rows(LOG_NAME, {})[0]["value"])
    embedder, lock = embedder or BundledEmbedder(), home / "index.lock"
    if server is None:
        index = DenseIndex(home / "index", embedder, log=name)
        return index, Follower(index, _Log(reading), lock=lock, role=role)
    from store.index.served import ServedIndex

    served = ServedIndex(server.url, server.name or name, embedder, log=name)
    return served, Follower(served, _Log(reading), lock=server.owner or lock, role=role)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Near:
    """What the vectors found; `position` is how far they have followed the log, 0 if they couldn't be asked.

    `read` is false where the model doesn't know the question's language: the vectors had nothing to say on it.
    """

    hits: Hits = ()
    position: int = 0
    read: bool = True


def _nearest(index: DenseIndex, asked: Reading, reader: Reader, limit: int) -> _Near:
    since, until = _days(asked)
    hits: Hits = ()
    if read := index.embedder.reads(asked.text):
        vector = _vector(index.embedder, asked.text)
        hits = index.search(vector, reader, limit=limit, since=since, until=until)
    cursor = index.cursor()
    return _Near(hits=hits, position=cursor.position if cursor else 0, read=read)


def _vector(embedder: Embedder, question: str) -> Vector:
    """Return the mean of the question's vector and of its subject's: "why did we" draws any other "why" near.

    Measured on both dev sets: recall@5 by vectors alone .77 to .81 and .79 to .81.
    """
    whole, bare = embedder.embed([question, subject(question)])
    total = whole + bare
    length = float((total @ total) ** 0.5)
    return total / length if length else whole


def _given(meaning: Future[_Near] | None) -> _Near:
    """Wait for the vectors; without them words go on alone."""
    if meaning is None:
        return _Near()
    try:
        return meaning.result()
    except (StoreError, OSError, ImportError):
        return _Near()


def _days(asked: Reading) -> tuple[date | None, date | None]:
    return (asked.window.since, asked.window.until) if asked.window and asked.narrows else (None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What the words found, as shares of the most that they could; `search` answers for them."""

    hits: Hits
    terms: tuple[Term, ...]
    documents: int
    search: WordSearch

    @classmethod
    def found(
        cls, search: WordSearch, rows: Rows, asked: Reading, as_of: date | None, reader: Reader, limit: int
    ) -> _Words:
        since, until = _days(asked)
        ends = [day for day in (as_of, until) if day]
        given = lexical.terms(asked.text)
        found = search.find(rows, given, reader, limit=limit, since=since, until=min(ends, default=None))
        often = found.often.values()
        return cls(
            hits=tuple((id, ranking.share_of_words(score, often, found.documents)) for id, score in found.scored),
            terms=tuple(Term(word=word, frequency=found.often[word], is_name=word in asked.names) for word in given),
            documents=found.documents,
            search=search,
        )

    def located(self, rows: Rows, best: Sequence[DecisionId]) -> tuple[Term, ...]:
        """Return the terms with which of the best have them."""
        held_by = self.search.holding(rows, [each.word for each in self.terms if each.frequency], best)
        return tuple(replace(each, held_by=held_by.get(each.word, frozenset())) for each in self.terms)


def _candidates(
    rows: Rows,
    words: _Words,
    meaning: Hits,
    reader: Reader,
    as_of: date | None,
    parameters: Parameters,
    without: Collection[Part],
) -> tuple[Candidate, ...]:
    """Return the best of the union as this reader sees them, with what replaced the superseded ones."""
    fused = ranking.fuse(words.hits, meaning, parameters)
    known = {
        each.id: each
        for each in queries.decisions_by_ids(rows, ranking.best_fused(fused, parameters.depth), reader, as_of=as_of)
    }
    if "heirs" not in without:
        while missing := _missing_heirs(known):
            found = queries.decisions_by_ids(rows, missing, reader, as_of=as_of)
            if not found:
                break
            known |= {each.id: each for each in found}
    unfound = ranking.Fused(score=0.0)
    candidates = tuple(Candidate(decision=each, fused=fused.get(id, unfound)) for id, each in known.items())
    return ranking.as_one(candidates, _same(rows, reader, known))


def _same(rows: Rows, reader: Reader, known: Iterable[DecisionId]) -> tuple[tuple[DecisionId, DecisionId], ...]:
    """Return the pairs that were said to be one decision, told in two scopes."""
    pairs = rows(SAME, {**queries.reading(reader), "ids": json.dumps(list(known))})
    return tuple((DecisionId(row["first"]), DecisionId(row["second"])) for row in pairs)


def _missing_heirs(known: dict[DecisionId, Decision]) -> tuple[DecisionId, ...]:
    superseded = (each for each in known.values() if each.state is State.SUPERSEDED)
    return tuple(sorted({id for each in superseded for id in each.superseded_by} - known.keys()))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    ranked: tuple[Ranked, ...]
    nearest: tuple[Ranked, ...]
    order: tuple[Ranked, ...]
    abstained: bool


def _placed(
    rows: Rows,
    found: Sequence[Candidate],
    words: _Words,
    asked: Reading,
    behind: bool,
    parameters: Parameters,
    without: Collection[Part],
) -> _Placed:
    """Place the candidates; where the vectors are behind the log or can't read, the words alone are enough."""
    first = ranking.first_phase(found, asked, parameters)
    best = [each.decision.id for each in first[: ranking.LOOKED_AT]]
    seen = ranking.signals(
        best,
        (each.fused for each in found),
        words.located(rows, best),
        documents=words.documents,
        narrows=asked.narrows,
    )
    floors = (parameters.floor, parameters.floor_words_only) if behind else (parameters.floor,)
    sure = any(ranking.certainty(seen, floor) >= 0 for floor in floors)
    clear = bool(first) and (sure or "floor" in without)
    order = ranking.second_phase(first, asked, parameters, outcomes="outcomes" not in without)
    five = order[: ranking.FIVE] if "warning" in without else ranking.place_warning(order)
    return _Placed(
        ranked=five if clear else (),
        nearest=() if clear else order[: ranking.FIVE],
        order=order,
        abstained=not clear,
    )


def _contested(
    rows: Rows, ranked: Sequence[Ranked], reader: Reader, as_of: date | None
) -> tuple[tuple[DecisionId, DecisionId], ...]:
    """Return the pairs among the ranked that can't both hold, each once, the smaller id first."""
    shown = {each.decision.id for each in ranked}
    if len(shown) < 2:
        return ()
    pairs = set()
    for conflict in elements.conflicts(rows, reader, as_of=as_of, among=shown):
        heads = sorted({each.id for each in conflict.heads} & shown)
        pairs |= {(one, other) for n, one in enumerate(heads) for other in heads[n + 1 :]}
    return tuple(sorted(pairs))


class _Log:
    """The log as the index's follower sees it."""

    def __init__(self, reading: Callable[[], AbstractContextManager[Rows]]) -> None:
        self._reading = reading

    def entries(self, after: int, limit: int) -> Sequence[Entry]:
        """Return what changed after a position, by position."""
        with self._reading() as rows:
            changed = queries.changed_since(rows, after, limit=limit)
        return tuple(map(entry_of, changed))

    def end(self) -> int:
        """Return the last position at which a decision changed."""
        with self._reading() as rows:
            return int(rows(queries.LAST_CHANGE, {})[0]["position"])


def entry_of(changed: Changed) -> Entry:
    """Return what the index is to hold of a changed decision."""
    from store.index.dense import Entry

    statement, more = changed.said.get("statement", {}), changed.said.get("more", {})
    texts: tuple[str, ...] = ()
    if changed.alive:
        texts = passages(
            statement.get("title", ""),
            statement.get("rationale", ""),
            alternatives=((each[0], each[1]) for each in statement.get("alternatives", ())),
            quotes=(each["quote"] for each in queries.quotes_in(changed.said)),
            more=(*more.get("trade_offs", ()), *more.get("edge_cases", ())),
            text=more.get("text", ""),
            tags=more.get("tags", ()),
        )
    return Entry(
        decision=changed.id,
        position=changed.position,
        scope=changed.scope,
        day=date.fromisoformat(changed.day),
        passages=texts,
        erased=changed.erased,
    )
