"""How probable it is, on one data set, that a learner is better than another one, practically the same, or worse."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from ensembles.evaluation.checks import check_not_negative
from ensembles.evaluation.finding import DECIMALS, Values
from ensembles.evaluation.significance import t_tests

__all__ = ["ROPE", "Chances", "bayesian_correlated_t"]

Floats = npt.NDArray[np.float64]

ROPE = 0.01
"""Differences up to it are practically none, where nobody chose: a hundredth, as Benavoli and others (2017) take it."""


class Chances(NamedTuple):
    """Probabilities of a mean gain below the margin, within it and above it: they sum to 1; NaN below two pairs."""

    below: Floats
    within: Floats
    above: Floats


def bayesian_correlated_t(gains: Values, *, test_train_ratio: float, rope: float = ROPE) -> Chances:
    """Weigh better, practically equivalent and worse on the splits of one data set (Corani and Benavoli, 2015).

    With a flat prior the mean gain has a Student t distribution with J - 1 degrees of freedom about the one observed, of
    scale sqrt((1/J + rho / (1 - rho)) * variance). The correlation rho of two splits is the share of test examples
    n_test / (n_test + n_train), so rho / (1 - rho) is the ratio of the corrected resampled t-test.

    Parameters
    ----------
    gains : array_like of float, shape (J, ...)
        By how much one learner is better than another on each split, a pair of them for each place behind the first axis;
        NaN, a missing split, is left out.
    test_train_ratio : float
        Test examples by training examples of a split, >= 0.
    rope : float
        Mean gains up to it, in either direction, do not matter in practice; >= 0, in units of the measure.
    """
    check_not_negative("bayesian_correlated_t", "rope", rope)
    tests = t_tests(gains, test_train_ratio)
    mean, scale = np.round(tests.gain, DECIMALS), tests.scale
    spreads = scale > 0.0

    def beyond(gain: Floats) -> Floats:
        """Return the probability of more than the margin."""
        from_margin = np.round(gain - rope, DECIMALS)
        spread = stdtr(np.maximum(tests.n - 1, 1), from_margin / np.where(spreads, scale, 1.0))
        return np.where(np.isnan(scale), np.nan, np.where(spreads, spread, from_margin > 0.0))

    below, above = beyond(-mean), beyond(mean)
    return Chances(below, 1.0 - below - above, above)
