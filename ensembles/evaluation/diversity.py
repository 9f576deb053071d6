"""How differently the members of an ensemble decide: measures over pairs of members.

Kuncheva & Whitaker (2003): Q statistic and disagreement. Margineantu & Dietterich (1997): kappa.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.errors import InvalidInput

__all__ = ["Pairs", "compare_members", "mean_disagreement", "mean_kappa", "mean_q"]

_MOST_MEMBERS = 200  # 19,900 pairs
_BLOCK = 8192  # examples compared at a time

Floats = npt.NDArray[np.float64]


class Pairs(NamedTuple):
    """Pairs of members, each field of shape (n_pairs,).

    one_right : share of the examples that one of them gets right and the other wrong
    q : Q statistic, NaN where it is 0 / 0
    kappa : agreement beyond chance, NaN where both always predict one and the same class
    error : mean error of the two
    """

    one_right: Floats
    q: Floats
    kappa: Floats
    error: Floats


def compare_members(answers: npt.NDArray[np.int64] | None, true: npt.NDArray[np.int64]) -> Pairs | None:
    """Compare every two members; of more than 200 members, 200 evenly spaced ones.

    Parameters
    ----------
    answers : ndarray of int, shape (n_members, n_examples), or None
        The class that each member predicts.
    true : ndarray of int, shape (n_examples,)

    Returns
    -------
    Pairs or None
        None for fewer than two members, or no examples.

    Raises
    ------
    InvalidInput
        There are not as many answers of each member as classes.
    """
    if answers is None:
        return None
    answers, true = np.asarray(answers), np.asarray(true)
    if answers.ndim != 2 or answers.shape[1:] != true.shape:
        raise InvalidInput(
            f"compare_members: answers must have a row a member and a column for each true class, "
            f"got shapes {answers.shape} and {true.shape}"
        )
    if len(answers) < 2 or len(true) == 0:
        return None
    if len(answers) > _MOST_MEMBERS:
        answers = answers[np.linspace(0, len(answers) - 1, _MOST_MEMBERS).round().astype(np.int64)]
    first, second = np.triu_indices(len(answers), 1)
    n = len(true)
    right = answers == true
    often = right.sum(axis=1).astype(np.float64)
    both = _counted_together(right)[first, second]
    only_first, only_second = often[first] - both, often[second] - both
    neither = n - both - only_first - only_second
    alike, by_chance = np.zeros(len(first)), np.zeros(len(first))
    for c in np.unique(answers):
        predicts = answers == c
        times = predicts.sum(axis=1).astype(np.float64)
        alike += _counted_together(predicts)[first, second]
        by_chance += times[first] * times[second]
    return Pairs(
        one_right=(only_first + only_second) / n,
        q=_ratio(both * neither - only_first * only_second, both * neither + only_first * only_second),
        kappa=_ratio(n * alike - by_chance, float(n) ** 2 - by_chance),
        error=1.0 - (often[first] + often[second]) / (2 * n),
    )


def mean_q(pairs: Pairs | None) -> float:
    """Return the mean Q statistic of the pairs that have one; NaN if none has."""
    return _mean(pairs.q) if pairs else float("nan")


def mean_disagreement(pairs: Pairs | None) -> float:
    """Return the mean share of examples that one of two members gets right and the other wrong."""
    return _mean(pairs.one_right) if pairs else float("nan")


def mean_kappa(pairs: Pairs | None) -> float:
    """Return the mean kappa of the pairs that have one; NaN if none has."""
    return _mean(pairs.kappa) if pairs else float("nan")


def _counted_together(marks: npt.NDArray[np.bool_]) -> Floats:
    """Return for every two rows the number of columns where both are marked."""
    together = np.zeros((len(marks), len(marks)))
    for start in range(0, marks.shape[1], _BLOCK):
        part = marks[:, start : start + _BLOCK].astype(np.float32)  # counts below 2^24 are exact
        together += part @ part.T
    return together


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
