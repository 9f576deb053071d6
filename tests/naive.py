"""Every algorithm in the plainest Python: the oracles that the kernels are compared with. Slow on purpose."""

import itertools
import math
from collections import defaultdict

import numpy as np

__all__ = ["NaiveBayes", "adaboost", "best_test", "online_boosting", "poisson"]


class NaiveBayes:
    """Naive Bayes from a list of (values, class, weight); None is a missing value, text is nominal."""

    def __init__(self, examples, n_classes, n_values, smoothing, floor=1e-9, skip=False, equal=False):
        self.examples = [e for e in examples if e[2] > 0]
        self.n_classes, self.n_values, self.floor = n_classes, n_values, floor
        total = sum(w for _, _, w in self.examples)
        self.f = {"laplace": 1.0, "none": 0.0, "laplace_m": 1 / total, "literal": 0.0}[smoothing]
        self.literal = smoothing == "literal"
        self.skip, self.equal = skip, equal

    def posterior(self, x):
        scores = [self._score(x, c) for c in range(self.n_classes)]
        fewest = min(zeros for zeros, _ in scores)
        if self.literal and fewest > 0:  # all products are zero
            first = min(label for _, label, _ in self.examples)
            return [float(c == first) for c in range(self.n_classes)]
        top = max(log for zeros, log in scores if zeros == fewest)
        shares = [math.exp(log - top) if zeros == fewest else 0.0 for zeros, log in scores]
        return [share / sum(shares) for share in shares]

    def _score(self, x, c):
        of_class = [(v, w) for v, label, w in self.examples if label == c]
        weight = sum(w for _, w in of_class)
        zeros, log = 0, 0.0
        factors = [weight + self.f]
        if self.equal:
            factors, zeros = [], 0 if weight > 0 else math.inf
        for a, value in enumerate(x):
            if value is None:
                continue
            if isinstance(value, str):
                known = sum(w for v, w in of_class if v[a] is not None)
                count = sum(w for v, w in of_class if v[a] == value)
                factors.append((count + self.f) / (known + self.f * self.n_values[a]) if known + self.f > 0 else 0.0)
            elif weight == 0:
                zeros = math.inf
            elif not (self.skip and self._is_flat(a)):
                log += self._log_density(value, a, of_class)
        for factor in factors:
            if factor > 0:
                log += math.log(factor)
            else:
                zeros += 1
        return zeros, log

    def _is_flat(self, a):
        """Whether some class has less than the least variance, or no value at all."""
        least = self._least(a)
        for c in {label for _, label, _ in self.examples}:
            own = [(v[a], w) for v, label, w in self.examples if label == c and v[a] is not None]
            if not own or _moments(own)[1] < least:
                return True
        return False

    def _least(self, a):
        return self.floor * _moments([(v[a], w) for v, _, w in self.examples if v[a] is not None])[1] + 1e-12

    def _log_density(self, x, a, of_class):
        everything = [(v[a], w) for v, _, w in self.examples if v[a] is not None]
        own = [(v[a], w) for v, w in of_class if v[a] is not None]
        mean, variance = _moments(own or everything)
        variance = max(variance, self._least(a))
        return -0.5 * math.log(2 * math.pi * variance) - (x - mean) ** 2 / (2 * variance)


def _moments(values):
    if not values:
        return 0.0, 1.0
    weight = sum(w for _, w in values)
    mean = sum(w * x for x, w in values) / weight
    return mean, sum(w * (x - mean) ** 2 for x, w in values) / weight


def entropy(weights):
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0) if total > 0 else 0.0


def best_test(examples, n_attributes):
    """Return the greatest information gain over all tests on one attribute, and every (attribute, cut) that reaches it."""
    gains = {}
    for a in range(n_attributes):
        values = [v[a] for v, _, _ in examples if v[a] is not None]
        if not values:
            continue
        if isinstance(values[0], str):
            gains[a, None] = _gain(examples, lambda v, a=a: v[a])
            continue
        distinct = sorted(set(values))
        for low, high in itertools.pairwise(distinct):
            cut = low + (high - low) / 2
            gains[a, cut] = _gain(examples, lambda v, a=a, cut=cut: None if v[a] is None else v[a] < cut)
        if len(distinct) == 1:
            gains[a, math.nan] = _gain(examples, lambda v, a=a: v[a] is None)
    top = max(gains.values())
    return top, [test for test, gain in gains.items() if gain >= top - 1e-9]


def _gain(examples, branch_of):
    branches = defaultdict(lambda: defaultdict(float))
    everything = defaultdict(float)
    for values, label, weight in examples:
        branches[branch_of(values)][label] += weight
        everything[label] += weight
    total = sum(everything.values())
    inside = sum(sum(b.values()) / total * entropy(list(b.values())) for b in branches.values())
    return entropy(list(everything.values())) - inside


def poisson(mean, uniform):
    """Invert the Poisson distribution function."""
    mass = left = math.exp(-mean)
    k = 0
    while uniform >= left:
        k += 1
        mass *= mean / k
        left += mass
    return k


def adaboost(make, X, y, n_members, sides=2):
    """AdaBoost.M1 as figure 4.1 of the thesis, with copies of any classifier; returns members, votes and errors.

    `sides` = the number of classes: SAMME as algorithm 2 of Zhu et al. (2009), weights brought to a sum of one.
    """
    n = len(y)
    D = np.full(n, 1 / n)
    members, votes, errors = [], [], []
    for _ in range(n_members):
        member = make().fit(X, y, sample_weight=D * n)
        wrong = member.predict(X) != y
        error = D[wrong].sum()
        if error >= 1 - 1 / sides:
            break
        least = max(error, 0.5 / n)
        members.append(member)
        votes.append(math.log((1 - least) / least) + math.log(sides - 1))
        errors.append(error)
        if error == 0:
            break
        D = D * np.where(wrong, (sides - 1) / (sides * error), 1 / (sides * (1 - error)))
    return members, votes, errors


def online_boosting(make, rows, y, classes, draws, standing=None, *, by_examples=False, first=0, began=None):
    """Online boosting as figure 4.3 of the thesis, or balanced by the examples seen; `rows` are one-row tables.

    `standing`: members, right and wrong weights to go on from; `first`: how many examples came before, and `began`: how many
    before each member. Returns members, right and wrong weights, and the weight with
    which each example came to each member.
    """
    n_members = draws.shape[1]
    members, right, wrong = standing or ([make() for _ in range(n_members)], np.zeros(n_members), np.zeros(n_members))
    came, began = np.zeros(draws.shape), np.zeros(n_members) if began is None else began
    for i, row in enumerate(rows):
        weight = 1.0
        for m, member in enumerate(members):
            came[i, m] = weight
            for _ in range(poisson(weight, draws[i, m])):
                member.partial_fit(row, y[i : i + 1], classes=classes)
            side = right if hasattr(member, "classes_") and member.predict(row)[0] == y[i] else wrong
            side[m] += weight
            if by_examples:
                weight *= (first + i + 1 - began[m]) / (2 * side[m])
            else:
                error = wrong[m] / (right[m] + wrong[m])
                weight *= 1 / (2 * (1 - error)) if side is right else 1 / (2 * error)
    return members, right, wrong, came
