"""What papers did to a data set before they used it. Each step takes a data set and returns another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from ensembles.data import MISSING, Attribute, Dataset, Table
from ensembles.data.attribute_kinds import with_kinds
from ensembles.errors import InvalidData

__all__ = [
    "Step",
    "against_the_rest",
    "all_nominal",
    "all_numeric",
    "complete",
    "indicators",
    "numbered",
    "numeric_at",
    "prepare",
    "scaled",
    "without_attributes",
    "without_rare_classes",
    "without_zeros",
    "yes_or_no",
]

Step = Callable[[Dataset], Dataset]

_SHOWN = 10  # values in a message, at most

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


def numbered(*values: str) -> Step:
    """Take nominal values for their places among these, from 1; leave out the examples with any other value."""
    return partial(_numbered, values)


def _numbered(values: tuple[str, ...], dataset: Dataset) -> Dataset:
    columns: list[tuple[Attribute, _Column]] = []
    kept = np.ones(len(dataset), dtype=bool)
    for attribute, column in _columns(dataset):
        if attribute.kind == "nominal":
            places = np.array([values.index(value) + 1.0 if value in values else 0.0 for value in attribute.categories])
            attribute, column = Attribute(attribute.name, "numeric"), np.where(column >= 0, places[column], 0.0)
            kept &= column > 0.0
        columns.append((attribute, column))
    return _keep(_with(dataset, _table(columns), dataset.labels, dataset.classes), kept)


def indicators(wanted: Mapping[int, Sequence[str]]) -> Step:
    """Put a number for each of these values, 1 or 0, in place of the attribute at each position.

    The step raises `InvalidData` where such a value does not occur.
    """
    return partial(_indicators, wanted)


def _indicators(wanted: Mapping[int, Sequence[str]], dataset: Dataset) -> Dataset:
    columns: list[tuple[Attribute, _Column]] = []
    for position, (attribute, column) in enumerate(_columns(dataset)):
        for value in wanted.get(position, ()):
            if value not in attribute.categories:
                got = ", ".join(map(repr, attribute.categories[:_SHOWN])) or "numbers"
                raise InvalidData(
                    f"{dataset.name}: attribute {attribute.name!r} must have a value {value!r}, got {got}"
                )
            is_it = column == attribute.categories.index(value)
            columns.append((Attribute(f"{attribute.name}={value}", "numeric"), is_it.astype(np.float64)))
        if position not in wanted:
            columns.append((attribute, column))
    return _with(dataset, _table(columns), dataset.labels, dataset.classes)


def yes_or_no(dataset: Dataset) -> Dataset:
    """Put an attribute for each nominal value that occurs, "yes" or "no", in place of every nominal attribute."""
    columns: list[tuple[Attribute, _Column]] = []
    for attribute, column in _columns(dataset):
        if attribute.kind == "numeric":
            columns.append((attribute, column))
            continue
        for code in np.unique(column[column >= 0]):
            one = Attribute(f"{attribute.name}={attribute.categories[code]}", "nominal", ("no", "yes"))
            columns.append((one, (column == code).astype(np.int32)))
    return _with(dataset, _table(columns), dataset.labels, dataset.classes)


def scaled(dataset: Dataset) -> Dataset:
    """Bring numbers to [-1, 1] by their least and greatest value in the whole data set; a constant becomes 0."""
    numbers = dataset.table.numbers
    low, high = np.nanmin(numbers, axis=0, initial=np.inf), np.nanmax(numbers, axis=0, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        stretched = np.where(high > low, 2.0 * (numbers - low) / (high - low) - 1.0, 0.0 * numbers)
    return _with(dataset, Table(dataset.table.schema, dataset.table.codes, stretched), dataset.labels, dataset.classes)


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
    columns = [pair for position, pair in enumerate(_columns(dataset)) if position not in positions]
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


def _columns(dataset: Dataset) -> list[tuple[Attribute, _Column]]:
    return [(attribute, dataset.table.column(position)) for position, attribute in enumerate(dataset.attributes)]


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
