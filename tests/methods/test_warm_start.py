"""Members that are added are those that would have been trained at once."""

import copy

import numpy as np
import pytest
from sklearn.base import clone

from ensembles import (
    AdaBoostClassifier,
    ArcX4Classifier,
    BaggingClassifier,
    DecisionStumpClassifier,
    NaiveBayesClassifier,
    WaggingClassifier,
)
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.registry import make_learner, methods
from tests.examples import random_table


@pytest.mark.parametrize(
    ("method", "base"),
    [("bagging", base) for base in methods()["bagging"].bases]
    + [("wagging", "naive_bayes"), ("bayesian_bagging", "pruned_tree")]
    + [
        ("adaboost", "decision_stump"),
        ("adaboost", "decision_tree"),
        ("arc_x4", "decision_stump"),
        ("arc_x4", "neural_network"),
    ],
)
def test_members_added_are_those_of_a_larger_ensemble(method, base):
    X, y, weights = random_table(54)  # on which trees make mistakes, so that boosting goes on
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


@pytest.mark.parametrize(
    ("settings", "stops", "restarts"),
    [
        ({"stop_rule": "bk", "algorithm": "m1"}, False, True),
        ({"stop_rule": "bk", "algorithm": "m1", "weighting": "resample"}, False, True),
        ({"stop_rule": "bk", "max_resets": 2, "algorithm": "m1"}, True, True),
        ({"algorithm": "m1"}, True, False),
        ({"algorithm": "m1", "n_estimators": 1}, True, False),
        ({"zero_error": "infinite", "proba": "logistic"}, False, False),
    ],
)
def test_boosting_goes_on_where_it_was(settings, stops, restarts):
    X, _, weights = random_table(54, n=40)
    y = np.random.default_rng(1).integers(0, 6, 40)
    stump = DecisionStumpClassifier("info_gain", "multiway")  # of which boosting stops and starts again as told
    model = AdaBoostClassifier(stump, random_state=4, **{"n_estimators": 6, **settings})
    model.warns_if_stopped = False
    whole, grown = clone(model), clone(model).set_params(warm_start=True)
    for each in (whole, grown):
        each.keep_weights, each.warns_if_stopped = True, False
    whole.set_params(n_estimators=15).fit(X, y, weights)
    grown.fit(X, y, weights).set_params(n_estimators=15).fit(X, y, weights)
    assert ((whole.stop_reason_ is not None), any(grown._resets)) == (stops, restarts)
    assert grown.stop_reason_ == whole.stop_reason_
    assert grown.n_members_ == whole.n_members_
    assert (grown.member_weights_ == whole.member_weights_).all()
    assert (grown.example_weights_ == whole.example_weights_).all()
    assert (grown.predict_proba(X) == whole.predict_proba(X)).all()


@pytest.mark.parametrize("method", ["bagging", "adaboost"])
def test_votes_that_are_counted_otherwise_from_now_on_are_counted_so_when_members_are_added(method):
    X, y, _ = random_table(57)
    grown = make_learner(method, "naive_bayes", settings={"n_estimators": 2}, random_state=2)
    grown.set_params(warm_start=True).fit(X, y).set_params(n_estimators=3, vote="soft").fit(X, y)
    whole = make_learner(method, "naive_bayes", settings={"n_estimators": 3, "vote": "soft"}, random_state=2).fit(X, y)
    assert (grown.predict_proba(X) == whole.predict_proba(X)).all()


def test_fewer_members_than_were_asked_for_can_be_asked_for_where_boosting_stopped():
    X, y = np.arange(20.0)[:, None], np.arange(20) > 7
    model = AdaBoostClassifier(DecisionStumpClassifier(), 10, warm_start=True)
    model.warns_if_stopped = False
    assert model.fit(X, y).n_members_ == 1
    assert model.set_params(n_estimators=1).fit(X, y).n_members_ == 1
    assert model.stop_reason_ is None
    assert model.set_params(n_estimators=4).fit(X, y).stop_reason_ == "member 1 made no mistake on its training set"


@pytest.mark.parametrize("kind", [AdaBoostClassifier, ArcX4Classifier])
def test_members_that_boosting_had_are_not_trained_again(kind, monkeypatch):
    X, y, _ = random_table(55)
    model = kind(NaiveBayesClassifier(), 2, warm_start=True, random_state=0).fit(X, y)
    trained, fit_member = [], NaiveBayesClassifier.fit_member

    def noted(self, members, m, *examples):
        trained.append(m)
        return fit_member(self, members, m, *examples)

    monkeypatch.setattr(NaiveBayesClassifier, "fit_member", noted)
    model.set_params(n_estimators=4).fit(X, y)
    assert trained == [2, 3]


def test_members_that_are_there_are_not_trained_again():
    X, y, _ = random_table(52)
    model = WaggingClassifier(NaiveBayesClassifier(), 3, warm_start=True, random_state=0).fit(X, y)
    said = []
    model.on_progress = said.append
    model.set_params(n_estimators=4).fit(X, y)
    assert said == [1.0]
    assert (model._prior == np.bincount(y)).all()
    model.fit(X, y)
    assert said == [1.0]


def test_what_would_not_be_the_same_ensemble_is_refused_and_changes_nothing():
    X, y, _ = random_table(53)
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
