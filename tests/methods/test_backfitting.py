"""Members whose structure was found on a sample count all examples anew."""

import numpy as np
import pytest

from ensembles import (
    BaggingClassifier,
    DecisionStumpClassifier,
    DecisionTreeClassifier,
    NaiveBayesClassifier,
    NeuralNetworkClassifier,
    OneRuleClassifier,
    PrunedTreeClassifier,
    SingleClassifier,
)
from ensembles.errors import InvalidParameter
from ensembles.exact import quantise
from ensembles.learners.pruned_tree.nodes import LABEL
from tests.examples import random_examples
from tests.methods.test_bagging import IntervalBayes


@pytest.mark.parametrize(
    ("base", "structure", "roots", "counts"),
    [
        (PrunedTreeClassifier(prune="none"), ("nodes", "cut"), lambda m: m.weights[m.root], "weights"),
        (DecisionStumpClassifier(), ("chosen", "edges"), lambda m: m.totals, "branches"),
        (OneRuleClassifier(), ("chosen", "edges", "n_edges"), lambda m: m.totals, "branches"),
        (NaiveBayesClassifier(numeric="entropy"), ("edges", "starts"), lambda m: m.totals, "shares"),
    ],
    ids=lambda p: getattr(p, "key", ""),
)
def test_backfitting_keeps_the_questions_and_counts_all_examples(base, structure, roots, counts):
    X, y, weights = random_examples(13, n=100, decimals=1)
    X["m1"] = X["m1"] + 3.0 * y  # one attribute that is worth cutting
    plain, backfitted = (
        BaggingClassifier(base, n_estimators=6, backfit=backfit, random_state=1).fit(X, y, weights)._members
        for backfit in (False, True)
    )
    for name in structure:
        before, after = getattr(plain, name), getattr(backfitted, name)
        if name == "nodes":
            before, after = before[:, :LABEL], after[:, :LABEL]  # the class of a leaf may change
        assert (before == after).all()
    np.testing.assert_array_equal(roots(backfitted), np.tile(np.bincount(y, quantise(weights)), (6, 1)))
    assert not (getattr(plain, counts) == getattr(backfitted, counts)).all()


@pytest.mark.parametrize(
    "base",
    [DecisionStumpClassifier, OneRuleClassifier, PrunedTreeClassifier, DecisionTreeClassifier, IntervalBayes],
)
def test_backfitting_with_the_same_examples_changes_nothing(base):
    X, y, weights = random_examples(14, n=90)
    X, y, weights = X[weights > 0], y[weights > 0].astype(np.int64), quantise(weights[weights > 0])
    model = base().fit(X, y, weights)
    counts = {"totals", "weights", "branches", "cells", "absent", "shares"} & set(model._members._fields)
    before = {name: getattr(model._members, name).copy() for name in counts}
    rows = model.rows(model._members, model._encoded(X), learning=True)
    model.backfit_member(model._members, 0, rows, y, weights)
    for name, array in before.items():
        np.testing.assert_array_equal(getattr(model._members, name), array)


def test_backfitted_naive_bayes_is_the_single_model():
    X, y, _ = random_examples(15, n=60)
    bagged = BaggingClassifier(n_estimators=3, backfit=True, vote="soft", random_state=1).fit(X, y)
    np.testing.assert_allclose(bagged.predict_proba(X), SingleClassifier().fit(X, y).predict_proba(X), rtol=1e-15)


def test_a_base_model_that_cannot_be_backfitted_gets_a_sentence():
    model = BaggingClassifier(NeuralNetworkClassifier(), backfit=True)
    with pytest.raises(
        InvalidParameter, match=r"bagging: backfit needs a base model that can count again, .* neural_net"
    ):
        model.fit([[1.0], [2.0]], [0, 1])
