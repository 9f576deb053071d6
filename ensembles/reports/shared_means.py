"""The means that learners are compared by over data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.verdict import fair_means
from ensembles.experiments.results import Results
from ensembles.reports.significance import Question, split_values

__all__ = ["shared_means"]


def shared_means(results: Results, measure: str, learners: Sequence[int] | None = None) -> npt.NDArray[np.float64]:
    """Return the means that learners are compared by over data sets: on the splits that they share, see `fair_means`.

    Of a learner whose trials failed on the hard splits, or are to come, the mean over its own ones would be too good.

    Parameters
    ----------
    learners : sequence of int, optional
        Positions of those that are compared; all by default.

    Returns
    -------
    ndarray of float, shape (n_datasets, n_learners)
        NaN of those that have no more than half of the splits that others have.
    """
    chosen = range(len(results.learners)) if learners is None else learners
    return np.array([fair_means(values[:, list(chosen)]) for values, *_ in split_values(results, Question(measure))])
