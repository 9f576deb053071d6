"""One small cluster for all tests of the runner, and a way to wait."""

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runner import run_experiment
from runner.cluster.cluster import Cluster
from runner.commands import terminal
from storage import Storage, open_storage
from tests.fresh import write_empty_tables
from tests.runner.fakes import FakeContext, make_config, make_plans

Fake = Callable[..., FakeContext]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    started = Cluster(n_workers=2)
    yield started
    started.close()


@pytest.fixture
def one_cluster(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands run trials on the cluster of all tests, and leave it open."""
    monkeypatch.setattr(terminal, "Cluster", lambda **_: cluster)
    monkeypatch.setattr(cluster, "close", lambda: None)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give commands a data folder of their own."""
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path / "home"))


@pytest.fixture(autouse=True)
def hearing(caplog: pytest.LogCaptureFixture) -> None:
    """Let tests hear what is logged: Dask silences the handlers of its loggers, and those of pytest are among them."""
    caplog.handler.setLevel(logging.NOTSET)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'test.sqlite'}"


@pytest.fixture
def storage(url: str, tmp_path: Path) -> Iterator[Storage]:
    write_empty_tables(tmp_path / "test.sqlite")
    with open_storage(url) as opened:
        yield opened


@pytest.fixture
def notes(tmp_path: Path) -> str:
    """Folder in which trials of `FakeWork` note that they ran."""
    folder = tmp_path / "notes"
    folder.mkdir()
    return str(folder)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, notes: str) -> Fake:
    """Return a function that puts fake trials in place of real ones."""

    def install(n: int, **settings: Any) -> FakeContext:
        context = FakeContext(make_config(), (), folder=notes, **settings)
        monkeypatch.setattr(run_experiment, "prepare", lambda *_: (context, make_plans(n)))
        return context

    return install


def wait_until(is_so: Callable[[], bool], what: str, seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that has ended and was not collected does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


def children_of(pid: int) -> set[int]:
    """Return the numbers of all processes that descend from `pid`."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found
