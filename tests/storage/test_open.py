"""Opening a database: address, schema, versions, many at once."""

import multiprocessing
import os
import pickle
import re
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, event, text

from ensembles.errors import StorageError
from ensembles.experiments.records import TrialResult
from ensembles.folders import data_folder
from storage import location, open_storage
from storage.database import Database
from storage.location import database_url
from storage.models import Base
from tests.runner.fakes import make_plans
from tests.storage.conftest import make_config, make_dataset
from tests.storage.postgresql import make_database

_NORMAL, _FULL = 1, 2


def _open_and_count(url: str) -> int:
    with open_storage(url) as storage:
        return storage.count_experiments()


def _open_files(folder: Path) -> list[str]:
    opened = Path("/proc/self/fd")
    if not opened.exists():
        return []
    targets = [os.readlink(link) for link in opened.iterdir() if link.is_symlink()]
    return [target for target in targets if target.startswith(str(folder))]


def test_the_migrations_make_the_tables_of_the_models(url: str) -> None:
    open_storage(url).close()
    database = Database(database_url(url))
    with database.connection() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), Base.metadata)
    database.close()
    assert differences == []


def test_two_processes_open_a_new_database_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'test.sqlite'}"
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_open_and_count, [url] * 6) == [0] * 6


def test_many_threads_open_a_new_database_at_once(url: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(_open_and_count, [url] * 16)) == [0] * 16


def test_the_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new.sqlite'}"
    open_storage(url).close()
    with closing(sqlite3.connect(tmp_path / "new.sqlite")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(
        StorageError, match=r"was written by a newer version of Ensemble Lab \(schema '9999'\)"
    ) as caught:
        open_storage(url)
    assert not _open_files(tmp_path), f"no connection is left open by {caught}"


def test_sqlite_keeps_a_write_ahead_log_and_foreign_keys(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'test.sqlite'}"
    open_storage(url).close()
    database = Database(database_url(url))
    with database.session() as session:
        connection = session.connection()
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    database.close()


def test_what_was_confirmed_survives_a_power_cut(tmp_path: Path) -> None:
    modes: list[int] = []

    def note(connection: Connection) -> None:
        if connection.get_execution_options().get("sqlite_begin") != ("BEGIN",):  # who only reads leaves nothing behind
            modes.append(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())

    def modes_of(*calls: Callable[[], object]) -> set[int]:
        modes.clear()
        for call in calls:
            call()
        return set(modes)

    event.listen(Engine, "commit", note)
    try:
        with open_storage(f"sqlite:///{tmp_path / 'test.sqlite'}") as storage:
            record = storage.create_experiment(make_config(), runner="me")
            trials = [(plan, TrialResult(plan.key)) for plan in make_plans(2)]
            hasty = modes_of(lambda: storage.heartbeat(record.id, "me"), lambda: storage.save_trials(record.id, trials))
            lasting = modes_of(
                lambda: storage.save_dataset(make_dataset()),
                lambda: storage.create_experiment(make_config()),
                lambda: storage.finish(record.id, "finished", runner="me"),
                lambda: storage.delete_experiment(record.id),
            )
    finally:
        event.remove(Engine, "commit", note)
    assert (hasty, lasting) == ({_NORMAL}, {_FULL})


@pytest.mark.skipif(os.name != "posix", reason="no permissions of this kind")
@pytest.mark.parametrize("folder", ["home", "whole/way/home"])
def test_what_is_stored_is_its_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path / folder))
    before = os.umask(0o022)
    try:
        with open_storage() as storage:
            storage.create_experiment(make_config())
            found = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / folder).iterdir()}
    finally:
        os.umask(before)
    assert found == dict.fromkeys((f"ensemble-lab.sqlite{end}" for end in ("", "-wal", "-shm", "-news")), 0o600)
    assert (tmp_path / folder).stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name != "posix", reason="no permissions of this kind")
def test_the_default_folder_of_an_earlier_version_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "ENSEMBLE_LAB_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(location, "data_folder", lambda: tmp_path / "default")
    (tmp_path / "default").mkdir()
    (tmp_path / "default").chmod(0o755)
    open_storage().close()
    assert (tmp_path / "default").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name != "posix", reason="no permissions of this kind")
def test_permissions_that_somebody_gave_stay(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o775)
    open_storage(f"sqlite:///{tmp_path}/shared/lab.sqlite").close()
    (tmp_path / "shared" / "lab.sqlite").chmod(0o660)
    open_storage(f"sqlite:///{tmp_path}/shared/lab.sqlite").close()
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o775
    assert (tmp_path / "shared" / "lab.sqlite").stat().st_mode & 0o777 == 0o660


def test_the_default_is_a_file_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path / "home"))
    assert data_folder() == tmp_path / "home"
    open_storage().close()
    assert (tmp_path / "home" / "ensemble-lab.sqlite").exists()


@pytest.mark.parametrize("home", ["what? 100%", "~no-such-user/lab"])
def test_a_folder_may_have_any_name(home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", home)
    open_storage().close()
    assert (tmp_path / home / "ensemble-lab.sqlite").exists()
    open_storage("sqlite:///~no-such-user/other/lab.sqlite").close()
    assert (tmp_path / "~no-such-user/other/lab.sqlite").exists()


def test_database_url_moves_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'elsewhere' / 'team.sqlite'}")
    open_storage().close()
    assert (tmp_path / "elsewhere" / "team.sqlite").exists()


@pytest.mark.parametrize("how", ["given", "from the environment"])
def test_the_address_may_stand_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    (tmp_path / "address").write_text(f"sqlite:///{tmp_path / 'team.sqlite'}\n")
    monkeypatch.setenv("DATABASE_URL", f"@{tmp_path / 'address'}")
    open_storage(f"@{tmp_path / 'address'}" if how == "given" else None).close()
    assert (tmp_path / "team.sqlite").exists()
    with pytest.raises(
        StorageError, match=r"^database: the file with the address cannot be read: No such file"
    ) as caught:
        open_storage("@/no/such/place")
    assert caught.value.detail.startswith("database: the file /no/such/place with the address cannot be read: No such")
    (tmp_path / "address").write_text("")
    with pytest.raises(StorageError, match="database must be an address like") as caught:
        open_storage(f"@{tmp_path / 'address'}")
    assert caught.value.detail.endswith("got 'an empty file'")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("lab.sqlite", "database must be an address like .*, got 'lab.sqlite'"),
        ("postgresql//ann:secret@host/lab", "database must be an address like .*, got '...@host/lab'"),
        ("postgresql://ann:secret@host:port/lab", "database must be an address like .*, got '...@host:port/lab'"),
        ("mysql://root@host/lab", "database must be an address like .*, got 'mysql'"),
        ("sqlite://", "in memory, which the runner could not see"),
        ("postgresql://ann:secret@127.0.0.1:1/lab", r"postgresql\+psycopg://ann:\*\*\*@127.0.0.1:1/lab cannot be used"),
        ("postgresql//host/lab?password=secret", "database must be an address like .*, got '...'"),
        ("postgresql//host/lab?password=a@secret", "database must be an address like .*, got '...'"),
        ("postgresql//ann:se?secret@host/lab", "database must be an address like .*, got '...'"),
        (
            "postgresql://ann@127.0.0.1:1/lab?password=secret&sslpassword=secret",
            "ann@127.0.0.1:1/lab cannot be used: ",
        ),
        ("postgresql://ann@127.0.0.1:1/lab?passfile=/secret", "ann@127.0.0.1:1/lab cannot be used: "),
        ("postgresql://ann@127.0.0.1:1/lab?secret=secret", "ann@127.0.0.1:1/lab cannot be used: "),
        ("postgresql://ann@127.0.0.1:1/lab?sslmode=secret", "ann@127.0.0.1:1/lab cannot be used: "),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(wrong: str, said: str) -> None:
    with pytest.raises(StorageError) as caught:
        open_storage(wrong)
    assert re.search(said, caught.value.detail)
    for told in (str(caught.value), caught.value.detail):
        assert "secret" not in told.replace('option "secret"', "")
    assert not re.search(r"\bann\b|127\.0|/lab|host:port", str(caught.value)), "pages show it to everybody"


def test_what_a_server_refuses_is_said_without_names(postgresql: str) -> None:
    with pytest.raises(StorageError, match=r"^the database cannot be reached$") as caught:
        open_storage(f"{postgresql}/no-such-lab")
    assert 'database "no-such-lab" does not exist' in caught.value.detail
    database = Database(database_url(make_database(postgresql, "refusing")))
    said = r"^the database cannot be used: invalid text representation$"
    with pytest.raises(StorageError, match=said) as caught, database.session() as session:
        session.execute(text("SELECT 'ann'::integer"))
    database.close()
    assert "invalid input syntax for type integer" in caught.value.detail


def test_an_error_of_the_storage_keeps_both_sentences_between_processes() -> None:
    again = pickle.loads(pickle.dumps(StorageError("short", detail="long")))
    assert (str(again), again.detail) == ("short", "long")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "image.sqlite").write_bytes(b"\x89PNG\r\n" * 200)
    with pytest.raises(StorageError, match="cannot be used: file is not a database"):
        open_storage(f"sqlite:///{tmp_path / 'image.sqlite'}")


def test_addresses_of_postgresql_get_the_driver_we_use() -> None:
    assert database_url("postgres://ann@host/lab").drivername == "postgresql+psycopg"
    assert database_url("postgresql://ann@host/lab").drivername == "postgresql+psycopg"
