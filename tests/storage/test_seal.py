"""A backup of SQLite is held against its checksum, and nothing else is."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ensembles.errors import StorageError
from storage import open_storage
from storage.keeping import sqlite_backup
from storage.keeping.backup import restore_backup, write_backup
from tests.fresh import write_empty_tables
from tests.storage.conftest import make_config

NAME = "Kept as it is"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A backup of a database with an experiment."""
    write_empty_tables(tmp_path / "lab.sqlite")
    with open_storage(f"sqlite:///{tmp_path / 'lab.sqlite'}") as storage:
        storage.create_experiment(make_config(name=NAME))
        write_backup(tmp_path / "lab.backup", storage.url)
    return tmp_path / "lab.backup"


def names_in(file: Path) -> list[str]:
    """Return the names of the experiments in what is restored of a file."""
    url = f"sqlite:///{file.with_suffix('.restored')}"
    restore_backup(file, url, force=True)
    with open_storage(url) as storage:
        return [one.name for one in storage.list_experiments()]


def test_another_letter_in_a_row_is_noticed(file: Path) -> None:
    assert names_in(file) == [NAME]
    content = file.read_bytes()
    assert content.count(NAME.encode()) > 0
    file.write_bytes(content.replace(NAME.encode(), b"Kept as it was"[: len(NAME)]))
    with pytest.raises(StorageError, match="the backup must be a whole database, it is damaged"):
        names_in(file)


@pytest.mark.parametrize("place", [0.01, 0.3, 0.5, 0.7, 0.999], ids=str)
def test_a_bit_that_flipped_is_noticed_wherever_it_is(file: Path, place: float) -> None:
    content = bytearray(file.read_bytes())
    content[int(place * len(content))] ^= 4
    file.write_bytes(content)
    with pytest.raises(StorageError, match="the backup must be a whole database"):
        sqlite_backup.check(file)


def _with_sqlite(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE experiments SET name = 'Changed'")


def _with_the_program(file: Path) -> None:
    with open_storage(f"sqlite:///{file}") as storage:
        [record] = storage.list_experiments()
        storage.rename_experiment(record.id, "Changed")


@pytest.mark.parametrize("change", [_with_sqlite, _with_the_program])
def test_what_somebody_changed_or_used_since_is_whole_without_a_seal(
    file: Path, change: Callable[[Path], None]
) -> None:
    change(file)
    assert names_in(file) == ["Changed"]
    again = file.with_suffix(".again")
    write_backup(again, f"sqlite:///{file}")
    assert names_in(again) == ["Changed"]


def test_a_backup_of_an_earlier_version_has_none(file: Path) -> None:
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(file.with_suffix(".old"))) as copy:
        source.backup(copy)
    assert file.with_suffix(".old").stat().st_size < file.stat().st_size
    assert names_in(file.with_suffix(".old")) == [NAME]


def test_sqlite_finds_a_sealed_file_whole(file: Path) -> None:
    by_hand = shutil.copy(file, file.with_suffix(".sqlite"))
    with open_storage(f"sqlite:///{by_hand}") as storage:
        for number in range(5):
            storage.create_experiment(make_config(name=f"Number {number}"))
    with closing(sqlite3.connect(by_hand)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
