"""The commands that look after a database as a whole."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from runner.bundles import write_bundle
from runner.command_line import main
from storage import open_storage
from storage.keeping.contents import opened, our_tables
from storage.migrate import make_tables, revision_of
from storage.people.rows import AuditRow
from tests.fresh import write_empty_tables
from tests.storage.conftest import make_config, make_dataset
from tests.storage.test_trials import plan_of, result_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Address of a database with an experiment that has ended and a data set that nothing needs."""
    write_empty_tables(tmp_path / "lab.sqlite")
    url = f"sqlite:///{tmp_path / 'lab.sqlite'}"
    with open_storage(url) as storage:
        storage.save_dataset(make_dataset())
        record = storage.create_experiment(make_config(name="Kept"), runner="r")
        storage.save_trials(record.id, [(plan_of(1), result_of(plan_of(1)))])
        storage.finish(record.id, "finished", runner="r")
    return url


def names_in(url: str) -> list[str]:
    with open_storage(url) as storage:
        return [one.name for one in storage.list_experiments()]


def test_backup_and_restore(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "lab.backup")
    assert main(["backup", file, "--database", url]) == 0
    assert capsys.readouterr().out.endswith(" MB, the whole database\n")
    assert main(["backup", file, "--database", url]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["backup", file, "--keep", "2", "--database", url]) == 0
    assert Path(f"{file}.1").exists()
    with open_storage(url) as storage:
        storage.create_experiment(make_config(name="Later"))
    assert main(["restore", file, "--database", url]) == 2
    assert "the database must be empty" in capsys.readouterr().err
    assert main(["restore", file, "--force", "--database", url]) == 0
    assert capsys.readouterr().out == "Restored: 1 experiment, 1 data set\n"
    assert names_in(url) == ["Kept"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_restore_that_is_told_to_end_leaves_no_copy(url: str, tmp_path: Path, number: signal.Signals) -> None:
    assert main(["backup", str(tmp_path / "lab.backup"), "--database", url]) == 0
    script = (
        "import signal, sys; from runner.command_line import main; from storage.keeping import sqlite_backup\n"
        f"signal.signal({number.value}, signal.SIG_DFL)\n"  # whatever who runs the tests had ignored
        f"sqlite_backup._bring_up = lambda file: signal.raise_signal({number.value})\n"
        f"sys.exit(main(['restore', 'lab.backup', '--force', '--database', {url!r}]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, check=False
    )
    assert (ended.returncode, ended.stderr) == (1, b"python -m runner: stopped\n")
    assert [file.name for file in tmp_path.iterdir() if "restor" in file.name] == []
    assert names_in(url) == ["Kept"]


def test_what_is_restored_is_counted_with_what_is_in_the_bin(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_storage(url) as storage:
        storage.delete_experiment(storage.list_experiments()[0].id)
        storage.create_experiment(make_config(name="Kept too"))
    file = str(tmp_path / "lab.backup")
    assert main(["backup", file, "--database", url]) == 0
    capsys.readouterr()
    assert main(["restore", file, "--force", "--database", url]) == 0
    assert capsys.readouterr().out == ("Restored: 1 experiment, 1 data set, and in the bin 1 experiment, 0 data sets\n")


def test_everything_goes_into_an_archive_and_out_of_it(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, other = str(tmp_path / "all.zip"), f"sqlite:///{tmp_path / 'other.sqlite'}"
    assert main(["export-all", file, "--database", url]) == 0
    assert capsys.readouterr().out.endswith(" kB, 1 experiment, 1 data set\n")
    assert main(["export-all", file, "--database", url]) == 2
    assert capsys.readouterr().err == f"{file}: is there already; name another file\n", "it has no --keep"
    with open_storage(url) as storage:
        assert [(one.who, one.action, one.kind, one.detail) for one in storage.list_audit(kind="archive")] == [
            ("program", "exported", "archive", "all.zip")
        ]
    assert main(["import-all", file, "--database", other]) == 0
    assert capsys.readouterr().out == "Imported: 1 experiment, 1 data set\n"
    assert names_in(other) == ["Kept"]
    assert main(["import-all", file, "--database", other]) == 2
    assert capsys.readouterr().err == "import-all: the database must be empty, it holds something; name another one\n"


def test_an_archive_and_a_bundle_are_told_apart(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive, bundle = tmp_path / "all.zip", tmp_path / "bundle.zip"
    assert main(["export-all", str(archive), "--database", url]) == 0
    with open_storage(url) as storage:
        bundle.write_bytes(write_bundle(storage, storage.list_experiments()[0].id))
    assert main(["import", str(archive), "--database", url]) == 2
    assert "an archive of a whole database, as import-all takes it" in capsys.readouterr().err
    assert main(["import-all", str(bundle), "--database", f"sqlite:///{tmp_path / 'other.sqlite'}"]) == 2
    assert "the bundle of one experiment, as import takes it" in capsys.readouterr().err


@pytest.mark.parametrize(("schema", "noted"), [("0005", 0), ("0018", 1)])
def test_an_export_leaves_an_earlier_schema_as_it_is(schema: str, noted: int, tmp_path: Path) -> None:
    old = f"sqlite:///{tmp_path / 'old.sqlite'}"
    with opened(old) as database, database.connection() as connection:
        make_tables(connection, schema)
    assert main(["export-all", str(tmp_path / "all.zip"), "--database", old]) == 0
    with opened(old) as database, database.session() as session:
        assert revision_of(session.connection()) == schema, "a program of then may still use it"
        assert "audit" not in our_tables(session.connection()) or session.query(AuditRow).count() == noted


def test_what_a_newer_version_wrote_is_not_exported_by_half(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(url) as database, database.connection() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert main(["export-all", str(tmp_path / "all.zip"), "--database", url]) == 2
    assert "the database was written by a newer version of Ensemble Lab" in capsys.readouterr().err
    assert [path.name for path in tmp_path.glob("all*")] == []


def test_clean_shows_first_and_deletes_what_is_named(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    clean = ["clean", "--older-than", "0d", "--database", url]
    assert main(clean) == 0
    said = capsys.readouterr().out
    assert "Curves of experiments: 1, " in said
    assert "Data sets without an experiment: 1, " in said
    assert "In the bin: 0\nNothing is deleted yet: --yes does it.\n" in said
    assert main([*clean, "--yes"]) == 2
    assert "must say what to delete by --curves, --datasets or --bin" in capsys.readouterr().err
    assert main([*clean, "--curves", "--yes"]) == 0
    assert "data sets" not in capsys.readouterr().out
    with open_storage(url) as storage:
        assert len(storage.list_datasets()) == 1
        assert storage.load_results(storage.list_experiments()[0].id).curves.empty
        storage.delete_experiment(storage.list_experiments()[0].id)
        assert storage.find_unused(timedelta(0)).binned == 1
    assert main([*clean, "--datasets", "--bin", "--yes"]) == 0
    with open_storage(url) as storage:
        assert storage.find_unused(timedelta(0)).binned == 0
    assert main(["clean", "--database", url]) == 0
    assert "Data sets without an experiment: 0, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["clean", "--older-than", "3w"], "must be a number of days like 90d, at most 36500d, got '3w'"),
        (["backup", "x", "--keep", "0"], "must be a whole number from 1 to 1,000, got '0'"),
        (["backup", "x", "--keep", "1001"], "must be a whole number from 1 to 1,000, got '1001'"),
        (["serve", "--port", "99999"], "must be a whole number from 1 to 65535, got '99999'"),
    ],
)
def test_what_cannot_be_meant_is_said(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "backup FILE",
        "export-all FILE",
        "clean",
        "export abc --format csv",
        "run --resume abc",
        "token list",
        "token revoke 1",
    ],
)
def test_who_reads_a_database_makes_none_where_its_path_is_mistyped(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong" / "lab.sqlite"
    words = [str(tmp_path / "file") if word == "FILE" else word for word in command.split()]
    assert main([*words, "--database", f"sqlite:///{wrong}"]) == 2
    assert capsys.readouterr().err == f"database: the file {wrong} must be there, it is not\n"
    assert not [*tmp_path.iterdir()]


def test_no_database_is_made_for_what_is_no_backup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = f"sqlite:///{tmp_path / 'new.sqlite'}"
    assert main(["restore", str(tmp_path / "gone"), "--database", new]) == 2
    assert "gone: cannot be read" in capsys.readouterr().err
    (tmp_path / "text").write_text("no backup")
    assert main(["restore", str(tmp_path / "text"), "--database", new]) == 2
    assert "text: must be a backup of SQLite or PostgreSQL, got another file" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["text"]
    (tmp_path / "other").write_bytes(b"PGDMP")
    assert main(["restore", str(tmp_path / "other"), "--database", new]) == 2
    assert "other: must be a backup of SQLite, got a backup of PostgreSQL" in capsys.readouterr().err
    (tmp_path / "damaged").write_bytes(b"SQLite format 3\0" + b"\1" * 100)
    assert main(["restore", str(tmp_path / "damaged"), "--database", new]) == 2
    assert "damaged: must be a whole database of Ensemble Lab" in capsys.readouterr().err
    assert main(["import-all", str(tmp_path / "text"), "--database", new]) == 2
    assert "text: must be an archive" in capsys.readouterr().err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["damaged", "other", "text"]
