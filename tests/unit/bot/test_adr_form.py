"""What decision records state by their form: MADR, Nygard's, and headers as PEPs have them."""

from datetime import UTC, date, datetime
from pathlib import Path

from bot.backfill import import_threads
from bot.offline import OfflineExtractor
from bot.sources.adr import AdrSource
from bot.sources.document import Documents, Stated
from store import EVERYTHING, WORKSPACE, Memory, State, Status

MADR = """---
status: accepted
date: 2026-05-02
deciders: Ana Silva, Ben Roth
supersedes: [ADR-0003](0003-elastic.md)
---

# 7. Search stays in Postgres

## Context and problem statement

Two services search, and nobody runs the cluster.

## Considered options

* Keep Elasticsearch
* Postgres full-text search
* Buy it as a service: priced by the query

## Decision outcome

Search moves into Postgres full-text search. The index is rebuilt at night.

Rejected: a search engine of our own. Nobody has a year for it.

## Pros and cons of the options

### Keep Elasticsearch

* Good, because it is there.
* Bad, because it pages somebody each week.
"""
NYGARD = """# 3. Search with Elasticsearch

## Status

Superseded by [ADR-7](0007-search.md)

## Context

Search is slow.

## Decision

We will run Elasticsearch.
"""


def stated(text: str, tmp_path: Path, name: str = "0007-search.md") -> Stated | None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with Documents(tmp_path / name, AdrSource(), scope=WORKSPACE) as documents:
        (thread,) = documents.threads()
        return documents.stated(thread)


def test_a_madr_record_states_what_why_who_when_and_what_lost(tmp_path: Path) -> None:
    found = stated(MADR, tmp_path)

    assert found is not None
    draft = found.draft
    assert (draft.title, draft.status, draft.decided_on) == (
        "Search stays in Postgres",
        Status.ACCEPTED,
        date(2026, 5, 2),
    )
    assert [each.name for each in draft.decided_by] == ["Ana Silva", "Ben Roth"]
    assert "nobody runs the cluster" in draft.rationale
    assert {each.option: each.reason for each in draft.alternatives} == {
        "Keep Elasticsearch": "it pages somebody each week.",
        "Buy it as a service": "priced by the query",
        "a search engine of our own": "Nobody has a year for it.",
    }
    assert draft.supersedes == ("adr:0003",)
    assert [each.quote for each in draft.evidence] == [
        "Search moves into Postgres full-text search.",
        "The index is rebuilt at night.",
    ]


def test_nygards_form_says_its_status_and_what_took_its_place(tmp_path: Path) -> None:
    found = stated(NYGARD, tmp_path, "0003-elastic.md")

    assert found is not None
    assert (found.draft.title, found.draft.status) == ("Search with Elasticsearch", Status.ACCEPTED)
    assert found.replaced_by == ("adr:0007",)


def test_a_header_as_peps_have_it_says_title_status_and_date(tmp_path: Path) -> None:
    text = (
        "PEP: 42\nTitle: Small search\nAuthor: Ana Silva <ana@example.org>,\n Ben Roth\nStatus: Rejected\n"
        "Created: 02-May-2026\n\n# Motivation\n\nIt is slow.\n\n# Resolution\n\nToo small to matter.\n"
    )

    found = stated(text, tmp_path, "pep-0042.md")

    assert found is not None
    assert (found.draft.title, found.draft.status) == ("Small search", Status.REJECTED)
    assert found.draft.decided_on == date(2026, 5, 2)
    assert [each.name for each in found.draft.decided_by] == ["Ana Silva", "Ben Roth"]


def test_a_record_without_an_outcome_states_nothing(tmp_path: Path) -> None:
    assert stated("# Notes\n\nSome words about search.\n", tmp_path) is None


def test_a_folder_of_records_is_a_chain_whichever_says_so(tmp_path: Path) -> None:
    (tmp_path / "adr").mkdir()
    (tmp_path / "adr" / "0003-elastic.md").write_text(NYGARD, encoding="utf-8")
    (tmp_path / "adr" / "0007-search.md").write_text(MADR.replace("supersedes:", "see:"), encoding="utf-8")
    memory = Memory.open(tmp_path / "home", clock=lambda: datetime(2026, 11, 30, tzinfo=UTC), index="off")

    for _ in range(2):
        with Documents(tmp_path / "adr", AdrSource(), scope=WORKSPACE) as documents:
            import_threads(memory, OfflineExtractor(), documents, pause=lambda _seconds: None)

    older, newer = (memory.decision(ref, EVERYTHING) for ref in ("adr:0003", "adr:0007"))
    memory.close()
    assert older is not None
    assert newer is not None
    assert (older.state, older.superseded_by) == (State.SUPERSEDED, (newer.id,))
    assert newer.state is State.CURRENT
