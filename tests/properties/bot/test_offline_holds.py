"""Whatever people write, the rules quote it verbatim, stay calm, and say the same twice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.offline import OfflineExtractor
from store import Vocabulary, score, sentence_spans, spoken
from tests.builders_offline import thread_of

PIECES = st.sampled_from(
    [
        "ok so we go with ", "no ", "Elasticsearch", "Postgres", " then", ", because ", "it is", "? ", ". ", "\n", "> ",
        "```", "instead of ", "let's ", "we won't ", "from monday", "+1", ":tada:", "(a) ", "b) ", "options: ", " or ",
        "revisit if ", "€", "ß", "検索", "\u200b", "'", '"', "…", "-1", "*", "_",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=60)
SAID = st.lists(st.tuples(st.sampled_from(["Ana", "Raj", "Mia"]), TEXTS), max_size=6)
SILENT = Vocabulary()


@settings(deadline=None, max_examples=150)
@given(said=SAID, pointed=st.booleans())
def test_every_quote_is_verbatim_and_every_draft_has_a_title(said: list[tuple[str, str]], pointed: bool) -> None:
    thread = thread_of(*said)

    drafts = OfflineExtractor().extract(thread, SILENT, pointed=pointed, deadline_s=1.0).drafts

    texts = {turn.turn_id: turn.text for turn in thread.turns}
    assert all(draft.title and draft.evidence for draft in drafts)
    assert all(quote.quote and quote.quote in texts[quote.turn_id] for draft in drafts for quote in draft.evidence)  # type: ignore[index]
    assert drafts == OfflineExtractor().extract(thread, SILENT, pointed=pointed, deadline_s=1.0).drafts


@settings(deadline=None, max_examples=150)
@given(said=SAID)
def test_a_score_is_a_probability_and_each_sentence_a_span(said: list[tuple[str, str]]) -> None:
    thread = thread_of(*said)

    found = score(thread, SILENT)

    assert 0.0 <= found.score <= 1.0
    assert all(0 <= each.start < each.end <= len(thread.turns[each.turn].text) for each in found.settling)


@settings(deadline=None, max_examples=150)
@given(text=TEXTS)
def test_what_is_spoken_keeps_every_character_in_place(text: str) -> None:
    plain = spoken(text)

    assert len(plain) == len(text)
    assert all(text[start:end].strip() for start, end in sentence_spans(text))
