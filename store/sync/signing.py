"""Signatures of a stream's tip: who wrote everything up to here, Ed25519.

One signature a segment vouches for all events up to its last, since each names the one before it
and binds its parts by digests; so erasing a text leaves it valid. The private key lies in the
memory's folder, readable by its owner alone. `cryptography` is loaded when something is signed or
checked, and not before.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from store.core.ids import canonical
from store.errors import StoreError
from store.sync.segment import Signed

KEY_FILE = "sync.key"
_SEED_BYTES = 32


class Signer:
    """Signs with this database's key."""

    def __init__(self, seed: bytes) -> None:
        """Use `open` or `made`."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.key = self._private.public_key().public_bytes_raw().hex()

    @classmethod
    def open(cls, home: Path) -> Signer | None:
        """Return the signer of a memory's folder; None where nothing was ever signed.

        Raises:
            StoreError: the key's file can't be read or holds something else.
        """
        path = home / KEY_FILE
        try:
            text = path.read_text(encoding="ascii")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(
                f"{path}: can't be read ({error}); restore it, or remove it and sign with a new key"
            ) from error
        try:
            seed = bytes.fromhex(text.strip())
        except ValueError:
            seed = b""
        if len(seed) != _SEED_BYTES:
            raise StoreError(f"{path}: no key of ours; restore it, or remove it and sign with a new key")
        return cls(seed)

    @classmethod
    def made(cls, home: Path) -> Signer:
        """Return the signer of a memory's folder, making its key if there is none; one process at a time."""
        path = home / KEY_FILE
        beside = path.with_name(f".{KEY_FILE}.{os.getpid()}")
        with suppress(FileNotFoundError):
            beside.unlink()
        if not path.exists():
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
                file.write(os.urandom(_SEED_BYTES).hex() + "\n")
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        signer = cls.open(home)
        if signer is None:
            raise StoreError(f"{path}: removed while it was made; try again")
        return signer

    def sign(self, stream: str, seq: int, tip: str) -> Signed:
        """Return the signature of a stream's event as the last so far."""
        return Signed(key=self.key, signature=self._private.sign(_statement(stream, seq, tip)).hex())


def is_signed(key: str, signature: str, *, stream: str, seq: int, tip: str) -> bool:
    """Whether this key signed this tip."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(
            bytes.fromhex(signature), _statement(stream, seq, tip)
        )
    except (InvalidSignature, ValueError):
        return False
    return True


def _statement(stream: str, seq: int, tip: str) -> bytes:
    """Return what is signed; it can't be taken for anything else that is ever signed with the key."""
    return canonical({"backstory": "tip of a stream", "id": tip, "seq": seq, "stream": stream}).encode()
