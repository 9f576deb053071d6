"""The sum of many standardised numbers at a time, beside that of one after another."""

import numpy as np
import pytest

from ensembles import PerceptronClassifier
from ensembles.jit import kernel
from ensembles.learners.core.inputs import standardise
from ensembles.learners.linear.sums import sum_inputs, sum_standardised
from tests.examples import random_table


@kernel
def _both(members, rows, x, found):
    for i in range(found.shape[0]):
        missing = standardise(members.moments, 0, rows.numbers, i, x)
        found[i, 0] = sum_inputs(members.weights, 0, 0, rows, i, (x, 1.0, missing))
        found[i, 1], known = sum_standardised(members.weights, members.moments, 0, rows, i)
        found[i, 2] = known


@pytest.mark.parametrize("numeric", [1, 3, 4, 7, 8, 9, 12, 15, 16, 23, 57])
@pytest.mark.parametrize("nominal", [0, 5])
def test_many_numbers_at_a_time_sum_up_to_the_same_bits(numeric, nominal):
    X, y, _ = random_table(numeric, n=80, nominal=nominal, numeric=numeric, n_classes=2, missing=0.02)
    X.numbers[3] *= 1e6  # far outliers are cut off
    model = PerceptronClassifier().partial_fit(X, y, [0, 1])
    rows, found = model._rows_to_predict(X), np.empty((80, 3))
    _both(model._members, rows, np.empty(numeric), found)
    known = ~np.isnan(X.numbers).any(axis=1)
    assert found[:, 2].tolist() == known.tolist()
    assert found[known, 0].tolist() == found[known, 1].tolist()
    assert (model.predict(X) == (found[:, 0] > 0)).all()
