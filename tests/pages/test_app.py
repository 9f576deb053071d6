"""The server around the pages: health and security headers."""

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.responses import PlainTextResponse

import app as application
from ensembles.errors import StorageError
from storage import Storage


class FakeWorker:
    def __init__(self, alive: bool) -> None:
        self.is_alive = lambda: alive


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run to the end in a thread of its own: browser tests keep a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, coroutine).result()


def refuse() -> Any:
    raise StorageError("database: gone")


@pytest.mark.parametrize(
    ("database", "state", "status", "worker"),
    [
        (True, {"worker": FakeWorker(True)}, 200, True),
        (False, {"worker": FakeWorker(True)}, 503, True),
        (True, {"worker": FakeWorker(False)}, 503, False),
        (False, {}, 503, False),
    ],
)
def test_health_tells_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
    storage: Storage,
    database: bool,
    state: dict[str, Any],
    status: int,
    worker: bool,
) -> None:
    monkeypatch.setattr(application, "store", (lambda: storage) if database else refuse)
    monkeypatch.setattr(application.app, "_state", state)
    answer = application.health(None)  # type: ignore[arg-type]
    assert answer.status_code == status
    word = "ok" if status == 200 else "unavailable"
    assert json.loads(bytes(answer.body)) == {"status": word, "database": database, "worker": worker}


@pytest.mark.parametrize("address", [None, "mysql://nowhere/nothing"])
def test_the_worker_lives_as_long_as_the_server_and_a_lacking_database_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
    storage: Storage,  # noqa: ARG001
    caplog: pytest.LogCaptureFixture,
    address: str | None,
) -> None:
    caplog.set_level("ERROR")  # a local Dask cluster, where there is one in this process, turns the handler down
    if address:
        monkeypatch.setenv("DATABASE_URL", address)
    worker = Mock()
    monkeypatch.setattr(application.embedded, "start", lambda: worker)

    async def live() -> None:
        async with application.lifespan(application.app) as state:
            assert state == {"worker": worker}
            worker.stop.assert_not_called()

    run(live())
    worker.stop.assert_called_once()
    assert ("database must be" in caplog.text) == bool(address)


def test_every_answer_carries_the_security_headers() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    wrapped = application.SecurityHeaders(PlainTextResponse("hello"))
    run(wrapped({"type": "http"}, None, send))  # type: ignore[arg-type]
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
    assert sent[1]["body"] == b"hello"


def test_websockets_pass_untouched() -> None:
    passed: list[Any] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        passed.append((scope, receive, send))

    run(application.SecurityHeaders(inner)({"type": "websocket"}, 1, 2))  # type: ignore[arg-type]
    assert passed == [({"type": "websocket"}, 1, 2)]
