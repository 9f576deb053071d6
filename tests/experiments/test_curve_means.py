"""Means of curves that were worked out in parts."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from ensembles.experiments.curve_means import FROM_END, added_means, mean_points


@pytest.mark.parametrize("name", ["learning_curve", "member_errors"])
def test_added_means_are_those_of_all_trials(name: str) -> None:
    rng = np.random.default_rng(4)
    points = pd.DataFrame(
        [
            (repeat, fold, 10.0 * place + (fold if name in FROM_END else 0), rng.random())
            for repeat in range(9)
            for fold in range(2)
            for place in range(1 + repeat % 3, 4)
        ],
        columns=["repeat", "fold", "x", "y"],
    ).assign(dataset=0, learner=0, order=0)
    for over in ("trials", "repeats"):
        made = partial(mean_points, over=over, from_end=name in FROM_END)
        parts = [made(points[points["repeat"] % 2 == part]).assign(part=part) for part in range(2)]
        found = added_means(pd.concat(parts).assign(curve=name, over=over, dataset=0))
        np.testing.assert_allclose(found[["x", "mean", "spread", "n"]], made(points)[["x", "mean", "spread", "n"]])
