"""Whether the database says that it is well only when it is."""

import shutil
import subprocess
import sys
from collections import namedtuple
from datetime import timedelta
from pathlib import Path

import pytest

from storage import Storage, open_storage
from storage.keeping import health
from tests.storage.conftest import make_config

ROOT = Path(__file__).resolve().parents[2]
LONG, LONG_GONE, JUST_GONE = 60.0, -3600.0, -1.0
Usage = namedtuple("Usage", "total used free")

ON_A_FULL_DISK = """
import resource, signal, sys
from storage import open_storage
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open_storage(sys.argv[1]) as storage:
    assert storage.check_health().is_well
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    print(*storage.check_health().problems)
"""


def test_a_sound_database_is_well(storage: Storage) -> None:
    storage.create_experiment(make_config(), runner="runner", lease_seconds=LONG)
    storage.create_experiment(make_config())
    assert storage.check_health() == health.Health(())


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes")
def test_a_disk_that_takes_no_more_is_no_health(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'test.sqlite'}"
    told = subprocess.run([sys.executable, "-c", ON_A_FULL_DISK, url], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("the database cannot be used: ")
    assert str(tmp_path) not in told.stdout


def test_a_disk_that_is_nearly_full_is_no_health(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_storage(f"sqlite:///{tmp_path / 'test.sqlite'}") as storage:
        monkeypatch.setattr(health.shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 99 * 2**20))
        assert storage.check_health().problems == ("the disk of the database must have 100 MB free, it has 99 MB",)


def test_a_folder_that_is_gone_is_no_health(tmp_path: Path) -> None:
    with open_storage(f"sqlite:///{tmp_path / 'home' / 'test.sqlite'}") as storage:
        storage.close()
        shutil.rmtree(tmp_path / "home")
        assert storage.check_health().problems == ("the database cannot be used: unable to open database file",)


def test_a_runner_that_has_gone_silent_is_no_health(storage: Storage) -> None:
    storage.create_experiment(make_config(name="Just now"), runner="first", lease_seconds=JUST_GONE)
    assert storage.check_health().is_well, "the next runner takes it over in a moment"
    storage.create_experiment(make_config(name="Long ago"), runner="second", lease_seconds=LONG_GONE)
    [problem] = storage.check_health().problems
    assert problem.startswith("Long ago: stands still, its runner has been silent for 360")


def test_what_waits_while_no_runner_is_there_is_no_health(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        storage.create_experiment(make_config())
    paused = storage.create_experiment(make_config())
    storage.pause_experiment(paused.id)
    assert storage.check_health().is_well, "a runner may be about to start"
    monkeypatch.setattr(health, "_UNTIL_A_RUNNER_IS_HEARD", timedelta(seconds=-1))
    assert storage.check_health().problems == ("2 experiments wait, and no runner is there",)
    storage.heartbeats("runner", {}, presence=(1, 0))
    assert storage.check_health().is_well


def test_a_record_says_that_its_runner_is_silent(storage: Storage) -> None:
    waiting = storage.create_experiment(make_config())
    running = storage.create_experiment(make_config(), runner="first", lease_seconds=LONG)
    silent = storage.create_experiment(make_config(), runner="second", lease_seconds=JUST_GONE)
    records = storage.list_experiments()
    assert [record.is_stalled for record in records] == [True, False, False]
    assert [storage.get_experiment(record.id) for record in (silent, running, waiting)] == records
    assert records[0].silent_since is not None
    assert records[0].started is not None
    assert (records[0].started - records[0].silent_since).total_seconds() == 1.0
    storage.request_cancel(silent.id)
    assert not storage.get_experiment(silent.id).is_stalled
