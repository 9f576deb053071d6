"""Two runners on one database, one of them a process that is killed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread

import pytest

from runner import heartbeat, run_experiment, shift, worker
from runner.cluster.cluster import Cluster
from storage import Storage
from tests.runner.conftest import children_of, is_running, wait_until
from tests.runner.fakes import make_config

pytestmark = [pytest.mark.xdist_group("cluster"), pytest.mark.timeout(1200)]  # one cluster for all of them

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def other(url: str, tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a runner with one worker in a process of its own, and print what it said."""
    environment = {**os.environ, "DATABASE_URL": url, "ENSEMBLE_LAB_HOME": str(tmp_path), "ENSEMBLE_LAB_WARM": "0"}
    command = [sys.executable, "-m", "runner", "worker", "--workers", "1"]
    said = tmp_path / "other.log"
    with said.open("wb") as log:
        started = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stderr=log)
    yield started
    family = {started.pid} | children_of(started.pid)
    started.kill()
    started.wait()
    print(said.read_text())
    wait_until(lambda: not any(map(is_running, family)), "its processes end")


@contextmanager
def runner_here(storage: Storage, cluster: Cluster) -> Iterator[None]:
    """Work in this process, with two workers."""
    shutdown = Event()
    working = Thread(target=worker.keep_working, args=(shutdown, storage, lambda: nullcontext(cluster)))
    working.start()
    try:
        yield
    finally:
        shutdown.set()
        working.join()


@pytest.mark.compiled
def test_both_get_work_and_one_goes_on_with_what_the_other_left(
    storage: Storage, cluster: Cluster, other: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (heartbeat, run_experiment, worker, shift):
        monkeypatch.setattr(module, "LEASE_SECONDS", 3.0)
    launched: list[str] = []

    def launch(repeats: int) -> None:
        protocol = {"kind": "cross_validation", "repeats": repeats, "folds": 10, "orders": 1}
        launched.append(storage.create_experiment(make_config(protocol=protocol)).id)

    def held() -> dict[int, int]:
        return {runner.pid: runner.experiments for runner in storage.list_runners()}

    launch(250)
    wait_until(
        lambda: storage.get_experiment(launched[0]).done > 0 or other.poll() is not None,
        "the other one is at work",
        600.0,  # it imports everything three times, beside all that begins when kernels are there
    )
    assert other.poll() is None, "it has ended"
    with runner_here(storage, cluster):
        wait_until(lambda: held() == {other.pid: 1, os.getpid(): 0}, "both say that they are there")
        launch(50)
        wait_until(lambda: held() == {other.pid: 1, os.getpid(): 1}, "each has its share")
        before = set(storage.finished_keys(launched[0]))
        other.kill()
        other.wait()
        wait_until(lambda: all(storage.get_experiment(one).is_final for one in launched), "what it had goes on")
    for one, n_trials in zip(launched, (2500, 500), strict=True):
        record = storage.get_experiment(one)
        keys = [plan.key for plan, _ in storage.list_trials(one, limit=10_000)]
        assert (record.state, record.done, record.failed) == ("finished", n_trials, 0)
        assert len(keys) == len(set(keys)) == n_trials
    assert before < storage.finished_keys(launched[0]), "it was in the middle"
