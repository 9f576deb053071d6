"""How the interface says that something went wrong: one sentence, under the status that fits."""

import errno
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from ensembles.errors import Conflict, EnsembleLabError, Forbidden, NotFound, StorageError

__all__ = ["REFUSALS", "Problem", "say_failures"]

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_RETRY_SECONDS = "5"
_LONGEST_VALUE = 80
_OF_PATTERNS = {
    "^[A-Za-z0-9]{1,64}$": "letters and digits, at most 64",
    "^[0-9a-f]{64}$": "64 digits and letters from a to f",
    "^[!-~]{16,100}$": "16 to 100 letters, digits and signs of ASCII",
}


class Problem(BaseModel):
    """What went wrong."""

    error: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text}
    for status, text in {
        400: "What was sent cannot be read at all.",
        401: "No token, or one that is unknown, expired or revoked.",
        403: "The token, or its user, may not do this.",
        404: "There is no such thing, or it is hidden from who asks.",
        409: "The state of what is there forbids it.",
        413: "What was sent is too large.",
        422: "What was sent can be read, and cannot be used.",
        429: "Too many wrong tokens, or too much heavy work at once: wait as long as `Retry-After` says.",
        503: "The database does not answer for now.",
        507: "The disk of the server is full.",
    }.items()
}
"""What every route may answer besides what it is for."""


def say_failures(app: FastAPI) -> None:
    """Let `app` answer errors by one sentence, as `Problem`."""
    app.add_exception_handler(EnsembleLabError, _of_ours)
    app.add_exception_handler(RequestValidationError, _of_values)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(OSError, _of_system)
    app.add_exception_handler(ClientDisconnect, _of_gone)
    app.add_exception_handler(Exception, _of_nobody)


def _answer(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    # Text of users may hold half a surrogate pair, which is no UTF-8.
    clean = sentence.encode(errors="replace").decode()
    return JSONResponse({"error": clean}, status, {**(headers or {}), "Cache-Control": "no-store"})


def _of_ours(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, NotFound):
        return _answer(404, str(error))
    if isinstance(error, Forbidden):
        return _answer(403, str(error))
    if isinstance(error, Conflict):
        return _answer(409, str(error))
    if isinstance(error, StorageError):
        return _answer(503, str(error), {"Retry-After": _RETRY_SECONDS})
    return _answer(422, "; ".join(str(error).splitlines()))


def _of_values(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return _answer(422, "; ".join(map(_said, error.errors())))


def _said(details: dict[str, Any]) -> str:
    """Return a sentence on one value, such as `limit: must be at most 200, got '900'`."""
    name, *rest = [str(part) for part in details["loc"][1:]] or ["the request"]
    place = name + "".join(f"[{part}]" for part in rest)
    if details["type"] == "missing":
        return f"{place}: is missing"
    got = repr(details.get("input"))
    shown = got if len(got) <= _LONGEST_VALUE else f"{got[:_LONGEST_VALUE]}…"
    return f"{place}: {_wanted(details)}, got {shown}"


def _wanted(details: dict[str, Any]) -> str:
    """Return what a value must be, in words."""
    kind, bounds = details["type"], details.get("ctx", {})
    if kind == "literal_error":
        return f"must be one of {bounds['expected'].replace(' or ', ', ').replace(chr(39), '')}"
    if kind == "string_pattern_mismatch":
        return f"must be {_OF_PATTERNS.get(bounds['pattern'], bounds['pattern'])}"
    wanted = {
        "greater_than_equal": f"at least {bounds.get('ge'):,}" if "ge" in bounds else "",
        "less_than_equal": f"at most {bounds.get('le'):,}" if "le" in bounds else "",
        "string_too_short": "text that is not empty",
        "string_too_long": f"text of at most {bounds.get('max_length')} characters",
        "too_long": f"given at most {bounds.get('max_length')} times",
        "int_parsing": "a whole number",
        "int_parsing_size": "a whole number",
        "int_from_float": "a whole number",
        "bool_parsing": "true or false",
    }
    return f"must be {wanted[kind]}" if kind in wanted else str(details["msg"])


def _of_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    sentences = {
        404: f"there is nothing at {request.url.path[:_LONGEST_VALUE]}; openapi.json lists what there is",
        405: f"{request.method} is not answered at {request.url.path[:_LONGEST_VALUE]}",
    }
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods_at(request))
    return _answer(error.status_code, sentences.get(error.status_code, error.detail), headers)


def _methods_at(request: Request) -> list[str]:
    """Return what is answered at an address: each of its routes says its own methods only."""
    routes, scope = request.app.routes, request.scope
    answered = [
        method
        for method in ("DELETE", "GET", "POST")
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return sorted([*answered, "HEAD"] if "GET" in answered else answered)


def _of_system(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, OSError)
    if error.errno not in _NO_ROOM:
        raise error
    return _answer(507, "the disk of the server is full: nothing was stored", {"Retry-After": _RETRY_SECONDS})


def _of_gone(_: Request, __: Exception) -> JSONResponse:
    return _answer(400, "the request broke off before its end")  # nobody hears it, but it is counted


def _of_nobody(_: Request, __: Exception) -> JSONResponse:
    return _answer(500, "this is a mistake of the program; its log says more")
