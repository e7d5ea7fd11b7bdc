"""A memory that an older version wrote is carried forward when it is opened."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from store import PUBLIC, WORKSPACE, Admission, Draft, Memory, Place, Question, Quote


def test_words_without_spaces_are_found_in_a_memory_in_which_they_stood_as_one(tmp_path: Path) -> None:
    title = "検索はPostgreSQLのままでいく"
    with closing(Memory.open(tmp_path, index="off")) as memory:
        memory.admit(
            Admission(
                place=Place(source="adr", anchor="adr/1.md"), basis="1", scope=WORKSPACE,
                drafts=(Draft(title=title, evidence=(Quote(quote=title),)),), provenance="file", recorded_from="ingest",
            )
        )  # fmt: skip
    with closing(sqlite3.connect(tmp_path / "memory.db")) as raw, raw:
        raw.execute("UPDATE decisions_fts SET title = ?, quotes = ?", (title, title))
        raw.execute("PRAGMA user_version = 1")

    with closing(Memory.open(tmp_path, index="off")) as memory:
        found = memory.recall(Question(text="検索はどうなりましたか"), PUBLIC)
        report = memory.verify()

    assert [one.decision.title for one in (*found.ranked, *found.nearest)] == [title]
    assert report.faults == ()
