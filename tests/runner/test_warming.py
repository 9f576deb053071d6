"""What a worker has compiled ahead: by whom, for how long, and when not."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from ensembles.jit import kernels_folder
from runner.program import program
from runner.worker_process import warming
from tests.runner.conftest import wait_until

ROOT = Path(__file__).resolve().parents[2]
WORKER = """
import os, time
from runner.worker_process.warming import warming
with warming(os.nice(0)):
    print("begun", flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_CACHE", str(tmp_path))
    monkeypatch.delenv("ENSEMBLE_LAB_WARM")


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "--beside" in child.cmdline()]


def started() -> psutil.Process:
    """Return the process; for a moment after its start it has no command line yet."""
    wait_until(lambda: bool(children()), "it starts")
    [process] = children()
    return process


def begun() -> bool:
    return any(kernels_folder().glob("**/*.nbi"))


def test_it_has_the_lowest_priority() -> None:
    with warming.warming():
        assert started().nice() == 19


def test_it_is_alone_and_ends_with_the_block() -> None:
    with warming.warming(os.nice(0)):  # beside other tests the lowest priority may wait for minutes
        process = started()
        wait_until((kernels_folder() / "warming.lock").exists, "it takes the lock")
        process.suspend()  # it holds the lock, and leaves the processor to others
        command, environment = program("warm", "--beside")
        second = subprocess.run(command, env=environment, stdin=subprocess.PIPE, timeout=120, check=True)
        assert second.returncode == 0, "another one is at it"
        process.resume()
        assert process.is_running()
        assert not warming.is_warm()
    assert not process.is_running()


def test_it_ends_with_a_worker_that_was_killed() -> None:
    worker = subprocess.Popen([sys.executable, "-c", WORKER], cwd=ROOT, stdout=subprocess.PIPE)
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"begun\n"
    [process] = psutil.Process(worker.pid).children()
    wait_until(begun, "it compiles")
    worker.kill()
    worker.communicate()
    wait_until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE, "it ends")


def test_what_is_warm_is_not_warmed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "warm_all", lambda *_: 7)
    assert not warming.is_warm()
    assert warming.warm_and_tell() == 7
    assert warming.is_warm()
    with warming.warming():
        assert not children()
    monkeypatch.setattr(warming, "compiler_version", lambda: "another")
    assert not warming.is_warm()


def test_who_compiles_everything_waits_for_another_that_is_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "warm_all", lambda *_: 7)
    with ThreadPoolExecutor(1) as thread:
        with warming._alone(wait=False) as is_alone:
            assert is_alone
            waiting = thread.submit(warming.warm_in_turn)
            with pytest.raises(TimeoutError):
                waiting.result(0.2)
            assert not warming.is_warm()
        assert waiting.result(60) == 7
    assert warming.is_warm()


def test_it_can_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_WARM", "0")
    with warming.warming():
        assert not children()
    assert not any(os.scandir(os.environ["ENSEMBLE_LAB_CACHE"]))
