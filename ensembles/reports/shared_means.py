"""The means that learners are compared by: on each data set, and over data sets, where those of one source count as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.comparable import compared_in
from ensembles.evaluation.verdict import fair_means
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.significance import Question, split_values

__all__ = ["compared_learners", "counted_once", "independent_means", "shared_means", "sources_of", "with_notes"]


def shared_means(results: Results, measure: str, learners: Sequence[int] | None = None) -> npt.NDArray[np.float64]:
    """Return the means that learners are compared by on each data set: on the splits that they share, see `fair_means`.

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


def independent_means(results: Results, measure: str, learners: Sequence[int] | None = None) -> npt.NDArray[np.float64]:
    """Return the same with one row a source, of shape (n_sources, n_learners): what tests over data sets may count.

    Of several data sets of one source it is the mean over those that all compared learners have.
    """
    means = shared_means(results, measure, learners)
    return np.array([fair_means(means[places]) for places in sources_of(results)])


def sources_of(results: Results) -> list[list[int]]:
    """Return the positions of the data sets, those together that are sizes or encodings of the same one."""
    found: dict[str, list[int]] = {}
    for place, reference in enumerate(results.config.datasets):
        found.setdefault(reference.source, []).append(place)
    return list(found.values())


def counted_once(results: Results) -> str:
    """Return which data sets count as one over data sets, and why; "" where each is of a source of its own."""
    told = [
        f"{results.config.datasets[places[0]].label} ({len(places):,})"
        for places in sources_of(results)
        if len(places) > 1
    ]
    if not told:
        return ""
    return f"{formatting.and_list(told)}. Sizes and encodings of the same data are not independent: their mean counts."


def compared_learners(means: npt.NDArray[np.float64]) -> list[int]:
    """Return the positions of the learners that are compared over data sets, as in the verdict; all if none is."""
    compared = np.flatnonzero(compared_in(means)[0]).tolist()
    return compared or list(range(means.shape[1]))


def with_notes(text: str, results: Results, compared: Sequence[int]) -> str:
    """Return what is said over data sets; behind it, which of them count as one, and which learners are not compared."""
    if told := counted_once(results):
        text += f" Counted as one data set: {told}"
    if len(compared) < len(results.learners):
        names = formatting.and_list(name for place, name in enumerate(results.learners) if place not in compared)
        text += f" Not compared, with no more than half of the results that others have: {names}."
    return text
