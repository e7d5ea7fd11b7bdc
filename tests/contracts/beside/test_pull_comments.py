"""Comments on pull requests beside the log: who may comment for whom, and which comment is an address's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from store import WORKSPACE, PullComment, Scope
from store.sql.beside import Beside

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
EXEC = Scope(id="channel:C1", open=False)


def test_an_address_comments_for_whom_it_was_told_until_it_or_their_channel_goes(beside: Beside) -> None:
    comments = beside.pull_comments
    for hook, scope in (("a", WORKSPACE), ("b", WORKSPACE), ("b", EXEC)):
        comments.allow(hook, scope)
    allowed = comments.allowed()

    gone = beside.forget_channel("C1", decisions=())
    comments.drop("a")

    assert allowed == {"a": WORKSPACE, "b": EXEC}
    assert (gone, comments.allowed()) == (1, {})


def test_a_comment_is_kept_by_address_and_pull_request_for_half_a_year(beside: Beside) -> None:
    comments, one, two = beside.pull_comments, PullComment(id="1", digest="x"), PullComment(id="1", digest="y")
    for said in (one, two):
        comments.keep("a", "acme/shop#41", said, NOON)

    found, others = comments.find("a", "acme/shop#41"), comments.find("b", "acme/shop#41")
    kept, purged = beside.purge(NOON + timedelta(days=179)), beside.purge(NOON + timedelta(days=181))
    comments.keep("a", "acme/shop#42", one, NOON)
    beside.clear()

    assert (found, others, kept, purged) == (two, None, 0, 1)
    assert comments.find("a", "acme/shop#42") is None
