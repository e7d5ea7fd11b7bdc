"""What holds of quotes for any text."""

from hypothesis import given
from hypothesis import strategies as st

from store.core.citations import quote_weight, verify_quote

WORDS = st.lists(st.text(alphabet="abcdeéßñ検索ﬁ0123'’-–", min_size=1, max_size=9), min_size=1, max_size=12)


@given(before=WORDS, words=WORDS, after=WORDS, gap=st.sampled_from([" ", "  ", "\n", "\u00a0"]))
def test_whole_words_of_a_turn_are_found_again_however_they_are_spaced(
    before: list[str], words: list[str], after: list[str], gap: str
) -> None:
    text = gap.join([*before, *words, *after])

    found = verify_quote(" ".join(words), text)

    assert found is None or found in text
    assert found is not None or quote_weight(" ".join(words)) <= 8 or words[0][0] + words[-1][-1] in text


@given(quote=st.text(max_size=60), text=st.text(max_size=200))
def test_what_is_found_is_always_a_part_of_the_turn(quote: str, text: str) -> None:
    found = verify_quote(quote, text)

    assert found is None or found in text
