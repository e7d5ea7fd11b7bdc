"""What systems report is proposed, whichever is imported first, and counts when somebody says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders_cli import Why

KEYS = "Move idempotency keys to Redis with expiry"
EVICTED = "Idempotency keys were evicted from Redis."
INCIDENT: dict[str, Any] = {
    "id": "P318", "incident_number": 318, "title": "cards charged twice", "created_at": "2026-05-04T14:00:00Z",
    "html_url": "https://acme.pagerduty.com/incidents/P318", "service": {"summary": "payments-prod"},
    "notes": [{"id": "N1", "content": EVICTED, "created_at": "2026-05-04T15:00:00Z"}],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "incidents").mkdir()
    (tmp_path / "incidents" / "i.json").write_text(json.dumps({"incidents": [INCIDENT]}), encoding="utf-8")
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions" / "0001-keys.md").write_text(
        "---\nstatus: accepted\ndate: 2026-03-04\n---\n# " + KEYS + "\n\n"
        "## Decision Outcome\n\nChosen option: Redis, because it expires keys for free.\n",
        encoding="utf-8",
    )
    return tmp_path


INCIDENTS = ("import", "incidents", "--source", "pagerduty", "--visible-to", "workspace")
RECORDS = ("import", "decisions", "--source", "adr", "--visible-to", "workspace")


@pytest.mark.parametrize("order", [(INCIDENTS, RECORDS), (RECORDS, INCIDENTS)])
def test_whichever_is_imported_first_it_is_proposed_once_and_a_word_settles_it(
    why: Why, folder: Path, order: tuple[tuple[str, ...], ...]
) -> None:
    said = [why(*words) for words in order]
    again = [why(*words, "--json").document()["outcomes_proposed"] for words in order]
    (proposed,) = why("outcome", "--proposed", "--json").document()["proposed"]
    listed = why("outcome", "--proposed").out

    settled = why("outcome", proposed["decision"][:12], "failed", "--by", "Dana", "--json").document()

    assert said[1].out.splitlines()[-1] == "1 outcome is proposed: why outcome --proposed"
    assert again == [0, 0]
    assert (proposed["verdict"], proposed["kind"], proposed["place"]["anchor"]) == ("failed", "incident", "318")
    assert "failed?" in listed
    assert "incident 318 https://acme.pagerduty.com/incidents/P318" in listed
    assert settled["decision"]["outcome"] == "failed"
    assert [(vote["by"], vote["reason"]) for vote in settled["outcomes"]] == [
        ("Dana", "incident 318 https://acme.pagerduty.com/incidents/P318")
    ]
    assert why("outcome", "--proposed").out == "nothing is proposed\n"


def test_what_has_nothing_to_do_with_it_is_never_proposed_again(why: Why, folder: Path) -> None:
    why(*RECORDS)
    why(*INCIDENTS)
    (proposed,) = why("outcome", "--proposed", "--json").document()["proposed"]

    dismissed = why("outcome", proposed["decision"], "unrelated")
    why(*INCIDENTS)

    assert dismissed.code == 0
    assert dismissed.out.startswith(f"Noted: incident 318 {INCIDENT['html_url']}: nothing to do with it\n")
    assert why("show", proposed["decision"], "--json").document()["decision"]["outcome"] is None
    assert why("outcome", "--proposed", "--json").document() == {"proposed": []}
    assert why("outcome", proposed["decision"], "unrelated").code == 1


def test_a_closed_report_is_listed_to_its_readers_alone_and_wrong_use_is_said(why: Why, folder: Path) -> None:
    why(*RECORDS)
    closed = why(*INCIDENTS[:-1], "pay-leads")
    everything = why("outcome", "--proposed", "--reader", "all", "--json").document()["proposed"]
    failed = why("outcome", everything[0]["decision"], "failed", "--json").document()

    assert "1 outcome is proposed" in closed.out
    assert why("outcome", "--proposed", "--json").document() == {"proposed": []}
    assert [one["scope"] for one in everything] == ["private:pay-leads"]
    assert failed["decision"]["outcome"] == "failed"
    assert why("show", everything[0]["decision"], "--json").document()["decision"]["outcome"] is None
    wrong = [("outcome", "x"), ("outcome", "x", "maybe"), ("outcome", "--proposed", "x")]
    assert [why(*words).code for words in wrong] == [2, 2, 2]
    assert why("outcome", "--proposed", "--reader", "Nobody").code == 1


def test_a_ticket_that_is_open_again_is_proposed_no_more(why: Why, folder: Path) -> None:
    why("record", "--title", KEYS, "--decided-on", "2026-03-04", "--rationale", "Tracked as PAY-9.")
    done: dict[str, Any] = {
        "summary": "Build it", "created": "2026-03-05T10:00:00.000+0000", "resolution": {"name": "Done"},
        "resolutiondate": "2026-05-04T10:00:00.000+0000",
    }  # fmt: skip
    path = folder / "issue.json"
    path.write_text(json.dumps([{"key": "PAY-9", "fields": done}]), encoding="utf-8")
    words = ("import", "issue.json", "--source", "jira", "--visible-to", "workspace")
    why(*words)
    before = why("outcome", "--proposed", "--json").document()["proposed"]

    path.write_text(json.dumps([{"key": "PAY-9", "fields": {**done, "resolution": None}}]), encoding="utf-8")
    why(*words)

    assert [(one["verdict"], one["strength"]) for one in before] == [("worked", 200)]
    assert why("outcome", "--proposed", "--json").document() == {"proposed": []}
