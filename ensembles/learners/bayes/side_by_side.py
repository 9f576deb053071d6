"""What all members say of an example at once: products of shares as in `products`, several members at a time.

The cells of members lie side by side, in Fortran's order. So does `room`, of shape (m, c + 5, 4): for each class the product
and the exponent, or its logarithm, that at the means and two distances; and five more rows to work in. Every product is
multiplied in the order of `products`, to the same bits.
"""

import numpy as np

from ensembles.jit import inner
from ensembles.learners.bayes.products import SCALE, STEP
from ensembles.learners.core.protocol import MOST_FORESEEN

__all__ = [
    "BEST", "DOUBT", "HEAVIER", "WHOLE", "add_shares", "align_all", "doubt_all", "foresee", "is_plain",
    "keep_answer", "laid_side_by_side", "learn_codes", "multiply_all", "room_for",
]  # fmt: skip

_SURE = 1.0 + 1e-9  # products that differ by more differ whatever was rounded
HEAVIER, WHOLE, PARTS, BEST, DOUBT = 0, 1, 2, 3, 4  #: rows of the room behind those of classes


def room_for(n_members: int, n_classes: int) -> np.ndarray:
    """Return room to work in."""
    return laid_side_by_side(n_members, n_classes + 5, 4)


def laid_side_by_side(*shape: int) -> np.ndarray:
    """Return an array in Fortran's order, of two rows at least but for the first axis: one may lie in either order.

    Which order an array has is part of its type, and kernels would be compiled for the other one too.
    """
    return np.zeros((shape[0], *(max(n, 2) for n in shape[1:])), order="F")


@inner
def is_plain(members, rows):
    """Whether there are nominal values only, and smoothing adds the same to all counts."""
    return rows.numbers.shape[1] == 0 and members.smoothing[0] > 0.0


@inner
def learn_codes(members, codes, i, label, weights):
    """Count the nominal values of example i for every member, as often as it weighs."""
    cells, absent, totals = members.cells, members.absent, members.totals
    for m in range(weights.shape[0]):
        totals[m, label] += weights[m]
    for a in range(codes.shape[1]):
        v = codes[i, a]
        if v >= 0:
            for m in range(weights.shape[0]):
                cells[m, v, label] += weights[m]
        else:
            for m in range(weights.shape[0]):
                absent[m, a, label] += weights[m]


@inner
def align_all(members, n_members, n_classes, codes, i):
    """Write into the room the products of classes, the largest 1, and their sum, by which no member has to be asked."""
    room, best, whole = members.room, n_classes + BEST, n_classes + WHOLE
    for c in range(n_classes):
        multiply_all(members, n_members, c, c, 0.0, codes, i)
    for m in range(n_members):
        room[m, best, 0], room[m, best, 1] = 0.0, -np.inf
    for c in range(n_classes):
        for m in range(n_members):
            level = room[m, c, 1] == room[m, best, 1]
            higher = (room[m, c, 1] > room[m, best, 1]) | (level & (room[m, c, 0] > room[m, best, 0]))
            room[m, best, 0] = room[m, c, 0] if higher else room[m, best, 0]
            room[m, best, 1] = max(room[m, c, 1], room[m, best, 1])
    for m in range(n_members):
        room[m, whole, 0], room[m, n_classes + DOUBT, 0] = 0.0, 0.0
    for c in range(n_classes):
        for m in range(n_members):
            behind = room[m, best, 1] - room[m, c, 1]
            score = room[m, c, 0] / SCALE if behind == 1.0 else room[m, c, 0]
            room[m, c, 0] = 0.0 if behind > 1.0 else score / room[m, best, 0]
            room[m, whole, 0] += room[m, c, 0]


@inner
def doubt_all(members, n_members, n_classes):
    """Note in the room that every member has to be asked."""
    for m in range(n_members):
        members.room[m, n_classes + DOUBT, 0] = 1.0


@inner
def keep_answer(members, m, told):
    """Write the class probabilities that member m has told into the room."""
    room, n_classes = members.room, told.shape[0]
    room[m, n_classes + WHOLE, 0] = 1.0
    for c in range(n_classes):
        room[m, c, 0] = told[c]


@inner
def add_shares(members, weights, votes):
    """Add to `votes` the shares of classes in the sums of the first members, times their weights."""
    room, n_classes = members.room, votes.shape[0]
    for c in range(n_classes):
        vote = votes[c]
        for m in range(weights.shape[0]):
            vote += weights[m] * (room[m, c, 0] / room[m, n_classes + WHOLE, 0])
        votes[c] = vote


@inner
def foresee(members, codes, i, label, hits):
    """As `foresee_hits` of the protocol; the more an example weighs, the likelier its class becomes."""
    room, n_members, n_classes = members.room, hits.shape[1], members.totals.shape[1]
    heavier, best = n_classes + HEAVIER, n_classes + BEST
    for c in range(n_classes):
        multiply_all(members, n_members, c, c, 0.0, codes, i)
    multiply_all(members, n_members, label, heavier, MOST_FORESEEN, codes, i)
    for m in range(n_members):
        room[m, best, 0] = 0.0
    for c in range(n_classes):
        if c != label:
            for m in range(n_members):
                ahead = room[m, c, 1] - room[m, label, 1]
                factor = SCALE if ahead > 0.0 else 1.0
                factor = 1.0 / SCALE if ahead < 0.0 else factor
                rival = room[m, c, 0] * factor
                rival = np.inf if ahead > 1.0 else rival
                rival = 0.0 if ahead < -1.0 else rival
                room[m, best, 0] = max(room[m, best, 0], rival)
    for m in range(n_members):
        rival = room[m, best, 0]
        wrong = (room[m, heavier, 1] == room[m, label, 1]) & (room[m, heavier, 0] * _SURE < rival)
        told = MOST_FORESEEN if wrong else -1.0
        right = room[m, label, 0] > rival * _SURE
        hits[0, m], hits[1, m] = np.inf if right else told, 1.0 if right else 0.0


@inner
def multiply_all(members, n_members, c, row, more, codes, i):
    """Write into a row of the room the products of class c, once members have learned `more` of example i in it."""
    room, totals, f = members.room, members.totals, members.smoothing[0]
    whole, parts = totals.shape[1] + WHOLE, totals.shape[1] + PARTS
    for m in range(n_members):
        room[m, whole, 0] = totals[m, c] + more
        room[m, row, 0], room[m, row, 1] = room[m, whole, 0] + f, 0.0
    if members.gaps[0] > 0.0:
        _multiply_known(members, n_members, c, row, more, codes, i)
        return
    for start in range(0, codes.shape[1], STEP):
        for m in range(n_members):
            room[m, parts, 0], room[m, parts, 1] = 1.0, 1.0
        a, stop = start, min(start + STEP, codes.shape[1])
        while a < stop:
            a += _multiply_next(members, n_members, c, more, codes, i, a, stop)
        for m in range(n_members):
            score = room[m, row, 0] * (room[m, parts, 0] / room[m, parts, 1])
            tiny = score < 1.0 / SCALE
            room[m, row, 0] = score * SCALE if tiny else score
            room[m, row, 1] -= 1.0 if tiny else 0.0


@inner
def _multiply_next(members, n_members, c, more, codes, i, a, stop):
    """Multiply numerators and denominators by those of attribute a or, at once, of four; return of how many."""
    room, cells, values, f = members.room, members.cells, members.values, members.smoothing[0]
    added = more + f
    whole, parts = members.totals.shape[1] + WHOLE, members.totals.shape[1] + PARTS
    v, least = codes[i, a], -1
    if a + 3 < stop:
        w, x, y = codes[i, a + 1], codes[i, a + 2], codes[i, a + 3]
        least = min(min(v, w), min(x, y))
    if least >= 0:
        g, h, j, k = f * values[a], f * values[a + 1], f * values[a + 2], f * values[a + 3]
        for m in range(n_members):
            one, two = (cells[m, v, c] + added), (cells[m, w, c] + added)
            three, four = (cells[m, x, c] + added), (cells[m, y, c] + added)
            room[m, parts, 0] = room[m, parts, 0] * one * two * three * four
            t = room[m, whole, 0]
            room[m, parts, 1] = room[m, parts, 1] * (t + g) * (t + h) * (t + j) * (t + k)
        return 4
    if v >= 0:
        g = f * values[a]
        for m in range(n_members):
            room[m, parts, 0] *= cells[m, v, c] + added
            room[m, parts, 1] *= room[m, whole, 0] + g
    elif v == -2:
        g = f * (values[a] + 1.0)
        for m in range(n_members):
            room[m, parts, 0] *= f
            room[m, parts, 1] *= room[m, whole, 0] + g
    return 1


@inner
def _multiply_known(members, n_members, c, row, more, codes, i):
    """Multiply by a share an attribute, of the examples whose value is known, where values may be missing."""
    room, cells, absent, f = members.room, members.cells, members.absent, members.smoothing[0]
    whole = members.totals.shape[1] + WHOLE
    for a in range(codes.shape[1]):
        v = codes[i, a]
        if v == -1:
            continue
        added, seen, place = (f + more, 1.0, v) if v >= 0 else (f, 0.0, 0)
        values = f * (members.values[a] + (1.0 - seen))
        for m in range(n_members):
            count = added + seen * cells[m, place, c]
            score = room[m, row, 0] * (count / (room[m, whole, 0] - absent[m, a, c] + values))
            tiny = score < 1.0 / SCALE
            room[m, row, 0] = score * SCALE if tiny else score
            room[m, row, 1] -= 1.0 if tiny else 0.0
