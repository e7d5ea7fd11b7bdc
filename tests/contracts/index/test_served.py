"""Vectors on a Chroma server: one process follows the log, others ask, and erasing leaves none."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import PUBLIC, Memory, Question, Servers
from tests.builders_log import admission, draft, ticking


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    run = [str(Path(sys.executable).with_name("chroma")), "run", "--host", "127.0.0.1", "--port", str(port)]
    running = subprocess.Popen(
        [*run, "--path", str(tmp_path_factory.mktemp("chroma"))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{url}/api/v2/heartbeat")
        yield url
    finally:
        running.terminate()
        running.wait()


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(address, timeout=1).close()  # noqa: S310  # loopback
        except OSError:
            continue  # it is starting; the connection is refused at once
        return
    raise AssertionError("chroma did not start")


def test_what_one_process_follows_another_finds_by_meaning(server: str, tmp_path: Path) -> None:
    owner = Memory.open(tmp_path, clock=ticking(), index="own", servers=Servers(chroma_url=server))
    gone = owner.admit(admission(draft("Search stays on Postgres", rationale="elastic is one more cluster"))).new[0]
    owner.admit(admission(draft("No deploys on Fridays", rationale="nobody is there at weekends"), anchor="C1/2"))
    owner.follow()

    reader = Memory.open(tmp_path, clock=ticking(), index="read", servers=Servers(chroma_url=server))
    found = reader.recall(Question(text="why do we not ship before the weekend?"), PUBLIC)
    owner.forget_decision(gone)
    owner.follow()
    after = reader.recall(Question(text="why do we not run elasticsearch?"), PUBLIC)

    assert found.order[0].decision.title == "No deploys on Fridays"
    assert not found.words_only
    assert gone not in {each.decision.id for each in after.order}
    assert reader.index_lag() == owner.index_lag()
    reader.close()
    owner.close()


def test_without_its_server_words_answer_alone(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path, clock=ticking(), index="own", servers=Servers(chroma_url="http://127.0.0.1:9"))
    memory.admit(admission(draft("Search stays on Postgres")))

    found = memory.recall(Question(text="why is search on Postgres?"), PUBLIC)

    assert found.words_only
    assert [each.decision.title for each in found.ranked] == ["Search stays on Postgres"]
    memory.close()
