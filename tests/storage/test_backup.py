"""Backups are whole and of one moment whoever writes, and a restore gives all of it or changes nothing."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import URL

from ensembles.data import Dataset
from ensembles.errors import InvalidInput, StorageError
from storage import Storage, open_storage
from storage.keeping import postgresql_backup, sqlite_backup
from storage.keeping.backup import restore_backup, start_file, write_backup
from storage.keeping.contents import opened
from storage.migrate import is_aside, make_tables, newest_revision
from tests.storage.conftest import make_config
from tests.storage.test_trials import failure_of, plan_of, result_of


@pytest.fixture
def full(storage: Storage, dataset: Dataset) -> Storage:
    """A storage with a data set, and an experiment that is being run."""
    config = make_config({"sha256": storage.save_dataset(dataset).sha256}, name="Kept")
    record = storage.create_experiment(config, runner="r", lease_seconds=60.0)
    storage.save_trials(record.id, [(plan_of(n), result_of(plan_of(n), n / 7)) for n in range(5)])
    storage.save_trials(record.id, [(plan_of(5), failure_of(plan_of(5)))])
    return storage


def facts(storage: Storage) -> object:
    """Return what is stored, as far as a restore leaves it alone."""
    experiments = sorted(storage.list_experiments(), key=lambda one: one.name)
    trials = [storage.list_trials(one.id) for one in experiments]
    stored = [(one.id, one.name, one.done, one.failed, one.created) for one in experiments]
    return stored, repr(trials), storage.list_datasets()


def test_a_backup_is_restored_to_the_last_bit(full: Storage, tmp_path: Path) -> None:
    file = tmp_path / "lab.backup"
    write_backup(file, full.url)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = facts(full)
    [kept] = full.list_experiments()
    full.create_experiment(make_config(name="Launched later"))
    full.delete_experiment(kept.id)
    with pytest.raises(
        InvalidInput, match="the database must be empty, it holds something; --force replaces all of it"
    ):
        restore_backup(file, full.url)
    restore_backup(file, full.url, force=True)
    assert facts(full) == before, "a storage that was open all the time goes on with what was restored"
    assert full.get_standing(kept.id, "r") == "lost", "its runner thinks that more is stored"
    assert full.get_experiment(kept.id).state == "waiting"
    again = full.create_experiment(make_config(name="Launched after"))
    full.save_trials(again.id, [(plan_of(1), result_of(plan_of(1)))])
    assert [file.name for file in tmp_path.iterdir() if "restor" in file.name or ".part" in file.name] == []


def test_a_backup_goes_into_an_empty_database_unasked(full: Storage, tmp_path: Path, url: str) -> None:
    file = tmp_path / "lab.backup"
    write_backup(file, full.url)
    before = facts(full)
    if url.startswith("sqlite"):
        url = f"sqlite:///{tmp_path / 'another.sqlite'}"
    else:
        with opened(url) as database, database.connection() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE")
            connection.exec_driver_sql("CREATE SCHEMA public")
    restore_backup(file, url)
    with open_storage(url) as storage:
        assert facts(storage) == before


@contextmanager
def writing(storage: Storage) -> Iterator[None]:
    """Let a thread write an experiment after the other, each with as many trials as it counts."""
    enough, stopping = Event(), Event()

    def write() -> None:
        number = 0
        while not stopping.is_set():
            record = storage.create_experiment(make_config(name=f"Number {number}"))
            storage.save_trials(record.id, [(plan_of(n), result_of(plan_of(n))) for n in range(20)])
            number += 1
            if number == 3:
                enough.set()

    thread = Thread(target=write)
    thread.start()
    try:
        assert enough.wait(30)
        yield
    finally:
        stopping.set()
        thread.join()


def test_a_backup_is_of_one_moment_while_others_write(full: Storage, tmp_path: Path) -> None:
    rounds = 3 if full.url.startswith("sqlite") else 1
    with writing(full):
        for number in range(rounds):
            write_backup(tmp_path / f"{number}.backup", full.url)
    assert sorted(path.name for path in tmp_path.glob("*.backup*")) == [f"{number}.backup" for number in range(rounds)]
    for number in range(rounds):
        check_moment(tmp_path / f"{number}.backup", full.url)


def check_moment(file: Path, url: str) -> None:
    restore_backup(file, url, force=True)
    with open_storage(url) as storage:
        counts = [(one.done, len(storage.list_trials(one.id))) for one in storage.list_experiments(limit=10_000)]
    assert len(counts) >= 4
    assert all(counted == stored for counted, stored in counts)


def test_what_is_damaged_or_strange_changes_nothing(full: Storage, tmp_path: Path, url: str) -> None:
    file = tmp_path / "lab.backup"
    write_backup(file, full.url)
    content, before = file.read_bytes(), facts(full)
    for share in (0.3, 0.6, 0.95):
        (tmp_path / "cut").write_bytes(content[: int(share * len(content))])
        with pytest.raises(StorageError, match="the backup") as caught:
            restore_backup(tmp_path / "cut", full.url, force=True)
        assert caught.value.detail.startswith(f"{tmp_path / 'cut'}: ")
    if url.startswith("sqlite"):  # which tells of damage by names that are damaged
        (tmp_path / "names").write_bytes(content.replace(b"CREATE TABLE trials", b"CREATE TABL\xff trials"))
        with pytest.raises(StorageError, match="the backup must be a whole database, it is damaged"):
            restore_backup(tmp_path / "names", full.url, force=True)
    other = "PostgreSQL" if url.startswith("sqlite") else "SQLite"
    (tmp_path / "other").write_bytes(b"PGDMP" if url.startswith("sqlite") else b"SQLite format 3\0")
    with pytest.raises(InvalidInput, match=f"got a backup of {other}; export-all and import-all go"):
        restore_backup(tmp_path / "other", full.url, force=True)
    (tmp_path / "text").write_text("no backup")
    with pytest.raises(InvalidInput, match="got another file"):
        restore_backup(tmp_path / "text", full.url, force=True)
    with pytest.raises(InvalidInput, match="cannot be read"):
        restore_backup(tmp_path / "nowhere", full.url, force=True)
    assert facts(full) == before
    assert full.list_experiments()[0].state == "running"


def test_a_restore_that_fails_at_its_end_brings_back_what_was_there(
    full: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lab.backup"
    write_backup(file, full.url)
    full.create_experiment(make_config(name="Launched later"))
    before = facts(full)

    def fail(_: object) -> None:
        if len(full.list_experiments()) == 1:  # what was restored is there
            raise StorageError("the database cannot be used: no more room")

    kind = sqlite_backup if full.url.startswith("sqlite") else postgresql_backup
    monkeypatch.setattr(kind, "upgrade_schema", fail)
    with pytest.raises(StorageError, match="no more room"):
        restore_backup(file, full.url, force=True)
    assert facts(full) == before
    monkeypatch.undo()
    restore_backup(file, full.url, force=True)
    assert len(full.list_experiments()) == 1


def test_what_a_killed_restore_left_aside_comes_back(full: Storage, tmp_path: Path, url: str) -> None:
    if url.startswith("sqlite"):
        pytest.skip("SQLite writes all of it in one transaction")
    write_backup(tmp_path / "lab.backup", full.url)
    full.create_experiment(make_config(name="Launched later"))
    before = facts(full)
    with opened(url) as database, database.connection() as connection:
        postgresql_backup._put_aside(connection)
    with pytest.raises(InvalidInput, match="must be empty"):
        restore_backup(tmp_path / "lab.backup", full.url)
    assert facts(full) == before
    with opened(url) as database, database.connection() as connection:
        postgresql_backup._put_aside(connection)
        make_tables(connection, newest_revision())  # as earlier versions did when they were started then
    with open_storage(url) as storage:
        storage.create_experiment(make_config(name="Launched without knowing"))
        with pytest.raises(
            StorageError, match=r"cut off left in the schema ensemble_lab_before.*--force replaces both"
        ):
            restore_backup(tmp_path / "lab.backup", full.url)
        assert [one.name for one in storage.list_experiments()] == ["Launched without knowing"]
        restore_backup(tmp_path / "lab.backup", full.url, force=True)
        assert {"Launched later", "Launched without knowing"}.isdisjoint(one.name for one in storage.list_experiments())
    with opened(url) as database, database.session() as session:
        assert not is_aside(session.connection())


def test_a_backup_of_an_earlier_schema_is_upgraded(url: str, tmp_path: Path) -> None:
    file = tmp_path / "old.backup"
    with opened(url) as database, database.connection() as connection:
        make_tables(connection, "0003")
    write_backup(file, url)
    restore_backup(file, url)
    with open_storage(url) as storage:
        assert storage.list_experiments() == []


def test_so_many_backups_are_kept(storage: Storage, tmp_path: Path) -> None:
    file = tmp_path / "lab.backup"
    for number in range(4):
        storage.create_experiment(make_config(name=f"Number {number}"))
        write_backup(file, storage.url, keep=3)
    assert sorted(path.name for path in tmp_path.glob("lab*")) == ["lab.backup", "lab.backup.1", "lab.backup.2"]
    restore_backup(tmp_path / "lab.backup.2", storage.url, force=True)
    assert len(storage.list_experiments()) == 2
    with pytest.raises(InvalidInput, match="is there already; name another file, or say with --keep how many"):
        write_backup(file, storage.url)


@pytest.mark.parametrize("keep", [None, 1, 3])
@pytest.mark.parametrize("folder", ["lab.backup", "lab.backup.2"])
def test_a_folder_is_neither_moved_nor_written_over(
    storage: Storage, tmp_path: Path, keep: int | None, folder: str
) -> None:
    file = tmp_path / "lab.backup"
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "precious").write_text("still here")
    if folder == file.name or keep == 3:
        with pytest.raises(InvalidInput, match=f"{folder}: must be a file, it is a folder$"):
            write_backup(file, storage.url, keep=keep)
        assert [path.name for path in tmp_path.glob("lab*")] == [folder]
    else:
        write_backup(file, storage.url, keep=keep)
    assert (tmp_path / folder / "precious").read_text() == "still here"


@pytest.mark.parametrize("name", ["lab.sqlite", "lab"])
def test_the_database_itself_is_neither_moved_nor_written_over(tmp_path: Path, name: str) -> None:
    database = tmp_path / ("lab.1" if name == "lab" else name)
    url = f"sqlite:///{database}"
    with open_storage(url):
        number = database.stat().st_ino
        with pytest.raises(InvalidInput, match=r"lab\.\w+: is the database itself; name another file for the backup$"):
            write_backup(tmp_path / name, url, keep=3)
        assert database.stat().st_ino == number
    assert [path.name for path in tmp_path.glob("lab*.1")] == (["lab.1"] if name == "lab" else [])


def test_two_backups_at_once_are_both_whole(
    full: Storage, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, kind = tmp_path / "lab.backup", sqlite_backup if url.startswith("sqlite") else postgresql_backup
    dump = kind.dump

    def dump_while_another_begins(address: URL, part: Path) -> None:
        dump(address, part)
        other = start_file(file, 2)  # nothing is in it yet
        assert other != part

    monkeypatch.setattr(kind, "dump", dump_while_another_begins)
    write_backup(file, full.url, keep=2)
    kind.check(file)


def test_what_a_killed_backup_left_goes_after_a_day(tmp_path: Path) -> None:
    left, young = (start_file(tmp_path / "lab[1].backup", 2) for _ in range(2))
    own = tmp_path / "lab[1].backup.second.part"
    journal = left.with_name(f"{left.name}-journal")  # which SQLite wrote
    for old in (left, journal, own):
        old.touch()
        os.utime(old, (0, 0))
    start_file(tmp_path / "lab[1].backup", 2)
    assert not left.exists() | journal.exists()
    assert own.exists() & young.exists()


@pytest.mark.parametrize("keep", [None, 2])
def test_where_a_path_names_no_file_a_sentence_says_so(storage: Storage, keep: int | None) -> None:
    for path in (".", "/", ".."):
        with pytest.raises(InvalidInput, match=r"must be a file, it is a folder$"):
            write_backup(Path(path), storage.url, keep=keep)


def test_there_is_something_to_be_backed_up(url: str, tmp_path: Path) -> None:
    if url.startswith("sqlite"):
        with pytest.raises(StorageError, match="its file must be there, it is not"):
            write_backup(tmp_path / "lab.backup", url)
        Path(url.removeprefix("sqlite:///")).touch()
    with pytest.raises(StorageError, match="it is empty"):
        write_backup(tmp_path / "lab.backup", url)
    assert not [*tmp_path.glob("lab*")]


def test_without_its_programs_a_sentence_says_what_to_do(
    storage: Storage, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if url.startswith("sqlite"):
        pytest.skip("SQLite needs none")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(StorageError, match=r"program pg_dump, which is not installed here; .* or use export-all"):
        write_backup(tmp_path / "lab.backup", storage.url)
    assert not [*tmp_path.glob("lab*")]
