"""With a key the same commands go through Claude; when it fails, the quoted answer comes."""

import json
from _thread import interrupt_main
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.builders_cli import Ran, Why
from tests.builders_export import decision_thread, write_export
from tests.fakes import claude_server as fake
from tests.fakes.claude_server import ClaudeServer, Received


@pytest.fixture
def claude() -> Iterator[ClaudeServer]:
    with ClaudeServer() as server:
        yield server


@pytest.fixture
def keyed(why: Why, claude: ClaudeServer) -> Why:
    """`why` with a key, at the loopback Claude."""

    def run(*words: str) -> Ran:
        return why(*words, ANTHROPIC_API_KEY=claude.api_key, ANTHROPIC_BASE_URL=claude.base_url)

    return run


@pytest.fixture
def recorded(why: Why, tmp_path: Path) -> None:
    others = [{"title": title} for title in ("Lunch is at noon", "Invoices go out monthly", "Badges come from Tartu")]
    search = {"ref": "adr:1", "title": "Search stays on Postgres", "rationale": "nobody on call knows Elasticsearch"}
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in (search, *others)) + "\n")
    why("ingest", str(path))


def worded(text: str) -> Mapping[str, object]:
    return {"answered": True, "claims": [{"kind": "headline", "text": text, "citations": [1]}], "recommendations": []}


@pytest.mark.usefixtures("recorded")
def test_a_question_is_worded_by_claude(keyed: Why, claude: ClaudeServer) -> None:
    claude.then(fake.structured(worded("Search stays on Postgres.")))

    document = keyed("ask", "why does search stay on Postgres?", "--json").document()

    assert document["worded_by"] == "Claude"
    assert document["claims"][0]["citations"] == [1]


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize(
    "trouble", [fake.refusal, fake.cut_short, lambda: fake.failure(401), lambda: fake.failure(402)]
)
def test_whatever_claude_does_the_answer_comes_quoted(
    keyed: Why, claude: ClaudeServer, trouble: Callable[[], fake.Scripted]
) -> None:
    claude.then(trouble())

    document = keyed("ask", "why does search stay on Postgres?", "--json").document()

    assert document["evidence"][0]["ref"] == "adr:1"
    assert document["worded_by"] == ""
    assert any("quoted, not summed up" in notice for notice in document["notices"])


def test_an_import_through_claude_counts_calls_and_tokens(keyed: Why, claude: ClaudeServer, tmp_path: Path) -> None:
    path = write_export(tmp_path / "export", {"search/2023-11-14": decision_thread(1_700_000_000)})
    claude.then(fake.structured({"decisions": []}))

    document = keyed("import", str(path), "--source", "slack-export", "--json").document()
    again = keyed("import", str(path), "--source", "slack-export", "--json").document()

    assert document["model_calls"] == 1
    assert document["tokens"] > 0
    assert (again["model_calls"], again["already_known"]) == (0, 1)


def test_an_import_over_the_budget_stops_says_so_and_goes_on_where_it_stopped(
    why: Why, claude: ClaudeServer, tmp_path: Path
) -> None:
    days = {f"search/2023-11-{14 + day}": decision_thread(1_700_000_000 + 86_400 * day) for day in range(2)}
    command = ("import", str(write_export(tmp_path / "export", days)), "--source", "slack-export", "--json")
    key = {"ANTHROPIC_API_KEY": claude.api_key, "ANTHROPIC_BASE_URL": claude.base_url}

    over = why(*command, **key, BACKSTORY_MONTHLY_TOKENS="1000")
    asked = len(claude.received)
    claude.then(fake.structured({"decisions": []}), fake.structured({"decisions": []}))
    after = why(*command, **key).document()

    assert asked == 0
    assert over.document()["left"] == 2
    assert "the month's model budget for reading is used: the rest is left" in over.err
    assert (after["left"], after["model_calls"]) == (0, 2)


def test_an_import_in_batches_halves_the_price_and_stopped_leaves_no_thread_to_be_paid_twice(
    why: Why, tmp_path: Path
) -> None:
    def stopping(_received: Received) -> fake.Scripted:
        interrupt_main()
        return fake.structured({"decisions": []})

    path = write_export(tmp_path / "export", {"search/2023-11-14": decision_thread(1_700_000_000)})
    words = ("import", str(path), "--source", "slack-export")
    with ClaudeServer(stopping) as claude:
        claude.batches.looks = 0
        key = {"ANTHROPIC_API_KEY": claude.api_key, "ANTHROPIC_BASE_URL": claude.base_url, "BACKSTORY_PRICE": "100/500"}

        keyless = why(*words, "--batch")
        dry = why(*words, "--dry-run", BACKSTORY_PRICE="100/500")
        stopped = why(*words, "--batch", **key)
        alone = why(*words, **key)
        done = why(*words, "--batch", "--json", **key)

    assert (keyless.code, "ANTHROPIC_API_KEY: not set" in keyless.err) == (1, True)
    assert "1 model call" in dry.out
    assert "; with --batch, within a day, $0.4" in dry.out
    assert (stopped.code, "the same command takes it up again, within 29 days" in stopped.err) == (130, True)
    assert (alone.code, "are in a batch: --batch takes it in, --cancel-batch ends it" in alone.err) == (1, True)
    assert (done.code, claude.batches.asked, claude.received) == (0, 1, [])
    assert (done.document()["batched"], done.document()["cost"]) == (1, round((1200 + 150 * 5) / 20_000, 2))
