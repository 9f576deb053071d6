"""How much a request may bring, counted while it comes: what is too much is never held."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import streamlit as st
from fastapi import Depends, HTTPException, Request
from starlette.concurrency import run_in_threadpool

from ensembles.data.temporary import TEMPORARY_PREFIX
from server.api.identity import AsAsked
from storage.access import require

__all__ = ["Document", "UploadedFile", "most_upload_bytes"]

_MOST_DOCUMENT_BYTES = 2**20
_SECONDS_TO_HEAR = 30.0  # what is too much is listened to for so long, and none of it held


def most_upload_bytes() -> int:
    """Return how large a file may be: as large as on the pages."""
    return int(st.get_option("server.maxUploadSize")) * 2**20


async def _pieces(request: Request, most: int) -> AsyncIterator[bytes]:
    """Give what comes, up to `most` bytes.

    Raises
    ------
    HTTPException
        413: it is more. 400: it is a form.
    """
    said = request.headers.get("content-length", "")
    n_bytes = int(said) if said.isascii() and said.isdigit() else 0
    pieces = request.stream()
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
        await _hear_out(pieces)
        raise HTTPException(
            400, "the body must be the file itself, as curl sends it by --data-binary @FILE, got a form"
        )
    if n_bytes <= most:
        n_bytes = 0
        async for piece in pieces:
            n_bytes += len(piece)
            if n_bytes > most:
                break
            yield piece
    if n_bytes > most:
        await _hear_out(pieces)
        raise HTTPException(413, f"the body must have at most {most:,} bytes, it has more", {"Connection": "close"})


async def _hear_out(pieces: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError):  # who still sends when the connection is closed may never read the answer
        async with asyncio.timeout(_SECONDS_TO_HEAR):
            async for _ in pieces:
                pass


async def _document(request: Request, storage: AsAsked) -> str:
    """Return the text that was sent by somebody who may launch."""
    require(storage.actor, "launch")
    content = b"".join([piece async for piece in _pieces(request, _MOST_DOCUMENT_BYTES)])
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise HTTPException(400, f"the body must be text in UTF-8, byte {error.start} is not") from None


async def _file(request: Request, storage: AsAsked) -> AsyncIterator[Path]:
    """Give a file on the disk with what was sent by somebody who may upload, for as long as the request lasts."""
    require(storage.actor, "upload")
    with TemporaryDirectory(prefix=TEMPORARY_PREFIX, ignore_cleanup_errors=True) as folder:
        path = Path(folder, "upload")
        with path.open("wb") as file:
            async for piece in _pieces(request, most_upload_bytes()):
                await run_in_threadpool(file.write, piece)
        yield path


Document = Annotated[str, Depends(_document)]
UploadedFile = Annotated[Path, Depends(_file)]
