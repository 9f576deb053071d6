"""Error against time: which learners no other one beats in both, and where more time begins to pay little."""

import math
from collections.abc import Sequence

import numpy as np

from ensembles.evaluation.checks import paired_values

__all__ = ["knee_of", "pareto_front"]


def pareto_front(costs: Sequence[float], losses: Sequence[float]) -> tuple[int, ...]:
    """Return the positions of those that no other one is as good as in both and better than in one, cheapest first.

    Those of equal cost and equal loss are all there. NaN is never there.
    """
    pairs = np.column_stack(paired_values("pareto_front", costs, losses, names="costs and losses")).tolist()
    known = [(c, e, i) for i, (c, e) in enumerate(pairs) if math.isfinite(c + e)]
    return tuple(i for c, e, i in sorted(known) if not any(a <= c and b <= e and (a < c or b < e) for a, b, _ in known))


def knee_of(costs: Sequence[float], losses: Sequence[float]) -> int | None:
    """Return the position on the front that lies farthest below the straight line between its ends, if any does.

    The logarithm of the cost and the loss are both stretched from 0 to 1 over the front.

    Parameters
    ----------
    costs : sequence of float
        Above 0; with others there is no knee.
    """
    front = pareto_front(costs, losses)
    if any(costs[i] <= 0.0 for i in front):
        return None
    x, y = np.log([costs[i] for i in front]), np.array([losses[i] for i in front])
    if len(front) < 3 or x[-1] == x[0] or y[0] == y[-1]:
        return None
    below = 1.0 - (x - x[0]) / (x[-1] - x[0]) - (y - y[-1]) / (y[0] - y[-1])
    best = int(np.argmax(below))
    return front[best] if below[best] > 1e-9 else None
