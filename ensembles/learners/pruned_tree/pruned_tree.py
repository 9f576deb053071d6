"""Decision tree grown in batch and pruned as in C4.5: the MC4 of Bauer and Kohavi.

`capacity` sorts the examples, `split_candidates` chooses what a node asks (`thresholds` where values are sorted, by the
`scores`), `growing` grows one tree and cuts it back by what `pruning` expects, `nodes` keeps the trees
of all members and leads examples through them; here is the learner.

Thesis, section 2.1.1 and figure 2.2; Bauer & Kohavi, section 2; Quinlan (1993).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import choice, flag, integer, real
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.learner import CATEGORICAL
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.rows import NO_SLOTS, writable
from ensembles.learners.core.tree_size import TreeSize, size_of_tree
from ensembles.learners.core.tree_view import TreeNode
from ensembles.learners.pruned_tree.capacity import MDL, PESSIMISTIC, UNPRUNED, Rules, allocate_growth, ranks_of
from ensembles.learners.pruned_tree.growing import grow
from ensembles.learners.pruned_tree.nodes import FIRST, N_FIELDS, WIDTH, TreeMembers, count_again
from ensembles.learners.pruned_tree.pruning import confidence_of
from ensembles.learners.pruned_tree.sharing import with_tree
from ensembles.learners.pruned_tree.view import tree_of

__all__ = ["PrunedTreeClassifier"]

_PRUNE = {"none": UNPRUNED, "pessimistic": PESSIMISTIC, "mdl": MDL}
_PROBA = ("majority", "frequency", "laplace", "m_laplace")  # in the order of the constants of `nodes`


class PrunedTreeClassifier(BaseModel):
    """Decision tree, pruned by what errors its leaves are expected to make; learns in batch.

    Notes
    -----
    Weights count examples, in `min_branch_weight` and in pruning too; relative ones, see `fit`, are one on average first, so
    that their scale does not matter. Missing values take a branch of their own. Of each attribute the test of greatest gain
    competes (by Kolmogorov and Smirnov the one of greatest distance, among cuts at changes of class). A numeric attribute
    without a cut that gains may ask whether its value is missing, without penalty. An example whose branch no training
    example took ends at the node itself. A description names one of all tests of a node: of nominal attributes those that
    part its examples differently, of numeric ones the cuts at changes of class, and whether the value is missing.

    References
    ----------
    Bauer & Kohavi (1999), section 2; Oza (2001), section 2.1.1, figure 2.2; Quinlan (1993), C4.5.
    """

    key = "pruned_tree"
    name = "Pruned decision tree"
    position = 40
    family = "tree"
    summary = "Asks one question after another, grown from all examples at once and pruned where questions do not pay."
    source = "Bauer & Kohavi (1999), section 2"
    learns_online = False
    criterion: str = choice(
        default="info_gain",
        former_defaults=("gain_ratio", "gain_ratio"),
        label="Criterion",
        help="What makes a question good: what it tells about the class, or that relative to what its branches tell apart.",
        details=(
            "By gain ratio only tests of at least average gain compete. By the distance of Kolmogorov and Smirnov"
            " a test is worth the sum over its branches of how far apart the shares of two groups of classes are "
            "that take it, at most 2."
        ),
        choices=("gain_ratio", "info_gain", "ks"),
        labels=("gain ratio", "information gain", "distance of Kolmogorov and Smirnov"),
    )
    min_branch_weight: float = real(
        default=1.0,
        former_defaults=(2.0, 2.0),
        label="Least weight of two branches",
        help="Two branches of a question hold at least so many examples.",
        low=0.0,
        high=1e9,
    )
    max_depth: int = integer(
        default=0,
        label="Questions on a path",
        help="How many questions an example is asked at most; 0 for any number.",
        details="Questions on a path at most; 0 for any number, 1 for the MC4(1) of Bauer and Kohavi.",
        low=0,
        high=1_000_000,
    )
    nominal_split: str = choice(
        default="binary",
        former_defaults=("multiway", "multiway"),
        label="Nominal questions",
        help="A branch for each value, or one value against all others.",
        choices=("multiway", "binary"),
        labels=("a branch a value", "one value or another"),
    )
    prune: str = choice(
        default="pessimistic",
        label="Pruning",
        help="Replace subtrees by leaves that are not expected to make more errors, or whose description is not longer.",
        choices=("pessimistic", "mdl", "none"),
        labels=("pessimistic, as C4.5", "minimum description length, as ITI", "none"),
    )
    z: float = real(
        default=0.6925,
        label="Pessimism",
        help="How many deviations above the training error the true error is expected; more prunes more.",
        details="Deviations up at which an error rate is expected, in [0, 3]; 0.6925 is the 25% of C4.5.",
        low=0.0,
        high=3.0,
    )
    pess_variant: str = choice(
        default="wilson",
        label="Leaves of less than one error",
        help="Expect of them what is expected of others, or what C4.5 does.",
        details=(
            "How leaves of less than one error are rated: by the same limit as others, or as in C4.5, whose table"
            " gives the confidence for `z`."
        ),
        choices=("wilson", "c45"),
        labels=("as others", "as C4.5"),
    )
    prune_slack: float = real(
        default=0.0,
        label="Pruning slack",
        help="Errors by which a leaf may be worse than its subtree and still replace it; C4.5 allows 0.1.",
        low=0.0,
        high=10.0,
    )
    leaf_proba: str = choice(
        default="frequency",
        label="Probabilities of a leaf",
        help="Shares of the classes in training, all for the majority, or shares after adding a little to each class.",
        choices=("frequency", "majority", "laplace", "m_laplace"),
        labels=("shares", "majority", "Laplace (1)", "one over the number of examples"),
    )
    numeric_mdl_penalty: bool = flag(
        default=False,
        label="Penalty for many cuts",
        help="Numeric attributes lose gain for the choice among their cuts, as in release 8 of C4.5.",
        details=(
            "Lower the gain of numeric tests by lg(cuts) / weight, as release 8 of C4.5; not by Kolmogorov and Smirnov."
        ),
    )
    categorical_features: Any = CATEGORICAL

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> TreeMembers:
        place = np.zeros(len(schema.attributes), dtype=np.int64)
        place[list(schema.nominal)] = np.arange(len(schema.nominal))
        place[list(schema.numeric)] = np.arange(len(schema.numeric))
        return TreeMembers(
            root=np.full(n_members, -1, dtype=np.int64),
            size=np.zeros(n_members, dtype=np.int64),
            nodes=np.zeros((0, N_FIELDS), dtype=np.int32),
            cut=np.zeros(0),
            weights=np.zeros((0, n_classes)),
            numeric=np.array([a.kind == "numeric" for a in schema.attributes], dtype=np.uint8),
            place=place,
            values=schema.value_counts.astype(np.int64),
            proba=np.array([_PROBA.index(self.leaf_proba)]),
        )

    def rows(self, members: TreeMembers, table: Table, *, learning: bool) -> Rows:
        slots = ranks_of(table.numbers) if learning else NO_SLOTS
        rows: Rows = writable(Rows(table.codes, table.numbers, slots))
        return rows

    def fit_member(
        self, members: TreeMembers, m: int, rows: Rows, labels: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
    ) -> TreeMembers:
        growth = allocate_growth(members, rows, labels, weights)
        rules = Rules(
            by_ratio=self.criterion == "gain_ratio",
            by_ks=self.criterion == "ks",
            least_weight=float(self.min_branch_weight),
            max_depth=int(self.max_depth),
            binary=self.nominal_split == "binary",
            penalty=bool(self.numeric_mdl_penalty),
            prune=_PRUNE[self.prune],
            z=float(self.z),
            confidence=confidence_of(self.z) if self.pess_variant == "c45" else 0.0,
            slack=float(self.prune_slack),
        )
        tree, size = growth.tree, grow(growth, rules, rows)
        return with_tree(members, m, nodes=tree.nodes[:size], cut=tree.cut[:size], weights=tree.weights[:size])

    def _tree_of(self, members: TreeMembers, m: int, schema: Schema) -> TreeNode | None:
        return tree_of(members, m, schema)

    def size_of(self, members: TreeMembers, m: int) -> TreeSize:
        nodes = members.nodes[members.root[m] :][: members.size[m]]
        return size_of_tree(nodes[:, FIRST], nodes[:, WIDTH])

    def backfit_member(
        self, members: TreeMembers, m: int, rows: Rows, labels: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
    ) -> None:
        """Keep the tests of member m and take the class weights of its leaves from these examples (Bauer & Kohavi, 6.2)."""
        count_again(members, m, rows, labels, weights)
