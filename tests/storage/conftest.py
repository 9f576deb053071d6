"""Every backend of the storage, and small things to store."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, event

from ensembles.data import Attribute, Dataset, Table
from ensembles.data.files import FileDescription, FileSource
from ensembles.data.files.opened import Fingerprint
from ensembles.data.files.source import ColumnPlan
from ensembles.data.files.tally import Cells
from ensembles.experiments.config import ExperimentConfig
from storage import Storage, open_storage
from tests.fresh import empty_tables, write_empty_tables
from tests.storage.postgresql import empty, make_database, postgresql_server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    with postgresql_server() as server:
        yield server


@pytest.fixture(scope="session")
def database(postgresql: str) -> str:
    """Address of a database for tests of this process, which each of them empties: making one takes ten times as long."""
    return make_database(postgresql, f"test_{os.getpid()}")


@pytest.fixture(scope="session")
def tables(postgresql: str) -> str:
    """Address of a database with the tables of now, for tests that do not ask how these are made."""
    return make_database(postgresql, f"tables_{os.getpid()}")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of an empty database, once for every backend; of one with empty tables where `storage` is asked for too."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.sqlite'}"
    with_tables = "storage" in request.fixturenames
    address: str = request.getfixturevalue("tables" if with_tables else "database")
    (empty_tables if with_tables else empty)(address)
    return address


class Clock:
    """A clock that goes when a test says so."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    """The clock by which `storage` measures silence."""
    return Clock()


@pytest.fixture
def storage(url: str, tmp_path: Path, clock: Clock) -> Iterator[Storage]:
    if url.startswith("sqlite"):
        write_empty_tables(tmp_path / "test.sqlite")
    with open_storage(url, clock=clock) as opened:
        yield opened


@pytest.fixture
def dataset() -> Dataset:
    return make_dataset()


def make_dataset(name: str = "Fruit", n: int = 40, seed: int = 1) -> Dataset:
    rng = np.random.default_rng(seed)
    attributes = (Attribute("colour", "nominal", ("red", "green")), Attribute("weight", "numeric"))
    numbers = rng.normal(size=n)
    numbers[3] = np.nan
    table = Table.from_columns(attributes, [rng.integers(0, 2, n).astype(np.int32), numbers])
    return Dataset(name, table, np.arange(n) % 2, ("apple", "pear"), "kind", "made up")


def make_file(name: str = "Fruit", n: int = 40, path: str = "/data/fruit.csv") -> FileDescription:
    """Return a file that is read in batches, as it was described; there is no such file."""
    sample = make_dataset(name, n)
    schema, columns = sample.table.schema, tuple(ColumnPlan(position, Cells()) for position in range(3))
    source = FileSource(
        path=path,
        name=name,
        target="kind",
        schema=schema,
        classes=sample.classes,
        n_examples=10**7,
        sha256=sample.sha256,
        origin="file fruit.csv, read in batches",
        format="text",
        names=("colour", "weight", "kind"),
        fingerprint=Fingerprint(1, "2", "3", "4"),
        columns=columns,
    )
    return FileDescription(source, sample, (), missing_cells=250_000)


def make_config(*datasets: object, name: str = "Trial run", **changes: object) -> ExperimentConfig:
    document = {
        "name": name,
        "datasets": list(datasets) or ["iris"],
        "learners": [
            {"method": "single", "base": "naive_bayes"},
            {"method": "bagging", "base": "naive_bayes", "n_estimators": 7},
        ],
        "protocol": {"kind": "cross_validation", "repeats": 2, "folds": 2, "orders": 1},
        "measures": ["accuracy", "mse"],
    }
    return ExperimentConfig.from_dict({**document, **changes})


@contextmanager
def listening(listen: Callable[..., None], when: str = "before_cursor_execute") -> Iterator[None]:
    """Hear every statement that goes to a database."""
    event.listen(Engine, when, listen)
    try:
        yield
    finally:
        event.remove(Engine, when, listen)
