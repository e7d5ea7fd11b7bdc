"""An import is patient with a model that is away, and leaves what it can't work off for the next run."""

from collections.abc import Iterator

from bot.backfill import MOST_LEFT_IN_A_ROW, MOST_TRIES, import_threads, preview
from bot.errors import Permanent, Transient
from bot.sources.document import Stated
from store import EVERYTHING, Memory, Thread, Vocabulary
from tests.builders_verbs import ScriptedExtractor, quoting, thread

TALK = (
    "Do we put search on Elasticsearch or keep it on Postgres?",
    "Elasticsearch means a second cluster and nobody on call knows it",
    "Agreed. Decision: search stays on Postgres, not Elasticsearch.",
    "+1, agreed",
)


class Threads:
    """A source of a few threads."""

    vocabulary = Vocabulary(decided=("decision:", "agreed"))

    def __init__(self, count: int) -> None:
        self.all = [thread(*TALK, root=f"{number}.000001") for number in range(1, count + 1)]

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each thread once."""
        yield from reversed(self.all) if newest_first else self.all

    def stated(self, _thread: Thread) -> Stated | None:
        """Return None: talk states nothing by its form."""
        return None


class Pauses(list[float]):
    """Remembers how long it was asked to wait."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def test_a_model_that_comes_back_costs_a_pause_and_loses_nothing(memory: Memory) -> None:
    source, pauses = Threads(1), Pauses()
    draft = quoting(source.all[0], 2, "Search stays on Postgres")
    extractor = ScriptedExtractor(draft, failure=Transient("busy", retry_after_s=7), failures=2)

    tally = import_threads(memory, extractor, source, pause=pauses)

    assert (tally.decisions, tally.left) == (1, 0)
    assert pauses == [7, 7]


def test_a_model_that_stays_away_ends_the_run_and_the_next_one_goes_on(memory: Memory) -> None:
    source, pauses = Threads(10), Pauses()
    away = ScriptedExtractor(failure=Transient("away"))

    tally = import_threads(memory, away, source, pause=pauses)
    again = import_threads(memory, ScriptedExtractor(), source, pause=pauses)

    assert tally.left == MOST_LEFT_IN_A_ROW
    assert len(away.seen) == MOST_LEFT_IN_A_ROW * MOST_TRIES
    assert tally.problems[-1].startswith("the model is away")
    assert (again.threads, again.left) == (10, 0)


def test_a_thread_that_cannot_be_worked_off_is_named_and_the_others_go_on(memory: Memory) -> None:
    source = Threads(3)
    extractor = ScriptedExtractor(failure=Permanent("too large"), failures=1)

    tally = import_threads(memory, extractor, source, pause=Pauses())

    assert (tally.threads, tally.left) == (3, 1)
    assert tally.problems == ["slack C1/1.000001: too large"]


def test_what_a_model_costs_is_counted(memory: Memory) -> None:
    tally = import_threads(memory, ScriptedExtractor(), Threads(2), pause=Pauses())

    assert (tally.model_calls, tally.tokens) == (2, 30)


def test_what_was_read_and_held_no_decision_is_counted_once(memory: Memory) -> None:
    source, breaks = Threads(3), ScriptedExtractor(failure=Permanent("too large"))

    counted = preview(memory, source)
    first = import_threads(memory, ScriptedExtractor(), Threads(2), pause=Pauses())
    rest = import_threads(memory, breaks, source, pause=Pauses())

    assert (counted.threads, counted.undecided) == (3, 0)
    assert (first.threads, first.undecided) == (2, 2)
    assert (rest.already_known, rest.left, rest.undecided) == (2, 1, 0)


def test_several_at_once_come_to_the_same(memory: Memory) -> None:
    source = Threads(9)
    counted: list[int] = []

    tally = import_threads(memory, ScriptedExtractor(), source, pause=Pauses(), progress=counted.append, at_once=4)

    assert (tally.threads, counted) == (9, list(range(1, 10)))


def test_a_preview_asks_nobody_and_writes_nothing(memory: Memory) -> None:
    source = Threads(2)
    import_threads(memory, ScriptedExtractor(), Threads(1), pause=Pauses())

    tally = preview(memory, source)

    assert (tally.threads, tally.already_known) == (2, 1)
    assert memory.decisions(EVERYTHING) == ()
