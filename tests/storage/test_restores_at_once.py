"""Restores into one SQLite database at the same time, and what is left of those that were killed."""

import os
import time
from contextlib import nullcontext
from pathlib import Path
from tempfile import mkdtemp

import pytest

from storage import open_storage
from storage.keeping import sqlite_backup
from storage.keeping.backup import remove_left_copies, restore_backup, write_backup
from tests.storage.conftest import make_config


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Address of a database that has a backup, `lab.backup`."""
    address = f"sqlite:///{tmp_path / 'lab.sqlite'}"
    with open_storage(address) as storage:
        storage.create_experiment(make_config(name="Kept"))
    write_backup(tmp_path / "lab.backup", address)
    return address


def test_neither_of_two_restores_takes_the_copies_of_the_other(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, met = sqlite_backup._replace, []

    def replace_after_another(target: Path, source: Path) -> None:
        if not met:
            met.append(source)
            restore_backup(tmp_path / "lab.backup", address, force=True)
        replace(target, source)

    monkeypatch.setattr(sqlite_backup, "_replace", replace_after_another)
    restore_backup(tmp_path / "lab.backup", address, force=True)
    assert len(met) == 1
    with open_storage(address) as storage:
        assert [one.name for one in storage.list_experiments()] == ["Kept"]
    assert not [file for file in tmp_path.iterdir() if "restor" in file.name]


def test_copies_of_a_restore_that_was_killed_go_after_a_day(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: object, source: Path) -> None:
        raise _Killed(source.parent)

    monkeypatch.setattr(sqlite_backup, "_replace", die)
    monkeypatch.setattr(sqlite_backup, "TemporaryDirectory", lambda **given: nullcontext(mkdtemp(**given)))
    monkeypatch.setenv("DATABASE_URL", address)
    with pytest.raises(_Killed) as killed:
        restore_backup(tmp_path / "lab.backup", address, force=True)
    [left] = killed.value.args
    assert left.stat().st_mode & 0o777 == 0o700
    remove_left_copies()
    assert left.exists(), "a restore may be at them"
    os.utime(left, times=(time.time() - 90_000,) * 2)
    remove_left_copies()
    assert not left.exists()


class _Killed(BaseException):
    pass
