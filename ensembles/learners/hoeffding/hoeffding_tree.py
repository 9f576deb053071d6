"""Hoeffding tree (VFDT): a leaf splits once so many examples have come that its best test is surely the best.

The tree of a member lies in arrays with room for `max_nodes`; the tables of leaves, which are the bulk, come from one pool
for all members. `ensure_capacity` makes room for the most that a call can use: an example adds at most one table and one
split to a member. Room is only reserved: memory that no leaf has written to is not taken from the machine.

Domingos & Hulten (2000); the weak learner of Jung, Goetz & Tewari (2017).
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.addresses import hidden
from ensembles.data.encoding import category_map
from ensembles.data.table import Schema, Table
from ensembles.declarations import choice, flag, integer, real
from ensembles.draws import entropy_of, uniforms
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.learner import CATEGORICAL, SEED
from ensembles.learners.core.protocol import (
    Rows,
    best_scored,
    finalize,
    foresee_hits,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    reset,
    vote_and_learn,
    vote_and_learn_all,
    votes_in_turn,
)
from ensembles.learners.core.rows import numbered_rows
from ensembles.learners.core.sure_splits import DELTA, GRACE_PERIOD, TAU
from ensembles.learners.core.tree_size import TreeSize, size_of_tree
from ensembles.learners.core.tree_view import TreeNode
from ensembles.learners.hoeffding.capacity import empty_members, enlarged, with_capacity
from ensembles.learners.hoeffding.densities import settle_all
from ensembles.learners.hoeffding.foreseeing import foresee_all
from ensembles.learners.hoeffding.leaf import ADAPTIVE, BAYES, asks_bayes, descend, score_bayes
from ensembles.learners.hoeffding.members import FRESH, LEAF, HoeffdingMembers
from ensembles.learners.hoeffding.next_leaf import fetch_leaf
from ensembles.learners.hoeffding.revisits import walk
from ensembles.learners.hoeffding.split import comes_back
from ensembles.learners.hoeffding.subspaces import DrawnAttributes, EveryAttribute, drawn_attributes, size_of_subset
from ensembles.learners.hoeffding.view import tree_of
from ensembles.learners.hoeffding.visits import (
    majority_near,
    predict_and_visit,
    visit,
    write_probabilities,
    write_shares,
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
    estimated for it. A leaf at which having no test is surely best stops counting attributes for ever; one whose
    attributes allow no test yet, constant or missing so far, goes on.

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
    rows_alike = long_blocks = True
    purpose = "randomised_trees"
    grace_period: float = replace(GRACE_PERIOD, former="grace")
    delta: float = DELTA
    tau: float = TAU
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
    max_features: str = choice(
        default="all",
        label="Attributes of a leaf",
        help="How many attributes a leaf counts and may ask for, drawn by each leaf.",
        details=(
            "How many of the d attributes a leaf counts, in its naive Bayes too, and may ask for; which ones, it draws when "
            "its first example comes. `sqrt`: the square root of d, rounded, and one more. `log2`: the whole part of "
            "log2(d), and one more. `share`: `feature_share` of them, rounded. At least one, at most d."
        ),
        choices=("all", "sqrt", "log2", "share"),
        labels=("all", "square root of their number, and one", "logarithm of their number, and one", "a share"),
    )
    feature_share: float = real(
        default=0.6,
        label="Share of attributes",
        help="The share that a leaf draws, where it draws a share.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    random_state: Any = SEED
    categorical_features: Any = CATEGORICAL

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> HoeffdingMembers:
        prediction = _PREDICTIONS[self.leaf_prediction]
        settings = [self.criterion == "gini", prediction, self.bins, self.min_branch_fraction, self.max_nodes]
        subspaces = self._subspaces(n_members, len(schema.attributes))
        return empty_members(
            schema, n_classes, settings, self._split_parameters(n_members), subspaces, self._weight_between_looks()
        )

    def _weight_between_looks(self) -> float | None:
        """Return after which weight a node comes back to its test; None: never."""
        return None

    def _subspaces(self, n_members: int, n_attributes: int) -> EveryAttribute | DrawnAttributes:
        if self.max_features == "all":
            return EveryAttribute()
        wanted = size_of_subset(self.max_features, self.feature_share, n_attributes)
        return drawn_attributes(wanted, entropy_of(self.random_state), n_members)

    def _split_parameters(self, n_members: int) -> npt.NDArray[np.float64]:
        """Return grace period, -ln(delta) and tau of each member, shape (n_members, 3)."""
        if not self.randomise:
            return np.tile([self.grace_period, -math.log(self.delta), self.tau], (n_members, 1))
        drawn = uniforms(self._drawing(n_members), 3).T
        low, high = np.array(DRAWN).T
        grace, log_delta, log_tau = (low + (high - low) * drawn).T
        return np.column_stack([grace, -log_delta, np.exp(log_tau)])

    def extend_schema(
        self, members: HoeffdingMembers, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> HoeffdingMembers:
        grown = self.init_members(len(members.totals), new, n_classes, batch=False)
        maps = [
            category_map(old.attributes[before].categories, new.attributes[after].categories).astype(np.int64)
            for before, after in zip(old.nominal, new.nominal, strict=True)
        ]
        return enlarged(members, grown._replace(split_parameters=members.split_parameters.copy()), maps, positions)

    def settle(self, members: HoeffdingMembers) -> None:
        settle_all(members)

    def _tree_of(self, members: HoeffdingMembers, m: int, schema: Schema) -> TreeNode | None:
        return tree_of(members, m, schema)

    def size_of(self, members: HoeffdingMembers, m: int) -> TreeSize:
        asked, first = members.nodes[m, :, 0], members.nodes[m, :, 1]
        branches = np.append(np.diff(members.first), np.full(members.moments.shape[3], 3))
        return size_of_tree(first, np.where(asked == LEAF, 0, branches[asked]), members.weights[m].any(axis=1))

    def ensure_capacity(self, members: HoeffdingMembers, table: Table) -> HoeffdingMembers:
        return with_capacity(members, len(table))

    def rows(self, members: HoeffdingMembers, table: Table, *, learning: bool) -> Rows:
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
    node, _ = walk(members.revisits, members, m, rows, i, label, weight)
    visit(members, m, (node, -1), False, rows, i, label, weight, members.totals[m, :0])


@predict_and_learn.implement(HoeffdingMembers)
def _predict_and_learn(members, m, rows, i, label, weight, after, work):
    return predict_and_visit(members, m, rows, (i, label, weight, after), members.totals[m, :0])


@vote_and_learn.implement(HoeffdingMembers)
def _vote_and_learn(members, m, rows, i, label, weight, after, work, out):
    changes = after and comes_back(members.revisits)  # the tree, on the way of the example
    if changes:
        predict_proba_one(members, m, rows, i, work, out)
    return predict_and_visit(members, m, rows, (i, label, weight, after), out[:0] if changes else out)


@vote_and_learn_all.implement(HoeffdingMembers)
def _vote_and_learn_all(members, counts, rows, i, label, weights, work, votes):
    told = work[4]
    for m in range(weights.shape[0]):
        fetch_leaf(members, m + 1, rows, i, label)
        vote_and_learn(members, hidden(m), rows, i, label, weights[m], False, work, told)
        for c in range(votes.shape[0]):
            votes[c] += counts[m] * told[c]


@votes_in_turn.implement(HoeffdingMembers)
def _votes_in_turn(members):
    return True  # on one way from the root to a leaf


@foresee_hits.implement(HoeffdingMembers)
def _foresee_hits(members, rows, i, label, hits, weights, work, votes):
    return foresee_all(members, rows, i, label, hits, weights, work, votes)


@finalize.implement(HoeffdingMembers)
def _finalize(members, m):
    pass


@predict_one.implement(HoeffdingMembers)
def _predict_one(members, m, rows, i, work):
    node, parent = descend(members, m, rows, i)
    if asks_bayes(members, m, node):
        score_bayes(members, m, node, members.nodes[m, node, 2], rows, i, False, work)
        return best_scored(work, members.totals, m)
    return majority_near(members, m, node, parent)


@predict_proba_one.implement(HoeffdingMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    node, parent = descend(members, m, rows, i)
    if asks_bayes(members, m, node):
        score_bayes(members, m, node, members.nodes[m, node, 2], rows, i, True, work)
        write_probabilities(work, out)
    else:
        write_shares(members, m, node, parent, out)
