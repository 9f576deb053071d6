"""A network in plain NumPy: the oracle of back-propagation."""

import numpy as np

from tests.learners.inputs import inputs_of

__all__ = ["CATEGORIES", "NaiveNetwork", "written_out"]

CATEGORIES = ["a", "b", "c", "d"]


class NaiveNetwork:
    """The whole network with NumPy, every input written out; `lower` (inputs, hidden), `upper` (classes, hidden + 1)."""

    def __init__(self, lower, upper, learning_rate=0.2, momentum=0.0, entropy=False):
        self.lower, self.upper = lower.copy(), upper.copy()
        self.learning_rate, self.momentum, self.entropy = learning_rate, momentum, entropy
        self.speeds = np.zeros_like(lower), np.zeros_like(upper)

    def outputs(self, x):
        hidden = np.append(1 / (1 + np.exp(-np.clip(x @ self.lower, -35, 35))), 1.0)
        return hidden, 1 / (1 + np.exp(-np.clip(self.upper @ hidden, -35, 35)))

    def loss(self, x, label):
        _, o = self.outputs(x)
        target = np.eye(len(o))[label]
        if self.entropy:
            return -(target * np.log(o) + (1 - target) * np.log(1 - o)).sum()
        return ((o - target) ** 2).sum() / 2

    def step(self, x, label, part=1.0):
        hidden, o = self.outputs(x)
        error = o - np.eye(len(o))[label]
        if not self.entropy:
            error = error * o * (1 - o)
        blame = (hidden * (1 - hidden))[:-1] * (error @ self.upper[:, :-1])
        gradients = np.outer(x, blame), np.outer(error, hidden)
        self.speeds = [
            self.momentum * s - self.learning_rate * part * g for s, g in zip(self.speeds, gradients, strict=True)
        ]
        self.lower += self.speeds[0]
        self.upper += self.speeds[1]


def written_out(values, kinds, moments, raw=False):
    """Return the inputs of one example in the order of the kernels; raw: numbers as they are, a missing one as the mean."""
    inputs = inputs_of(values, kinds, moments)
    if raw:
        numbers = zip(values, moments, kinds, strict=True)
        known = [mean if x is None else x for x, (mean, _), nominal in numbers if not nominal]
        inputs.update(zip((a for a, nominal in enumerate(kinds) if not nominal), known, strict=True))
    nominal = [a for a, kind in enumerate(kinds) if kind]
    numeric = [a for a, kind in enumerate(kinds) if not kind]
    names = [(a, value) for a in nominal for value in [*CATEGORIES, None]]
    names += [*numeric, "bias", *((a, None) for a in numeric)]
    return np.array([inputs.get(name, 0.0) for name in names])
