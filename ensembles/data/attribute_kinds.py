"""Attributes taken for another kind than they were recognised as, or left out: of a file, or of a data set."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.columns import MOST_CATEGORIES
from ensembles.data.dataset import Dataset
from ensembles.data.encoding import text_of
from ensembles.data.table import MISSING, Attribute, Table
from ensembles.errors import InvalidData

__all__ = ["KINDS", "wanted_kinds", "with_kinds"]

KINDS = ("nominal", "numeric", "ignore")


def wanted_kinds(
    owner: str,
    numbers: Iterable[str] = (),
    *,
    nominal: Collection[str] | str | None = None,
    numeric: Collection[str] | None = None,
    ignore: Collection[str] | None = None,
) -> dict[str, str]:
    """Return the kind of each column that one is asked for; "all" asks for `numbers`, and a name goes before it.

    Raises
    ------
    InvalidData
        Not a list of names, or a column in two of them.
    """
    kinds = dict.fromkeys(numbers if nominal == "all" else (), "nominal")
    named: dict[str, str] = {}
    for kind, columns in zip(KINDS, (None if nominal == "all" else nominal, numeric, ignore), strict=True):
        if columns is None:
            continue
        if not (isinstance(columns, list | tuple | set) and all(isinstance(column, str) for column in columns)):
            raise InvalidData(f"{owner}: {kind} must be a list of columns, got {columns!r}")
        for column in columns:
            if named.setdefault(column, kind) != kind:
                raise InvalidData(f"{owner}: column {column!r} cannot be both {named[column]} and {kind}")
    return kinds | named


def with_kinds(
    dataset: Dataset,
    *,
    nominal: Collection[str] | str | None = None,
    numeric: Collection[str] | None = None,
    ignore: Collection[str] | None = None,
) -> Dataset:
    """Return the data set with attributes of other kinds; itself when nothing is asked for.

    Parameters
    ----------
    dataset : Dataset
    nominal : collection of str or "all", optional
        Attributes of which every number becomes a value of its own.
    numeric : collection of str, optional
        Attributes whose values spell numbers.
    ignore : collection of str, optional
        Attributes to leave out.

    Raises
    ------
    InvalidData
        There is no such attribute, it cannot be of that kind, or none is left.
    """
    numbers = [attribute.name for attribute in dataset.attributes if attribute.kind == "numeric"]
    kinds = wanted_kinds(dataset.name, numbers, nominal=nominal, numeric=numeric, ignore=ignore)
    if not kinds:
        return dataset
    names = [attribute.name for attribute in dataset.attributes]
    for name in kinds:
        if name not in names:
            raise InvalidData(f"{dataset.name}: there is no attribute {name!r}; there are {', '.join(names[:20])}")
    attributes: list[Attribute] = []
    columns: list[npt.NDArray[Any]] = []
    for position, attribute in enumerate(dataset.attributes):
        kind, column = kinds.get(attribute.name, attribute.kind), dataset.table.column(position)
        if kind == "ignore":
            continue
        if kind != attribute.kind:
            change = _as_nominal if kind == "nominal" else _as_numeric
            attribute, column = change(dataset.name, attribute, column)
        attributes.append(attribute)
        columns.append(column)
    if not attributes:
        raise InvalidData(f"{dataset.name}: no attribute is left, every one is ignored")
    table = Table.from_columns(attributes, columns)
    return Dataset(dataset.name, table, dataset.labels, dataset.classes, dataset.target, dataset.source)


def _as_nominal(owner: str, attribute: Attribute, column: npt.NDArray[Any]) -> tuple[Attribute, npt.NDArray[Any]]:
    known = ~np.isnan(column)
    values, found = np.unique(column[known], return_inverse=True)
    if len(values) > MOST_CATEGORIES:
        allowed = f"at most {MOST_CATEGORIES:,} are allowed"
        raise InvalidData(f"{owner}: {attribute.name!r} cannot be nominal: {len(values):,} different values, {allowed}")
    codes = np.full(len(column), MISSING, dtype=np.int32)
    codes[known] = found
    return Attribute(attribute.name, "nominal", tuple(map(text_of, values.tolist()))), codes


def _as_numeric(owner: str, attribute: Attribute, column: npt.NDArray[Any]) -> tuple[Attribute, npt.NDArray[Any]]:
    numbers = np.array([*map(_number, attribute.categories), np.nan])
    if wrong := [text for text, number in zip(attribute.categories, numbers, strict=False) if not np.isfinite(number)]:
        raise InvalidData(f"{owner}: {attribute.name!r} cannot be numeric: it has the value {wrong[0]!r}")
    return Attribute(attribute.name, "numeric"), numbers[column]  # MISSING is the last


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
