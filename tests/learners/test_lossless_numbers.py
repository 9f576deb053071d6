"""Lossless trees look at few attributes when an example came: what they keep for that, and that nothing is lost."""

import math
from itertools import pairwise

import numpy as np
import pytest

from ensembles import DecisionTreeClassifier, OnlineBaggingClassifier, OnlineBoostingClassifier
from ensembles.data.table import Attribute, Schema, Table
from ensembles.learners.lossless_tree import nodes as at
from ensembles.learners.lossless_tree import store
from tests.learners.test_decision_tree import tree_of

MAKES = ["spread", "repeated", "alike", "mixed"]


def made(make, n=300, n_classes=3):
    """Return a table and labels: numbers that differ, that come again, or whose columns tie, with values missing."""
    rng = np.random.default_rng(MAKES.index(make))
    labels = rng.integers(0, n_classes, n)
    numbers = rng.normal(size=(n, 5)) + 0.7 * labels[:, None] * (np.arange(5) < 3)
    if make in ("repeated", "alike"):
        numbers = np.round(numbers)
    if make == "alike":  # the same, in reverse, the same with fewer values: tests as good as each other
        numbers[:, 1], numbers[:, 2], numbers[:, 3] = numbers[:, 0], -numbers[:, 0], np.minimum(numbers[:, 0], 1.0)
    if make != "spread":
        numbers[rng.random(numbers.shape) < 0.1] = np.nan
    nominal = 3 if make == "mixed" else 0
    codes = ((labels[:, None] + rng.integers(0, 3, (n, nominal))) % 4).astype(np.int32)
    attributes = [Attribute(f"x{a}", "numeric") for a in range(5)]
    attributes += [Attribute(f"n{a}", "nominal", tuple("abcd")) for a in range(nominal)]
    return Table(Schema(tuple(attributes)), codes, numbers), labels


def grown_at_once(model, m, table):
    """Return a tree that learned what member m did, as (example, class, weight), in one go."""
    members = model._members
    kept = np.flatnonzero(members.mass[m, : members.stock[store.PAIRS]])
    codes, slots = np.split(members.keys[members.pairs[kept, store.EXAMPLE]], [table.codes.shape[1]], axis=1)
    numbers = np.where(slots >= 0, members.values[slots], np.nan)
    learned = Table(table.schema, (codes - members.first[:-1]).astype(np.int32), numbers)
    alone = DecisionTreeClassifier(**model.estimator.get_params())
    return alone.partial_fit(learned, members.pairs[kept, store.CLASS], model.classes_, members.mass[m, kept])


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("prune", ["mdl", "none"])
@pytest.mark.parametrize("draw", ["poisson", "pure", "asked before"])
def test_a_tree_asked_after_each_example_is_the_one_grown_at_once(make, prune, draw):
    table, labels = made(make)
    tree = DecisionTreeClassifier(prune=prune)
    if draw == "asked before":
        model = OnlineBaggingClassifier(tree, n_estimators=3, random_state=2)
        model.partial_fit(table.take([0]), labels[:1], classes=[0, 1, 2])
        model.predict_then_learn(table.take(slice(1, None)), labels[1:])
    else:
        model = OnlineBoostingClassifier(tree, n_estimators=3, draw=draw, random_state=2).fit(table, labels)
    for m in range(3):
        assert tree_of(model, m) == tree_of(grown_at_once(model, m, table))


@pytest.mark.parametrize("make", MAKES)
def test_what_a_node_keeps_bounds_what_its_tests_leave(make):
    table, labels = made(make, n=240)
    model = DecisionTreeClassifier(prune="none").partial_fit(table.take([0]), labels[:1], classes=[0, 1, 2])
    checked, pending = 0, 0
    for begin in range(1, 240, 20):
        model.predict_then_learn(table.take(slice(begin, begin + 20)), labels[begin : begin + 20])
        found = check_bounds(model._members)
        checked, pending = checked + found[0], pending + found[1]
    assert checked > 100
    assert pending > 0


def check_bounds(members):
    """Check every node that keeps bounds; return how many, and the looks they were spared."""
    checked, pending = 0, 0
    for v in range(members.stock[store.NODES]):
        b = members.nodes[v, at.BOUNDS]
        if b == 0 or members.nodes[v, at.COLUMN] < 0:
            continue
        pairs = pairs_below(members, v)
        tests = 0
        for a, column in enumerate(members.place):
            left, admissible = looked_at(members, pairs, column)
            assert members.bounds[b, a] <= min(left) + 1e-9
            tests += admissible
        spared = members.node_statistics[v, at.PENDING]
        assert members.nodes[v, at.TESTS] <= tests <= members.nodes[v, at.TESTS] + 2 * spared
        checked, pending = checked + 1, pending + spared
    return checked, pending


def pairs_below(members, v):
    """Return (key, class, weight) of all that is below node v."""
    if members.nodes[v, at.COLUMN] >= 0:
        return pairs_below(members, members.nodes[v, at.LEFT]) + pairs_below(members, members.nodes[v, at.RIGHT])
    found, p = [], members.nodes[v, at.HEAD]
    while p >= 0:
        example, label, _ = members.pairs[p]
        found.append((members.keys[example], label, members.mass[0, p]))
        p = members.links[0, p]
    return found


def looked_at(members, pairs, column):
    """Return the bits that each test of a column leaves, admissible or not, and how many are."""
    n_nominal = len(members.first) - 1
    known = [key[column] if column < n_nominal else members.values[key[column]] for key, _, _ in pairs]
    there = [column < n_nominal or key[column] >= 0 for key, _, _ in pairs]
    values = sorted({value for value, here in zip(known, there, strict=True) if here})
    classes = [{c for (_, c, _), w, here in zip(pairs, known, there, strict=True) if here and w == v} for v in values]
    if column < n_nominal:
        admissible = len(values) if len(values) > 2 else len(values) - 1
        sides = [[value == asked for value in known] for asked in values]
    else:
        admissible = sum(len(a | b) > 1 for a, b in pairwise(classes))
        sides = [[h and v <= cut for v, h in zip(known, there, strict=True)] for cut in values]
    left = [entropy(pairs, side) + entropy(pairs, [not true for true in side]) for side in sides]
    return left or [entropy(pairs, [True] * len(pairs))], admissible


def entropy(pairs, chosen):
    """Return the bits that tell the classes of the chosen pairs."""
    weights = {}
    for (_, label, weight), here in zip(pairs, chosen, strict=True):
        if here:
            weights[label] = weights.get(label, 0.0) + weight
    total = sum(weights.values())
    return sum(w * math.log2(total / w) for w in weights.values())
