"""By which names the server may be asked, and from which pages."""

import ipaddress
import os
import re
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ensembles.errors import InvalidInput

__all__ = ["AllowedHosts"]

_NAME = re.compile(r"(\*\.)?[^\s:/@*?#]*")


class AllowedHosts:
    """Answers only who asks for this server by a name of its own, and from a page of its own.

    A page elsewhere may make its own name point here (DNS rebinding), or open a websocket to here. Numbers are always
    names of this server, as nobody can point them elsewhere. Where a proxy asks in another name than the browser, that one
    must be among `hosts`.

    Parameters
    ----------
    hosts : collection of str, optional
        Names beyond localhost and the machine's own: `lab.example.org`, `*.example.org`, or `*` for any. Else those of
        `ENSEMBLE_LAB_HOSTS`, separated by commas.

    Raises
    ------
    InvalidInput
        One of them is no name, but an address with `https://`, a port or a path, say.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None) -> None:
        self.app = app
        given = os.environ.get("ENSEMBLE_LAB_HOSTS", "").split(",") if hosts is None else hosts
        self._given = {_checked(name.strip()) for name in given} - {""}
        settings = (st.get_option("server.address"), st.get_option("browser.serverAddress"))
        own = socket.gethostname().lower()
        self._own = {"localhost", own, f"{own.partition('.')[0]}.local", *(name.lower() for name in settings if name)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(Headers(scope=scope)) if scope["type"] in {"http", "websocket"} else None
        await (refusal or self.app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        name, _ = _name_and_port(host)
        if not name or not (_is_number(name) or _is_among(name, self._given | self._own)):
            what = f"Host must be a name of this server, got {host[:100]!r}"
            return PlainTextResponse(f"{what}; ENSEMBLE_LAB_HOSTS lists more names\n", 400)
        if origin is None or self._is_own_page(origin, host):
            return None
        what = f"Origin must be the address that is asked, {host[:100]!r}, got {origin[:100]!r}"
        return PlainTextResponse(f"{what}; ENSEMBLE_LAB_HOSTS lists names that a proxy stands for\n", 403)

    def _is_own_page(self, origin: str, host: str) -> bool:
        scheme, _, address = origin.partition("://")
        default = {"http": 80, "https": 443}.get(scheme)
        name, port = _name_and_port(address)
        asked, asked_port = _name_and_port(host)
        is_same = (name, port or default) == (asked, asked_port or default)
        return bool(name) and default is not None and (is_same or _is_among(name, self._given - {"*"}))


def _checked(name: str) -> str:
    """Return a name as it is compared: in small letters, without the point that may end it."""
    plain = name.lower().rstrip(".")
    if plain != "*" and not _NAME.fullmatch(plain) and not _is_number(plain.strip("[]")):
        allowed = "names alone, like lab.example.org or *.lab.example"
        raise InvalidInput(f"ENSEMBLE_LAB_HOSTS: must be {allowed}, got {name[:100]!r}")
    return plain


def _name_and_port(host: str) -> tuple[str, int | None]:
    """Return what stands in a Host header; no name when it is none."""
    try:
        parts = urlsplit(f"//{host}")
        name, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return "", None
    is_bare = parts.netloc == host and "@" not in host
    return (name, port) if is_bare else ("", None)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_among(name: str, patterns: Collection[str]) -> bool:
    return any(
        pattern in {"*", name} or (pattern.startswith("*.") and name.endswith(pattern[1:])) for pattern in patterns
    )
