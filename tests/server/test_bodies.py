"""What a request brings is counted while it comes, and who brings too much is heard out before the answer."""

import asyncio
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from starlette.requests import Request

from server.api import bodies
from server.api.failures import say_failures
from tests.asking import run


def brought(n_pieces: int, headers: dict[str, str]) -> tuple[int, int]:
    """Bring pieces of 50 bytes to where 100 may come; return the status of the answer, and how many were not fetched."""
    left, status = n_pieces, 200

    async def receive() -> dict[str, Any]:
        nonlocal left
        await asyncio.sleep(0)
        left -= 1
        return {"type": "http.request", "body": b"x" * 50, "more_body": left > 0}

    async def bring() -> None:
        nonlocal status
        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        try:
            async for _ in bodies._pieces(Request({"type": "http", "headers": named}, receive), 100):
                pass
        except HTTPException as error:
            status = error.status_code

    run(bring())
    return status, left


@pytest.mark.parametrize("headers", [{}, {"content-length": "500"}])
def test_who_brings_too_much_is_heard_out_before_the_answer(headers: dict[str, str]) -> None:
    assert brought(10, headers) == (413, 0)
    assert brought(2, {}) == (200, 0)


def test_nobody_is_heard_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "_SECONDS_TO_HEAR", 0.01)
    status, left = brought(10**9, {})
    assert status == 413
    assert left > 0


def test_a_request_that_breaks_off_is_no_fault_of_the_server() -> None:
    messages = iter([{"type": "http.request", "body": b"some", "more_body": True}, {"type": "http.disconnect"}])
    sent: list[Any] = []
    app = FastAPI()
    say_failures(app)

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    async def read(request: Request) -> None:
        await request.body()

    app.add_route("/", read, methods=["POST"])
    run(app({"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}, receive, send))
    assert sent[0]["status"] == 400
