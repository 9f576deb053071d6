"""Members that are added are those that would have been trained at once."""

import copy

import numpy as np
import pytest

from ensembles import BaggingClassifier, NaiveBayesClassifier, WaggingClassifier
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.registry import make_learner, methods
from tests.examples import random_examples


@pytest.mark.parametrize(
    ("method", "base"),
    [("bagging", base) for base in methods()["bagging"].bases]
    + [("wagging", "naive_bayes"), ("bayesian_bagging", "pruned_tree")],
)
def test_members_added_are_those_of_a_larger_ensemble(method, base):
    X, y, weights = random_examples(51)
    whole = make_learner(method, base, settings={"n_estimators": 5}, random_state=2).fit(X, y, weights)
    grown = make_learner(method, base, settings={"n_estimators": 2}, random_state=2).set_params(warm_start=True)
    grown.fit(X, y, weights)
    seen = []
    grown.on_progress = seen.append
    grown.set_params(n_estimators=5).fit(X, y, weights)
    assert grown.n_members_ == 5
    assert seen[-1] == 1.0
    assert (grown.predict_proba(X) == whole.predict_proba(X)).all()
    assert (grown.member_classes(X) == whole.member_classes(X)).all()
    assert grown.member_sizes_ == whole.member_sizes_


def test_members_that_are_there_are_not_trained_again():
    X, y, _ = random_examples(52)
    model = WaggingClassifier(NaiveBayesClassifier(), 3, warm_start=True, random_state=0).fit(X, y)
    said = []
    model.on_progress = said.append
    model.set_params(n_estimators=4).fit(X, y)
    assert said == [1.0]
    assert (model._prior == np.bincount(y)).all()
    model.fit(X, y)
    assert said == [1.0]


def test_what_would_not_be_the_same_ensemble_is_refused_and_changes_nothing():
    X, y, _ = random_examples(53)
    model = BaggingClassifier(NaiveBayesClassifier(), 3, warm_start=True, random_state=0).fit(X, y)
    before = model.predict_proba(X)
    for changes, said in [
        ({"n_estimators": 2}, "bagging: n_estimators must be at least the 3 members there are, with warm_start, got 2"),
        ({"n_estimators": 5, "max_samples": 7}, "bagging: max_samples must stay as it was"),
        ({"n_estimators": 5, "warm_start": 1}, "bagging: warm_start must be true or false, got 1"),
        ({"n_estimators": 5, "oob_score": True}, "bagging: oob_score must"),
    ]:
        with pytest.raises(InvalidParameter, match=said):
            copy.deepcopy(model).set_params(**changes).fit(X, y)
    with pytest.raises(InvalidData, match="bagging: X and y must have the attributes, values and classes they had"):
        model.set_params(n_estimators=5).fit(X, np.where(y == 0, 9, y))
    assert (model.predict_proba(X) == before).all()
    assert model.fit(X, y).n_members_ == 5
    assert model.set_params(warm_start=False, n_estimators=2).fit(X, y).n_members_ == 2
