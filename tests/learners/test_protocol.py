"""What learners do in one step for speed is what they do in two."""

from copy import deepcopy

import numpy as np
import pytest

from ensembles import (
    ExtremelyFastTreeClassifier,
    HoeffdingTreeClassifier,
    NaiveBayesClassifier,
    PerceptronClassifier,
)
from ensembles.data.table import UNSEEN
from ensembles.learners.core.protocol import (
    cached_prediction,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    prepare_example,
    reset,
    vote_and_learn,
)
from tests.examples import random_examples

MODELS = {
    "naive_bayes": NaiveBayesClassifier(),
    "perceptron": PerceptronClassifier(),
    "perceptron_averaged": PerceptronClassifier(averaged=True),
    "perceptron_unit": PerceptronClassifier(normalise="unit"),
    "hoeffding_tree": HoeffdingTreeClassifier(grace_period=5.0, delta=0.5, tau=2.0, min_branch_fraction=0.0),
    "hoeffding_tree_bayes": HoeffdingTreeClassifier(grace_period=5.0, delta=0.5, leaf_prediction="naive_bayes"),
    "hoeffding_tree_majority": HoeffdingTreeClassifier(grace_period=5.0, delta=0.5, leaf_prediction="majority"),
    "extremely_fast_tree": ExtremelyFastTreeClassifier(5.0, 0.5, 2.0, min_branch_fraction=0.0, reevaluation_period=8.0),
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
    members = model.ensure_capacity(members, examples.table)  # trees have room for tables and splits
    for m in range(n_members):
        reset(members, m)
    plain, before, after, voted_before, voted_after = (deepcopy(members) for _ in range(5))
    work, shares = np.empty((5, n_classes)), np.empty((5, n_classes))
    vote, votes = np.empty(n_classes), np.empty((2, n_classes))
    for i, label in enumerate(examples.labels):
        foreseen = prepare_example(before, rows, i)
        for others in (after, voted_before, voted_after):
            prepare_example(others, rows, i)
        for m in range(n_members):
            weight = float((i + m) % 4) * 0.75  # 0 is not learned
            first = predict_one(plain, m, rows, i, work)
            predict_proba_one(plain, m, rows, i, work, vote)
            if weight > 0.0:
                learn_one(plain, m, rows, i, label, weight)
            second = predict_one(plain, m, rows, i, work)
            if foreseen:
                assert cached_prediction(before, m) == first
            assert predict_and_learn(before, m, rows, i, label, weight, False, work) == first
            assert predict_and_learn(after, m, rows, i, label, weight, True, work) == second
            assert vote_and_learn(voted_before, m, rows, i, label, weight, False, work, votes[0]) == first
            assert vote_and_learn(voted_after, m, rows, i, label, weight, True, work, votes[1]) == second
            assert (votes == vote).all()
            for out, taught in zip(shares, (plain, before, after, voted_before, voted_after), strict=True):
                predict_proba_one(taught, m, rows, i, work, out)
            assert (shares == shares[0]).all()
