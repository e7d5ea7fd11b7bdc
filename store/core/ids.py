"""Canonical JSON and the names that follow from it: event ids, decision ids, element ids.

Everything that is hashed goes through `canonical`, so that two machines hash the same bytes:
UTF-8, NFC, sorted keys, no spaces, integers and strings only.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from store.core.model import DecisionId, Draft, ElementId

_ALLOWED = "integers, strings, lists and string-keyed objects"

Json = int | str | Sequence["Json"] | Mapping[str, "Json"]

_SURROGATES = re.compile(r"[\ud800-\udfff]")
_NOT_IN_SLUG = re.compile(r"[\W_]+")

SLUG_LENGTH = 60
"""Characters of a slug: long enough for any name in use, short enough for a line of output."""


def clean(text: str) -> str:
    """Return the text in NFC, with lone surrogates (which no UTF-8 can hold) replaced."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _SURROGATES.sub("\ufffd", text))


def canonical(value: Json) -> str:
    """Return the one JSON text of a value.

    Raises:
        TypeError: the value holds a float, a boolean, null or another type that JSON text may
            spell in two ways.
    """
    if _is_plain(value):
        text = _ENCODER.encode(value)
        # A text in NFC has no piece that isn't, so that nothing in it was to be cleaned.
        if text.isascii() or (unicodedata.is_normalized("NFC", text) and not _SURROGATES.search(text)):
            return text
    return _ENCODER.encode(_plain(value))


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _is_plain(value: Any) -> bool:
    """Say whether a value is made of the very types that JSON text is written of, and of nothing like them."""
    kind = type(value)
    if kind is dict:
        for key in value:  # plain loops: everything that is hashed comes through here
            if type(key) is not str:
                return False
        value = value.values()
    elif kind is not list and kind is not tuple:
        return kind is str or kind is int
    for each in value:
        kind = type(each)
        if kind is not str and kind is not int and not _is_plain(each):
            return False
    return True


def _plain(value: object) -> object:
    if isinstance(value, str):
        return clean(str(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return {clean(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} in hashed JSON: only {_ALLOWED} are allowed")


def sha256(*parts: bytes) -> str:
    """Return the hexadecimal SHA-256 of the parts' concatenation."""
    return hashlib.sha256(b"".join(parts)).hexdigest()


def statement_of(draft: Draft) -> dict[str, Json]:
    """Return what a decision says: the part of a draft that its identity rests on.

    An ended link stands among the links with a fourth word, so that two statements which differ
    in nothing else are two decisions.
    """
    return {
        "title": draft.title,
        "rationale": draft.rationale,
        "status": draft.status.value,
        "alternatives": [[a.option, a.reason] for a in draft.alternatives],
        "elements": list(draft.elements),
        "sets": [list(each) for each in draft.sets],
        "links": [list(each) for each in draft.links] + [[*each, "ended"] for each in draft.unlinks],
    }


def decision_id(source: str, anchor: str, ordinal: int, statement: Json) -> DecisionId:
    """Return the id that this statement has at this place, on every machine."""
    return DecisionId(sha256(canonical([source, anchor, ordinal, statement]).encode()))


def normal(mention: str) -> str:
    """Return a mention as it is compared: NFC, one case, single spaces, none beside the colon."""
    return _normal(mention) if len(mention) <= SLUG_LENGTH else spelled(mention).casefold()


@lru_cache(maxsize=4096)  # one decision names its element in several places
def _normal(mention: str) -> str:
    return spelled(mention).casefold()


def spelled(mention: str) -> str:
    """Return a mention as it is shown: NFC, single spaces, none beside the colon, its case as it was written."""
    single = " ".join(clean(mention).split())
    kind, colon, name = single.partition(":")
    return f"{kind.strip()}:{name.strip()}" if colon else single


def kind_and_name(mention: str) -> tuple[str, str]:
    """Split `service:search-api` into its kind and name; a bare mention has the kind ""."""
    kind, colon, name = mention.partition(":")
    return (kind.strip(), name.strip()) if colon and name.strip() else ("", mention.strip())


def slug(text: str) -> str:
    """Return the text as lower-case words joined by hyphens; "" if it has no letter or digit."""
    return _NOT_IN_SLUG.sub("-", normal(text)).strip("-")[:SLUG_LENGTH]


def element_id(mention: str, *, open_: bool) -> ElementId:
    """Return an element's id: readable if the mention was met in an open scope, else a hash."""
    name = slug(mention) if open_ else ""
    return ElementId(f"ent-{name or sha256(normal(mention).encode())[:16]}")
