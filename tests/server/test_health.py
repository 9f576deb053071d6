"""Health: what is wrong is said, and answered by 503."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ensembles.errors import StorageError
from server.health import health_routes
from storage import Storage
from storage.migrate import newest_revision
from tests.runner.fakes import make_config


def refuse() -> Any:
    raise StorageError("database: gone")


def healthy(find_storage: Callable[[], Storage], worker: bool = True) -> tuple[int, dict[str, Any]]:
    routes = {route.path: route.endpoint for route in health_routes(find_storage, lambda: worker)}
    answer = routes["/health"](None)
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


def test_a_server_is_ready_when_its_database_answers_in_the_words_of_this_version(storage: Storage) -> None:
    assert asked_whether_ready(lambda: storage) == (200, {"status": "ok", "problems": []})
    assert asked_whether_ready(refuse) == (503, {"status": "unavailable", "problems": ["database: gone"]})
    with storage._database.connection() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    status, told = asked_whether_ready(lambda: storage)
    assert (status, told["problems"]) == (503, [f"the database must be of schema {newest_revision()}, it is of 9999"])
    with storage._database.connection() as connection:
        connection.exec_driver_sql("DROP TABLE alembic_version")
    status, told = asked_whether_ready(lambda: storage)
    assert (status, told["problems"]) == (503, ["the database cannot be used: no such table: alembic_version"])


def asked_whether_ready(find_storage: Callable[[], Storage]) -> tuple[int, dict[str, Any]]:
    routes = {route.path: route.endpoint for route in health_routes(find_storage, lambda: False)}
    answer = routes["/ready"](None)
    return answer.status_code, json.loads(bytes(answer.body))


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
    assert (status, told["database"]) == (503, True), "the database takes what is written"
    assert "Left alone: stands still, its runner has been silent for" in told["problems"][0]
