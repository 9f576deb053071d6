"""A database of any released schema, with data in it, becomes one of today and loses nothing."""

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import MetaData, create_engine, insert, select, text

from ensembles.errors import StorageError
from storage import Storage, Wanted, migrate, open_storage
from storage.database import Database
from storage.location import database_url
from storage.models import Base
from tests.fresh import write_empty_tables

ASSETS = Path(__file__).parent / "assets"
SCHEMAS = [path.stem.removeprefix("schema_") for path in sorted(ASSETS.glob("schema_*.sqlite"))]
UNRELEASED = [f"{number:04}" for number in range(6, 21)]
DERIVED, ANEW = {"experiment_words", "scores", "timings"}, {"seconds", "best_learner", "best_error", "config"}

Rows = dict[str, list[dict[str, Any]]]


def test_every_schema_has_an_asset() -> None:
    assert [*SCHEMAS, *UNRELEASED] == sorted(migrate._revisions()), (
        "write one with the code of the last commit that made it"
    )


@pytest.fixture(params=SCHEMAS)
def schema(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def old(url: str, schema: str) -> Iterator[Database]:
    """A database of an earlier version: for SQLite its very file, for PostgreSQL what was in it."""
    database = Database(database_url(url))
    if database.is_sqlite:
        shutil.copyfile(ASSETS / f"schema_{schema}.sqlite", str(database.url.database))
    else:
        copy_rows(database, schema)
    yield database
    database.close()


def copy_rows(database: Database, schema: str) -> None:
    asset, tables = create_engine(f"sqlite:///{ASSETS / f'schema_{schema}.sqlite'}"), MetaData()
    with database.connection() as connection, asset.connect() as source:
        migrate.make_tables(connection, schema)
        tables.reflect(connection)
        for table in tables.sorted_tables:
            rows = [dict(row) for row in source.execute(select(table)).mappings()]
            if rows and table.name != "alembic_version":
                connection.execute(insert(table), rows)
    asset.dispose()


def content_of(database: Database) -> Rows:
    """Return all rows of all tables, whatever the schema is."""
    tables = MetaData()
    with database.connection() as connection:
        tables.reflect(connection)
        return {
            name: sorted(map(dict, connection.execute(select(table)).mappings()), key=str)
            for name, table in tables.tables.items()
        }


def test_it_becomes_one_of_today_and_loses_nothing(old: Database, schema: str, tmp_path: Path) -> None:
    before = content_of(old)
    with open_storage(old.url.render_as_string(hide_password=False)) as storage:
        check_schema(old, tmp_path / "fresh.sqlite")
        check_rows(before, content_of(old))
        [dataset] = storage.list_datasets()
        assert storage.get_dataset(dataset.sha256).sha256 == dataset.sha256
        if schema != "0001":  # which has tests of its own
            check_trials(storage)
            check_experiments(storage, schema)


def check_schema(database: Database, fresh: Path) -> None:
    with database.connection() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    if database.is_sqlite:
        write_empty_tables(fresh)
        today = Database(database_url(f"sqlite:///{fresh}"))
        assert definitions(database) == definitions(today)
        today.close()


def definitions(database: Database) -> set[str]:
    with database.session() as session:
        found = session.scalars(text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
        return {" ".join(definition.split()) for definition in found}


def check_rows(before: Rows, after: Rows) -> None:
    """All columns of before hold what they held, but for what is worked out anew."""
    for name in before.keys() - DERIVED - {"alembic_version"}:
        renamed = {"owner": "runner"} if name == "experiments" else {}
        columns = {*before[name][0]} - ANEW if before[name] else set()
        kept = [{column: row[renamed.get(column, column)] for column in columns} for row in after[name]]
        expected = [{column: row[column] for column in columns} for row in before[name]]
        assert sorted(kept, key=str) == sorted(expected, key=str), name
    assert len(after["trials"]) == len(before["trials"]) >= 3


def check_trials(storage: Storage) -> None:
    [first] = [one for one in storage.list_experiments() if one.name == "First"]
    trials = storage.list_trials(first.id)
    assert [result.error for _, result in trials] == [None] * 6 + ["naive_bayes: made to fail"] + [None]
    for number, (plan, result) in enumerate(trials):
        if result.error is None:
            accuracy = 0.5 + 0.0625 * number
            assert result.measures["accuracy"] == accuracy
            mse = result.measures["mse"]
            assert math.isnan(mse) if plan.fold else mse == (1 - accuracy) / 3
            assert result.curves["learning_curve"].y == (1 / 3, accuracy)
            assert result.confusion == ((7, 3), (2, 8))


def check_experiments(storage: Storage, schema: str) -> None:
    [first] = storage.find_experiments(Wanted(words=(("method", "bagging"),), part="First"))
    assert (first.best_learner, first.done, first.failed) == (1, 8, 1)
    assert [word.word for word in storage.list_words()["task"]] == ["cross_validation, 2 folds"]
    assert first.best_error == pytest.approx(1 - (0.75 + 0.8125 + 0.9375) / 3)
    assert first.seconds is not None
    assert len(storage.find_past_trials(first.config)) == 2, "what trials took is known of each learner"
    marks = ((), "", False) if schema == "0002" else (("mine", "old"), "a *note*", True)
    assert (first.tags, first.notes, first.starred) == marks
    others = {one.name: one for one in storage.list_experiments()}
    assert (others["Second"].state, others["Third"].state, others["Third"].done) == ("waiting", "running", 1)
    assert [one.label for one in others["Second"].config.datasets][1] == "Fruit"


@pytest.mark.parametrize("schema", [SCHEMAS[0], SCHEMAS[-1]], indirect=True)
def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    old: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = tmp_path / "migrations"
    shutil.copytree(migrate._SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / "next_breaks.py").write_text(
        "from alembic import op\n\n"
        f"revision, down_revision = 'next', '{migrate.newest_revision()}'\n\n\ndef upgrade() -> None:\n"
        "    op.execute('UPDATE trials SET host = 0')\n    op.execute('DROP TABLE curves')\n"
        "    op.execute('there is no such statement')\n"
    )
    before = content_of(old)
    monkeypatch.setattr(migrate, "_SCRIPTS", scripts)
    migrate._revisions.cache_clear()
    try:
        with pytest.raises(StorageError, match="the database cannot be used"):
            open_storage(old.url.render_as_string(hide_password=False))
    finally:
        monkeypatch.undo()
        migrate._revisions.cache_clear()
    assert content_of(old) == before
