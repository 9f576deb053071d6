"""How many bytes of uploaded files the server holds: Streamlit keeps them in memory until their tab is closed.

It takes them from whoever has a page open, also before a sign-in, and knows a limit for a single file only. Each piece that
comes it writes down by itself, so it gets large ones.
"""

import asyncio
import re

import streamlit as st
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ensembles.data.apart import memory_of_machine

__all__ = ["UploadBound"]

_UPLOADS, _METRICS = "/_stcore/upload_file/", "/_stcore/metrics"
_HELD = re.compile(rb'^cache_memory_bytes\{[^}]*cache_type="UploadedFileManager"[^}]*\} (\d+)', re.MULTILINE)
_SHARE = 4
_AT_ONCE = 4 * 2**20
_STALE = 6.0  # seconds: what Streamlit says it works out once in five of them


class UploadBound:
    """Refuses an upload that does not fit beside those that are held or on their way, with 503.

    Parameters
    ----------
    most_bytes : int, optional
        For all together; else a quarter of the memory of the machine or container, at least a file as large as may be.
    """

    def __init__(self, app: ASGIApp, most_bytes: int | None = None) -> None:
        self.app = app
        self._most_bytes = most_bytes
        self._coming = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or _UPLOADS not in scope["path"]:
            await self.app(scope, receive, send)
            return
        largest = int(st.get_option("server.maxUploadSize")) * 2**20
        size = min(_announced(scope, largest), largest)  # of a larger one no more is taken
        most = self._most_bytes or max(largest, memory_of_machine() // _SHARE)
        if await self._held(scope) + self._coming + size > most:
            said = "the server holds as many uploaded files as it may: close tabs with files, or try again later\n"
            await PlainTextResponse(said, 503, {"Connection": "close"})(scope, receive, send)
            return
        self._coming += size
        try:
            await self.app(scope, _in_large_pieces(receive), send)
        except ClientDisconnect:  # cancelled, or its tab closed: nobody hears the answer, but it is counted
            await PlainTextResponse("the upload was stopped\n", 400)(scope, receive, send)
        finally:
            asyncio.get_running_loop().call_later(_STALE, self._forget, size)

    def _forget(self, size: int) -> None:
        """Leave a file that has come, or has not, to what Streamlit says."""
        self._coming -= size

    async def _held(self, scope: Scope) -> int:
        """Return what Streamlit says that it holds."""
        parts: list[bytes] = []

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def collect(message: Message) -> None:
            parts.append(message.get("body", b""))

        path = scope["path"].partition(_UPLOADS)[0] + _METRICS
        asked = {**scope, "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": []}
        await self.app(asked, nothing, collect)
        found = _HELD.search(b"".join(parts))
        return int(found[1]) if found else 0  # of none it says nothing


def _in_large_pieces(receive: Receive) -> Receive:
    """Give what comes of a body 4 MiB at a time, where a server gives 64 KiB."""

    async def receive_large() -> Message:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":  # who sends has gone, and what came goes too
                return message
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size >= _AT_ONCE or not message.get("more_body", False):
                return {**message, "body": b"".join(parts)}

    return receive_large


def _announced(scope: Scope, largest: int) -> int:
    """Return how many bytes a request says that it brings; one that does not say it may bring as many as are allowed."""
    said = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(said[0]) if said and said[0].isdigit() else largest
