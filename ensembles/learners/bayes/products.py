"""Products of many shares without underflow: a number and an exponent of its own, instead of logarithms.

Kernels keep for each class c the product in work[0, c], times 2^(512 work[1, c]), and in work[2, c] how many factors were
zero: these are counted and not multiplied, so that the class with the fewest of them wins.
"""

import math

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner, part

__all__ = [
    "LOG_SCALE", "SCALE", "STEP", "align", "level_classes", "multiply", "score_classes", "smoothing_for", "smoothing_of",
    "start_products", "take_zeros", "write_posteriors", "write_products",
]  # fmt: skip

STEP = 16  # factors multiplied before the product is brought back into range: (2^33)^16 < 1e160
SCALE = 2.0**512
LITERAL = -2.0  #: nothing is added, and a product is 0 however many of its factors are
LOG_SCALE = 512 * math.log(2.0)


def smoothing_of(name: str, prior: str) -> npt.NDArray[np.float64]:
    """Return what is added to every count (-1: one over the member's weight; LITERAL: nothing); 1 if classes weigh alike."""
    return np.array(
        [{"laplace": 1.0, "laplace_m": -1.0, "none": 0.0, "literal": LITERAL}[name], float(prior == "equal")]
    )


@inner
def score_classes(members, m, rows, i, work):
    """Write into work[0] the products of shares and priors, the largest 1; False if nothing was learned."""
    f = smoothing_for(members.smoothing, members.totals, m)
    if f < 0.0:
        return False
    write_products(members, m, f, rows, i, work)
    align(work, members.totals.shape[1])
    return True


@inner
def write_products(members, m, f, rows, i, work):
    totals = members.totals
    if members.gaps[0] == 0.0 and f > 0.0:
        _products_plain(members.cells, members.values, totals, m, f, rows.codes, i, work)
    else:
        counts = members.cells, members.absent, totals, members.values
        _products_general(counts, m, f, rows.codes, i, work)
        take_zeros(members.smoothing, totals, m, work)
    level_classes(members.smoothing, totals, m, f, work)


@inner
def _products_plain(cells, values, totals, m, f, codes, i, work):
    """Prior times shares of every class, no missing values in training; one division in sixteen factors.

    Two classes at a time keep four independent chains of products busy; numerators and denominators stay apart because a
    division costs as much as ten products.
    """
    n_classes, n_nominal = totals.shape[1], codes.shape[1]
    for c in range(0, n_classes, 2):
        d = min(c + 1, n_classes - 1)
        total_c, total_d = totals[m, c], totals[m, d]
        score_c, score_d = total_c + f, total_d + f
        exponent_c, exponent_d = 0.0, 0.0
        for start in range(0, n_nominal, STEP):
            above_c, above_d, below_c, below_d = 1.0, 1.0, 1.0, 1.0
            for a in range(start, min(start + STEP, n_nominal)):
                v = codes[i, a]
                if v >= 0:
                    above_c *= cells[m, v, c] + f
                    above_d *= cells[m, v, d] + f
                    below_c *= total_c + f * values[a]
                    below_d *= total_d + f * values[a]
                elif v == -2:
                    above_c *= f
                    above_d *= f
                    below_c *= total_c + f * (values[a] + 1.0)
                    below_d *= total_d + f * (values[a] + 1.0)
            score_c *= above_c / below_c
            score_d *= above_d / below_d
            if score_c < 1.0 / SCALE:
                score_c *= SCALE
                exponent_c -= 1.0
            if score_d < 1.0 / SCALE:
                score_d *= SCALE
                exponent_d -= 1.0
        work[0, c], work[1, c], work[2, c] = score_c, exponent_c, 0.0
        work[0, d], work[1, d], work[2, d] = score_d, exponent_d, 0.0


@part
def _products_general(counts, m, f, codes, i, work):
    """As `_products_plain`, missing values left out of the denominators, zero factors counted and not multiplied.

    counts : `cells`, `absent`, `totals` and `values` of the members.
    """
    cells, absent, totals, values = counts
    start_products(totals, m, f, work)
    for a in range(codes.shape[1]):
        v = codes[i, a]
        if v == -1:
            continue
        known = values[a] + (v < 0)
        for c in range(totals.shape[1]):
            count = f + (cells[m, v, c] if v >= 0 else 0.0)
            multiply(work, c, count, totals[m, c] - absent[m, a, c] + f * known)


@inner
def start_products(totals, m, f, work):
    """Begin with the weights of the classes; one without any is ruled out."""
    for c in range(totals.shape[1]):
        score = totals[m, c] + f
        work[0, c], work[1, c] = (1.0 if score == 0.0 else score), 0.0
        work[2, c] = np.inf if score == 0.0 else 0.0


@inner
def multiply(work, c, count, whole):
    """Multiply the product of class c by a share."""
    if count == 0.0:
        work[2, c] += 1.0
        return
    work[0, c] *= count / whole
    if work[0, c] < 1.0 / SCALE:
        work[0, c] *= SCALE
        work[1, c] -= 1.0


@inner
def level_classes(smoothing, totals, m, f, work):
    """Take the prior out of the products again, if all classes that member m has learned are to weigh alike."""
    if smoothing[1] == 0.0:
        return
    for c in range(totals.shape[1]):
        if totals[m, c] > 0.0:
            work[0, c] /= totals[m, c] + f
        else:
            work[2, c] = np.inf


@inner
def take_zeros(smoothing, totals, m, work):
    """If zeros are taken literally and every product is zero, let the first class win that member m has learned."""
    if smoothing[0] != LITERAL:
        return
    first = -1
    for c in range(totals.shape[1]):
        if work[2, c] == 0.0:
            return
        if first < 0 and totals[m, c] > 0.0:
            first = c
    work[2, first] = 0.0


@inner
def align(work, n_classes):
    """Bring products of different exponents to one scale; classes with more zero factors than the best get 0."""
    fewest, highest, top = np.inf, -np.inf, 0.0
    for c in range(n_classes):
        fewest = min(fewest, work[2, c])
    for c in range(n_classes):
        if work[2, c] == fewest and (work[1, c] > highest or (work[1, c] == highest and work[0, c] > top)):
            highest, top = work[1, c], work[0, c]
    for c in range(n_classes):
        if work[2, c] != fewest or work[1, c] < highest - 1.0:
            work[0, c] = 0.0
        elif work[1, c] < highest:
            work[0, c] = work[0, c] / SCALE / top
        else:
            work[0, c] = work[0, c] / top


@inner
def smoothing_for(smoothing, totals, m):
    """Return what is added to every count of member m, -1 if it has learned nothing."""
    weight = 0.0
    for c in range(totals.shape[1]):
        weight += totals[m, c]
    if weight == 0.0:
        return -1.0
    if smoothing[0] >= 0.0:
        return smoothing[0]
    return 0.0 if smoothing[0] == LITERAL else 1.0 / weight


@inner
def write_posteriors(work, out):
    """Write into `out` the scores in work[0], divided by their sum."""
    total = 0.0
    for c in range(out.shape[0]):
        total += work[0, c]
    for c in range(out.shape[0]):
        out[c] = work[0, c] / total
