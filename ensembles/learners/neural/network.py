"""Networks with one hidden layer of sigmoid units, as members: their weights, and what they make of an example.

Weights into the hidden units lie together an input (d), weights out of them together a class (k): every inner loop runs over
hidden units in one piece of memory, and a one-hot attribute costs one of its inputs, not all.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner, kernel
from ensembles.learners.core.inputs import MEAN, look, standardise
from ensembles.learners.core.sharing import Sharing

__all__ = [
    "CAP", "ENTROPY", "HIDDEN", "MOMENTUM", "RATE", "RAW", "SCALED", "SETTINGS", "UPDATES", "NetworkMembers", "activate",
    "forward", "in_whole_lines", "load", "measure_rows", "sigmoid", "sum_inputs", "zeros_in_lines",
]  # fmt: skip

SETTINGS = 8
RATE, MOMENTUM, UPDATES, ENTROPY, SCALED, CAP, RAW, HIDDEN = range(SETTINGS)
_TOGETHER = 8  # float64 in a line of the processor's cache
_STEEPEST = 35.0  #: sums beyond this are cut off before the sigmoid


class NetworkMembers(NamedTuple):
    """Members m, inputs d, hidden units h, classes k, numeric attributes n, speeds t (one a member, or one for all).

    After the hidden units come one that is always 1, for the bias of the outputs, and some that are always 0, with weights
    of 0: h is a multiple of eight, the numbers that a processor takes at a time. What is left over it takes one by one.
    """

    upper: np.ndarray  # (m, k, h) weights out of the hidden units
    lower: np.ndarray  # (m, d, h) weights into the hidden units
    first_upper: np.ndarray  # (m, k, h) weights before any example
    first_lower: np.ndarray  # (m, d, h)
    upper_speed: np.ndarray  # (t, k, h) how the weights last changed, for momentum
    lower_speed: np.ndarray  # (t, d, h)
    liveliness: np.ndarray  # (t, d) how far the speeds of an input have decayed since it was last on; 0: they are all 0
    totals: np.ndarray  # (m, k)
    moments: np.ndarray  # (m, 4, n)
    x: np.ndarray  # (n,) room for the numeric inputs of one example
    on: np.ndarray  # int32, (nominal attributes + 1 + n,) room for the inputs that are 1 in one example
    sums: np.ndarray  # (h,) room for what goes into the hidden units
    hidden: np.ndarray  # (h,) room for the hidden units
    hidden_errors: np.ndarray  # (h,) room for the errors of the hidden units
    change: np.ndarray  # (h,) room for what the weights of an input that is 1 lose
    outputs: np.ndarray  # room for the outputs, their number rounded up to a multiple of eight
    settings: np.ndarray  # (8,) see RATE, ...
    seed: np.ndarray  # (1,) of the first weights and the orders of training

    @property
    def long_steps(self) -> bool:
        """What an operation does for one example is long beside a call, see `bound`."""
        return True

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return Sharing(
            own="upper lower first_upper first_lower totals moments",
            tables="upper_speed lower_speed liveliness",
            room="x on sums hidden hidden_errors change outputs",
        )


def in_whole_lines(n: int) -> int:
    """Return how many numbers fill the lines of the cache that n of them need."""
    return -(-n // _TOGETHER) * _TOGETHER


def zeros_in_lines(*shape: int) -> npt.NDArray[np.float64]:
    """Return zeros that begin with a line of the cache, or the processor would fetch two lines for eight numbers."""
    size = int(np.prod(shape))
    room = np.zeros(size + _TOGETHER)
    first = -room.ctypes.data // room.itemsize % _TOGETHER
    return room[first : first + size].reshape(shape)


@kernel
def measure_rows(members, m, rows, weights):
    """Take the numeric values of all examples into the moments of member m."""
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            look(members.moments, m, rows.numbers, i, weights[i])


@inner
def forward(members, m, rows, i):
    """Write the outputs for example i into the members' room; False if nothing was learned."""
    weight = 0.0
    for k in range(members.totals.shape[1]):
        weight += members.totals[m, k]
    if weight == 0.0:
        return False
    n_on = load(members, m, rows, i)
    sum_inputs(members, m, n_on)
    activate(members, m)
    return True


@inner
def load(members, m, rows, i):
    """Write the numbers of example i, and the inputs that are 1, into the members' room; return how many are 1."""
    x, on, numbers, codes = members.x, members.on, rows.numbers, rows.codes
    missing = standardise(members.moments, m, numbers, i, x)
    if members.settings[RAW] == 1.0:
        for n in range(x.shape[0]):
            x[n] = members.moments[m, MEAN, n] if math.isnan(numbers[i, n]) else numbers[i, n]
    bias = members.lower.shape[1] - 1 - x.shape[0]
    on[0] = bias
    n_on = 1
    for a in range(codes.shape[1]):
        on[n_on] = codes[i, a]
        n_on += 1 if codes[i, a] >= 0 else 0  # else the next one takes the place
    if missing > 0:
        for n in range(x.shape[0]):
            if math.isnan(numbers[i, n]):
                on[n_on] = bias + 1 + n
                n_on += 1
    return n_on


@inner
def sigmoid(a):
    """The exponential is a Taylor series at a 128th, squared seven times: many units at a time, which `math.exp` is not.

    Right to 6e-14 of itself. Of 45 units, 200 ns with `math.exp`, 51 ns so.
    """
    x = min(max(a, -_STEEPEST), _STEEPEST) * (-1.0 / 128.0)
    x2 = x * x
    x4 = x2 * x2
    even = (1.0 + x2 * (1 / 2)) + x4 * ((1 / 24 + x2 * (1 / 720)) + x4 * (1 / 40320 + x2 * (1 / 3628800)))
    odd = (1.0 + x2 * (1 / 6)) + x4 * ((1 / 120 + x2 * (1 / 5040)) + x4 * (1 / 362880 + x2 * (1 / 39916800)))
    e = even + x * odd
    e4 = (e * e) * (e * e)
    e16 = (e4 * e4) * (e4 * e4)
    e64 = (e16 * e16) * (e16 * e16)
    return 1.0 / (1.0 + e64 * e64)


@inner
def sum_inputs(members, m, n_on):
    """Add up what goes into the hidden units, four inputs at a time: a sum is then fetched and stored once for them."""
    lower, sums, x, on = members.lower, members.sums, members.x, members.on
    width, n_numeric = lower.shape[2], x.shape[0]
    for h in range(width):
        sums[h] = 0.0
    for four in range(n_on // 4):
        j = 4 * four
        a, b, c, d = on[j], on[j + 1], on[j + 2], on[j + 3]
        for h in range(width):
            sums[h] += (lower[m, a, h] + lower[m, b, h]) + (lower[m, c, h] + lower[m, d, h])
    for j in range(n_on - n_on % 4, n_on):
        d = on[j]
        for h in range(width):
            sums[h] += lower[m, d, h]
    for n in range(n_numeric):
        d, value = on[0] - n_numeric + n, x[n]
        for h in range(width):
            sums[h] += value * lower[m, d, h]


@inner
def activate(members, m):
    """Compute hidden units and outputs from the sums."""
    sums, hidden = members.sums, members.hidden
    for h in range(sums.shape[0]):
        hidden[h] = sigmoid(sums[h])
    width = int(members.settings[HIDDEN])
    hidden[width] = 1.0
    for h in range(width + 1, sums.shape[0]):
        hidden[h] = 0.0
    _outputs(members.upper, m, hidden, members.outputs)


@inner
def _outputs(upper, m, hidden, outputs):
    """Four chains of additions run at a time: one alone would wait for itself."""
    for k in range(upper.shape[1]):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for four in range(upper.shape[2] // 4):
            h = 4 * four
            s0 += hidden[h] * upper[m, k, h]
            s1 += hidden[h + 1] * upper[m, k, h + 1]
            s2 += hidden[h + 2] * upper[m, k, h + 2]
            s3 += hidden[h + 3] * upper[m, k, h + 3]
        outputs[k] = (s0 + s1) + (s2 + s3)
    for k in range(outputs.shape[0]):
        outputs[k] = sigmoid(outputs[k])
