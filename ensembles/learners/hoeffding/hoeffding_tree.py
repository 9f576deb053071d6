"""Hoeffding tree (VFDT): a leaf splits once so many examples have come that its best test is surely the best.

The tree of a member lies in arrays with room for `max_nodes`; the tables of leaves, which are the bulk, come from one pool
for all members. `ensure_capacity` makes room for the most that a call can use: an example adds at most one table and one
split to a member. Room is only reserved: memory that no leaf has written to is not taken from the machine.

Domingos & Hulten (2000); the weak learner of Jung, Goetz & Tewari (2017).
"""

import math
from typing import Any

import numpy as np

from ensembles.data.encoding import category_map
from ensembles.declarations import choice, flag, integer, real
from ensembles.draws import uniforms
from ensembles.jit import inner
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.learner import CATEGORICAL, SEED
from ensembles.learners.core.protocol import (
    best_scored,
    finalize,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    reset,
)
from ensembles.learners.core.rows import numbered_rows
from ensembles.learners.core.tree_size import size_of_tree
from ensembles.learners.hoeffding.capacity import enlarged, with_capacity
from ensembles.learners.hoeffding.leaf import ADAPTIVE, BAYES, asks_bayes, descend, heaviest, majority_of, score_bayes
from ensembles.learners.hoeffding.split import (
    FRESH,
    GRACE,
    LEAF,
    MAX_NODES,
    PREDICTION,
    RIGHT_BAYES,
    RIGHT_MAJORITY,
    SINCE,
    HoeffdingMembers,
    add_to_tables,
    take_slot,
    try_split,
)

__all__ = ["DRAWN", "HoeffdingMembers", "HoeffdingTreeClassifier"]

#: Ranges of a randomised member's grace period, ln(delta) and ln(tau): uniform, as where Jung et al. call their program.
DRAWN = ((5.0, 20.0), (math.log(0.01), math.log(0.9)), (math.log(0.01), math.log(0.9)))
_PREDICTIONS = {"majority": 0.0, "naive_bayes": BAYES, "adaptive": ADAPTIVE}


class HoeffdingTreeClassifier(BaseModel):
    """Hoeffding tree (VFDT): grows a decision tree in one pass over the examples, in their order.

    Notes
    -----
    `fit` is one pass. Weights count examples, in `grace_period` and in the bound too; relative ones, see `fit`, are one
    on average first. Nominal tests have a branch a value; a missing value has a branch of its own in every test and is
    left out of a leaf's naive Bayes product. A value without a branch gets the class shares that its node had when it
    was split. Merits are computed from what a leaf itself has seen, bounds from its weight with what its parent
    estimated for it. A leaf at which having no test is surely best stops counting attributes for ever.

    References
    ----------
    Domingos & Hulten (2000), table 1; Jung, Goetz & Tewari (2017), section 5.
    """

    key = "hoeffding_tree"
    name = "Hoeffding tree"
    position = 70
    family = "tree"
    summary = (
        "Grows a decision tree in one pass: a leaf splits when enough examples have come to be sure of its best test."
    )
    source = "Domingos & Hulten (2000), table 1"
    order_matters = True
    rows_alike = True
    purpose = "randomised_trees"
    grace_period: float = real(
        former="grace",
        default=200.0,
        label="Grace period",
        help="Weight between two tries of a leaf to split.",
        low=0.0,
        open_low=True,
    )
    delta: float = real(
        default=1e-7,
        label="Split confidence",
        help="Accepted chance of a wrong test.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    tau: float = real(
        default=0.05,
        label="Tie threshold",
        help="Below this bound the best test is taken however close the next.",
        low=0.0,
    )
    criterion: str = choice(
        default="info_gain",
        label="Merit of a test",
        help="What a test is judged by.",
        choices=("info_gain", "gini"),
        labels=("information gain", "Gini index"),
    )
    leaf_prediction: str = choice(
        former="leaf",
        default="adaptive",
        label="Prediction of a leaf",
        help="Its majority, a naive Bayes of its own, or whichever of the two was right more often.",
        choices=("adaptive", "majority", "naive_bayes"),
        labels=("the better of both", "majority", "naive Bayes"),
    )
    bins: int = integer(
        default=10, label="Cuts of a number", help="Cuts tried between the least and greatest value.", low=2, high=1000
    )
    min_branch_fraction: float = real(
        former="min_frac",
        default=0.01,
        label="Least share",
        help="Two branches need more than this share of the weight.",
        low=0.0,
        high=0.5,
    )
    max_nodes: int = integer(
        default=2000,
        label="Nodes at most",
        help="A tree grows no larger.",
        details=(
            "Nodes that a tree has room for, also for branches that no example takes; when it is used up, leaves "
            "split no more."
        ),
        low=1,
        high=1_000_000,
    )
    randomise: bool = flag(
        default=False,
        label="Randomised",
        help="Each member draws its grace period, split confidence and tie threshold.",
        details=(
            "Each member of an ensemble draws its own `grace_period` from [5, 20], `delta` and `tau` from [0.01, 0.9], "
            "these two on a logarithmic scale; the three settings above are not used then."
        ),
    )
    random_state: Any = SEED
    categorical_features: Any = CATEGORICAL

    def init_members(self, n_members, schema, n_classes, *, batch):
        n_nominal, n_numeric = len(schema.nominal), len(schema.numeric)
        order = np.zeros(len(schema.attributes), dtype=np.int64)
        order[list(schema.nominal)] = np.arange(n_nominal)
        order[list(schema.numeric)] = n_nominal + np.arange(n_numeric)
        first = np.concatenate([[0], np.cumsum(schema.value_counts + 1)]).astype(np.int64)
        settings = [
            self.criterion == "gini",
            _PREDICTIONS[self.leaf_prediction],
            self.bins,
            self.min_branch_fraction,
            self.max_nodes,
        ]
        nodes = np.zeros((n_members, 1, 3), dtype=np.int32)
        nodes[:, 0, 0], nodes[:, 0, 2] = LEAF, FRESH
        return HoeffdingMembers(
            nodes=nodes,
            node_statistics=np.zeros((n_members, 1, 4)),
            weights=np.zeros((n_members, 1, n_classes)),
            sizes=np.ones(n_members, dtype=np.int64),
            totals=np.zeros((n_members, n_classes)),
            cells=np.zeros((0, first[-1], n_classes)),
            seen=np.zeros((0, n_classes)),
            moments=np.zeros((0, n_classes, 6, n_numeric)),
            spread=np.zeros((0, 3, n_numeric)),
            spare=np.zeros(0, dtype=np.int64),
            stock=np.zeros(2, dtype=np.int64),
            first=first,
            order=order,
            settings=np.array(settings, dtype=np.float64),
            split_parameters=self._split_parameters(n_members),
            work=np.zeros((4, n_classes)),
            densities=np.zeros((2, n_numeric)),
        )

    def _split_parameters(self, n_members):
        """Return grace period, -ln(delta) and tau of each member, shape (n_members, 3)."""
        if not self.randomise:
            return np.tile([self.grace_period, -math.log(self.delta), self.tau], (n_members, 1))
        drawn = uniforms(self._drawing(n_members), 3).T
        low, high = np.array(DRAWN).T
        grace, log_delta, log_tau = (low + (high - low) * drawn).T
        return np.column_stack([grace, -log_delta, np.exp(log_tau)])

    def extend_schema(self, members, old, new, positions, n_classes):
        grown = self.init_members(len(members.totals), new, n_classes, batch=False)
        maps = [
            category_map(old.attributes[before].categories, new.attributes[after].categories).astype(np.int64)
            for before, after in zip(old.nominal, new.nominal, strict=True)
        ]
        return enlarged(members, grown._replace(split_parameters=members.split_parameters.copy()), maps, positions)

    def size_of(self, members, m):
        asked, first = members.nodes[m, :, 0], members.nodes[m, :, 1]
        branches = np.append(np.diff(members.first), np.full(members.moments.shape[3], 3))
        return size_of_tree(first, np.where(asked == LEAF, 0, branches[asked]), members.weights[m].any(axis=1))

    def ensure_capacity(self, members, table):
        return with_capacity(members, len(table))

    def rows(self, members, table, *, learning):
        return numbered_rows(table, members.first[:-1], members.first[1:] - 1, unseen=-1)


@reset.implement(HoeffdingMembers)
def _reset(members, m):
    nodes, spare, stock = members.nodes, members.spare, members.stock
    for node in range(members.sizes[m]):
        if nodes[m, node, 2] >= 0:
            spare[stock[0]] = nodes[m, node, 2]
            stock[0] += 1
    members.sizes[m] = 1
    members.totals[m] = 0.0
    members.weights[m, 0] = 0.0
    members.node_statistics[m, 0] = 0.0
    nodes[m, 0, 0], nodes[m, 0, 1], nodes[m, 0, 2] = LEAF, 0, FRESH


@learn_one.implement(HoeffdingMembers)
def _learn_one(members, m, rows, i, label, weight):
    node, _ = descend(members, m, rows, i)
    _visit(members, m, node, -1, False, rows, i, label, weight, members.work)


@predict_and_learn.implement(HoeffdingMembers)
def _predict_and_learn(members, m, rows, i, label, weight, after, work):
    predicted = -1
    visits = 2 if after and weight > 0.0 else 1
    for visit in range(visits):  # a loop, so that the compiler sees the code of a visit once
        node, parent = descend(members, m, rows, i)
        predicts = visit == visits - 1
        predicted = _visit(members, m, node, parent, predicts, rows, i, label, 0.0 if visit > 0 else weight, work)
    return predicted


@inner
def _visit(members, m, node, parent, predicts, rows, i, label, weight, work):
    """If `tells` return the class that the node where example i ends predicts, then learn the example unless its weight is
    0; the scores of naive Bayes are computed once for both."""
    nodes, totals = members.nodes, members.totals
    bayes = predicts and asks_bayes(members, m, node)
    s = nodes[m, node, 2]
    if weight > 0.0 and s == FRESH and nodes[m, node, 0] == LEAF:
        s = take_slot(members, m, node)
    compares = weight > 0.0 and s >= 0 and members.settings[PREDICTION] == ADAPTIVE and heaviest(members, m, node) > 0.0
    if bayes or compares:
        score_bayes(members, m, node, s, rows, i, work)
    predicted = -1
    if predicts:
        predicted = best_scored(work, totals, m) if bayes else _majority_near(members, m, node, parent)
    if weight > 0.0:
        totals[m, label] += weight
        if compares:
            _compare(members, m, node, label, weight, work)
        _count(members, m, node, s, rows, i, label, weight)
    return predicted


@inner
def _compare(members, m, node, label, weight, work):
    """Note which ways of predicting tell the class of an example of which work[0] holds the scores."""
    if majority_of(members, m, node) == label:
        members.node_statistics[m, node, RIGHT_MAJORITY] += weight
    if best_scored(work, members.totals, m) == label:
        members.node_statistics[m, node, RIGHT_BAYES] += weight


@inner
def _count(members, m, node, s, rows, i, label, weight):
    """Count example i at the node where it ends, and split that if it is time."""
    node_statistics, weights = members.node_statistics, members.weights
    weights[m, node, label] += weight
    if s < 0:
        return
    add_to_tables(members, s, rows, i, label, weight)
    since = node_statistics[m, node, SINCE] + weight
    node_statistics[m, node, SINCE] = since
    if since >= members.split_parameters[m, GRACE] and members.sizes[m] + 2 <= members.settings[MAX_NODES]:
        present = 0
        for c in range(weights.shape[2]):
            present += members.seen[s, c] > 0.0
        if present > 1:
            try_split(members, m, node)


@finalize.implement(HoeffdingMembers)
def _finalize(members, m):
    pass


@predict_one.implement(HoeffdingMembers)
def _predict_one(members, m, rows, i, work):
    node, parent = descend(members, m, rows, i)
    if asks_bayes(members, m, node):
        score_bayes(members, m, node, members.nodes[m, node, 2], rows, i, work)
        return best_scored(work, members.totals, m)
    return _majority_near(members, m, node, parent)


@inner
def _majority_near(members, m, node, parent):
    majority = majority_of(members, m, node)
    if majority < 0 and parent >= 0:
        majority = majority_of(members, m, parent)
    return majority


@predict_proba_one.implement(HoeffdingMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    node, parent = descend(members, m, rows, i)
    if asks_bayes(members, m, node):
        score_bayes(members, m, node, members.nodes[m, node, 2], rows, i, work)
    else:
        if parent >= 0 and majority_of(members, m, node) < 0:
            node = parent
        for c in range(out.shape[0]):
            work[0, c] = members.weights[m, node, c]
    total = 0.0
    for c in range(out.shape[0]):
        total += work[0, c]
    for c in range(out.shape[0]):
        out[c] = work[0, c] / total if total > 0.0 else 1.0 / out.shape[0]
