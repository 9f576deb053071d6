"""Decision tree grown in batch and pruned as in C4.5: the MC4 of Bauer and Kohavi.

`capacity` sorts the examples, `split_candidates` chooses what a node asks (`thresholds` where values are sorted, by the
`scores`), `growing` grows one tree and cuts it back by what `pruning` expects, `nodes` keeps the trees
of all members and leads examples through them; here is the learner.

Thesis, section 2.1.1 and figure 2.2; Bauer & Kohavi, section 2; Quinlan (1993).
"""

import numpy as np

from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.rows import NO_SLOTS, writable
from ensembles.learners.core.tree_size import size_of_tree
from ensembles.learners.pruned_tree.capacity import MDL, PESSIMISTIC, UNPRUNED, Rules, ranks_of, room_for_growth
from ensembles.learners.pruned_tree.growing import grow
from ensembles.learners.pruned_tree.nodes import FIRST, N_FIELDS, WIDTH, TreeMembers, count_again
from ensembles.learners.pruned_tree.pruning import confidence_of
from ensembles.parameters import Choice, Flag, Integer, Real

__all__ = ["PrunedTreeClassifier"]

_PRUNE = {"none": UNPRUNED, "pessimistic": PESSIMISTIC, "mdl": MDL}
_PROBA = ("majority", "frequency", "laplace", "m_laplace")  # in the order of the constants of `nodes`


class PrunedTreeClassifier(BaseModel):
    """Decision tree with gain ratio and pessimistic pruning; learns in batch.

    Parameters
    ----------
    criterion : {"gain_ratio", "info_gain", "ks"}
        By gain ratio only tests of at least average gain compete. By the distance of Kolmogorov and Smirnov a test is worth
        the sum over its branches of how far apart the shares of two groups of classes are that take it, at most 2.
    min_branch_weight : float
        Two branches of a test hold examples of at least this weight, in [0, 1e9].
    max_depth : int
        Questions on a path at most; 0 for any number, 1 for the MC4(1) of Bauer and Kohavi.
    nominal_split : {"multiway", "binary"}
        Ask for the value, or whether it is one particular value.
    prune : {"pessimistic", "mdl", "none"}
        Replace subtrees by leaves that are not expected to make more errors, or whose description is not longer.
    z : float
        Deviations up at which an error rate is expected, in [0, 3]; 0.6925 is the 25% of C4.5.
    pess_variant : {"wilson", "c45"}
        How leaves of less than one error are rated: by the same limit as others, or as in C4.5, whose table gives the
        confidence for `z`.
    prune_slack : float
        Errors by which a leaf may be worse and still replace its subtree, in [0, 10]; C4.5 allows 0.1.
    leaf_proba : {"frequency", "majority", "laplace", "m_laplace"}
        Shares of the classes, 1 for the majority, or shares after adding 1 or one over the number of examples to each.
    numeric_mdl_penalty : bool
        Lower the gain of numeric tests by lg(cuts) / weight, as release 8 of C4.5; not by Kolmogorov and Smirnov.
    categorical_features : sequence of names or positions, optional
        Attributes to treat as nominal besides categorical, text and truth columns.

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
    family = "tree"
    summary = "Asks one question after another, grown from all examples at once and pruned where questions do not pay."
    source = "Bauer & Kohavi (1999), section 2"
    learns_online = False
    parameters = (
        Choice(
            "criterion",
            "gain_ratio",
            "Criterion",
            "What makes a question good: what it tells about the class, or that relative to what its branches tell apart.",
            choices=("gain_ratio", "info_gain", "ks"),
            labels=("gain ratio", "information gain", "distance of Kolmogorov and Smirnov"),
        ),
        Real(
            "min_branch_weight",
            2.0,
            "Least weight of two branches",
            "Two branches of a question hold at least so many examples.",
            low=0.0,
            high=1e9,
        ),
        Integer(
            "max_depth",
            0,
            "Questions on a path",
            "How many questions an example is asked at most; 0 for any number.",
            low=0,
            high=1_000_000,
        ),
        Choice(
            "nominal_split",
            "multiway",
            "Nominal questions",
            "A branch for each value, or one value against all others.",
            choices=("multiway", "binary"),
            labels=("a branch a value", "one value or another"),
        ),
        Choice(
            "prune",
            "pessimistic",
            "Pruning",
            "Replace subtrees by leaves that are not expected to make more errors, or whose description is not longer.",
            choices=("pessimistic", "mdl", "none"),
            labels=("pessimistic, as C4.5", "minimum description length, as ITI", "none"),
        ),
        Real(
            "z",
            0.6925,
            "Pessimism",
            "How many deviations above the training error the true error is expected; more prunes more.",
            low=0.0,
            high=3.0,
        ),
        Choice(
            "pess_variant",
            "wilson",
            "Leaves of less than one error",
            "Expect of them what is expected of others, or what C4.5 does.",
            choices=("wilson", "c45"),
            labels=("as others", "as C4.5"),
        ),
        Real(
            "prune_slack",
            0.0,
            "Pruning slack",
            "Errors by which a leaf may be worse than its subtree and still replace it; C4.5 allows 0.1.",
            low=0.0,
            high=10.0,
        ),
        Choice(
            "leaf_proba",
            "frequency",
            "Probabilities of a leaf",
            "Shares of the classes in training, all for the majority, or shares after adding a little to each class.",
            choices=("frequency", "majority", "laplace", "m_laplace"),
            labels=("shares", "majority", "Laplace (1)", "one over the number of examples"),
        ),
        Flag(
            "numeric_mdl_penalty",
            False,
            "Penalty for many cuts",
            "Numeric attributes lose gain for the choice among their cuts, as in release 8 of C4.5.",
        ),
    )

    def __init__(
        self,
        criterion="gain_ratio",
        min_branch_weight=2.0,
        max_depth=0,
        nominal_split="multiway",
        prune="pessimistic",
        z=0.6925,
        pess_variant="wilson",
        prune_slack=0.0,
        leaf_proba="frequency",
        numeric_mdl_penalty=False,
        categorical_features=None,
    ):
        self.criterion = criterion
        self.min_branch_weight = min_branch_weight
        self.max_depth = max_depth
        self.nominal_split = nominal_split
        self.prune = prune
        self.z = z
        self.pess_variant = pess_variant
        self.prune_slack = prune_slack
        self.leaf_proba = leaf_proba
        self.numeric_mdl_penalty = numeric_mdl_penalty
        self.categorical_features = categorical_features

    def allocate(self, n_members, schema, n_classes, *, batch):
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

    def rows(self, members, table, *, learning):
        slots = ranks_of(table.numbers) if learning else NO_SLOTS
        return writable(Rows(table.codes, table.numbers, slots))

    def fit_member(self, members, m, rows, labels, weights):
        growth = room_for_growth(members, rows, labels, weights)
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
        return _with_tree(members, m, growth.tree, grow(growth, rules, rows))

    def size_of(self, members, m):
        nodes = members.nodes[members.root[m] :][: members.size[m]]
        return size_of_tree(nodes[:, FIRST], nodes[:, WIDTH])

    def backfit_member(self, members, m, rows, labels, weights):
        """Keep the tests of member m and take the class weights of its leaves from these examples (Bauer & Kohavi, 6.2)."""
        count_again(members, m, rows, labels, weights)


def _with_tree(members, m, tree, size):
    """Put the first `size` nodes of `tree` behind the trees that are there, in arrays twice as long when full."""
    start = int((members.root + members.size).max(initial=0))
    if start + size > len(members.cut):
        more = max(start + size - len(members.cut), start if len(members.root) > 1 else 0)
        members = members._replace(
            nodes=np.concatenate([members.nodes, np.zeros((more, N_FIELDS), dtype=np.int32)]),
            cut=np.concatenate([members.cut, np.zeros(more)]),
            weights=np.concatenate([members.weights, np.zeros((more, members.weights.shape[1]))]),
        )
    place = slice(start, start + size)
    members.nodes[place], members.cut[place] = tree.nodes[:size], tree.cut[:size]
    members.weights[place] = tree.weights[:size]
    members.root[m], members.size[m] = start, size
    return members
