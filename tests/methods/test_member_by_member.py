"""A block of examples for one member after another: the same results as each example for all of them, to the last bit."""

import numpy as np
import pytest

from ensembles.learners.hoeffding import capacity, members
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.learners.mondrian.members import MondrianMembers
from ensembles.methods.bagging.online_bagging import OnlineBaggingClassifier
from ensembles.methods.core import online
from ensembles.methods.core.threads import by_member
from ensembles.registry import make_learner
from tests.examples import random_examples, random_table

TREES = ["hoeffding_tree", "extremely_fast_tree", "mondrian_tree"]
WAYS = [
    *((method, base, {}) for method in ("online_bagging", "online_boosting") for base in TREES),
    ("online_bayesian_bagging", "hoeffding_tree", {}),
    ("fixed_fraction_bagging", "hoeffding_tree", {}),
    ("online_bagging", "hoeffding_tree", {"vote": "soft"}),
    ("online_boosting", "hoeffding_tree", {"vote": "soft", "draw": "pure"}),
    ("adaptive_random_forest", "hoeffding_tree", {"vote": "soft"}),
    ("mondrian_forest", "mondrian_tree", {}),
]


@pytest.fixture
def by_turns(monkeypatch):
    """Return what sets how many bytes of trees stay together, and the list of how many members each stage has."""
    stages = []

    def watched(stage, whole):
        make = by_member(stage, whole)

        def made(some, first, stop):
            stages.append(stop - first)
            return make(some, first, stop)

        return made

    def bring(near):
        monkeypatch.setattr(members, "_NEAR", near)
        monkeypatch.setattr(members, "_FEW", 64)
        monkeypatch.setattr(members, "long_block", lambda _: 180)
        monkeypatch.setattr(MondrianMembers, "member_block", lambda *_: 0 if near else 100)
        monkeypatch.setattr(online, "_LOOK", 180)
        stages.clear()
        return stages

    monkeypatch.setattr(online, "by_member", watched)
    return bring


def told(method, base, n_jobs, **settings):
    """Return what an ensemble says of examples before it learns them, and at the end."""
    X, y, weights = random_table(5, n=420, missing=0.03)
    tree = {} if base == "mondrian_tree" else {"grace_period": 10}
    model = make_learner(method, base, base_settings=tree, settings=settings | {"n_estimators": 5}, random_state=7)
    model.set_params(n_jobs=n_jobs)
    model.partial_fit(X[:200], y[:200], sample_weight=weights[:200])
    labels = np.searchsorted(model.classes_, y)
    said = [*model.predict_then_learn(X[200:], labels[200:])]
    if hasattr(model, "predict_late_then_learn"):
        said += model.predict_late_then_learn(X[:300], np.arange(7, 307).clip(max=300), X[100:400], labels[100:400])
    return [*said, model.predict_proba(X), model.member_weights_, model.member_errors_, model.member_sizes_]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("method", "base", "settings"), WAYS)
def test_members_that_take_blocks_in_turn_are_the_same_to_the_last_bit(method, base, settings, n_jobs, by_turns):
    assert by_turns(2**40) == []
    together = told(method, base, 1, **settings)
    stages = by_turns(0)
    in_turn = told(method, base, n_jobs, **settings)
    assert set(stages) == ({5} if n_jobs == 1 else {2, 3}), "most of the time"
    for one, other in zip(together, in_turn, strict=True):
        np.testing.assert_array_equal(one, other)


def test_trees_whose_tables_may_not_suffice_take_examples_together(by_turns, monkeypatch):
    X, y, _ = random_examples(9, n=3000, missing=0.0)
    tree, sizes = HoeffdingTreeClassifier(grace_period=20), []
    one = OnlineBaggingClassifier(tree, 1).fit(X, y)._members
    monkeypatch.setattr(capacity, "POOL", 30 * one.table_bytes)
    for near in (2**40, 0):
        stages = by_turns(near)
        model = OnlineBaggingClassifier(tree, 12, random_state=1).fit(X, y)
        assert stages == []
        assert model._members.stock[1] == 30, "all are used up"
        sizes.append(model.member_sizes_)
    assert sizes[0] == sizes[1]


def test_trees_take_blocks_as_long_as_their_tables_suffice_for(by_turns, monkeypatch):
    X, y, _ = random_examples(9, n=3000, missing=0.0)
    tree, said, blocks = HoeffdingTreeClassifier(grace_period=20), [], []
    monkeypatch.setattr(capacity, "POOL", 12 * 150 * OnlineBaggingClassifier(tree, 1).fit(X, y)._members.table_bytes)
    asked = members.HoeffdingMembers.member_block
    monkeypatch.setattr(
        members.HoeffdingMembers, "member_block", lambda self, n: blocks.append(asked(self, n)) or blocks[-1]
    )
    for near in (2**40, 0):
        stages = by_turns(near)
        said.append(OnlineBaggingClassifier(tree, 12, random_state=1).fit(X, y).predict_proba(X))
    assert set(stages) == {12}
    assert any(64 <= size < 150 for size in blocks), "fewer than would be taken"
    np.testing.assert_array_equal(*said)


def test_threads_deal_out_what_full_trees_may_still_need():
    X, y, _ = random_examples(9, n=4000, missing=0.0)
    model = OnlineBaggingClassifier(HoeffdingTreeClassifier(grace_period=5, max_nodes=40), 8, random_state=1).fit(X, y)
    trees, bounds = model._members, [(0, 1), (1, 8)]
    held = [int((nodes[:size, 2] >= 0).sum()) for nodes, size in zip(trees.nodes, trees.sizes, strict=True)]
    assert trees.sharing.most_examples(trees) > 10**9
    parts = trees.sharing.parts(trees, bounds, 10**9)
    free = [part.spare[: part.stock[0]] for part in parts]
    assert len({*np.concatenate(free).tolist()}) == 8 * 40 - sum(held)
    assert [len(some) for some in free] == [40 - held[0], 7 * 40 - sum(held[1:])]
    trees.sharing.put_together(trees, parts)
    returned, used = trees.stock
    assert used - returned == sum(held)


def test_full_trees_are_the_same_in_threads():
    X, y, _ = random_examples(9, n=3000, missing=0.0)
    tree, said = HoeffdingTreeClassifier(grace_period=5, max_nodes=40), []
    for n_jobs in (1, 3):
        model = OnlineBaggingClassifier(tree, 9, random_state=1).fit(X, y)
        model.set_params(n_jobs=n_jobs).partial_fit(X, y)
        said.append(model.predict_proba(X))
    np.testing.assert_array_equal(*said)
