"""What scikit-learn's and River's users reach for, on every learner that has it."""

import numpy as np
import pytest

from ensembles.registry import base_models, methods
from tests.examples import random_examples
from tests.pairs import ENSEMBLES, first_base
from tests.test_laws import learner

WITH_STAGES = [key for key in methods() if hasattr(learner(key, first_base(key)), "staged_predict_proba")]


def trained(method, n_classes=3):
    X, y, weights = random_examples(21, n_classes=n_classes)
    return learner(method, first_base(method)).fit(X, y, weights), X


@pytest.mark.parametrize("method", methods())
def test_logarithms_are_those_of_the_probabilities(method):
    model, X = trained(method)
    logarithms, probabilities = model.predict_log_proba(X), model.predict_proba(X)
    np.testing.assert_allclose(np.exp(logarithms), probabilities, rtol=1e-12)
    assert (logarithms <= 0).all()


def test_the_logarithm_of_nothing_is_minus_infinity():
    X, y, _ = random_examples(22, n_classes=2)
    model = base_models()["decision_tree"].cls(prune="none").fit(X, y)
    assert np.isneginf(model.predict_log_proba(X)[model.predict_proba(X) == 0]).any()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", ENSEMBLES)
def test_the_class_of_most_votes_is_predicted(method, n_classes):
    model, X = trained(method, n_classes)
    if not hasattr(model, "decision_function"):
        assert method == "adaboost_olm", "one expert predicts"
        model.set_params(expert="weighted").fit(X, model.predict(X))
    votes = model.decision_function(X)
    assert votes.shape == ((len(X),) if n_classes == 2 else (len(X), n_classes))
    votes = np.column_stack([-votes, votes]) if n_classes == 2 else votes
    clear = np.diff(np.sort(votes, axis=1)[:, -2:])[:, 0] > 1e-9
    assert clear.any()
    assert (model.classes_[votes.argmax(axis=1)] == model.predict(X))[clear].all()


@pytest.mark.parametrize("method", WITH_STAGES)
def test_all_members_together_give_the_probabilities_of_the_ensemble(method):
    model, X = trained(method)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == len(list(model.staged_predict(X)))
    for probabilities in stages:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(stages[-1], model.predict_proba(X), rtol=1e-9, atol=1e-12)
