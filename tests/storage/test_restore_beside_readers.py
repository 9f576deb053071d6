"""A restore into a database that others read meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL

from ensembles.errors import StorageError
from storage import Storage, open_storage
from storage.keeping import postgresql_backup
from storage.keeping.backup import restore_backup, write_backup
from tests.runner.conftest import wait_until
from tests.storage.conftest import make_config


def test_a_restore_gives_way_to_who_reads(storage: Storage, tmp_path: Path) -> None:
    if storage.url.startswith("sqlite"):
        pytest.skip("SQLite shows each its own moment")
    write_backup(tmp_path / "lab.backup", storage.url)
    with psycopg.connect(storage.url.replace("+psycopg", "")) as reader, ThreadPoolExecutor(1) as pool:
        reader.execute("SELECT count(*) FROM trials")
        restoring = pool.submit(restore_backup, tmp_path / "lab.backup", storage.url, force=True)
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'trials'::regclass"
        wait_until(lambda: reader.execute(waits).fetchone() == (1,), "the restore waits for the reader")
        reader.execute("SELECT count(*) FROM experiments")  # which the restore holds
        reader.commit()
        restoring.result()


def test_who_starts_while_all_is_put_aside_waits_for_the_restore(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if storage.url.startswith("sqlite"):
        pytest.skip("SQLite writes all of it in one transaction")
    storage.create_experiment(make_config(name="Kept"))
    write_backup(tmp_path / "lab.backup", storage.url)
    call, met = postgresql_backup._call, []

    def call_beside_others(name: str, url: URL | None, *arguments: str) -> str:
        if url is not None:  # the present tables are put aside, and the others come
            with pytest.raises(
                StorageError, match="is being restored: wait for its end, or, where that was cut off, run"
            ):
                open_storage(storage.url)
            met.append(name)
        return call(name, url, *arguments)

    monkeypatch.setattr(postgresql_backup, "_call", call_beside_others)
    restore_backup(tmp_path / "lab.backup", storage.url, force=True)
    assert met == ["pg_restore"]
    with open_storage(storage.url) as again:
        assert [one.name for one in again.list_experiments()] == ["Kept"]
