"""The pruned tree in the plainest Python: the oracle of its kernels."""

import itertools
import math
from collections import defaultdict

from tests.naive import entropy

__all__ = ["MISSING", "PlainTree"]

MISSING = "missing"


class PlainTree:
    """The tree of the specification, grown and pruned by recursion over lists of (values, class, weight)."""

    def __init__(self, model, kinds, n_classes):
        self.model, self.kinds, self.n_classes = model, kinds, n_classes

    def grow(self, examples, parents=(), depth=0):
        """Return (label, class weights, test or None, {branch: subtree}, pessimistic errors)."""
        shares = [sum(w for _, y, w in examples if y == c) for c in range(self.n_classes)]
        parents = [shares, *parents]
        label = max(range(self.n_classes), key=lambda c: [[above[c] for above in parents], -c])
        cost = self.cost_of_leaf(shares)
        leaf = label, shares, None, {}, cost
        if max(shares) == sum(shares) or depth == (self.model.max_depth or math.inf):
            return leaf
        test = self.best_test(examples)
        if test is None:
            return leaf
        parts = self.split(examples, test)
        below = {branch: self.grow(part, parents, depth + 1) for branch, part in parts.items()}
        expected = sum(tree[4] for tree in below.values())
        if self.model.prune == "mdl":
            expected += 1 + math.log2(self.n_tests(examples))
        slack = self.model.prune_slack if self.model.prune == "pessimistic" else 0.0
        if self.model.prune != "none" and cost <= expected + slack + 1e-10:
            return leaf
        return label, shares, test, below, expected

    def cost_of_leaf(self, shares):
        if self.model.prune == "mdl":
            return length_of_leaf(shares)
        wrong, total = sum(shares) - max(shares), sum(shares)
        return upper_limit(wrong, total, self.model.z, self.model.pess_variant == "c45")

    def n_tests(self, examples):
        """Count the tests that can be asked, those that part the examples alike once; cuts at changes of class only."""
        n = 0
        for a, kind in enumerate(self.kinds):
            values = sorted({v[a] for v, _, _ in examples if v[a] is not None})
            some_missing = any(v[a] is None for v, _, _ in examples)
            if kind == "numeric":
                n += len(self.boundaries(examples, a, values)) + (some_missing and len(values) > 0)
            elif len(values) + some_missing > 1:
                n += len(values) if self.model.nominal_split == "binary" and len(values) > 2 else 1
        return n

    def boundaries(self, examples, a, known):
        """Return the cuts between neighbouring values that do not have the same single class."""
        classes = [{y for v, y, _ in examples if v[a] == x} for x in known]
        pairs = zip(itertools.pairwise(known), itertools.pairwise(classes), strict=True)
        return [low + (high - low) / 2 for (low, high), (c, d) in pairs if len(c | d) > 1]

    def split(self, examples, test):
        parts = defaultdict(list)
        for example in examples:
            parts[self.branch(example[0], test)].append(example)
        return parts

    def branch(self, values, test):
        a, asked = test
        if values[a] is None:
            return MISSING
        if asked is None:
            return values[a]
        return int(not values[a] < asked) if self.kinds[a] == "numeric" else int(values[a] != asked)

    def best_test(self, examples):
        total = sum(w for _, _, w in examples)
        found = []
        for a in range(len(self.kinds)):
            known = sorted({v[a] for v, _, _ in examples if v[a] is not None})
            rated = []
            for asked in self.questions(examples, a, known):
                parts = self.split(examples, (a, asked))
                weights = [sum(w for _, _, w in part) for part in parts.values()]
                if sum(w >= self.model.min_branch_weight for w in weights) >= 2:
                    rated.append((self.gain(examples, parts), (a, asked), entropy(weights)))
            if not rated:
                continue
            top = max(gain for gain, _, _ in rated)
            gain, test, bits = next(r for r in rated if r[0] >= top - 1e-11)
            is_cut = self.kinds[a] == "numeric" and test[1] > -math.inf  # whether it is missing is no choice among cuts
            if is_cut and self.model.numeric_mdl_penalty and len(known) > 2 and self.model.criterion != "ks":
                gain -= math.log2(len(known) - 1) / total
            if gain > 1e-10:
                ratio = gain / bits if bits >= 1e-12 else 0.0
                found.append((gain, test, ratio if self.model.criterion == "gain_ratio" else gain))
        if not found:
            return None
        if self.model.criterion == "gain_ratio":
            mean = sum(gain for gain, _, _ in found) / len(found)
            found = [f for f in found if f[0] >= mean - 1e-11]
        top = max(score for _, _, score in found)
        return next(test for _, test, score in found if score >= top - 1e-11)

    def questions(self, examples, a, known):
        if self.kinds[a] == "numeric":  # -inf: is it missing? A cut gains more, or as little: then this one is simpler.
            if self.model.criterion == "ks":
                return [-math.inf, *self.boundaries(examples, a, known)]
            return [-math.inf, *(low + (high - low) / 2 for low, high in itertools.pairwise(known))]
        return known if self.model.nominal_split == "binary" else [None]

    def gain(self, examples, parts):
        if self.model.criterion == "ks":
            counts = [sum(w for _, y, w in examples if y == c) for c in range(self.n_classes)]
            return sum(
                distance([sum(w for _, y, w in p if y == c) for c in range(self.n_classes)], counts)
                for p in parts.values()
            )

        def bits(some):
            weights = [sum(w for _, y, w in some if y == c) for c in range(self.n_classes)]
            return sum(weights) * entropy(weights)

        total = sum(w for _, _, w in examples)
        return (bits(examples) - sum(bits(part) for part in parts.values())) / total


def distance(taken, counts):
    """Return how far apart the shares of two groups of classes are that take a branch."""
    pairs = sorted(((t / n, t, n) for t, n in zip(taken, counts, strict=True) if n > 0), reverse=True)
    gaps = [high[0] - low[0] for high, low in itertools.pairwise(pairs)]
    at = max(k for k, gap in enumerate(gaps) if gap == max(gaps)) + 1
    above, below = (sum(t for _, t, _ in group) / sum(n for _, _, n in group) for group in (pairs[:at], pairs[at:]))
    return abs(above - below)


def upper_limit(wrong, n, z, as_c45=False):
    if as_c45 and wrong < 1:
        chances = {0: 1, 0.25: 0.4, 0.6925: 0.25, 0.84: 0.2, 2.0: 0.01 + 0.04 * 0.33 / 0.68}
        none = n * (1 - chances[z] ** (1 / n))
        return none + wrong * (upper_limit(1, n, z) - none)
    f = min((wrong + 0.5) / n, 1)
    root = z * math.sqrt(max(f / n - f * f / n + z * z / (4 * n * n), 0))
    return n * (f + z * z / (2 * n) + root) / (1 + z * z / n)


def length_of_leaf(shares):
    present, total = sum(w > 0 for w in shares), sum(shares)
    if present == 1:
        return 1.0
    return 1 + math.log2(present) + (total - max(shares)) * (math.log2(max(total, 1)) + math.log2(present - 1))
