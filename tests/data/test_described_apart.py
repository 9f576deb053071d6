"""Files that another process describes: the same is found, and nothing is left behind."""

import errno
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from ensembles.data import reading_child
from ensembles.data.files import apart as files_apart
from ensembles.data.files import describe_file
from ensembles.data.files.apart import describe_apart
from ensembles.errors import InvalidData


@pytest.fixture
def file(tmp_path: Path) -> str:
    rng = np.random.default_rng(2)
    table = {
        "x": rng.normal(size=900),
        "colour": rng.choice(["red", "blue", None], 900),
        "kind": rng.choice(["a", "b"], 900),
    }
    pd.DataFrame(table).to_csv(tmp_path / "flows.csv", index=False)
    return str(tmp_path / "flows.csv")


def test_it_is_what_is_found_here(file: str) -> None:
    told: list[float] = []
    told_here: list[float] = []
    options = {"target": "colour", "ignore": ("kind",), "name": "Flows"}
    found, wanted = (
        describe_apart(file, told.append, **options),
        describe_file(file, progress=told_here.append, **options),
    )
    assert json.dumps(found.source.to_dict()) == json.dumps(wanted.source.to_dict())
    assert (found.columns, found.missing_cells) == (wanted.columns, wanted.missing_cells)
    assert (found.sample.sha256, found.sample.name) == (wanted.sample.sha256, wanted.sample.name)
    assert told == told_here != []


def test_what_is_asked_may_be_long(file: str) -> None:
    """An argument of a process may not: 128 KiB on Linux."""
    marks = tuple(f"none-{number}" for number in range(20_000))
    assert describe_apart(file, lambda _: None, missing=marks).source == describe_file(file, missing=marks).source


def test_what_cannot_be_read_is_the_same_sentence(file: str) -> None:
    for path, options in ((file, {"target": "taste"}), (f"{file}.gone", {})):
        with pytest.raises(InvalidData) as here:
            describe_file(path, **options)
        with pytest.raises(InvalidData) as there:
            describe_apart(path, lambda _: None, **options)
        assert str(there.value) == str(here.value)


def test_what_takes_too_much_memory_is_a_sentence(tmp_path: Path) -> None:
    """A megabyte that asks for 300."""
    pd.DataFrame({"x": [letter * 30_000_000 for letter in "abcdefghij"]}).to_parquet(tmp_path / "packed.parquet")
    with pytest.raises(InvalidData, match=r"^packed.parquet: reading the table takes more than the 512.0 MB of memory"):
        describe_apart(str(tmp_path / "packed.parquet"), lambda _: None, memory=2**29, target="x")


def test_a_disk_without_room_is_said(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr(files_apart, "TemporaryDirectory", full)
    said = r"^flows\.csv: there is no room to read the file \(No space left on device\)$"
    with pytest.raises(InvalidData, match=said):
        describe_apart(file, lambda _: None)


def test_who_stops_the_progress_ends_the_process(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []

    @contextmanager
    def noted(*order: str, **how: int) -> Iterator[subprocess.Popen[bytes]]:
        with reading_child.started(*order, **how) as child:
            children.append(child)
            yield child

    def stop(_: float) -> None:
        raise OSError("whatever ends the page")

    monkeypatch.setattr(files_apart, "started", noted)
    with pytest.raises(OSError, match=r"^whatever ends the page$"):
        describe_apart(file, stop)
    assert [child.returncode is None for child in children] == [False]


def test_a_process_is_ended_at_the_end_of_the_block(tmp_path: Path) -> None:
    with reading_child.started("ensembles.data.reading_process", str(tmp_path), str(4 * 2**30), "60") as child:
        pass  # it waits for an order, and would for ever
    assert child.returncode == -signal.SIGKILL


@pytest.mark.parametrize("name", ["preview_form", "reading_process", "files.describing_process"])
def test_a_reader_needs_no_learners(name: str) -> None:
    start, _ = reading_child._START.split("importlib.import_module")
    code = f"{start}import ensembles.data.{name}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(reading_child._PACKAGE)], capture_output=True, text=True, check=True
    )
    assert f"ensembles.data.{name}" in done.stdout
    assert not {"numba", "sklearn", "scipy", "streamlit"} & {name.split(".")[0] for name in done.stdout.split()}
