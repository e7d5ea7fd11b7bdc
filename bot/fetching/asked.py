"""What is asked of each system, and how its answers become the documents that its parser reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.errors import Permanent, SettingsError, Transient, WrongInput
from bot.fetching.client import Api
from bot.fetching.github import github
from bot.fetching.jira import jira
from bot.fetching.pagerduty import pagerduty
from bot.fetching.span import Asking, Span
from bot.ports import Extractor
from bot.sources.document import Source, Stated, moment, threads_of_text
from bot.sources.listed import SOURCES
from store import BackfillRun, Backfills, Scope, Thread, Vocabulary

NOTED_EVERY = 20
"""Threads after which is noted how far a run is: so many are read once more after a kill."""
_REPO = re.compile(r"[\w.-]+/[\w.-]+")
_PROJECT = re.compile(r"[A-Z][A-Z0-9_]{0,30}")


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One system: its parser, where it is, which settings hold its credential, and how it is asked."""

    source: str
    target: str
    """What a command names there, for its help."""
    is_target: Callable[[str], bool]
    credentials: tuple[str, ...]
    base: Callable[[Mapping[str, str]], str]
    headers: Callable[[Mapping[str, str]], dict[str, str]]
    auth: Callable[[Mapping[str, str]], tuple[str, str] | None]
    asking: Asking


class Fetched:
    """A system's threads, like those of an import; `problems` grows while it is read.

    Idempotency key of what it notes: the source and the target.
    """

    def __init__(
        self, system: System, api: Api, target: str, *, scope: Scope, since: datetime | None, kept: Backfills
    ) -> None:
        """Name what is to be read; nothing is asked yet.

        Args:
            system: which.
            api: its interface, with a credential.
            target: what of it.
            scope: who may read it.
            since: what changed since; None for what changed since the last run.
            kept: how far earlier runs came.
        """
        self._system, self._api, self._target, self._scope, self._kept = system, api, target, scope, kept
        self._named = since
        self._last = kept.read_at(system.source, target)
        broken = kept.broken(system.source, target)
        wanted = since or self._last
        goes_on = broken is not None and broken.since == wanted
        self._began_at = broken.began_at if broken is not None and goes_on else api.now()
        reached = moment(broken.reached) if broken is not None and goes_on else None
        self._span = Span(since=wanted, reached=reached, now=api.now())
        self._parser: Source = SOURCES[system.source]
        self._out: dict[int, datetime | None] = {}
        self._count = 0
        self._left = self._whole = False
        self.share = 0.0
        """How far it is, 0 to 1."""
        self.vocabulary: Vocabulary = self._parser.vocabulary
        self.problems: list[str] = []

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each thread that changed, the oldest change first; another order is not to be had."""
        del newest_first
        try:
            for found in self._system.asking(self._api, self._target, self._span):
                self.share = found.share
                text = json.dumps([found.document], ensure_ascii=False)
                dated = self._span.now
                for thread in threads_of_text(self._parser, text, origin=self._target, dated=dated, scope=self._scope):
                    self._out[id(thread)] = found.reached
                    yield thread
        except (Transient, Permanent) as error:
            self.problems.append(f"{error}; what came until then is kept, and the same command goes on")
            return
        self._whole = True

    def stated(self, _thread: Thread) -> Stated | None:
        """Return None: these systems state nothing by their form."""
        return None

    def as_captured(self, extractor: Extractor) -> Extractor:
        """Return the extractor as it is."""
        return extractor

    def worked_off(self, thread: Thread, /, *, done: bool) -> None:
        """Note how far the run is, each so many threads; what is left stops that. Twice is once."""
        reached = self._out.pop(id(thread))
        self._count += 1
        self._left = self._left or not done
        if self._left or reached is None or self._leaves_a_gap or self._count % NOTED_EVERY:
            return
        run = BackfillRun(began_at=self._began_at, since=self._span.since, reached=reached.isoformat())
        self._kept.reached(self._system.source, self._target, run)

    def ended(self) -> None:
        """Note that the run came to its end, if it did. Twice is once."""
        if self._whole and not self._left and not self._leaves_a_gap:
            self._kept.ended(self._system.source, self._target, self._began_at)

    @property
    def _leaves_a_gap(self) -> bool:
        """Whether it begins after the end of what was read before."""
        return self._named is not None and self._last is not None and self._named > self._last


SYSTEMS: Mapping[str, System] = {
    "github": System(
        source="github",
        target="OWNER/REPO",
        is_target=lambda text: bool(_REPO.fullmatch(text)),
        credentials=("GITHUB_TOKEN",),
        base=lambda given: given.get("GITHUB_API_URL") or "https://api.github.com",
        headers=lambda given: {
            "Authorization": f"Bearer {given['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        auth=lambda _given: None,
        asking=github,
    ),
    "jira": System(
        source="jira",
        target="PROJECT",
        is_target=lambda text: bool(_PROJECT.fullmatch(text)),
        credentials=("JIRA_BASE_URL", "JIRA_EMAIL", "JIRA_API_TOKEN"),
        base=lambda given: given["JIRA_BASE_URL"],
        headers=lambda _given: {"Accept": "application/json"},
        auth=lambda given: (given["JIRA_EMAIL"], given["JIRA_API_TOKEN"]),
        asking=jira,
    ),
    "pagerduty": System(
        source="pagerduty",
        target="SERVICE_ID|all",
        is_target=lambda text: text.isalnum(),
        credentials=("PAGERDUTY_API_TOKEN",),
        base=lambda given: given.get("PAGERDUTY_API_URL") or "https://api.pagerduty.com",
        headers=lambda given: {
            "Authorization": f"Token token={given['PAGERDUTY_API_TOKEN']}",
            "Accept": "application/vnd.pagerduty+json;version=2",
        },
        auth=lambda _given: None,
        asking=pagerduty,
    ),
}
"""Every system that can be asked, by the name of its source."""


def system_named(name: str, target: str, credentials: Mapping[str, str]) -> System:
    """Return a system, once it is known that it can be asked.

    Raises:
        WrongInput: the target isn't one of its.
        SettingsError: a credential is missing.
    """
    system = SYSTEMS[name]
    if not system.is_target(target):
        raise WrongInput(f"{target}: not {system.target}, as {name} names what is read")
    missing = [each for each in system.credentials if not credentials.get(each)]
    if missing:
        raise SettingsError(f"{', '.join(missing)}: not set; {name} is asked with it")
    return system
