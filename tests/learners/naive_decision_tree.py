"""The lossless tree T(S) of the specification by recursion, with exact fractions: the oracle of the decision tree."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

__all__ = ["holds", "leaf_bits", "plain_size", "plain_tree", "predict_plainly", "rate_ks"]

MISSING = "?"


def plain_tree(examples, kinds, model):
    """Return the tree of (values, class, weight) as nested dictionaries; `kinds` are lists of values, or None if numeric."""
    examples = [(values, label, Fraction(weight)) for values, label, weight in examples if weight > 0]
    return _grow(examples, kinds, model)


def _grow(examples, kinds, model):
    shares = defaultdict(Fraction)
    for _, label, weight in examples:
        shares[label] += weight
    bits = leaf_bits([float(w) for w in shares.values()])
    leaf = {"shares": dict(shares), "test": None, "bits": bits, "pruned": True}
    if len(shares) < 2 or sorted(shares.values())[-2] < model.min_second_weight:
        return leaf
    tests, n_tests = _tests(examples, kinds)
    rated = [(_rate(examples, test, shares, model.criterion), test) for test in tests]
    top = max((score for score, _ in rated), default=0)
    test = next((test for score, test in rated if score > 1e-9 and score >= top - 1e-12), None)
    if test is None:
        if not (model.split_on_zero and tests):
            return leaf
        test = tests[0]
    left = _grow([e for e in examples if holds(e[0], test)], kinds, model)
    right = _grow([e for e in examples if not holds(e[0], test)], kinds, model)
    split_bits = 1 + math.log2(n_tests) + left["bits"] + right["bits"]
    node = {"shares": dict(shares), "test": test, "left": left, "right": right, "bits": bits, "pruned": False}
    if model.prune == "mdl":
        node["bits"], node["pruned"] = min(bits, split_bits), bits <= split_bits
    return node


def holds(values, test):
    """Say whether the test (attribute, value or cut) is true."""
    a, asked = test
    if values[a] is None:
        return asked == MISSING
    return values[a] == asked if isinstance(values[a], str) else values[a] < asked


def _tests(examples, kinds):
    """Return the admissible tests in order, and their number as pruning counts them."""
    tests, n_tests = [], 0
    for a, values in enumerate(kinds):
        if values is not None:
            seen = {MISSING if v[a] is None else v[a] for v, _, _ in examples}
            tests += [(a, value) for value in [*values, MISSING] if value in seen and len(seen) > 1]
            n_tests += len(seen) if len(seen) >= 3 else len(seen) - 1
            continue
        labels = defaultdict(set)
        for v, label, _ in examples:
            if v[a] is not None:
                labels[v[a]].add(label)
        for low, high in itertools.pairwise(sorted(labels)):
            if len(labels[low] | labels[high]) > 1:
                tests.append((a, low + (high - low) / 2))
                n_tests += 1
    return tests, n_tests


def _rate(examples, test, shares, criterion):
    left = defaultdict(Fraction)
    for values, label, weight in examples:
        if holds(values, test):
            left[label] += weight
    right = {label: shares[label] - left[label] for label in shares}
    if criterion == "ks":
        return rate_ks(left, shares) + rate_ks(right, shares)
    total = float(sum(shares.values()))
    sides = [[float(w) for w in side.values()] for side in (left, right)]
    inside = sum(sum(side) / total * _entropy(side) for side in sides)
    gain = _entropy([float(w) for w in shares.values()]) - inside
    bits = _entropy([sum(side) for side in sides])
    return gain if criterion == "info_gain" else gain / bits if bits >= 1e-12 else 0.0


def rate_ks(side, totals):
    """Return the distance of two groups of classes on one side, cut apart at the last largest gap."""
    order = sorted(totals, key=lambda c: -side[c] / totals[c])
    shares = [side[c] / totals[c] for c in order]
    gaps = [high - low for high, low in itertools.pairwise(shares)]
    last = max(k for k, gap in enumerate(gaps) if gap == max(gaps)) + 1
    upper, lower = order[:last], order[last:]
    return abs(_share(upper, side, totals) - _share(lower, side, totals))


def _share(group, side, totals):
    return sum(side[c] for c in group) / sum(totals[c] for c in group)


def _entropy(weights):
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def leaf_bits(shares):
    """Return the cost of a leaf."""
    if len(shares) == 1:
        return 1.0
    exceptions = sum(shares) - max(shares)
    return 1 + math.log2(len(shares)) + exceptions * (math.log2(max(sum(shares), 1)) + math.log2(len(shares) - 1))


def predict_plainly(tree, values, n_classes):
    """Return the class of an example; ties are broken by the nodes above."""
    path = [tree]
    while not path[0]["pruned"]:
        path.insert(0, path[0]["left" if holds(values, path[0]["test"]) else "right"])
    return max(range(n_classes), key=lambda c: [[node["shares"].get(c, 0) for node in path], -c])


def plain_size(tree):
    """Return nodes, leaves and depth, what is pruned left out."""
    if tree["pruned"]:
        return 1, 1, 0
    left, right = plain_size(tree["left"]), plain_size(tree["right"])
    return 1 + left[0] + right[0], left[1] + right[1], 1 + max(left[2], right[2])
