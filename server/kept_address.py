"""Whoever signs in comes back to the page that they asked for; Streamlit leads everybody to the first.

Who comes back without having signed in is told so by the page (`pages.parts.sign_in`), as Streamlit says nothing.
"""

from urllib.parse import quote, unquote, urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["KeptAddress"]

_COOKIE, _BACK = "ensemble_lab_wanted", "ensemble_lab_came_back"
_USER = "_streamlit_user"  # Streamlit's, as its manual names it
_SECONDS, _SECONDS_BACK = 900, 30  # to sign in, and to be told that one has not
_LONGEST = 3000  # characters: browsers keep cookies of 4096


class KeptAddress:
    """Notes, in a cookie, from which page somebody goes to sign in, and leads them there when they come back.

    Only path and query of the page are noted, so nobody is led elsewhere. Who comes back in vain, or could not be sent to a
    provider that does not answer, has another cookie for a while. A plain ASGI class, so that websockets and streams pass
    untouched.
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
        signs_out = path.endswith("/auth/logout")
        if wanted is None and not signs_out:
            await self.app(scope, receive, send)
            return

        async def send_with_address(message: Message) -> None:
            if message["type"] == "http.response.start":
                leads_back = path.endswith("/oauth2callback") or (not signs_out and message["status"] >= 400)
                message = {**message, "status": 302 if leads_back else message["status"]}
                answer = MutableHeaders(scope=message)
                if leads_back:
                    answer["location"] = str(wanted)
                if leads_back or signs_out:
                    in_vain = leads_back and not _is_signed_in(answer)
                    self._note(answer, _BACK, "1" if in_vain else "", _SECONDS_BACK)
                self._note(answer, _COOKIE, "" if leads_back else quote(wanted or "", safe="/"), _SECONDS)
            await send(message)

        await self.app(scope, receive, send_with_address)

    def _note(self, headers: MutableHeaders, cookie: str, value: str, seconds: int) -> None:
        """Have the browser keep a cookie for so long; none with nothing in it."""
        rules = f"Path={self._base}; Max-Age={seconds if value else 0}; HttpOnly; SameSite=Lax"
        headers.append("set-cookie", f"{cookie}={value}; {rules}")


def _is_signed_in(answer: Headers) -> bool:
    """Return whether an answer has the browser keep who somebody is; a cookie with nothing in it is one to be forgotten."""
    cookies = (cookie.partition(";")[0].partition("=") for cookie in answer.getlist("set-cookie"))
    return any(name == _USER and value.strip('"') for name, _, value in cookies)


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
