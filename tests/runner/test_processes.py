"""Whole processes: killed without warning, started again, and gone with their parent."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ensembles.experiments.config import ExperimentConfig
from runner import embedded
from storage import Storage
from tests.runner.conftest import children_of, is_running, wait_until
from tests.runner.fakes import make_config

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("processes"), pytest.mark.timeout(1200)]

ROOT = Path(__file__).resolve().parents[2]
_LONG = 480  # seconds, where kernels of a learner are compiled first, beside all others


def long_config() -> ExperimentConfig:
    """Return an experiment of 360 trials."""
    protocol = {"kind": "cross_validation", "repeats": 24, "folds": 5, "orders": 1}
    return make_config(learners=3, protocol=protocol, curves=["learning_curve"])


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        family = children_of(process.pid)
        process.kill()
        process.wait()
        for pid in filter(is_running, family):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Return a folder for temporary files, with a name that is short enough for sockets in it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def start_worker(url: str, started: list[subprocess.Popen[bytes]], **settings: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "runner", "worker", "--database", url, "--workers", "1"],
        cwd=ROOT,
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
    )
    started.append(process)
    return process


def test_a_killed_runner_loses_nothing_and_repeats_nothing(
    storage: Storage, url: str, started: list[subprocess.Popen[bytes]], temporary: Path
) -> None:
    record = storage.create_experiment(long_config())
    first = start_worker(url, started, TMPDIR=str(temporary))
    wait_until(lambda: storage.get_experiment(record.id).done > 50, "the first runner stores trials", _LONG)
    family = children_of(first.pid)
    first.kill()
    first.wait()
    wait_until(lambda: not any(map(is_running, family)), "the processes of a killed runner end by themselves")
    before = {plan.key: result for plan, result in storage.list_trials(record.id, limit=10_000)}
    assert len(before) == storage.get_experiment(record.id).done < 360
    left = {folder for folder in temporary.glob("ensemble-lab-*/*/*worker-*") if folder.is_dir()}
    assert left
    start_worker(url, started, TMPDIR=str(temporary))
    wait_until(lambda: storage.get_experiment(record.id).state == "finished", "the second runner ends it", _LONG)
    assert not any(folder.exists() for folder in left), "what the killed left is removed"
    after = {plan.key: result for plan, result in storage.list_trials(record.id, limit=10_000)}
    assert len(after) == storage.get_experiment(record.id).done == 360
    kept = [key for key in before if after[key].fit_seconds == before[key].fit_seconds]
    assert len(kept) == len(before), "a trial that was stored ran again"


def test_an_embedded_worker_comes_back_when_killed_and_gives_back_what_it_is_at(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    worker = embedded.start("sqlite:///test.sqlite", n_workers=1)  # the one here
    try:
        first = storage.create_experiment(make_config())
        wait_until(lambda: storage.get_experiment(first.id).state == "finished", "the first experiment ends", _LONG)
        dead = worker.pid
        os.kill(dead, signal.SIGKILL)
        second = storage.create_experiment(make_config())
        wait_until(lambda: storage.get_experiment(second.id).state == "finished", "the second experiment ends", _LONG)
        assert worker.pid != dead
        last = storage.create_experiment(long_config())
        wait_until(lambda: storage.get_experiment(last.id).done > 10, "trials of the last experiment end", _LONG)
    finally:
        family = {worker.pid} | children_of(worker.pid)
        worker.stop()
    assert not worker.is_alive()
    assert storage.get_experiment(last.id).state == "waiting"
    wait_until(lambda: not any(map(is_running, family)), "no process is left")


def test_a_worker_ends_with_a_parent_that_was_killed(storage: Storage, started: list[subprocess.Popen[bytes]]) -> None:
    script = "import sys, time; from runner import embedded; embedded.start(sys.argv[1], n_workers=1); time.sleep(600)"
    parent = subprocess.Popen([sys.executable, "-c", script, storage.url], cwd=ROOT)
    started.append(parent)
    storage.create_experiment(long_config())
    wait_until(lambda: len(children_of(parent.pid)) >= 3, "worker and its processes run", _LONG)
    family = children_of(parent.pid)
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(map(is_running, family)), "all of them end")


def test_ctrl_c_reaches_only_who_asked_for_the_run(
    storage: Storage, url: str, started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    (tmp_path / "long.yaml").write_text(long_config().to_yaml())
    process = subprocess.Popen(
        [sys.executable, "-m", "runner", "run", str(tmp_path / "long.yaml"), "--database", url, "--workers", "1"],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    started.append(process)
    wait_until(lambda: any(record.done for record in storage.list_experiments()), "the run stores trials", _LONG)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the processes of the workers too
    told = process.communicate(timeout=_LONG)[1].decode()
    assert process.returncode == 1
    [record] = storage.list_experiments()
    assert record.state == "cancelled"
    assert told == f"python -m runner run --resume {record.id} goes on with it\n"


def test_ctrl_c_before_the_run_is_no_error_of_ours() -> None:
    process = subprocess.Popen([sys.executable, "-m", "runner", "learners"], cwd=ROOT, stderr=subprocess.PIPE)
    maps = Path(f"/proc/{process.pid}/maps")
    wait_until(lambda: "numpy" in maps.read_text(), "it imports the learners")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=_LONG)[1] in {b"", b"python -m runner: stopped\n"}
    assert process.returncode in {-signal.SIGINT, 1}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_said_in_a_sentence() -> None:
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [sys.executable, "-m", "runner", "learners"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert process.stderr == b"python -m runner: [Errno 28] No space left on device\n"
    assert process.returncode == 2
