import json
import os
import zipfile
from pathlib import Path

import pytest

from bot.errors import UnreadableDocument
from bot.sources.archive import Limits, entries_of
from bot.sources.slack_export import SlackExport
from store import Thread
from tests.builders_export import GROUPS, decision_thread, said, write_export, zipped

ROOT = "1700000000.000100"


def read(path: Path, *, newest_first: bool = False) -> tuple[list[Thread], list[str]]:
    with SlackExport(path) as export:
        return list(export.threads(newest_first=newest_first)), export.problems


def test_replies_of_another_days_file_join_their_thread(tmp_path: Path) -> None:
    days = {
        "search/2023-11-14": [said(ROOT, "which database?", thread=ROOT)],
        "search/2023-11-15": [said("1700090000.000100", "postgres", user="U2", thread=ROOT)],
    }

    threads, problems = read(write_export(tmp_path, days))

    assert [[turn.text for turn in thread.turns] for thread in threads] == [["which database?", "postgres"]]
    assert problems == []


def test_a_thread_is_rebuilt_without_replies_and_without_its_root(tmp_path: Path) -> None:
    days = {"search/2023-11-14": [said("1700000100.000100", "ok, pg it is", thread=ROOT)]}

    threads, _ = read(write_export(tmp_path, days))

    assert [thread.place.anchor for thread in threads] == [f"C1/{ROOT}"]


def test_a_message_without_a_thread_is_a_thread_of_one(tmp_path: Path) -> None:
    threads, _ = read(write_export(tmp_path, {"search/2023-11-14": [said("1.000001", "a"), said("2.000001", "b")]}))

    assert [len(thread.turns) for thread in threads] == [1, 1]


def test_a_private_channel_is_closed_and_its_members_are_known(tmp_path: Path) -> None:
    path = write_export(tmp_path, {"exec/2023-11-14": [said(ROOT, "we sell")]})

    with SlackExport(path) as export:
        thread = next(export.threads())

    assert thread.scope.open is False
    assert export.channels["exec"].members == {"U1"}


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b'[{"type": "message", "ts": "1.0', "not JSON"),
        (b"", "empty"),
        (b'{"ok": false}', "not a list"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "a number of thousands of digits"),
        (b'["a"]', "entry 1 is not an object"),
    ],
)
def test_a_broken_day_is_named_with_its_rule_and_the_good_days_stay(tmp_path: Path, content: bytes, rule: str) -> None:
    days = {"search/2023-11-14": content, "search/2023-11-15": [said(ROOT, "good")]}

    threads, problems = read(write_export(tmp_path, days))

    assert [thread.turns[0].text for thread in threads] == ["good"]
    assert len(problems) == 1
    assert problems[0].startswith("search/2023-11-14.json")
    assert rule in problems[0]


def test_a_broken_channel_list_leaves_its_folders_out_and_keeps_the_others(tmp_path: Path) -> None:
    days = {"search/2023-11-14": [said(ROOT, "open")], "exec/2023-11-14": [said(ROOT, "closed")]}

    threads, problems = read(write_export(tmp_path, days, channels='[{"id": "C1"'))

    assert [thread.place.anchor for thread in threads] == [f"G1/{ROOT}"]
    assert any(line.startswith("channels.json") for line in problems)
    assert any(line.startswith("search/") for line in problems)


def test_without_any_channel_list_nobody_reads_what_was_said(tmp_path: Path) -> None:
    path = write_export(tmp_path, {"search/2023-11-14": [said(ROOT, "a")]}, channels=None, groups=None, users=None)

    with SlackExport(path) as export:
        (thread,) = export.threads()

    assert not thread.scope.open
    assert export.problems == []
    assert "no channel list" in export.notices[0]


@pytest.mark.parametrize("flag", ["is_private", "is_ext_shared", "is_pending_ext_shared"])
def test_a_private_or_shared_channel_listed_among_the_channels_is_closed(tmp_path: Path, flag: str) -> None:
    path = write_export(
        tmp_path, {"exec/2023-11-14": [said(ROOT, "a")]}, channels=[{**GROUPS[0], flag: True}], groups=None
    )

    threads, _ = read(path)

    assert not threads[0].scope.open


@pytest.mark.parametrize("under", ["", "Fernway Slack export/", "./", "Downloads/Fernway Slack export/"])
def test_a_zip_reads_like_its_folder(tmp_path: Path, under: str) -> None:
    folder = write_export(tmp_path / "export", {"search/2023-11-14": decision_thread(1_700_000_000)})

    threads, _ = read(zipped(folder, tmp_path / "export.zip", under=under))

    assert threads == read(folder)[0]


def test_a_zip_packed_with_backslashes_reads_like_any_other(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "export", {"search/2023-11-14": decision_thread(1_700_000_000)})
    path = tmp_path / "windows.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for file in folder.rglob("*.json"):
            info = zipfile.ZipInfo()
            info.filename = f"export\\{file.relative_to(folder)}".replace("/", "\\")
            packed.writestr(info, file.read_bytes())

    threads, _ = read(path)

    assert threads == read(folder)[0]


def test_a_folder_around_the_exports_folder_reads_like_it(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "around" / "export", {"search/2023-11-14": decision_thread(1_700_000_000)})

    threads, _ = read(tmp_path / "around")

    assert threads == read(folder)[0]


def test_a_zip_whose_entry_has_no_name_is_no_export(tmp_path: Path) -> None:
    path = tmp_path / "nameless.zip"
    with zipfile.ZipFile(path, "w") as packed:
        info = zipfile.ZipInfo()
        info.filename = ""
        packed.writestr(info, "[]")

    with pytest.raises(UnreadableDocument, match="not a Slack export"):
        read(path)


def test_newest_first_gives_the_same_threads_the_other_way_round(tmp_path: Path) -> None:
    days = {
        "search/2023-11-14": [said("1.000001", "a"), said("2.000001", "b")],
        "exec/2023-11-14": [said("3.000001", "c")],
    }
    path = write_export(tmp_path, days)

    newest, _ = read(path, newest_first=True)

    assert newest == read(path)[0][::-1]


@pytest.mark.parametrize("name", ["../outside.json", "/etc/passwd.json", "C:/windows.json", "search/../../x.json"])
def test_a_zip_whose_entries_lead_out_of_it_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "slip.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(name, "[]")

    with pytest.raises(UnreadableDocument, match="leads out"):
        read(path)


def test_an_entry_that_swells_a_hundredfold_is_refused(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "bomb", {"search/2023-11-14": b"[" + b" " * 5_000_000 + b"]"})

    threads, problems = read(zipped(folder, tmp_path / "bomb.zip"))

    assert threads == []
    assert "100 times its size" in problems[0]


@pytest.mark.parametrize("packed", [False, True])
def test_more_entries_than_any_export_has_are_refused(tmp_path: Path, packed: bool) -> None:
    folder = write_export(tmp_path / "many", {"search/2023-11-14": [], "search/2023-11-15": []})
    path = zipped(folder, tmp_path / "many.zip") if packed else folder

    with pytest.raises(UnreadableDocument, match="more than 2 entries"), entries_of(path, Limits(entries=2)):
        pass


def test_an_archive_that_unpacks_to_more_than_its_limit_is_refused(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "big", {"search/2023-11-14": [said(ROOT, "a" * 1000)]})

    with (
        entries_of(zipped(folder, tmp_path / "big.zip"), Limits(unpacked_bytes=500)) as entries,
        pytest.raises(UnreadableDocument, match="500 bytes"),
    ):
        entries.read("search/2023-11-14.json")


def test_a_truncated_zip_is_refused_by_name(tmp_path: Path) -> None:
    whole = zipped(write_export(tmp_path / "e", {"search/2023-11-14": [said(ROOT, "a")]}), tmp_path / "e.zip")
    whole.write_bytes(whole.read_bytes()[:-40])

    with pytest.raises(UnreadableDocument, match=r"e\.zip"):
        read(whole)


@pytest.mark.parametrize("make", ["absent", "text", "empty folder", "other folder"])
def test_what_is_no_export_is_refused(tmp_path: Path, make: str) -> None:
    path = tmp_path / "thing"
    if make == "text":
        path.write_text("hello")
    elif make != "absent":
        path.mkdir()
    if make == "other folder":
        (path / "package.json").write_text("{}")

    with pytest.raises(UnreadableDocument, match="thing"):
        read(path)


def test_an_entry_that_is_damaged_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    days = {"search/2023-11-14": [said(ROOT, "damaged" * 50)], "search/2023-11-15": [said("1700090000.000100", "good")]}
    path = zipped(write_export(tmp_path / "e", days), tmp_path / "e.zip")
    with zipfile.ZipFile(path) as packed:
        info = packed.getinfo("search/2023-11-14.json")
        start = info.header_offset + 30 + len(info.filename)
    content = bytearray(path.read_bytes())
    content[start : start + 20] = b"\xff" * 20
    path.write_bytes(content)

    threads, problems = read(path)

    assert [thread.turns[0].text for thread in threads] == ["good"]
    assert problems == ["search/2023-11-14.json: the zip entry is broken or locked"]


def test_what_a_mac_adds_to_a_zip_is_passed_over(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "e", {"search/2023-11-14": [said(ROOT, "good")]})
    path = zipped(folder, tmp_path / "e.zip")
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("__MACOSX/search/._2023-11-14.json", b"\x00\x05")

    threads, problems = read(path)

    assert (len(threads), problems) == (1, [])


def test_a_direct_message_is_read_by_its_two_people(tmp_path: Path) -> None:
    path = write_export(tmp_path, {"D1/2023-11-14": [said(ROOT, "psst")]})
    (path / "dms.json").write_text(json.dumps([{"id": "D1", "members": ["U1", "U2"]}, {"members": []}, 7]))

    with SlackExport(path) as export:
        (thread,) = export.threads()
        problems = export.problems

    assert (thread.label, thread.scope.open) == ("a direct message", False)
    assert len(problems) == 2


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links here")
def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps([said(ROOT, "secret")]))
    path = write_export(tmp_path / "e", {"search/2023-11-14": [said(ROOT, "good")]})
    (path / "search" / "2023-11-15.json").symlink_to(outside)

    threads, _ = read(path)

    assert [thread.turns[0].text for thread in threads] == ["good"]
