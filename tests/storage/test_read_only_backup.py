"""A database on a disk that can only be read is backed up as it lies there."""

import shutil
from pathlib import Path

import pytest

from ensembles.errors import InvalidInput, StorageError
from storage import open_storage
from storage.keeping import archive, sqlite_backup
from storage.keeping.archive import export_all, import_all
from storage.keeping.backup import restore_backup, write_backup
from tests.storage.conftest import make_config


def test_a_database_on_a_disk_that_can_only_be_read_is_backed_up_with_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, read_only = tmp_path / "kept", tmp_path / "read_only"
    with open_storage(f"sqlite:///{kept / 'lab.sqlite'}") as storage:
        storage.create_experiment(make_config(name="In the log only"))
        shutil.copytree(kept, read_only, ignore=shutil.ignore_patterns("*-shm", "*-news"))
    before = {one.name: one.stat().st_mtime_ns for one in read_only.iterdir()}
    assert sorted(before) == ["lab.sqlite", "lab.sqlite-wal"]
    monkeypatch.setattr(sqlite_backup, "is_read_only", lambda file: file.parent == read_only)
    file = tmp_path / "lab.backup"
    write_backup(file, f"sqlite:///{read_only / 'lab.sqlite'}")
    assert {one.name: one.stat().st_mtime_ns for one in read_only.iterdir()} == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["kept", "lab.backup", "read_only"]
    restore_backup(file, f"sqlite:///{tmp_path / 'new.sqlite'}")
    with open_storage(f"sqlite:///{tmp_path / 'new.sqlite'}") as storage:
        assert [one.name for one in storage.list_experiments()] == ["In the log only"]


def test_it_is_exported_as_it_lies_there_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, read_only, file = tmp_path / "kept", tmp_path / "read_only", tmp_path / "all.zip"
    with open_storage(f"sqlite:///{kept / 'lab.sqlite'}") as storage:
        storage.create_experiment(make_config(name="In the log only"))
        shutil.copytree(kept, read_only, ignore=shutil.ignore_patterns("*-shm", "*-news"))
    before = {one.name: one.stat().st_mtime_ns for one in read_only.iterdir()}
    monkeypatch.setattr(sqlite_backup, "is_read_only", lambda file: file.parent == read_only)
    assert export_all(file, f"sqlite:///{read_only / 'lab.sqlite'}")["experiments"] == 1
    assert {one.name: one.stat().st_mtime_ns for one in read_only.iterdir()} == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["all.zip", "kept", "read_only"]
    import_all(file, f"sqlite:///{tmp_path / 'new.sqlite'}")
    with open_storage(f"sqlite:///{tmp_path / 'new.sqlite'}") as storage:
        assert [one.name for one in storage.list_experiments()] == ["In the log only"]
    with pytest.raises(InvalidInput, match="cannot be written"):
        export_all(tmp_path / "not" / "there.zip", f"sqlite:///{read_only / 'lab.sqlite'}")


def test_an_archive_is_whole_where_the_log_of_deeds_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise StorageError("the disk of the database is full: nothing was changed")

    with open_storage(f"sqlite:///{tmp_path / 'lab.sqlite'}") as storage:
        storage.create_experiment(make_config(name="Kept"))
        monkeypatch.setattr(archive, "write_audit", refuse)
        assert export_all(tmp_path / "all.zip", storage.url)["experiments"] == 1
    assert "all.zip was exported: the disk of the database is full" in caplog.text
    assert import_all(tmp_path / "all.zip", f"sqlite:///{tmp_path / 'new.sqlite'}")["experiments"] == 1


def test_one_that_somebody_else_writes_meanwhile_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database, copies = tmp_path / "lab.sqlite", tmp_path / "copies"
    copies.mkdir()
    database.write_bytes(b"before")

    def copy(source: Path, place: Path) -> None:
        place.write_bytes(source.read_bytes())
        database.write_bytes(b"written meanwhile")

    monkeypatch.setattr(shutil, "copyfile", copy)
    with pytest.raises(StorageError, match="others write to it: make its backup where they do"):
        sqlite_backup.copy_unopened(database, copies)
