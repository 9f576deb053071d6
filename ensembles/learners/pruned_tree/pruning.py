"""How many errors are expected of a leaf."""

import math

import numpy as np

from ensembles.jit import inner, part

__all__ = ["confidence_of", "errors_of_leaf", "pessimistic_errors"]

# Quinlan's table: the chance of an error rate so many deviations above the one observed.
_DEVIATIONS = [0.0, 0.25, 0.84, 1.28, 1.65, 2.33, 2.58, 3.09, 4.0]
_CHANCES = [1.0, 0.40, 0.20, 0.10, 0.05, 0.01, 0.005, 0.001, 0.0]


def confidence_of(z: float) -> float:
    """Return the confidence of C4.5, in (0, 1], for z deviations: between the entries of its table it runs straight."""
    return float(np.interp(z, _DEVIATIONS, _CHANCES))


@part
def pessimistic_errors(wrong, n, z, confidence):
    """Return how many of n examples a leaf is expected to get wrong at most that got `wrong` of them wrong in training.

    n times the upper limit, z deviations up, of the error rate (Wilson's, with half an error added). With a `confidence`,
    leaves of less than one error are rated as C4.5 does: n (1 - confidence^(1/n)) for none, a straight line up to one.
    """
    if confidence > 0.0 and wrong < 1.0:
        none = n * (1.0 - math.exp(math.log(confidence) / n))
        return none + wrong * (_wilson(1.0, n, z) - none)
    return _wilson(wrong, n, z)


@inner
def _wilson(wrong, n, z):
    f = min((wrong + 0.5) / n, 1.0)
    deviation = z * math.sqrt(max(f / n - f * f / n + z * z / (4.0 * n * n), 0.0))
    return n * (f + z * z / (2.0 * n) + deviation) / (1.0 + z * z / n)


@inner
def errors_of_leaf(weights, v, z, confidence):
    """Return the pessimistic errors of node v as a leaf."""
    total, most = 0.0, 0.0
    for c in range(weights.shape[1]):
        total += weights[v, c]
        most = max(most, weights[v, c])
    return pessimistic_errors(total - most, total, z, confidence)
