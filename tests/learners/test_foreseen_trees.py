"""What Hoeffding trees foresee of an example comes true, whatever it weighs, and they vote as if each were asked."""

from copy import deepcopy

import numpy as np
import pytest

from ensembles import HoeffdingTreeClassifier, OnlineBaggingClassifier, OnlineBoostingClassifier
from ensembles.learners.core.protocol import add_probabilities, foresee_hits, predict_and_learn
from ensembles.learners.hoeffding.extremely_fast_tree import ExtremelyFastTreeClassifier
from tests.examples import random_table
from tests.learners.test_side_by_side import nominal_table

QUICK = {"grace_period": 8, "tau": 0.4}
TREES = {
    "plain": {},
    "quick": QUICK,
    "majority": {**QUICK, "leaf_prediction": "majority"},
    "naive Bayes": {**QUICK, "leaf_prediction": "naive_bayes"},
    "a few attributes": {**QUICK, "max_features": "sqrt"},
    "full": {**QUICK, "max_nodes": 12},
    "put off": {**QUICK, "delta": 0.9, "tau": 0.01, "min_branch_fraction": 0.45},
}


def grown(table, labels, tree):
    """Return members that have each learned their own of the first half of the examples, and rows of all."""
    half = len(labels) // 2
    model = OnlineBaggingClassifier(HoeffdingTreeClassifier(**tree), n_estimators=4, random_state=1)
    model.partial_fit(table.take(slice(0, half)), labels[:half], classes=np.unique(labels))
    members = model.base_model().ensure_capacity(model._members, table)
    return members, model._rows(table, learning=True)


def foreseen(members, rows, i, label, votes):
    """Return what is foreseen of members, of which the first three vote."""
    n_members, n_classes = members.totals.shape
    hits, work = np.empty((2, n_members)), np.empty((5, n_classes))
    assert foresee_hits(members, rows, i, label, hits, np.array([1.0, 0.3, 2.5]), work, votes)
    return hits


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3, 8])
@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_what_trees_foresee_comes_true(tree, n_classes, missing):
    table, labels = nominal_table(n_classes, 160, 5, n_classes, missing=missing)
    (members, rows), work, right = grown(table, labels, tree), np.empty((4, n_classes)), 0
    for i in range(80, 100):
        for label in {labels[i], (labels[i] + 1) % n_classes}:
            hits = foreseen(members, rows, i, label, np.zeros(n_classes))
            assert (hits[0] >= 0.0).all()
            right += (hits[0] > 0.0).sum()
            for weight in (0.0, 1.0, 3.0, 50.0):
                learned = deepcopy(members)
                for m in np.flatnonzero(weight <= hits[0]):
                    predicted = predict_and_learn(learned, m, rows, i, label, weight, True, work)
                    assert (predicted == label) == (hits[1, m] == 1.0)
    assert right > 0 or missing, "nothing was foreseen of an example that is learned"


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_nominal", [5, 40])
def test_trees_vote_while_they_foresee_as_if_they_were_asked(n_nominal, missing):
    table, labels = nominal_table(3, 120, n_nominal, 3, missing=missing)
    members, rows = grown(table, labels, QUICK)
    for i in range(60, 100):
        votes, expected = np.full(3, 0.25), np.full(3, 0.25)
        foreseen(members, rows, i, labels[i], votes)
        add_probabilities(members, np.array([1.0, 0.3, 2.5]), rows, i, np.empty((5, 3)), expected)
        assert (votes == expected).all()


@pytest.mark.parametrize("n_nominal", [100, 900])
def test_scores_out_of_range_are_brought_to_one_scale(n_nominal):
    table, labels = nominal_table(4, 120, n_nominal, 2, sure=0.9)
    members, rows = grown(table, labels, {})
    votes, expected = np.zeros(2), np.zeros(2)
    foreseen(members, rows, 90, 0, votes)
    add_probabilities(members, np.array([1.0, 0.3, 2.5]), rows, 90, np.empty((5, 2)), expected)
    assert (votes == expected).all()


def test_trees_that_know_a_class_by_little_are_asked_once_they_have_learned():
    table, _ = nominal_table(5, 20, 1, 2)
    table.codes[:] = 0
    members, rows = grown(table, np.arange(20) % 2, {"leaf_prediction": "naive_bayes"})
    for share, asked in ((1.0, True), (1.0 + 1e-8, True), (1.0 + 1e-4, False)):
        members.weights[:, 0], members.totals[:], members.seen[:4] = (4.0 * share, 4.0), (5.0, 4.0), 4.0
        members.cells[:4, 0] = 4.0
        known, right = foreseen(members, rows, 0, 0, np.zeros(2))
        assert (right == 1.0).all()
        assert ((known == 0.0) == asked).all()


def test_of_tied_classes_the_one_more_frequent_in_training_is_foreseen():
    table, _ = nominal_table(5, 20, 1, 2)
    table.codes[:] = 0
    members, rows = grown(table, np.arange(20) % 2, {"leaf_prediction": "majority"})
    for m in range(4):
        node = members.weights[m, 0]
        node[:] = 3.0
        for label in (0, 1):
            members.totals[m] = (5.0, 4.0)
            assert foreseen(members, rows, 0, label, np.zeros(2))[1, m] == float(label == 0)
            members.totals[m] = (4.0, 5.0)
            assert foreseen(members, rows, 0, label, np.zeros(2))[1, m] == float(label == 1)


@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_boosted_trees_are_the_same_whether_they_foresee_or_are_asked(tree, n_classes, vote):
    table, labels = nominal_table(7, 400, 6, n_classes)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.25], 400)
    models = [
        OnlineBoostingClassifier(HoeffdingTreeClassifier(**tree), n_estimators=9, vote=vote, random_state=1)
        for _ in range(2)
    ]
    models[1].keep_weights = True  # each weight is written down before the member is asked
    for model in models:
        model.partial_fit(table.take(slice(0, 50)), labels[:50], np.arange(n_classes), weights[:50])
    told, asked = (model.predict_then_learn(table.take(slice(50, 400)), labels[50:]) for model in models)
    assert all((one == other).all() for one, other in zip(told, asked, strict=True))
    assert all((one == other).all() for one, other in zip(models[0]._chain, models[1]._chain, strict=True))
    assert (models[0].predict_proba(table) == models[1].predict_proba(table)).all()


def test_nothing_is_foreseen_of_numbers_many_classes_or_trees_that_come_back_to_their_tests():
    cases = [
        (*random_table(1, n=40)[:2], HoeffdingTreeClassifier()),
        (*nominal_table(1, 90, 3, 9), HoeffdingTreeClassifier()),
        (*nominal_table(1, 90, 3, 2), ExtremelyFastTreeClassifier()),
    ]
    for table, labels, tree in cases:
        model = OnlineBaggingClassifier(tree, n_estimators=2, random_state=1).fit(table, labels)
        rows, n = model._rows(table, learning=True), len(model.classes_)
        room = np.empty((2, 2)), np.empty(0), np.empty((5, n)), np.empty(n)
        assert not foresee_hits(model._members, rows, 0, 0, *room)
