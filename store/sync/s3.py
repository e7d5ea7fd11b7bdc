"""A bucket as a remote: `s3://bucket/prefix` at Amazon's or any endpoint that speaks S3.

Who logs in, where the endpoint is and in which region is boto3's own to find: its environment
variables (`AWS_ENDPOINT_URL` among them), its files, its roles. boto3 is an extra; nothing else in
the product imports it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from store import failpoints
from store.errors import NoRemote, RemoteRefused, RemoteUnreachable, StoreError
from store.sync.names import read_name
from store.sync.remote import MOST_BYTES, Listed, Listing, Put, gathered, shown_name

AT_ONCE = 6
"""Objects under way at the same time: of about 5 MB each, so that a slow answer holds nobody up."""

MOST_KEYS = 1_000_000
"""Keys that a prefix may hold: a listing of them takes 1,000 requests; whoever has more gives us a prefix."""

ATTEMPTS = 5
"""Tries of one request: boto3's own count and waiting, for what servers call temporary."""

CONNECT_S, READ_S = 15, 60
"""Seconds until a connection, and an answer's next byte, count as lost."""

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]")
_TEMPORARY = {"InternalError", "OperationAborted", "RequestTimeout", "ServiceUnavailable", "SlowDown", "Throttling"}
_UNCONDITIONAL = {"NotImplemented", "InvalidArgument", "InvalidRequest"}
"""What an endpoint says that knows no conditional writes."""

_VANISHED = {"NoSuchKey", "404"}
_Made = TypeVar("_Made")


def open_s3(text: str, cache: Path) -> S3Remote:
    """Return the bucket that somebody named, below the prefix if one is given; `cache` isn't needed.

    Raises:
        NoRemote: it is no such address.
        RemoteRefused: the extra isn't installed, or boto3's settings are wrong.
    """
    del cache
    bucket, prefix = _place(text)
    try:
        import boto3
        import botocore.session
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
    except ImportError as error:
        raise RemoteRefused(f"{text}: S3 needs boto3: pip install 'backstory-slack[s3]'") from error
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    where = f"s3://{bucket}/{prefix}".rstrip("/") + (f" at {urlsplit(endpoint).netloc}" if endpoint else "")
    try:
        core = botocore.session.get_session()
        configured = core.get_scoped_config().get("s3")
        style = {"addressing_style": "path"} if endpoint and not configured else None
        config = Config(
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            connect_timeout=CONNECT_S,
            read_timeout=READ_S,
            max_pool_connections=AT_ONCE,
            s3=style,  # few servers but Amazon's answer to a bucket as part of the host's name
            request_checksum_calculation="when_required",  # others' servers don't know the newer checksums
            response_checksum_validation="when_required",
        )
        client = boto3.Session(botocore_session=core).client("s3", config=config)
    except (BotoCoreError, ValueError) as error:
        raise RemoteRefused(f"{where}: {error}") from error
    return S3Remote(where, client, bucket, f"{prefix}/" if prefix else "")


def _place(text: str) -> tuple[str, str]:
    bucket, _, prefix = text.removeprefix("s3://").partition("/")
    prefix = prefix.rstrip("/")
    steps = prefix.split("/") if prefix else []
    if not _BUCKET.fullmatch(bucket) or any(step in ("", ".", "..") or not step.isprintable() for step in steps):
        raise NoRemote(f"{shown_name(text)}: not s3://BUCKET or s3://BUCKET/PREFIX")
    return bucket, prefix


class S3Remote:
    """Objects as keys below one prefix, which ends in a slash: `team` never sees `team2`."""

    def __init__(self, where: str, client: Any, bucket: str, prefix: str) -> None:
        """Use `open_s3` instead."""
        self._where = where
        self._client = client
        self._bucket = bucket
        self._prefix = prefix
        self._marks: dict[str, str] = {}
        self._conditional = True
        self._listed = False
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="s3")

    @property
    def where(self) -> str:
        """The address, and the endpoint if it isn't Amazon's."""
        return self._where

    def mark(self) -> str:
        """Return "": only a listing says whether anything changed."""
        return ""

    def listing(self) -> Listing:
        """Return every key below the prefix, page by page."""
        found = gathered(self._keys(), lambda name: read_name(name) is not None)
        self._marks = {name: each.mark for name, each in found.objects.items()}
        self._listed = True
        return found

    def read(self, names: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield each object's bytes, in the order asked for, some fetched ahead."""
        return self._ahead(self._got, ((name,) for name in names))

    def local(self, name: str) -> Path | None:
        """Return None: nothing lies on this machine."""
        return None

    def publish(self, put: Iterable[Put], gone: Collection[str]) -> str:
        """Put all, then delete; what somebody else wrote under our name since the listing is not overwritten."""
        for _ in self._ahead(self._put, put):
            failpoints.hit("sync.put.after")
        failpoints.hit("sync.gone.before")
        for _ in self._ahead(self._delete, ((name,) for name in gone)):
            pass
        return ""

    def drop_history(self) -> bool:
        """Delete earlier versions and what marks deletions, where the bucket keeps them; False if there are none."""
        count = 0
        for earlier in (True, False):  # first what the marks hide, which would be there again without them
            for _ in self._ahead(self._delete_version, list(self._versions(earlier=earlier))):
                count += 1
        return count > 0

    def sweep(self, owner: str) -> None:
        """Nothing is left: an object is put in one request."""

    def close(self) -> None:
        """Close the connections."""
        self._pool.shutdown(cancel_futures=True)
        self._client.close()

    # --- requests -----------------------------------------------------------------------------

    def _keys(self) -> Iterator[tuple[str, Listed]]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix)
        with _Translated(self._where):
            count = 0
            for page in pages:
                for each in page.get("Contents", ()):
                    count += 1
                    if count > MOST_KEYS:
                        raise RemoteRefused(f"{self._where}: more than {MOST_KEYS:,} keys; use a prefix of its own")
                    yield each["Key"][len(self._prefix) :], Listed(size=int(each["Size"]), mark=each["ETag"].strip('"'))

    def _got(self, name: str) -> tuple[str, bytes | None]:
        """Fetch one object, once more if the line broke in the middle: boto3 only repeats what never began."""
        try:
            with _Translated(self._where):
                return name, self._fetched(name)
        except RemoteUnreachable:
            with _Translated(self._where):
                return name, self._fetched(name)

    def _fetched(self, name: str) -> bytes | None:
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=self._key(name))
        except self._client.exceptions.ClientError as error:
            if _code(error) in _VANISHED:
                return None
            raise
        with answer["Body"] as body:
            return bytes(body.read()) if int(answer["ContentLength"]) <= MOST_BYTES else None

    def _put(self, name: str, data: bytes) -> None:
        answer: Mapping[str, Any] = {}
        checksum = base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()
        given = {"Bucket": self._bucket, "Key": self._key(name), "Body": data, "ContentMD5": checksum}
        condition = self._condition(name)
        with _Translated(self._where):
            try:
                answer = self._client.put_object(**given, **condition)
            except self._client.exceptions.ClientError as error:
                if _code(error) in ("PreconditionFailed", "ConditionalRequestConflict", "412", "409"):
                    if self._fetched(name) != data:  # the same bytes: an earlier try of ours came through
                        raise RemoteUnreachable(
                            f"{self._where}: {name} was written by somebody else meanwhile; sync again"
                        ) from error
                elif condition and _code(error) in _UNCONDITIONAL:
                    self._conditional = False
                    answer = self._client.put_object(**given)
                else:
                    raise
        self._marks[name] = str(answer.get("ETag", "")).strip('"') or self._marks.get(name, "")

    def _condition(self, name: str) -> dict[str, str]:
        """Return the condition that what we saw under this name, or nothing, is still there."""
        if not self._conditional or not self._listed:
            return {}
        return {"IfMatch": self._marks[name]} if self._marks.get(name) else {"IfNoneMatch": "*"}

    def _delete(self, name: str) -> None:
        with _Translated(self._where):
            self._client.delete_object(Bucket=self._bucket, Key=self._key(name))

    def _versions(self, *, earlier: bool) -> Iterator[tuple[str, str]]:
        """Yield name and version of each earlier version of ours, or of each mark of a deletion."""
        pages = self._client.get_paginator("list_object_versions").paginate(Bucket=self._bucket, Prefix=self._prefix)
        with _Translated(self._where):
            for page in pages:
                for each in page.get("Versions" if earlier else "DeleteMarkers", ()):
                    name = each["Key"][len(self._prefix) :]
                    if read_name(name) is not None and not (earlier and each["IsLatest"]):
                        yield name, each["VersionId"]

    def _delete_version(self, name: str, version: str) -> None:
        with _Translated(self._where):
            self._client.delete_object(Bucket=self._bucket, Key=self._key(name), VersionId=version)

    def _key(self, name: str) -> str:
        if read_name(name) is None:
            raise ValueError(f"{name!r}: not an object's name")
        return f"{self._prefix}{name}"

    def _ahead(self, call: Callable[..., _Made], arguments: Iterable[tuple[Any, ...]]) -> Iterator[_Made]:
        """Yield what each call returns, in order, `AT_ONCE` of them under way; the first failure ends it."""
        waiting: deque[Future[_Made]] = deque()
        try:
            for each in arguments:
                waiting.append(self._pool.submit(call, *each))
                if len(waiting) >= AT_ONCE:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                if not future.cancel():
                    with suppress(Exception):  # the first failure is the one that is told
                        future.result()


class _Translated:
    """Tells boto3's errors in our words."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise what boto3 raised as one of the two errors that a remote may raise."""
        if error is None or isinstance(error, StoreError) or not type(error).__module__.startswith(_THEIRS):
            return
        code = _code(error)
        said = shown_name(" ".join(str(error).split()))
        names = {each.__name__ for each in type(error).__mro__}
        if names & _LOGIN:
            message = f"{self._where}: nobody to log in as ({said}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            raise RemoteRefused(message) from error
        temporary = code in _TEMPORARY or code.startswith("5") or names & _LINE
        raise (RemoteUnreachable if temporary else RemoteRefused)(f"{self._where}: {said}") from error


_THEIRS = ("botocore.", "boto3.", "urllib3.")
_LOGIN = {"NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "TokenRetrievalError"}
_LINE = {"HTTPClientError", "ConnectionError", "IncompleteReadError", "HTTPError", "ChecksumError"}
"""boto3's own kinds of a broken or slow line, by the names of their classes: it is imported only when needed."""


def _code(error: BaseException) -> str:
    """Return what the server called the error; "" if it never answered."""
    answer = getattr(error, "response", None)
    if not isinstance(answer, Mapping):
        return ""
    code = str(answer.get("Error", {}).get("Code", ""))
    status = str(answer.get("ResponseMetadata", {}).get("HTTPStatusCode", ""))
    return code or status
