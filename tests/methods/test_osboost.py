"""OSBoost against a trace and a plain replay, with two classes and with more."""

import numpy as np
import pytest

from ensembles import DecisionTreeClassifier, NaiveBayesClassifier, OsboostClassifier
from ensembles.errors import InvalidParameter
from ensembles.learners.lossless_tree.store import PAIRS
from ensembles.methods.boosting.smooth_chains import Chains, Rules, Workspace, boost_rows, project_votes
from ensembles.methods.core.block import NO_VOTES, Block, Trace
from ensembles.methods.core.one_vs_rest import side_of
from tests.examples import random_examples, random_table
from tests.methods.scripted import scripted

NOT_KEPT = np.empty((0, 0))


def boost(answers, labels, gamma, kept=NOT_KEPT, combination=0):
    """Train a chain of members that answer as written; return them and what the chain learned."""
    members, rows = scripted(answers)
    n = len(answers)
    chains = Chains(np.zeros((1, n)), np.zeros((1, n)), np.zeros(1, dtype=np.int64))
    block = Block(rows, np.array(labels), np.ones(len(labels)), 0, len(labels))
    rules, workspace = Rules(gamma, real=False, combination=combination), Workspace(np.empty((5, 2)), np.empty(n))
    boost_rows(members, chains, block, rules, Trace(kept, NO_VOTES), workspace)
    return members, chains


def nearest_votes(votes):
    """Return the nearest point whose coordinates are positive with sum one, by sorting."""
    falling = np.sort(votes)[::-1]
    excesses = (np.cumsum(falling) - 1) / np.arange(1, len(votes) + 1)
    return np.maximum(votes - excesses[falling > excesses][-1], 0)


def replay(rows, y, weights, n_members, gamma, told, combination="equal"):
    """Train one chain on sides 0 and 1; return its members, the weight each got wrong, and what votes count."""
    members, theta = [NaiveBayesClassifier() for _ in range(n_members)], gamma / (2 + gamma)
    wrong, mistakes = np.zeros(n_members), np.zeros(n_members)
    counts = np.full(n_members, 1 / n_members)
    for t, (row, side, given) in enumerate(zip(rows, y, weights, strict=True), 1):
        z, weight, votes = 0.0, 1.0, []
        for m, member in enumerate(members):
            vote = (2 * told(member, row)[0] - 1) * (2 * side - 1) if hasattr(member, "classes_") else 0
            votes.append(vote)
            z += vote - theta
            wrong[m] += given * (vote <= 0)
            mistakes[m] += given * (sum(votes) <= 0)
            shown = np.floor(weight * given * 2**20 + 0.5) / 2**20
            member.partial_fit(row, [side], [0, 1], [shown])
            weight = 1.0 if z <= 0 else (1 - gamma) ** (z / 2)
        if combination == "learned" and counts @ votes < theta:
            counts = nearest_votes(counts + given / np.sqrt(t) * np.array(votes))
    if combination == "prefixes":
        counts = 0.5**mistakes / np.sum(0.5**mistakes)
    return members, wrong, counts


def test_weights_of_section_5():
    members, chains = boost([[1], [1], [0], [1]], [1], 0.1)
    np.testing.assert_allclose(members.seen[:, 0], [1, 0.95106614, 0.90452680, 0.95584979], atol=1e-6)
    assert chains.wrong.tolist() == [[0, 0, 1, 0]]


def test_weights_are_smooth():
    rng = np.random.default_rng(1)
    answers, labels = rng.integers(0, 2, (30, 50)), rng.integers(0, 2, 50)
    answers[:15] = labels
    kept = np.zeros((50, 30))
    members, _ = boost(answers, labels, 0.4, kept)
    theta = 0.4 / 2.4
    assert (members.seen[0] == 1).all()
    assert members.seen.min() > 0
    assert members.seen.max() == 1
    right = np.cumsum(np.where(answers == labels, 1, -1), axis=0) - theta * np.arange(1, 31)[:, None]
    expected = np.where(right > 0, 0.6 ** (right / 2), 1.0)[:-1]
    np.testing.assert_allclose(members.seen[1:], expected, atol=1e-6)
    np.testing.assert_allclose(kept.T, members.seen, atol=1e-6)


def test_a_member_that_has_learned_nothing_moves_the_lead_by_theta_only():
    members, _ = boost([[-1], [1]], [1], 0.1)
    assert members.seen[:, 0].tolist() == [1, 1]


TOLD = {"hard": lambda member, X: member.predict(X), "real": lambda member, X: member.predict_proba(X)[:, 1]}


@pytest.mark.parametrize("combination", ["equal", "prefixes", "learned"])
@pytest.mark.parametrize("output", ["hard", "real"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_osboost_follows_its_authors_with_one_chain_or_one_a_class(n_classes, output, combination):
    X, y, _ = random_table(n_classes, n=24, n_classes=n_classes)
    weights = np.tile([1.0, 0.5, 2.0, 1.25], 6)
    told = TOLD[output]
    model = OsboostClassifier(n_estimators=4, gamma=0.2, output=output, combination=combination).fit(X, y, weights)
    rows = [X[[i]] for i in range(24)]
    sides = [y] if n_classes == 2 else [(y == c).astype(int) for c in range(n_classes)]
    chains = [replay(rows, side, weights, 4, 0.2, told, combination) for side in sides]
    assert model.n_members_ == 4 * len(chains)
    np.testing.assert_allclose(model.member_errors_, np.concatenate([wrong for _, wrong, _ in chains]) / weights.sum())
    scores = []
    for members, _, counts in chains:
        votes = np.array([2 * told(m, X) - 1 for m in members])
        scores.append(counts @ (np.sign(np.cumsum(votes, axis=0)) if combination == "prefixes" else votes))
    chances = (1 + np.column_stack(scores)) / 2
    if n_classes == 2:
        chances = np.column_stack([1 - chances, chances])
    total = chances.sum(axis=1, keepdims=True)
    expected = np.where(total > 0, chances / np.where(total > 0, total, 1), 1 / n_classes)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    clear = np.sort(chances, axis=1)[:, -1] > np.sort(chances, axis=1)[:, -2] + 1e-9
    assert (model.predict(X)[clear] == chances.argmax(axis=1)[clear]).all()
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()


def test_experts_whose_votes_are_tied_are_wrong():
    _, chains = boost([[1, 1], [0, 1], [0, 1], [1, -1]], [1, 1], 0.1, combination=1)
    assert chains.expert_scores.tolist() == [[0, 1, 1, 1]]


@pytest.mark.parametrize("combination", ["prefixes", "learned"])
def test_votes_that_are_learned_follow_the_members_that_are_right(combination):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    X = np.column_stack([np.where(rng.random(400) < 0.1, 1 - y, y), rng.integers(0, 2, (400, 2))]).astype(float)
    model = OsboostClassifier(n_estimators=20, gamma=0.4, combination=combination).fit(X, y)
    weights = model.member_weights_
    assert weights.min() >= 0
    assert weights.std() > 0
    if combination == "learned":
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert weights[0] > weights[-1]  # the first learns from all examples, the last from the hard ones
    else:
        assert weights[0] == pytest.approx(1, abs=1e-12)  # every expert asks the first
        assert (np.diff(weights) <= 0).all()


@pytest.mark.parametrize("seed", range(20))
def test_votes_are_brought_back_to_sum_one_by_the_shortest_way(seed):
    rng = np.random.default_rng(seed)
    votes = rng.normal(size=(1, rng.integers(1, 40))) * rng.choice([0.01, 1, 100])
    moved = votes.copy()
    project_votes(moved, 0)
    np.testing.assert_allclose(moved[0], nearest_votes(votes[0]), atol=1e-12)
    assert moved.sum() == pytest.approx(1, abs=1e-12)


def test_a_vote_that_rounding_would_take_back_in_stays_out():
    """Without that, one that lay at the excess itself dropped out and came back for ever."""
    votes = [0.7108741097422749, 0.23570226039551587, 0.3730140120662614, -0.23570226039551587, 0.38381490193211476]
    moved = np.array([[*votes, 0.43026758617646155, 0.28054069206046667]])
    expected = nearest_votes(moved[0])
    project_votes(moved, 0)
    np.testing.assert_allclose(moved[0], expected, atol=1e-12)


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
    X, y, _ = random_table(5, n=120, n_classes=4, missing=0.0)
    model = OsboostClassifier(DecisionTreeClassifier(), n_estimators=3).fit(X, y)
    used = int(model._members.stock[PAIRS])
    assert used == 2 * len(X)  # one chain has the example's class, three the rest
    assert used <= len(model._members.pairs)


def replay_together(rows, y, n_classes, settings):
    """Return members that know all classes, trained in the plainest way, and what their votes count."""
    gamma, real, learned = settings
    members, counts = [NaiveBayesClassifier() for _ in range(4)], np.full(4, 1 / 4)
    theta = gamma / (2 + gamma)
    for step, (row, label) in enumerate(zip(rows, y, strict=True), start=1):
        weight, lead, votes = 1.0, 0.0, []
        for member in members:
            vote = 0.0
            if hasattr(member, "classes_"):
                right = member.predict(row)[0] == label
                vote = 2 * member.predict_proba(row)[0, label] - 1 if real else 2.0 * right - 1
            elif real:
                vote = 2 / n_classes - 1
            share = np.floor(weight * 2**20 + 0.5) / 2**20
            if share > 0:
                member.partial_fit(row, [label], classes=np.arange(n_classes), sample_weight=[share])
            votes.append(vote)
            lead += vote - theta
            weight = 1.0 if lead <= 0 else (1 - gamma) ** (lead / 2)
        if learned and counts @ votes < theta:
            counts = nearest_votes(counts + np.array(votes) / np.sqrt(step))
    return members, counts


@pytest.mark.parametrize("output", ["hard", "real"])
@pytest.mark.parametrize("combination", ["equal", "learned"])
def test_members_that_know_all_classes_vote_right_or_wrong(output, combination):
    X, y, _ = random_table(4, n=40, n_classes=3, missing=0.0)
    settings = {"n_estimators": 4, "gamma": 0.2, "output": output, "combination": combination, "multiclass": "together"}
    model = OsboostClassifier(**settings).fit(X, y)
    members, counts = replay_together(
        [X[[i]] for i in range(40)], y, 3, (0.2, output == "real", combination == "learned")
    )
    told = [m.predict_proba(X) if output == "real" else np.eye(3)[m.predict(X)] for m in members]
    np.testing.assert_allclose(model.predict_proba(X), np.tensordot(counts, told, 1), atol=1e-12)
    assert model.n_members_ == 4
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()


def test_experts_by_prefix_know_two_classes():
    X, y, _ = random_table(4, n=40, n_classes=3)
    with pytest.raises(
        InvalidParameter, match="combination must be one of equal, learned where multiclass is together"
    ):
        OsboostClassifier(combination="prefixes", multiclass="together").fit(X, y)


@pytest.mark.parametrize("multiclass", ["one_vs_rest", "together"])
@pytest.mark.parametrize("combination", ["equal", "learned"])
@pytest.mark.parametrize("output", ["hard", "real"])
def test_predicting_while_learning_tells_what_one_call_an_example_does(multiclass, combination, output):
    X, y, _ = random_table(7, n=60, n_classes=3)
    settings = {"n_estimators": 3, "output": output, "combination": combination, "multiclass": multiclass}
    model, single = (OsboostClassifier(**settings).partial_fit(X[:20], y[:20], classes=[0, 1, 2]) for _ in range(2))
    labels = y.astype(np.int64)
    told, chances = model.predict_then_learn(model._encoded(X)[20:], labels[20:])
    for i in range(20, 60):
        assert told[i - 20] == single.predict(X[[i]])[0]
        assert (chances[i - 20] == single.predict_proba(X[[i]])[0]).all()
        single.partial_fit(X[[i]], y[[i]])
