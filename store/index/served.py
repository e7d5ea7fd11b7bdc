"""Dense retrieval over a Chroma server: the same generations as in a folder, as collections that processes share.

```
backstory.NAME                   no vectors; its metadata says which generation is in use, and is its cursor
backstory.NAME.g000001.decisions-open, .decisions-closed
```

NAME is the tenant's, or the log's where there is no tenant. Whoever asks reads the cursor first, so a new generation is
seen at once; the old one is deleted when the new one is in use.
"""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from store.index.dense import CLOSED, HNSW, OPEN, Cursor, DenseIndex, Generation, IndexAway, vendor_errors
from store.index.embedder import Embedder
from store.index.vendors import vendor


class ServedIndex(DenseIndex):
    """The vectors of one tenant's decisions on a server. Thread-safe; `put` and `renew` are for the lock's holder."""

    def __init__(self, url: str, name: str, embedder: Embedder, *, log: str = "") -> None:
        """Bind to a server; nothing is connected or imported before the first use.

        Args:
            url: `http://host:8000`, with `user:password@` where the server asks for one.
            name: whose vectors: a tenant's or a log's name.
            embedder: makes the vectors.
            log: the name of the log that is followed.
        """
        parts = urlsplit(url)
        super().__init__(Path(f"{parts.hostname}:{parts.port or ''}") / name, embedder, log=log)
        self._url = url
        self._name = f"backstory.{name}"
        self._client: Any = None

    def _renew(self, *, keep: bool) -> None:
        old = self._opened_or_none() if keep else None
        client = self._connected()
        numbers = [int(found[1]) for each in self._mine() if (found := _NUMBER.search(each))]
        self._latest = 1 + max(self._latest, *numbers, 0)
        cursor = Cursor(model=self._made_by, log=self._log)
        new = _ServedGeneration(client, self._name, self._latest, cursor)
        if old is not None:
            for name in (OPEN, CLOSED):
                new.add(name, old.records(name))
            new.cursor = replace(cursor, position=old.cursor.position, passages=new.count())
        new.remember(new.cursor.position)
        self._opened = new
        for each in self._mine():
            if each not in (self._name, *new.names):
                with suppress(*vendor_errors()):
                    client.delete_collection(each)

    def spoil(self) -> None:
        """Let the generation in use serve no longer: something of it is damaged."""
        with self._lock:
            self._opened = None
            with suppress(*vendor_errors()):
                self._connected().delete_collection(self._name)

    def close(self) -> None:
        """Let go of the connection; the next use opens one afresh."""
        with self._lock:
            self._opened, self._client = None, None

    def _fresh(self) -> Generation:
        """Return the generation in use, as its cursor stands on the server."""
        missing: tuple[type[BaseException], ...] = (KeyError, TypeError, *vendor_errors())
        try:
            client = self._connected()
            told = dict(client.get_collection(self._name, embedding_function=None).metadata or {})
            number = int(told.pop("generation"))
            cursor = Cursor(**told)
            if (cursor.model, cursor.log) != (self._made_by, self._log):
                raise IndexAway(f"{self.folder}: made by another model or of another log")
            if not isinstance(self._opened, _ServedGeneration) or self._opened.number != number:
                self._opened = _ServedGeneration(client, self._name, number, cursor)
        except missing as error:
            self._client = None
            raise IndexAway(f"{self.folder}: no vector index there yet, or no server") from error
        self._opened.cursor = cursor
        return self._opened

    def _mine(self) -> list[str]:
        found = (str(each.name) for each in self._connected().list_collections())
        return [each for each in found if each == self._name or each.startswith(f"{self._name}.g")]

    def _connected(self) -> Any:
        if self._client is None:
            self._client = _client(self._url)
        return self._client


_NUMBER = re.compile(r"\.g(\d{6})\.")


class _ServedGeneration(Generation):
    """Two collections of a server."""

    def __init__(self, client: Any, prefix: str, number: int, cursor: Cursor) -> None:
        self.number = number
        self.path = Path(f"{prefix}.g{number:06}")
        self.cursor = cursor
        self.users = 0
        self._client = client
        self._prefix = prefix
        self.names = [f"{self.path}.{name}" for name in (OPEN, CLOSED)]
        self._collections = {
            name: _collection(client, full) for name, full in zip((OPEN, CLOSED), self.names, strict=True)
        }

    def remember(self, position: int, *, purge: bool = False) -> None:
        purge = purge or self.cursor.purge
        self.cursor = replace(self.cursor, position=position, passages=self.count(), purge=purge)
        told = {"generation": self.number, **asdict(self.cursor)}
        pointer = self._client.get_or_create_collection(self._prefix, embedding_function=None, metadata=told)
        pointer.modify(metadata=told)

    def close_unless_used(self) -> None:
        """Nothing: the connection is shared."""


def _client(url: str) -> Any:
    parts = urlsplit(url)
    secured = parts.scheme == "https"
    headers = {}
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    settings = vendor("chromadb.config").Settings(anonymized_telemetry=False)
    return vendor("chromadb").HttpClient(
        host=parts.hostname or "", port=parts.port or (443 if secured else 80), ssl=secured, headers=headers,
        settings=settings,
    )  # fmt: skip


def _collection(client: Any, name: str) -> Any:
    return client.get_or_create_collection(name, embedding_function=None, configuration={"hnsw": HNSW})
