"""A data set: examples with their classes, where they come from, and a hash of what they say."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.table import MISSING, Attribute, Table
from ensembles.errors import InvalidData

__all__ = ["Dataset", "frame_of"]


class Dataset:
    """Examples with their classes.

    Parameters
    ----------
    name : str
        What people read. Data of the user: never trusted as markup.
    table : Table
    labels : ndarray of int, shape (n_examples,)
        Index into `classes` for each example.
    classes : sequence of str
        At least two, distinct.
    target : str
        Name of the class column.
    source : str
        Where the examples come from, in words ("uploaded car.csv", "generated, seed 1", a citation).

    Raises
    ------
    InvalidData
        No examples, fewer than two classes, labels out of range, an attribute called like the class column.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        labels: npt.NDArray[Any],
        classes: tuple[str, ...],
        target: str = "class",
        source: str = "",
    ) -> None:
        labels = np.ascontiguousarray(labels, dtype=np.int64)
        if len(table) == 0:
            raise InvalidData(f"{name}: a data set needs at least one example, got none")
        if len(labels) != len(table):
            raise InvalidData(f"{name}: {len(table)} examples but {len(labels)} class labels")
        if not table.schema.attributes:
            raise InvalidData(f"{name}: a data set needs at least one attribute besides the class, got none")
        if target in (attribute.name for attribute in table.schema.attributes):
            raise InvalidData(f"{name}: no attribute may be called like the class column, got {target!r} for both")
        present = np.unique(labels)
        if len(present) < 2:
            raise InvalidData(f"{name}: the class column {target!r} needs at least two different classes, got one")
        if present[0] < 0 or present[-1] >= len(classes):
            raise InvalidData(f"{name}: class labels must index the {len(classes)} classes")
        self.name, self.table, self.labels, self.target, self.source = name, table, labels, target, source
        self.classes = tuple(classes)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        shape = f"{len(self):,} examples, {len(self.attributes)} attributes, {len(self.classes)} classes"
        return f"<Dataset {self.name}: {shape}>"

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes, in column order."""
        return self.table.schema.attributes

    @cached_property
    def X(self) -> pd.DataFrame:
        """The examples as a DataFrame: nominal columns are pandas categoricals, numeric columns float64."""
        return frame_of(self.table)

    @cached_property
    def y(self) -> npt.NDArray[np.object_]:
        """The class of each example, as text."""
        names: npt.NDArray[np.object_] = np.array(self.classes, dtype=object)
        labelled: npt.NDArray[np.object_] = names[self.labels]
        return labelled

    @cached_property
    def sha256(self) -> str:
        """Hash of the content: attributes, values, classes and labels, not the name or the source."""
        digest = hashlib.sha256()
        for attribute in self.attributes:
            digest.update(repr((attribute.name, attribute.kind, attribute.categories)).encode())
        digest.update(repr((self.target, self.classes, len(self))).encode())
        for array in (self.table.codes, self.table.numbers, self.labels):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def take(self, rows: npt.NDArray[np.int64]) -> tuple[Table, npt.NDArray[np.int64]]:
        """Return the table and the labels of the examples at positions `rows`."""
        return self.table.take(rows), self.labels[rows]

    def to_frame(self) -> pd.DataFrame:
        """Return attributes and class column (last) as one DataFrame."""
        frame = self.X.copy()
        frame[self.target] = pd.Categorical.from_codes(self.labels, pd.Index(self.classes))
        return frame


def frame_of(table: Table) -> pd.DataFrame:
    """Return examples as a DataFrame: nominal columns are pandas categoricals, numeric columns float64."""
    columns = []
    for position, attribute in enumerate(table.schema.attributes):
        column = table.column(position)
        if attribute.kind == "nominal":
            known = np.where(column >= 0, column, MISSING)
            columns.append(pd.Series(pd.Categorical.from_codes(known, pd.Index(attribute.categories))))
        else:
            columns.append(pd.Series(column))
    frame = pd.concat(columns, axis=1)
    frame.columns = pd.Index([attribute.name for attribute in table.schema.attributes])
    return frame
