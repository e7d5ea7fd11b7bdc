"""`why import` of a Slack export: once is enough, a kill is no matter, and who reads what comes from the export."""

from pathlib import Path

import pytest

from store import Memory
from tests.builders_cli import Why
from tests.builders_export import GROUPS, USERS, decision_thread, said, write_export, zipped

SOURCE = ("--source", "slack-export")
DAYS = {
    "search/2023-11-14": decision_thread(1_700_000_000, "search"),
    "search/2023-11-20": decision_thread(1_700_500_000, "the login page", loser="Keycloak"),
    "exec/2023-11-15": decision_thread(1_700_100_000, "the payroll", loser="Workday"),
    "search/2023-11-21": [said("1700600000.000100", "lunch at noon?"), said("1700600100.000100", "yes", user="U2")],
}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return write_export(tmp_path / "export", DAYS)


def anchors(why: Why, reader: str = "public") -> set[str]:
    """Return the places of all decisions that a reader can read."""
    return {one["anchor"] for one in why("list", "--json", "--reader", reader).document()["decisions"]}


def test_decisions_come_in_with_their_place_people_and_a_verbatim_quote(why: Why, export: Path) -> None:
    ran = why("import", str(export), *SOURCE, "--json")

    assert ran.code == 0
    decisions = why("list", "--json").document()["decisions"]
    assert {one["anchor"] for one in decisions} == {"C1/1700000000.000100", "C1/1700500000.000100"}
    texts = [message["text"] for messages in DAYS.values() for message in messages]
    quotes = [quote["quote"] for one in decisions for quote in one["evidence"]]
    assert quotes
    assert all(any(quote in str(text) for text in texts) for quote in quotes)


def test_the_document_counts_what_was_done(why: Why, export: Path) -> None:
    document = why("import", str(export), *SOURCE, "--json").document()

    assert document["threads"] == 5
    assert (document["decisions"], document["already_known"], document["model_calls"]) == (3, 0, 0)
    assert {"gated_out", "duplicates", "refused_quotes", "tokens"} <= document.keys()


def test_a_second_import_adds_nothing(why: Why, export: Path) -> None:
    why("import", str(export), *SOURCE)
    before = why("digest").out

    second = why("import", str(export), *SOURCE, "--json").document()

    assert second["decisions"] == 0
    assert why("digest").out == before


@pytest.mark.parametrize("change", ["zip", "newest first"])
def test_neither_packing_nor_order_changes_what_is_remembered(
    why: Why, export: Path, tmp_path: Path, change: str
) -> None:
    why("import", str(export), *SOURCE)
    before = why("digest").out
    other = {"BACKSTORY_HOME": str(tmp_path / "other")}
    path = zipped(export, tmp_path / "export.zip") if change == "zip" else export

    why("import", str(path), *SOURCE, *(("--newest-first",) if change == "newest first" else ()), **other)

    assert why("digest", **other).out == before


@pytest.mark.parametrize("point", ["extraction.after", "append.after", "projection.after"])
def test_killed_and_run_again_it_ends_where_an_undisturbed_run_ends(
    why: Why, why_process: Why, export: Path, tmp_path: Path, point: str
) -> None:
    undisturbed = {"BACKSTORY_HOME": str(tmp_path / "undisturbed")}
    why("import", str(export), *SOURCE, **undisturbed)

    killed = why_process("import", str(export), *SOURCE, BACKSTORY_FAILPOINT=point)
    why("import", str(export), *SOURCE)

    assert killed.code < 0
    assert why("digest").out == why("digest", **undisturbed).out
    assert why("verify").code == 0


def test_a_private_channel_is_read_by_its_members_alone(why: Why, export: Path) -> None:
    why("import", str(export), *SOURCE)

    assert "G1/1700100000.000100" in anchors(why, "U1")
    assert "G1/1700100000.000100" in anchors(why, "Lena Ortiz")
    for reader in ("public", "U2"):
        assert not {anchor for anchor in anchors(why, reader) if anchor.startswith("G1/")}


def test_nothing_private_shows_to_who_is_not_inside_by_any_command(why: Why, export: Path) -> None:
    why("import", str(export), *SOURCE)
    (secret,) = (
        one
        for one in why("list", "--json", "--reader", "all").document()["decisions"]
        if one["anchor"].startswith("G1/")
    )

    asked = why("ask", "is payroll on Workday or Postgres?", "--json", "--reader", "U2")
    shown = why("show", secret["id"], "--reader", "U2")
    listed = why("list", "--json", "--reader", "U2")

    assert shown.code == 1
    for ran in (asked, shown, listed):
        assert "payroll stays" not in ran.out
        assert secret["title"] not in ran.out + ran.err


def test_guests_and_people_of_elsewhere_read_their_channels_and_the_deactivated_none(why: Why, tmp_path: Path) -> None:
    users = [
        USERS[0],
        {**USERS[1], "deleted": True},
        {"id": "U3", "team_id": "T1", "name": "gus", "is_restricted": True},
        {"id": "U4", "team_id": "T2", "name": "eve"},
        {"id": "U5", "team_id": "T1", "name": "deploybot", "is_bot": True},
    ]
    path = write_export(
        tmp_path / "export", DAYS, users=users, groups=[{**GROUPS[0], "members": ["U1", "U2", "U3", "U4"]}]
    )
    why("import", str(path), *SOURCE)

    assert anchors(why, "U2") == set()
    assert anchors(why, "U3") == anchors(why, "U4") == {"G1/1700100000.000100"}
    assert why("list", "--reader", "U5").code == 1


def test_a_broken_file_is_named_and_the_rest_comes_in(why: Why, export: Path) -> None:
    (export / "search" / "2023-11-14.json").write_text('[{"type": "mess')

    ran = why("import", str(export), *SOURCE, "--json")

    assert ran.code == 1
    assert "search/2023-11-14.json: not JSON" in ran.err
    assert ran.document()["decisions"] == 2


@pytest.mark.parametrize("name", ["channels.json", "groups.json", "users.json"])
def test_a_root_file_that_is_absent_is_no_failure(why: Why, export: Path, name: str) -> None:
    (export / name).unlink()

    ran = why("import", str(export), *SOURCE, "--json")

    assert ran.code == 0
    assert ran.document()["decisions"] == 3


@pytest.mark.parametrize("kind", ["nothing", "text", "other json"])
def test_what_is_no_export_is_refused_in_one_line(why: Why, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "thing"
    if kind == "text":
        path.write_text("hello")
    if kind == "other json":
        path.mkdir()
        (path / "package.json").write_text("{}")

    ran = why("import", str(path), *SOURCE, "--json")

    assert (ran.code, ran.out) == (1, "")
    assert len(ran.err.strip().splitlines()) == 1
    assert "thing" in ran.err


def test_a_dry_run_counts_and_writes_nothing(why: Why, export: Path) -> None:
    before = why("digest").out

    document = why("import", str(export), *SOURCE, "--dry-run", "--json").document()

    assert (document["threads"], document["dry_run"]) == (5, True)
    assert why("digest").out == before
    assert why("list", "--json", "--reader", "all").document() == {"decisions": []}


def test_a_forgotten_message_leaves_no_text_and_does_not_come_back(why: Why, export: Path, home: Path) -> None:
    why("import", str(export), *SOURCE)
    spoken = "Agreed. Decision: search stays on Postgres, not Elasticsearch."

    why("forget", "https://fernway.slack.com/archives/C1/p1700000120000300?thread_ts=1700000000.000100&cid=C1")

    why("import", str(export), *SOURCE)
    assert not [path for path in home.rglob("*") if path.is_file() and spoken.encode() in path.read_bytes()]
    assert why("verify").code == 0


def test_a_thread_of_a_thousand_messages_and_one_of_forty_thousand_characters_come_through(
    why: Why, tmp_path: Path
) -> None:
    long = decision_thread(1_700_000_000)
    long[1:1] = [
        said(f"{1_700_000_001 + n}.{n:06}", f"thought number {n}", thread="1700000000.000100") for n in range(1000)
    ]
    wide = [said("1700900000.000100", "why " * 10_000)]
    path = write_export(tmp_path / "export", {"search/2023-11-14": long, "search/2023-11-25": wide})

    ran = why("import", str(path), *SOURCE, "--json")

    assert (ran.code, ran.document()["threads"]) == (0, 2)


def test_a_blocked_channel_is_not_read(why: Why, export: Path) -> None:
    why("import", str(export), *SOURCE, BACKSTORY_BLOCKED_CHANNELS="#search")

    assert anchors(why, "all") == {"G1/1700100000.000100"}


def test_what_slack_told_of_a_channel_is_not_widened_by_an_export(why: Why, export: Path, home: Path) -> None:
    memory = Memory.open(home, index="off")
    memory.members.put_person("U2", name="Omar Haddad", kind="member", at=memory.clock())
    memory.members.put_channel("G1", name="exec", open=False, members=["U1"], at=memory.clock())
    memory.close()
    write_export(export, {}, groups=[{**GROUPS[0], "members": ["U1", "U2"]}])

    why("import", str(export), *SOURCE, SLACK_BOT_TOKEN="xoxb-1")

    assert "G1/1700100000.000100" not in anchors(why, "U2")
