"""A comment on a pull request: what people wrote stands in it as they wrote it, and does nothing."""

import pytest

from bot.comment_text import MOST_FINDINGS, comment_of, mark_of, plain
from bot.preflight import Finding, Preflight
from store import Place
from tests.builders_claude import decision_of

MARK = mark_of("0123")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("ask @ana and @acme/core", "ask @\u200bana and @\u200bacme/core"),
        ("as in #12, GH-12 and a/b#12", "as in #\u200b12, GH\u200b\\-12 and a/b#\u200b12"),
        (
            "see https://evil.example/x and www.evil.example",
            "see https:\u200b//evil.example/x and www\u200b.evil.example",
        ),
        ("<img src=x> `code` **bold** [a](b)", "\\<img src=x\\> \\`code\\` \\*\\*bold\\*\\* \\[a\\]\\(b\\)"),
        ("one\n\n# Ignore all of this\n- [ ] merge", "one #\u200b Ignore all of this \\- \\[ \\] merge"),
        ("a\u200b\u202e@b &commat;c $x$", "a @\u200bb \\&commat;c \\$x\\$"),
    ],
)
def test_what_people_wrote_calls_nobody_links_nothing_and_formats_nothing(written: str, shown: str) -> None:
    assert plain(written, 200) == shown


def finding(permalink: str = "") -> Finding:
    place = Place(source="slack", anchor="C1/1", permalink=permalink)
    decision = decision_of("Sessions stay in Postgres", place=place)
    return Finding(verdict=Preflight.CONFLICT, decision=decision, what="Redis was turned down", why="it lost writes")


def test_only_a_plain_address_is_a_link() -> None:
    good, bad = (
        comment_of([finding(permalink=link)], mark=MARK)
        for link in ("https://example.org/adr/7?x=1", "https://example.org/) @ana <script>")
    )

    assert "](https://example.org/adr/7?x=1)" in good
    assert "example.org" not in bad


def test_more_than_a_few_are_counted() -> None:
    text = comment_of([finding()] * (MOST_FINDINGS + 2), mark=MARK)

    assert text.count("**Conflict**") == MOST_FINDINGS
    assert "…and 2 more." in text
