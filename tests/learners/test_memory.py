"""A stream may be endless: what an online learner keeps has a bound."""

import pickle

import numpy as np
import pytest

from ensembles.evaluation.model_size import bytes_of
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.learners.hoeffding.members import HoeffdingMembers
from ensembles.learners.mondrian.members import MondrianMembers
from ensembles.registry import base_models, make_learner
from tests.examples import random_table

STREAM, BLOCK, SETTLED = 500_000, 50_000, 250_000
BOUNDED = [
    key for key, entry in base_models().items() if entry.online and not getattr(entry.cls, "stores_examples", False)
]
FULL_LATE = ("hoeffding_tree", "extremely_fast_tree")


@pytest.mark.compiled
@pytest.mark.parametrize("base", BOUNDED)
def test_half_a_million_different_examples_take_no_more_memory_than_the_first_half(base):
    rng = np.random.default_rng(0)
    model = base_models()[base].cls(**({"max_nodes": 100} if base in FULL_LATE else {}))
    sizes = {}
    for seen in range(BLOCK, STREAM + 1, BLOCK):
        X = rng.normal(size=(BLOCK, 3))
        model.partial_fit(X, (X[:, 0] + rng.normal(size=BLOCK) > 0).astype(int), classes=[0, 1])
        if seen in (SETTLED, STREAM):
            sizes[seen] = len(pickle.dumps(model))
    assert sizes[STREAM] <= 1.01 * sizes[SETTLED]


@pytest.mark.compiled
def test_a_tree_stays_as_large_over_a_million_examples():
    rng = np.random.default_rng(8)
    model, sizes = HoeffdingTreeClassifier(grace_period=50.0, tau=0.2, max_nodes=500), []
    for _ in range(10):
        X = rng.random((100_000, 3))
        y = (np.sin(9 * X[:, 0]) > X[:, 1]).astype(int)
        model.partial_fit(X, y)
        sizes.append(sum(array.nbytes for array in model._members if isinstance(array, np.ndarray)))
    assert max(sizes) == sizes[0]
    assert len(pickle.dumps(model)) < sizes[0] + 10_000
    assert 400 < model._members.sizes[0] <= 500
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize(
    ("method", "base"),
    [
        ("online_bagging", "hoeffding_tree"),
        ("online_boosting", "extremely_fast_tree"),
        ("adaptive_random_forest", "hoeffding_tree"),
        ("streaming_random_patches", "hoeffding_tree"),
        ("mondrian_forest", "mondrian_tree"),
    ],
)
def test_trees_are_kept_without_the_room_that_they_have_reserved_and_go_on_alike(method, base, monkeypatch):
    X, y, weights = random_table(5, n=420, missing=0.03)
    tree = {} if base == "mondrian_tree" else {"grace_period": 10}
    model = make_learner(method, base, base_settings=tree, settings={"n_estimators": 5}, random_state=7)
    model.partial_fit(X[:300], y[:300], classes=np.unique(y), sample_weight=weights[:300])
    twin = pickle.loads(pickle.dumps(model))
    with monkeypatch.context() as whole:
        for members in (HoeffdingMembers, MondrianMembers):
            whole.delattr(members, "__reduce__")
        reserved = bytes_of(model)
    assert bytes_of(twin) == bytes_of(model) < 0.7 * reserved
    for each in (model, twin):
        each.partial_fit(X[300:], y[300:], sample_weight=weights[300:])
    np.testing.assert_array_equal(model.predict_proba(X), twin.predict_proba(X))
    assert model.member_sizes_ == twin.member_sizes_
