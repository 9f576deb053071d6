"""OSBoost against a trace and a plain replay, with two classes and with more."""

import numpy as np
import pytest

from ensembles import DecisionTreeClassifier, NaiveBayesClassifier, OsboostClassifier
from ensembles.learners.decision_tree_store import PAIRS
from ensembles.methods.one_vs_rest import side_of
from ensembles.methods.osboost import _boost_rows
from tests.examples import random_examples
from tests.methods.scripted import scripted

NOT_KEPT = np.empty((0, 0))


def replay(rows, y, weights, n_members, gamma, told):
    """Train one chain on sides 0 and 1; return the members and the weight each got wrong."""
    members, theta = [NaiveBayesClassifier() for _ in range(n_members)], gamma / (2 + gamma)
    wrong = np.zeros(n_members)
    for row, side, given in zip(rows, y, weights, strict=True):
        z, weight = 0.0, 1.0
        for m, member in enumerate(members):
            vote = (2 * told(member, row)[0] - 1) * (2 * side - 1) if hasattr(member, "classes_") else 0
            z += vote - theta
            wrong[m] += given * (vote <= 0)
            shown = np.floor(weight * given * 2**20 + 0.5) / 2**20
            member.partial_fit(row, [side], [0, 1], [shown])
            weight = 1.0 if z <= 0 else (1 - gamma) ** (z / 2)
    return members, wrong


def test_weights_of_section_5():
    members, rows = scripted([[1], [1], [0], [1]])
    wrong = np.zeros((1, 4))
    _boost_rows(members, wrong, rows, np.array([1]), np.ones(1), 0, 1, 0.1, False, NOT_KEPT, np.empty((5, 2)))
    np.testing.assert_allclose(members.seen[:, 0], [1, 0.95106614, 0.90452680, 0.95584979], atol=1e-6)
    assert wrong.tolist() == [[0, 0, 1, 0]]


def test_weights_are_smooth():
    rng = np.random.default_rng(1)
    answers, labels = rng.integers(0, 2, (30, 50)), rng.integers(0, 2, 50)
    answers[:15] = labels
    members, rows = scripted(answers)
    kept = np.zeros((50, 30))
    _boost_rows(members, np.zeros((1, 30)), rows, labels, np.ones(50), 0, 50, 0.4, False, kept, np.empty((5, 2)))
    theta = 0.4 / 2.4
    assert (members.seen[0] == 1).all()
    assert members.seen.min() > 0
    assert members.seen.max() == 1
    right = np.cumsum(np.where(answers == labels, 1, -1), axis=0) - theta * np.arange(1, 31)[:, None]
    expected = np.where(right > 0, 0.6 ** (right / 2), 1.0)[:-1]
    np.testing.assert_allclose(members.seen[1:], expected, atol=1e-6)
    np.testing.assert_allclose(kept.T, members.seen, atol=1e-6)


def test_a_member_that_has_learned_nothing_moves_the_lead_by_theta_only():
    members, rows = scripted([[-1], [1]])
    _boost_rows(
        members, np.zeros((1, 2)), rows, np.array([1]), np.ones(1), 0, 1, 0.1, False, NOT_KEPT, np.empty((5, 2))
    )
    assert members.seen[:, 0].tolist() == [1, 1]


TOLD = {"hard": lambda member, X: member.predict(X), "real": lambda member, X: member.predict_proba(X)[:, 1]}


@pytest.mark.parametrize("output", ["hard", "real"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_osboost_follows_its_authors_with_one_chain_or_one_a_class(n_classes, output):
    X, y, _ = random_examples(n_classes, n=24, n_classes=n_classes)
    weights = np.tile([1.0, 0.5, 2.0, 1.25], 6)
    told = TOLD[output]
    model = OsboostClassifier(n_estimators=4, gamma=0.2, output=output).fit(X, y, weights)
    rows = [X.iloc[[i]] for i in range(24)]
    sides = [y] if n_classes == 2 else [(y == c).astype(int) for c in range(n_classes)]
    chains = [replay(rows, side, weights, 4, 0.2, told) for side in sides]
    assert model.n_members_ == 4 * len(chains)
    np.testing.assert_allclose(model.member_errors_, np.concatenate([wrong for _, wrong in chains]) / weights.sum())
    chances = np.column_stack([np.mean([told(m, X) for m in members], axis=0) for members, _ in chains])
    if n_classes == 2:
        chances = np.column_stack([1 - chances, chances])
    total = chances.sum(axis=1, keepdims=True)
    expected = np.where(total > 0, chances / np.where(total > 0, total, 1), 1 / n_classes)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    clear = np.sort(chances, axis=1)[:, -1] > np.sort(chances, axis=1)[:, -2] + 1e-9
    assert (model.predict(X)[clear] == chances.argmax(axis=1)[clear]).all()


def test_sides_of_classes():
    assert [side_of(c, 0, 1) for c in range(2)] == [0, 1]
    assert [side_of(c, 2, 3) for c in range(3)] == [0, 0, 1]


def test_new_values_come_later_with_many_classes():
    X, y, _ = random_examples(6, n=60, missing=0.0)
    early = X["n0"].astype(str).isin(["a", "b"]).to_numpy()
    narrow = X[early].assign(n0=X["n0"][early].cat.remove_unused_categories())
    pieces = OsboostClassifier(n_estimators=1)  # first members always learn with weight 1, whatever they told before
    pieces.partial_fit(narrow, y[early], classes=[0, 1, 2]).partial_fit(X[~early], y[~early])
    whole = OsboostClassifier(n_estimators=1).partial_fit(X[early], y[early], classes=[0, 1, 2])
    whole.partial_fit(X[~early], y[~early])
    assert (pieces.predict_proba(X) == whole.predict_proba(X)).all()
    assert len(pieces._members.totals) == 3


def test_lossless_trees_have_room_for_examples_that_chains_see_as_both_classes():
    X, y, _ = random_examples(5, n=120, n_classes=4, missing=0.0)
    model = OsboostClassifier(DecisionTreeClassifier(), n_estimators=3).fit(X, y)
    used = int(model._members.stock[PAIRS])
    assert used == 2 * len(X)  # one chain has the example's class, three the rest
    assert used <= len(model._members.pairs)
