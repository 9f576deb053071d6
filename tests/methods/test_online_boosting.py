"""Votes of members that vote right before they learn, each in its turn, beside votes of all before any learns."""

import numpy as np
import pytest

from ensembles import HoeffdingTreeClassifier, OnlineBoostingClassifier
from tests.examples import random_table
from tests.methods.one_by_one import assert_blocks_as_one_by_one


def boosting(**settings):
    tree = HoeffdingTreeClassifier(grace_period=10, tau=0.3)
    return OnlineBoostingClassifier(tree, n_estimators=12, vote="soft", random_state=4, **settings)


@pytest.mark.parametrize("draw", ["poisson", "pure"])
@pytest.mark.parametrize("norm", ["thesis", "examples"])
def test_trees_that_vote_in_turn_vote_as_before_any_of_them_learns(draw, norm):
    X, y, _ = random_table(8, n=200)
    blocks, plain = (boosting(draw=draw, norm=norm).fit(X[:20], y[:20]) for _ in range(2))
    assert_blocks_as_one_by_one(blocks, plain, X, y, (1, 30, 149))


def test_all_who_vote_do_so_for_an_example_that_is_passed_on_no_further():
    X, y, _ = random_table(9, n=150)
    model = boosting().fit(X, y)
    assert model.n_members_ > 1
    expected, votes = model.predict_proba(X), np.zeros((150, len(model.classes_)))
    examples = model._unchecked_examples(model._encoded(X), np.searchsorted(model.classes_, y))
    model._learn_examples(examples._replace(weights=np.zeros(150)), votes=votes)
    assert (model._shared(votes) == expected).all()
