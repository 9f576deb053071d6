"""Networks with one hidden layer of sigmoid units, as members: the kernels of `neural_network`.

Weights into the hidden units lie together an input (d), weights out of them together a class (k): every inner loop runs over
hidden units in one piece of memory, and a one-hot attribute costs one of its inputs, not all.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, kernel
from ensembles.learners.core.inputs import MEAN, look, standardise
from ensembles.learners.core.protocol import best_scored, finalize, learn_one, predict_one, predict_proba_one, reset

__all__ = [
    "CAP",
    "ENTROPY",
    "HIDDEN",
    "MOMENTUM",
    "RATE",
    "RAW",
    "SCALED",
    "SETTINGS",
    "UPDATES",
    "NetworkMembers",
    "stop",
    "study",
    "survey",
]

SETTINGS = 8
RATE, MOMENTUM, UPDATES, ENTROPY, SCALED, CAP, RAW, HIDDEN = range(SETTINGS)
_STEEPEST = 35.0  #: sums beyond this are cut off before the sigmoid
_FORGOTTEN = 1e-20  #: a speed that has decayed by this factor is 0; it would crawl on through denormal numbers


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
    lively: np.ndarray  # (t, d) how far the speeds of an input have decayed since it was last on; 0: they are all 0
    totals: np.ndarray  # (m, k)
    moments: np.ndarray  # (m, 4, n)
    x: np.ndarray  # (n,) room for the numeric inputs of one example
    on: np.ndarray  # int32, (nominal attributes + 1 + n,) room for the inputs that are 1 in one example
    sums: np.ndarray  # (h,) room for what goes into the hidden units
    hidden: np.ndarray  # (h,) room for the hidden units
    blame: np.ndarray  # (h,) room for the errors of the hidden units
    change: np.ndarray  # (h,) room for what the weights of an input that is 1 lose
    outputs: np.ndarray  # room for the outputs, their number rounded up to a multiple of eight
    settings: np.ndarray  # (8,) see RATE, ...
    seed: np.ndarray  # (1,) of the first weights and the orders of training


@kernel
def survey(members, m, rows, weights):
    """Take the numeric values of all examples into the moments of member m."""
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            look(members.moments, m, rows.numbers, i, weights[i])


@kernel
def study(members, m, rows, labels, parts, momentum, updates):
    """Take steps on one example after the other, each `parts` of a full step; the moments stay as they are."""
    rate = members.settings[RATE]
    for i in range(labels.shape[0]):
        n_on = _load(members, m, rows, i)
        _teach(members, m, n_on, labels[i], rate * parts[i], momentum, updates)


@kernel
def stop(members, m):
    """Take the momentum out of member m."""
    t = m if members.lively.shape[0] > 1 else 0
    members.upper_speed[t] = 0.0
    members.lower_speed[t] = 0.0
    members.lively[t] = 0.0


@reset.implement(NetworkMembers)
def _reset(members, m):
    upper, lower = members.upper, members.lower
    first_upper, first_lower = members.first_upper, members.first_lower
    for k in range(upper.shape[1]):
        for h in range(upper.shape[2]):
            upper[m, k, h] = first_upper[m, k, h]
    for d in range(lower.shape[1]):
        for h in range(lower.shape[2]):
            lower[m, d, h] = first_lower[m, d, h]
    stop(members, m)
    members.totals[m] = 0.0
    members.moments[m] = 0.0


@learn_one.implement(NetworkMembers)
def _learn_one(members, m, rows, i, label, weight):
    """A weight is so many copies, the last one a fraction; or, scaled, one step of that length."""
    settings = members.settings
    members.totals[m, label] += weight
    left = min(weight, settings[CAP])
    while left > 0.0:
        part = left if settings[SCALED] == 1.0 else min(left, 1.0)
        left -= part
        look(members.moments, m, rows.numbers, i, part)
        n_on = _load(members, m, rows, i)
        _teach(members, m, n_on, label, settings[RATE] * part, settings[MOMENTUM], int(settings[UPDATES]))


@finalize.implement(NetworkMembers)
def _finalize(members, m):
    pass


@predict_one.implement(NetworkMembers)
def _predict_one(members, m, rows, i, work):
    if not _ask(members, m, rows, i):
        return -1
    outputs = members.outputs
    for k in range(members.totals.shape[1]):
        work[0, k] = outputs[k]
    return best_scored(work, members.totals, m)


@predict_proba_one.implement(NetworkMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if not _ask(members, m, rows, i):
        out[:] = 1.0 / out.shape[0]
        return
    outputs, total = members.outputs, 0.0
    for k in range(out.shape[0]):
        total += outputs[k]
    for k in range(out.shape[0]):
        out[k] = outputs[k] / total


@inner
def _ask(members, m, rows, i):
    """Write the outputs for example i into the members' room; False if nothing was learned."""
    weight = 0.0
    for k in range(members.totals.shape[1]):
        weight += members.totals[m, k]
    if weight == 0.0:
        return False
    n_on = _load(members, m, rows, i)
    _sum(members, m, n_on)
    _fire(members, m)
    return True


@inner
def _load(members, m, rows, i):
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
def _sigmoid(a):
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
def _sum(members, m, n_on):
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
def _fire(members, m):
    """Compute hidden units and outputs from the sums."""
    sums, hidden = members.sums, members.hidden
    for h in range(sums.shape[0]):
        hidden[h] = _sigmoid(sums[h])
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
        outputs[k] = _sigmoid(outputs[k])


@inner
def _teach(members, m, n_on, label, rate, momentum, updates):
    """Take `updates` steps of back-propagation on the example that was loaded.

    A step on weights moves the sums of its own example by a multiple of it, so without momentum the weights of the inputs
    are read once and changed once, however many steps there are.
    """
    at_once = 1 if momentum > 0.0 else updates
    t = m if members.lively.shape[0] > 1 else 0
    x, on, change = members.x, members.on, members.change
    length = float(n_on)
    for n in range(x.shape[0]):
        length += x[n] * x[n]
    for _ in range(updates // at_once):
        for h in range(change.shape[0]):
            change[h] = 0.0
        _sum(members, m, n_on)
        for _ in range(at_once):
            _fire(members, m)
            _correct(members, m, t, label, rate, momentum, length)
        if momentum > 0.0:
            _slow_down(members.lower_speed, members.lively, t, momentum)
            _turn(members.lower_speed, t, on, n_on, x, change)
            _wake(members.lively, t, on, n_on, x.shape[0])
            _move(members.lower, m, members.lower_speed, members.lively, t)
        else:
            _turn(members.lower, m, on, n_on, x, change)


@inner
def _correct(members, m, t, label, rate, momentum, length):
    """Change the weights out of the hidden units; add to the change of those into them, and move the sums as it will."""
    upper, speed, hidden, outputs = members.upper, members.upper_speed, members.hidden, members.outputs
    sums, blame, change = members.sums, members.blame, members.change
    width, entropy = blame.shape[0], members.settings[ENTROPY] == 1.0
    for h in range(width):
        blame[h] = 0.0
    for k in range(upper.shape[1]):
        output = outputs[k]
        error = output - (1.0 if k == label else 0.0)
        if not entropy:
            error *= output * (1.0 - output)
        step = rate * error
        if momentum > 0.0:
            for h in range(width):
                blame[h] += error * upper[m, k, h]
            for h in range(width):
                speed[t, k, h] = momentum * speed[t, k, h] - step * hidden[h]
                upper[m, k, h] += speed[t, k, h]
        else:
            for h in range(width):
                weight = upper[m, k, h]
                blame[h] += error * weight
                upper[m, k, h] = weight - step * hidden[h]
    for h in range(width):
        part = blame[h] * (rate * (hidden[h] * (1.0 - hidden[h])))
        change[h] += part
        sums[h] -= length * part


@inner
def _turn(lower, m, on, n_on, x, change):
    """Subtract change times input from the weights, or speeds, of every input that is not 0."""
    width, n_numeric = change.shape[0], x.shape[0]
    for j in range(n_on):
        d = on[j]
        for h in range(width):
            lower[m, d, h] -= change[h]
    for n in range(n_numeric):
        d, value = on[0] - n_numeric + n, x[n]
        for h in range(width):
            lower[m, d, h] -= value * change[h]


@inner
def _slow_down(speed, lively, t, momentum):
    for d in range(lively.shape[1]):
        if lively[t, d] > 0.0:
            lively[t, d] *= momentum
            factor = momentum
            if lively[t, d] < _FORGOTTEN:
                lively[t, d] = 0.0
                factor = 0.0
            for h in range(speed.shape[2]):
                speed[t, d, h] *= factor


@inner
def _wake(lively, t, on, n_on, n_numeric):
    for n in range(n_numeric):
        lively[t, on[0] - n_numeric + n] = 1.0
    for j in range(n_on):
        lively[t, on[j]] = 1.0


@inner
def _move(lower, m, speed, lively, t):
    for d in range(lively.shape[1]):
        if lively[t, d] > 0.0:
            for h in range(lower.shape[2]):
                lower[m, d, h] += speed[t, d, h]
