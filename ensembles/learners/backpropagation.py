"""Networks with one hidden layer of sigmoid units, as members: the kernels of `neural_network`.

Weights into the hidden units lie together an input (d), weights out of them together a class (k): every inner loop runs over
hidden units in one piece of memory, and a one-hot attribute costs one of its inputs, not all.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, kernel
from ensembles.learners.inputs import MEAN, look, standardise
from ensembles.learners.protocol import begin, best_scored, classify, distribute, learn, settle

__all__ = [
    "CAP",
    "ENTROPY",
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

SETTINGS = 7
RATE, MOMENTUM, UPDATES, ENTROPY, SCALED, CAP, RAW = range(SETTINGS)
_STEEPEST = 35.0  #: sums beyond this are cut off before the sigmoid
_FORGOTTEN = 1e-20  #: a speed that has decayed by this factor is 0; it would crawl on through denormal numbers


class NetworkMembers(NamedTuple):
    """Members m, inputs d, hidden units h, classes k, numeric attributes n, speeds t (one a member, or one for all)."""

    upper: np.ndarray  # (m, k, h + 1) weights out of the hidden units, the bias last
    lower: np.ndarray  # (m, d, h) weights into the hidden units
    first_upper: np.ndarray  # (m, k, h + 1) weights before any example
    first_lower: np.ndarray  # (m, d, h)
    upper_speed: np.ndarray  # (t, k, h + 1) how the weights last changed, for momentum
    lower_speed: np.ndarray  # (t, d, h)
    lively: np.ndarray  # (t, d) how far the speeds of an input have decayed since it was last on; 0: they are all 0
    totals: np.ndarray  # (m, k)
    moments: np.ndarray  # (m, 4, n)
    x: np.ndarray  # (n,) room for the numeric inputs of one example
    hidden: np.ndarray  # (h + 1,) room for the hidden units; the last is 1
    blame: np.ndarray  # (h,) room for the errors of the hidden units
    outputs: np.ndarray  # (k,) room
    settings: np.ndarray  # (7,) see RATE, ...
    seed: np.ndarray  # (1,) of the first weights and the orders of training


@kernel
def survey(members, m, rows, weights):
    """Take the numeric values of all examples into the moments of member m."""
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            look(members.moments, m, rows.numbers, i, weights[i])


@kernel
def study(members, m, rows, labels, order, parts, momentum, updates):
    """Take steps on the examples order[0], order[1], ..., each `parts` of a full step; the moments stay as they are."""
    rate = members.settings[RATE]
    for j in range(order.shape[0]):
        i = order[j]
        missing = _load(members, m, rows.numbers, i)
        for _ in range(updates):
            _step(members, m, rows, i, labels[i], rate * parts[j], momentum, missing)


@kernel
def stop(members, m):
    """Take the momentum out of member m."""
    t = m if members.lively.shape[0] > 1 else 0
    members.upper_speed[t] = 0.0
    members.lower_speed[t] = 0.0
    members.lively[t] = 0.0


@begin.implement(NetworkMembers)
def _begin(members, m):
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


@learn.implement(NetworkMembers)
def _learn(members, m, rows, i, label, weight):
    """A weight is so many copies, the last one a fraction; or, scaled, one step of that length."""
    settings = members.settings
    members.totals[m, label] += weight
    left = min(weight, settings[CAP])
    while left > 0.0:
        part = left if settings[SCALED] == 1.0 else min(left, 1.0)
        left -= part
        look(members.moments, m, rows.numbers, i, part)
        missing = _load(members, m, rows.numbers, i)
        for _ in range(int(settings[UPDATES])):
            _step(members, m, rows, i, label, settings[RATE] * part, settings[MOMENTUM], missing)


@settle.implement(NetworkMembers)
def _settle(members, m):
    pass


@classify.implement(NetworkMembers)
def _classify(members, m, rows, i, work):
    if not _ask(members, m, rows, i):
        return -1
    outputs = members.outputs
    for k in range(outputs.shape[0]):
        work[0, k] = outputs[k]
    return best_scored(work, members.totals, m)


@distribute.implement(NetworkMembers)
def _distribute(members, m, rows, i, work, out):
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
    missing = _load(members, m, rows.numbers, i)
    _forward(members, m, rows, i, missing)
    return True


@inner
def _load(members, m, numbers, i):
    """Write the numbers of example i, scaled or as they are, into the members' room; return how many are missing."""
    x = members.x
    missing = standardise(members.moments, m, numbers, i, x)
    if members.settings[RAW] == 1.0:
        for n in range(x.shape[0]):
            x[n] = members.moments[m, MEAN, n] if math.isnan(numbers[i, n]) else numbers[i, n]
    return missing


@inner
def _sigmoid(a):
    return 1.0 / (1.0 + math.exp(-min(max(a, -_STEEPEST), _STEEPEST)))


@inner
def _forward(members, m, rows, i, missing):
    lower, hidden, x, codes = members.lower, members.hidden, members.x, rows.codes
    width, n_numeric = lower.shape[2], x.shape[0]
    bias = lower.shape[1] - 1 - n_numeric
    for h in range(width):
        hidden[h] = lower[m, bias, h]
    for a in range(codes.shape[1]):
        d = codes[i, a]
        if d >= 0:
            for h in range(width):
                hidden[h] += lower[m, d, h]
    for n in range(n_numeric):
        d, value = bias - n_numeric + n, x[n]
        for h in range(width):
            hidden[h] += value * lower[m, d, h]
    if missing > 0:
        for n in range(n_numeric):
            if math.isnan(rows.numbers[i, n]):
                for h in range(width):
                    hidden[h] += lower[m, bias + 1 + n, h]
    for h in range(width):
        hidden[h] = _sigmoid(hidden[h])
    _outputs(members.upper, m, hidden, members.outputs)


@inner
def _outputs(upper, m, hidden, outputs):
    """Four chains of additions run at a time: one alone would wait for itself."""
    width = upper.shape[2]
    even = width - width % 4
    for k in range(upper.shape[1]):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for h in range(0, even, 4):
            s0 += hidden[h] * upper[m, k, h]
            s1 += hidden[h + 1] * upper[m, k, h + 1]
            s2 += hidden[h + 2] * upper[m, k, h + 2]
            s3 += hidden[h + 3] * upper[m, k, h + 3]
        for h in range(even, width):
            s0 += hidden[h] * upper[m, k, h]
        outputs[k] = _sigmoid((s0 + s1) + (s2 + s3))


@inner
def _step(members, m, rows, i, label, rate, momentum, missing):
    """One step of back-propagation on example i; the room for numbers holds its values."""
    _forward(members, m, rows, i, missing)
    upper, hidden, blame, outputs = members.upper, members.hidden, members.blame, members.outputs
    width, entropy = blame.shape[0], members.settings[ENTROPY] == 1.0
    t = m if members.lively.shape[0] > 1 else 0
    for h in range(width):
        blame[h] = 0.0
    for k in range(upper.shape[1]):
        output = outputs[k]
        error = output - (1.0 if k == label else 0.0)
        if not entropy:
            error *= output * (1.0 - output)
        for h in range(width):
            blame[h] += error * upper[m, k, h]
        step = rate * error
        if momentum > 0.0:
            speed = members.upper_speed
            for h in range(width + 1):
                speed[t, k, h] = momentum * speed[t, k, h] - step * hidden[h]
                upper[m, k, h] += speed[t, k, h]
        else:
            for h in range(width + 1):
                upper[m, k, h] -= step * hidden[h]
    for h in range(width):
        blame[h] *= rate * (hidden[h] * (1.0 - hidden[h]))
    if momentum > 0.0:
        _slow_down(members.lower_speed, members.lively, t, momentum)
        _turn(members.lower_speed, t, rows, i, members.x, blame, missing)
        _wake(members.lively, t, rows, i, members.x.shape[0], missing)
        _move(members.lower, m, members.lower_speed, members.lively, t)
    else:
        _turn(members.lower, m, rows, i, members.x, blame, missing)


@inner
def _turn(lower, m, rows, i, x, blame, missing):
    """Subtract blame times input from the weights, or speeds, of every input that is on."""
    codes = rows.codes
    width, n_numeric = blame.shape[0], x.shape[0]
    bias = lower.shape[1] - 1 - n_numeric
    for h in range(width):
        lower[m, bias, h] -= blame[h]
    for a in range(codes.shape[1]):
        d = codes[i, a]
        if d >= 0:
            for h in range(width):
                lower[m, d, h] -= blame[h]
    for n in range(n_numeric):
        d, value = bias - n_numeric + n, x[n]
        for h in range(width):
            lower[m, d, h] -= value * blame[h]
    if missing > 0:
        for n in range(n_numeric):
            if math.isnan(rows.numbers[i, n]):
                for h in range(width):
                    lower[m, bias + 1 + n, h] -= blame[h]


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
def _wake(lively, t, rows, i, n_numeric, missing):
    codes = rows.codes
    bias = lively.shape[1] - 1 - n_numeric
    for d in range(bias - n_numeric, bias + 1):
        lively[t, d] = 1.0
    for a in range(codes.shape[1]):
        if codes[i, a] >= 0:
            lively[t, codes[i, a]] = 1.0
    if missing > 0:
        for n in range(n_numeric):
            if math.isnan(rows.numbers[i, n]):
                lively[t, bias + 1 + n] = 1.0


@inner
def _move(lower, m, speed, lively, t):
    for d in range(lively.shape[1]):
        if lively[t, d] > 0.0:
            for h in range(lower.shape[2]):
                lower[m, d, h] += speed[t, d, h]
