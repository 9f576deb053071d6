"""A stream may be endless: what an online learner keeps has a bound."""

import pickle

import numpy as np
import pytest

from ensembles.registry import base_models

STREAM, BLOCK, SETTLED = 500_000, 50_000, 250_000
BOUNDED = [
    key for key, entry in base_models().items() if entry.online and not getattr(entry.cls, "stores_examples", False)
]


@pytest.mark.compiled
@pytest.mark.parametrize("base", BOUNDED)
def test_half_a_million_different_examples_take_no_more_memory_than_the_first_half(base):
    rng = np.random.default_rng(0)
    model = base_models()[base].cls()
    sizes = {}
    for seen in range(BLOCK, STREAM + 1, BLOCK):
        X = rng.normal(size=(BLOCK, 3))
        model.partial_fit(X, (X[:, 0] + rng.normal(size=BLOCK) > 0).astype(int), classes=[0, 1])
        if seen in (SETTLED, STREAM):
            sizes[seen] = len(pickle.dumps(model))
    assert sizes[STREAM] <= 1.01 * sizes[SETTLED]
