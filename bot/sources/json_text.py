"""JSON from outside, with one rule for each way in which it can be broken."""

from __future__ import annotations

import json

from bot.errors import UnreadableDocument


def read_json(text: str, *, exact: bool = False) -> object:
    """Return what a JSON text holds.

    Args:
        text: with a byte order mark or without.
        exact: refuse what Python's reader takes beyond JSON: NaN, and a name given twice, whose first value is lost.

    Raises:
        UnreadableDocument: which rule it breaks; the caller knows where.
    """
    try:
        value: object = _EXACT.decode(text.lstrip("\ufeff")) if exact else json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        where = f"character {error.pos}" if error.lineno == 1 else f"line {error.lineno}, character {error.colno}"
        raise UnreadableDocument(f"not JSON at {where}: {error.msg.removesuffix(' at')}") from error
    except RecursionError as error:
        raise UnreadableDocument("nested too deeply") from error
    except ValueError as error:
        raise UnreadableDocument("a number of thousands of digits") from error
    return value


def _no_number(name: str) -> None:
    raise UnreadableDocument(f"{name} is no number in JSON")


def _each_name_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise UnreadableDocument(f"{next(name for name in names if names.count(name) > 1)!r} is given twice")
    return found


_EXACT = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_each_name_once)
