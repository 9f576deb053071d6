"""A fresh database for each test of the server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage import Storage, open_storage
from tests.fresh import write_empty_tables


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    write_empty_tables(tmp_path / "test.sqlite")
    with open_storage(f"sqlite:///{tmp_path / 'test.sqlite'}") as opened:
        yield opened
