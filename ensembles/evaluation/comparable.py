"""Tables of values, a row a pair and a column a learner: which learners can be compared in them, and their means."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import numbers_in
from ensembles.evaluation.finding import DECIMALS, Values

__all__ = ["as_table", "best_of", "compared_in", "fair_rows", "means_of"]

Floats = npt.NDArray[np.float64]


def as_table(owner: str, values: Values) -> Floats:
    """Return values as they are, NaN where they are not finite; raise `InvalidInput` unless they are a table."""
    table = numbers_in(owner, "values", values)
    if table.ndim != 2:
        raise InvalidInput(f"{owner}: values must have a row a pair and a column a learner, got shape {table.shape}")
    return np.where(np.isfinite(table), table, np.nan)


def compared_in(table: Floats) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which learners have values on more than half of the rows of the fullest, and which rows all of them have.

    The fullest is that of the learners it meets: those it shares a row with, those that they share one with, and so on.
    """
    known = np.isfinite(table)
    counts = known.sum(axis=0)
    _, group = connected_components(known.T.astype(np.int64) @ known.astype(np.int64), directed=False)
    fullest = np.zeros_like(counts)
    np.maximum.at(fullest, group, counts)
    compared = (counts > 0) & (2 * counts > fullest[group])
    return compared, known[:, compared].all(axis=1) & compared.any()


def fair_rows(table: Floats, shared: npt.NDArray[np.bool_]) -> Floats:
    """Return the rows that all compared learners have; where there are none, all, so that each stands for its own."""
    return table[shared] if shared.any() else table


def means_of(table: Floats) -> Floats:
    """Return the mean of each column over what is known; NaN without anything."""
    known = np.isfinite(table)
    n = known.sum(axis=0)
    means = np.where(known, table, 0.0).sum(axis=0) / np.maximum(n, 1)
    return np.where(n > 0, np.round(means, DECIMALS), np.nan)


def best_of(value: Floats, *, lower_is_better: bool) -> int:
    """Return the position of the best value; of equals the first."""
    return int(np.nanargmin(value) if lower_is_better else np.nanargmax(value))
