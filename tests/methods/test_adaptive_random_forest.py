"""An adaptive random forest in the plainest Python: trees, detectors and Poisson numbers one by one."""

import numpy as np
import pandas as pd
import pytest

from ensembles import (
    AdaptiveRandomForestClassifier,
    ExtremelyFastTreeClassifier,
    HoeffdingTreeClassifier,
    NaiveBayesClassifier,
)
from ensembles.draws import poisson, streams
from ensembles.errors import InvalidParameter
from tests.examples import CATEGORIES
from tests.learners.naive_hoeffding import HoeffdingTree
from tests.learners.test_attributes_of_leaves import drawing
from tests.methods.naive_adwin import Adwin

TREE = {"tau": 0.05, "criterion": "info_gain", "leaf_prediction": "majority", "bins": 4, "min_branch_fraction": 0.01}


class NaiveForest:
    def __init__(self, n, kinds, n_classes, seed, wanted, rate, warning_delta, delta, grace_period, confidence):
        self.n, self.n_classes, self.rate = n, n_classes, rate
        self.deltas = warning_delta, delta
        nominal, numeric = np.flatnonzero(kinds), np.flatnonzero(~kinds)
        self.draws = [drawing(seed, slot, nominal, numeric, wanted) for slot in range(2 * n)]
        self.numbers = streams(seed, "adaptive_random_forest", 2 * n)
        self.new_tree = lambda: HoeffdingTree(
            [CATEGORIES if kind else None for kind in kinds],
            n_classes,
            grace_period=grace_period,
            delta=confidence,
            max_nodes=2000,
            **TREE,
        )
        self.trees = [self.new_tree() for _ in range(n)]
        self.behind = [None] * n
        self.warnings, self.drifts = [[Adwin(delta) for _ in range(n)] for delta in self.deltas]
        self.right, self.seen = [0.0] * n, [0.0] * n
        self.n_warnings = self.n_replaced = 0

    def shares(self, values):
        votes = np.zeros(self.n_classes)
        for m, tree in enumerate(self.trees):
            told = tree.shares(values) if sum(tree.totals) else np.full(self.n_classes, 1 / self.n_classes)
            votes += np.array(told) * (self.right[m] / self.seen[m] if self.seen[m] else 1.0)
        return votes / votes.sum()

    def learn(self, values, label):
        times = [poisson(self.rate, generator.random()) for generator in self.numbers]
        for m in range(self.n):
            tree = self.trees[m]
            known = sum(tree.totals) > 0
            wrong = known and self.class_of(tree, values) != label
            for slot, grown in ((m, tree), (self.n + m, self.behind[m])):
                if grown is not None and times[slot]:
                    grown.draw = self.draws[slot]
                    grown.learn(values, label, float(times[slot]))
            if known:
                self.seen[m] += 1.0
                self.right[m] += not wrong
                self.watch(m, int(wrong))

    def class_of(self, tree, values):
        path = tree.path(values)
        weights = path[-1].weights if sum(path[-1].weights) or len(path) == 1 else path[-2].weights
        return tree.winner(weights)

    def watch(self, m, wrong):
        if risen(self.warnings[m], wrong):
            self.n_warnings += 1
            self.behind[m], self.warnings[m] = self.new_tree(), Adwin(self.deltas[0])
        if risen(self.drifts[m], wrong):
            self.n_replaced += 1
            self.trees[m] = self.behind[m] or self.new_tree()
            self.behind[m] = None
            self.warnings[m], self.drifts[m] = map(Adwin, self.deltas)
            self.right[m] = self.seen[m] = 0.0


def risen(adwin, wrong):
    before = adwin.rate() if adwin.outcomes else 0.0
    return adwin.add(wrong) and adwin.rate() > before


def changing(n, seed=0):
    """Examples of two numbers and two words, whose classes come to mean something else little by little."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.random(n), "w": pd.Categorical.from_codes(rng.integers(0, 4, n), CATEGORIES), "b": rng.random(n)}
    )
    X["v"] = pd.Categorical.from_codes(rng.integers(0, 4, n), CATEGORIES)
    told = (X["a"] > 0.5).astype(int) + (X["w"].cat.codes > 1)
    return X, np.where(3 * np.arange(n) / n - 1 < rng.random(n), told, 2 - told)


def as_rows(X):
    words = {name for name in X.columns if X[name].dtype == "category"}
    return [[row[name] if name in words else float(row[name]) for name in X.columns] for row in X.to_dict("records")]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_forest_is_that_of_the_oracle(seed):
    X, y = changing(900, seed)
    forest = AdaptiveRandomForestClassifier(
        HoeffdingTreeClassifier(leaf_prediction="majority", bins=4, grace_period=20, delta=0.2),
        n_estimators=3,
        random_state=seed,
        max_features="share",
        feature_share=0.5,
        rate=2.0,
        warning_delta=0.9,
        delta=0.02,
    ).fit(X, y)
    kinds = np.array([X[name].dtype == "category" for name in X.columns])
    oracle = NaiveForest(3, kinds, 3, seed, 2, 2.0, 0.9, 0.02, 20.0, 0.2)
    for values, label in zip(as_rows(X), y.tolist(), strict=True):
        oracle.learn(values, label)
    assert (forest.n_warnings_, forest.n_replaced_) == (oracle.n_warnings, oracle.n_replaced)
    assert oracle.n_warnings > oracle.n_replaced > 0
    np.testing.assert_allclose(forest.member_weights_, np.divide(oracle.right, oracle.seen))
    np.testing.assert_allclose(forest.member_errors_, 1 - forest.member_weights_)
    expected = [oracle.shares(values) for values in as_rows(X)]
    np.testing.assert_allclose(forest.predict_proba(X), expected, rtol=1e-7, atol=1e-9)


def test_what_is_told_before_learning_is_what_predict_says():
    X, y = changing(300)
    settings = {"n_estimators": 4, "random_state": 1, "delta": 0.3, "warning_delta": 0.5}
    first = AdaptiveRandomForestClassifier(**settings).fit(X[:150], y[:150])
    table = first._encoded(X[150:])
    told, shares = first.predict_then_learn(table, y[150:].astype(np.int64))
    second = AdaptiveRandomForestClassifier(**settings).fit(X[:150], y[:150])
    for i in range(150, 300):
        assert second.predict(X[i : i + 1])[0] == told[i - 150]
        np.testing.assert_array_equal(second.predict_proba(X[i : i + 1])[0], shares[i - 150])
        second.partial_fit(X[i : i + 1], y[i : i + 1])


def test_the_forest_sets_in_its_trees_what_they_were_not_told():
    def trees(estimator=None, **settings):
        return AdaptiveRandomForestClassifier(estimator, **settings).base_model()

    told = trees(HoeffdingTreeClassifier(grace_period=20.0, max_features="log2"), max_features="sqrt")
    assert (told.grace_period, told.delta, told.max_features) == (20.0, 0.01, "log2")
    assert trees().get_params()["grace_period"] == 50.0
    assert trees(max_features="sqrt").max_features == "sqrt"
    assert trees(ExtremelyFastTreeClassifier(delta=0.5)).delta == 0.5


def test_a_forest_of_other_base_models_is_refused():
    with pytest.raises(
        InvalidParameter, match="estimator must be a base model of key hoeffding_tree or extremely_fast_tree"
    ):
        AdaptiveRandomForestClassifier(NaiveBayesClassifier()).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("settings", [{"vote": "hard"}, {"drift_detector": "ddm"}])
def test_other_votes_and_detectors_follow_a_change(settings):
    X, y = changing(1600)
    forest = AdaptiveRandomForestClassifier(n_estimators=5, random_state=0, **settings).fit(X, y)
    assert forest.n_replaced_ > 0
    assert forest.score(X[-400:], y[-400:]) > 0.8
