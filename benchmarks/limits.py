"""What memory allows: bytes that must move when members learn an example, beside the bandwidth for as much memory.

Counted is what an algorithm must read or write of its members' state for one example, each place once for reading and once
for writing, and nothing for addresses, random numbers or paths through trees. The bandwidth is that of a triad, a = b + s c,
over arrays that together are as large as the members: in a cache if these fit in it.
"""

import time
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["HELD_BY", "Moved", "bandwidth", "moved"]

_SHARE = 1 - np.exp(
    -1
)  # of members that learn an example in online bagging: Poisson variables of mean 1 that are not 0
_SECONDS = 0.05

#: What holds a learner below half of what memory allows.
HELD_BY = {
    "online_bagging naive_bayes": "on numbers a root and divisions of the class that was learned, an exponential a class",
    "online_boosting naive_bayes": "a chain: which weight a member gets is known when the one before has predicted",
    "online_bagging hoeffding_tree": "an exponential a class, divisions of the moments, a path of branches nobody foresees",
    "online_boosting hoeffding_tree": "a chain, and a path of branches nobody foresees",
    "adwin_bagging hoeffding_tree": "a prediction a member besides, and its window of errors",
    "leveraging_bagging hoeffding_tree": "a prediction a member besides, and its window of errors",
    "osboost hoeffding_tree": "a chain: a weight is known when the one before has predicted, one exponential a member",
}


class Moved(NamedTuple):
    """Bytes an example, of all members together."""

    learning: float
    both: float  # predicting, then learning
    state: int  # all that the members hold


def moved(key: str, members: Any, n_members: int) -> Moved:
    """Return what must move for one example, of members that have learned a stream."""
    method, base = key.split()
    n_classes = members.totals.shape[1]
    if base == "naive_bayes":
        n_nominal, n_numbers = members.absent.shape[1], members.limits.shape[1]
        state = sum(array.nbytes for array in (members.cells, members.totals, members.digits, members.shapes))
        learned = 16.0 * (n_nominal + 1 + len(members.units) * n_numbers)
        asked = 8.0 * n_classes * (n_nominal + 2 * n_numbers + 1)
    else:
        n_nominal, n_numbers = len(members.first) - 1, members.moments.shape[3]
        used = max(int(members.stock[1]), 1)
        state = sum(array[:used].nbytes for array in (members.cells, members.moments, members.normals, members.spread))
        learned = 16.0 * (n_nominal + 3 + 9 * n_numbers)
        asked = 8.0 * n_classes * (n_nominal + 2 * n_numbers + 2)
        learned += asked  # a leaf notes whether its naive Bayes is right
    share = _SHARE if method in ("online_bagging", "adwin_bagging") else 1.0
    tested = 0.0 if method in ("online_bagging", "leveraging_bagging") or base == "hoeffding_tree" else asked
    return Moved(n_members * (share * learned + tested), n_members * (share * learned + asked), state)


@numba.njit
def _triad(a, b, c, rounds):
    for k in range(rounds):
        for i in range(a.shape[0]):
            a[i] = b[i] + (1.0 + k) * c[i]


def bandwidth(size: int) -> float:
    """Return bytes a second of a triad over arrays of `size` bytes together, the best of five."""
    n = max(size // 24, 128)
    a, b, c = (np.ones(n) for _ in range(3))
    _triad(a, b, c, 1)
    rounds, best = max(1, int(_SECONDS * 1e10 / (24 * n))), np.inf
    for _ in range(5):
        best = min(best, _timed(a, b, c, rounds))
    return 24.0 * n * rounds / best


def _timed(a: npt.NDArray[Any], b: npt.NDArray[Any], c: npt.NDArray[Any], rounds: int) -> float:
    start = time.process_time()
    _triad(a, b, c, rounds)
    return time.process_time() - start
