"""Nothing after Claude loses what it found: a company's documents, where its folder lies beside this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.claude_truth import BAR, measure
from tests.benchmarks.sources import FOLDERS

COMPANY = Path(__file__).parents[4] / "shared" / "company"


@pytest.mark.skipif(not COMPANY.exists(), reason="the sample company doesn't lie beside this repository")
def test_what_claude_finds_in_documents_is_recorded_once_with_its_quotes() -> None:
    outcome = measure(COMPANY, batch=False, sources=[name for name in FOLDERS if name != "slack"])

    assert outcome.recall >= BAR, [missing for row in outcome.rows for missing in row.missing]
    assert outcome.is_sound
