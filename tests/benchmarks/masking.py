"""Masking by its bars: planted secrets found, messages masked by mistake, microseconds a message.

    python -m tests.benchmarks.masking FOLDER...

Reads every text of the JSON and JSONL files under the folders (strings of 3 characters or more, each once) and prints
what was masked in them, so that a reader can tell mistakes from real finds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bot.masking import mask
from tests.builders_masking import PLANTED

_LONG = 40_000
_SHOWN = 40


def strings(value: object) -> Iterator[str]:
    """Yield every text inside a JSON value."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from strings(item)
        case dict():
            for item in value.values():
                yield from strings(item)


def texts(folder: Path) -> Iterator[str]:
    """Yield the texts of a folder's JSON, JSONL and text files, in file order."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            yield from strings(json.loads(path.read_text(encoding="utf-8")))
        elif path.suffix in {".jsonl", ".ndjson"}:
            for line in path.read_text(encoding="utf-8").splitlines():
                yield from strings(json.loads(line)) if line.strip() else ()
        elif path.suffix in {".md", ".vtt", ".txt"}:
            yield from path.read_text(encoding="utf-8").split("\n\n")


def seconds(text: str, repeat: int) -> float:
    """Return the best time of masking a text."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        mask(text)
        best = min(best, time.perf_counter() - start)
    return best


def main(folders: list[str]) -> int:
    """Print the figures; 1 when a planted secret got through."""
    missed = [(kind, around) for kind, secret, around in PLANTED if secret in mask(around.format(secret))]
    print(f"planted {len(PLANTED)}, masked {len(PLANTED) - len(missed)} {missed or ''}")
    for folder in folders:
        found = {text for text in texts(Path(folder)) if len(text) > 2}
        changed = sorted(text for text in found if mask(text) != text)
        print(f"{folder}: {len(found)} texts, {len(changed)} masked ({100 * len(changed) / max(1, len(found)):.3f} %)")
        for text in changed[:_SHOWN]:
            masked = mask(text)
            at = masked.find("[secret: ")
            print("   ", repr(masked[max(0, at - 60) : at + 60]), "was", repr(text[at : at + 40]))
    usual = (
        "ok so: key table in the payments Postgres, written in the same tx as the charge, kept 24h. token bucket first"
    )
    for name, text in {
        "usual message": usual,
        "all planted": "\n".join(around.format(secret) for _, secret, around in PLANTED),
        "40,000 of prose": (usual + " ") * (_LONG // len(usual)),
        "40,000 of one letter": "a" * _LONG,
        "40,000 of digits": "1234567890" * (_LONG // 10),
        "40,000 of password=": "password=" * (_LONG // 9),
        "40,000 of key:": "key:" * (_LONG // 4),
        "40,000 of token=quote": 'token="ab' * (_LONG // 9),
        "40,000 of a_": "a_" * (_LONG // 2) + "password",
        "40,000 of eyJ": "eyJ" * (_LONG // 3),
        "40,000 of ://": "://a:" * (_LONG // 5),
        "40,000 of //": "/" * (_LONG - 20) + ":_authtoken= bot",
        "40,000 of BEGIN": "-----BEGIN PRIVATE KEY-----" * (_LONG // 27),
        "40,000 of sk-": "sk-ac-us xox-" * (_LONG // 13),
        "40,000 of spaces": "password" + " " * (_LONG - 20) + "bearer",
        "40,000 of bot 1": "bot " + "1" * _LONG,
    }.items():
        print(f"{name}: {1e3 * seconds(text, 3):.3f} ms")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
