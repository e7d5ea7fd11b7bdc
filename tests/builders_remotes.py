"""Builders for tests of remotes: places that several machines reach, each opened as a machine would."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

CLEAN_GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def object_name(writer: str = "w1", first: int = 1, last: int = 5, generation: int = 1, stream: str = "1") -> str:
    return f"{writer}/{stream:0>32}/{first}-{last}.g{generation}"


def git(folder: Path, *words: str, stdin: bytes = b"") -> str:
    """Run git in a folder as a person would, and return what it said, without the space at the ends."""
    return git_bytes(folder, *words, stdin=stdin).decode().strip()


def git_bytes(folder: Path, *words: str, stdin: bytes = b"") -> bytes:
    """Run git in a folder, without the configuration of whoever runs the tests."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {f"GIT_{role}_{part}": "ana@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", "-C", str(folder), *words],
        input=stdin,
        capture_output=True,
        env=inherited | CLEAN_GIT | who,
        timeout=60,
        check=True,
    )
    return done.stdout


def bare_repository(path: Path) -> Path:
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--bare", "--template=")
    return path


@contextmanager
def s3_server() -> Iterator[Mapping[str, str]]:
    """Run moto's S3 on loopback with an empty bucket `decisions`; yields the variables that boto3 finds it by."""
    import boto3
    from moto.moto_server.threaded_moto_server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        variables = aws_variables(f"http://{host}:{port}")
        client = boto3.client(
            "s3",
            endpoint_url=variables["AWS_ENDPOINT_URL"],
            region_name=variables["AWS_DEFAULT_REGION"],
            aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
        )
        client.create_bucket(Bucket="decisions")
        client.close()
        yield variables
    finally:
        server.stop()


def aws_variables(endpoint: str) -> dict[str, str]:
    """Return what names an endpoint and who logs in there, and keeps boto3 from looking anywhere else."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "loopback",
        "AWS_SECRET_ACCESS_KEY": "loopback-secret",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
