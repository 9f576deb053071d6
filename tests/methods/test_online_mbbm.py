"""OnlineMBBM against the paper's recurrence, a plain replay, and its binary ancestor."""

import itertools
import math

import numpy as np
import pytest

from ensembles import NaiveBayesClassifier, OnlineMbbmClassifier
from ensembles.draws import stream, streams
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.methods.core.block import NO_VOTES, Block
from ensembles.methods.multiclass_boosting.cost_sensitive import scales_of
from ensembles.methods.multiclass_boosting.online_mbbm import Chain, boost_rows
from ensembles.methods.multiclass_boosting.potentials import (
    SampledVotes,
    cast_vote,
    clear_votes,
    count_cells,
    fill_costs,
    new_vote_state,
    potential_table,
    sampled_votes,
)
from tests.examples import random_table
from tests.methods.naive_multiclass import OnlineMbbm, bbm_weight, best, plus, potential
from tests.methods.scripted import scripted


def costs_after(potentials, votes):
    """Return the costs of the vote after these votes, class by class."""
    standing, costs = new_vote_state(len(votes)), np.zeros((len(votes), len(votes)))
    clear_votes(standing)
    for label in itertools.chain.from_iterable([c] * v for c, v in enumerate(votes)):
        cast_vote(potentials, standing, label)
    fill_costs(potentials, standing, sum(votes), costs)
    return costs


def test_potentials_of_section_5():
    for left, votes, r, gamma, expected in [
        (0, (0, 0, 0), 0, 0.1, 1.0),
        (1, (0, 0, 0), 0, 0.1, 0.6),
        (2, (0, 0, 0), 0, 0.1, 0.84),
        (3, (0, 0, 0), 0, 0.1, 0.648),
        (3, (1, 0, 0), 0, 0.1, 0.432),
        (3, (0, 1, 0), 0, 0.1, 0.792),
        (4, (0, 0), 0, 0.2, 0.5248),
        (5, (2, 1, 0, 0), 0, 0.3, 0.1655778906),
    ]:
        assert potential(left, votes, r, gamma) == pytest.approx(expected, abs=1e-10)
        if sum(votes):  # the table holds what a vote leads to, so the last of these votes is the one asked about
            before = tuple(v - (c == max(range(len(votes)), key=votes.__getitem__)) for c, v in enumerate(votes))
            table = potential_table(len(votes), sum(votes) + left, gamma)
            label = next(c for c in range(len(votes)) if before[c] != votes[c])
            assert costs_after(table, before)[r, label] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("n_classes", "n_members", "gamma"), [(1, 3, 0.1), (2, 7, 0.2), (3, 5, 0.1), (4, 5, 0.3)])
def test_the_table_holds_the_recurrence(n_classes, n_members, gamma):
    table = potential_table(n_classes, n_members, gamma)
    assert table.losses.size == count_cells(n_classes, n_members)
    for votes in itertools.product(range(n_members), repeat=n_classes):
        if sum(votes) >= n_members:
            continue
        costs = costs_after(table, votes)
        for r, label in itertools.product(range(n_classes), repeat=2):
            expected = potential(n_members - 1 - sum(votes), plus(votes, label), r, gamma)
            assert costs[r, label] == pytest.approx(expected, abs=1e-14)


def test_potentials_are_chances_that_fall_with_votes_for_the_class_and_rise_with_others():
    longer, shorter = potential_table(3, 8, 0.2), potential_table(3, 7, 0.2)
    assert longer.losses.min() >= 0
    assert longer.losses.max() <= 1
    for votes in itertools.product(range(4), repeat=3):
        if sum(votes) > 6:
            continue
        here = costs_after(shorter, votes)
        assert (here >= np.diag(here)[:, None]).all()
        for label, r in itertools.product(range(3), repeat=2):
            more = costs_after(longer, plus(votes, label))[r]
            assert (more <= here[r] + 1e-14).all() if label == r else (more >= here[r] - 1e-14).all()


def test_potentials_of_no_votes_keep_the_bound_of_the_paper():
    for n_classes, n_members, gamma in [(2, 60, 0.3), (3, 60, 0.3), (4, 40, 0.5)]:
        table = potential_table(n_classes, n_members, gamma)
        assert table.losses[0, 0] <= (n_classes - 1) * math.exp(-(gamma**2) * n_members / 2)


def test_two_classes_give_the_weights_of_online_bbm():
    n_members, gamma = 8, 0.2
    table = potential_table(2, n_members, gamma)
    for right, wrong in itertools.product(range(n_members), repeat=2):
        if right + wrong < n_members:
            costs = costs_after(table, (right, wrong))
            weight = bbm_weight(n_members - 1 - right - wrong, right - wrong, gamma)
            assert costs[0, 1] - costs[0, 0] == pytest.approx(weight, abs=1e-14)


def play(answers, labels, n_classes, gamma, scales=None):
    """Let scripted members learn; return the weights they were shown, and the chain."""
    members, rows = scripted(answers)
    n_members, n = np.shape(answers)
    model = OnlineMbbmClassifier(n_estimators=n_members, gamma=gamma)
    model.classes_ = np.arange(n_classes)
    chain = Chain(np.ones(n_members) if scales is None else scales, np.zeros(n_classes), np.zeros(n_members))
    table = potential_table(n_classes, n_members, gamma)
    kept = np.zeros((n, n_members))
    boost_rows(
        members, table, chain, model._workspace(), Block(rows, np.array(labels), np.ones(n), 0, n), kept, NO_VOTES
    )
    np.testing.assert_allclose(kept.T, members.seen, atol=1e-6)
    return members.seen, chain


def test_weights_of_section_5():
    seen, chain = play([[0], [1], [0]], [0], 3, 0.1)
    np.testing.assert_allclose(seen[:, 0], [0.96, 1.2, 2.0], atol=1e-6)
    assert chain.wrong.tolist() == [0, 1, 0]


def test_costs_of_section_5():
    table = potential_table(3, 3, 0.1)
    for votes, row in [((0, 0, 0), (0.36, 0.84, 0.84)), ((1, 0, 0), (0, 0.6, 0.6)), ((1, 1, 0), (0, 1, 1))]:
        costs = costs_after(table, votes)[0]
        np.testing.assert_allclose(costs, row, atol=1e-12)
        np.testing.assert_allclose((costs - costs[0]) / (costs - costs[0]).sum(), (0, 0.5, 0.5))


def test_scripted_members_learn_with_the_weights_of_online_bbm():
    rng = np.random.default_rng(3)
    right = rng.random((9, 20)) < 0.6
    seen, _ = play(right.astype(np.int64), np.ones(20, dtype=np.int64), 2, 0.3)
    for i in range(20):
        ahead = 0
        for m in range(9):
            assert seen[m, i] == pytest.approx(bbm_weight(8 - m, ahead, 0.3), abs=1e-6)
            ahead += 1 if right[m, i] else -1


@pytest.mark.parametrize(
    ("n_classes", "cost_rows", "weight_scale"), [(2, "plain", "raw"), (3, "plain", "jung"), (4, "normalised", "raw")]
)
def test_online_mbbm_follows_algorithm_1(n_classes, cost_rows, weight_scale):
    X, y, weights = random_table(n_classes, n=30, n_classes=n_classes)
    weights = np.where(weights == 0, 1.0, np.round(weights, 1))
    settings = {"gamma": 0.3, "cost_rows": cost_rows, "weight_scale": weight_scale, "random_state": 4}
    model = OnlineMbbmClassifier(n_estimators=5, **settings).fit(X, y, weights)
    scales = [1.0] * 5
    if weight_scale == "jung":
        scales = [0.1 * stream(4, "weight_scales", m).uniform(5, 200) / (n_classes - 1) for m in range(5)]
    oracle = OnlineMbbm(NaiveBayesClassifier, scales, np.arange(n_classes), 0.3, cost_rows == "normalised")
    weights = np.floor(weights * 2**20 + 0.5) / 2**20
    rows = [X[[i]] for i in range(30)]
    votes = np.array([oracle.learn(rows[i], y[i], weights[i]) for i in range(30)])
    np.testing.assert_allclose(model.member_errors_, weights @ (votes != y[:, None]) / weights.sum())
    told = np.array([[vote for vote, _ in oracle.votes(row)[1]] for row in rows])
    assert (model.member_classes(X) == told.T).all()
    final = np.array([oracle.votes(row)[0] for row in rows])
    np.testing.assert_allclose(model.predict_proba(X), final / 5)
    assert model.predict(X).tolist() == [best(votes, oracle.prior) for votes in final]


def test_sampled_potentials_lie_around_the_exact_ones_and_never_rise_with_a_right_vote():
    n_draws = 4000
    sampled = SampledVotes(sampled_votes(streams(1, "votes_to_come", 6), 3, 0.2, n_draws))
    table = potential_table(3, 6, 0.2)
    for votes in [(0, 0, 0), (1, 0, 1), (2, 1, 0), (0, 3, 2)]:
        exact, found = costs_after(table, votes), costs_after(sampled, votes)
        assert (np.abs(exact - found) <= 4 * np.sqrt(exact * (1 - exact) / n_draws) + 1e-12).all()
        assert (found >= np.diag(found)[:, None]).all()


def test_monte_carlo_learns_and_predicts_the_same_twice():
    X, y, _ = random_table(5, n=80)
    model = OnlineMbbmClassifier(n_estimators=5, potential="mc", n_draws=20, random_state=1).fit(X, y)
    assert (model.predict_proba(X) == model.predict_proba(X)).all()
    assert model.score(X, y) > np.bincount(y).max() / 80


@pytest.mark.compiled  # long, and sees nothing new without the compiler
def test_potentials_are_exact_where_the_table_fits():
    X, y, _ = random_table(6, n=40)
    assert OnlineMbbmClassifier(n_estimators=100).fit(X, y)._sampled is None
    many = np.arange(40) % 20
    assert OnlineMbbmClassifier(n_estimators=60, n_draws=2).fit(X, many)._sampled.shape == (60, 2, 20)
    with pytest.raises(InvalidParameter, match="online_mbbm: potential must be 'auto' or 'mc' for 20 classes and 60 "):
        OnlineMbbmClassifier(n_estimators=60, potential="exact").fit(X, many)


def test_hoeffding_trees_are_shown_scaled_weights():
    assert scales_of("auto", NaiveBayesClassifier(), 1, 3) is None
    scales = scales_of("auto", HoeffdingTreeClassifier(), 1, 500)
    assert 5 <= scales.min() < 10
    assert scales.max() < 200
    assert scales.mean() == pytest.approx(105, abs=10)
    assert (scales_of("jung", NaiveBayesClassifier(), 1, 3) == scales[:3]).all()


def test_classes_must_be_declared_at_the_start():
    X, y, _ = random_table(7)
    model = OnlineMbbmClassifier(n_estimators=2).fit(X, np.minimum(y, 1))
    with pytest.raises(
        InvalidData, match=r"online_mbbm: all classes must be declared at the start, 0, 1, got 0, 1, 2$"
    ):
        model.partial_fit(X, y)
