"""What a tracker says by resolving an issue, and what is found of a history of issues."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.backfill import import_threads
from bot.offline import OfflineExtractor
from bot.sources.document import Documents, threads_of_text
from bot.sources.jira import JiraSource
from store import EVERYTHING, PUBLIC, WORKSPACE, Memory, Question, Thread
from tests.benchmarks.jira_history import history


def thread(**fields: Any) -> Thread:
    """Return the thread of an issue with two comments."""
    comments = [
        {"id": str(day), "author": {"displayName": "Ana"}, "body": text, "created": f"2026-05-0{day}T10:00:00.000+0000"}
        for day, text in ((3, "Batches of 500."), (5, "Thanks!"))
    ]
    said = {
        "summary": "Deadlocks at noon",
        "created": "2026-05-02T10:00:00.000+0000",
        "comment": {"comments": comments},
    }
    issue = json.dumps({"key": "PAY-1", "fields": {**said, **fields}})
    now = datetime(2026, 6, 1, tzinfo=UTC)
    (found,) = threads_of_text(JiraSource(), issue, origin="a.json", dated=now, scope=WORKSPACE)
    return found


@pytest.mark.parametrize(
    ("fields", "resolving"),
    [
        ({"resolution": {"name": "Fixed"}, "resolutiondate": "2026-05-04T10:00:00.000+0000"}, "Batches of 500."),
        ({"resolution": {"name": "Won't Do"}}, "Thanks!"),
        ({"resolution": {"name": "Done"}, "resolutiondate": "2026-05-01T10:00:00.000+0000"}, None),
        ({"resolution": {"name": "Duplicate"}, "resolutiondate": "2026-05-04T10:00:00.000+0000"}, None),
        ({"resolution": None}, None),
    ],
)
def test_the_last_words_before_an_issue_was_resolved_resolve_it(fields: dict[str, Any], resolving: str | None) -> None:
    turns = thread(**fields).turns

    assert [turn.text for turn in turns if turn.resolves] == ([resolving] if resolving else [])


def test_an_issue_that_was_resolved_since_is_read_again() -> None:
    assert thread().basis != thread(resolution={"name": "Fixed"}).basis


def test_of_a_history_most_of_what_was_decided_is_found_with_what_was_wrong(tmp_path: Path) -> None:
    told = history(60, 18, seed=3)
    deciding = {each.key: each for each in told if each.decides}
    export = tmp_path / "issues.json"
    export.write_text(json.dumps({"issues": [each.issue for each in told]}), encoding="utf-8")
    memory = Memory.open(tmp_path / "home", index="off")

    with Documents(export, JiraSource(), scope=WORKSPACE) as documents:
        import_threads(memory, OfflineExtractor(), documents, pause=time.sleep)

    found = memory.decisions(EVERYTHING)
    one = next(each for each in found if each.place.anchor in deciding)
    asked = memory.recall(Question(text=deciding[one.place.anchor].issue["fields"]["summary"]), PUBLIC)
    memory.close()
    assert len({each.place.anchor for each in found} & deciding.keys()) >= 0.75 * len(deciding)
    assert len([each for each in found if each.place.anchor not in deciding]) <= 1
    assert one.evidence[0].quote in deciding[one.place.anchor].decides
    assert asked.ranked[0].decision.place.anchor == one.place.anchor
