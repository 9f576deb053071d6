"""Where the disk takes no more, a backup or a restore says so, and blames no file for it."""

import errno
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ensembles.errors import InvalidInput, StorageError
from storage import open_storage
from storage.keeping import backup, sqlite_backup
from storage.keeping.archive import export_all
from storage.keeping.backup import restore_backup, write_backup
from tests.fresh import write_empty_tables
from tests.storage.conftest import make_config

NO_ROOM = "has no room left: nothing was changed"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Address of a database with an experiment; a backup of it lies beside it."""
    write_empty_tables(tmp_path / "lab.sqlite")
    url = f"sqlite:///{tmp_path / 'lab.sqlite'}"
    with open_storage(url) as storage:
        storage.create_experiment(make_config(name="Backed up"))
        write_backup(tmp_path / "lab.backup", url)
        storage.create_experiment(make_config(name="Launched later"))
    return url


def let_be_full(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Let there be room for five pages in files whose names end like that."""
    real = sqlite_backup._open

    def open_with_little_room(file: Path, mode: str) -> sqlite3.Connection:
        connection = real(file, mode)
        if file.name.endswith(what):
            connection.execute("PRAGMA max_page_count = 5")
        return connection

    monkeypatch.setattr(sqlite_backup, "_open", open_with_little_room)


def test_a_backup_is_not_called_damaged_for_it(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(tmp_path.iterdir())
    let_be_full(monkeypatch, ".part")
    with pytest.raises(StorageError, match=f"the disk {NO_ROOM}") as caught:
        write_backup(tmp_path / "new.backup", url)
    assert caught.value.detail == f"{tmp_path}: its disk {NO_ROOM}"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("what", [".restoring", ".before-restore"])
def test_a_restore_does_not_blame_the_backup(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    before = sorted(tmp_path.iterdir())
    let_be_full(monkeypatch, what)
    with pytest.raises(StorageError, match=f"the disk {NO_ROOM}"):
        restore_backup(tmp_path / "lab.backup", url, force=True)
    assert sorted(tmp_path.iterdir()) == before
    with open_storage(url) as storage:
        assert len(storage.list_experiments()) == 2


@pytest.mark.parametrize(
    ("code", "sentence"), [(sqlite3.SQLITE_IOERR, NO_ROOM), (sqlite3.SQLITE_CORRUPT, "must be a whole database")]
)
def test_only_trouble_with_the_disk_is_told_as_such(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, sentence: str
) -> None:
    def fail(*_: object) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr(sqlite_backup, "_check", fail)
    monkeypatch.setattr("storage.refusals.shutil.disk_usage", lambda _: type("Room", (), {"free": 0}))
    with pytest.raises(StorageError, match=sentence):
        write_backup(tmp_path / "new.backup", url)


def test_what_sqlite_left_beside_a_backup_that_failed_goes_with_it(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object, file: Path) -> None:
        (own := file.with_name(f"{file.name}ial")).touch()  # of somebody else
        before.append(own)
        for ending in ("-wal", "-shm", "-journal"):
            file.with_name(f"{file.name}{ending}").touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sqlite_backup, "dump", fail)
    before = [*tmp_path.iterdir()]
    with pytest.raises(InvalidInput, match=r"new.backup: cannot be written \(No space left on device\)"):
        write_backup(tmp_path / "new.backup", url)
    assert sorted(tmp_path.iterdir()) == sorted(before)


def test_an_archive_that_has_no_room_is_said_to(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(tmp_path.iterdir())

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", fail)
    with pytest.raises(InvalidInput, match=r"all.zip: cannot be written \(No space left on device\)"):
        export_all(tmp_path / "all.zip", url)
    monkeypatch.undo()
    monkeypatch.setattr(backup, "_to_disk", fail)
    with pytest.raises(InvalidInput, match=r"all.zip: cannot be written \(No space left on device\)"):
        export_all(tmp_path / "all.zip", url)
    assert sorted(tmp_path.iterdir()) == before
