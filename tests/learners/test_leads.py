"""Leaves refuse to split by a rough lead of their best test, which must never lie below the very one."""

import numpy as np
import pytest

from ensembles import OnlineBaggingClassifier
from ensembles.jit import kernel
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.learners.hoeffding.leads import greatest_lead
from ensembles.learners.hoeffding.members import MIN_FRACTION
from ensembles.learners.hoeffding.merits import best_test, estimate_sides
from tests.examples import random_examples

EXAMPLES = 300


@kernel
def _write_sides(members, cut, sides):
    estimate_sides(members, 0, 0, cut)
    for b in range(2):
        sides[b] = members.work[b].sum()


@kernel
def _write_leads(members, alone, exact, rough):
    for s in range(exact.shape[0]):
        _, _, best, second = best_test(members, s)
        exact[s] = best if alone else best - second
        rough[s] = greatest_lead(members, s, alone)


def leads_of(members, alone):
    """Return lead and rough lead of each leaf that counts."""
    exact, rough = np.empty((2, int(members.stock[1])))
    _write_leads(members, alone, exact, rough)
    return exact, rough


def numbers_of(kind, rng, y):
    """Return eleven columns of numbers."""
    numbers = rng.normal(size=(len(y), 11)) + 0.5 * y[:, None]
    if kind == "missing":
        numbers[rng.random(numbers.shape) < 0.2] = np.nan
    elif kind == "far apart":
        numbers *= 10.0 ** np.arange(-170, 160, 30)
    elif kind == "one value a class":
        numbers = np.round(numbers) + 0.0
        numbers[:, 0], numbers[:, 1:3] = y, 7.0
    return numbers


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
@pytest.mark.parametrize("kind", ["plain", "missing", "far apart", "one value a class"])
@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_the_rough_lead_is_not_below_the_lead_and_hardly_above(kind, n_classes, criterion, alone):
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, EXAMPLES)
    tree = HoeffdingTreeClassifier(criterion=criterion, grace_period=20, delta=0.5, tau=0.2)
    model = OnlineBaggingClassifier(tree, n_estimators=5, random_state=0).fit(numbers_of(kind, rng, y), y)
    exact, rough = leads_of(model._members, alone)
    assert len(exact) >= 5
    assert (rough >= exact).all()
    assert (rough <= exact + 2e-3).mean() > 0.5, "most are known, not doubted"


def test_nominal_attributes_beside_numbers_count_in_leads():
    X, y, _ = random_examples(1, EXAMPLES)
    model = HoeffdingTreeClassifier(grace_period=10_000).fit(X, y)
    exact, rough = leads_of(model._members, False)
    assert exact[0] <= rough[0] <= exact[0] + 2e-3


def test_a_side_that_is_only_just_heavy_enough_is_in_doubt():
    y = (np.arange(EXAMPLES) < 15).astype(int)
    X = np.random.default_rng(0).normal(size=(EXAMPLES, 1)) + 6.0 * y[:, None]
    members = HoeffdingTreeClassifier(grace_period=10_000).fit(X, y)._members
    low, high = members.spread[0, :2, 0]
    for j in range(1, 11):
        sides = np.empty(2)
        _write_sides(members, low + (high - low) * (j / 11.0), sides)
        members.settings[MIN_FRACTION] = sides.min() / EXAMPLES * (1.0 - 1e-13)
        exact, rough = leads_of(members, True)
        assert exact[0] <= rough[0], "a cut counts that roughly is too uneven"
