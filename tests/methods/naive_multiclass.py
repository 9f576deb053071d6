"""Jung, Goetz & Tewari's two algorithms and their binary ancestors in the plainest Python."""

import math
from functools import cache

import numpy as np

__all__ = ["AdaBoostOlm", "OnlineMbbm", "adaboost_ol", "bbm_weight", "best", "potential"]


@cache
def potential(left, votes, r, gamma):
    """Equations 2 and 3: chance that class r is lost with these votes and `left` members to come."""
    n_classes = len(votes)
    if left == 0:
        return float(any(votes[c] >= votes[r] for c in range(n_classes) if c != r))
    expected = 0.0
    for c in range(n_classes):
        chance = (1 - gamma) / n_classes + (gamma if c == r else 0.0)
        expected += chance * potential(left - 1, plus(votes, c), r, gamma)
    return expected


def plus(votes, c):
    return tuple(v + (k == c) for k, v in enumerate(votes))


def best(scores, prior):
    top = max(scores)
    tied = [c for c in range(len(scores)) if scores[c] >= top - 1e-12 * max(1.0, abs(top))]
    return max(tied, key=lambda c: (prior[c], -c))


def quantised(weight):
    return math.floor(weight * 2**20 + 0.5) / 2**20


class Chain:
    """Members (any classifier) of which each is asked under costs, `costs[r][l]` for voting l when the class is r."""

    def __init__(self, make, n_members, classes):
        self.members, self.classes = [make() for _ in range(n_members)], classes
        self.prior = [0.0] * len(classes)

    def ask(self, m, row, costs):
        k, member = len(self.classes), self.members[m]
        shares = member.predict_proba(row)[0] if hasattr(member, "classes_") else [1 / k] * k
        expected = [sum(shares[r] * costs[r][c] for r in range(k)) for c in range(k)]
        if max(expected) - min(expected) <= 1e-12 * max(1.0, abs(min(expected))):
            return best(shares, self.prior)
        return best([-cost for cost in expected], self.prior)

    def teach(self, m, row, label, weight):
        if quantised(weight) > 0:
            self.members[m].partial_fit(row, self.classes[[label]], self.classes, [quantised(weight)])


class OnlineMbbm(Chain):
    """Algorithm 1; `scales` multiply weights."""

    def __init__(self, make, scales, classes, gamma, normalised=False):
        super().__init__(make, len(scales), classes)
        self.scales, self.gamma, self.normalised = scales, gamma, normalised

    def votes(self, row):
        """Return the final votes and, for each member, its vote and its matrix of costs above the least."""
        k, votes, path = len(self.classes), (0,) * len(self.classes), []
        for m in range(len(self.members)):
            left = len(self.members) - 1 - m
            costs = [[potential(left, plus(votes, c), r, self.gamma) for c in range(k)] for r in range(k)]
            costs = [[costs[r][c] - costs[r][r] for c in range(k)] for r in range(k)]
            asked = costs
            if self.normalised:
                asked = [[c / sum(costs[r]) if sum(costs[r]) > 0 else 0.0 for c in costs[r]] for r in range(k)]
            vote = self.ask(m, row, asked)
            path.append((vote, costs))
            votes = plus(votes, vote)
        return votes, path

    def learn(self, row, label, weight):
        _, path = self.votes(row)
        for m, (_, costs) in enumerate(path):
            self.teach(m, row, label, self.scales[m] * sum(costs[label]) * weight)
        self.prior[label] += weight
        return [vote for vote, _ in path]


SLOPES = {
    "logistic": lambda d: 1 / (1 + math.exp(-d)),
    "exponential": math.exp,
    "square_hinge": lambda d: max(0.0, 1 + d),
}


def gradient(loss, votes):
    """Row r is the gradient of L_r at these votes (equation 9)."""
    k, slope = len(votes), SLOPES[loss]
    rows = [[slope(votes[c] - votes[r]) for c in range(k)] for r in range(k)]
    for r in range(k):
        rows[r][r] = -sum(rows[r][c] for c in range(k) if c != r)
    return rows


class AdaBoostOlm(Chain):
    """Algorithm 2 with unscaled weights and steps as published."""

    def __init__(self, make, n_members, classes, loss):
        super().__init__(make, n_members, classes)
        self.loss, self.alphas, self.mistakes, self.t = loss, [0.0] * n_members, [0.0] * n_members, 0

    def path(self, row):
        votes, path = [0.0] * len(self.classes), []
        for m in range(len(self.members)):
            costs, before = gradient(self.loss, votes), list(votes)
            vote = self.ask(m, row, costs)
            votes[vote] += self.alphas[m]
            expert = vote if len(set(votes)) == 1 else best(votes, self.prior)
            path.append((vote, expert, costs, before))
        return path

    def learn(self, row, label, weight):
        k = len(self.classes)
        self.t += 1
        path = self.path(row)
        for m, (vote, expert, costs, before) in enumerate(path):
            before[vote] += self.alphas[m]
            bound = (k - 1) * {"logistic": 1, "exponential": math.exp(m), "square_hinge": 2 * m + 3}[self.loss]
            step = 2 * math.sqrt(2) / (bound * math.sqrt(self.t))
            self.alphas[m] = min(max(self.alphas[m] - step * gradient(self.loss, before)[label][vote], -2), 2)
            stake = -costs[label][label] / (k - 1) / (2 * m + 1 if self.loss == "square_hinge" else 1)
            self.teach(m, row, label, stake * weight)
            self.mistakes[m] += weight * (expert != label)
        self.prior[label] += weight

    def shares(self, row):
        """Return the weight of the experts for each class."""
        weights = np.exp(-np.array(self.mistakes))
        shares = np.zeros(len(self.classes))
        for v, (_, expert, _, _) in zip(weights, self.path(row), strict=True):
            shares[expert] += v
        return shares / weights.sum()


def bbm_weight(left, ahead, gamma):
    """OnlineBBM of Beygelzimer, Kale & Luo: weight with `left` members to come and the true class `ahead` by so much."""
    a = (left - ahead + 1) // 2
    p = 0.5 + gamma / 2
    return math.comb(left, a) * p**a * (1 - p) ** (left - a) if 0 <= a <= left else 0.0


def adaboost_ol(right):
    """AdaBoost.OL of Beygelzimer, Kale & Luo on who is right on which example; returns weights and final votes."""
    alphas, weights = [0.0] * len(right), np.zeros(np.shape(right))
    for t in range(len(right[0])):
        s = 0.0
        for m in range(len(right)):
            weights[m, t] = 1 / (1 + math.exp(s))
            z = 1 if right[m][t] else -1
            s += alphas[m] * z
            alphas[m] = min(max(alphas[m] + 4 / math.sqrt(t + 1) * z / (1 + math.exp(s)), -2), 2)
    return weights, alphas
