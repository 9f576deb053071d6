"""What papers did to a data set before they used it. Each step takes a data set and returns another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from ensembles.data import MISSING, Attribute, Dataset, Table
from ensembles.data.kinds import with_kinds
from ensembles.errors import InvalidData

__all__ = [
    "Step",
    "against_the_rest",
    "all_nominal",
    "all_numeric",
    "complete",
    "numeric_at",
    "prepare",
    "without_attributes",
    "without_rare_classes",
    "without_values",
    "without_zeros",
]

Step = Callable[[Dataset], Dataset]

_Column = npt.NDArray[np.int32] | npt.NDArray[np.float64]


def prepare(dataset: Dataset, steps: Sequence[Step], name: str) -> Dataset:
    """Return the data set after all steps, under a name of its own; itself if there are none."""
    if not steps:
        return dataset
    for step in steps:
        dataset = step(dataset)
    return _with(dataset, dataset.table, dataset.labels, dataset.classes, name)


def all_nominal(dataset: Dataset) -> Dataset:
    """Take every number for a value of its own."""
    return with_kinds(dataset, nominal="all")


def all_numeric(dataset: Dataset) -> Dataset:
    """Take every value for a number: the one it spells, else its place among the values of its attribute, from 1."""
    return _numeric_at(range(len(dataset.attributes)), dataset)


def numeric_at(*positions: int) -> Step:
    """Take the values of the attributes at `positions` for numbers, as `all_numeric` does."""
    return partial(_numeric_at, positions)


def _numeric_at(positions: Sequence[int], dataset: Dataset) -> Dataset:
    columns = [
        _as_numeric(dataset, position) if position in positions else (attribute, dataset.table.column(position))
        for position, attribute in enumerate(dataset.attributes)
    ]
    return _with(dataset, _table(columns), dataset.labels, dataset.classes)


def complete(dataset: Dataset) -> Dataset:
    """Leave out the examples with a missing value."""
    table = dataset.table
    return _keep(dataset, ~((table.codes == MISSING).any(axis=1) | np.isnan(table.numbers).any(axis=1)))


def without_values(*unwanted: str) -> Step:
    """Leave out the examples in which a nominal attribute has one of these values."""
    return partial(_without_values, frozenset(unwanted))


def _without_values(unwanted: frozenset[str], dataset: Dataset) -> Dataset:
    kept = np.ones(len(dataset), dtype=bool)
    for position, attribute in enumerate(dataset.attributes):
        codes = [code for code, value in enumerate(attribute.categories) if value in unwanted]
        if codes:
            kept &= ~np.isin(dataset.table.column(position), codes)
    return _keep(dataset, kept)


def without_zeros(*positions: int) -> Step:
    """Leave out the examples with a 0 in one of the attributes at `positions`: there it stands for a missing value."""
    return partial(_without_zeros, positions)


def _without_zeros(positions: tuple[int, ...], dataset: Dataset) -> Dataset:
    columns = [dataset.table.column(position) for position in positions]
    return _keep(dataset, np.all([column != 0.0 for column in columns], axis=0))


def without_attributes(*positions: int) -> Step:
    """Leave out the attributes at `positions`."""
    return partial(_without_attributes, positions)


def _without_attributes(positions: tuple[int, ...], dataset: Dataset) -> Dataset:
    kept = [position for position in range(len(dataset.attributes)) if position not in positions]
    columns = [(dataset.attributes[position], dataset.table.column(position)) for position in kept]
    return _with(dataset, _table(columns), dataset.labels, dataset.classes)


def without_rare_classes(fewest: int) -> Step:
    """Leave out classes with fewer than `fewest` examples, with their examples."""
    return partial(_without_rare_classes, fewest)


def _without_rare_classes(fewest: int, dataset: Dataset) -> Dataset:
    counts = np.bincount(dataset.labels, minlength=len(dataset.classes))
    kept = _keep(dataset, counts[dataset.labels] >= fewest)
    place = np.cumsum(counts >= fewest) - 1
    classes = tuple(name for name, n in zip(dataset.classes, counts, strict=True) if n >= fewest)
    return _with(kept, kept.table, place[kept.labels], classes)


def against_the_rest(*names: str) -> Step:
    """Make two classes: the one that has one of these names, or the most examples if none is given, and all others."""
    return partial(_against_the_rest, frozenset(names))


def _against_the_rest(names: frozenset[str], dataset: Dataset) -> Dataset:
    largest = dataset.classes[int(np.bincount(dataset.labels).argmax())]
    chosen = [name in names if names else name == largest for name in dataset.classes]
    if not any(chosen):
        raise InvalidData(f"{dataset.name}: must have a class {' or '.join(sorted(names))}, got {dataset.classes}")
    return _with(dataset, dataset.table, np.where(np.array(chosen)[dataset.labels], 1, 0), ("rest", "chosen"))


def _with(
    dataset: Dataset, table: Table, labels: npt.NDArray[np.int64], classes: tuple[str, ...], name: str = ""
) -> Dataset:
    return Dataset(name or dataset.name, table, labels, classes, dataset.target, dataset.source)


def _keep(dataset: Dataset, kept: npt.NDArray[np.bool_]) -> Dataset:
    table, labels = dataset.take(np.flatnonzero(kept))
    return _with(dataset, table, labels, dataset.classes)


def _table(columns: Sequence[tuple[Attribute, _Column]]) -> Table:
    return Table.from_columns([attribute for attribute, _ in columns], [column for _, column in columns])


def _as_numeric(dataset: Dataset, position: int) -> tuple[Attribute, _Column]:
    attribute, column = dataset.attributes[position], dataset.table.column(position)
    if attribute.kind == "numeric":
        return attribute, column
    try:
        values = np.array([float(value) for value in attribute.categories])
    except ValueError:
        values = np.arange(1.0, len(attribute.categories) + 1.0)
    known = column >= 0
    numbers = np.full(len(column), np.nan)
    numbers[known] = values[column[known]]
    return Attribute(attribute.name, "numeric"), numbers
