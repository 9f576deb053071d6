"""Fetching a file from the web, within limits."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from pathlib import PurePosixPath
from types import TracebackType
from typing import Any, Self

from ensembles.data.names import clean_text
from ensembles.data.unpacking import MOST_BYTES, unpack_gzip
from ensembles.data.web_addresses import check_name, connect
from ensembles.errors import InvalidData

__all__ = ["fetch_file", "is_url"]

_SILENCE = 30  # seconds without a byte
_DEADLINE = 900  # seconds in all
_REDIRECTS = 5
_BLOCK = 1 << 16
_LONGEST_SHOWN = 300


def is_url(source: str) -> bool:
    """Say whether `source` is an address and not a path."""
    return "://" in source


def fetch_file(url: str, max_bytes: int = MOST_BYTES) -> tuple[bytes, str]:
    """Return the content behind a web address, and the name of the file.

    At most five redirects are followed, none of them to anything but http and https, and all only to hosts that may be
    asked (`ensembles.data.web_addresses`). Where a proxy stands between, it finds out what a name leads to.

    Raises
    ------
    InvalidData
        Another kind of address, one of a host that may not be asked, no answer, an answer that is no file, one that breaks
        off, or one that is too large.
    """
    place = _checked(url)
    clock = _Clock(_DEADLINE, place)
    try:
        request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip", "User-Agent": "ensemble-lab"})
        with clock, _opener(clock).open(request, timeout=_SILENCE) as answer:
            content = _read(answer, place, max_bytes)
            if answer.headers.get("Content-Encoding", "").lower() == "gzip":
                content = unpack_gzip(content, place, max_bytes)
    except InvalidData:
        clock.check()
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        clock.check()
        raise InvalidData(f"{place}: cannot be fetched ({_reason(error)})") from error
    clock.check()
    parts = urllib.parse.urlsplit(url)
    return content, urllib.parse.unquote(PurePosixPath(parts.path).name) or str(parts.hostname)


def _checked(url: str) -> str:
    """Return what messages call an address that may be asked, as far as its text tells."""
    try:
        parts = urllib.parse.urlsplit(url)
        host = parts.hostname if parts.scheme in ("http", "https") else None
        parts.port  # noqa: B018  # raises an error when it is none
    except ValueError:
        host = None
    if not host:
        raise InvalidData(f"{_shown(url.rpartition('@')[2])}: must be an address that starts with http:// or https://")
    place = _shown(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")  # a password is nobody's business
    if "@" in parts.netloc:
        raise InvalidData(f"{place}: must be an address without a user and a password")
    check_name(place, host)
    return place


def _shown(address: str) -> str:
    """Return an address as messages repeat it: on one line, and not all of an endless one."""
    return clean_text(" ".join(address.split()))[:_LONGEST_SHOWN]


class _Clock:
    """Hangs up when the time for all of it is over, whatever the other side keeps us waiting for."""

    def __init__(self, seconds: float, place: str) -> None:
        self.place, self._is_over = place, False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._ring)
        self._timer.daemon = True

    def watch(self, connected: socket.socket) -> None:
        """Hang up this connection when the time is over."""
        self._socket = connected
        if self._is_over:
            self._ring()

    def check(self) -> None:
        """Raise `InvalidData` when the time is over."""
        if self._is_over:
            raise InvalidData(f"{self.place}: the file did not arrive within {_DEADLINE} seconds")

    def _ring(self) -> None:
        self._is_over = True
        with suppress(OSError):
            if self._socket is not None:
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # that of TLS would take leave, and wait

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()


class _Connection(http.client.HTTPConnection):
    """A connection to a number that was looked at, or to a proxy."""

    def __init__(self, host: str, *, clock: _Clock, timeout: float, is_proxy: bool) -> None:
        super().__init__(host, timeout=timeout)
        self.clock, self.is_proxy = clock, is_proxy

    def connect(self) -> None:
        if self.is_proxy:
            super().connect()
        else:
            self.sock = connect(self.clock.place, self.host, self.port, self.timeout)
        self.clock.watch(self.sock)


class _SecureConnection(http.client.HTTPSConnection):
    """The same with TLS, or through the tunnel of a proxy."""

    def __init__(self, host: str, *, clock: _Clock, timeout: float) -> None:
        self.tls = ssl.create_default_context()
        super().__init__(host, timeout=timeout, context=self.tls)
        self.clock, self.is_tunnel = clock, False

    def set_tunnel(self, *arguments: Any, **named: Any) -> None:
        self.is_tunnel = True
        super().set_tunnel(*arguments, **named)

    def connect(self) -> None:
        if self.is_tunnel:
            super().connect()
            self.clock.watch(self.sock)
            return
        plain = connect(self.clock.place, self.host, self.port, self.timeout)
        try:
            secure = self.tls.wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
        except ValueError:  # a name that no certificate can have
            plain.close()
            raise
        self.sock = secure
        self.clock.watch(secure)
        secure.do_handshake()


class _Plain(urllib.request.HTTPHandler):
    def __init__(self, clock: _Clock) -> None:
        super().__init__()
        self.clock = clock

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, request, clock=self.clock, is_proxy=request.has_proxy())  # type: ignore[arg-type]


class _Secure(urllib.request.HTTPSHandler):
    def __init__(self, clock: _Clock) -> None:
        super().__init__()
        self.clock = clock

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, request, clock=self.clock)  # type: ignore[arg-type]


class _Redirects(urllib.request.HTTPRedirectHandler):
    max_redirections = _REDIRECTS

    def __init__(self, place: str) -> None:
        self.place = place

    def redirect_request(
        self, request: urllib.request.Request, answer: Any, *arguments: Any
    ) -> urllib.request.Request | None:
        request_there = super().redirect_request(request, answer, *arguments)
        try:
            if request_there is not None:
                _checked(request_there.full_url)
        except InvalidData as error:
            answer.close()
            raise InvalidData(f"{self.place}: cannot be fetched (it leads to {error})") from error
        return request_there


def _opener(clock: _Clock) -> urllib.request.OpenerDirector:
    """Return an opener that knows http and https only, also behind redirects."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        _Plain(clock),
        _Secure(clock),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(clock.place),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _read(answer: Any, place: str, max_bytes: int) -> bytes:
    blocks: list[bytes] = []
    size = 0
    announced = answer.headers.get("Content-Length", "")
    while block := answer.read1(_BLOCK):
        size += len(block)
        blocks.append(block)
        if size > max_bytes:
            raise InvalidData(f"{place}: the file has more than the {max_bytes:,} bytes that are allowed")
    if announced.isdigit() and size < int(announced):
        raise InvalidData(f"{place}: the file broke off after {size:,} of {int(announced):,} bytes")
    return b"".join(blocks)


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    reason = getattr(reason, "strerror", None) or reason
    code = getattr(error, "code", None)
    text = _shown(str(reason)) or type(error).__name__
    return f"the server answers {code}, {text}" if code else text
