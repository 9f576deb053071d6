import bisect
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles import OneRuleClassifier
from ensembles.data.encoding import encode_frame
from ensembles.exact import quantise
from tests.drawn import drawn
from tests.examples import as_lists, mixed_examples, random_examples
from tests.learners.test_discretise import naive_cuts
from tests.naive import entropy

MISSING = "missing"


def plain_rule(model, X, y, weights):
    """Return the attribute (None: no rule) and {answer: class weights}, as the specification says."""
    examples = [e for e in as_lists(X, np.searchsorted(model.classes_, y), quantise(weights)) if e[2] > 0]
    n_classes, found = len(model.classes_), []
    whole = [sum(w for _, y, w in examples if y == c) for c in range(n_classes)]
    for a, name in enumerate(X.columns):
        cuts = naive_cuts(X[name], y, quantise(weights)) if X[name].dtype == float else None
        branches = defaultdict(lambda: [0.0] * n_classes)
        for values, label, weight in examples:
            branches[answer(values[a], cuts)][label] += weight
        sizes = [sum(branch) for branch in branches.values()]
        inside = sum(sum(branch) / sum(whole) * entropy(branch) for branch in branches.values())
        gain = entropy(whole) - inside
        if gain > 1e-10 and sum(size >= model.min_branch_weight for size in sizes) >= 2:
            score = gain / entropy(sizes) if model.criterion == "gain_ratio" else gain
            found.append((a, gain, score, dict(branches)))
    if not found:
        return None, {}
    if model.criterion == "gain_ratio":
        mean = sum(rule[1] for rule in found) / len(found)
        found = [rule for rule in found if rule[1] >= mean - 1e-11]
    top = max(rule[2] for rule in found)
    return next((a, branches) for a, _, score, branches in found if score >= top - 1e-11)


def answer(value, cuts):
    if value is None:
        return MISSING
    return value if cuts is None else bisect.bisect_right(cuts, value)


def decoded(model):
    members, schema = model._members, model._schema
    if members.chosen[0] < 0:
        return None, {}
    a = int(members.chosen[0])
    missing, *branches = members.branches[0]
    values = schema.attributes[a].categories or range(int(members.n_edges[0]) + 1)
    return a, {
        v: b.tolist() for v, b in zip([*values, MISSING], [*branches[: len(values)], missing], strict=True) if b.any()
    }


rules = st.builds(
    OneRuleClassifier,
    criterion=st.sampled_from(["gain_ratio", "info_gain"]),
    min_branch_weight=st.sampled_from([0.0, 1.0, 4.0]),
)


@drawn(200)
@given(rules, mixed_examples(), st.booleans())
def test_the_rule_is_that_of_the_plain_method(model, examples, noisy):
    X, y, weights = examples
    y = np.random.default_rng(0).permutation(y) if noisy else y
    model.fit(X, y, weights)
    kept = weights > 0
    assert decoded(model) == plain_rule(model, X[kept], y[kept], weights[kept])


@drawn(60)
@given(rules, mixed_examples(), st.integers(0, 2**32 - 1))
def test_any_order_of_examples_gives_the_same_model_to_the_last_bit(batch, examples, seed):
    X, y, weights = encode_frame(examples[0]), *examples[1:]
    online = OneRuleClassifier(**batch.get_params())
    batch.fit(X, y, weights)
    for part in np.array_split(np.random.default_rng(seed).permutation(len(y)), 1 + seed % 4):
        if len(part) and weights[part].any():
            online.partial_fit(X[part], y[part], sample_weight=weights[part]).predict(X)
    assert decoded(online) == decoded(batch)


def test_a_numeric_attribute_has_many_branches():
    x = np.repeat([1.0, 2.0, 3.0], 20)
    y = np.repeat([0, 1, 0], 20)
    model = OneRuleClassifier().fit(x[:, None], y)
    assert model._members.edges[0, : model._members.n_edges[0]].tolist() == [1.5, 2.5]
    assert model.predict([[0.0], [1.5], [2.4], [2.5], [9.0]]).tolist() == [0, 1, 1, 0, 0]


def test_branches_hold_the_class_shares():
    X = pd.DataFrame({"colour": ["red", "red", "red", "blue", "blue", None]})
    model = OneRuleClassifier().fit(X, ["a", "a", "b", "b", "b", "a"])
    asked = pd.DataFrame({"colour": ["red", "blue", None, "green"]})
    np.testing.assert_allclose(model.predict_proba(asked), [[2 / 3, 1 / 3], [0, 1], [1, 0], [1 / 2, 1 / 2]])


def test_without_an_attribute_that_tells_anything_the_majority_decides():
    model = OneRuleClassifier().fit([[1.0], [1.0], [1.0]], [1, 1, 0])
    assert model.predict([[7.0]]).tolist() == [1]


@pytest.mark.parametrize("seed", range(5))
def test_weight_two_equals_two_copies_in_any_order(seed):
    X, y, _ = random_examples(seed, n=50)
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(50), 2))
    copies = OneRuleClassifier().fit(X.iloc[rows], y[rows])
    assert decoded(copies) == decoded(OneRuleClassifier().fit(X, y, np.full(50, 2.0)))
