"""The web application: pages, health route, security headers, and the worker that runs what users launch.

Start it with `streamlit run app.py` or `ensemble-lab serve`. Address, port and upload limit stand in
`.streamlit/config.toml`; flags of these commands and environment variables such as STREAMLIT_SERVER_ADDRESS override them.
By which names it may be asked, besides localhost, numbers and the machine's own, ENSEMBLE_LAB_HOSTS says.
"""

import ipaddress
import logging
import os
import socket
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ensembles.errors import StorageError
from ensembles.registry import methods
from pages.parts.store import store
from runner import embedded
from storage import open_storage

# Streamlit's front end needs inline styles, evaluated chart specs, blob workers and its websocket.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss: data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class SecurityHeaders:
    """Adds `SECURITY_HEADERS` to every answer; a plain ASGI class, so that websockets and streams pass untouched."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


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
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None) -> None:
        self.app = app
        given = os.environ.get("ENSEMBLE_LAB_HOSTS", "").split(",") if hosts is None else hosts
        self._given = {name.strip().lower().rstrip(".") for name in given} - {""}
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


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    """Open (and migrate) the database, run the worker beside the server, end it with the server.

    A database that does not answer yet ends nothing: pages and health say so, the worker tries again and again.
    """
    try:
        open_storage().close()
    except StorageError as error:
        logging.getLogger("uvicorn.error").error("%s", error.detail)
    methods()  # imports the learners now, so that the first page does not wait for them
    worker = embedded.start()
    try:
        yield {"worker": worker}
    finally:
        worker.stop()


def health(_: Request) -> JSONResponse:
    """Answer 200 when the database takes what is written, runners are heard and the worker lives, else 503 and why."""
    problems = _database_problems()
    worker = "worker" in app.state and app.state["worker"].is_alive()
    healthy = worker and not problems
    return JSONResponse(
        {
            "status": "ok" if healthy else "unavailable",
            "database": not problems,
            "worker": worker,
            "problems": [*problems, *(() if worker else ("the worker does not run; it is being started again",))],
        },
        status_code=200 if healthy else 503,
        headers={"Cache-Control": "no-store"},
    )


def _database_problems() -> tuple[str, ...]:
    try:
        return store().check_health().problems
    except StorageError as error:
        return (str(error),)


app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    lifespan=lifespan,
    routes=[Route("/health", health)],
    middleware=[Middleware(SecurityHeaders), Middleware(AllowedHosts)],
)
