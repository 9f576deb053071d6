"""Answers that are files."""

from collections.abc import Iterator
from itertools import chain
from typing import Any
from urllib.parse import quote

from fastapi import Response
from fastapi.responses import StreamingResponse

from ensembles.data.names import clean_name

__all__ = ["FILE_FORMATS", "attachment", "file_answers"]

FILE_FORMATS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


def attachment(content: bytes | Iterator[bytes], name: str, suffix: str, media_type: str) -> Response:
    """Return an answer that browsers save as `NAME.SUFFIX`; the name may be text of a user.

    Of content in parts the first is made here, so that what goes wrong is still told; the others are as they are sent.
    """
    filename = quote(f"{clean_name(name)}.{suffix}", safe="")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{filename}", "Cache-Control": "no-store"}
    if isinstance(content, bytes):
        return Response(content, media_type=media_type, headers=headers)
    return StreamingResponse(chain([next(content, b"")], content), media_type=media_type, headers=headers)


def file_answers(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """Return how a route declares that it answers a table as a file, or what else has one of `media_types`."""
    binary: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
    content = dict.fromkeys(FILE_FORMATS.values(), binary) | {kind: {"schema": {}} for kind in media_types}
    return {200: {"description": "The file.", "content": content}}
