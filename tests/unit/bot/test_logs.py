import io
import json
import logging

from bot import logs


def test_a_canonical_line_is_one_json_object_with_its_fields() -> None:
    stream = io.StringIO()
    logs.start(stream)

    logs.canonical(logs.logger("intake"), "delivery", key="T1/1.2", ms=12)

    line = json.loads(stream.getvalue())
    assert (line["event"], line["key"], line["ms"], line["logger"]) == ("delivery", "T1/1.2", 12, "backstory.intake")


def test_an_exception_is_logged_by_its_class_and_never_by_its_text() -> None:
    stream = io.StringIO()
    logs.start(stream)

    try:
        int("what somebody wrote")
    except ValueError:
        logs.logger("worker").exception("failed")

    assert json.loads(stream.getvalue())["error"] == "ValueError"
    assert "somebody" not in stream.getvalue()


def test_starting_twice_writes_each_line_once() -> None:
    first, second = io.StringIO(), io.StringIO()
    logs.start(first)
    logs.start(second)

    logs.logger("jobs").warning("due")

    assert first.getvalue() == ""
    assert len(second.getvalue().splitlines()) == 1
    assert logging.getLogger("backstory").propagate is False
