import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles.learners.core.discretise import between, mark_cuts
from tests.drawn import drawn
from tests.naive import entropy


def entropy_cuts(numbers, labels, weights, n_classes):
    """Return the cuts that the kernel finds, in ascending order."""
    used = ~np.isnan(numbers) & (weights > 0)
    values, places = np.unique(numbers[used], return_inverse=True)
    cells = np.zeros((len(values), n_classes))
    np.add.at(cells, (places, labels[used]), weights[used])
    is_cut = np.zeros(len(values), dtype=np.bool_)
    below = np.concatenate([np.zeros((1, n_classes)), np.cumsum(cells, axis=0)])
    mark_cuts(below, len(values), np.empty((len(values) + 1, 2), dtype=np.int64), is_cut)
    return np.array([between(values[j - 1], values[j]) for j in np.flatnonzero(is_cut)], dtype=np.float64)


def naive_cuts(numbers, labels, weights):
    """Fayyad and Irani's method as they wrote it."""
    examples = sorted(
        (x, y, w) for x, y, w in zip(numbers, labels, weights, strict=True) if w > 0 and not math.isnan(x)
    )
    return sorted(cuts_of(examples))


def cuts_of(examples):
    best = None
    distinct = sorted({x for x, _, _ in examples})
    for low, high in itertools.pairwise(distinct):
        if len({y for x, y, _ in examples if x in (low, high)}) > 1:
            cut = low + (high - low) / 2
            sides = [[e for e in examples if e[0] < cut], [e for e in examples if e[0] > cut]]
            gain = gain_of(examples, sides)
            if best is None or gain > best[0] + 1e-11:
                best = gain, cut, sides
    if best is None or best[0] <= threshold(examples, best[2]) + 1e-12:
        return []
    return [best[1], *cuts_of(best[2][0]), *cuts_of(best[2][1])]


def shares(examples):
    return [sum(w for _, y, w in examples if y == c) for c in sorted({y for _, y, _ in examples})]


def gain_of(examples, sides):
    total = sum(shares(examples))
    return entropy(shares(examples)) - sum(sum(shares(s)) / total * entropy(shares(s)) for s in sides)


def threshold(examples, sides):
    n, k = sum(shares(examples)), len(shares(examples))
    delta = math.log2(3**k - 2) - k * entropy(shares(examples))
    delta += sum(len(shares(side)) * entropy(shares(side)) for side in sides)
    return (math.log2(max(n - 1, 1e-9)) + delta) / n


@pytest.mark.parametrize(
    ("labels", "gain", "least", "cuts"),
    [
        ([0] * 5 + [1] * 5, 1.0, 0.39772799, [5.5]),
        ([0, 0, 0, 1, 1], 0.97095059, 0.57309075, [3.5]),
        ([0, 0, 1, 0, 1, 1, 0, 1], 0.31127812, 0.68141269, []),
    ],
)
def test_fixtures(labels, gain, least, cuts):
    numbers = np.arange(1.0, len(labels) + 1)
    assert entropy_cuts(numbers, np.array(labels), np.ones(len(labels)), 2).tolist() == cuts
    examples = list(zip(numbers, labels, np.ones(len(labels)), strict=True))
    best = max(range(1, len(labels)), key=lambda j: gain_of(examples, [examples[:j], examples[j:]]))
    sides = [examples[:best], examples[best:]]
    assert gain_of(examples, sides) == pytest.approx(gain, abs=1e-8)
    assert threshold(examples, sides) == pytest.approx(least, abs=1e-8)


@drawn(200)
@given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.integers(1, 5), st.sampled_from([1, 5, 1000]))
def test_cuts_are_those_of_the_plain_method_in_any_order(seed, n, n_classes, n_values):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, n_values, n) / 8
    labels = (np.floor(numbers * 0.9 * n_classes).astype(np.int64) + (rng.random(n) < 0.2)) % n_classes
    numbers[rng.random(n) < 0.1] = np.nan
    weights = rng.choice([0.0, 0.25, 1.0, 2.0, 3.5], n)
    cuts = entropy_cuts(numbers, labels, weights, n_classes)
    assert cuts.tolist() == naive_cuts(numbers, labels, weights)
    order = rng.permutation(n)
    assert entropy_cuts(numbers[order], labels[order], weights[order], n_classes).tolist() == cuts.tolist()


def test_discretising_again_changes_nothing():
    rng = np.random.default_rng(3)
    numbers, weights = rng.normal(size=400), np.ones(400)
    labels = (numbers > -0.5).astype(np.int64) + (numbers > 0.8)
    labels[rng.random(400) < 0.1] = 0
    cuts = entropy_cuts(numbers, labels, weights, 3)
    assert len(cuts) >= 2
    intervals = np.searchsorted(cuts, numbers, side="right")
    again = entropy_cuts(intervals.astype(np.float64), labels, weights, 3)
    assert (np.searchsorted(again, intervals, side="right") == intervals).all()


def test_many_classes_do_not_overflow():
    labels = np.repeat(np.arange(700), 30)  # 3 to the 700th is no number any more
    cuts = entropy_cuts(labels // 100 * 1.0, labels, np.ones(len(labels)), 700)
    assert cuts.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]


def test_a_cut_between_neighbouring_numbers_parts_them():
    low = 0.1
    high = np.nextafter(low, 1)
    assert low < between(low, high) <= high
