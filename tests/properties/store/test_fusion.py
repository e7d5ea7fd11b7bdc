"""Fusion does not care in which order retrievers answer, nor their equals stand."""

from hypothesis import given
from hypothesis import strategies as st

from store.core import ranking
from store.core.model import DecisionId
from store.core.ranking import Fusion, Parameters

HITS = st.dictionaries(st.sampled_from("abcdefghij").map(DecisionId), st.floats(0, 1, width=16), max_size=10)


def best_first(scores: dict[DecisionId, float], reverse_equals: bool) -> tuple[tuple[DecisionId, float], ...]:
    by_id = sorted(scores.items(), reverse=reverse_equals)
    return tuple(sorted(by_id, key=lambda each: -each[1]))


@given(words=HITS, meaning=HITS, fusion=st.sampled_from(Fusion))
def test_the_order_of_equals_changes_nothing(
    words: dict[DecisionId, float], meaning: dict[DecisionId, float], fusion: Fusion
) -> None:
    parameters = Parameters(fusion=fusion)

    one = ranking.fuse(best_first(words, False), best_first(meaning, False), parameters)
    other = ranking.fuse(best_first(words, True), best_first(meaning, True), parameters)

    assert one == other
    assert ranking.best_fused(one, 20) == ranking.best_fused(other, 20)


@given(words=HITS, meaning=HITS)
def test_rank_fusion_is_the_same_whichever_retriever_comes_first(
    words: dict[DecisionId, float], meaning: dict[DecisionId, float]
) -> None:
    parameters = Parameters(fusion=Fusion.RRF)

    one = ranking.best_fused(ranking.fuse(best_first(words, False), best_first(meaning, False), parameters), 20)
    other = ranking.best_fused(ranking.fuse(best_first(meaning, False), best_first(words, False), parameters), 20)

    assert one == other


@given(words=HITS, meaning=HITS, fusion=st.sampled_from(Fusion))
def test_the_union_is_kept(words: dict[DecisionId, float], meaning: dict[DecisionId, float], fusion: Fusion) -> None:
    fused = ranking.fuse(best_first(words, False), best_first(meaning, False), Parameters(fusion=fusion))

    assert set(fused) == set(words) | set(meaning)
    assert all(each.score >= 0 for each in fused.values())
