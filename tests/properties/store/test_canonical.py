"""What holds of the bytes that are hashed, whatever stands in them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from store.core.ids import Json, canonical, normal

TEXT = st.text(
    alphabet=st.one_of(st.characters(codec=None), st.sampled_from('e\u0301\u1100\u1161\ud800"\\/\x1f \u2028'))
)
JSON = st.recursive(
    st.one_of(st.integers(), TEXT),
    lambda inner: st.one_of(st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(TEXT, inner)),
)


def by_the_book(value: Json) -> str:
    """Return the canonical text in the plainest way: clean everything, then write it."""

    def cleaned(each: Json) -> object:
        if isinstance(each, str):
            return unicodedata.normalize("NFC", re.sub("[\ud800-\udfff]", "\ufffd", each))
        if isinstance(each, Mapping):
            return {str(cleaned(key)): cleaned(one) for key, one in each.items()}
        return [cleaned(one) for one in each] if isinstance(each, Sequence) else each

    return json.dumps(cleaned(value), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


@given(value=JSON)
@example({"\u00e9": 1, "e\u0301": 2})
@example(["e", "\u0301"])
def test_canonical_json_is_what_the_plainest_way_writes(value: Json) -> None:
    assert canonical(value) == by_the_book(value)


@given(mention=st.one_of(TEXT, st.text(alphabet="aİß:\u00a0\u2028\x1c \t")))
def test_a_mention_is_compared_in_one_case_with_single_spaces_and_none_beside_the_colon(mention: str) -> None:
    clean = unicodedata.normalize("NFC", re.sub("[\ud800-\udfff]", "\ufffd", mention))
    folded = re.sub(r"\s+", " ", clean).strip().casefold()
    kind, colon, name = folded.partition(":")

    assert normal(mention) == (f"{kind.strip()}:{name.strip()}" if colon else folded)
