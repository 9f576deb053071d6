"""Weights of a pool of members in the plainest Python: from what each member told of each example, and the classes.

`told[t][i]` is the class that member i tells of example t, None if it has learned nothing.
"""

import math

import numpy as np

from ensembles import VotingClassifier
from ensembles.methods.core.pool_predictions import NOT_SAID, MemberPredictions, decide_rows
from ensembles.methods.weighting.weighted_pool import Labelled, Told

__all__ = ["averaged_sgd", "bayesian", "loss", "majority", "replay", "sag", "sgd", "tell", "vote", "winnow"]


def replay(model, told, labels, weights=None, n_classes=2):
    """Weigh made-up answers with a model that has no members; return the model and the classes it told."""
    told, labels = np.array(told, dtype=np.int64), np.array(labels, dtype=np.int64)
    n = len(labels)
    weights = np.ones(n) if weights is None else np.array(weights, dtype=np.float64)
    model.set_params(n_estimators=told.shape[1])
    model.classes_ = np.arange(n_classes)
    model._begin(0, n)
    forecasts = np.empty(n, dtype=np.int64)
    predictions, told = MemberPredictions(told, np.empty((0, 0, 0))), Told(forecasts, np.empty((0, 0)))
    model._weigh(predictions, Labelled(labels, weights, np.zeros(n_classes), NOT_SAID), told)
    model._sum_up()
    return model, forecasts.tolist()


def vote(told):
    """Return the classes that voting makes of made-up answers, two classes."""
    model = VotingClassifier(n_estimators=len(told[0]))
    model.classes_, votes = np.arange(2), np.empty((len(told), 2))
    model._count(MemberPredictions(np.array(told, dtype=np.int64), np.empty((0, 0, 0))), votes)
    return decide_rows(votes, np.zeros(2)).tolist()


def loss(kind, margin):
    return {
        "ramp": min(1.0, max(0.0, 1.0 - margin)),
        "logistic": math.log(1.0 + math.exp(-margin)),
        "hinge": max(0.0, 1.0 - margin),
        "zero_one": 1.0 if margin <= 0 else 0.0,
    }[kind]


def losses(kind, told, label):
    return [loss(kind, 0.0 if c is None else 1.0 if c == label else -1.0) for c in told]


def tell(kind, weights, told, prior):
    """Return the class of least risk: of two tied classes the second; of more the one with more weight so far."""
    n_classes = len(prior)
    risks = []
    for y in range(n_classes):
        g = losses(kind, told, y)
        risks.append(sum(w * cost for w, cost, c in zip(weights, g, told, strict=True) if c is not None))
    least = min(risks)
    tied = [y for y in range(n_classes) if risks[y] <= least + 1e-12 * max(1.0, abs(least))]
    if n_classes == 2 and any(c is not None for c in told):
        return tied[-1]
    return max(tied, key=lambda y: (prior[y], -y))


def run(kind, told, labels, n_classes, weights_at, example_weights=None):
    """Return the classes told and the final weights; weights_at(past losses, past example weights) gives the weights."""
    prior, past, mass, forecasts = [0.0] * n_classes, [], [], []
    for t, answers in enumerate(told):
        forecasts.append(tell(kind, weights_at(past, mass), answers, prior))
        past.append(losses(kind, answers, labels[t]))
        mass.append(1.0 if example_weights is None else example_weights[t])
        prior[labels[t]] += mass[-1]
    return forecasts, weights_at(past, mass)


def bayesian(n_members, alpha, beta, theta):
    def weights_at(past, mass):
        return [
            (alpha + sum(mass)) / (beta + theta * sum(w * g[i] for w, g in zip(mass, past, strict=True)))
            for i in range(n_members)
        ]

    return weights_at


def _iterates(past, mass, theta, step, i):
    weights = [1.0]
    for t, (g, w) in enumerate(zip(past, mass, strict=True), start=1):
        now = weights[-1]
        weights.append(min(max(now - w * step / t * (theta * g[i] - 1 / now), 1e-6), 1e6))
    return weights


def sgd(n_members, theta, step):
    return lambda past, mass: [_iterates(past, mass, theta, step, i)[-1] for i in range(n_members)]


def averaged_sgd(n_members, theta, step):
    return lambda past, mass: [float(np.mean(_iterates(past, mass, theta, step, i))) for i in range(n_members)]


def sag(n_members, theta, step, total):
    """`total` None: divide by the number so far."""

    def weights_at(past, mass):
        final = []
        for i in range(n_members):
            now, stored = 1.0, []
            for t, (g, w) in enumerate(zip(past, mass, strict=True), start=1):
                stored.append(w * (theta * g[i] - 1 / now))
                now = min(max(now - step / (total or t) * sum(stored), 1e-6), 1e6)
            final.append(now)
        return final

    return weights_at


def majority(n_members, beta):
    def weights_at(past, mass):
        return [math.prod(beta ** (w * g[i]) for g, w in zip(past, mass, strict=True)) for i in range(n_members)]

    return weights_at


def winnow(told, labels, n_classes, *, alpha=2.0, beta=0.5, balanced=True, init=1.0):
    """Return the classes told, and the weights by set: for each input a pair (the second 0 if not balanced)."""
    n = 2 * len(told[0])
    threshold = 0.0 if balanced else float(n)
    positives = [1] if n_classes == 2 else list(range(n_classes))
    sets = [[[init, init if balanced else 0.0] for _ in range(n)] for _ in positives]
    prior, forecasts = [0.0] * n_classes, []
    for answers, label in zip(told, labels, strict=True):
        on = [[c == y for c in answers] + [c is not None and c != y for c in answers] for y in positives]
        sums = [
            sum(u - v for (u, v), b in zip(s, bits, strict=True) if b) - threshold
            for s, bits in zip(sets, on, strict=True)
        ]
        if n_classes == 2:
            forecasts.append(int(sums[0] >= 0))
        else:
            best = [c for c in range(n_classes) if sums[c] >= max(sums) - 1e-9]
            forecasts.append(max(best, key=lambda c: (prior[c], -c)))
        for y, s, bits, total in zip(positives, sets, on, sums, strict=True):
            if (total >= 0) == (label == y) and not (balanced and abs(total) < 1e-9):
                continue
            up, down = (alpha, beta) if label == y else (beta, alpha)
            for pair, b in zip(s, bits, strict=True):
                if b:
                    pair[0] *= up
                    pair[1] *= down
        prior[label] += 1
    return forecasts, sets
