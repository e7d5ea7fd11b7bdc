"""Real deliveries of others, where they are at hand: each is taken or passed over for a reason, and none raises."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.sources.document import Unread
from bot.sources.hooked import READERS, document_of
from bot.sources.listed import SOURCES
from store import Turn
from tests.contracts.sources.test_sources import NOW

PAYLOADS = Path(__file__).resolve().parents[4] / "shared" / "corpora" / "payloads"
COMPANY = Path(__file__).resolve().parents[4] / "shared" / "company"


def bodies(source: str) -> list[tuple[str, str, Any]]:
    """Return (file, event, body) of every real payload of a source."""
    if source == "pagerduty":
        files = sorted((COMPANY / "pagerduty").glob("webhook_*.json"))
    else:
        files = sorted((PAYLOADS / source).glob("*.json"))
    return [(each.name, each.name.partition("__")[0], json.loads(each.read_text(encoding="utf-8"))) for each in files]


@pytest.mark.parametrize("source", ["github", "jira", "pagerduty"])
def test_each_real_delivery_is_taken_or_passed_over_for_a_reason(source: str) -> None:
    if not PAYLOADS.is_dir():
        pytest.skip("the shared corpora are not here")
    taken = 0

    for name, event, body in bodies(source):
        found = READERS[source](event, body)
        assert bool(found.pieces) != bool(found.why), name
        document = document_of(source, found.pieces) if found.pieces else ""
        if document:
            said = list(SOURCES[source].turns(document, origin=name, dated=NOW))
            assert not any(isinstance(each, Unread) for each in said), (name, said)
            taken += any(isinstance(each, Turn) and each.text.strip() for each in said)

    assert taken >= (1 if source == "pagerduty" else 10)


@pytest.mark.parametrize("source", sorted(READERS))
@pytest.mark.parametrize("body", [{}, {"issue": 1}, {"event": []}, {"turns": [1]}, {"pull_request": {"number": None}}])
def test_odd_bodies_are_passed_over_for_a_reason(source: str, body: Any) -> None:
    found = READERS[source]("pull_request", body)

    assert found.pieces == ()
    assert found.why
