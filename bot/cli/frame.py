"""What every command shares: the options' one definition, output, errors and exit codes, the opened product.

A command prints its document on stdout and everything else on stderr. It exits 0 when it did what it was
asked, 1 when it could not and says why, 2 when it was used wrongly.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from bot.errors import BackstoryError, WrongInput
from store import EVERYTHING, PUBLIC, WORKSPACE, Reader, Scope

if TYPE_CHECKING:
    import argparse

    from bot.settings import Settings
    from store import Members, Memory

OK, FAILED, MISUSED = 0, 1, 2


class Misused(Exception):
    """The command was used wrongly; the message says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option, defined once for every command that has it."""

    flag: str
    help: str
    metavar: str = ""


JSON = Option(flag="--json", help="One JSON document on stdout, nothing else.")
READER = Option(
    flag="--reader", help="Read as a USER, as the public, or as all (the operator's).", metavar="USER|public|all"
)


def reader_named(name: str, memory: Callable[[str], Reader | None]) -> Reader:
    """Return who reads; `all` is the operator's, and says so on stderr.

    Args:
        name: what stands after `--reader`.
        memory: finds a person's reader by id or name; None where nobody is called that.
    """
    if name == "public":
        return PUBLIC
    if name == "all":
        tell("reading as the operator: everything, whoever may read it")
        return EVERYTHING
    reader = memory(name)
    if reader is None:
        raise WrongInput(f"--reader {name}: nobody of that id or name is known")
    return reader


def day_named(text: str, what: str) -> date:
    """Return the day that an option names; Misused where it names none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Misused(f"{what} {text!r}: not a date (YYYY-MM-DD)") from None


_UNPRINTED = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
"""Signs that move, colour or turn around what a terminal shows: what people wrote must not."""


def printed(text: str) -> str:
    """Return text as a terminal may be given it: no control signs but tabs and line ends."""
    return text.translate(_UNPRINTED)


def tell(line: str) -> None:
    """Say something beside the document: on stderr."""
    print(printed(line), file=sys.stderr)


def put(
    document: Mapping[str, object] | Sequence[object], lines: Callable[[], Sequence[str]], *, as_json: bool
) -> None:
    """Print the document as JSON, or its lines for people."""
    if as_json:
        print(json.dumps(document, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
        return
    for line in lines():
        print(printed(line))


def guarded(command: Callable[[], int]) -> int:
    """Run a command and turn what goes wrong into one line on stderr and an exit code; never a traceback."""
    try:
        code = command()
        sys.stdout.flush()  # here, where a full disk or a closed pipe can still be told
    except Misused as error:
        tell(f"why: {error}")
        return MISUSED
    except BackstoryError as error:
        tell(f"why: {error}")
        return FAILED
    except BrokenPipeError:
        _drop_stdout()
        return OK
    except KeyboardInterrupt:
        tell("why: stopped")
        return 130
    except OSError as error:
        _drop_unwritable_stdout()
        where = f"{error.filename}: " if error.filename else ""
        tell(f"why: {where}{error.strerror or 'the system refused'}")
        return FAILED
    except Exception as error:  # the outermost: whatever it is, a person gets a line and not a traceback
        tell(f"why: an unforeseen failure ({_where(error)}); nothing recorded is lost, `why verify` checks it")
        return FAILED
    return code


def _where(error: BaseException) -> str:
    """Return where an error arose, as file and line: its text may hold what people wrote."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else "nowhere"
    return f"{type(error).__name__} at {where}"


def leave(code: int) -> NoReturn:
    """End the process with an exit code."""
    raise SystemExit(code)


def _drop_unwritable_stdout() -> None:
    """Where it was our output that the system refused, its rest is not tried once more at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_stdout()


def _drop_stdout() -> None:
    """Whoever read our output has left: let the interpreter's last flush go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def argument_parser(prog: str, description: str | None = None) -> argparse.ArgumentParser:
    """Return a parser for a command that starts at once.

    It is told how wide the terminal is: finding out in argparse's own way, each time that an argument is added, takes
    longer than a look-up.
    """
    import argparse  # as above

    width = _columns() - 2

    def formatter(prog: str) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(prog, width=width)

    return argparse.ArgumentParser(prog=prog, description=description, allow_abbrev=False, formatter_class=formatter)


def _columns() -> int:
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named):
        return int(named)
    try:
        return os.get_terminal_size(1).columns or _USUAL_COLUMNS
    except OSError:  # no terminal
        return _USUAL_COLUMNS


_USUAL_COLUMNS = 80
MOST_NAMED = 8
"""Channels that an error names: the nearest, or the first."""


def existing(path: str) -> Path:
    """Return a path that is there; WrongInput where nothing is, Misused where the path is empty."""
    if not path:
        raise Misused("the path is empty")
    found = Path(path)
    if not found.exists():
        raise WrongInput(f"{path}: no such file or folder")
    return found


def settings_of() -> Settings:
    """Read this process's settings; SettingsError where one is wrong."""
    from bot.settings import Settings  # hooks read none of them

    try:
        here = Path.cwd()
    except FileNotFoundError as error:
        raise WrongInput("the folder that this runs in is gone: change to another one") from error
    return Settings.from_env(os.environ, cwd=here)


class Knowing(Protocol):
    """What knows channels and who is in them."""

    @property
    def members(self) -> Members:
        """Memberships, as the source last told them."""
        ...


def scope_named(memory: Knowing, channel: str) -> Scope:
    """Return a channel's own scope by id or name; one that nobody knows is closed."""
    if channel == "workspace":
        return WORKSPACE
    known = memory.members.find_channel(channel)
    return Scope(id=f"channel:{known[0] if known else channel.lstrip('#')}", open=bool(known and known[2]))


def audience_named(memory: Knowing, visible_to: str) -> Scope:
    """Return the scope that `--visible-to` names, for what doesn't say itself who may read it.

    Where channels are known, it is one of them: nobody could ever read what goes to a name that was misspelt. Where
    none is known yet, as before the bot first meets Slack, a channel is taken as it is written.

    Raises:
        WrongInput: no channel of that id or name is known, and others are.
    """
    if visible_to == "workspace" or memory.members.find_channel(visible_to):
        return scope_named(memory, visible_to)
    if known := memory.members.channels():
        import difflib  # only for who misspelt one

        names = [name for _, name in known]
        named = difflib.get_close_matches(visible_to.lstrip("#"), names, n=MOST_NAMED, cutoff=0.5) or names[:MOST_NAMED]
        listed = ", ".join(f"#{name}" for name in named) + (", …" if len(known) > len(named) else "")
        raise WrongInput(
            f"--visible-to {visible_to}: no channel of that id or name is known; there is {listed} (and workspace)."
            " A channel is known once the bot is in it, or an export of it was imported"
        )
    tell(f"--visible-to {visible_to}: no channel is known yet, so this is taken as it is: give the channel's id")
    return scope_named(memory, visible_to)


def reader_for(memory: Memory, name: str) -> Reader:
    """Return who reads, with people as the memory's membership has them."""
    return reader_named(name, lambda person: _member(memory, person))


def _member(memory: Memory, named: str) -> Reader | None:
    person = memory.members.find_person(named)
    return None if person is None else memory.members.reader_of(person)
