"""What an import says at its end."""

from pathlib import Path

import pytest

from bot.backfill import Tally
from bot.cli.importing import told
from bot.settings import Settings


def test_a_summary_names_all_that_came_of_an_import(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally(
        threads=40, gated_out=30, decisions=6, revised=2, said_again=1, refused_quotes=3, already_known=4,
        undecided=2,
        model_calls=6, input_tokens=18_000, output_tokens=6_000, outcomes=1, left=1,
    )  # fmt: skip

    code = told(
        tally, ["PAY-1: the model is away"], Settings(home=Path(), price=(1.0, 5.0)), dry_run=False, as_json=False
    )

    said = capsys.readouterr()
    assert code == 1
    assert said.err == "PAY-1: the model is away\n"
    assert said.out.splitlines() == [
        "40 threads: 6 decisions recorded, 2 held none, 4 known already, 30 passed over",
        "2 of them in the place of an earlier wording",
        "3 statements refused: no words there bear it out",
        "1 decision said again elsewhere: why show ID lists the places",
        "6 model calls, 24,000 tokens, $0.05",
        "1 outcome is proposed: why outcome --proposed",
        "1 thread left for the next run",
    ]
