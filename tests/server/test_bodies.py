"""What a request brings is counted while it comes, and who brings too much is heard out before the answer."""

import asyncio
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from starlette.requests import Request

from server.api import bodies
from server.api.failures import say_failures
from storage import Storage
from tests.asking import run
from tests.server.api import client_of


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


def test_a_form_is_heard_out_and_refused() -> None:
    assert brought(2, {"content-type": "multipart/form-data; boundary=x"}) == (400, 0)


@pytest.mark.parametrize("path", ["/datasets?filename=car.csv", "/experiments"])
def test_a_file_that_comes_in_a_form_is_said_to(storage: Storage, path: str) -> None:
    answer = client_of(storage, people_sign_in=False).post(path, files={"file": ("car.csv", b"x;y;z")})
    assert answer.status_code == 400
    assert answer.json()["error"].endswith("the file itself, as curl sends it by --data-binary @FILE, got a form")


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
