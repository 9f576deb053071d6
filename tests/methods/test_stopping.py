"""Methods whose training may end before all members are trained say so, and why."""

import warnings

import numpy as np
import pytest

from ensembles import (
    AdaBoostClassifier,
    BlockedBoostingClassifier,
    DecisionStumpClassifier,
    DecisionTreeClassifier,
    PrimedOnlineBoostingClassifier,
)
from ensembles.errors import StoppedEarly
from ensembles.registry import make_learner, methods
from tests.examples import iris_like, nominal_toy, random_examples
from tests.pairs import ENSEMBLES, first_base

NOISE = np.random.default_rng(0).integers(0, 2, (60, 1)).astype(float), np.arange(60) % 3


def test_adaboost_that_stops_at_its_first_member_says_so():
    model = AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=50, algorithm="m1")
    sentence = (
        r"^adaboost: training stopped after 1 of 50 members, as the error of member 1 was 0\.\d+, not below one half$"
    )
    with pytest.warns(StoppedEarly, match=sentence):
        model.fit(*NOISE)
    assert model.n_members_ == 1
    assert model.stop_reason_.startswith("the error of member 1 was 0.")


def test_adaboost_of_many_classes_stops_at_a_member_that_is_no_better_than_guessing():
    model = AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=50)
    sentence = r"after \d+ of 50 members, as the error of member \d+ was 0\.6667, not below 0\.6667, that of guessing$"
    with pytest.warns(StoppedEarly, match=sentence):
        model.fit(*NOISE)
    assert 1 < model.n_members_ < 50


def test_adaboost_that_stops_at_a_perfect_member_says_so():
    X, y, _ = random_examples(0)
    model = AdaBoostClassifier(DecisionTreeClassifier(prune="none"), n_estimators=20)
    with pytest.warns(StoppedEarly, match="after 1 of 20 members, as member 1 made no mistake on its training set"):
        model.fit(X, y)


@pytest.mark.filterwarnings("error")
def test_adaboost_that_trained_all_members_has_not_stopped():
    X, y = nominal_toy()
    assert AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=3).fit(X, y).stop_reason_ is None
    assert AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=1).fit(*NOISE).stop_reason_ is None
    X, y, _ = random_examples(0)
    assert AdaBoostClassifier(DecisionTreeClassifier(prune="none"), n_estimators=1).fit(X, y).stop_reason_ is None


def test_blocked_boosting_that_runs_out_of_examples_says_so():
    X, y = iris_like()
    model = BlockedBoostingClassifier(n_estimators=50, block_size=20, random_state=0)
    sentence = (
        r"^blocked_boosting: training stopped after \d of 50 members, as the 150 examples ended, of which each .* 20$"
    )
    with pytest.warns(StoppedEarly, match=sentence):
        model.fit(X, y)
    assert model.n_members_ < 50
    assert BlockedBoostingClassifier(n_estimators=2, block_size=20).fit(X, y).stop_reason_ is None


def test_priming_that_keeps_few_members_says_so():
    X, y = iris_like()
    settings = {"prime_fraction": 0.5, "n_estimators": 30, "random_state": 0}
    tree = DecisionTreeClassifier(prune="none")
    with pytest.warns(
        StoppedEarly, match=r"^primed_online_boosting: training stopped after 1 of 30 members, as member 1 "
    ):
        model = PrimedOnlineBoostingClassifier(tree, **settings).fit(X, y)
    assert len(model._streams) == 1
    assert PrimedOnlineBoostingClassifier(tree, pad=True, **settings).fit(X, y).stop_reason_ is None
    assert PrimedOnlineBoostingClassifier(tree, **settings | {"prime_fraction": 0.0}).fit(X, y).stop_reason_ is None


@pytest.mark.parametrize("method", ENSEMBLES)
def test_every_method_that_trains_fewer_members_declares_it(method):
    X, y = iris_like()
    model = make_learner(method, first_base(method), settings={"n_estimators": 60}, random_state=0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, y)
    stops = [str(one.message) for one in told if one.category is StoppedEarly]
    assert bool(stops) == (getattr(model, "stop_reason_", None) is not None)
    assert methods()[method].cls.stops_early == hasattr(model, "stop_reason_")
    model.warns_if_stopped = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)
