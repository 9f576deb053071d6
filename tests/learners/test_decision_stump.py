import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles import DecisionStumpClassifier
from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidParameter
from ensembles.exact import quantise
from ensembles.learners.core.criteria import ks_of
from ensembles.learners.one_level.members import IncrementalMembers, OneLevelMembers
from ensembles.learners.one_level.split_search import LEAF
from tests import naive
from tests.drawn import drawn
from tests.examples import as_lists, mixed_examples, random_examples

INCREMENTAL = tuple(itertools.product(("info_gain", "gini"), ("multiway", "binary")))  # attributes are ruled out


def chosen_test(model):
    members = model._members
    a = int(members.chosen[0])
    return a, float(members.edges[0, 0]) if a >= 0 and members.numeric[a] else None


@pytest.mark.parametrize("seed", range(40))
def test_the_test_has_the_greatest_gain_of_all(seed):
    X, y, weights = random_examples(
        seed, n=30, nominal=seed % 3, numeric=1 + seed % 2, missing=0.1 * (seed % 3), decimals=1
    )
    model = DecisionStumpClassifier("info_gain", "multiway").fit(X, y, weights)
    examples = [e for e in as_lists(X, y, np.round(weights * 2**20) / 2**20) if e[2] > 0]
    gain, tests = naive.best_test(examples, X.shape[1])
    a, cut = chosen_test(model)
    if gain <= 1e-10:
        assert a == LEAF
    elif cut is None or math.isfinite(cut):
        assert any(a == b and (cut is None or cut == pytest.approx(other)) for b, other in tests)


def test_branches_hold_the_class_shares():
    X = pd.DataFrame({"colour": ["red", "red", "red", "blue", "blue", None]})
    y = np.array(["a", "a", "b", "b", "b", "a"])
    model = DecisionStumpClassifier("info_gain", "multiway").fit(X, y)
    asked = pd.DataFrame({"colour": ["red", "blue", None, "green"]})
    expected = [[2 / 3, 1 / 3], [0, 1], [1, 0], [1 / 2, 1 / 2]]  # a value never seen: all examples
    np.testing.assert_allclose(model.predict_proba(asked), expected)
    assert model.member_sizes_ == [(4, 3, 1)]
    assert DecisionStumpClassifier(nominal_split="binary").fit(X[:5], y[:5]).member_sizes_ == [(3, 2, 1)]
    assert DecisionStumpClassifier().fit(X, ["a"] * 6).member_sizes_ == [(1, 1, 0)]
    numbers = pd.DataFrame({"size": [1.0, 2.0, 3.0, np.nan]})
    assert DecisionStumpClassifier().fit(numbers, [0, 0, 1, 1]).member_sizes_ == [(4, 3, 1)]


def test_a_numeric_cut_lies_half_way():
    model = DecisionStumpClassifier().fit([[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1])
    assert chosen_test(model) == (0, 3.0)
    assert model.predict([[2.9], [3.0]]).tolist() == [0, 1]


def test_ties_go_to_the_first_attribute():
    X = pd.DataFrame({"a": ["u", "u", "v", "v"], "b": ["u", "u", "v", "v"]})
    assert chosen_test(DecisionStumpClassifier().fit(X, [0, 0, 1, 1]))[0] == 0


def test_no_gain_leaves_a_leaf_with_the_majority():
    model = DecisionStumpClassifier().fit([[1.0], [1.0], [1.0]], [1, 1, 0])
    assert chosen_test(model)[0] == LEAF
    assert model.predict([[7.0]]).tolist() == [1]


@pytest.mark.no_cover  # long, and runs no line that others do not
@drawn(150)
@given(mixed_examples(), st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from(INCREMENTAL))
def test_any_order_of_examples_gives_the_same_model_to_the_last_bit(examples, seed, ask_in_between, settings):
    X, y, weights = encode_frame(examples[0]), *examples[1:]
    batch = DecisionStumpClassifier(*settings).fit(X, y, weights)
    online = DecisionStumpClassifier(*settings)
    for i in np.random.default_rng(seed).permutation(len(y)):
        if weights[i] > 0:
            online.partial_fit(X[[i]], y[[i]], sample_weight=weights[[i]])
            if ask_in_between:
                online.predict(X)
    assert chosen_test(online)[0] == chosen_test(batch)[0]
    assert (online.predict_proba(X) == batch.predict_proba(X)).all()


@pytest.mark.parametrize("settings", INCREMENTAL)
@pytest.mark.parametrize("seed", range(3))
def test_the_test_found_without_a_look_at_all_is_the_one_that_a_look_at_all_finds(seed, settings):
    X, y, weights = random_examples(seed, n=40, nominal=3, numeric=seed % 3, n_classes=3, decimals=1)
    X = encode_frame(X)
    y[:3], weights[:3] = [0, 1, 2], 1.0
    online = DecisionStumpClassifier(*settings)
    for i in range(len(y)):
        if weights[i] > 0:
            online.partial_fit(X[[i]], y[[i]], [0, 1, 2], sample_weight=weights[[i]]).predict(X[[0]])
        if i % 3 == 2:
            least = 1e-300  # so that all attributes are looked at
            looked = DecisionStumpClassifier(*settings, least).fit(X[np.arange(i + 1)], y[: i + 1], weights[: i + 1])
            assert isinstance(online._members, IncrementalMembers)
            assert isinstance(looked._members, OneLevelMembers)
            assert chosen_test(online) == chosen_test(looked)
            assert (online.predict_proba(X) == looked.predict_proba(X)).all()


def test_weight_two_equals_two_copies():
    X, y, _ = random_examples(6, n=30)
    rows = np.repeat(np.arange(30), 2)
    copies = DecisionStumpClassifier().fit(X.iloc[rows], y[rows])
    weighted = DecisionStumpClassifier().fit(X, y, np.full(30, 2.0))
    assert (copies.predict_proba(X) == weighted.predict_proba(X)).all()


def test_more_distinct_values_than_allowed_still_find_the_cut():
    rng = np.random.default_rng(7)
    X = rng.random((2000, 1))
    y = (X[:, 0] > 0.3).astype(int)
    model = DecisionStumpClassifier(max_values=100).fit(X, y)
    assert model._members.counts.tolist() == [100]
    assert model.score(X, y) > 0.98


def test_max_values_out_of_range_gets_a_sentence():
    with pytest.raises(
        InvalidParameter, match=r"decision_stump: max_values must be an integer in \[2, 1000000\], got 1"
    ):
        DecisionStumpClassifier(max_values=1).fit([[1.0], [2.0]], [0, 1])


def sides_of(examples, a, test):
    """Return the branches {answer: class weights} of a plain test on attribute a."""
    branches = {}
    for values, label, weight in examples:
        answer = None if values[a] is None else test(values[a])
        branches.setdefault(answer, {}).setdefault(label, []).append(weight)
    return {answer: {c: sum(w) for c, w in branch.items()} for answer, branch in branches.items()}


def plain_tests(examples, n_attributes, binary):
    """Yield every attribute, its tests' names and branches."""
    for a in range(n_attributes):
        values = sorted({v[a] for v, _, _ in examples if v[a] is not None})
        if values and not isinstance(values[0], str):
            for low, high in itertools.pairwise(values):
                cut = low + (high - low) / 2
                yield a, cut, sides_of(examples, a, lambda v, cut=cut: v < cut)
            if len(values) == 1:
                yield a, math.inf, sides_of(examples, a, lambda _: True)
        elif binary:
            yield from ((a, value, sides_of(examples, a, lambda v, value=value: v == value)) for value in values)
        else:
            yield a, None, sides_of(examples, a, lambda v: v)


def score_of(criterion, branches):
    weights = [sum(branch.values()) for branch in branches.values()]
    classes = {c for branch in branches.values() for c in branch}
    whole = [sum(branch.get(c, 0.0) for branch in branches.values()) for c in classes]
    inside = sum(w * naive.entropy(list(b.values())) for w, b in zip(weights, branches.values(), strict=True))
    gain = naive.entropy(whole) - inside / sum(weights)
    if criterion == "gain_ratio":
        return gain, gain / naive.entropy(weights) if gain > 1e-10 else 0.0
    if criterion == "error":
        return gain, sum(max(b.values()) for b in branches.values()) / sum(weights)
    if criterion == "ks":
        return gain, plain_ks(branches.get(True, {}), branches.get(False, {}))
    if criterion == "gini":
        impurities = [
            1 - sum((x / w) ** 2 for x in b.values()) for w, b in zip(weights, branches.values(), strict=True)
        ]
        return gain, 1 - sum(w * gini for w, gini in zip(weights, impurities, strict=True)) / sum(weights)
    return gain, gain


def plain_ks(left, right):
    """As the text of ITI's port: sort, cut at the last largest gap, compare the groups; for both sides."""
    distance = 0.0
    for side in (left, right):
        total = {c: left.get(c, 0.0) + right.get(c, 0.0) for c in {*left, *right}}
        order = sorted(total, key=lambda c: -side.get(c, 0.0) / total[c])
        shares = [side.get(c, 0.0) / total[c] for c in order]
        gaps = [high - low for high, low in itertools.pairwise(shares)]
        if gaps:
            at = max(range(len(gaps)), key=lambda j: (gaps[j], j)) + 1
            groups = [order[:at], order[at:]]
            upper, lower = (sum(side.get(c, 0.0) for c in g) / sum(total[c] for c in g) for g in groups)
            distance += abs(upper - lower)
    return distance


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("criterion", ["info_gain", "gain_ratio", "error", "ks", "gini"])
@pytest.mark.parametrize("seed", range(8))
def test_the_test_is_the_best_by_every_criterion(seed, criterion, binary):
    X, y, weights = random_examples(
        seed, n=30, nominal=seed % 3, numeric=1 + seed % 2, missing=0.1 * (seed % 3), decimals=1
    )
    weights = quantise(weights)
    least = float(seed % 4)
    model = DecisionStumpClassifier(criterion, "binary" if binary else "multiway", least).fit(X, y, weights)
    examples = [e for e in as_lists(X, y, weights) if e[2] > 0]
    by_attribute = {}
    for a, name, branches in plain_tests(examples, X.shape[1], binary or criterion == "ks"):
        gain, score = score_of(criterion, branches)
        if gain > 1e-10 and sum(sum(b.values()) >= least for b in branches.values()) >= 2:
            key = gain if criterion == "gain_ratio" else score
            by_attribute.setdefault(a, []).append((key, gain, score, name))
    best = {a: max(tests, key=lambda test: test[0]) for a, tests in by_attribute.items()}
    if criterion == "gain_ratio" and best:
        mean = sum(test[1] for test in best.values()) / len(best)
        best = {a: test for a, test in best.items() if test[1] >= mean - 1e-11}
    a, _ = chosen_test(model)
    if not best:
        assert a == LEAF
        return
    top = max(test[2] for test in best.values())
    assert a == min(b for b, test in best.items() if test[2] >= top - 1e-9)
    named = [test[3] for test in by_attribute[a] if test[0] >= best[a][0] - 1e-9]
    edge = model._members.edges[0, 0]
    if model._members.numeric[a]:
        assert any(edge == pytest.approx(name) for name in named)
    elif binary or criterion == "ks":
        assert X.iloc[:, a].cat.categories[int(edge)] in named


@drawn(60)
@given(
    mixed_examples(), st.integers(0, 2**32 - 1), st.sampled_from(["gain_ratio", "error", "ks", "gini"]), st.booleans()
)
def test_other_criteria_are_lossless_too(examples, seed, criterion, binary):
    X, y, weights = encode_frame(examples[0]), *examples[1:]
    settings = {"criterion": criterion, "nominal_split": "binary" if binary else "multiway"}
    batch = DecisionStumpClassifier(**settings).fit(X, y, weights)
    online = DecisionStumpClassifier(**settings)
    for part in np.array_split(np.random.default_rng(seed).permutation(len(y)), 1 + seed % 4):
        if len(part) and weights[part].any():
            online.partial_fit(X[part], y[part], sample_weight=weights[part]).predict(X)
    assert (online.predict_proba(X) == batch.predict_proba(X)).all()


def test_the_distance_of_two_classes_is_twice_the_difference_of_their_shares():
    distance = ks_of(np.array([3.0, 1.0]), np.array([1.0, 5.0]), np.empty((3, 2)), 0)
    assert distance == pytest.approx(1.16666667)
