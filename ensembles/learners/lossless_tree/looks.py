"""A look at the tests of one attribute at one node: which is the best, and what the others leave at least.

`best` holds the best test of all attributes so far, and the first one. The *bits* that a test leaves tell the classes of
all examples of the node once it is answered; of other criteria than information gain the score with its sign changed
stands in their place.
"""

import math

import numpy as np

from ensembles.jit import inner
from ensembles.learners.core.criteria import exceeds
from ensembles.learners.lossless_tree.nodes import TABLE
from ensembles.learners.lossless_tree.scores import GAIN_RATIO, INFO_GAIN, KS, bits_after, rate_by_distance, rate_test
from ensembles.learners.lossless_tree.store import CRITERION, DE_BRUIJN

__all__ = [
    "BEST", "BEST_AFTER", "BEST_BEFORE", "BEST_BITS", "BEST_COLUMN", "BEST_CUT", "BEST_HIGH", "BEST_KNOWN", "BEST_LOW",
    "BEST_SCORE", "BEST_VALUE", "BEST_WEIGHT", "FIRST", "SLACK", "beats", "count_values", "forget_best", "look_at_cuts",
    "look_at_values", "rate", "take_down",
]  # fmt: skip

SLACK = (
    1e-9  #: scores and bounds as close as this, in bits an example or by distance, are told apart by a look: far more
)
# than rounding
_LEAST_SCORE = 1e-9
_MIXED = -1

# Rows of `best`, and what stands in them; the weight is that of the true side.
BEST, FIRST = 0, 1
BEST_SCORE, BEST_COLUMN, BEST_VALUE, BEST_CUT, BEST_WEIGHT = range(5)
BEST_LOW, BEST_HIGH, BEST_BEFORE, BEST_AFTER, BEST_BITS = range(5, 10)
BEST_KNOWN = 10  # a score that one of the tests has


@inner
def forget_best(best):
    """Begin with no test."""
    best[BEST, BEST_SCORE] = _LEAST_SCORE
    best[BEST, BEST_BITS] = np.inf
    best[BEST, BEST_COLUMN] = -1.0
    best[BEST, BEST_KNOWN] = 0.0
    best[FIRST, BEST_COLUMN] = -1.0


@inner
def take_down(best, row, score, column, value, weight):
    """Write a test down, but for its cut and neighbours."""
    best[row, BEST_SCORE] = score
    best[row, BEST_COLUMN] = column
    best[row, BEST_VALUE] = value
    best[row, BEST_WEIGHT] = weight


@inner
def beats(best, bits, score):
    """Say whether a test is better than the best so far, and not as good."""
    return bits < best[BEST, BEST_BITS] and exceeds(score, best[BEST, BEST_SCORE], True)


@inner
def rate(members, n_present, weight, total):
    """Return the bits that a test leaves, and by how much the gap that parts its classes leads, see `rate_by_distance`.

    By distance the bits may be too few of a test that is not the best.
    """
    criterion, best = members.settings[CRITERION], members.best
    if criterion == INFO_GAIN:
        return bits_after(members.work, n_present, weight, total, members.logs), math.inf
    if criterion == KS:
        known = max(best[BEST, BEST_SCORE], best[BEST, BEST_KNOWN])
        score, lead = rate_by_distance(members.work, n_present, known - SLACK)
        return -score, lead
    return -rate_test(members.work, n_present, weight, total, criterion), math.inf


@inner
def _is_better(members, bits, whole, total, column, value, weight):
    """Say whether a test is better than those before it, and write it down then; also if it is the first one of all."""
    best = members.best
    score = (whole - bits) / total if members.settings[CRITERION] == INFO_GAIN else -bits
    if best[FIRST, BEST_COLUMN] < 0.0:
        take_down(best, FIRST, score, column, value, weight)
    if not beats(best, bits, score):
        return False
    take_down(best, BEST, score, column, value, weight)
    best[BEST, BEST_BITS] = bits
    return True


@inner
def count_values(members, column, n):
    """Count the values of a nominal column of the n gathered pairs in table 0."""
    tables, below, keys = members.tables, members.below, members.keys
    for value in range(members.first[column], members.first[column + 1]):
        for c in range(tables.shape[2]):
            tables[0, value, c] = 0.0
    for g in range(n):
        tables[0, keys[below[g, 0], column], below[g, 1]] += members.below_mass[g]


@inner
def look_at_values(members, v, column, n_present, total, whole):
    """Look at the tests of a nominal attribute.

    Return how many there are, two values being one question, the bits that any of them leaves at least, or would leave of
    one value more, and by how much the gaps that part their classes lead at least.
    """
    tables, work, present, best = members.tables, members.work, members.present, members.best
    t, observed, least, before, after = members.nodes[v, TABLE], 0, whole, whole, whole
    leads, first, other = math.inf, 0.0, -1.0
    for value in range(members.first[column], members.first[column + 1]):
        weight = 0.0
        for k in range(n_present):
            w = tables[t, value, present[k]]
            work[0, k] = w
            weight += w
        if weight > 0.0:
            observed += 1
            if observed == 2 and first + weight == total:
                other = value  # the first question with its answers changed
            elif weight < total:
                bits, lead = rate(members, n_present, weight, total)
                leads = min(leads, lead)
                if _is_better(members, bits, whole, total, column, value, weight):
                    before, after = least, whole
                else:
                    after = min(after, bits)
                least = min(least, bits)
            first = weight if observed == 1 else first
    if best[BEST, BEST_COLUMN] == column:
        best[BEST, BEST_BEFORE], best[BEST, BEST_AFTER], best[BEST, BEST_LOW] = before, after, other
    return observed if observed > 2 else max(observed - 1, 0), least, leads


@inner
def look_at_cuts(members, column, n, n_present, total, whole):
    """Look at the tests of a numeric attribute; return as `look_at_values`.

    Cuts that are not admissible count in the bits too: examples to come may make them so.
    """
    best, touched, bounded = members.best, members.touched, members.settings[CRITERION] != GAIN_RATIO
    attribute = column - (members.first.shape[0] - 1)
    length = _list_ranks(members, column, n)
    tests, weight, kind, least, before, after, leads = 0, 0.0, _MIXED, whole, whole, whole, math.inf
    for k in range(n_present):
        members.work[0, k] = 0.0
    for step in range(length):
        r, kind_before = touched[step], kind
        kind = _kind_of(members, r, n_present)
        if step > 0:
            boundary = kind == _MIXED or kind != kind_before
            tests += boundary
            bits, better = whole, False
            if bounded or boundary:
                bits, lead = rate(members, n_present, weight, total)
                leads = min(leads, lead)
            first = best[FIRST, BEST_COLUMN] < 0.0
            if (bits < best[BEST, BEST_BITS] or first) and boundary:
                better = _is_better(members, bits, whole, total, column, -1, weight)
                if better:
                    _place_cut(members, attribute, BEST, touched[step - 1], r)
                    before, after = least, whole
                if first:
                    _place_cut(members, attribute, FIRST, touched[step - 1], r)
            if not better:
                after = min(after, bits)
            least = min(least, bits)
        weight += _move_left(members, r, n_present)
    if weight < total:  # a cut above all values would part them from those missing
        bits, lead = rate(members, n_present, weight, total)
        least, after, leads = min(least, bits), min(after, bits), min(leads, lead)
    if best[BEST, BEST_COLUMN] == column:
        best[BEST, BEST_BEFORE], best[BEST, BEST_AFTER] = before, after
    return tests, least, leads


@inner
def _kind_of(members, r, n_present):
    """Return which of the present classes all examples of a rank belong to, or that they are mixed; without branches."""
    found, kind = 0, 0
    for k in range(n_present):
        there = int(members.bins[r, k] > 0.0)
        found += there
        kind += k * there
    return kind if found == 1 else _MIXED


@inner
def _move_left(members, r, n_present):
    """Move the examples of a rank to the left side; return what they weigh."""
    work, bins, moved = members.work, members.bins, 0.0
    for k in range(n_present):
        w = bins[r, k]
        work[0, k] += w
        moved += w
        bins[r, k] = 0.0
    return moved


@inner
def _place_cut(members, attribute, row, below, above):
    """Write down the cut between two ranks, half way: low < cut <= high."""
    low = members.values[members.order[attribute, below]]
    high = members.values[members.order[attribute, above]]
    cut = low + (high - low) / 2.0
    members.best[row, BEST_CUT] = cut if cut > low else high
    members.best[row, BEST_LOW] = low
    members.best[row, BEST_HIGH] = high


@inner
def _list_ranks(members, column, n):
    """Add the gathered pairs to the bins of a numeric column; write their ranks in order, return how many."""
    keys, below, mass, bins = members.keys, members.below, members.below_mass, members.bins
    marks, ranks, touched = members.marks, members.ranks, members.touched
    highest, length = 0, 0
    for g in range(n):
        s = keys[below[g, 0], column]
        if s >= 0:
            r = int(ranks[s])
            bins[r, below[g, 2]] += mass[g]
            marks[0, r >> 5] |= 1 << (r & 31)
            marks[1, r >> 10] |= 1 << (r >> 5 & 31)
            highest = max(highest, r >> 10)
    for high in range(highest + 1):
        words = marks[1, high]
        marks[1, high] = 0
        while words != 0:
            word = high << 5 | _lowest(members.bits, words)
            words &= words - 1
            left = marks[0, word]
            marks[0, word] = 0
            while left != 0:
                touched[length] = word << 5 | _lowest(members.bits, left)
                length += 1
                left &= left - 1
    return length


@inner
def _lowest(bits, word):
    """Return the place of the lowest bit of a word of 32 that is set."""
    return bits[(word & -word) * DE_BRUIJN >> 27 & 31]
