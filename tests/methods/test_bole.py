"""BOLE against plain Python: the order of members, the weights of examples, successors from a warning on."""

import math

import numpy as np
import pytest

from ensembles import BoleClassifier, NaiveBayesClassifier
from ensembles.draws import streams, uniforms
from tests import naive
from tests.methods.naive_drift import Ddm
from tests.methods.test_adwin import changing_stream, changing_table


class Expert:
    """A member with its successor and its detector."""

    def __init__(self, level):
        self.model, self.successor, self.fresh = NaiveBayesClassifier(), NaiveBayesClassifier(), True
        self.detector, self.right, self.wrong, self.replaced = Ddm(level, first=6), 0.0, 0.0, 0

    def accuracy(self):
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 0.0

    def said(self, row):
        return self.model.predict(row)[0] if hasattr(self.model, "classes_") else None

    def weight(self):
        voting = self.right + self.wrong > 0 and self.wrong <= self.right
        return math.log((self.right + 0.5) / (self.wrong + 0.5)) if voting else 0.0

    def learn(self, row, label, times, warning):
        said = self.said(row)
        told = "steady" if said is None else self.detector.add(int(said != label), 0.0)
        if told == "risen":
            self.model, self.successor = self.successor, NaiveBayesClassifier()
            self.replaced += 1
        elif self.detector.outcomes and self.detector.lies_above(warning):
            if self.fresh:
                self.successor, self.fresh = NaiveBayesClassifier(), False
            self.successor.partial_fit(row, [label], classes=[0, 1], sample_weight=[times])
        else:
            self.fresh = True
        self.model.partial_fit(row, [label], classes=[0, 1], sample_weight=[times])


def boost(X, y, draws, pure, level, weights):
    """Return the members, and the votes for each example before it was learned."""
    experts, votes = [Expert(level) for _ in range(draws.shape[1])], []
    order, total = experts[:], 0.0
    for i, label in enumerate(y):
        row = X[[i]]
        votes.append(vote(experts, row))
        order.sort(key=lambda expert: -expert.accuracy())
        left, mass, hit = order[:], 1.0, False
        total += weights[i]
        while left:
            expert = left.pop(0 if hit else -1)
            times = mass if pure else naive.poisson(mass, draws[i, experts.index(expert)])
            if times > 0:
                expert.learn(row, label, max(round(times * weights[i] * 2**20), 1) / 2**20, level - 0.75)
            hit = expert.said(row) == label
            if hit:
                expert.right += mass * weights[i]
            else:
                expert.wrong += mass * weights[i]
            mass *= total / (2 * (expert.right if hit else expert.wrong))
    return experts, votes


def vote(experts, row):
    weights = [expert.weight() for expert in experts]
    weights = weights if sum(weights) else [1.0] * len(experts)
    told = [e.model.predict_proba(row)[0] if hasattr(e.model, "classes_") else np.full(2, 0.5) for e in experts]
    return sum(w * p for w, p in zip(weights, told, strict=True))


@pytest.mark.parametrize(("pure", "level"), [(False, 1.95), (True, 1.5)])
def test_it_does_what_plain_python_does(pure, level):
    X, y = changing_table(2, 90, noise=0.2)
    experts, votes = boost(X, y.tolist(), uniforms(streams(4, "bole", 4), 90), pure, level, np.ones(90))
    settings = {"draw": "pure" if pure else "poisson", "drift_level": level, "warning_level": level - 0.75}
    model = BoleClassifier(NaiveBayesClassifier(), n_estimators=4, random_state=4, **settings)
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    _, told = model.predict_then_learn(model._encoded(X[1:]), y[1:])
    np.testing.assert_allclose(told, [one / one.sum() for one in votes[1:]], rtol=1e-9)
    assert model.n_replaced_ == sum(expert.replaced for expert in experts)
    assert model.n_replaced_ > 0
    np.testing.assert_allclose(model.member_errors_, [1 - expert.accuracy() for expert in experts], rtol=1e-9)
    assert model.member_classes(X).tolist() == [expert.model.predict(X).tolist() for expert in experts]
    last = vote(experts, X[[7]])
    np.testing.assert_allclose(model.predict_proba(X[[7]])[0], last / last.sum(), rtol=1e-9)


@pytest.mark.parametrize("pure", [False, True])
def test_an_example_weighs_in_errors_what_it_weighs_in_all(pure):
    X, y = changing_table(3, 90, noise=0.2)
    weights = np.random.default_rng(3).choice([0.25, 0.5, 1.0, 3.0, 4.0], 90)
    experts, _ = boost(X, y.tolist(), uniforms(streams(5, "bole", 4), 90), pure, 1.95, weights)
    settings = {"draw": "pure" if pure else "poisson"}
    model = BoleClassifier(NaiveBayesClassifier(), n_estimators=4, random_state=5, **settings).fit(X, y, weights)
    np.testing.assert_allclose(model.member_errors_, [1 - expert.accuracy() for expert in experts], rtol=1e-9)
    np.testing.assert_allclose(model.member_weights_, [expert.weight() for expert in experts], rtol=1e-9)
    assert model.member_classes(X).tolist() == [expert.model.predict(X).tolist() for expert in experts]


def test_members_recover_from_a_change():
    X, y = changing_stream(5, 2000)
    model = BoleClassifier(NaiveBayesClassifier(), n_estimators=5, random_state=1).fit(X[:1500], y[:1500])
    assert model.score(X[1500:], y[1500:]) > 0.9
    assert model.n_replaced_ >= 5
