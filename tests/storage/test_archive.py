"""All that is in a database goes into one file and out of it into any other, bit for bit."""

import json
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import insert

from ensembles.data import Dataset
from ensembles.errors import InvalidInput, StorageError
from storage import Storage, migrate, open_storage
from storage.keeping.archive import export_all, import_all
from storage.keeping.archive_rows import tables_of
from storage.keeping.contents import opened
from storage.people.rows import (
    AuditRow,
    CommentRow,
    DatasetHolderRow,
    PresetRow,
    ShareLinkExperimentRow,
    ShareLinkRow,
    TokenRow,
    UserRow,
)
from storage.results import packed
from tests.storage.conftest import listening, make_config
from tests.storage.postgresql import empty
from tests.storage.test_every_schema import ASSETS
from tests.storage.test_trials import failure_of, plan_of, result_of

MOMENT = datetime(2026, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC)
PEOPLE = (
    (UserRow, {"id": 7, "subject": "iss|1", "name": "Ada, ä \x7f", "role": "admin", "created": MOMENT, "seen": MOMENT}),
    (DatasetHolderRow, {"dataset_id": 1, "user_id": 7, "name": "Mine", "source": "", "visibility": "team",
                        "created": MOMENT, "deleted": MOMENT}),
    (ShareLinkRow, {"id": 3, "token_hash": "ab" * 32, "page": "results", "view": "a=1", "needs_sign_in": True,
                    "created": MOMENT}),
    (ShareLinkExperimentRow, {"link_id": 3, "experiment_id": 1}),
    (CommentRow, {"experiment_id": 1, "user_id": 7, "text": "two\nlines, \u2028 and 'more'", "created": MOMENT}),
    (PresetRow, {"name": "Sieben ä", "user_id": 7, "document": "{}", "created": MOMENT}),
    (TokenRow, {"token_hash": "cd" * 32, "user_id": 7, "name": "ci", "scopes": "read", "created": MOMENT}),
    (AuditRow, {"moment": MOMENT, "user_id": 7, "who": "Ada", "action": "x", "kind": "y", "subject": "z", "detail": "{}"}),
)  # fmt: skip


@pytest.fixture
def full(storage: Storage, dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> Storage:
    """A storage with something in each table."""
    monkeypatch.setattr(packed, "FEWEST", 1)
    config = make_config({"sha256": storage.save_dataset(dataset).sha256}, name="Kept")
    record = storage.create_experiment(config, runner="r", lease_seconds=60.0, tags=["mine"])
    results = [(plan_of(n), result_of(plan_of(n), n / 7)) for n in range(5)]
    storage.save_trials(record.id, [*results, (plan_of(5), failure_of(plan_of(5)))])
    storage.finish(record.id, "finished", runner="r")
    storage.create_experiment(make_config(name="Running"), runner="r", lease_seconds=60.0)
    with storage._database.connection() as connection:
        for table, row in PEOPLE:
            connection.execute(insert(table), row)
    return storage


def rows_of(file: Path) -> dict[str, list[bytes]]:
    with zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if name != "archive.json"]
        return {name: sorted(archive.read(name).splitlines()) for name in names}


@pytest.fixture
def other(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Address of an empty database of the other kind."""
    if not url.startswith("sqlite"):
        return f"sqlite:///{tmp_path / 'other.sqlite'}"
    address: str = request.getfixturevalue("database")
    empty(address)
    return address


def test_what_goes_to_another_kind_of_database_and_back_is_the_same_to_the_last_bit(
    full: Storage, tmp_path: Path, other: str
) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    counts = export_all(first, full.url)
    assert min(counts.values()) > 0, "every table is tried"
    assert import_all(first, other) == counts
    export_all(second, other)
    before, after = rows_of(first), rows_of(second)
    place = "tables/experiments.jsonl"
    assert {name for name in before if before[name] != after[name]} == {place}, "nobody holds experiments any more"
    assert [b'"running"' in line for line in before[place]] == [False, True]
    assert [b'"running"' in line for line in after[place]] == [False, False]
    with open_storage(other) as storage:
        [running, kept] = storage.list_experiments()
        assert (running.state, kept.state, kept.best_error) == (
            "waiting",
            "finished",
            full.get_experiment(kept.id).best_error,
        )
        assert repr(storage.list_trials(kept.id)) == repr(full.list_trials(kept.id))
        [dataset] = storage.list_datasets()
        assert storage.get_dataset(dataset.sha256).sha256 == dataset.sha256
        again = storage.create_experiment(make_config(name="New"))
        storage.save_trials(again.id, [(plan_of(1), result_of(plan_of(1)))])
        assert storage.get_experiment(again.id).done == 1, "new rows have numbers of their own"


@pytest.mark.parametrize("schema", ["0001", "0005"])
def test_an_archive_of_an_earlier_schema_is_upgraded(url: str, schema: str, tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite"
    shutil.copyfile(ASSETS / f"schema_{schema}.sqlite", old)
    export_all(tmp_path / "old.zip", f"sqlite:///{old}")
    assert revision(f"sqlite:///{old}") == schema, "an export changes nothing"
    open_storage(url).close()
    import_all(tmp_path / "old.zip", url)
    with open_storage(url) as storage, open_storage(f"sqlite:///{old}") as upgraded:
        first = next(one for one in storage.list_experiments() if one.name == "First")
        assert first == upgraded.get_experiment(first.id)
        assert repr(storage.list_trials(first.id)) == repr(upgraded.list_trials(first.id))
        assert storage.find_past_trials(first.config) == upgraded.find_past_trials(first.config) != []


def revision(url: str) -> str | None:
    with opened(url) as database, database.session() as session:
        return migrate.revision_of(session.connection())


def test_what_is_damaged_or_strange_changes_nothing(full: Storage, tmp_path: Path) -> None:
    file, url = tmp_path / "all.zip", f"sqlite:///{tmp_path / 'new.sqlite'}"
    export_all(file, full.url)
    content = file.read_bytes()
    for name, damaged in (
        ("cut", content[: len(content) // 2]),
        ("flipped", content.replace(content[200:204], b"\0\0\0\0", 1)),
        ("renamed", content.replace(b"tables/trials.jsonl", b"tables/trial\0.jsonl")),
        ("text", b"no archive"),
    ):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(InvalidInput, match=r"must be an archive as export-all writes it \("):
            import_all(tmp_path / name, url)
    with pytest.raises(InvalidInput, match=r"nowhere: must be an archive .* \(No such file"):
        import_all(tmp_path / "nowhere", url)
    for change, sentence in (
        ({"rows": {"trials": 9}}, "trials must have 9 rows, got 6"),
        ({"format": 2}, r"archive.json must be of format 1"),
        ({"schema": "9999"}, r"written by a newer version of Ensemble Lab \(schema '9999'\)"),
        ({"columns": {"users": ["id"]}}, "users must hold rows as they are exported here"),
    ):
        with pytest.raises((InvalidInput, StorageError), match=sentence):
            import_all(changed(file, tmp_path / "changed.zip", change), url)
    with open_storage(url) as storage:
        assert (storage.list_experiments(), storage.list_datasets()) == ([], [])
    with pytest.raises(InvalidInput, match="must be empty, it holds something; name another one"):
        import_all(file, full.url)
    with pytest.raises(InvalidInput, match="is there already"):
        export_all(file, full.url)


def changed(file: Path, other: Path, change: dict[str, object]) -> Path:
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(other, "w") as written:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "archive.json":
                about = json.loads(content)
                for key, value in change.items():
                    about[key] = about[key] | value if isinstance(value, dict) else value
                content = json.dumps(about).encode()
            written.writestr(name, content)
    return other


def test_rows_are_read_and_written_a_few_at_a_time(
    full: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.keeping.archive._BATCH", 2)
    counts = export_all(tmp_path / "all.zip", full.url)
    statements: list[int] = []
    url = f"sqlite:///{tmp_path / 'new.sqlite'}"

    def listen(_connection: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        if statement.startswith("INSERT INTO trials"):
            statements.append(len(parameters) if isinstance(parameters, list) else 1)

    with listening(listen):
        assert import_all(tmp_path / "all.zip", url) == counts
    assert statements == [2, 2, 2]


def test_tables_of_the_moment_stay_where_they_are(full: Storage) -> None:
    with full._database.session() as session:
        names = {table.name for table in tables_of(session.connection())}
    assert {"experiments", "curves", "dataset_chunks", "audit"} < names
    assert not names & {"runners", "alembic_version"}
