"""The server around the pages: health and security headers."""

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from socket import gethostname
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.responses import PlainTextResponse

import app as application
from ensembles.errors import StorageError
from storage import Storage
from tests.runner.fakes import make_config


class FakeWorker:
    def __init__(self, alive: bool) -> None:
        self.is_alive = lambda: alive


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run to the end in a thread of its own: browser tests keep a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, coroutine).result()


def refuse() -> Any:
    raise StorageError("database: gone")


def healthy(monkeypatch: pytest.MonkeyPatch, database: Any, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    monkeypatch.setattr(application, "store", database)
    monkeypatch.setattr(application.app, "_state", state)
    answer = application.health(None)  # type: ignore[arg-type]
    return answer.status_code, json.loads(bytes(answer.body))


RESTARTED = "the worker does not run; it is being started again"


@pytest.mark.parametrize(
    ("is_open", "state", "status", "worker", "problems"),
    [
        (True, {"worker": FakeWorker(True)}, 200, True, []),
        (False, {"worker": FakeWorker(True)}, 503, True, ["database: gone"]),
        (True, {"worker": FakeWorker(False)}, 503, False, [RESTARTED]),
        (False, {}, 503, False, ["database: gone", RESTARTED]),
    ],
)
def test_health_tells_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
    storage: Storage,
    is_open: bool,
    state: dict[str, Any],
    status: int,
    worker: bool,
    problems: list[str],
) -> None:
    word = "ok" if status == 200 else "unavailable"
    told = {"status": word, "database": is_open, "worker": worker, "problems": problems}
    assert healthy(monkeypatch, (lambda: storage) if is_open else refuse, state) == (status, told)


def test_health_is_bad_when_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch, storage: Storage) -> None:
    refusal = "BEFORE UPDATE ON alembic_version BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    with storage._database.connection() as connection:
        connection.exec_driver_sql(f"CREATE TRIGGER full {refusal}")
    status, told = healthy(monkeypatch, lambda: storage, {"worker": FakeWorker(True)})
    assert (status, told["database"], told["worker"]) == (503, False, True)
    assert told["problems"][0].startswith("the database cannot be used")


def test_health_is_bad_while_a_runner_keeps_silent(monkeypatch: pytest.MonkeyPatch, storage: Storage) -> None:
    storage.create_experiment(make_config(name="Left alone"), runner="gone", lease_seconds=-100.0)
    status, told = healthy(monkeypatch, lambda: storage, {"worker": FakeWorker(True)})
    assert status == 503
    assert "Left alone: stands still, its runner has been silent for" in told["problems"][0]


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


def answer_of(headers: dict[str, str], kind: str = "http", hosts: tuple[str, ...] = ()) -> tuple[int, str]:
    """Return status and text of what a guarded application answers: 200 of itself."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    guarded = application.AllowedHosts(PlainTextResponse("hello"), hosts)
    run(guarded({"type": kind, "headers": raw}, None, send))  # type: ignore[arg-type]
    return sent[0]["status"], sent[1]["body"].decode()


OWN = ("localhost", "localhost:8501", "LocalHost.:8501", "127.0.0.1:8501", "[::1]:8501", "192.168.1.5", gethostname())


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_server_is_asked_by_its_own_names_only(kind: str) -> None:
    for host in OWN:
        assert answer_of({"host": host}, kind) == (200, "hello"), host
    for host in (
        "evil.example",
        "evil.example:8501",
        "localhost.evil.example",
        "localhost@evil.example",
        "",
        "a/b",
        "[::1",
    ):
        status, text = answer_of({"host": host}, kind)
        assert status == 400, host
        assert text == f"Host must be a name of this server, got {host!r}; ENSEMBLE_LAB_HOSTS lists more names\n"
    assert answer_of({}, kind)[0] == 400


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_only_own_pages_may_ask(kind: str) -> None:
    for host, origin in (
        ("localhost:8501", "http://localhost:8501"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("localhost", "https://localhost:443"),
        ("[::1]:8501", "http://[::1]:8501"),
    ):
        assert answer_of({"host": host, "origin": origin}, kind)[0] == 200, origin
    for origin in ("http://evil.example", "http://localhost:3000", "null", "https://localhost:8501.evil.example", ""):
        status, text = answer_of({"host": "localhost:8501", "origin": origin}, kind)
        assert status == 403, origin
        assert "Origin must be the address that is asked, 'localhost:8501', got" in text


def test_more_names_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("lab.example.org", "*.lab.example")
    for host in ("lab.example.org", "LAB.example.org:443", "a.lab.example"):
        assert answer_of({"host": host, "origin": f"https://{host}"}, hosts=given)[0] == 200, host
    for host in ("lab.example", "evil.example", "elab.example.org"):
        assert answer_of({"host": host}, hosts=given)[0] == 400, host
    assert answer_of({"host": "lab:8501", "origin": "https://lab.example.org"}, hosts=(*given, "lab"))[0] == 200
    assert answer_of({"host": "whatever"}, hosts=("*",))[0] == 200
    assert answer_of({"host": "whatever", "origin": "http://evil.example"}, hosts=("*",))[0] == 403
    monkeypatch.setenv("ENSEMBLE_LAB_HOSTS", " Lab.Example.org , other.example")
    guarded = application.AllowedHosts(PlainTextResponse("hello"))
    assert {"lab.example.org", "other.example"} == guarded._given
