"""Back-propagation: how networks learn an example, and the operations of their members.

A step on weights moves what goes into the hidden units by a multiple of it, so that several steps on one example read the
weights of its inputs once. Momentum is kept for inputs that were on of late.
"""

from ensembles.jit import inner, kernel
from ensembles.learners.core.inputs import look
from ensembles.learners.core.protocol import best_scored, finalize, learn_one, predict_one, predict_proba_one, reset
from ensembles.learners.neural.network import (
    CAP,
    ENTROPY,
    MOMENTUM,
    RATE,
    SCALED,
    UPDATES,
    NetworkMembers,
    activate,
    forward,
    load,
    sum_inputs,
)

__all__ = ["clear_momentum", "train_rows"]

_FORGOTTEN = 1e-20  #: a speed that has decayed by this factor is 0; it would crawl on through denormal numbers


@kernel
def train_rows(members, m, rows, labels, parts, momentum, updates):
    """Take steps on one example after the other, each `parts` of a full step; the moments stay as they are."""
    rate = members.settings[RATE]
    for i in range(labels.shape[0]):
        n_on = load(members, m, rows, i)
        _train(members, m, n_on, labels[i], rate * parts[i], momentum, updates)


@kernel
def clear_momentum(members, m):
    """Take the momentum out of member m."""
    t = m if members.liveliness.shape[0] > 1 else 0
    members.upper_speed[t] = 0.0
    members.lower_speed[t] = 0.0
    members.liveliness[t] = 0.0


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
    clear_momentum(members, m)
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
        n_on = load(members, m, rows, i)
        _train(members, m, n_on, label, settings[RATE] * part, settings[MOMENTUM], int(settings[UPDATES]))


@finalize.implement(NetworkMembers)
def _finalize(members, m):
    pass


@predict_one.implement(NetworkMembers)
def _predict_one(members, m, rows, i, work):
    if not forward(members, m, rows, i):
        return -1
    outputs = members.outputs
    for k in range(members.totals.shape[1]):
        work[0, k] = outputs[k]
    return best_scored(work, members.totals, m)


@predict_proba_one.implement(NetworkMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if not forward(members, m, rows, i):
        out[:] = 1.0 / out.shape[0]
        return
    outputs, total = members.outputs, 0.0
    for k in range(out.shape[0]):
        total += outputs[k]
    for k in range(out.shape[0]):
        out[k] = outputs[k] / total


@inner
def _train(members, m, n_on, label, rate, momentum, updates):
    """Take `updates` steps of back-propagation on the example that was loaded.

    A step on weights moves the sums of its own example by a multiple of it, so without momentum the weights of the inputs
    are read once and changed once, however many steps there are.
    """
    at_once = 1 if momentum > 0.0 else updates
    t = m if members.liveliness.shape[0] > 1 else 0
    x, on, change = members.x, members.on, members.change
    length = float(n_on)
    for n in range(x.shape[0]):
        length += x[n] * x[n]
    for _ in range(updates // at_once):
        for h in range(change.shape[0]):
            change[h] = 0.0
        sum_inputs(members, m, n_on)
        for _ in range(at_once):
            activate(members, m)
            _correct(members, m, t, label, rate, momentum, length)
        if momentum > 0.0:
            _slow_down(members.lower_speed, members.liveliness, t, momentum)
            _subtract(members.lower_speed, t, on, n_on, x, change)
            _mark_used(members.liveliness, t, on, n_on, x.shape[0])
            _move(members.lower, m, members.lower_speed, members.liveliness, t)
        else:
            _subtract(members.lower, m, on, n_on, x, change)


@inner
def _correct(members, m, t, label, rate, momentum, length):
    """Change the weights out of the hidden units; add to the change of those into them, and move the sums as it will."""
    upper, speed, hidden, outputs = members.upper, members.upper_speed, members.hidden, members.outputs
    sums, hidden_errors, change = members.sums, members.hidden_errors, members.change
    width, entropy = hidden_errors.shape[0], members.settings[ENTROPY] == 1.0
    for h in range(width):
        hidden_errors[h] = 0.0
    for k in range(upper.shape[1]):
        output = outputs[k]
        error = output - (1.0 if k == label else 0.0)
        if not entropy:
            error *= output * (1.0 - output)
        step = rate * error
        if momentum > 0.0:
            for h in range(width):
                hidden_errors[h] += error * upper[m, k, h]
            for h in range(width):
                speed[t, k, h] = momentum * speed[t, k, h] - step * hidden[h]
                upper[m, k, h] += speed[t, k, h]
        else:
            for h in range(width):
                weight = upper[m, k, h]
                hidden_errors[h] += error * weight
                upper[m, k, h] = weight - step * hidden[h]
    for h in range(width):
        part = hidden_errors[h] * (rate * (hidden[h] * (1.0 - hidden[h])))
        change[h] += part
        sums[h] -= length * part


@inner
def _subtract(lower, m, on, n_on, x, change):
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
def _slow_down(speed, liveliness, t, momentum):
    for d in range(liveliness.shape[1]):
        if liveliness[t, d] > 0.0:
            liveliness[t, d] *= momentum
            factor = momentum
            if liveliness[t, d] < _FORGOTTEN:
                liveliness[t, d] = 0.0
                factor = 0.0
            for h in range(speed.shape[2]):
                speed[t, d, h] *= factor


@inner
def _mark_used(liveliness, t, on, n_on, n_numeric):
    for n in range(n_numeric):
        liveliness[t, on[0] - n_numeric + n] = 1.0
    for j in range(n_on):
        liveliness[t, on[j]] = 1.0


@inner
def _move(lower, m, speed, liveliness, t):
    for d in range(liveliness.shape[1]):
        if liveliness[t, d] > 0.0:
            for h in range(lower.shape[2]):
                lower[m, d, h] += speed[t, d, h]
