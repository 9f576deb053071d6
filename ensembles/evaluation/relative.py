"""How far learners are from the best value there could be, beside the other learners on the same data set."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.evaluation.checks import check_level, check_whole, numbers_in
from ensembles.evaluation.comparable import as_losses
from ensembles.evaluation.finding import Values
from ensembles.evaluation.measures import KNOWN

__all__ = ["Behind", "behind_in_loss", "distances_to_perfect", "improvability", "relative_losses"]

Floats = npt.NDArray[np.float64]


class Behind(NamedTuple):
    """Mean relative losses, by how much each is above that of one learner, and the interval of that; one value a learner."""

    value: Floats
    behind: Floats
    low: Floats
    high: Floats


def distances_to_perfect(measure: str, values: Values) -> Floats:
    """Return by how much values miss the best that the measure can be: of accuracy, the error; NaN of unknown measures."""
    known = KNOWN.get(measure)
    table = numbers_in("distances_to_perfect", "values", values)
    if known is None:
        return np.full(table.shape, np.nan)
    distances: Floats = np.maximum(table - known.low if known.better == "lower" else known.high - table, 0.0)
    return distances


def relative_losses(losses: Values) -> Floats:
    """Return losses by the mean of all learners on the same data set: 1 is like the average one, 0.5 half as much.

    Unlike a ratio to the best it is finite where the best makes no error; where nobody does, all are 1.

    Parameters
    ----------
    losses : array_like of float, shape (n_datasets, n_learners)
        0 or more; NaN is missing, and leaves its data set without a value.
    """
    table = as_losses("relative_losses", losses)
    mean = table.mean(axis=1, keepdims=True)
    relative: Floats = np.where(
        mean > 0.0, table / np.where(mean > 0.0, mean, 1.0), np.where(np.isnan(mean), np.nan, 1.0)
    )
    return relative


def improvability(losses: Values) -> Floats:
    """Return the share of its loss that each learner would lose by becoming the best one on the data set, in [0, 1].

    As TabArena has it (Erickson and others, 2025): (loss - best loss) / loss; without a loss there is nothing to improve.

    Parameters
    ----------
    losses : array_like of float, shape (n_datasets, n_learners)
        As in `relative_losses`.
    """
    table = as_losses("improvability", losses)
    gap = table - table.min(axis=1, keepdims=True)
    shares: Floats = np.where(gap > 0.0, gap / np.where(table > 0.0, table, 1.0), np.where(np.isnan(gap), np.nan, 0.0))
    return shares


def behind_in_loss(losses: Values, best: int, *, alpha: float = 0.05) -> Behind:
    """Compare mean relative losses with those of the learner at `best`; intervals by Student's t over data sets.

    Parameters
    ----------
    losses : array_like of float, shape (n_datasets, n_learners)
        As in `relative_losses`, without NaN, one data set or more; of one the interval is NaN.
    """
    check_level("behind_in_loss", alpha)
    relative = relative_losses(as_losses("behind_in_loss", losses, complete=True))
    check_whole("behind_in_loss", "best", best, 0, relative.shape[1] - 1)
    behind = relative - relative[:, [best]]
    n = len(relative)
    spread = behind.std(axis=0, ddof=1) if n > 1 else np.full(behind.shape[1], np.nan)
    half = stats.t.isf(alpha / 2.0, max(n - 1, 1)) * spread / np.sqrt(n)
    mean = behind.mean(axis=0)
    return Behind(relative.mean(axis=0), mean, mean - half, mean + half)
