"""Databases of earlier versions are upgraded, and nothing in them is lost."""

import ast
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, MetaData, create_engine, text

import storage as storage_package
import storage.database as database_module
import storage.migrate as migrate_module
from ensembles.errors import StorageError
from storage import Wanted, open_storage
from storage.database import Database
from storage.location import database_url

ASSETS = Path(__file__).parent / "assets"


@pytest.fixture
def old(url: str) -> str:
    """Address of a database of the first schema, with a data set, and an experiment on it that has ended."""
    database, asset = Database(database_url(url)), create_engine(f"sqlite:///{ASSETS / 'schema_0001.sqlite'}")
    with database.connection() as connection, asset.connect() as source:
        migrate(connection, "0001")
        tables, found = MetaData(), MetaData()
        tables.reflect(connection)
        found.reflect(source)
        for table in tables.sorted_tables:
            if table.name in found.tables and table.name != "alembic_version":
                rows = [dict(row) for row in source.execute(found.tables[table.name].select()).mappings()]
                connection.execute(table.insert(), rows)
    asset.dispose()
    database.close()
    return url


def migrate(connection: Connection, revision: str) -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(storage_package.__file__).parent / "migrations"))
    command.upgrade(config, revision)


def test_a_database_of_the_first_schema_is_upgraded_and_read(old: str) -> None:
    with open_storage(old) as storage:
        (dataset,) = storage.list_datasets()
        assert (dataset.name, dataset.rows, dataset.experiments) == ("Fruit", 40, 1)
        assert storage.get_dataset(dataset.sha256).sha256 == dataset.sha256
        (experiment,) = storage.list_experiments()
        assert (experiment.name, experiment.state, experiment.done, experiment.failed) == ("First", "finished", 3, 1)
        results = storage.load_results(experiment.id)
        assert results.dataset_names == ("Fruit",)
        assert results.trials["accuracy"].tolist()[:2] == [0.75, 0.5]
        assert results.curves["y"].tolist() == [0.5, 0.75]
        wanted = Wanted(words=(("dataset", dataset.sha256), ("method", "single")), sort="error")
        assert [record.id for record in storage.find_experiments(wanted)] == [experiment.id]
        assert (experiment.best_learner, experiment.best_error) == (0, 0.375)
        assert experiment.seconds is not None
        [past, *_] = storage.find_past_trials(experiment.config)
        assert (past.data, past.attributes, past.classes) == (dataset.sha256, dataset.nominal + dataset.numeric, 2)
        assert (experiment.tags, experiment.notes, experiment.starred, experiment.archived) == ((), "", False, False)


def test_what_older_versions_wrote_is_written_anew_but_for_what_people_said(old: str) -> None:
    database = Database(database_url(old))
    with database.connection() as connection:
        migrate(connection, "0004")
        text_of = connection.execute(text("SELECT config FROM experiments")).scalar_one()
        number = connection.execute(text("SELECT id FROM experiments")).scalar_one()
        document = json.loads(text_of)
        del document["datasets"][0]["name"]
        strange = {**document, "learners": [{"method": "of_my_own", "base": "naive_bayes"}]}
        told = [("tag", "mine", "mine"), ("dataset", "x", "data set abc"), ("method", "gone", "Gone")]
        for experiment, config in ((number, document), (number + 1, strange)):
            columns = "permalink, name, state, created, done, failed, seconds, tags, config"
            if experiment != number:
                copied = columns.replace("permalink", "'other'").replace("seconds", "7.0")
                connection.execute(
                    text(f"INSERT INTO experiments (id, {columns}) SELECT {experiment}, {copied} FROM experiments")
                )
            change = text("UPDATE experiments SET config = :config, tags = 'mine', seconds = 7.0 WHERE id = :id")
            connection.execute(change, {"config": json.dumps(config), "id": experiment})
            for kind, word, label in told:
                row = {"id": experiment, "kind": kind, "word": word, "label": label}
                connection.execute(text("INSERT INTO experiment_words VALUES (:id, :kind, :word, :label)"), row)
        score = "INSERT INTO scores VALUES (:id, :dataset, 0, 'old', '{}', 0.2, NULL, 1, 0.5, NULL)"
        timing = "INSERT INTO timings VALUES (:id, :position, 'x', 'old', 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 'h')"
        for place in range(2):
            connection.execute(text(score), {"id": number, "dataset": place})
            position = place * len(document["learners"])
            connection.execute(text(timing), {"id": number, "position": position})
    database.close()
    with open_storage(old) as storage:
        words = {kind: [word.label for word in own] for kind, own in storage.list_words().items()}
        [known] = storage.find_experiments(Wanted(words=(("method", "single"),)))
    database = Database(database_url(old))
    with database.session() as session:
        data = [[*session.scalars(text(f"SELECT data FROM {name} ORDER BY 1"))] for name in ("scores", "timings")]
    database.close()
    assert data == [sorted([known.config.datasets[0].content, "old"])] * 2, "the experiment has one data set"
    assert (known.tags, known.seconds) == (("mine",), 7.0)
    assert [one.label for one in known.config.datasets] == ["Fruit"]
    assert words["tag"] == ["mine"]
    assert sorted(words["dataset"]) == ["Fruit", "data set abc"], "of what cannot be read all stays"
    assert "Gone" in words["method"]


def test_migrations_know_nothing_of_the_application() -> None:
    for path in (Path(storage_package.__file__).parent / "migrations" / "versions").glob("0*.py"):
        imports = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        names = {getattr(node, "module", None) or node.names[0].name for node in imports}
        assert names <= {"sqlalchemy", "alembic"}, path.name


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("ends", [True, False])
def test_who_opens_while_another_program_upgrades_waits_for_it(
    old: str, monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
    monkeypatch.setattr(database_module, "_BUSY_SECONDS", 0.2)
    monkeypatch.setattr(migrate_module, "_UPGRADE_SECONDS", 60.0 if ends else 0.5, raising=False)
    other = Database(database_url(old))
    with ThreadPoolExecutor(1) as pool, other.connection() as connection:
        opening = pool.submit(open_storage, old)
        if ends:
            time.sleep(1.0)
            migrate_module.upgrade_tables(connection)
            connection.commit()
            with opening.result(timeout=60) as storage:
                assert storage.count_experiments() == 1
        else:
            with pytest.raises(StorageError, match=r"^another program has been upgrading the database for"):
                opening.result(timeout=60)
    other.close()
