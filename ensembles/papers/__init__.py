"""The published tables, and the experiments that re-run them."""

from functools import cache

from ensembles.errors import NotFound
from ensembles.papers import bai2016, jung2017, leeclyde2004, oza2001
from ensembles.papers.agreement import Agreement, agreement_of
from ensembles.papers.comparison import Cell, compare
from ensembles.papers.tables import Experiment, PublishedTable

__all__ = ["Agreement", "Cell", "Experiment", "PublishedTable", "agreement_of", "compare", "get_table", "list_tables"]


@cache
def _tables() -> dict[str, PublishedTable]:
    tables = (*oza2001.TABLES, *leeclyde2004.TABLES, *bai2016.TABLES, *jung2017.TABLES)
    return {table.key: table for table in tables}


def list_tables() -> tuple[PublishedTable, ...]:
    """Return every published table, paper after paper."""
    return tuple(_tables().values())


def get_table(key: str) -> PublishedTable:
    """Return the table called `key` ("oza2001/3.4"); raise `NotFound`."""
    if key not in _tables():
        raise NotFound(f"no table is called {key!r}; there are {', '.join(_tables())}")
    return _tables()[key]
