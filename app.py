"""The web application: pages, health route, security headers, and the worker that runs what users launch.

Start it with `streamlit run app.py`. Address, port and upload limit stand in `.streamlit/config.toml`; flags of that
command and environment variables such as STREAMLIT_SERVER_ADDRESS override them.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
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


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    """Open (and migrate) the database, run the worker beside the server, end it with the server.

    A database that does not answer yet ends nothing: pages and health say so, the worker tries again and again.
    """
    try:
        open_storage().close()
    except StorageError as error:
        logging.getLogger("uvicorn.error").error("%s", error)
    methods()  # imports the learners now, so that the first page does not wait for them
    worker = embedded.start()
    try:
        yield {"worker": worker}
    finally:
        worker.stop()


def health(_: Request) -> JSONResponse:
    """Answer 200 when the database answers and the worker lives, else 503."""
    database = _database_answers()
    worker = "worker" in app.state and app.state["worker"].is_alive()
    healthy = database and worker
    return JSONResponse(
        {"status": "ok" if healthy else "unavailable", "database": database, "worker": worker},
        status_code=200 if healthy else 503,
        headers={"Cache-Control": "no-store"},
    )


def _database_answers() -> bool:
    try:
        store().count_experiments()
    except StorageError:
        return False
    return True


app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    lifespan=lifespan,
    routes=[Route("/health", health)],
    middleware=[Middleware(SecurityHeaders)],
)
