"""A process that has imported what it reads with waits for the next file, and for no other."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from ensembles.data import apart, reading_child, reading_process
from ensembles.data.apart import Limits, keep_ready, preview_apart
from ensembles.data.parsing import THREADS
from ensembles.data.reading_child import Child
from ensembles.errors import InvalidData
from tests.runner.conftest import wait_until

TABLE = b"a,class\n1,x\n2,y\n3,x\n"


@pytest.fixture(autouse=True)
def _none_is_ready() -> Iterator[None]:
    reading_child.dismiss_child()
    yield
    reading_child.dismiss_child()


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """Return the processes, in the order in which they were started."""
    found: list[Child] = []
    start = reading_child._start

    def noted(memory: int, seconds: float) -> Child:
        found.append(start(memory, seconds))
        return found[-1]

    monkeypatch.setattr(reading_child, "_start", noted)
    return found


def read(**limits: int) -> None:
    assert preview_apart(TABLE, filename="a.csv", limits=Limits(**limits) if limits else None).rows == 3


def test_a_file_is_read_by_the_process_that_is_ready_and_each_by_another_one(children: list[Child]) -> None:
    keep_ready()
    keep_ready()
    assert len(children) == 1
    read()
    assert [(one.process.returncode, one.folder.exists()) for one in children] == [(0, False)]
    read()
    assert len(children) == 2
    keep_ready()
    with pytest.raises(InvalidData, match=r"^b\.csv: "):
        preview_apart(b"", filename="b.csv")
    assert len(children) == 3
    assert not reading_child._ready


def test_other_limits_get_a_process_of_their_own(children: list[Child]) -> None:
    keep_ready()
    read(seconds=50)
    assert [one.limits[1] for one in children] == [60.0, 50]
    assert [child for child, _ in reading_child._ready] == children[:1]


def test_one_that_has_died_is_replaced(children: list[Child]) -> None:
    keep_ready()
    children[0].process.kill()
    children[0].process.wait()
    read()
    assert len(children) == 2
    assert not children[0].folder.exists()


def test_one_that_nobody_takes_goes_after_a_while(children: list[Child], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_child, "_READY_SECONDS", 0.05)
    keep_ready()
    wait_until(lambda: not children[0].folder.exists(), "the process was dismissed", 30)
    assert children[0].process.returncode is not None
    assert not reading_child._ready
    keep_ready()
    assert len(children) == 2


def test_where_none_can_be_started_the_file_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_child.sys, "executable", str(tmp_path / "gone"))
    keep_ready()
    assert not reading_child._ready
    with pytest.raises(InvalidData, match=r"^a\.csv: there is no room to read the file \(No such file or directory\)$"):
        read()


def test_a_file_is_handed_over_whole() -> None:
    rows = 1_000 + reading_child._PIPE_BYTES // 4
    keep_ready()
    found = preview_apart(b"a,class\n" + b"1,x\n2,y\n" * (rows // 2), filename="a.csv")
    assert found.rows == rows
    assert [column.distinct for column in found.columns] == [2, 2]


def test_a_pipe_that_may_not_be_made_wider_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    refuse = Mock(side_effect=PermissionError(errno.EPERM, "Operation not permitted"))
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    read()
    refuse.assert_called_once()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize(("file", "leads_to"), [("columns-0.arrow", "/dev/full"), ("outcome.json", "/dev/full/none")])
def test_a_disk_that_fills_up_is_said(monkeypatch: pytest.MonkeyPatch, file: str, leads_to: str) -> None:
    take = apart.take_child

    def taken(memory: int, seconds: float) -> reading_child.Child:
        child = take(memory, seconds)
        (child.folder / file).symlink_to(leads_to)
        return child

    monkeypatch.setattr(apart, "take_child", taken)
    said = r"^a\.csv: there is no room to read the file \(No space left on device\)$"
    with pytest.raises(InvalidData, match=said):
        preview_apart(b"a,class\n1,x\n2,y\n", filename="a.csv")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_one_that_others_end_is_not_told_as_too_large(monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    def end(child: subprocess.Popen[bytes], *_: object) -> None:
        child.send_signal(number)
        child.wait()

    monkeypatch.setattr(apart, "_wait", end)
    monkeypatch.setattr(apart, "_send", lambda *_: None)
    with pytest.raises(InvalidData, match=r"^a.csv: the process that read it was ended from outside, .*; try again$"):
        preview_apart(b"a,b", filename="a.csv")


def test_a_lack_of_memory_for_a_thread_is_one_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_thread = Mock(side_effect=RuntimeError("can't start new thread"))  # Python's words where no stack can be had
    monkeypatch.setattr(reading_process, "_await_order", no_thread)
    assert reading_process._read(tmp_path) == {"memory": ""}


def test_arrow_reads_on_all_processors_that_it_may() -> None:
    told = {**os.environ, **reading_child._ENVIRONMENT}
    code = [sys.executable, "-c", "import pyarrow; print(pyarrow.cpu_count())"]
    assert int(subprocess.run(code, env=told, capture_output=True, check=True).stdout) == THREADS
