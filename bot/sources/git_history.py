"""A repository's history: each commit whose message says more than its subject is one thread of one turn.

Only messages are read, by the program `git` on this machine: no hook, no prompt, no configuration of the user's,
nothing written, and nothing fetched: a repository from elsewhere may name a program for that. A revert that says why
is a decision by its form, which replaces what the reverted commit decided.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from bot.errors import UnreadableDocument
from bot.sources.document import Stated
from bot.sources.fields import element_of
from bot.sources.happened import undone_by
from store import (
    Draft,
    Happened,
    Happening,
    Person,
    Place,
    Quote,
    Scope,
    Thread,
    Turn,
    TurnId,
    Vocabulary,
    sentence_spans,
)

SHORT = 12
"""Hexadecimal digits by which a commit is called: unique in repositories of millions of them."""
TIMEOUT_S = 600.0
"""For a whole history: Linux' 1.3 million messages take git half a minute."""
_FORMAT = "%H%x1f%at%x1f%aN%x1f%aE%x1f%s%x1f%b"
_REVERTS = re.compile(r"This reverts commit (?P<sha>[0-9a-f]{7,40})\.?")
_TRAILER = re.compile(r"(?:[A-Z][A-Za-z]*-[A-Za-z-]+|Fixes|Closes|Refs|cc):[ \t].*", re.IGNORECASE)
ORIGIN = re.compile(r"(?:git@|ssh://git@|https://)(?P<host>[\w.-]+)[:/](?P<repo>[\w./-]+?)(?:\.git)?/?")
"""A remote's address on a server, as people clone it."""
_SETTINGS = ("log.showSignature=false", "core.fsmonitor=false", "core.hooksPath=", "safe.directory=*")
_LONGEST_TITLE = 120
_LATEST = 10**11
"""Seconds since 1970, of the year 5138: git keeps whatever time a commit claims, beyond the calendar's end too."""


class GitHistory:
    """The commits of one repository; a context manager like the other sources."""

    name = "git"
    vocabulary = Vocabulary(
        decided=("instead of", "rather than", "we now", "switch to", "so that", "because", "decided"),
        superseded=("reverts", "replaces", "no longer", "supersedes", "back to"),
        rejected=("does not work", "was tried", "considered", "rejected", "abandon"),
    )

    def __init__(self, path: Path, *, scope: Scope) -> None:
        """Name a folder inside a repository; nothing is read before it is entered."""
        self._path = path
        self._scope = scope
        self._base = ""
        self._repository = ""
        self.problems: list[str] = []
        self.notices: list[str] = []

    def __enter__(self) -> GitHistory:
        """Look for the repository.

        Raises:
            UnreadableDocument: there is none, or no `git`.
        """
        self._run("rev-parse", "--git-dir")
        try:
            origin = self._run("config", "--get", "remote.origin.url").strip()
        except UnreadableDocument:
            origin = ""
        if match := ORIGIN.fullmatch(origin):
            self._repository = match["repo"].rpartition("/")[2]
            self._base = f"https://{match['host']}/{match['repo']}/commit/"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing stays open."""

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each commit that says more than its subject."""
        order = () if newest_first else ("--reverse",)
        for entry in self._run("log", "-z", f"--format={_FORMAT}", *order).split("\0"):
            fields = entry.split("\x1f")
            if len(fields) == 6 and (body := _said(fields[5])):
                yield self._thread(fields[0], int(fields[1]), fields[2], fields[3], f"{fields[4]}\n\n{body}")

    def stated(self, thread: Thread) -> Stated | None:
        """Return what a revert decides, where it says why; None for any other commit."""
        turn = thread.turns[0]
        subject, _, body = turn.text.partition("\n\n")
        reverts = _REVERTS.search(body)
        why = " ".join(_REVERTS.sub("", body).split())
        if reverts is None or not why:
            return None
        start, end = next(iter(sentence_spans(why)), (0, len(why)))
        quote = next((part for part in _REVERTS.sub("\n", body).split("\n") if part.strip()), why)
        return Stated(
            draft=Draft(
                title=subject[:_LONGEST_TITLE],
                rationale=why[start:end],
                decided_on=turn.occurred_at.date(),
                decided_by=(Person(name=turn.author),) if turn.author else (),
                evidence=(
                    Quote(
                        quote=quote.strip(),
                        author=turn.author,
                        at=turn.occurred_at,
                        permalink=turn.permalink,
                        turn_id=turn.turn_id,
                    ),
                ),
                supersedes=(reverts["sha"][:SHORT],),
            )
        )

    def _thread(self, sha: str, at: int, author: str, mail: str, text: str) -> Thread:
        link = f"{self._base}{sha}" if self._base else ""
        turn = Turn(
            turn_id=TurnId(sha),
            thread_id=sha,
            author=author,
            author_id=mail,
            occurred_at=datetime.fromtimestamp(min(at, _LATEST), UTC),
            text=text,
            permalink=link,
            is_bot=author.endswith("[bot]"),
            about=element_of("service", self._repository),
        )
        undoes = undone_by(text)
        return Thread(
            place=Place(source=self.name, anchor=sha, ref=sha[:SHORT], permalink=link),
            scope=self._scope,
            turns=(turn,),
            basis=sha,
            label=f"commit {sha[:SHORT]}",
            happened=Happened(kind=Happening.REVERT, at=turn.occurred_at, undoes=undoes) if undoes else None,
        )

    def _run(self, *arguments: str) -> str:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",
        }
        try:
            ran = subprocess.run(  # noqa: S603  # our own arguments; the path is an argument of its own
                ["git", "-C", str(self._path), *(part for each in _SETTINGS for part in ("-c", each)), *arguments],  # noqa: S607  # the user's own git
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=True,
            )
        except FileNotFoundError as error:
            raise UnreadableDocument("git is not installed: its history can't be read") from error
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode("utf-8", "replace").strip().splitlines()
            raise UnreadableDocument(f"{self._path}: {said[-1] if said else 'git failed'}") from error
        except subprocess.TimeoutExpired as error:
            raise UnreadableDocument(f"{self._path}: git took longer than {TIMEOUT_S:.0f} s") from error
        return ran.stdout.decode("utf-8", "replace")


def _said(body: str) -> str:
    """Return a message's text without the trailers that tools write below it."""
    lines = [line for line in body.strip().splitlines() if not _TRAILER.fullmatch(line.strip())]
    return "\n".join(lines).strip()
