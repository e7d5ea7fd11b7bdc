"""A memory's file made ready before anything is asked of it: made new, carried forward, a killed rebuild cleared.

Whoever opens a file of an older version for writing carries it forward, in transactions of about 0.1 s; killed, the
next one goes on. Several may: they take turns, and the projections are folded anew by one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from store.core.views import Report
from store.errors import StoreBusy
from store.sql import migrations, rebuilding, settling, verification
from store.sql.engine import Database, tx_of
from store.sql.schema import standing
from store.sql.tx import Tx

Progress = Callable[[int, int], None]

CARRIED_WITHIN_S = 600
"""How long to wait for another process that folds the projections anew: ten times what a million decisions take."""


def prepared(home: Path, database: Database, *, salt: Callable[[int], bytes], progress: Progress | None = None) -> str:
    """Return this database's writer id once the file is of this version's schema.

    The id is made once and at random, so that no two databases share one. A database that is ready costs a read and
    waits for no writer.

    Args:
        home: the folder of the file.
        database: the file.
        salt: returns as many random bytes as asked.
        progress: told how many of how many events are folded anew, where the projections have an older shape.

    Raises:
        SchemaTooNew: a newer version wrote the file.
        NotADatabase: it is damaged or something else.
        StoreBusy: another process is still folding its projections anew.
    """
    with database.read() as connection:
        found = standing(tx_of(connection).rows, database.path)
    if found.is_new:
        with database.write() as connection:
            migrations.make(connection, database.path, writer=salt(8).hex(), spellings=salt(16).hex())
    elif not found.is_ready:
        _carry_forward(home, database, progress)
    _clear_killed_rebuild(home, database)
    _settle_killed_erasure(database)
    with database.read() as connection:
        return migrations.writer_of(tx_of(connection))


def _carry_forward(home: Path, database: Database, progress: Progress | None) -> None:
    more = True
    while more:
        with database.write() as connection:
            more = migrations.carry_forward(tx_of(connection), database.path)
    with rebuilding_alone(home, wait_s=CARRIED_WITHIN_S):
        with database.read() as connection:
            if standing(tx_of(connection).rows, database.path).is_ready:
                return  # another process was quicker
        fold_anew(database, progress)


def fold_anew(database: Database, progress: Progress | None) -> int:
    """Fold the log into every projection and return how many events it has; the caller is `rebuilding_alone`."""
    with database.alone() as lent:
        work = rebuilding.Rebuilding(tx=lent.tx, writing=lent.writing, reading=lent.reading, path=database.path)
        last = work.run(progress)
    database.shrink_wal()
    return last


def rebuilt(home: Path, database: Database, progress: Progress | None) -> int:
    """Fold the log into every projection, alone, and return how many events it has.

    Raises:
        StoreBusy: another process is rebuilding.
    """
    if database.on_server:
        from store.sql.postgres import anew  # its driver, for those who have a database of that kind

        return anew.rebuilt(database, progress)
    with rebuilding_alone(home):
        return fold_anew(database, progress)


def verified(database: Database) -> Report:
    """Check the log and every projection within one snapshot; changes nothing."""
    if database.on_server:
        from store.sql.postgres import anew

        return anew.verified(database)
    with database.read() as connection:
        return verification.verify(tx_of(connection), path=database.path)


@contextmanager
def rebuilding_alone(home: Path, *, wait_s: float = 0) -> Iterator[None]:
    """Hold the right to rebuild in this folder.

    Raises:
        StoreBusy: another process has it, and kept it for as long as this one was to wait.
    """
    lock = _lock(home)
    try:
        lock.acquire(timeout=wait_s)
    except Timeout as error:
        raise StoreBusy(f"{home}: another process is rebuilding; let it end") from error
    try:
        yield
    finally:
        lock.release()


def _lock(home: Path) -> FileLock:
    return FileLock(home / "rebuild.lock")


def settle(database: Database) -> None:
    """Work off what erasures left to be done after their commit, then empty the write-ahead log."""

    @contextmanager
    def writing() -> Iterator[Tx]:
        with database.write() as connection:
            yield tx_of(connection)

    settling.settled(writing)
    database.shrink_wal()


def _settle_killed_erasure(database: Database) -> None:
    with database.read() as connection:
        unsettled = settling.is_unsettled(tx_of(connection).rows)
    if unsettled:
        settle(database)


def _clear_killed_rebuild(home: Path, database: Database) -> None:
    """Drop what a killed rebuild left, unless one is under way: no erasure would reach its copies."""
    words = rebuilding.words_file(database.path)
    with database.read() as connection:
        if not rebuilding.leftovers(tx_of(connection)) and not words.exists():
            return
    with suppress(Timeout), _lock(home).acquire(blocking=False), database.write() as connection:
        rebuilding.clear_leftovers(tx_of(connection))
        words.unlink(missing_ok=True)
