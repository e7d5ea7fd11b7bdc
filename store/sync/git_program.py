"""Running the program `git` so that nothing but what is asked of it happens.

No shell, no prompt, no hook, no configuration of the user's or the machine's but how to log in and
through which proxy; one protocol, no redirect to another place. Credentials never stand in an
argument, a log or an error.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from store.errors import NoRemote, RemoteRefused, RemoteUnreachable
from store.sync.remote import shown_name

LOCAL_S = 300.0
"""Seconds for what git does on this machine alone: a million decisions take it some seconds."""

TRANSFER_S = 1800.0
"""Seconds for one fetch or push: a million decisions (240 MB) over 1 Mbit/s; a stalled one ends after `STALL_S`."""

STALL_S = 60
"""Seconds without a byte, or without an answer, after which a connection counts as lost."""

CONNECT_S = 20
"""Seconds to connect over ssh."""

_AS_THEY_ARE = {"core.bigFileThreshold": "4k", "core.compression": "0", "pack.compression": "0"}
"""Our objects are compressed already, and unlike each other: git needn't compress nor compare them."""

_KEPT_VARIABLES = ("GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSH_VARIANT", "GIT_EXEC_PATH")
"""What of the caller's git variables still holds: how to log in and whom to trust, nothing about places."""

_KEPT_SETTINGS = r"^(credential\..*|http\.(.*\.)?(proxy|sslcainfo|sslcapath|sslcert|sslkey)|safe\.directory)$"
"""What of the user's own git configuration still holds: the same, by its names there."""

_TOKEN_LENGTH = 12
"""Characters from which on a user's name may be a token, which some servers take in its place."""

_HOST = r"(?:[A-Za-z0-9_][A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])"
_USER = r"[A-Za-z0-9_][A-Za-z0-9._+-]*"
_SCP = re.compile(rf"(?:{_USER}@)?{_HOST}:(?!//)[^-].*")
_SSH = re.compile(rf"ssh://(?:{_USER}@)?{_HOST}(?::[0-9]{{1,5}})?/.+")
_HTTPS = re.compile(rf"https://(?:[^@/]*@)?(?P<place>{_HOST}(?::[0-9]{{1,5}})?)/.+")

_PERMANENT = (
    "authentication failed",
    "could not read username",
    "could not read password",
    "permission denied",
    "permission to ",
    "access denied",
    "host key verification failed",
    "repository not found",
    "does not appear to be a git repository",
    "not a git repository",
    "returned error: 40",
    "dubious ownership",
    "unable to update url base from redirection",
    "protected branch",
    "hook declined",
    "deny updating",
    "denying non-fast-forward",
    "refusing to",
    "mismatched algorithms",
    "certificate",
)
"""What git or a server says, in lower case, when trying again can't help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a repository is, told apart from who logs in there."""

    url: str
    """What git is given: without a password; for a repository on this machine its absolute path."""

    where: str
    """What people are shown, without anybody's name or password for https."""

    protocol: str
    """`https`, `ssh` or `file`."""

    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Configuration that carries the credentials, handed to git in its environment."""

    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts that must never be shown."""


def address_of(text: str) -> Address:
    """Return the repository that somebody named: https, ssh, `user@host:path`, or a path on this machine.

    Raises:
        NoRemote: it is none of these.
    """
    named = text.removeprefix("git+")
    if not named or named.startswith("-") or any(sign.isspace() or not sign.isprintable() for sign in named):
        raise NoRemote(f"{shown_name(_unsigned(named))!r}: not the address of a git repository")
    if "://" not in named and (Path(named).expanduser().exists() or not _SCP.fullmatch(named)):
        return _local(named)
    if named.startswith("file://"):
        return _local(unquote(urlsplit(named).path))
    if _HTTPS.fullmatch(named):
        return _https(named)
    if _SSH.fullmatch(named) or ("://" not in named and _SCP.fullmatch(named)):
        return Address(url=named, where=named, protocol="ssh")
    raise NoRemote(
        f"{shown_name(_unsigned(named))}: only https://, ssh://, user@host:path and paths on this machine are fetched"
    )


def _unsigned(url: str) -> str:
    """Return an address without what may be a password in it."""
    return re.sub(r"//\S*@", "//", url)


def _local(path: str) -> Address:
    found = str(Path(path).expanduser().absolute())
    return Address(url=found, where=found, protocol="file")


def _https(url: str) -> Address:
    parts = urlsplit(url)
    if parts.query or parts.fragment:
        shown = _unsigned(url.partition("#")[0].partition("?")[0])
        raise NoRemote(f"{shown}: an address with ? or # after it is no git repository's")
    place = parts.netloc.rpartition("@")[2]
    clean = f"https://{place}{parts.path}"
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    settings: dict[str, str] = {}
    if password:
        login = base64.b64encode(f"{user}:{password}".encode()).decode()
        settings[f"http.https://{place}/.extraHeader"] = f"Authorization: Basic {login}"
        return Address(
            url=clean,
            where=clean,
            protocol="https",
            settings=settings,
            secrets=(login, password, parts.password or "", *([user] if len(user) >= _TOKEN_LENGTH else [])),
        )
    if user:
        settings[f"credential.https://{place}.username"] = user
    secrets = (user,) if len(user) >= _TOKEN_LENGTH else ()
    return Address(url=clean, where=clean, protocol="https", settings=settings, secrets=secrets)


class Git:
    """The program, bound to one bare repository of our own and to one remote, which it knows as `origin`."""

    def __init__(self, folder: Path, address: Address) -> None:
        """Find the program; nothing is run yet.

        Raises:
            RemoteRefused: it isn't installed.
        """
        found = shutil.which("git")
        if found is None:
            raise RemoteRefused(f"{address.where}: the program git isn't installed, or not on PATH")
        self.folder = folder
        self._program = found
        self._address = address
        self._variables = self._environment()

    def run(
        self,
        *words: str,
        stdin: IO[bytes] | bytes | None = None,
        timeout_s: float = LOCAL_S,
        settings: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run one command of git in our repository and return its output.

        Raises:
            RemoteUnreachable: it failed, or took longer than `timeout_s`.
            RemoteRefused: it failed and would again.
        """
        process = self._start(*words, stdin=subprocess.PIPE if isinstance(stdin, bytes) else stdin, settings=settings)
        try:
            out, err = process.communicate(stdin if isinstance(stdin, bytes) else None, timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            stop(process)
            raise RemoteUnreachable(
                f"{self._address.where}: git {words[0]} took longer than {timeout_s:.0f} s"
            ) from error
        except BaseException:
            stop(process)
            raise
        if process.returncode != 0:
            raise self.failure(words[0], err, out)
        return bytes(out)

    @contextmanager
    def streaming(self, *words: str, stdin: IO[bytes] | int | None = None) -> Iterator[subprocess.Popen[bytes]]:
        """Lend one running command of git; what it was given is ended, and its exit waited for, at the end.

        Raises:
            RemoteUnreachable: it failed.
            RemoteRefused: it failed and would again.
        """
        with tempfile.TemporaryFile() as err:
            process = self._start(*words, stdin=stdin, stderr=err)
            try:
                yield process
                if process.stdin is not None:
                    process.stdin.close()
                process.wait(LOCAL_S)
            except BrokenPipeError:
                process.wait(LOCAL_S)
            except subprocess.TimeoutExpired as error:
                raise RemoteUnreachable(f"{self._address.where}: git {words[0]} never ended") from error
            finally:
                stop(process)
            if process.returncode != 0:
                err.seek(0)
                raise self.failure(words[0], err.read())

    def _start(
        self,
        *words: str,
        stdin: IO[bytes] | int | None = None,
        stderr: IO[bytes] | int = subprocess.PIPE,
        settings: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        given = [part for name, value in (settings or {}).items() for part in ("-c", f"{name}={value}")]
        options: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}
        return subprocess.Popen(  # noqa: S603  # no shell; what stands in it is ours, the address is in the settings
            [self._program, f"--git-dir={self.folder}", *given, *words],
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=self._variables,
            cwd=self.folder if self.folder.exists() else None,
            **options,
        )

    def failure(self, command: str, err: bytes, out: bytes = b"") -> RemoteUnreachable | RemoteRefused:
        """Return the error for what git said before it failed, without anybody's credentials in it."""
        text = (err + b"\n" + out).decode("utf-8", "replace")
        said = [line.strip() for line in text.splitlines() if _TELLING.match(line)][:3] or text.split("\n")[:1]
        words = shown_name(self._without_secrets("; ".join(said)))
        kind = RemoteRefused if any(each in text.lower() for each in _PERMANENT) else RemoteUnreachable
        return kind(f"{self._address.where}: git {command}: {words or 'failed and said nothing'}")

    def _without_secrets(self, text: str) -> str:
        for secret in sorted(filter(None, self._address.secrets), key=len, reverse=True):
            text = text.replace(secret, "…")
        return _unsigned(text)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        kept |= {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        ssh = os.environ.get("GIT_SSH_COMMAND", "ssh")
        options = f"-o BatchMode=yes -o ConnectTimeout={CONNECT_S} -o ServerAliveInterval={STALL_S // 3}"
        variables = kept | {
            "GIT_ALLOW_PROTOCOL": self._address.protocol,
            "GIT_ASKPASS": os.environ.get("GIT_ASKPASS", ""),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_SSH_COMMAND": f"{ssh} {options}",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
            "LANGUAGE": "C",
        }
        theirs = [] if self._address.protocol == "ssh" else list(self._of_the_user(kept))
        trusted = [f"{name}={value}" for name, value in theirs if name == "safe.directory"]
        return variables | _in_environment([*theirs, *self._of_ours(), *self._other_side(trusted)])

    def _of_ours(self) -> Iterable[tuple[str, str]]:
        yield from self._address.settings.items()
        yield "remote.origin.url", self._address.url
        yield "core.hooksPath", os.devnull
        yield from _AS_THEY_ARE.items()
        yield "http.followRedirects", "false"
        yield "http.lowSpeedLimit", "1"
        yield "http.lowSpeedTime", str(STALL_S)

    def _other_side(self, trusted: Iterable[str]) -> Iterable[tuple[str, str]]:
        """Yield how the other side is run where it is run here: with no hook, whatever its configuration says."""
        if self._address.protocol == "file":
            plain = (f"{name}={value}" for name, value in _AS_THEY_ARE.items())
            settings = ("core.hooksPath=/dev/null", "core.alternateRefsCommand=:", *plain, *trusted)
            quiet = " ".join(f"-c {shlex.quote(each)}" for each in settings)
            yield "remote.origin.uploadpack", f"git {quiet} upload-pack"
            yield "remote.origin.receivepack", f"git {quiet} receive-pack"

    def _of_the_user(self, variables: Mapping[str, str]) -> Iterable[tuple[str, str]]:
        """Yield the user's and the machine's settings that say how to log in, through which proxy, whom to trust."""
        done = subprocess.run(  # noqa: S603  # no shell, constant words
            [self._program, "config", "--includes", "--null", "--get-regexp", _KEPT_SETTINGS],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**variables, "GIT_DIR": os.devnull},
            timeout=LOCAL_S,
            check=False,
        )
        for entry in done.stdout.decode("utf-8", "replace").split("\0"):
            name, _, value = entry.partition("\n")
            if name:
                yield name, value


_TELLING = re.compile(r"\s*(fatal|error|remote|ssh|ERROR)\b|!\t|.*(denied|refused|verification failed|resolve)")


def _in_environment(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return variables that give git these settings, which no other process of this machine can list."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings):
        variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a git that was started here, and what it started itself."""
    with suppress(OSError):
        if process.poll() is not None:
            pass
        elif os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()
