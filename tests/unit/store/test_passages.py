"""How a decision is cut into what the model can read."""

from store.core.passages import MOST_PASSAGES, PASSAGE_CHARACTERS, passages, pieces


def test_title_and_rationale_come_first() -> None:
    found = passages("Keep Postgres", "It is enough", quotes=["we keep Postgres"], text="Long story.")

    assert found == ("Keep Postgres. It is enough", "Keep Postgres. we keep Postgres", "Keep Postgres. Long story.")


def test_a_title_alone_is_one_passage() -> None:
    assert passages("Keep Postgres", "") == ("Keep Postgres",)


def test_alternatives_are_told_as_what_was_not_chosen() -> None:
    found = passages("Keep Postgres", "", alternatives=[("MySQL", "no one knows it"), ("files", "")])

    assert found[1] == "Keep Postgres. Not MySQL: no one knows it. Not files."


def test_a_long_text_is_cut_at_sentences() -> None:
    text = "This sentence has forty-two characters ok. " * 60

    found = pieces(text)

    assert all(len(piece) <= PASSAGE_CHARACTERS for piece in found)
    assert all(piece.endswith("ok.") for piece in found)
    assert " ".join(found) == text.strip()


def test_a_text_without_sentences_is_cut_all_the_same() -> None:
    found = pieces("x" * 5_000)

    assert max(map(len, found)) <= 2 * PASSAGE_CHARACTERS
    assert "".join(found) == "x" * 5_000


def test_a_decision_has_a_bounded_number_of_passages() -> None:
    found = passages("T", "r", text=" ".join(f"Sentence {n} of many words." for n in range(2_000)))

    assert len(found) == MOST_PASSAGES


def test_each_quote_is_a_passage_so_that_another_one_leaves_the_first_as_it_is() -> None:
    one = passages("T", "r", quotes=["first"])

    two = passages("T", "r", quotes=["first", "second"])

    assert set(one) < set(two)


def test_the_same_passage_stands_once() -> None:
    assert passages("T", "said", quotes=["said", "said"]) == ("T. said",)
