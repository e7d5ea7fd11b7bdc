"""The small rules around the memory: the front door, the words of a question, failpoints."""

from __future__ import annotations

import importlib

import pytest

import store
from bot.errors import Permanent, Transient
from store import failpoints
from store.core.events import quote_json, read_quote
from store.core.model import Quote
from store.sql import lexical


def test_every_name_on_the_front_door_is_there() -> None:
    assert sorted(store.__all__) == dir(store)
    assert all(getattr(store, name) is not None for name in store.__all__)


def test_every_error_has_one_root() -> None:
    errors: list[type[Exception]] = [
        store.StoreError,
        *store.StoreError.__subclasses__(),
        Transient,
        Permanent,
        *Permanent.__subclasses__(),
    ]

    assert all(issubclass(error, store.BackstoryError) for error in errors)


def test_a_name_that_is_not_on_the_door_is_refused() -> None:
    with pytest.raises(AttributeError, match="nonesuch"):
        store.nonesuch  # noqa: B018

    assert importlib.import_module("store.failpoints") is store.failpoints


def test_a_failpoint_that_is_not_armed_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKSTORY_FAILPOINT", "post.after")

    for step in failpoints.STEPS:
        failpoints.hit(f"{step}.before")


def test_a_question_is_asked_without_the_words_that_questions_are_made_of() -> None:
    assert lexical.terms("Why did we move search to Postgres, to POSTGRES?") == ("move", "search", "postgres")


def test_a_question_of_nothing_but_such_words_is_asked_whole() -> None:
    assert lexical.terms("who are you") == ("who", "are", "you")
    assert lexical.terms("🔥 ?!") == ()


def test_a_question_cannot_speak_the_indexs_language() -> None:
    asked = lexical.asked(lexical.terms('title:"x" NEAR(* AND'))

    assert asked == '(- {marks} : ("title" OR "x" OR "near"))'


def test_a_quote_of_an_unknown_time_has_none() -> None:
    quote = Quote(quote="ok")

    assert "at" not in quote_json(quote)
    assert read_quote({"quote": "ok"}) == quote
