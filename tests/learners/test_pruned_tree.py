import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles import BaggingClassifier, DecisionStumpClassifier, PrunedTreeClassifier
from ensembles.exact import quantise
from ensembles.learners.core.criteria import bits_of_leaf
from ensembles.learners.pruned_tree import nodes as at
from ensembles.learners.pruned_tree.capacity import FEW, ranks_of
from ensembles.learners.pruned_tree.pruning import confidence_of, pessimistic_errors
from ensembles.learners.pruned_tree.scores import N_SCRATCH, distance_of
from ensembles.learners.pruned_tree.thresholds import BLOCK, MARGIN, rough_xlogx
from tests.drawn import drawn
from tests.examples import CATEGORIES, as_lists, mixed_examples, random_examples
from tests.learners.naive_tree import MISSING, PlainTree
from tests.naive import entropy


def decoded(model, X, m=0, v=0):
    """Return member m as `PlainTree` writes it, without errors."""
    members, schema = model._members, model._schema
    row = members.root[m] + v
    node = members.nodes[row]
    label, shares = int(node[at.LABEL]), members.weights[row].tolist()
    if node[at.KIND] == at.LEAF:
        return label, shares, None, {}
    cut = float(members.cut[row])
    if node[at.KIND] == at.THRESHOLD:
        a, branches = schema.numeric[node[at.COLUMN]], [0, 1, MISSING]
        asked = -math.inf if math.isnan(cut) else cut
    else:
        a = schema.nominal[node[at.COLUMN]]
        categories = list(schema.attributes[a].categories)
        asked = categories[int(cut)] if node[at.KIND] == at.EQUALS else None
        branches = [0, 1, MISSING] if node[at.KIND] == at.EQUALS else [*categories, MISSING]
    children = range(node[at.FIRST], node[at.FIRST] + node[at.WIDTH])
    below = {branches[members.nodes[members.root[m] + c, at.BRANCH]]: decoded(model, X, m, c) for c in children}
    return label, shares, (a, asked), below


def without_errors(tree):
    return *tree[:3], {branch: without_errors(below) for branch, below in tree[3].items()}


def plain(model, X, y, weights):
    kinds = ["nominal" if isinstance(t, pd.CategoricalDtype) else "numeric" for t in X.dtypes]
    examples = [e for e in as_lists(X, np.searchsorted(model.classes_, y), quantise(weights)) if e[2] > 0]
    return without_errors(PlainTree(model, kinds, len(model.classes_)).grow(examples))


trees = st.builds(
    PrunedTreeClassifier,
    criterion=st.sampled_from(["gain_ratio", "info_gain", "ks"]),
    min_branch_weight=st.sampled_from([0.0, 1.0, 2.0, 5.0]),
    max_depth=st.sampled_from([0, 0, 1, 3]),
    nominal_split=st.sampled_from(["multiway", "binary"]),
    prune=st.sampled_from(["pessimistic", "mdl", "none"]),
    z=st.sampled_from([0.0, 0.6925, 2.0]),
    pess_variant=st.sampled_from(["wilson", "c45"]),
    prune_slack=st.sampled_from([0.0, 0.1, 3.0]),
    numeric_mdl_penalty=st.booleans(),
)


@drawn(300)
@given(trees, mixed_examples(), st.booleans(), st.booleans())
def test_the_tree_is_that_of_the_plain_recursion(model, examples, whole, noisy):
    X, y, weights = examples
    y = np.random.default_rng(0).permutation(y) if noisy else y
    weights = np.ceil(weights) if whole else weights
    model.fit(X, y, weights)
    kept = weights > 0
    assert decoded(model, X) == plain(model, X[kept], y[kept], weights[kept])


@pytest.mark.parametrize("settings", [{}, {"prune": "none", "min_branch_weight": 0.0}, {"nominal_split": "binary"}])
def test_a_larger_tree_is_that_of_the_plain_recursion(settings):
    X, y, weights = random_examples(1, n=150, nominal=3, numeric=3, decimals=1)
    y = np.where(np.arange(150) % 3 == 0, np.roll(y, 7), y)
    kept = weights > 0
    model = PrunedTreeClassifier(**settings).fit(X, y, weights)
    assert decoded(model, X) == plain(model, X[kept], y[kept], weights[kept])
    assert model._members.size[0] > 20


@pytest.mark.parametrize(
    ("wrong", "n", "expected"),
    [(0, 6, 1.172637), (0, 9, 1.208267), (0, 1, 0.784658), (1, 16, 2.506894), (2, 10, 3.547735), (5, 20, 6.975978)],
)
def test_pessimistic_errors_of_the_specification(wrong, n, expected):
    assert pessimistic_errors(float(wrong), float(n), 0.6925, 0.0) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("n", "rate"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_a_leaf_without_errors_expects_what_quinlan_prints(n, rate):
    assert confidence_of(0.6925) == pytest.approx(0.25)
    assert pessimistic_errors(0.0, float(n), 0.6925, 0.25) / n == pytest.approx(rate, abs=5e-4)
    at_one = pessimistic_errors(1.0, float(n), 0.6925, 0.25)
    assert at_one == pessimistic_errors(1.0, float(n), 0.6925, 0.0)
    halfway = pessimistic_errors(0.5, float(n), 0.6925, 0.25)
    assert halfway == pytest.approx((n * (1 - 0.25 ** (1 / n)) + at_one) / 2)


@pytest.mark.parametrize(
    ("shares", "bits"),
    [((10, 0), 1), ((8, 2), 8.643856), ((5, 5), 18.609640), ((6, 3, 1), 19.872675), ((2.5, 1.25), 4.383613)],
)
def test_bits_of_leaves_of_the_specification(shares, bits):
    assert bits_of_leaf(np.array([shares], dtype=float), 0) == pytest.approx(bits, abs=1e-6)


def test_a_split_that_is_shorter_to_describe_stays():
    # 1 + lg 5 + 1 + 1 bits for the split and two pure leaves, 8.64 for one leaf: five values of one attribute can be asked.
    X = pd.DataFrame({"n": pd.Categorical(["a"] * 2 + ["b"] * 2 + ["c"] * 2 + ["d"] * 2 + ["e"] * 2, list("abcde"))})
    y = np.array([0] * 8 + [1] * 2)
    model = PrunedTreeClassifier(prune="mdl", nominal_split="binary", min_branch_weight=0.0).fit(X, y)
    assert model.member_sizes_[0] == (3, 2, 1)
    assert PrunedTreeClassifier(prune="mdl").fit(X, np.array([0, 1] * 5)).member_sizes_[0] == (1, 1, 0)


def test_the_distance_of_the_specification():
    counted, scratch = np.array([[4.0, 6.0]]), np.zeros((N_SCRATCH, 2))
    sides = np.array([[3.0, 1.0], [1.0, 5.0]])
    parts = [distance_of(side, sides, counted, 0, scratch) for side in (0, 1)]
    assert parts[0] == pytest.approx(0.58333333, abs=1e-8)
    assert sum(parts) == pytest.approx(1.16666667, abs=1e-8)


def test_of_equal_gaps_between_shares_the_last_parts_the_classes():
    counted, taken = np.array([[4.0, 2.0, 8.0]]), np.array([[4.0, 1.0, 0.0]])  # shares 1, 1/2 and 0
    assert distance_of(0, taken, counted, 0, np.zeros((N_SCRATCH, 3))) == pytest.approx(5 / 6)


def test_a_rough_rating_is_nearer_than_half_its_margin():
    shares = np.append(np.random.default_rng(0).random(3000), [0, 1, 0.5, 1e-30]).astype(np.float32)
    exact = [float(x) * math.log2(x) if x > 0 else 0.0 for x in shares]
    rough = [float(rough_xlogx(x)) for x in shares]
    np.testing.assert_allclose(rough, exact, rtol=0, atol=3e-6)
    # four parts of shares that add up to 2 make 6e-6, and rounding the shares as much again
    assert MARGIN / 2 > 9e-6


@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_many_cuts_is_found_exactly(seed):
    rng = np.random.default_rng(seed)
    n = 5 * BLOCK + 7
    x, y = rng.normal(size=n), rng.integers(0, 3, n)
    weights = quantise(rng.exponential(size=n))
    order = np.argsort(x)
    below = np.cumsum(np.eye(3)[y[order]] * weights[order, None], axis=0)[:-1]
    above = np.eye(3)[y].T @ weights - below

    def bits(parts):
        total = parts.sum(axis=1)
        return total * np.log2(total) - sum(np.where(p > 0, p * np.log2(np.maximum(p, 1e-9)), 0) for p in parts.T)

    at = np.argmin(bits(below) + bits(above))
    settings = {"criterion": "info_gain", "max_depth": 1, "prune": "none", "min_branch_weight": 0.0}
    model = PrunedTreeClassifier(**settings).fit(x[:, None], y, weights)
    assert model._members.cut[0] == x[order[at]] + (x[order[at + 1]] - x[order[at]]) / 2


@pytest.mark.parametrize("n_values", [1, 2, FEW, FEW + 1, 40])
def test_ranks_count_the_distinct_numbers_below(n_values):
    numbers = np.random.default_rng(0).integers(0, n_values, (60, 2)).astype(float) / 7
    numbers[::5, 0] = np.nan
    expected = [np.searchsorted(np.unique(c[~np.isnan(c)]), c) for c in numbers.T]
    assert (ranks_of(numbers) == np.where(np.isnan(numbers), -1, np.transpose(expected))).all()


def test_gain_and_gain_ratio_of_the_specification():
    parts = {branch: [([], 0, float(a)), ([], 1, float(b))] for branch, (a, b) in enumerate([(2, 3), (4, 0), (3, 2)])}
    tree = PlainTree(PrunedTreeClassifier(), [], 2)
    gain = tree.gain([e for part in parts.values() for e in part], parts)
    assert entropy([9, 5]) == pytest.approx(0.94028596, abs=1e-8)
    assert gain == pytest.approx(0.24674982, abs=1e-8)
    assert entropy([5, 4, 5]) == pytest.approx(1.57740628, abs=1e-8)
    assert gain / entropy([5, 4, 5]) == pytest.approx(0.15642756, abs=1e-8)


def test_weight_two_equals_two_copies():
    X, y, _ = random_examples(2, n=60)
    rows = np.repeat(np.arange(60), 2)
    copies = PrunedTreeClassifier().fit(X.iloc[rows], y[rows])
    assert decoded(copies, X) == decoded(PrunedTreeClassifier().fit(X, y, np.full(60, 2.0)), X)


def test_the_order_of_examples_does_not_matter():
    X, y, weights = random_examples(3, n=120)
    order = np.random.default_rng(0).permutation(120)
    shuffled = PrunedTreeClassifier().fit(X.iloc[order], y[order], weights[order])
    assert decoded(shuffled, X) == decoded(PrunedTreeClassifier().fit(X, y, weights), X)


def test_scaling_weights_scales_an_unpruned_tree():
    X, y, weights = random_examples(4, n=80)
    small = PrunedTreeClassifier(prune="none", min_branch_weight=2.0).fit(X, y, weights)
    large = PrunedTreeClassifier(prune="none", min_branch_weight=8.0).fit(X, y, 4 * weights)
    assert (small._members.nodes == large._members.nodes).all()
    assert (small.predict_proba(X) == large.predict_proba(X)).all()


@pytest.mark.parametrize("seed", range(20))
def test_one_question_by_information_gain_is_a_decision_stump(seed):
    X, y, weights = random_examples(seed, n=40, nominal=seed % 3, numeric=1 + seed % 2, decimals=1)
    tree = PrunedTreeClassifier(criterion="info_gain", min_branch_weight=0.0, max_depth=1, prune="none")
    np.testing.assert_allclose(
        tree.fit(X, y, weights).predict_proba(X),
        DecisionStumpClassifier("info_gain").fit(X, y, weights).predict_proba(X),
    )


def test_an_unpruned_tree_tells_distinct_examples_apart():
    X, y, _ = random_examples(5, n=300, missing=0.0)
    assert PrunedTreeClassifier(prune="none", min_branch_weight=0.0).fit(X, y).score(X, y) == 1.0


def test_two_neighbouring_numbers_are_told_apart():
    low, high = 0.1, np.nextafter(0.1, 1)
    X, y = np.array([[low], [low], [high], [high]]), [0, 0, 1, 1]
    assert PrunedTreeClassifier(prune="none").fit(X, y).predict(X).tolist() == y


def test_a_leaf_tells_probabilities_four_ways():
    X = np.zeros((5, 1))
    y = [0, 0, 0, 1, 1]
    expected = {"majority": 1.0, "frequency": 3 / 5, "laplace": 4 / 7, "m_laplace": (3 + 0.2) / (5 + 0.4)}
    for leaf_proba, share in expected.items():
        asked = PrunedTreeClassifier(leaf_proba=leaf_proba).fit(X, y).predict_proba(X[:1])
        np.testing.assert_allclose(asked, [[share, 1 - share]])


def test_values_never_seen_end_where_they_arrive():
    X = pd.DataFrame({"n": pd.Categorical(["a", "a", "a", "b", "b"], CATEGORIES)})
    model = PrunedTreeClassifier(prune="none", nominal_split="multiway").fit(X, [0, 0, 0, 1, 1])
    asked = pd.DataFrame({"n": ["a", "c", None, "zebra"]})
    np.testing.assert_allclose(model.predict_proba(asked), [[1, 0], [0.6, 0.4], [0.6, 0.4], [0.6, 0.4]])


def test_a_tie_in_a_leaf_is_broken_by_the_parent():
    X = pd.DataFrame({"n": pd.Categorical(["a"] * 4 + ["b"] * 2, CATEGORIES)})
    model = PrunedTreeClassifier(prune="none").fit(X, [0, 0, 1, 1, 1, 1])
    assert model.predict(X).tolist() == [1] * 6


def test_backfitting_keeps_the_tests_and_counts_all_examples():
    X, y, weights = random_examples(6, n=120)
    model = PrunedTreeClassifier(prune="none").fit(X[:70], y[:70], weights[:70])
    tests = model._members.nodes[:, : at.LABEL].copy()
    more, labels, _ = random_examples(6, n=120)
    rows = model.rows(model._members, model._encoded(more), learning=False)
    model.backfit_member(model._members, 0, rows, labels.astype(np.int64), np.ones(120))
    assert (model._members.nodes[:, : at.LABEL] == tests).all()
    assert model._members.weights[0].tolist() == np.bincount(labels, minlength=3).tolist()
    probabilities = model.predict_proba(more)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (model.predict(more) == model.classes_[probabilities.argmax(axis=1)]).mean() > 0.95  # but for ties


def test_a_leaf_without_examples_after_backfitting_answers_as_its_parent():
    X = pd.DataFrame({"n": pd.Categorical(["a"] * 3 + ["b"] * 3, CATEGORIES)})
    model = PrunedTreeClassifier(prune="none").fit(X, [0, 0, 0, 1, 1, 1])
    rows = model.rows(model._members, model._encoded(X[:3]), learning=False)
    model.backfit_member(model._members, 0, rows, np.array([1, 1, 0]), np.ones(3))
    np.testing.assert_allclose(model.predict_proba(X), [[1 / 3, 2 / 3]] * 6)
    assert model.predict(X).tolist() == [1] * 6


def test_backfitting_with_the_same_examples_changes_nothing():
    X, y, weights = random_examples(7, n=90)
    model = PrunedTreeClassifier().fit(X, y, weights)
    before = decoded(model, X)
    rows = model.rows(model._members, model._encoded(X), learning=False)
    model.backfit_member(model._members, 0, rows, y.astype(np.int64), quantise(weights))
    assert decoded(model, X) == before


def test_members_of_an_ensemble_are_the_trees_of_their_samples():
    X, y, _ = random_examples(8, n=80)
    ensemble = BaggingClassifier(PrunedTreeClassifier(), n_estimators=6, random_state=1).fit(X, y)
    alone = BaggingClassifier(PrunedTreeClassifier(), n_estimators=2, random_state=1).fit(X, y)
    assert decoded(ensemble, X, 1) == decoded(alone, X, 1)
    assert (np.diff(ensemble._members.root) == ensemble._members.size[:-1]).all()


def test_it_learns_in_batch_only():
    assert not hasattr(PrunedTreeClassifier(), "partial_fit")
