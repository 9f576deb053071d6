"""Uploaded files take no more memory together than they may."""

import asyncio
from typing import Any

import pytest
import streamlit as st
from starlette.requests import Request

from server import upload_bound
from server.upload_bound import UploadBound
from tests.asking import run

PATH = "/_stcore/upload_file/a-session/a-file"
LARGEST = 200 * 2**20


class Holding:
    """An application that takes files for good, and tells how much it holds as Streamlit does."""

    def __init__(self, prefix: str = "") -> None:
        self.held, self.asked = 0, 0
        self.wait = asyncio.Event()
        self._prefix = prefix

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        body = b""
        if scope["path"] == f"{self._prefix}/_stcore/metrics":
            self.asked += 1
            told = f'cache_memory_bytes{{cache_type="UploadedFileManager",cache=""}} {self.held}\n' if self.held else ""
            body = f'# TYPE cache_memory_bytes gauge\ncache_memory_bytes{{cache_type="x",cache=""}} 7\n{told}'.encode()
        elif scope["method"] == "PUT":
            await self.wait.wait()
            self.held += int(dict(scope["headers"]).get(b"content-length", b"0"))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})


async def put(app: Any, size: int | None, path: str = PATH, method: str = "PUT") -> int:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [] if size is None else [(b"content-length", str(size).encode())]
    await app({"type": "http", "method": method, "path": path, "headers": headers}, None, send)
    return int(sent[0]["status"])


@pytest.fixture(autouse=True)
def _limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_bound, "_STALE", 0.0)
    monkeypatch.setattr(st, "get_option", {"server.maxUploadSize": 200}.__getitem__)


@pytest.mark.parametrize("prefix", ["", "/lab"])
def test_what_does_not_fit_beside_the_files_that_are_held_is_refused(prefix: str) -> None:
    async def check() -> None:
        holding = Holding(prefix)
        holding.wait.set()
        bound = UploadBound(holding, most_bytes=1000)
        for size, status in ((600, 200), (500, 503), (400, 200), (1, 503)):
            assert await put(bound, size, prefix + PATH) == status
            await asyncio.sleep(0.01)
        assert holding.held == 1000
        holding.held = 0  # tabs were closed
        assert await put(bound, 1000, prefix + PATH) == 200

    run(check())


def test_an_upload_that_is_stopped_is_no_fault_of_the_server() -> None:
    messages = iter([{"type": "http.request", "body": b"some", "more_body": True}, {"type": "http.disconnect"}])
    sent: list[Any] = []

    async def hear() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    async def read_all(scope: Any, receive: Any, _send: Any) -> None:
        if scope["method"] == "PUT":
            await Request(scope, receive).body()

    headers = [(b"content-length", b"1000")]
    scope = {"type": "http", "method": "PUT", "path": PATH, "headers": headers}
    run(UploadBound(read_all)(scope, hear, send))
    assert sent[0]["status"] == 400


def test_files_on_their_way_count() -> None:
    async def check() -> None:
        holding = Holding()
        bound = UploadBound(holding, most_bytes=1000)
        first = asyncio.create_task(put(bound, 600))
        await asyncio.sleep(0)
        assert await asyncio.wait_for(put(bound, 500), 5) == 503
        holding.wait.set()
        assert await first == 200
        await asyncio.sleep(0.01)
        assert await put(bound, 400) == 200

    run(check())


def test_files_that_have_just_come_count_until_streamlit_tells_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_bound, "_STALE", 600.0)

    async def check() -> None:
        holding = Holding()
        holding.wait.set()
        bound = UploadBound(holding, most_bytes=1000)
        assert await put(bound, 600) == 200
        holding.held = 0  # so it was when it was worked out
        await asyncio.sleep(0.01)
        assert await put(bound, 600) == 503
        bound._forget(600)
        assert await put(bound, 600) == 200

    run(check())


def test_a_file_that_does_not_say_its_size_counts_as_the_largest() -> None:
    async def check() -> None:
        holding = Holding()
        holding.wait.set()
        assert await put(UploadBound(holding, most_bytes=LARGEST), None) == 200
        assert await put(UploadBound(holding, most_bytes=LARGEST - 1), None) == 503
        assert await put(UploadBound(holding, most_bytes=LARGEST), 10 * LARGEST) == 200, (
            "Streamlit refuses it by itself"
        )

    run(check())


def test_a_file_comes_whole_in_pieces_that_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_bound, "_AT_ONCE", 10)
    bodies = [b"abcd", b"", b"efgh", b"ijklm", b"n" * 25, b"op", b""]
    sent = [{"type": "http.request", "body": body, "more_body": True} for body in bodies]

    async def check(last: dict[str, Any], *expected: dict[str, Any]) -> None:
        messages = iter([*sent, last])
        got: list[Any] = []

        async def receive() -> Any:
            return next(messages)

        async def take(scope: Any, receive: Any, _send: Any) -> None:
            while scope["method"] == "PUT" and (not got or got[-1].get("more_body")):
                got.append(await receive())

        bound: Any = UploadBound(take, most_bytes=LARGEST)
        await bound({"type": "http", "method": "PUT", "path": PATH, "headers": []}, receive, None)
        large = [{"type": "http.request", "body": body, "more_body": True} for body in (b"abcdefghijklm", b"n" * 25)]
        assert got == [*large, *expected]

    end = {"type": "http.request", "body": b"q", "more_body": False}
    run(check(end, {**end, "body": b"opq"}))
    gone = {"type": "http.disconnect"}
    run(check(gone, gone))


def test_by_default_files_take_a_quarter_of_the_memory_and_one_always_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(memory: int, most: int) -> None:
        monkeypatch.setattr("server.upload_bound.memory_of_machine", lambda: memory)
        holding = Holding()
        holding.wait.set()
        holding.held = most - 1000
        assert await put(UploadBound(holding), 1001) == 503
        assert await put(UploadBound(holding), 1000) == 200

    run(check(2**32, 2**30))
    run(check(2**20, LARGEST))


def test_nothing_else_is_looked_at() -> None:
    async def check() -> None:
        holding = Holding()
        holding.wait.set()
        bound = UploadBound(holding, most_bytes=1)
        assert await put(bound, 9, method="DELETE") == 200
        assert await put(bound, 9, "/api/v1/datasets") == 200
        assert holding.asked == 0

    run(check())
