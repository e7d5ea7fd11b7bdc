"""What goes in by `why ingest` and `why record` comes out of list, show, history and heads."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.main import get_group

from bot.__main__ import COLD, HOOKING, RECORDING
from bot.cli import cold, hooking, recording
from bot.cli.main import GROUPS, app
from tests.builders_cli import Why

Records = Callable[..., Path]

POSTGRES = {
    "ref": "adr:0001",
    "title": "Search stays on Postgres",
    "rationale": "No second cluster to run; trigrams get us to 80 ms",
    "decided_on": "2026-03-04",
    "decided_by": ["Lena Ortiz"],
    "elements": ["service:search-api"],
    "sets": {"service:search-api.engine": "postgres"},
    "alternatives": [{"option": "Elasticsearch", "reason": "nobody on call knows it"}],
}
OPENSEARCH = {
    "ref": "adr:0002",
    "title": "Search moves to OpenSearch",
    "rationale": "Past five million rows trigrams are too slow",
    "decided_on": "2026-09-01",
    "elements": ["service:search-api"],
    "sets": {"service:search-api.engine": "opensearch"},
    "supersedes": ["adr:0001"],
}


def test_a_record_comes_back_as_it_went_in(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES)))

    shown = why("show", "adr:0001", "--json")

    decision = shown.document()["decision"]
    assert {name: decision[name] for name in POSTGRES} == POSTGRES
    assert (decision["state"], decision["scope"], decision["anchor"]) == ("current", "public", "adr:0001")


def test_list_is_newest_first_and_says_what_was_replaced(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES, OPENSEARCH)))

    listed = why("list", "--json").document()["decisions"]

    assert [(one["ref"], one["state"]) for one in listed] == [("adr:0002", "current"), ("adr:0001", "superseded")]
    assert listed[1]["superseded_by"] == [listed[0]["id"]]


def test_history_is_oldest_first_and_heads_hold_what_is_in_force(why: Why, records: Records) -> None:
    why("ingest", str(records(OPENSEARCH, POSTGRES)))

    history = why("history", "service:search-api", "--json").document()
    heads = why("heads", "search-api", "--json").document()

    assert [one["ref"] for one in history["decisions"]] == ["adr:0001", "adr:0002"]
    assert [one["ref"] for one in heads["elements"][0]["decisions"]] == ["adr:0002"]
    assert heads["elements"][0]["properties"][0]["value"] == "opensearch"


def test_the_same_file_twice_adds_nothing(why: Why, records: Records) -> None:
    path = str(records(POSTGRES, {"title": "No ref"}, {"title": "No ref"}))
    first = why("ingest", path, "--json").document()

    second = why("ingest", path, "--json").document()

    assert (first["decisions"], second["decisions"], second["already_known"]) == (3, 0, 3)
    assert len(why("list", "--json").document()["decisions"]) == 3


def test_a_changed_line_revises_its_record(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES)))

    why("ingest", str(records({**POSTGRES, "rationale": "Nobody on call knows Elasticsearch"})))

    shown = why("show", "adr:0001", "--json").document()
    assert shown["decision"]["rationale"] == "Nobody on call knows Elasticsearch"
    assert len(shown["supersedes"]) == 1


def test_broken_lines_are_named_and_the_good_ones_stay(why: Why, records: Records) -> None:
    path = records(
        POSTGRES, '{"title": "cut', {"title": "A date", "decided_on": "2026-13-01"}, "", {"rationale": "none"}
    )

    ran = why("ingest", str(path), "--json")

    assert ran.code == 1
    assert ran.document()["decisions"] == 1
    assert [line for line in ran.err.splitlines() if "records.jsonl: line " in line] == [
        f"{path}: line 2: not JSON at character 10: Unterminated string starting",
        f"{path}: line 3: decided_on: '2026-13-01' is not a date (YYYY-MM-DD)",
        f"{path}: line 5: title: missing or empty",
    ]


@pytest.mark.parametrize("content", [b"\xff\xfe{}\n", b"\x00\x01\x02"])
def test_a_file_that_is_no_text_is_refused_by_line(why: Why, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "binary.jsonl"
    path.write_bytes(content)

    ran = why("ingest", str(path))

    assert ran.code == 1
    assert "line 1:" in ran.err
    assert "Traceback" not in ran.err


def test_an_empty_file_is_fine_and_adds_nothing(why: Why, records: Records) -> None:
    ran = why("ingest", str(records()), "--json")

    assert (ran.code, ran.document()["decisions"]) == (0, 0)


def test_a_file_that_is_not_there_is_named(why: Why) -> None:
    ran = why("ingest", "nowhere.jsonl", "--json")

    assert (ran.code, ran.out) == (1, "")
    assert "nowhere.jsonl: no such file" in ran.err


def test_standard_input_is_read_too(why: Why) -> None:
    ran = why("ingest", "-", "--json", stdin=b'{"title": "From a pipe"}\n')

    assert ran.document()["decisions"] == 1


def test_record_prints_title_why_what_it_sets_and_what_it_replaces(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES)))

    ran = why(
        "record", "--title", "Search moves to OpenSearch", "--rationale", "trigrams are too slow",
        "--sets", "service:search-api.engine=opensearch", "--supersedes", "adr:0001",
    )  # fmt: skip

    assert ran.code == 0
    assert "Search moves to OpenSearch" in ran.out
    assert "trigrams are too slow" in ran.out
    assert "service:search-api.engine = opensearch" in ran.out
    assert "Search stays on Postgres" in ran.out


def test_record_gives_the_document_of_show(why: Why) -> None:
    ran = why(
        "record",
        "--title",
        "Deploy on Tuesdays",
        "--decided-by",
        "Mia",
        "--alternatives",
        "Fridays: nobody is here",
        "--json",
    )

    document = ran.document()
    assert document["decision"]["alternatives"] == [{"option": "Fridays", "reason": "nobody is here"}]
    assert document == why("show", document["decision"]["id"], "--json").document()


@pytest.mark.parametrize(
    "words",
    [
        ("record",),
        ("record", "--title", " "),
        ("record", "--title", "a", "--decided-on", "tomorrow"),
        ("record", "--title", "a", "--sets", "novalue"),
        ("record", "--title", "a", "--links", "a b"),
        ("record", "--title", "a", "--status", "perhaps"),
        ("record", "--title", "a", "--confidence", "2"),
        ("outcome", "x", "splendid"),
        ("list", "--since", "soon"),
        ("list", "--state", "gone"),
        ("list", "--limit", "-1"),
        ("list", "--limit", "many"),
        ("show",),
        ("ask", ""),
        ("ask", "why?", "--as-of", "2026-02-30"),
        ("import", ".", "--source", "teams"),
        ("record", "--title", "a", "--set", "service:a=3"),
        ("record", "--title", "a", "--set", "a.b=3", "--set", "a.b=4"),
        ("record", "--title", "a", "--link", "service:a uses"),
        ("record", "--title", "a", "--unlink", "uses"),
        ("none", "--reason", " "),
        ("frobnicate",),
    ],
)
def test_wrong_usage_exits_2_and_says_why_on_stderr(why: Why, words: tuple[str, ...]) -> None:
    ran = why(*words)

    assert ran.code == 2
    assert ran.err.strip()
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("words", [("show", "deadbeef"), ("outcome", "adr:9", "worked"), ("forget", "adr:9")])
def test_what_nobody_knows_exits_1_and_is_named(why: Why, words: tuple[str, ...]) -> None:
    ran = why(*words, "--json")

    assert (ran.code, ran.out) == (1, "")
    assert words[1] in ran.err


def test_a_private_record_is_for_its_channel_alone(why: Why, records: Records) -> None:
    why("ingest", str(records({**POSTGRES, "scope": "private:exec"}, {"title": "Known to all"})))

    public, everything = why("list", "--json"), why("list", "--json", "--reader", "all")

    assert [one["title"] for one in public.document()["decisions"]] == ["Known to all"]
    assert len(everything.document()["decisions"]) == 2
    assert "operator" in everything.err
    assert why("show", "adr:0001").code == 1
    assert why("history", "service:search-api", "--json").document()["decisions"] == []


def test_visible_to_closes_what_does_not_say_so_itself(why: Why, records: Records) -> None:
    why("ingest", str(records({"title": "Quiet"}, {"title": "Loud", "scope": "public"})), "--visible-to", "exec")

    titles = [one["title"] for one in why("list", "--json").document()["decisions"]]

    assert titles == ["Loud"]


def test_a_reader_whom_nobody_knows_is_refused(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES)))

    for words in (("list",), ("ask", "why postgres?")):
        ran = why(*words, "--reader", "Zoe")
        assert ran.code == 1
        assert "Zoe" in ran.err


def test_an_outcome_is_kept_and_the_latest_of_a_person_stands(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES)))
    why("outcome", "adr:0001", "worked", "--by", "Lena Ortiz")

    document = why("outcome", "adr:0001", "failed", "--by", "Lena Ortiz", "--json").document()

    assert [(one["verdict"], one["by"]) for one in document["outcomes"]] == [("failed", "Lena Ortiz")]
    assert document["decision"]["outcome"] == "failed"


def test_a_forgotten_record_is_gone_and_stays_gone(why: Why, records: Records) -> None:
    path = str(records(POSTGRES))
    why("ingest", path)

    why("forget", "adr:0001")

    again = why("ingest", path, "--json")
    assert why("list", "--json", "--reader", "all").document()["decisions"] == []
    assert again.document()["decisions"] == 0
    assert why("verify").code == 0


def test_secrets_in_records_are_masked(why: Why, records: Records, home: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    why("ingest", str(records({"title": "Rotate the token", "rationale": f"the old one was {token}"})))

    files = [path for path in home.rglob("*") if path.is_file()]

    assert files
    assert not [path for path in files if token.encode() in path.read_bytes()]


def test_rebuild_leaves_the_digest_as_it_was(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES, OPENSEARCH)))
    before = why("digest").out

    rebuilt = why("rebuild", "--json")

    assert rebuilt.document()["decisions"] == 2
    assert why("digest").out == before
    assert why("verify", "--json").document()["clean"] is True


def test_a_rebuild_of_many_decisions_leaves_their_vectors_to_the_background(
    why: Why, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    why("ingest", str(records(POSTGRES, OPENSEARCH)))
    left: list[int] = []
    monkeypatch.setattr("bot.cli.writing.AT_HAND", 1)
    monkeypatch.setattr("bot.cli.writing.follow_later", lambda _settings, recorded: left.append(recorded))
    monkeypatch.setattr("bot.cli.writing.follow", lambda _memory: pytest.fail("waited for the vectors"))

    assert why("rebuild").code == 0
    assert left == [2]


def test_the_digest_of_the_public_does_not_depend_on_what_is_private(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES)))
    before = why("digest", "--reader", "public").out
    whole = why("digest").out

    why("ingest", str(records({"title": "Secret", "scope": "private:exec"}, name="more.jsonl")))

    assert why("digest", "--reader", "public").out == before
    assert why("digest").out != whole


def test_an_unknown_setting_is_refused_by_every_command(why: Why) -> None:
    for words in (("list",), ("ask", "why?")):
        ran = why(*words, BACKSTORY_HOEM="x")
        assert ran.code == 1
        assert "BACKSTORY_HOME" in ran.err


def test_an_empty_memory_answers_plainly(why: Why) -> None:
    assert why("list", "--json").document() == {"decisions": []}
    nothing = {"element": "service:a", "decisions": [], "erased": []}
    assert why("history", "service:a", "--json").document() == nothing
    assert why("heads", "service:a", "--json").document() == {"elements": []}


def test_help_lists_every_command_once_and_by_what_it_is_for(why: Why) -> None:
    ran = why("--help")

    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(get_group(app).commands)
    assert re.findall(r"^  ([a-z-]+)  ", ran.out.partition("Run it:")[2], re.MULTILINE) == grouped
    assert [title for title in GROUPS if f"\n{title}:\n" not in ran.out] == []


def test_each_quick_command_is_known_before_anything_of_it_is_loaded() -> None:
    quick = (cold.COMMANDS, recording.COMMANDS, hooking.SUMMARIES)

    assert tuple(frozenset(each) for each in quick) == (COLD, RECORDING, HOOKING)


def test_the_version_is_told(why: Why) -> None:
    assert why("--version").out.startswith("Backstory ")


def test_a_field_that_nobody_reads_is_named_once_and_its_line_goes_in(why: Why, records: Records) -> None:
    ran = why("ingest", str(records({"title": "a", "rational": "typo"}, {"title": "b", "rational": "typo"})), "--json")

    assert (ran.code, ran.document()["decisions"]) == (0, 2)
    assert [line for line in ran.err.splitlines() if "rational" in line] == [
        f"{records(name='records.jsonl')}: line 1: no field is called 'rational'; it is not read"
    ]


def test_a_line_longer_than_any_record_is_refused(why: Why, records: Records) -> None:
    ran = why("ingest", str(records({"title": "a", "text": "x" * 9_000_000})), "--json")

    assert (ran.code, ran.document()["decisions"]) == (1, 0)
    assert "line 1: longer than" in ran.err


def test_what_is_forgotten_already_is_said(why: Why, records: Records) -> None:
    why("ingest", str(records(POSTGRES)))
    id_ = why("show", "adr:0001", "--json").document()["decision"]["id"]
    why("forget", id_)

    assert "forgotten already" in why("forget", id_).err
    assert "nothing recorded rests on that message" in why("forget", "C1/1700000000.000100").err


def test_heads_answer_from_a_files_path_wherever_in_the_repository_one_stands(
    why: Why, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shop" / "services" / "payment"
    folder.mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir()
    (folder / "retry.py").write_text("")
    why("record", "--title", "Payments are theirs", "--sets", "service:payment-api.paths=services/payment/**")
    why("record", "--title", "The shop is all ours", "--sets", "repo:shop.paths=**")

    named = ["services/payment/retry.py", str(folder / "retry.py"), "shop/services/payment/retry.py"]
    heads = [[one["element"] for one in why("heads", each, "--json").document()["elements"]] for each in named]
    history = why("history", "services/payment/retry.py")
    nothing = why("heads", "team:nobody", "nobody")

    assert heads == [["service:payment-api", "repo:shop"]] * 3
    assert history.out.splitlines()[:3] == [
        "services/payment/retry.py: 2 decisions, oldest first",
        "  claimed by service:payment-api: services/payment/**",
        "  claimed by repo:shop: **",
    ]
    assert nothing.out.strip() == "nothing recorded on that"


def test_what_is_recorded_by_hand_sets_links_and_ends_and_a_b_a_are_three_decisions(why: Why) -> None:
    for value in ("3", "backoff", "3"):
        why("record", "--title", f"Retries: {value}", "--set", f"service:a.retries={value}")
    linked = why("record", "--title", "A uses B", "--link", "service:a uses service:b", "--json").document()
    with_link = why("heads", "service:a", "--json").document()["elements"][0]
    why("record", "--title", "A is on its own", "--unlink", "Service:A uses service:b")

    history = why("history", "service:a", "--json").document()["decisions"]
    heads = why("heads", "service:a", "--json").document()["elements"][0]

    assert linked["decision"]["links"] == [["service:a", "uses", "service:b"]]
    assert (with_link["links"], heads["links"]) == ([["service:a", "uses", "service:b"]], [])
    assert [one["state"] for one in history] == ["superseded", "superseded", "current", "current", "current"]
    assert [one["value"] for one in heads["properties"]] == ["3"]
