"""Numbers that the thesis printed, from data that anybody can generate (tables 3.4 and 4.2, Synthetic-2)."""

from functools import cache

import numpy as np
import pytest

from ensembles.data import load_dataset
from ensembles.registry import make_learner

PUBLISHED = {"single": 0.7800, "online_bagging": 0.7800, "adaboost": 0.8446, "online_boosting": 0.8376}


@cache
def synthetic_2():
    return load_dataset("synthetic_2", rows=100_000, seed=1)


@pytest.mark.compiled
@pytest.mark.xdist_group("published")  # the data take longer than what learns them
@pytest.mark.parametrize(("method", "published"), PUBLISHED.items())
def test_naive_bayes_on_synthetic_2_comes_close_to_the_thesis(method, published):
    data = synthetic_2()
    settings = {} if method == "single" else {"n_estimators": 100}
    accuracies = []
    for fold in range(2):
        test = np.arange(len(data)) % 5 == fold
        train_X, train_y = data.take(np.flatnonzero(~test))
        test_X, test_y = data.take(np.flatnonzero(test))
        model = make_learner(method, "naive_bayes", settings=settings, random_state=fold).fit(train_X, train_y)
        accuracies.append((model.predict(test_X) == test_y).mean())
    assert np.mean(accuracies) == pytest.approx(published, abs=0.015)
