"""The application put together: the worker lives as long as the server."""

from unittest.mock import Mock

import pytest

import app as application
from storage import Storage
from tests.asking import run


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
    monkeypatch.setattr(application, "set_up_logs", Mock())  # the logs of tests stay as they are
    worker = Mock()
    monkeypatch.setattr(application.embedded, "start", lambda: worker)

    async def live() -> None:
        async with application.lifespan(application.app) as state:
            assert state == {"worker": worker}
            worker.stop.assert_not_called()

    run(live())
    worker.stop.assert_called_once()
    assert ("database must be" in caplog.text) == bool(address)


@pytest.mark.parametrize(("state", "lives"), [({"worker": True}, True), ({"worker": False}, False), ({}, False)])
def test_the_worker_is_asked_whether_it_lives(
    monkeypatch: pytest.MonkeyPatch, state: dict[str, bool], lives: bool
) -> None:
    workers = {name: Mock(**{"is_alive.return_value": alive}) for name, alive in state.items()}
    monkeypatch.setattr(application.app, "_state", workers)
    assert application._worker_lives() is lives


@pytest.mark.parametrize("off", ["0", "false"])
def test_without_a_worker_of_its_own_the_server_is_well(
    monkeypatch: pytest.MonkeyPatch,
    storage: Storage,  # noqa: ARG001
    off: str,
) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_WORKER", off)
    monkeypatch.setattr(application.embedded, "start", lambda: pytest.fail("a worker was started"))

    async def live() -> None:
        async with application.lifespan(application.app) as state:
            assert state == {"worker": None}

    run(live())
    monkeypatch.setattr(application.app, "_state", {"worker": None})
    assert application._worker_lives()
