"""Git over https on loopback: git's own `http-backend` behind TLS and a password, with a certificate of its own.

    with GitServer(folder_of_repositories) as server:
        open_git(server.url("team.git"), cache)     # GIT_SSL_CAINFO names server.certificate

What it was asked, and with which authorisation, is kept in `requests`.
"""

from __future__ import annotations

import base64
import ipaddress
import os
import shutil
import ssl
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD = "lena", "s3cr3t-t0k3n"


class GitServer:
    """Serves the repositories in a folder; with `redirect` set, sends everybody there instead."""

    def __init__(self, folder: Path, *, redirect: str = "") -> None:
        self.folder = folder
        self.redirect = redirect
        self.requests: list[tuple[str, str]] = []
        self.certificate = folder / "certificate.pem"
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> GitServer:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, _make_certificate(self.certificate))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, name: str, *, login: str = f"{USER}:{PASSWORD}@") -> str:
        return f"https://{login}127.0.0.1:{self.port}/{name}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(b"")

            def do_POST(self) -> None:
                self._answer(self._body())

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

            def _body(self) -> bytes:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def _answer(self, body: bytes) -> None:
                given = self.headers.get("Authorization", "")
                server.requests.append((self.path, given))
                expected = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
                if server.redirect:
                    self.send_response(302)
                    self.send_header("Location", server.redirect + self.path)
                    self.end_headers()
                elif given != f"Basic {expected}":
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="git"')
                    self.end_headers()
                else:
                    self._run(body)

            def _run(self, body: bytes) -> None:
                path, _, query = self.path.partition("?")
                variables = {
                    "PATH": os.environ["PATH"],
                    "GIT_PROJECT_ROOT": str(server.folder),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                    "GIT_CONFIG_GLOBAL": os.devnull,
                    "REQUEST_METHOD": self.command,
                    "PATH_INFO": path,
                    "QUERY_STRING": query,
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                    "CONTENT_LENGTH": str(len(body)),
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                    "REMOTE_USER": USER,
                }
                program = [shutil.which("git") or "git", "http-backend"]
                done = subprocess.run(program, input=body, capture_output=True, env=variables, check=False)
                head, _, content = done.stdout.partition(b"\r\n\r\n")
                headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
                self.send_response(int(headers.pop("Status", "200").split(" ")[0]))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        return Handler


def _make_certificate(path: Path) -> Path:
    """Write a certificate for 127.0.0.1 that holds for an hour, and return where its key lies."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret = path.with_suffix(".key")
    plain = serialization.NoEncryption()
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return secret
