"""Decision tree that learns online and loses nothing: after any order of the same weighted examples it is the same tree.

The tree is a function of the weighted examples at each node, so nothing has to be kept up with transpositions as in ITI: an
example only marks the nodes on its path, and a question settles the nodes on its own. Where another test has become the
best, the subtree is folded into a leaf with its examples, and leaves split when a question reaches them.

`store` holds examples, `nodes` nodes; `choice` finds the best test by
`scores`, `pruning` says where to stop; here is the learner.

Thesis, section 2.3; Lee & Clyde (2004), section 4; Utgoff, Berkman & Clouse (1997).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import choice, flag, real
from ensembles.jit import inner, kernel
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.learner import CATEGORICAL
from ensembles.learners.core.protocol import Rows, finalize, learn_one, predict_one, predict_proba_one, reset
from ensembles.learners.core.rows import NO_SLOTS
from ensembles.learners.core.tree_size import TreeSize
from ensembles.learners.core.tree_view import TreeNode
from ensembles.learners.lossless_tree.capacity import carry_over, with_capacity
from ensembles.learners.lossless_tree.drift import note_change
from ensembles.learners.lossless_tree.nodes import (
    COLUMN,
    END,
    KEPT,
    LEFT,
    RAW,
    RIGHT,
    STATE,
    TABLE,
    count_nodes,
    forget_tree,
    goes_left,
    hang,
    label_of,
    replant,
    take_node,
)
from ensembles.learners.lossless_tree.pruning import find_end, settle_below
from ensembles.learners.lossless_tree.store import (
    PAIRS,
    PROBA,
    LosslessMembers,
    empty_members,
    find_pair,
    known_examples,
    rows_of,
)
from ensembles.learners.lossless_tree.view import tree_of

__all__ = ["DecisionTreeClassifier"]

_CRITERIA = ("ks", "gain_ratio", "info_gain")  # in the order of the constants of `choice`
_PROBA = ("frequency", "majority", "laplace", "m_laplace")
_MAJORITY, _LAPLACE, _M_LAPLACE = 1.0, 2.0, 3.0


class DecisionTreeClassifier(BaseModel):
    """Lossless incremental decision tree (ITI).

    Notes
    -----
    A missing nominal value is a value of its own, the last; a test of a missing numeric value is not true, nor is any test
    of a value never seen in training. Every cut of a numeric attribute competes by itself, without the guard of C4.5.
    Weights count examples, in `min_second_weight` and in pruning too; relative ones, see `fit`, are one on average first, so
    that their scale does not matter. Every distinct example is stored once, with its weight for each member.

    References
    ----------
    Utgoff, Berkman & Clouse (1997); Oza (2001), section 2.3; Lee & Clyde (2004), section 4.
    """

    key = "decision_tree"
    name = "Decision tree"
    position = 20
    family = "tree"
    summary = "Asks one question after another; learns online and ends with the very tree it would have grown in batch."
    source = "Utgoff, Berkman & Clouse (1997)"
    lossless = True
    stores_examples = True
    criterion: str = choice(
        default="info_gain",
        former_defaults=("ks",),
        label="Criterion",
        help="What makes a question good: how far apart it sets the classes, or what it tells about the class.",
        details="What makes a question good: how far apart it sets the classes, as in ITI and Oza (2001), or what it tells "
        "about the class, which does better with many classes.",
        choices=_CRITERIA,
        labels=("Kolmogorov-Smirnov distance, as in Oza 2001", "gain ratio", "information gain"),
    )
    prune: str = choice(
        default="mdl",
        label="Pruning",
        help="Stop where a leaf describes the classes in no more bits than the questions below.",
        details="Stop at nodes that describe the classes in no more bits than the subtree below; the subtree is kept.",
        choices=("mdl", "none"),
        labels=("least description length", "none"),
    )
    min_second_weight: float = real(
        default=0.0,
        label="Least weight of the second class",
        help="Below this weight of its second heaviest class a node asks nothing.",
        low=0.0,
        high=1e9,
    )
    split_on_zero: bool = flag(
        default=False,
        label="Ask in the dark",
        help="Ask the first question where none tells anything by itself, as in parity.",
    )
    leaf_proba: str = choice(
        default="frequency",
        label="Probabilities of a leaf",
        help="Shares of the classes in training, all for the majority, or shares after adding a little to each class.",
        choices=_PROBA,
        labels=("shares", "majority", "Laplace (1)", "one over the number of examples"),
    )
    categorical_features: Any = CATEGORICAL

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> LosslessMembers:
        settings = [
            _CRITERIA.index(self.criterion),
            self.prune == "mdl",
            self.min_second_weight,
            self.split_on_zero,
            _PROBA.index(self.leaf_proba),
        ]
        return empty_members(n_members, schema, n_classes, settings, tables=not batch)

    def extend_schema(
        self, members: LosslessMembers, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> LosslessMembers:
        """Move the examples; trees are grown anew, which gives the same ones."""
        batch = members.settings[-1] == 0.0
        grown = self.init_members(len(members.root), new, n_classes, batch=batch)
        grown = carry_over(members, grown, old, new, positions)
        replant(grown, int(grown.stock[PAIRS]))
        return grown

    def ensure_capacity(self, members: LosslessMembers, table: Table) -> LosslessMembers:
        return with_capacity(members, table)

    def _tree_of(self, members: LosslessMembers, m: int, schema: Schema) -> TreeNode | None:
        return tree_of(members, m, schema)

    def size_of(self, members: LosslessMembers, m: int) -> TreeSize:
        return count_nodes(members, m)

    def backfit_member(
        self,
        members: LosslessMembers,
        m: int,
        rows: Rows,
        labels: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> None:
        """Keep the tests of member m, which must not learn any more, and count these examples at its nodes.

        Bauer & Kohavi (1999), section 6. A node that none of them reaches keeps its counts.
        """
        _count_again(members, m, rows, labels, weights)

    def rows(self, members: LosslessMembers, table: Table, *, learning: bool) -> Rows:
        """Return the examples; when learning, `slots` has one column, their numbers in the store."""
        examples = known_examples(members, table)[:, None] if learning else NO_SLOTS
        return rows_of(members, table, examples)


@reset.implement(LosslessMembers)
def _reset(members, m):
    forget_tree(members, m)


@learn_one.implement(LosslessMembers)
def _learn_one(members, m, rows, i, label, weight):
    nodes, weights, tables, mass = members.nodes, members.weights, members.tables, members.mass
    p = find_pair(members.heads, members.pairs, members.stock, rows.slots[i, 0], label)
    fresh = mass[m, p] == 0.0
    mass[m, p] += weight
    if members.root[m] < 0:
        members.root[m] = take_node(nodes, members.node_statistics, weights, members.stock, -1)
    v = members.root[m]
    while nodes[v, COLUMN] >= 0:
        note_change(members, v, rows, i, label, weight)
        weights[v, label] += weight
        t = nodes[v, TABLE]
        if t > 0:
            for j in range(rows.codes.shape[1]):
                tables[t, rows.codes[i, j], label] += weight
        v = nodes[v, LEFT] if goes_left(members, v, rows, i) else nodes[v, RIGHT]
    weights[v, label] += weight
    if fresh:
        hang(nodes, members.links, m, v, p)
    for c in range(weights.shape[1]):
        if c != label and weights[v, c] > 0.0:
            nodes[v, STATE] = RAW


@kernel
def _count_again(members, m, rows, labels, weights):
    """Count the examples at the nodes of their paths."""
    nodes, counted = members.nodes, members.weights
    for adding in range(2):  # first to begin from nothing
        for i in range(labels.shape[0]):
            v = members.root[m]
            while v >= 0:
                if adding:
                    counted[v, labels[i]] += weights[i]
                else:
                    counted[v] = 0.0
                if nodes[v, COLUMN] < 0:
                    break
                v = nodes[v, LEFT] if goes_left(members, v, rows, i) else nodes[v, RIGHT]


@finalize.implement(LosslessMembers)
def _finalize(members, m):
    if members.root[m] >= 0:
        settle_below(members, m, members.root[m])


@predict_one.implement(LosslessMembers)
def _predict_one(members, m, rows, i, work):
    if members.root[m] < 0:
        return -1
    return label_of(members.nodes, members.weights, _end_of(members, m, rows, i))


@inner
def _end_of(members, m, rows, i):
    """Return the node where example i ends."""
    nodes = members.nodes
    v = members.root[m]
    while nodes[v, STATE] == KEPT:
        v = nodes[v, LEFT] if goes_left(members, v, rows, i) else nodes[v, RIGHT]
    return v if nodes[v, STATE] == END else find_end(members, m, rows, i)


@predict_proba_one.implement(LosslessMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if members.root[m] < 0:
        out[:] = 1.0 / out.shape[0]
        return
    weights = members.weights
    v = _end_of(members, m, rows, i)
    label, total, all_, how = label_of(members.nodes, weights, v), 0.0, 0.0, members.settings[PROBA]
    for c in range(out.shape[0]):
        total += weights[v, c]
        all_ += weights[members.root[m], c]
    added = 1.0 if how == _LAPLACE else 1.0 / all_ if how == _M_LAPLACE else 0.0
    for c in range(out.shape[0]):
        if how == _MAJORITY:
            out[c] = 1.0 if c == label else 0.0
        else:
            out[c] = (weights[v, c] + added) / (total + added * out.shape[0])
