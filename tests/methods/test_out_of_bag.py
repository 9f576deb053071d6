"""Out-of-bag votes against samples drawn again in plain Python."""

import numpy as np
import pytest
from sklearn.base import clone

from ensembles import BaggingClassifier, NaiveBayesClassifier, PrunedTreeClassifier, WaggingClassifier
from ensembles.draws import streams
from ensembles.errors import InvalidParameter
from tests.examples import random_examples


@pytest.mark.parametrize("vote", ["hard", "soft"])
@pytest.mark.parametrize("weighted", [False, True])
def test_members_vote_on_what_their_samples_left_out(vote, weighted):
    X, y, weights = random_examples(41, n=60)
    given = np.where(weights > 0, weights, 1.0) if weighted else np.ones(60)
    model = BaggingClassifier(NaiveBayesClassifier(), 7, vote=vote, oob_score=True, random_state=3)
    model.fit(X, y, given if weighted else None)
    votes = np.zeros((60, 3))
    for drawing, member in zip(streams(3, "bagging", 7), model.estimators_, strict=True):
        learned = set(drawing.integers(0, 60, 60).tolist())
        for i in set(range(60)) - learned:
            row = X.iloc[i : i + 1]
            votes[i] += member.predict_proba(row)[0] if vote == "soft" else member.predict(row)[0] == np.arange(3)
    told = votes.any(axis=1)
    assert 0 < told.sum() < 60
    shares = votes[told] / votes[told].sum(axis=1)[:, None]
    np.testing.assert_allclose(model.oob_decision_function_[told], shares, rtol=1e-12)
    assert np.isnan(model.oob_decision_function_[~told]).all()
    clear = told & (np.diff(np.sort(votes, axis=1)[:, -2:])[:, 0] > 1e-9)
    low = given[clear & (votes.argmax(axis=1) == y)].sum()
    reached, slack = model.oob_score_ * given[told].sum(), 1e-4  # weights are multiples of 2^-20
    assert low - slack <= reached <= low + given[told & ~clear].sum() + slack


def test_being_asked_changes_no_member_and_is_a_parameter():
    X, y, _ = random_examples(42)
    plain = BaggingClassifier(PrunedTreeClassifier(), 5, random_state=1).fit(X, y)
    asked = clone(plain).set_params(oob_score=True).fit(X, y)
    assert (plain.predict_proba(X) == asked.predict_proba(X)).all()
    assert not hasattr(plain, "oob_score_")
    assert not hasattr(asked.set_params(oob_score=False).fit(X, y), "oob_score_")
    assert "oob_score" not in WaggingClassifier().get_params()  # whose members see all examples, some with weight 0


def test_one_example_is_in_every_sample():
    model = BaggingClassifier(NaiveBayesClassifier(), 3, oob_score=True, random_state=0).fit([[1.0]], ["a"])
    assert np.isnan(model.oob_score_)
    assert np.isnan(model.oob_decision_function_).tolist() == [[True]]


def test_what_cannot_be_asked_is_refused():
    X, y, _ = random_examples(43)
    model = BaggingClassifier(PrunedTreeClassifier(), 3, backfit=True, oob_score=True)
    with pytest.raises(InvalidParameter, match="bagging: oob_score must be false where backfit is true"):
        model.fit(X, y)
    with pytest.raises(InvalidParameter, match="bagging: oob_score must be true or false, got 'yes'"):
        model.set_params(oob_score="yes").fit(X, y)
