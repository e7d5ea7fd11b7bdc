"""Words and ids of buttons lie in one file for all features: a name that is given twice loses its first value."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from bot.slack.layout import actions, words


@pytest.mark.parametrize("module", [actions, words], ids=["actions", "words"])
def test_each_name_is_given_once(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))  # type: ignore[attr-defined]

    names = Counter(
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    )

    assert [name for name, count in names.items() if count > 1] == []
