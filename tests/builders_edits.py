"""Made-up coding sessions: what they changed, and whether that is structure. Before and after, file by file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.structure import FileChange

RETRY = '''"""Calls to the payment provider."""

import time

import httpx

ATTEMPTS = 3


def charge(amount: int, token: str) -> str:
    """Charge a card and return the provider's id."""
    for attempt in range(ATTEMPTS):
        try:
            answer = httpx.post("https://pay.example/charges", json={"amount": amount, "token": token}, timeout=5)
            answer.raise_for_status()
            return answer.json()["id"]
        except httpx.TransportError:
            time.sleep(attempt)
    raise RuntimeError("the provider is away")


def refund(charge_id: str) -> None:
    """Give the money back."""
    httpx.post(f"https://pay.example/charges/{charge_id}/refunds", timeout=5).raise_for_status()
'''
CART = """import { Item, total } from './item';

export class Cart {
  private items: Item[] = [];

  add(item: Item): void {
    if (item.count < 0) throw new Error('negative');
    this.items.push(item);
  }

  sum(): number {
    return this.items.map(total).reduce((a, b) => a + b, 0);
  }
}
"""
STORE = """package store

import "database/sql"

// Find returns one order.
func Find(db *sql.DB, id int) (*Order, error) {
	row := db.QueryRow("SELECT id, state FROM orders WHERE id = $1", id)
	order := &Order{}
	if err := row.Scan(&order.ID, &order.State); err != nil {
		return nil, err
	}
	return order, nil
}
"""
PROJECT = '[project]\nname = "shop"\nversion = "1.2.0"\ndependencies = ["httpx>=0.27", "sqlalchemy>=2"]\n'
PACKAGE = (
    '{"name": "web", "version": "1.0.0", "dependencies": {"react": "^18.0.0"}, "devDependencies": {"vite": "^5.0.0"}}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One session's change: texts by path, None where a file isn't there."""

    name: str
    before: Mapping[str, str | None]
    after: Mapping[str, str | None]

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """What changed, file by file."""
        paths = [path for path in {**self.before, **self.after} if self.before.get(path) != self.after.get(path)]
        return tuple(FileChange(path=each, before=self.before.get(each), after=self.after.get(each)) for each in paths)


def _one(name: str, path: str, before: str | None, after: str | None) -> Edit:
    return Edit(name=name, before={path: before}, after={path: after})


def _swap(name: str, path: str, text: str, *pairs: tuple[str, str]) -> Edit:
    after = text
    for old, new in pairs:
        assert old in after, (name, old)
        after = after.replace(old, new)
    return _one(name, path, text, after)


PY, TS, GO = "services/pay/provider.py", "web/src/cart.ts", "store/orders.go"
HELPER = "\n\ndef _seconds(attempt: int) -> float:\n    return 0.2 * 2**attempt\n"

RENAMES = (
    _swap("a function renamed", PY, RETRY, ("charge(", "take(")),
    _swap("a parameter renamed", PY, RETRY, ("token", "card_token")),
    _swap("a constant renamed", PY, RETRY, ("ATTEMPTS", "MOST_ATTEMPTS")),
    _swap("a class renamed", TS, CART, ("Cart", "Basket")),
    _swap("a method renamed", TS, CART, ("sum()", "total_of_all()")),
    _swap("a Go function renamed", GO, STORE, ("Find(", "Get("), ("// Find", "// Get")),
    _swap("a field renamed", GO, STORE, ("State", "Status")),
    Edit(
        name="a file moved and its import mended",
        before={TS: CART},
        after={TS: CART.replace("./item", "./items/item")},
    ),
    _swap("two names renamed at once", PY, RETRY, ("refund", "give_back"), ("charge_id", "id_of_charge")),
    _swap("a local variable renamed", GO, STORE, ("order", "found")),
)
FORMATTING = (
    _swap("quotes changed", PY, RETRY, ('"amount"', "'amount'"), ('"token"', "'token'")),
    _one("indented by four", TS, CART, CART.replace("  ", "    ")),
    _one("tabs to spaces", GO, STORE, STORE.replace("\t", "    ")),
    _swap(
        "a call broken over lines",
        PY,
        RETRY,
        (
            'json={"amount": amount, "token": token}',
            '\n                json={"amount": amount, "token": token,},\n            ',
        ),
    ),
    _one("semicolons taken out", TS, CART, CART.replace(";", "")),
    _one("line ends of Windows", PY, RETRY, RETRY.replace("\n", "\r\n")),
    _one("blank lines", GO, STORE, STORE.replace("\n", "\n\n")),
    _swap("trailing commas", TS, CART, ("(a, b) => a + b, 0", "(a, b) => a + b, 0,")),
)
COMMENTS = (
    _swap("a comment", PY, RETRY, ("ATTEMPTS = 3", "# Measured in May.\nATTEMPTS = 3")),
    _swap(
        "a long comment in Go",
        GO,
        STORE,
        ("// Find returns one order.", "// Find returns one order,\n// or an error.\n// It never returns neither."),
    ),
    _swap("a licence on top", TS, CART, ("import {", "/* Licensed under MIT. */\nimport {")),
)
FIXES = (
    _swap("an exception more", PY, RETRY, ("httpx.TransportError", "(httpx.TransportError, httpx.HTTPStatusError)")),
    _swap("a longer timeout", PY, RETRY, ("timeout=5)\n            answer", "timeout=8)\n            answer")),
    _swap("off by one", PY, RETRY, ("time.sleep(attempt)", "time.sleep(attempt + 1)")),
    _swap(
        "a guard",
        PY,
        RETRY,
        (
            '    """Give the money back."""',
            '    """Give the money back."""\n    if not charge_id:\n        raise ValueError("no charge")',
        ),
    ),
    _swap("a missing null check", TS, CART, ("if (item.count < 0)", "if (item == null || item.count < 0)")),
    _swap("a query mended", GO, STORE, ("WHERE id = $1", "WHERE id = $1 AND deleted_at IS NULL")),
    _swap(
        "a wrapped error",
        GO,
        STORE,
        ("return nil, err", 'return nil, fmt.Errorf("order %d: %w", id, err)'),
        ('import "database/sql"', 'import (\n\t"database/sql"\n\t"fmt"\n)'),
    ),
    _swap(
        "a small helper",
        PY,
        RETRY,
        ("time.sleep(attempt)", "time.sleep(_seconds(attempt))"),
        ('refunds", timeout=5).raise_for_status()\n', f'refunds", timeout=5).raise_for_status(){HELPER}'),
    ),
    _swap("a typo in a message", PY, RETRY, ("the provider is away", "the provider is not there")),
    _swap(
        "a log line",
        PY,
        RETRY,
        ("            time.sleep(attempt)", '            log.warning("again")\n            time.sleep(attempt)'),
        ("import time", "import logging\nimport time"),
        ("ATTEMPTS = 3", "ATTEMPTS = 3\nlog = logging.getLogger(__name__)"),
    ),
    _swap(
        "a default",
        TS,
        CART,
        ("private items: Item[] = [];", "private items: Item[] = [];\n  private currency = 'EUR';"),
    ),
    _swap(
        "a return type",
        TS,
        CART,
        ("add(item: Item): void", "add(item: Item): this"),
        ("this.items.push(item);", "this.items.push(item);\n    return this;"),
    ),
    _one("a deleted stub", "services/pay/old.py", "PROVIDER = 'old'\n", None),
    _one("an empty package", "services/pay/__init__.py", None, ""),
    _swap("a version raised", "pyproject.toml", PROJECT, ("1.2.0", "1.2.1")),
    _swap("a dependency's bound raised", "pyproject.toml", PROJECT, ("httpx>=0.27", "httpx>=0.28")),
    _swap(
        "a development tool",
        "web/package.json",
        PACKAGE,
        ('"vite": "^5.0.0"', '"vite": "^5.0.0", "prettier": "^3.0.0"'),
    ),
    _one("a lock file", "poetry.lock", "a\n" * 200, "b\n" * 300),
)
TESTS = (
    _one("a new test file", "tests/test_provider.py", None, "def test_it() -> None:\n    assert charge(1, 't')\n" * 40),
    _one("a test beside the code", "web/src/cart.test.ts", None, CART * 4),
    _one("a Go test", "store/orders_test.go", None, STORE * 4),
    _one("a fixture", "tests/fixtures/orders.json", None, '{"id": 1}\n' * 300),
    _one("tests taken out", "tests/test_old.py", "def test_a() -> None:\n    assert a()\n" * 60, None),
    _one(
        "a conftest",
        "services/pay/conftest.py",
        None,
        "import pytest\n\n\n@pytest.fixture\ndef card():\n    return 't'\n" * 9,
    ),
    _one("a Java test", "src/test/java/CartTest.java", None, "class CartTest {}\n" * 40),
)
DOCS = (
    _one("a README", "README.md", "# Shop\n", "# Shop\n" + "Words.\n" * 200),
    _one("a guide", "docs/guide.md", None, "Words.\n" * 300),
    _one("a changelog", "CHANGELOG.md", "", "- Added.\n" * 30),
    _one("an example in docs", "docs/example.py", None, RETRY * 3),
)  # fmt: skip

ORDINARY: tuple[Edit, ...] = (*RENAMES, *FORMATTING, *COMMENTS, *FIXES, *TESTS, *DOCS)
"""Fifty sessions in which nothing was decided."""

STRUCTURAL: tuple[Edit, ...] = (
    _one("a new module", "services/pay/queue.py", None, RETRY.replace("charge", "enqueue")),
    _one("a module removed", PY, RETRY, None),
    _swap("another database", "pyproject.toml", PROJECT, ('"sqlalchemy>=2"', '"sqlalchemy>=2", "redis>=5"')),
    _swap("a library dropped", "web/package.json", PACKAGE, ('"react": "^18.0.0"', "")),
    _one("a Go dependency", "go.mod", "module shop\n", "module shop\n\nrequire github.com/redis/go-redis v9.0.1\n"),
    _one("a migration", "migrations/0007_keys.sql", None, "CREATE TABLE keys (id text PRIMARY KEY);\n"),
    _one("a message's schema", "api/order.proto", 'syntax = "proto3";\n', 'syntax = "proto3";\nmessage Order { string id = 1; }\n'),
    _one("a container", "Dockerfile", "FROM python:3.12\n", "FROM python:3.12\nRUN pip install x\nEXPOSE 80\nCMD run\n"),
    _one("infrastructure", "infra/main.tf", None, 'resource "x" "y" {\n  size = 1\n  name = "z"\n}\n'),
    _swap(
        "an interface of two calls",
        PY,
        RETRY,
        ("def refund(", "def hold(amount: int) -> str:\n    return ''\n\n\ndef release(hold_id: str) -> None:\n    pass\n\n\ndef refund("),
    ),
    _one("a function rewritten at length", PY, RETRY, RETRY + "\n".join(f"STEP_{n} = charge({n}, 'x') or refund('{n}')" for n in range(70))),
    Edit(
        name="many files a little",
        before={f"services/pay/part_{n}.py": RETRY for n in range(9)},
        after={
            f"services/pay/part_{n}.py": RETRY + "\n".join(f"LIMIT_{n}_{i} = {i} * ATTEMPTS" for i in range(15))
            for n in range(9)
        },
    ),
)  # fmt: skip
"""Sessions that changed how something is built."""
