"""One example at a time, as River's users give them: a dictionary or a row, read by what a learner knows of its attributes.

What is plain is read without the checks of a table. All else (a new value, a text among numbers, parameters that were
changed) goes the way of a table with one row, which makes room for it or says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import is_, itemgetter
from typing import Any

import numpy as np
import pandas as pd

from ensembles.data.encoding import LARGEST, text_of
from ensembles.data.table import MISSING, UNSEEN, Table
from ensembles.errors import InvalidData
from ensembles.learners.core.keeping import names_of
from ensembles.wording import listed, written

__all__ = ["RowReader", "frame_of"]

_PLAIN = frozenset([float, int, np.float64])  # what can be summed: shorter types of NumPy overflow


class RowReader:
    """Reads rows by the schema and the classes of a learner, as long as it knows these and no others.

    `checked`: the learner has just checked its parameters and those of its base model.
    `counts_examples`: an example without a weight weighs 1 for the learner.
    """

    def __init__(self, learner: Any, *, checked: bool) -> None:
        self.schema, self.classes = learner._schema, learner.classes_
        self.labels = {value: label for label, value in enumerate(learner.classes_.tolist())}
        self.names = _names(learner)
        self._n, self._all_numeric = len(self.names), not self.schema.nominal
        self._pick = itemgetter(*self.names)
        self._values = [
            {text: code for code, text in enumerate(attribute.categories)} if attribute.kind == "nominal" else None
            for attribute in self.schema.attributes
        ]
        self._settings = _settings(learner) if checked else None
        self.counts_examples = getattr(learner, "_unit", 0.0) == 1.0

    def knows(self, learner: Any) -> bool:
        """Say whether the learner still has the attributes and classes that are read here."""
        return learner._schema is self.schema and learner.classes_ is self.classes

    def unchanged(self, learner: Any) -> bool:
        """Say whether its parameters are those that it checked."""
        if self._settings is None:
            return False
        return all(all(map(is_, values, pick(where))) for where, pick, values in self._settings)

    def table(self, x: Any) -> Table | None:
        """Return the row as a table, with a value that is not known as `UNSEEN`; None if it is not plain."""
        values = self._row(x)
        if values is None:
            return None
        if self._all_numeric:
            numbers, codes = values, _NO_CODES
        else:
            parted = self._parted(values)
            if parted is None:
                return None
            numbers, codes = parted[0], np.array([parted[1]], dtype=np.int32)
        plain = _plain(numbers)
        return None if plain is None else Table.unchecked(self.schema, codes, np.array([plain], dtype=np.float64))

    def learnable(self, x: Any) -> Table | None:
        """As `table`; None too if a value is not known, for which the learner has no room yet."""
        table = self.table(x)
        if table is None or table.holds_unseen:
            return None
        return table

    def _row(self, x: Any) -> list[Any] | tuple[Any, ...] | None:
        if isinstance(x, np.ndarray):
            x = x.tolist() if x.ndim == 1 else ()
        elif isinstance(x, pd.Series):
            x = x.to_dict() if x.index.is_unique else ()
        if isinstance(x, Mapping):
            if len(x) != self._n:
                return None
            try:
                return [*self._pick(x)] if self._n > 1 else [self._pick(x)]
            except KeyError:
                x = {str(name): value for name, value in x.items()}
                return [x[name] for name in self.names] if x.keys() == {*self.names} else None
        return x if isinstance(x, list | tuple) and len(x) == self._n else None

    def _parted(self, values: Sequence[Any]) -> tuple[list[Any], list[int]] | None:
        numbers, codes = [], []
        for value, known in zip(values, self._values, strict=True):
            if known is None:
                numbers.append(value)
            elif type(value) is str:
                codes.append(known.get(value, UNSEEN))
            elif _is_missing(value):
                codes.append(MISSING)
            elif isinstance(value, list | tuple | dict | np.ndarray):
                return None
            else:
                codes.append(known.get(text_of(value), UNSEEN))
        return numbers, codes


_NO_CODES = np.empty((1, 0), dtype=np.int32)


def _plain(numbers: Sequence[Any]) -> Sequence[Any] | None:
    """Return the numbers, NaN for what is missing; None if one is no number, or beyond the largest."""
    if not set(map(type, numbers)) <= _PLAIN:
        numbers = [math.nan if _is_missing(value) else value for value in numbers]
        if any(isinstance(value, bool) or not isinstance(value, int | float | np.number) for value in numbers):
            return None
        numbers = [value.item() if isinstance(value, np.generic) else value for value in numbers]
    if sum(map(abs, numbers)) <= LARGEST:
        return numbers
    return None if any(abs(value) > LARGEST for value in numbers) else numbers


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


def _names(learner: Any) -> list[str]:
    given = getattr(learner, "feature_names_in_", None)
    return [attribute.name for attribute in learner._schema.attributes] if given is None else given.tolist()


def _settings(learner: Any) -> list[tuple[dict[str, Any], Any, tuple[Any, ...]]]:
    """Return where the parameters of a learner and its base model stand, how to pick them, and what they are."""
    held = []
    for owner in (learner, getattr(learner, "estimator", None)):
        kind: Any = type(owner)
        names = names_of(kind) if hasattr(owner, "get_params") else ()
        if names and vars(owner).keys() >= {*names}:
            pick = itemgetter(*names, names[0])  # of one name alone it would pick no tuple
            held.append((vars(owner), pick, pick(vars(owner))))
    return held


def frame_of(learner: Any, x: Any) -> pd.DataFrame:
    """Return a row as a table of the attributes that a learner knows, or, as its first example, of those that it has.

    Raises
    ------
    InvalidData
        It has other attributes than the learner knows, or is neither a dictionary nor a row.
    """
    names = _names(learner) if hasattr(learner, "_schema") else None
    if isinstance(x, Mapping | pd.Series):
        row = {str(name): value for name, value in x.items()}
        if len(row) < len(x):
            raise InvalidData(
                f"{learner.key}: x must have a name of its own, as text, for each attribute, got {listed(x.keys())}"
            )
        if names is not None and row.keys() != {*names}:
            raise InvalidData(
                f"{learner.key}: x must have the attributes of the first examples, {listed(names)}, got {listed([*row])}"
            )
        columns: list[Any] = names or [*row]
        values = [row[name] for name in columns]
        if names is not None and not hasattr(learner, "feature_names_in_"):
            columns = [*range(len(names))]
    elif isinstance(x, Iterable) and not isinstance(x, str | bytes) and getattr(x, "ndim", 1) == 1:
        values = [*x]
        if names is not None and len(values) != len(names):
            raise InvalidData(
                f"{learner.key}: x must have {len(names)} values, as the first examples had, got {len(values)}"
            )
        columns = [*names] if names is not None and hasattr(learner, "feature_names_in_") else [*range(len(values))]
    else:
        raise InvalidData(f"{learner.key}: x must be a dictionary or a row of values, got {written(x)}")
    return pd.DataFrame([[np.nan if value is None else value for value in values]], columns=columns)
