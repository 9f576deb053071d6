"""Fetching a file from the web, within limits."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import PurePosixPath
from typing import Any

from ensembles.data.unpacking import MOST_BYTES, unpack_gzip
from ensembles.errors import InvalidData

__all__ = ["fetch_file", "is_url"]

_SILENCE = 30  # seconds without a byte
_DEADLINE = 900  # seconds in all
_REDIRECTS = 5
_BLOCK = 1 << 16


def is_url(source: str) -> bool:
    """Say whether `source` is an address and not a path."""
    return "://" in source


def fetch_file(url: str, max_bytes: int = MOST_BYTES) -> tuple[bytes, str]:
    """Return the content behind a web address, and the name of the file.

    At most five redirects are followed, none of them to anything but http and https.

    Raises
    ------
    InvalidData
        Another kind of address, no answer, an answer that is no file, one that breaks off, or one that is too large.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname
    except ValueError:
        valid = None
    if not valid:
        raise InvalidData(f"{url}: must be an address that starts with http:// or https://")
    place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"  # a password is nobody's business
    try:
        request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip", "User-Agent": "ensemble-lab"})
        with _opener().open(request, timeout=_SILENCE) as answer:
            content = _read(answer, place, max_bytes)
            if answer.headers.get("Content-Encoding", "").lower() == "gzip":
                content = unpack_gzip(content, place, max_bytes)
    except InvalidData:
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        raise InvalidData(f"{place}: cannot be fetched ({_reason(error)})") from error
    return content, urllib.parse.unquote(PurePosixPath(parts.path).name) or str(parts.hostname)


class _Redirects(urllib.request.HTTPRedirectHandler):
    max_redirections = _REDIRECTS


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener that knows http and https only, also behind redirects."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _read(answer: Any, place: str, max_bytes: int) -> bytes:
    blocks: list[bytes] = []
    size, until = 0, time.monotonic() + _DEADLINE
    announced = answer.headers.get("Content-Length", "")
    while block := answer.read1(_BLOCK):
        size += len(block)
        blocks.append(block)
        if size > max_bytes:
            raise InvalidData(f"{place}: the file has more than the {max_bytes:,} bytes that are allowed")
        if time.monotonic() > until:
            raise InvalidData(f"{place}: the file did not arrive within {_DEADLINE} seconds")
    if announced.isdigit() and size < int(announced):
        raise InvalidData(f"{place}: the file broke off after {size:,} of {int(announced):,} bytes")
    return b"".join(blocks)


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    reason = getattr(reason, "strerror", None) or reason
    code = getattr(error, "code", None)
    text = " ".join(str(reason).split()) or type(error).__name__
    return f"the server answers {code}, {text}" if code else text
