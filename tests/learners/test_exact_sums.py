"""The sums of naive Bayes against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from ensembles import NaiveBayesClassifier
from ensembles.lanes import WIDTH
from ensembles.learners.bayes.moments import sums_at
from ensembles.learners.core.example_weights import in_units

_STEP, _SQUARE_STEP = Fraction(1, 2**81), Fraction(1, 2**108)


def sums_of(model, c):
    """Return, for each attribute, the sum of its numbers and that of their squares in a class, exactly as they are kept."""
    members, found = model._members, []
    for eight in range(len(members.moved)):
        sums = sums_at(members, 0, c, eight)
        found += [[Fraction(high[k]) + Fraction(low[k]) for high, low in sums] for k in range(WIDTH)]
    return found[: members.limits.shape[1]]


def check(model, X, y, weights):
    for c, label in enumerate(model.classes_):
        own = [(row, Fraction(w)) for row, w, known in zip(X, weights, y == label, strict=True) if known]
        for k, (numbers, squares) in enumerate(sums_of(model, c)):
            terms = [(Fraction(row[k]), w) for row, w in own if row[k] == row[k]]
            total = sum(w for _, w in terms)
            for found, step, power in ((numbers, _STEP, 1), (squares, _SQUARE_STEP, 2)):
                most = sum(w * abs(x) ** power for x, w in terms)
                assert abs(found - sum(w * x**power for x, w in terms)) <= total * step + most * Fraction(1, 2**98)


@pytest.mark.parametrize("seed", range(8))
def test_sums_are_exact_whatever_the_weights_and_however_far_apart_the_numbers_are(seed):
    rng = np.random.default_rng(seed)
    n = 900
    X = np.column_stack(
        [
            rng.integers(-9, 10, n),
            100.0 * rng.random(n),
            rng.normal(size=n) * 10.0 ** rng.integers(-12, 13, n),
            rng.choice([0.0, 1e140, -1e140, 1e-140, 3.0, np.nan], n),
            np.full(n, 0.1),
            np.zeros(n),
        ]
    )
    X[:600, 2:4] = rng.normal(size=(600, 2))
    y = rng.integers(0, 2, n)
    kinds = ([1.0], [2.0**30 - 1, 2.0**27, 3.0], [0.3, 7.7, 2.0**-20], [900.3] + [0.1] * 300)
    weights = rng.choice(kinds[seed % 4], n)
    model, seen = NaiveBayesClassifier(), slice(0)
    for part in np.array_split(np.arange(n), rng.integers(1, 12)):  # the first numbers tell little of those that come
        model.partial_fit(X[part], y[part], classes=[0, 1], sample_weight=weights[part])
        seen = slice(0, part[-1] + 1)
    check(model, X[seen], y[seen], in_units(weights[seen], model._unit))
