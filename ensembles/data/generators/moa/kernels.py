"""MOA's generators of streams: each kernel draws the next examples from the state of `java_random`, in MOA's order.

`values` has the shape (n_examples, n_attributes), nominal ones as numbers, and `labels` (n_examples,). Percentages are whole
numbers, as `1 + nextInt(100) <= noise` of MOA has it.
"""

import math

from ensembles.data.generators.moa.java_random import next_double, next_gaussian, next_int
from ensembles.jit import kernel, part

__all__ = ["draw_agrawal", "draw_hyperplane", "draw_led", "draw_random_rbf", "draw_random_tree", "draw_sea"]

SEGMENTS, IRRELEVANT = 7, 17
SALARY, COMMISSION, AGE, LEVEL, CAR, ZIP_CODE, HOUSE, YEARS, LOAN = range(9)


@part
def happens(state, percent):
    """Draw whether something with a probability in percent is so."""
    return 1 + next_int(state, 100) <= percent


@kernel
def draw_sea(state, values, labels, bound, noise):
    """SEAGenerator: class 1 where the first two of three numbers of [0, 10) add up to more than `bound`."""
    for i in range(len(labels)):
        for a in range(3):
            values[i, a] = 10 * next_double(state)
        label = 0 if values[i, 0] + values[i, 1] <= bound else 1
        labels[i] = 1 - label if happens(state, noise) else label


@kernel
def draw_led(state, values, labels, segments, places, noise):
    """LEDGeneratorDrift: the attribute `places[a]` shows what is drawn as the a-th; `segments` has the shape (10, 7)."""
    for i in range(len(labels)):
        digit = next_int(state, 10)
        for a in range(SEGMENTS):
            wrong = 1 if happens(state, noise) else 0
            values[i, places[a]] = segments[digit, a] ^ wrong
        for a in range(SEGMENTS, SEGMENTS + IRRELEVANT):
            values[i, places[a]] = next_int(state, 2)
        labels[i] = digit


@kernel
def draw_hyperplane(state, values, labels, weights, turning, step, noise, turn_back):
    """HyperplaneGenerator; `weights` (2, n_attributes) are those of the plane and the directions in which they move."""
    n_attributes = values.shape[1]
    for i in range(len(labels)):
        score, total = 0.0, 0.0
        for a in range(n_attributes):
            values[i, a] = next_double(state)
            score += weights[0, a] * values[i, a]
            total += weights[0, a]
        label = 1 if score >= total * 0.5 else 0
        labels[i] = 1 - label if happens(state, noise) else label
        for a in range(turning):
            weights[0, a] += weights[1, a] * step
            if happens(state, turn_back):
                weights[1, a] = -weights[1, a]


@kernel
def draw_random_tree(state, values, labels, nominal, n_values, tree):
    """RandomTreeGenerator; `tree` is one of `random_tree`, with the children of a node beside each other."""
    for i in range(len(labels)):
        for a in range(values.shape[1]):
            values[i, a] = next_int(state, n_values) if a < nominal else next_double(state)
        node = 0
        while tree.attribute[node] >= 0:
            asked = tree.attribute[node]
            if asked < nominal:
                node = tree.child[node] + int(values[i, asked])
            else:
                node = tree.child[node] + (0 if values[i, asked] < tree.cut[node] else 1)
        labels[i] = tree.label[node]


@kernel
def draw_random_rbf(state, spare, values, labels, centres, speed):
    """RandomRBFGeneratorDrift; before each example the centres that have a direction move by `speed`."""
    n_attributes = values.shape[1]
    for i in range(len(labels)):
        _move(centres.places, centres.directions, speed)
        at = _choose(centres.weights, next_double(state))
        length = 0.0
        for a in range(n_attributes):
            values[i, a] = next_double(state) * 2.0 - 1.0
            length += values[i, a] * values[i, a]
        scale = next_gaussian(state, spare) * centres.deviations[at] / math.sqrt(length)
        for a in range(n_attributes):
            values[i, a] = centres.places[at, a] + values[i, a] * scale
        labels[i] = centres.labels[at]


@part
def _move(places, directions, speed):
    for c in range(len(directions)):
        for a in range(directions.shape[1]):
            places[c, a] += directions[c, a] * speed
            if places[c, a] > 1.0:
                places[c, a] = 1.0
                directions[c, a] = -directions[c, a]
            if places[c, a] < 0.0:
                places[c, a] = 0.0
                directions[c, a] = -directions[c, a]


@part
def _choose(weights, share):
    total = 0.0
    for c in range(len(weights)):
        total += weights[c]
    wanted, so_far, c = share * total, 0.0, 0
    while so_far <= wanted and c < len(weights):
        so_far += weights[c]
        c += 1
    return c - 1


@kernel
def draw_agrawal(state, values, labels, function, share):
    """AgrawalGenerator, classes by `function` of 1 to 10; then numbers are moved by up to a `share` of their range."""
    for i in range(len(labels)):
        x = values[i]
        x[SALARY] = 20000.0 + 130000.0 * next_double(state)
        x[COMMISSION] = 0.0 if x[SALARY] >= 75000.0 else 10000.0 + 65000.0 * next_double(state)
        x[AGE] = 20 + next_int(state, 61)
        x[LEVEL] = next_int(state, 5)
        x[CAR] = next_int(state, 20)
        x[ZIP_CODE] = next_int(state, 9)
        x[HOUSE] = (9.0 - x[ZIP_CODE]) * 100000.0 * (0.5 + next_double(state))
        x[YEARS] = 1 + next_int(state, 30)
        x[LOAN] = next_double(state) * 500000.0
        labels[i] = 0 if _is_first(x, function) else 1
        if share > 0.0:
            _perturb(state, x, share)


@part
def _perturb(state, x, share):
    x[SALARY] = _moved(state, x[SALARY], 130000.0, 20000.0, 150000.0, share)
    if x[COMMISSION] > 0.0:
        x[COMMISSION] = _moved(state, x[COMMISSION], 65000.0, 10000.0, 75000.0, share)
    x[AGE] = _rounded(_moved(state, x[AGE], 60.0, 20.0, 80.0, share))
    x[HOUSE] = _moved(state, x[HOUSE], (9.0 - x[ZIP_CODE]) * 100000.0, 0.0, 135000.0, share)
    x[YEARS] = _rounded(_moved(state, x[YEARS], 29.0, 1.0, 30.0, share))
    x[LOAN] = _moved(state, x[LOAN], 500000.0, 0.0, 500000.0, share)


@part
def _moved(state, value, width, least, most, share):
    moved = value + width * (2.0 * (next_double(state) - 0.5)) * share
    return least if moved < least else most if moved > most else moved


@part
def _rounded(value):
    floor = math.floor(value)
    return float(floor + 1 if value - floor >= 0.5 else floor)


@part
def _is_first(x, function):
    """Return whether an applicant belongs to group A (Agrawal, Imielinski & Swami 1993, appendix)."""
    if function == 1:
        return x[AGE] < 40 or x[AGE] >= 60
    if function == 2:
        return _within(x[SALARY], _by_age(x, 50.0, 75.0, 25.0), 50.0)
    if function == 3:
        return _within_levels(x)
    if function == 4:
        return _within(x[SALARY], _by_level(x), 50.0)
    if function == 5:
        salary_fits = _within(x[SALARY], _by_age(x, 50.0, 75.0, 25.0), 50.0)
        low = _by_age(x, 100.0, 200.0, 300.0) if salary_fits else _by_age(x, 200.0, 300.0, 100.0)
        return _within(x[LOAN], low, 200.0)
    if function == 6:
        return _within(x[SALARY] + x[COMMISSION], _by_age(x, 50.0, 75.0, 25.0), 50.0)
    return _disposable(x, function) > 0.0


@part
def _by_age(x, young, middle, old):
    return young if x[AGE] < 40 else middle if x[AGE] < 60 else old


@part
def _within(amount, low, width):
    """Return whether an amount lies in `width` thousands from `low` thousands on."""
    return low * 1000.0 <= amount <= (low + width) * 1000.0


@part
def _within_levels(x):
    """Return whether the education is among those of the age."""
    least = _by_age(x, 0.0, 1.0, 2.0)
    return least <= x[LEVEL] <= _by_age(x, 1.0, 3.0, 4.0)


@part
def _by_level(x):
    """Return the least salary, in thousands, of the age and whether its education is among those of `_within_levels`."""
    if _within_levels(x):
        return _by_age(x, 25.0, 50.0, 50.0)
    return _by_age(x, 50.0, 75.0, 25.0)


@part
def _disposable(x, function):
    """Return what is left of the income by functions 7 to 10."""
    income = 2.0 * (x[SALARY] + x[COMMISSION]) / 3.0
    if function == 7:
        return income - x[LOAN] / 5.0 - 20000.0
    if function == 8:
        return income - 5000.0 * x[LEVEL] - 20000.0
    if function == 9:
        return income - 5000.0 * x[LEVEL] - x[LOAN] / 5.0 - 10000.0
    equity = x[HOUSE] * (x[YEARS] - 20.0) / 10.0 if x[YEARS] >= 20 else 0.0
    return income - 5000.0 * x[LEVEL] + equity / 5.0 - 10000.0
