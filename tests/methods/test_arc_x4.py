"""Arc-x4 in batch and online against plain Python."""

import numpy as np
import pytest

from ensembles import (
    ArcX4Classifier,
    DecisionStumpClassifier,
    NaiveBayesClassifier,
    OnlineArcX4Classifier,
)
from ensembles.draws import draw_counts, stream
from tests.examples import random_table

BASES = [NaiveBayesClassifier, DecisionStumpClassifier]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("weighting", ["resample", "reweight"])
def test_members_learn_by_the_mistakes_of_those_before(base, weighting):
    X, y, _ = random_table(1, n=50)
    model = ArcX4Classifier(base(), n_estimators=6, weighting=weighting, random_state=4)
    model.keep_weights = True
    model.fit(X, y)
    mistakes, votes = np.zeros(50), np.zeros((50, 3))
    for m in range(6):
        share = (1 + mistakes**4) / (1 + mistakes**4).sum()
        np.testing.assert_allclose(model.example_weights_[m], share * 50, rtol=1e-9)
        weights = share * 50 if weighting == "reweight" else draw_counts(share, 50, stream(4, "arc_x4", m))
        predicted = base().fit(X, y, weights).predict(X)
        assert model.member_errors_[m] == pytest.approx(share[predicted != y].sum(), abs=1e-9)
        mistakes += predicted != y
        votes[np.arange(50), predicted] += 1
    np.testing.assert_array_equal(model.predict_proba(X), votes / 6)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("count", ["after", "before"])
def test_online_an_example_grows_heavier_with_each_mistake(base, count):
    X, y, _ = random_table(3, n=30)
    model = OnlineArcX4Classifier(base(), n_estimators=4, count=count)
    model.keep_weights = True
    model.fit(X, y)
    members, came, wrong = [base() for _ in range(4)], np.empty((4, 30)), np.zeros(4)
    for i in range(30):
        row, mistakes = X[[i]], 0
        for m, member in enumerate(members):
            came[m, i] = 1.0 + mistakes**4
            before = not hasattr(member, "classes_") or member.predict(row)[0] != y[i]
            member.partial_fit(row, y[i : i + 1], classes=[0, 1, 2], sample_weight=came[m, i : i + 1])
            after = member.predict(row)[0] != y[i]
            mistake = before if count == "before" else after
            mistakes += mistake
            wrong[m] += mistake * came[m, i]
    assert (model.example_weights_ == came).all()
    assert (model.member_errors_ == wrong / came.sum(axis=1)).all()
    votes = np.zeros((30, 3))
    for member in members:
        votes[np.arange(30), member.predict(X)] += 1
    np.testing.assert_array_equal(model.predict_proba(X), votes / 4)
