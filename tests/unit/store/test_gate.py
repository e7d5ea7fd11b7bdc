"""The gate: what is worth extracting, and which sentence settles it."""

from __future__ import annotations

import time

import pytest

from store.core.gate import confidence_of, keeps, recalibrated, record_from, score
from store.core.gate_features import FEATURES, THREAD_FEATURES, is_english, look, sentence_spans, spoken, stems
from store.core.gate_weights import CONFIDENCE, FLOOR, SENTENCE, THREAD
from store.core.model import Vocabulary
from tests.builders_offline import thread_of

SILENT = Vocabulary()
DECIDED = (
    ("Ana", "where do the thumbnails live? bucket or database?"),
    ("Raj", "database rows of 2 MB slow every backup"),
    ("Mia", "bucket needs signed links though"),
    ("Raj", "we sign links for invoices already"),
    ("Ana", "ok thumbnails go to the bucket then, signed links for everyone, database keeps the path only"),
    ("Mia", "+1, writing it up"),
)
HELPED = (
    ("Ana", "anyone know why my build says permission denied?"),
    ("Raj", "did you run the setup script? it fixes the keys"),
    ("Ana", "that worked, thanks!"),
)
OPEN = (
    ("Ana", "where do the thumbnails live? bucket or database?"),
    ("Raj", "database rows of 2 MB slow every backup"),
    ("Mia", "bucket needs signed links though"),
    ("Ana", "not ready to settle this, let's pick it up next week"),
)


def test_a_debate_that_somebody_settles_scores_above_one_that_ends_open() -> None:
    settled, still_open = thread_of(*DECIDED), thread_of(*OPEN)

    scores = score(settled, SILENT).score, score(still_open, SILENT).score

    assert scores[0] > 0.5 > scores[1]


def test_a_question_for_help_is_stopped() -> None:
    thread = thread_of(*HELPED)

    assert not keeps(thread, SILENT)


def test_the_deciding_sentence_is_the_one_that_settles_most() -> None:
    thread = thread_of(*DECIDED)

    best = max(score(thread, SILENT).settling, key=lambda sentence: sentence.score)

    assert thread.turns[best.turn].text[best.start : best.end].startswith("ok thumbnails go to the bucket")


@pytest.mark.parametrize(
    "said",
    [
        ("Ana", "thought experiment: if we had two regions, would we still need the cache?"),
        ("Ana", "reminder: the office is closed on friday, as announced"),
        ("Ana", "the migration finished last night, 0 errors, lag is back to 1 s"),
    ],
)
def test_musings_reminders_and_reports_are_stopped(said: tuple[str, str]) -> None:
    thread = thread_of(said, ("Raj", "nice"))

    assert not keeps(thread, SILENT)


def test_an_empty_thread_scores_nothing() -> None:
    thread = thread_of()

    found = score(thread, SILENT)

    assert (found.score, found.settling, found.keeps) == (0.0, (), False)


def test_a_thread_without_sentences_scores_nothing() -> None:
    thread = thread_of(("Ana", "```SELECT 1```"))

    assert score(thread, SILENT).score == 0.0


def test_the_sources_own_words_raise_a_sentence() -> None:
    thread = thread_of(("Ana", "tabs or spaces?"), ("Raj", "spaces, by the power of grayskull"))
    own = Vocabulary(decided=("by the power of grayskull",))

    plain, heard = score(thread, SILENT), score(thread, own)

    assert heard.settling[-1].score > plain.settling[-1].score


def test_the_sources_words_for_replacing_and_rejecting_are_heard_as_such() -> None:
    thread = thread_of(("Ana", "the old plan is toast, and plan B is a dead parrot"))
    own = Vocabulary(superseded=("is toast",), rejected=("dead parrot",))

    cues = score(thread, own).settling[0].cues

    assert {"replaces", "turn_down"} <= cues


def test_the_gate_does_not_look_at_reactions_or_at_who_is_called_what() -> None:
    thread = thread_of(*DECIDED)
    renamed = thread_of(*((f"{author} of Example Corp", text) for author, text in DECIDED))

    assert score(thread, SILENT).score == score(renamed, SILENT).score


@pytest.mark.parametrize(
    "text",
    [
        "wir nehmen das nicht mehr, die Rechnungen werden dann mit der neuen Version gemacht und nicht mit der alten",
        "entonces vamos con la base de datos que ya tenemos, porque es lo que el equipo conoce y no cuesta más",
        "検索はPostgresのままにします。Elasticsearchは使いません。",
    ],
)
def test_a_thread_in_another_language_uses_no_english_cues(text: str) -> None:
    thread = thread_of(("Ana", text), ("Raj", text))

    found = score(thread, Vocabulary(decided=("nicht", "vamos", "検索")))

    assert not found.english
    assert not any(sentence.cues for sentence in found.settling)


def test_a_thread_too_short_to_tell_counts_as_english() -> None:
    assert is_english(thread_of(("Ana", "ok")))


def test_what_a_bot_posts_is_marked_and_counts_less() -> None:
    said = (("Ana", "prod or staging first?"), ("ci", "ok then staging first, production from monday"))

    human, robot = score(thread_of(*said), SILENT), score(thread_of(*said, bots=frozenset({"ci"})), SILENT)

    assert robot.score <= human.score


def test_a_thousand_messages_are_scored_in_bounded_time() -> None:
    thread = thread_of(*[("Ana", "then we should go with it because it is cheaper. " * 20)] * 1_000)

    started = time.process_time()
    score(thread, SILENT)

    assert time.process_time() - started < 5.0  # 0.5 s alone on one core; what else runs may slow it


@pytest.mark.parametrize("piece", ["a", "no ", "? ", "<", '"', ".", " ", "a.", "`", "\n", ":", "so, "])
def test_a_message_of_forty_thousand_characters_is_scored_in_bounded_time(piece: str) -> None:
    thread = thread_of(("Ana", piece * (40_000 // len(piece))), ("Raj", "ok then"))

    started = time.process_time()
    score(thread, SILENT)

    assert time.process_time() - started < 2.0


def test_the_end_of_a_long_thread_is_looked_at() -> None:
    chatter = [("Raj", f"looking at host {number}") for number in range(500)]
    thread = thread_of(*chatter, *DECIDED)

    best = max(score(thread, SILENT).settling, key=lambda sentence: sentence.score)

    assert best.turn >= 500


def test_each_weight_has_its_feature() -> None:
    assert tuple(name for name, _ in SENTENCE) == FEATURES
    assert tuple(name for name, _ in THREAD) == ("best", "second", *THREAD_FEATURES)


def test_features_lie_between_nought_and_one() -> None:
    seen = look(thread_of(*DECIDED, *HELPED, *OPEN), SILENT)

    values = [value for sentence in seen.sentences for value in sentence.values] + list(seen.values)

    assert all(0.0 <= value <= 1.0 for value in values)


def test_confidence_rises_with_the_score_and_never_is_certain() -> None:
    steps = [confidence_of(number / 50) for number in range(51)]

    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == (1, 98)
    assert confidence_of(CONFIDENCE[-2][0]) == 90


def test_the_floor_lies_below_what_is_proposed() -> None:
    assert 0.0 < FLOOR < CONFIDENCE[2][0]


def test_sentences_are_spans_of_their_text() -> None:
    text = "Ok then. We use v2.1 of it!\n> quoted. line\n```code. here```\nsee https://a.example/x.y?z ... done"

    parts = [text[start:end] for start, end in sentence_spans(text)]

    assert parts == ["Ok then.", "We use v2.1 of it!", "see https://a.example/x.y?z ...", "done"]


def test_a_turn_of_many_sentences_keeps_its_first_and_last_ones() -> None:
    text = " ".join(f"Sentence {number}." for number in range(40))

    parts = [text[start:end] for start, end in sentence_spans(text)]

    assert (parts[0], parts[-1], len(parts)) == ("Sentence 0.", "Sentence 39.", 16)


def test_blanking_moves_no_character() -> None:
    text = "before ```x\ny``` after\n&gt; quoted\nsee <https://a.example|here> end" + "z" * 3_000

    assert len(spoken(text)) == len(text)
    assert spoken(text).index("after") == text.index("after")


def test_words_of_one_family_share_a_stem() -> None:
    assert stems("charging charges charged") == stems("charge")
    assert not stems("the and of it is")


def test_with_few_captures_the_threshold_stays() -> None:
    assert record_from({95: (10, 0), 70: (9, 0)}) == 90


def test_captures_that_stood_lower_the_threshold() -> None:
    assert record_from({95: (20, 0), 85: (20, 0)}) < 90


def test_captures_that_were_removed_raise_the_threshold() -> None:
    assert record_from({96: (20, 1), 91: (4, 8)}) > 91


def test_a_workspace_where_nothing_stands_gets_the_highest_threshold() -> None:
    assert record_from({96: (2, 30), 91: (0, 10)}) == 97


@pytest.mark.parametrize(("threshold", "confidence", "moved"), [(90, 90, 90), (95, 95, 90), (95, 94, 89), (80, 80, 90)])
def test_a_moved_threshold_falls_on_the_recording_line(threshold: int, confidence: int, moved: int) -> None:
    assert recalibrated(confidence, threshold) == moved


def test_moving_the_threshold_keeps_the_order_of_confidences() -> None:
    moved = [recalibrated(confidence, 84) for confidence in range(101)]

    assert moved == sorted(moved)
    assert (moved[0], moved[100]) == (0, 100)


@pytest.mark.parametrize(
    "said",
    [
        (("Ana", "so we stay on the old router until the audit is over"), ("Raj", "agreed, that settles it")),
        (("Ana", "shall search stay on postgres?"), ("Raj", "agreed, let's go with postgres")),
    ],
)
def test_a_plain_word_that_others_agree_to_is_kept_short_as_it_is(said: tuple[tuple[str, str], ...]) -> None:
    assert keeps(thread_of(*said), SILENT)


@pytest.mark.parametrize(
    "said",
    [
        (("Ana", "router is slow again"), ("Raj", "agreed, it's awful")),
        (("Ana", "cutover board: 96 of 141 merchants on v2, no rollbacks so far"), ("Raj", "lovely")),
    ],
)
def test_news_that_others_like_are_not_plain(said: tuple[tuple[str, str], ...]) -> None:
    assert not score(thread_of(*said), SILENT).plain
