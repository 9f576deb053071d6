"""Tables of values, a row a pair and a column a learner: which learners can be compared in them, and their means."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import numbers_in
from ensembles.evaluation.finding import DECIMALS, Values

__all__ = ["as_losses", "as_table", "best_of", "both_vary", "compared_in", "fair_rows", "means_of", "varying"]

Floats = npt.NDArray[np.float64]

_ROUNDING = 1e-6  # of a test example


def as_table(owner: str, values: Values, name: str = "values", row: str = "pair", *, low: float = -np.inf) -> Floats:
    """Return a table, NaN where it is not finite; raise `InvalidInput` for what is none, or has a value below `low`."""
    table = numbers_in(owner, name, values)
    if table.ndim != 2:
        raise InvalidInput(f"{owner}: {name} must have a row a {row} and a column a learner, got shape {table.shape}")
    if (least := np.nanmin(table, initial=np.inf)) < low:
        raise InvalidInput(f"{owner}: {name} must be {low:g} or more, got {least:g}")
    return np.where(np.isfinite(table), table, np.nan)


def as_losses(owner: str, losses: Values, *, complete: bool = False, n_learners: int = 1) -> Floats:
    """Return losses on data sets; raise `InvalidInput` where there is no such table of so many learners, or it has gaps."""
    table = as_table(owner, losses, "losses", "data set", low=0.0)
    if table.shape[1] < n_learners or (complete and not len(table)):
        fewest = f"{'one data set and ' * complete}{n_learners} learner{'s' * (n_learners > 1)} or more"
        raise InvalidInput(f"{owner}: losses must be of {fewest}, got shape {table.shape}")
    if complete and np.isnan(table).any():
        raise InvalidInput(f"{owner}: losses must be known of all learners on all data sets, got NaN")
    return table


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


def varying(values: Floats, n_test: Values | None = None, grain: float = 0.0) -> npt.NDArray[np.bool_]:
    """Return whether what is known differs along the first axis; of measures of `n_test` examples, in examples as well.

    Parameters
    ----------
    values : array of float, shape (n_splits, ...)
        Rounded; NaN is missing.
    n_test : array_like of float, shape (n_splits,), optional
        Folds are of unequal size where the examples cannot be divided evenly.
    grain : float
        Values of one sign must differ by so many examples.
    """
    differ = _range(values) > 0.0
    if n_test is not None:
        apart = _range(values * numbers_in("varying", "n_test", n_test).reshape(-1, *(1,) * (values.ndim - 1)))
        has_both_signs = _range(np.sign(values)) > 0.0
        differ &= (apart > _ROUNDING) & (has_both_signs | (apart > grain - _ROUNDING))
    return differ


def both_vary(shares: Floats, n_test: Values | None = None, grain: float = 0.0) -> npt.NDArray[np.bool_]:
    """Return whether shares of right ones vary, and those of wrong ones: on unequal folds one may, and not the other."""
    return varying(shares, n_test, grain) & varying(np.round(1.0 - shares, DECIMALS), n_test, grain)


def _range(values: Floats) -> Floats:
    """Return how far what is known lies apart along the first axis."""
    known = np.isfinite(values)
    highest = np.where(known, values, -np.inf).max(axis=0, initial=-np.inf)
    apart: Floats = highest - np.where(known, values, np.inf).min(axis=0, initial=np.inf)
    return apart
