"""Health: what is wrong is said, and answered by 503."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ensembles.errors import StorageError
from server.health import health_routes
from storage import Storage
from tests.runner.fakes import make_config


def refuse() -> Any:
    raise StorageError("database: gone")


def healthy(find_storage: Callable[[], Storage], worker: bool = True) -> tuple[int, dict[str, Any]]:
    (route,) = health_routes(find_storage, lambda: worker)
    answer = route.endpoint(None)
    return answer.status_code, json.loads(bytes(answer.body))


RESTARTED = "the worker does not run; it is being started again"


@pytest.mark.parametrize(
    ("is_open", "worker", "status", "problems"),
    [
        (True, True, 200, []),
        (False, True, 503, ["database: gone"]),
        (True, False, 503, [RESTARTED]),
        (False, False, 503, ["database: gone", RESTARTED]),
    ],
)
def test_health_tells_what_is_wrong(
    storage: Storage, is_open: bool, worker: bool, status: int, problems: list[str]
) -> None:
    word = "ok" if status == 200 else "unavailable"
    told = {"status": word, "database": is_open, "worker": worker, "problems": problems}
    assert healthy((lambda: storage) if is_open else refuse, worker) == (status, told)


def test_health_is_bad_when_nothing_can_be_written(storage: Storage) -> None:
    refusal = "BEFORE UPDATE ON alembic_version BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    with storage._database.connection() as connection:
        connection.exec_driver_sql(f"CREATE TRIGGER full {refusal}")
    status, told = healthy(lambda: storage)
    assert (status, told["database"], told["worker"]) == (503, False, True)
    assert told["problems"][0].startswith("the database cannot be used")


def test_health_is_bad_while_a_runner_keeps_silent(storage: Storage) -> None:
    storage.create_experiment(make_config(name="Left alone"), runner="gone", lease_seconds=-100.0)
    status, told = healthy(lambda: storage)
    assert status == 503
    assert "Left alone: stands still, its runner has been silent for" in told["problems"][0]
