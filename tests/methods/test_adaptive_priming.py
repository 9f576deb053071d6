"""Adaptive priming: how many examples are learned in batch, by the same rule in plain Python."""

import warnings

import numpy as np
import pytest

from ensembles import AdaBoostClassifier, PrimedOnlineBoostingClassifier
from ensembles.data.encoding import encode_frame
from ensembles.errors import StoppedEarly
from tests.examples import random_examples


def helpful(X, y, weights, most, n_members):
    """Return how many examples priming looks at, at most `most`, of three classes."""

    def right(learned, start, stop):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StoppedEarly)
            model = AdaBoostClassifier(n_estimators=n_members, algorithm="m1")
            model.fit(X.iloc[:learned], y[:learned], weights[:learned])
        told = model.predict(X.iloc[start:stop])
        return sum(w for w, a, b in zip(weights[start:stop], told, y[start:stop], strict=True) if a == b)

    size = 10
    while 2 * size <= most:
        if size > 10 and right(size, size, 2 * size) < right(size // 2, size, 2 * size):
            return 2 * size
        size *= 2
    return most


def examples(seed):
    X, y, weights = random_examples(seed, n=400)
    return X, y, np.maximum(weights, 0.5)


@pytest.mark.parametrize("weighted", [False, True])
def test_examples_are_primed_while_more_of_them_do_no_harm(weighted):
    found = set()
    for seed in range(3):
        X, y, weights = examples(seed)
        weights = weights if weighted else np.ones(len(y))
        model = PrimedOnlineBoostingClassifier(n_estimators=2, prime_fraction=0.8, priming="adaptive", random_state=1)
        model.warns_if_stopped = False
        model.fit(X, y, weights)
        assert model.n_primed_ == helpful(X, y, weights, 320, 2)
        found.add(model.n_primed_)
    assert len(found) > 1


def test_a_stream_is_primed_with_as_many_and_the_model_is_that_of_such_a_share():
    X, y, _ = examples(1)
    table = encode_frame(X)
    settings = {"n_estimators": 2, "prime_fraction": 0.8, "random_state": 1}
    adaptive = PrimedOnlineBoostingClassifier(priming="adaptive", **settings)
    adaptive.warns_if_stopped = False
    n = adaptive.start_stream(table, y, np.unique(y))
    assert n == helpful(X, y, np.ones(len(y)), 320, 2) < 320
    capped = PrimedOnlineBoostingClassifier(prime_cap=n, **settings)
    capped.warns_if_stopped = False
    assert capped.start_stream(table, y, np.unique(y)) == n
    assert (adaptive.predict_proba(table) == capped.predict_proba(table)).all()


def test_few_examples_are_primed_as_by_their_share():
    X, y, _ = examples(1)
    model = PrimedOnlineBoostingClassifier(n_estimators=2, prime_fraction=0.04, priming="adaptive")
    model.warns_if_stopped = False
    assert model.fit(X, y).n_primed_ == 16
