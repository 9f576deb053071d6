"""What learners do in one step for speed is what they do in two."""

from copy import deepcopy

import numpy as np
import pytest

from ensembles import HoeffdingTreeClassifier, NaiveBayesClassifier, PerceptronClassifier
from ensembles.data.table import UNSEEN
from ensembles.learners.core.protocol import (
    cached_prediction,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    prepare_example,
    reset,
)
from tests.examples import random_examples

MODELS = {
    "naive_bayes": NaiveBayesClassifier(),
    "perceptron": PerceptronClassifier(),
    "perceptron_averaged": PerceptronClassifier(averaged=True),
    "perceptron_unit": PerceptronClassifier(normalise="unit"),
    "hoeffding_tree": HoeffdingTreeClassifier(grace_period=5.0, delta=0.5, min_branch_fraction=0.0),
    "hoeffding_tree_bayes": HoeffdingTreeClassifier(grace_period=5.0, delta=0.5, leaf_prediction="naive_bayes"),
    "hoeffding_tree_majority": HoeffdingTreeClassifier(grace_period=5.0, delta=0.5, leaf_prediction="majority"),
}


@pytest.mark.parametrize("numeric", [0, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_members", [1, 2])
@pytest.mark.parametrize("key", MODELS)
def test_telling_around_learning_is_telling_and_learning(key, n_members, n_classes, numeric):
    X, y, _ = random_examples(n_classes + numeric, n=60, nominal=6, numeric=numeric, n_classes=n_classes)
    model = deepcopy(MODELS[key])
    examples = model._validated_examples(X, y, None, np.arange(n_classes))
    rows = model.rows(model._members, examples.table, learning=True)
    if key.startswith("perceptron"):
        rows.codes[::7, 2] = UNSEEN  # switches no input on
    members = model.init_members(n_members, examples.table.schema, n_classes, batch=False)
    for m in range(n_members):
        reset(members, m)
    plain, before, after = (deepcopy(members) for _ in range(3))
    work, shares = np.empty((4, n_classes)), np.empty((3, n_classes))
    for i, label in enumerate(examples.labels):
        foreseen = prepare_example(before, rows, i)
        prepare_example(after, rows, i)
        for m in range(n_members):
            weight = float((i + m) % 4) * 0.75  # 0 is not learned
            first = predict_one(plain, m, rows, i, work)
            if weight > 0.0:
                learn_one(plain, m, rows, i, label, weight)
            second = predict_one(plain, m, rows, i, work)
            if foreseen:
                assert cached_prediction(before, m) == first
            assert predict_and_learn(before, m, rows, i, label, weight, False, work) == first
            assert predict_and_learn(after, m, rows, i, label, weight, True, work) == second
            for out, taught in zip(shares, (plain, before, after), strict=True):
                predict_proba_one(taught, m, rows, i, work, out)
            assert (shares == shares[0]).all()
