"""Whoever signs in comes back to the page that they asked for; Streamlit leads everybody to the first."""

from urllib.parse import quote, unquote, urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["KeptAddress"]

_COOKIE = "ensemble_lab_wanted"
_SECONDS = 900  # to sign in
_LONGEST = 3000  # characters: browsers keep cookies of 4096


class KeptAddress:
    """Notes, in a cookie, from which page somebody goes to sign in, and leads them there when they come back.

    Only path and query of the page are noted, so nobody is led elsewhere. A plain ASGI class, so that websockets and
    streams pass untouched.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._base = f"/{str(st.get_option('server.baseUrlPath') or '').strip('/')}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        headers = Headers(scope=scope) if path else Headers()
        wanted = None
        if path.endswith("/auth/login"):
            wanted = _own_address(headers.get("referer", ""))
        elif path.endswith("/oauth2callback"):
            wanted = _own_address(unquote(cookie_parser(headers.get("cookie", "")).get(_COOKIE, "")))
        if wanted is None:
            await self.app(scope, receive, send)
            return

        async def send_with_address(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._keep(MutableHeaders(scope=message), wanted, leads_back=path.endswith("/oauth2callback"))
            await send(message)

        await self.app(scope, receive, send_with_address)

    def _keep(self, headers: MutableHeaders, wanted: str, *, leads_back: bool) -> None:
        if leads_back and "location" in headers:
            headers["location"] = wanted
        value, seconds = ("", 0) if leads_back else (quote(wanted, safe="/"), _SECONDS)
        headers.append("set-cookie", f"{_COOKIE}={value}; Path={self._base}; Max-Age={seconds}; HttpOnly; SameSite=Lax")


def _own_address(address: str) -> str | None:
    """Return path and query of an address; None where they would lead to another host or are too long to keep."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    wanted = f"{parts.path}?{parts.query}" if parts.query else parts.path
    leads_away = not wanted.startswith("/") or wanted[1:2] in {"/", "\\"}
    unclean = not wanted.isascii() or not wanted.isprintable() or " " in wanted
    return None if leads_away or unclean or len(quote(wanted, safe="/")) > _LONGEST else wanted
