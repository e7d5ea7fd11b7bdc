"""What every source of documents promises, one row a source: a new source is one row here."""

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.backfill import import_threads
from bot.errors import UnreadableDocument
from bot.offline import OfflineExtractor
from bot.sources.document import Documents, Reported, Source, Unread
from bot.sources.listed import SOURCES
from store import EVERYTHING, WORKSPACE, Memory, Scope, Thread, Turn, TurnId, Vocabulary

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WORDS = "we keep the search index in Postgres and drop Elasticsearch, since nobody runs the cluster."
SETTLED = f"Agreed, {WORDS}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One source's document with one settled matter in it."""

    file: str
    document: str
    anchor: str
    ref: str
    turns: int
    author: str = "Ana Silva"
    people: Mapping[str, str] = field(default_factory=dict)
    about: tuple[str, ...] = ()


def adf(*paragraphs: str) -> dict[str, Any]:
    return {
        "type": "doc",
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": each}]} for each in paragraphs],
    }


def line(**fields: object) -> str:
    return json.dumps(fields)


def notebook(*cells: str) -> str:
    book = nbformat.v4.new_notebook(  # type: ignore[no-untyped-call]
        cells=[nbformat.v4.new_markdown_cell(each) for each in cells],  # type: ignore[no-untyped-call]
        metadata={"authors": [{"name": "Ana Silva"}]},
    )
    return str(nbformat.writes(book))  # type: ignore[no-untyped-call]


ANA = {"displayName": "Ana Silva", "accountId": "A1"}
BEN = {"displayName": "Ben Roth", "accountId": "B2"}
ROWS = {
    "adr": Row(
        file="docs/adr/0007-search.md",
        document=(
            "---\nstatus: accepted\ndate: 2026-05-02\ndeciders: Ana Silva\nsupersedes: [ADR-3](0003-x.md)\n---\n\n"
            f"# 7. Search stays in Postgres\n\n## Context\n\nTwo services search.\n\n## Decision outcome\n\n{SETTLED}\n"
        ),
        anchor="docs/adr/0007-search.md",
        ref="adr:0007",
        turns=4,
    ),
    "claude-code": Row(
        file="2026-05-02.jsonl",
        document="\n".join(
            (
                line(
                    type="user",
                    uuid="u1",
                    cwd="/home/ana/acme/services/search_api",
                    sessionId="S1",
                    timestamp="2026-05-02T10:00:00Z",
                    message={"content": "Where should the search index live?"},
                ),
                line(
                    type="assistant",
                    uuid="u2",
                    parentUuid="u1",
                    sessionId="S1",
                    timestamp="2026-05-02T10:01:00Z",
                    message={"content": [{"type": "text", "text": SETTLED}, {"type": "tool_use", "name": "Bash"}]},
                ),
                line(
                    type="user",
                    uuid="u3",
                    parentUuid="u2",
                    sessionId="S1",
                    message={"content": [{"type": "tool_result", "content": "ok"}]},
                ),
                line(
                    type="user",
                    uuid="u4",
                    parentUuid="u3",
                    sessionId="S1",
                    timestamp="2026-05-02T10:02:00Z",
                    message={"content": "Good, do that. We decided against Elasticsearch for the same reason before."},
                ),
                '{"type": "user", "uuid": "u5", "messa',
            )
        ),
        anchor="S1/u1",
        ref="S1/u1",
        turns=3,
        author="assistant",
        about=("component:search-api",),
    ),
    "github": Row(
        file="pulls.json",
        document=json.dumps(
            [
                {
                    "number": 41,
                    "url": "https://api.github.com/repos/acme/shop/pulls/41",
                    "title": "Move search",
                    "body": "Elasticsearch or Postgres?",
                    "created_at": "2026-05-02T10:00:00Z",
                    "user": {"login": "ben", "id": 2},
                    "reviews": [
                        {
                            "id": 5,
                            "body": SETTLED,
                            "user": {"login": "Ana Silva", "id": 1},
                            "submitted_at": "2026-05-02T11:00:00Z",
                        }
                    ],
                }
            ]
        ),
        anchor="acme/shop#41",
        ref="acme/shop#41",
        turns=2,
        about=("service:shop",),
    ),
    "jira": Row(
        file="issues.json",
        document=json.dumps(
            {
                "issues": [
                    {
                        "key": "PAY-12",
                        "self": "https://acme.example/rest/api/3/issue/1",
                        "fields": {
                            "summary": "Search",
                            "description": adf("Elasticsearch or Postgres?"),
                            "reporter": BEN,
                            "components": [{"name": "Search API"}, {"name": "Vendor: Acme"}],
                            "created": "2026-05-02T10:00:00.000+0000",
                            "comment": {
                                "comments": [
                                    {
                                        "id": "9",
                                        "author": ANA,
                                        "body": {**adf(SETTLED), "version": 1},
                                        "created": "2026-05-02T11:00:00.000+0000",
                                    }
                                ]
                            },
                        },
                    }
                ]
            }
        ),
        anchor="PAY-12",
        ref="PAY-12",
        turns=2,
        about=("component:search-api", "component:vendor-acme"),
    ),
    "jupyter": Row(
        file="2026-05-02_search.ipynb",
        document=notebook("# Where to search", f"Both were measured. {SETTLED}"),
        anchor="2026-05-02_search.ipynb",
        ref="2026-05-02_search.ipynb",
        turns=2,
    ),
    "pagerduty": Row(
        file="incidents.json",
        document=json.dumps(
            {
                "incidents": [
                    {
                        "incident_number": 344,
                        "title": "Search is down",
                        "service": {"id": "P1", "summary": "search-prod"},
                        "created_at": "2026-05-02T10:00:00Z",
                        "notes": [
                            {
                                "id": "N1",
                                "content": "The disk of one node is full, shards are moved by hand.",
                                "user": {"summary": "Ben Roth", "id": "P2"},
                                "created_at": "2026-05-02T11:00:00Z",
                            }
                        ],
                        "postmortem": {
                            "content": f"Cause: the cluster ran full.\n\nDecision from the review: {WORDS}"
                            " A managed cluster was considered; it would bring back the bill of March.\n\n"
                            "Ben Roth moves the index by Friday, then the cluster is removed for good.",
                            "created_at": "2026-05-02T12:00:00Z",
                            "author": {"summary": "Ana Silva"},
                        },
                    }
                ]
            }
        ),
        anchor="344",
        ref="incident:344",
        turns=5,
        about=("service:search-prod",),
    ),
    "turns": Row(
        file="talk.jsonl",
        document="\n".join(
            (
                line(thread="T1", author="Ben Roth", at="2026-05-02T10:00:00Z", text="Elasticsearch or Postgres?"),
                line(thread="T1", author="Ana Silva", at=1777719600, text=SETTLED),
            )
        ),
        anchor="T1",
        ref="T1",
        turns=2,
    ),
    "zoom": Row(
        file="2026-05-02_search.vtt",
        document=(
            "WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\nBen Roth: Elasticsearch or Postgres?\n\n"
            "3\n00:00:09.000 --> 00:00:12.000\nsince nobody runs the cluster.\n\n"
            "2\n00:00:05.000 --> 00:00:08.000\n"
            "Ana Silva: Agreed, we keep the search index in Postgres and drop Elasticsearch,\n"
        ),
        anchor="2026-05-02_search.vtt",
        ref="2026-05-02_search.vtt",
        turns=2,
    ),
}


def threads_of(source: Source, root: Path, *, scope: Scope = WORKSPACE) -> tuple[list[Thread], list[str]]:
    with Documents(root, source, scope=scope) as documents:
        return list(documents.threads()), documents.problems


def written(row: Row, root: Path) -> Path:
    path = root / row.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(row.document, encoding="utf-8")
    return root


def test_every_source_has_a_row() -> None:
    assert set(ROWS) == set(SOURCES)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_document_becomes_its_thread(name: str, tmp_path: Path) -> None:
    row = ROWS[name]

    threads, problems = threads_of(SOURCES[name], written(row, tmp_path))

    assert problems == []
    (thread,) = threads
    assert (thread.place.source, thread.place.anchor, thread.place.ref) == (name, row.anchor, row.ref)
    assert len(thread.turns) == row.turns
    assert len({turn.turn_id for turn in thread.turns}) == row.turns
    assert all(turn.occurred_at.date().isoformat() == "2026-05-02" for turn in thread.turns)
    said = next(turn for turn in thread.turns if WORDS in turn.text)
    assert said.author == row.author


@pytest.mark.parametrize("name", sorted(ROWS))
def test_what_was_settled_is_recorded_once_with_its_words(name: str, tmp_path: Path) -> None:
    source, root = SOURCES[name], written(ROWS[name], tmp_path / "documents")
    memory = Memory.open(tmp_path / "home", clock=lambda: NOW, index="off")

    for _ in range(2):
        with Documents(root, source, scope=WORKSPACE) as documents:
            import_threads(memory, OfflineExtractor(), documents, pause=lambda _seconds: None)

    (decision,) = memory.decisions(EVERYTHING)
    memory.close()
    assert "Postgres" in decision.title
    assert decision.place.anchor == ROWS[name].anchor
    assert any("we keep the search index in Postgres" in quote.quote for quote in decision.evidence)
    assert set(ROWS[name].about) <= set(decision.elements)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_zip_and_a_file_by_itself_are_read_like_the_folder(name: str, tmp_path: Path) -> None:
    row, source = ROWS[name], SOURCES[name]
    root = written(row, tmp_path / "documents")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(root / row.file, row.file)

    packed, _ = threads_of(source, tmp_path / "all.zip")
    alone, _ = threads_of(source, root / row.file)

    expected, _ = threads_of(source, root)
    assert [each.turns[-1].text for each in packed] == [each.turns[-1].text for each in expected]
    assert [each.turns[-1].text for each in alone] == [each.turns[-1].text for each in expected]


@pytest.mark.parametrize("name", sorted(ROWS))
def test_an_edit_is_another_basis_and_the_same_words_are_the_same(name: str, tmp_path: Path) -> None:
    row, source = ROWS[name], SOURCES[name]
    (before,), _ = threads_of(source, written(row, tmp_path))
    (again,), _ = threads_of(source, tmp_path)
    (tmp_path / row.file).write_text(row.document.replace("nobody runs", "nobody likes"), encoding="utf-8")

    (after,), _ = threads_of(source, tmp_path)

    assert again.basis == before.basis
    assert after.basis != before.basis
    assert after.place == before.place


@pytest.mark.parametrize("name", sorted(ROWS))
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings_are_read(name: str, encoding: str, tmp_path: Path) -> None:
    row = ROWS[name]
    path = tmp_path / row.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(row.document, encoding=encoding)

    threads, problems = threads_of(SOURCES[name], tmp_path)

    assert problems == []
    assert [len(thread.turns) for thread in threads] == [row.turns]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "key",
                    "fields",
                    "number",
                    "url",
                    "incident_number",
                    "notes",
                    "type",
                    "message",
                    "content",
                    "text",
                    "at",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", sorted(ROWS))
@settings(max_examples=40, deadline=None)
@given(document=st.text(max_size=200) | ANYTHING.map(json.dumps) | st.lists(ANYTHING, max_size=3).map(json.dumps))
def test_no_document_raises_anything_but_what_it_breaks(name: str, document: str) -> None:
    said: list[Turn | Unread | Reported] = []
    with suppress(UnreadableDocument):
        said += SOURCES[name].turns(document, origin="a/b", dated=NOW)

    assert all(isinstance(each, Turn | Unread | Reported) for each in said)
    assert all(each.occurred_at.tzinfo for each in said if isinstance(each, Turn))


@pytest.mark.parametrize(
    ("name", "file", "document", "rule"),
    [
        ("zoom", "a.vtt", "Ana: hello", "first line is not WEBVTT"),
        ("zoom", "a.vtt", "WEBVTT\n\n", "without cues"),
        ("jupyter", "a.ipynb", "{}", "not a notebook"),
        ("jira", "a.json", '{"issues": [{"key": "X-1"}]}', "without a key or fields"),
        ("github", "a.json", '"text"', "neither an issue or pull request nor a list"),
        ("pagerduty", "a.json", "[{}]", "has no number"),
        ("turns", "a.jsonl", '{"text": ""}', "not an object with a text"),
        ("claude-code", "a.jsonl", '{"half\n{}', "not JSON"),
        ("adr", "a.md", "---\nstatus: accepted\n", "front matter has no end"),
    ],
)
def test_what_is_broken_is_named_with_its_rule(name: str, file: str, document: str, rule: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(document, encoding="utf-8")

    _, problems = threads_of(SOURCES[name], tmp_path)

    assert len(problems) == 1
    assert problems[0].startswith(file)
    assert rule in problems[0]


def test_a_folder_without_such_documents_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")

    with pytest.raises(UnreadableDocument, match=r"holds no \.vtt file"):
        threads_of(SOURCES["zoom"], tmp_path)


# --- a source that somebody adds --------------------------------------------------------------


class MinutesSource:
    """Minutes of one line a turn: `10:02 Ana: text`; one file is one thread."""

    name = "minutes"
    suffixes = (".txt",)
    vocabulary = Vocabulary(decided=("agreed",), superseded=("reversing",), rejected=("ruled out",))

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread]:
        """Yield one turn a line."""
        for number, said in enumerate(document.splitlines(), start=1):
            time, _, rest = said.partition(" ")
            author, colon, text = rest.partition(": ")
            if not colon:
                yield Unread(where=f"{origin}:{number}", rule="not a turn")
                continue
            yield Turn(
                turn_id=TurnId(f"{origin}#{number}"),
                thread_id=origin,
                author=author,
                occurred_at=dated + timedelta(hours=int(time[:2]), minutes=int(time[3:])),
                text=text,
                permalink=f"{origin}#L{number}",
            )

    def ref(self, thread_id: str) -> str:
        """A meeting is called by its file."""
        return thread_id


def test_a_new_source_of_thirty_lines_goes_through_everything(tmp_path: Path) -> None:
    (tmp_path / "2026-05-02.txt").write_text(f"10:00 Ben: Where to search?\n10:01 Ana: {SETTLED}\nnoise\n")
    memory = Memory.open(tmp_path / "home", clock=lambda: NOW, index="off")

    with Documents(tmp_path, MinutesSource(), scope=WORKSPACE) as documents:
        tally = import_threads(memory, OfflineExtractor(), documents, pause=lambda _seconds: None)

    (decision,) = memory.decisions(EVERYTHING)
    memory.close()
    assert (tally.threads, tally.decisions) == (1, 1)
    assert documents.problems == ["2026-05-02.txt:3: not a turn"]
    assert (decision.evidence[0].author, decision.evidence[0].permalink) == ("Ana", "2026-05-02.txt#L2")


@pytest.mark.parametrize(
    ("folder", "about"),
    [
        ("/home/ana", ()),
        ("C:\\Users\\ana", ()),
        ("/home/ana/shop", ("component:shop",)),
        ("C:\\Users\\ana\\search_api", ("component:search-api",)),
        ("", ()),
    ],
)
def test_a_session_is_about_the_folder_it_works_in_unless_that_is_a_persons_own(
    folder: str, about: tuple[str, ...]
) -> None:
    said = line(type="user", uuid="u1", sessionId="S1", cwd=folder, message={"content": "Where does search live?"})

    (turn,) = SOURCES["claude-code"].turns(said, origin="s.jsonl", dated=NOW)

    assert isinstance(turn, Turn)
    assert turn.about == about
