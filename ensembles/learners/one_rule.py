"""One rule: the one attribute that tells most about the class, numeric ones cut into as many intervals as pay.

MC4(1)-disc of Bauer and Kohavi: the root of a decision tree over discretised attributes, close to Holte's 1R.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, kernel
from ensembles.learners.base import BaseModel, writable
from ensembles.learners.discretise import entropy_cuts
from ensembles.learners.protocol import Rows, begin, best_class, classify, distribute, settle
from ensembles.parameters import Choice, Real

__all__ = ["OneRuleClassifier", "OneRuleMembers"]

NOMINAL, NUMERIC = 0, 1
_UNTRAINED, _NO_RULE = -2, -1
_LEAST_GAIN = 1e-10  # bits an example
_TIE = 1e-12


class OneRuleMembers(NamedTuple):
    """Members m, classes c; a member's cuts and branches lie one after another in `cuts` and `branches`."""

    chosen: np.ndarray  # (m,) column of the attribute among its kind, _NO_RULE or _UNTRAINED
    kind: np.ndarray  # (m,) NOMINAL or NUMERIC
    cut_spans: np.ndarray  # (m, 2) first and last + 1 of the member's cuts, which ascend
    branch_spans: np.ndarray  # (m, 2) first and last + 1 of its branches: values or intervals, then missing
    cuts: np.ndarray
    branches: np.ndarray  # (b, c) class weights
    totals: np.ndarray  # (m, c)
    numeric: np.ndarray  # (attributes,) 1 if the attribute is numeric
    place: np.ndarray  # (attributes,) column of the attribute in the rows' codes or numbers
    values: np.ndarray  # (nominal attributes,) number of values


class OneRuleClassifier(BaseModel):
    """One rule: one question with many answers; learns in batch.

    Parameters
    ----------
    criterion : {"gain_ratio", "info_gain"}
        By gain ratio only attributes of at least average gain compete.
    min_split : float
        Two branches hold examples of at least this weight, in [0, 1e9].
    categorical_features : sequence of names or positions, optional
        Attributes to treat as nominal besides categorical, text and truth columns.

    Notes
    -----
    Numeric attributes are cut where Fayyad and Irani's method says, on the training examples of the member, weights counted
    as examples. Missing values take a branch of their own; a value never seen in training, all examples.

    References
    ----------
    Bauer & Kohavi (1999), section 2, MC4(1)-disc; Fayyad & Irani (1993); Holte (1993).
    """

    key = "one_rule"
    name = "One rule"
    family = "tree"
    summary = "Asks for the one attribute that tells most about the class, numeric ones cut into many intervals."
    source = "Bauer & Kohavi (1999), section 2, MC4(1)-disc"
    learns_online = False
    parameters = (
        Choice(
            "criterion",
            "gain_ratio",
            "Criterion",
            "What makes an attribute good: what it tells about the class, or that relative to what its branches tell apart.",
            choices=("gain_ratio", "info_gain"),
            labels=("gain ratio", "information gain"),
        ),
        Real(
            "min_split",
            1.0,
            "Least weight of two branches",
            "Two branches of the question hold at least so many examples.",
            low=0.0,
            high=1e9,
        ),
    )

    def __init__(self, criterion="gain_ratio", min_split=1.0, categorical_features=None):
        self.criterion = criterion
        self.min_split = min_split
        self.categorical_features = categorical_features

    def allocate(self, n_members, schema, n_classes, *, batch):
        place = np.zeros(len(schema.attributes), dtype=np.int64)
        place[list(schema.nominal)] = np.arange(len(schema.nominal))
        place[list(schema.numeric)] = np.arange(len(schema.numeric))
        return OneRuleMembers(
            chosen=np.full(n_members, _UNTRAINED, dtype=np.int64),
            kind=np.zeros(n_members, dtype=np.int64),
            cut_spans=np.zeros((n_members, 2), dtype=np.int64),
            branch_spans=np.zeros((n_members, 2), dtype=np.int64),
            cuts=np.zeros(0),
            branches=np.zeros((0, n_classes)),
            totals=np.zeros((n_members, n_classes)),
            numeric=np.array([a.kind == "numeric" for a in schema.attributes], dtype=np.uint8),
            place=place,
            values=schema.value_counts.astype(np.int64),
        )

    def rows(self, members, table, *, learning):
        return writable(Rows(table.codes, table.numbers, np.empty((0, 0), dtype=np.int32)))

    def fit_member(self, members, m, rows, labels, weights):
        n_classes = members.totals.shape[1]
        rules = []
        for a, column in enumerate(members.place):
            if members.numeric[a]:
                cuts = entropy_cuts(rows.numbers[:, column], labels, weights, n_classes)
                branches = np.zeros((len(cuts) + 2, n_classes))
                _count_intervals(rows.numbers, column, cuts, labels, weights, branches)
            else:
                cuts = np.zeros(0)
                branches = np.zeros((members.values[column] + 1, n_classes))
                _count_values(rows.codes, column, labels, weights, branches)
            rules.append((cuts, branches))
        members.totals[m] = np.bincount(labels, weights, minlength=n_classes)
        a = _best_rule([branches for _, branches in rules], self.criterion, self.min_split)
        if a is None:
            members.chosen[m] = _NO_RULE
            return members
        members.chosen[m], members.kind[m] = members.place[a], members.numeric[a]
        return _with_rule(members, m, *rules[a])


def _with_rule(members, m, cuts, branches):
    members.cut_spans[m] = len(members.cuts), len(members.cuts) + len(cuts)
    members.branch_spans[m] = len(members.branches), len(members.branches) + len(branches)
    return members._replace(
        cuts=np.concatenate([members.cuts, cuts]), branches=np.concatenate([members.branches, branches])
    )


def _best_rule(tables, criterion, least_weight):
    """Return the number of the best table of branches, None if none is allowed; ties go to the first."""
    rated = [(a, *_rated(table, criterion)) for a, table in enumerate(tables)]
    rated = [
        (a, gain, score)
        for a, gain, score in rated
        if gain > _LEAST_GAIN and (tables[a].sum(axis=1) >= least_weight).sum() >= 2
    ]
    if criterion == "gain_ratio" and rated:
        mean = sum(gain for _, gain, _ in rated) / len(rated)
        rated = [rule for rule in rated if rule[1] >= mean - _TIE]
    chosen, best = None, 0.0
    for a, _, score in rated:
        if chosen is None or score > best + _TIE * max(1.0, abs(best)):
            chosen, best = a, score
    return chosen


def _rated(table, criterion):
    """Return the gain of the branches, and the score they compete with."""
    whole, of_branches = table.sum(axis=0), table.sum(axis=1)
    total = float(whole.sum())
    gain = (_bits(whole) - sum(_bits(branch) for branch in table)) / total
    split = _bits(of_branches) / total
    if criterion == "info_gain":
        return gain, gain
    return gain, gain / split if split >= 1e-12 else 0.0


@kernel
def _bits(weights):
    """Return weight times entropy."""
    total, parts = 0.0, 0.0
    for c in range(weights.shape[0]):
        total += weights[c]
        parts += _g(weights[c])
    return _g(total) - parts


@inner
def _g(w):
    return w * math.log2(w) if w > 0.0 else 0.0


@kernel
def _count_values(codes, column, labels, weights, branches):
    missing = branches.shape[0] - 1
    for i in range(labels.shape[0]):
        code = codes[i, column]
        branches[code if code >= 0 else missing, labels[i]] += weights[i]


@kernel
def _count_intervals(numbers, column, cuts, labels, weights, branches):
    missing = branches.shape[0] - 1
    for i in range(labels.shape[0]):
        x = numbers[i, column]
        branch = missing if math.isnan(x) else _interval(cuts, 0, cuts.shape[0], x)
        branches[branch, labels[i]] += weights[i]


@inner
def _interval(cuts, first, stop, x):
    """Return how many of the ascending cuts[first:stop] are not above x."""
    low, high = first, stop
    while low < high:
        middle = (low + high) // 2
        if cuts[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return low - first


@begin.implement(OneRuleMembers)
def _begin(members, m):
    members.chosen[m] = _UNTRAINED


@settle.implement(OneRuleMembers)
def _settle(members, m):
    pass


@classify.implement(OneRuleMembers)
def _classify(members, m, rows, i, work):
    if members.chosen[m] == _UNTRAINED:
        return -1
    _weigh(members, m, rows, i, work)
    return best_class(work[0], members.totals[m])


@distribute.implement(OneRuleMembers)
def _distribute(members, m, rows, i, work, out):
    if members.chosen[m] == _UNTRAINED:
        out[:] = 1.0 / out.shape[0]
        return
    _weigh(members, m, rows, i, work)
    total = 0.0
    for c in range(out.shape[0]):
        total += work[0, c]
    for c in range(out.shape[0]):
        out[c] = work[0, c] / total


@inner
def _weigh(members, m, rows, i, work):
    """Write into work[0] the class weights of the branch of example i; of all examples if the branch is empty."""
    branch = _branch(members, m, rows, i)
    total = 0.0
    if branch >= 0:
        for c in range(members.totals.shape[1]):
            work[0, c] = members.branches[branch, c]
            total += work[0, c]
    if total == 0.0:
        for c in range(members.totals.shape[1]):
            work[0, c] = members.totals[m, c]


@inner
def _branch(members, m, rows, i):
    """Return the row of the branch that example i takes, -1 without a rule or for a value not in the schema."""
    column = members.chosen[m]
    if column == _NO_RULE:
        return -1
    first, missing = members.branch_spans[m, 0], members.branch_spans[m, 1] - 1
    if members.kind[m] == NUMERIC:
        x = rows.numbers[i, column]
        if math.isnan(x):
            return missing
        return first + _interval(members.cuts, members.cut_spans[m, 0], members.cut_spans[m, 1], x)
    code = rows.codes[i, column]
    if code == -1:
        return missing
    return first + code if code >= 0 else -1
