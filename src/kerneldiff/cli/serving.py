"""A server for one file and one reader: the page of one origin, on this machine."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from kerneldiff.errors import KerneldiffError


class Server:
    """Serves one file to the pages of one origin until it was fetched once."""

    def __init__(self, path: Path, address: tuple[str, int], origin: str) -> None:
        """Listen on an address.

        Raises:
            KerneldiffError: when the port is taken.
        """
        self.path = path
        self.origin = origin
        self.place = f"/{quote(path.name, safe='')}"
        self.fetched = False
        try:
            self._server = HTTPServer(address, _handler(self))
        except OSError as error:
            msg = f"port {address[1]} of {address[0]} cannot be used ({error.strerror or error}); end what listens there (another kerneldiff open, trace_processor) and try again"
            raise KerneldiffError(msg) from error
        self.hosts = {f"{name}:{self._server.server_port}" for name in (address[0], "localhost")}

    @property
    def url(self) -> str:
        """Where the file is."""
        return f"http://{self._server.server_address[0]!s}:{self._server.server_port}{self.place}"

    def serve_once(self, timeout_s: float) -> bool:
        """Answer requests until the file was fetched, True, or the time is over, False."""
        end = time.monotonic() + timeout_s
        while not self.fetched and (left := end - time.monotonic()) > 0:
            self._server.timeout = min(left, 1.0)
            self._server.handle_request()
        return self.fetched

    def __enter__(self) -> Self:
        """Give the server."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening."""
        self._server.server_close()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # a client that sends nothing must not hold the one thread

        def do_GET(self) -> None:
            if not self._allowed():
                return
            with server.path.open("rb") as file, suppress(ConnectionError):  # a page that is closed asks again or not
                self.send_response(200)
                self._cors()
                self.send_header("Content-Type", "application/octet-stream")
                self.send_header("Content-Length", str(server.path.stat().st_size))
                self.end_headers()
                shutil.copyfileobj(file, self.wfile)
                server.fetched = True

        def do_OPTIONS(self) -> None:
            # Browsers ask first whether a public page may read from this machine.
            if self._allowed():
                self.send_response(204)
                self._cors()
                self.send_header("Access-Control-Allow-Methods", "GET")
                self.send_header("Access-Control-Allow-Private-Network", "true")
                self.end_headers()

        def _allowed(self) -> bool:
            """Refuse other paths, other origins, and names that were made to point at this machine."""
            if self.path != server.place:
                self.send_error(404)
            elif self.headers.get("Host") not in server.hosts or self.headers.get("Origin") != server.origin:
                self.send_error(403)
            else:
                return True
            return False

        def _cors(self) -> None:
            self.send_header("Access-Control-Allow-Origin", server.origin)
            self.send_header("Cache-Control", "no-store")
            self.send_header("Vary", "Origin")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is that of the base class
            """Say nothing: stderr is for what went wrong."""

    return Handler
