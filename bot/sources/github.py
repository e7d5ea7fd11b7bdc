"""GitHub's issues and pull requests as its REST API gives them: one of them is one thread.

Its opening text, comments, reviews and comments on lines are turns, by when they were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from bot.errors import UnreadableDocument
from bot.sources.document import Reported, Unread, moment
from bot.sources.fields import element_of, objects_of, text_of
from bot.sources.happened import of_github
from bot.sources.json_text import read_json
from store import Turn, TurnId, Vocabulary

OWN_COMMENT = "<!-- backstory:"
"""Begins what the bot itself says on a pull request: nobody's reason."""
_REPO = re.compile(r"(?:/repos/|github\.com/)(?P<repo>[^/]+/[^/]+?)/(?:pulls?|issues)/")
_LISTS = {"comments": "comment", "reviews": "review", "review_comments": "line-comment"}


class GithubSource:
    """Issues and pull requests."""

    name = "github"
    suffixes = (".json",)
    vocabulary = Vocabulary(
        decided=("agreed", "let's", "ship", "ok ", "fine with me", "then", "lgtm", "good:"),
        superseded=("replacing", "instead of", "reverts", "supersedes", "no longer"),
        rejected=("closing", "not going to", "won't", "rejected", "rather not"),
    )

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread | Reported]:
        """Yield the turns of every issue or pull request of a list, or of one by itself."""
        for number, each in enumerate(_listed(read_json(document), origin), start=1):
            anchor = anchor_of(each)
            if not anchor:
                yield Unread(where=f"{origin}: entry {number}", rule="names no repository and number")
                continue
            yield from _turns_of(each, anchor, dated)
            if happened := of_github(each, anchor):
                yield happened

    def ref(self, thread_id: str) -> str:
        """A pull request is called `owner/repo#41`."""
        return thread_id


def anchor_of(each: Mapping[str, Any]) -> str:
    """Return `owner/repo#41` of an issue or a pull request; "" where it doesn't say."""
    repo = text_of(each, "base", "repo", "full_name") or text_of(each, "repository", "full_name")
    found = _REPO.search(f"{text_of(each, 'url')} {text_of(each, 'html_url')}")
    repo = repo or (found["repo"] if found else "")
    number = text_of(each, "number")
    return f"{repo}#{number}" if repo and number else ""


def _listed(found: object, origin: str) -> Iterable[Mapping[str, Any]]:
    if isinstance(found, Mapping):
        return objects_of(found, "items") if "items" in found else (found,)
    if isinstance(found, list):
        return (each if isinstance(each, Mapping) else {} for each in found)
    raise UnreadableDocument(f"{origin}: neither an issue or pull request nor a list of them")


def _turns_of(each: Mapping[str, Any], anchor: str, dated: datetime) -> Iterator[Turn]:
    opened = moment(each.get("created_at")) or dated
    yield _turn(each, anchor, "", f"{text_of(each, 'title')}\n\n{text_of(each, 'body')}".strip(), opened)
    for field, kind in _LISTS.items():
        for said in objects_of(each, field):
            if text_of(said, "body").startswith(OWN_COMMENT):
                continue
            at = moment(said.get("submitted_at") or said.get("created_at")) or opened
            yield _turn(said, anchor, f"#{kind}-{text_of(said, 'id')}", text_of(said, "body"), at)


def _turn(said: Mapping[str, Any], anchor: str, mark: str, text: str, at: datetime) -> Turn:
    login = text_of(said, "user", "login")
    repository = anchor.partition("#")[0].rpartition("/")[2]
    return Turn(
        turn_id=TurnId(f"{anchor}{mark}"),
        thread_id=anchor,
        author=login,
        author_id=text_of(said, "user", "id"),
        occurred_at=at,
        text=text,
        permalink=text_of(said, "html_url"),
        is_bot=text_of(said, "user", "type") == "Bot" or login.endswith("[bot]"),
        about=element_of("service", repository),
    )
