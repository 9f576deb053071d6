"""A restore into a database that others read meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from storage import Storage
from storage.keeping.backup import restore_backup, write_backup
from tests.runner.conftest import wait_until


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
