"""How far learners are from the best value there could be, beside the other learners on the same data set."""

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.finding import Values
from ensembles.evaluation.measures import KNOWN

__all__ = ["distances_to_perfect", "improvability", "relative_losses"]

Floats = npt.NDArray[np.float64]


def distances_to_perfect(measure: str, values: Values) -> Floats:
    """Return by how much values miss the best that the measure can be: of accuracy, the error; NaN of unknown measures."""
    known = KNOWN.get(measure)
    table = np.asarray(values, dtype=float)
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
    table = np.asarray(losses, dtype=float)
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
    table = np.asarray(losses, dtype=float)
    gap = table - table.min(axis=1, keepdims=True)
    shares: Floats = np.where(gap > 0.0, gap / np.where(table > 0.0, table, 1.0), np.where(np.isnan(gap), np.nan, 0.0))
    return shares
