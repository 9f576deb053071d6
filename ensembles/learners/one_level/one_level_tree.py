"""Members that ask one question about one attribute: the decision stump and the one rule. Lossless online.

A question has branches: one for missing values; then one a nominal value, or the value asked for and all others, or the
intervals between the *edges* on a numeric attribute. An example ends with the class weights of its branch, or of all
examples where no training example took the branch. `split_search` chooses the question.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.jit import inner, kernel
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.class_weights import copy_weights, has_weight, write_shares
from ensembles.learners.core.discretise import allocate_cuts, interval_of
from ensembles.learners.core.protocol import (
    Rows,
    best_class,
    finalize,
    learn_one,
    predict_one,
    predict_proba_one,
    reset,
)
from ensembles.learners.core.tree_size import TreeSize
from ensembles.learners.core.tree_view import TreeNode
from ensembles.learners.core.value_tables import (
    add_values,
    carry_tables,
    clear_tables,
    count_example,
    table_of,
    table_rows,
    tables_for,
)
from ensembles.learners.one_level.incremental_split_search import choose_incrementally
from ensembles.learners.one_level.members import IncrementalMembers, Members, OneLevelMembers
from ensembles.learners.one_level.split_search import (
    BINARY,
    CRITERIA,
    CRITERION,
    FIRST_BRANCH,
    INTERVALS,
    LEAST_WEIGHT,
    N_RULES,
    N_SIDES,
    N_TEST_FIELDS,
    NOT_CHOSEN,
    choose_test,
)
from ensembles.learners.one_level.view import tree_of

__all__ = ["OneLevelTree"]


class OneLevelTree(BaseModel):
    """A base model of one question. Subclasses declare the parameters, among them `criterion` and `max_values`."""

    family = "tree"
    lossless = True
    intervals = False  #: a numeric attribute has as many intervals as pay, and not two
    binary = False  #: a nominal attribute is asked for one value
    least_weight = 0.0  #: what two branches hold at least

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> Members:
        n_tables, n_attributes = 1 if batch else n_members, len(schema.attributes)
        widest = int(max(schema.value_counts, default=0))
        rules = np.zeros(N_RULES)
        rules[CRITERION], rules[LEAST_WEIGHT] = CRITERIA.index(self.criterion), self.least_weight
        rules[BINARY], rules[INTERVALS] = self.binary or self.criterion == "ks", self.intervals
        shared = {
            **tables_for(schema, n_classes, n_tables, n_tables),
            "totals": np.zeros((n_members, n_classes)),
            "chosen": np.full(n_members, NOT_CHOSEN, dtype=np.int64),
            "edges": np.zeros((n_members, 1)),
            "n_edges": np.zeros(n_members, dtype=np.int64),
            "branches": np.zeros((n_members, max(widest, 2) + FIRST_BRANCH, n_classes)),
            "stale": np.ones(n_members, dtype=np.uint8),
            "rules": rules,
            "sides": np.zeros((N_SIDES, n_classes)),
        }
        if self.criterion in ("info_gain", "gini") and not (self.intervals or self.least_weight):
            return IncrementalMembers(**shared, bound=np.zeros((n_tables, n_attributes)), rival=np.zeros(n_members))
        return OneLevelMembers(**shared, tests=np.zeros((n_attributes, N_TEST_FIELDS)), **allocate_cuts(0, n_classes))

    def extend_schema(
        self, members: Members, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> Members:
        """Move the counts; questions are chosen anew, which gives the same ones."""
        grown = self.init_members(len(members.totals), new, n_classes, batch=len(members.cells) < len(members.totals))
        widened: Members = self._with_capacity(carry_tables(members, grown, old, new, positions))
        return widened

    def ensure_capacity(self, members: Members, table: Table) -> Members:
        widened: Members = self._with_capacity(add_values(members, table.numbers, self.max_values))
        return widened

    def _with_capacity(self, members: Any) -> Any:
        """Return the members with room for as many intervals as there are values."""
        most = members.order.shape[1]
        if not self.intervals or most < len(members.ascending) + 1:
            return members
        n_members, width, n_classes = members.branches.shape
        edges = np.zeros((n_members, max(most, 1)))
        edges[:, : members.edges.shape[1]] = members.edges
        branches = np.zeros((n_members, max(width, most + FIRST_BRANCH), n_classes))
        branches[:, :width] = members.branches
        return members._replace(edges=edges, branches=branches, **allocate_cuts(most, n_classes))

    def rows(self, members: Members, table: Table, *, learning: bool) -> Rows:
        return table_rows(members, table, learning=learning)

    def backfit_member(
        self, members: Members, m: int, rows: Rows, labels: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
    ) -> None:
        """Keep the question of member m and count its branches by these examples."""
        members.totals[m] = np.bincount(labels, weights, minlength=members.totals.shape[1])
        members.branches[m] = 0.0
        _count_branches(members, m, rows, labels, weights)

    def _tree_of(self, members: Members, m: int, schema: Schema) -> TreeNode | None:
        return tree_of(members, m, schema)

    def size_of(self, members: Members, m: int) -> TreeSize:
        """Return the size of the question as a tree: a leaf for each branch that training examples took."""
        a = members.chosen[m]
        if a < 0:
            trained = int(members.totals[m].any())
            return TreeSize(trained, trained, 0)
        n_sides = members.n_edges[m] + 1
        if members.numeric[a] == 0:
            j = members.place[a]
            n_sides = 2 if members.rules[BINARY] == 1.0 else members.first[j + 1] - members.first[j]
        leaves = int(members.branches[m, : FIRST_BRANCH + n_sides].any(axis=1).sum())
        return TreeSize(1 + leaves, leaves, 1)


@reset.implement(OneLevelMembers)
def _reset(members, m):
    clear_tables(members, m)
    members.chosen[m] = NOT_CHOSEN
    members.stale[m] = 1


@reset.implement(IncrementalMembers)
def _reset_incremental(members, m):
    clear_tables(members, m)
    members.bound[table_of(members.bound, m)] = 0.0
    members.chosen[m] = NOT_CHOSEN
    members.stale[m] = 1


@learn_one.implement(OneLevelMembers)
def _learn_one(members, m, rows, i, label, weight):
    count_example(members, m, rows, i, label, weight)
    members.stale[m] = 1


@learn_one.implement(IncrementalMembers)
def _learn_one_incremental(members, m, rows, i, label, weight):
    if members.chosen[m] >= 0:
        _count_in_branch(members, m, rows, i, label, weight)
    count_example(members, m, rows, i, label, weight)
    members.stale[m] = 1


@inner
def _count_in_branch(members, m, rows, i, label, weight):
    """Keep the branches of the present question up to date; a value new to this member moves the cuts."""
    a = members.chosen[m]
    j, branch = members.place[a], 0
    if members.numeric[a] == 0:
        v = rows.codes[i, j]
        if v >= 0:
            branch = _branch_of_value(members, m, v - members.first[j])
    else:
        s = rows.slots[i, j]
        if s >= 0:
            t = table_of(members.slots, m)
            branch = FIRST_BRANCH + interval_of(members.edges[m], 0, 1, members.values[s])
            if not has_weight(members.slots[t, s]):
                members.bound[t, a] = 0.0
                members.rival[m] = 0.0
    members.branches[m, branch, label] += weight


@finalize.implement(OneLevelMembers)
def _finalize(members, m):
    if members.stale[m] == 1 and has_weight(members.totals[m]):
        choose_test(members, m)
        members.stale[m] = 0


@finalize.implement(IncrementalMembers)
def _finalize_incremental(members, m):
    if members.stale[m] == 1:
        choose_incrementally(members, m)
        members.stale[m] = 0


@predict_one.implement(IncrementalMembers)
@predict_one.implement(OneLevelMembers)
def _predict_one(members, m, rows, i, work):
    if not _weigh(members, m, rows, i, work):
        return -1
    return best_class(work[0], members.totals[m])


@predict_proba_one.implement(IncrementalMembers)
@predict_proba_one.implement(OneLevelMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if _weigh(members, m, rows, i, work):
        write_shares(work[0], out)
    else:
        out[:] = 1.0 / out.shape[0]


@inner
def _weigh(members, m, rows, i, work):
    """Write into work[0] the class weights where example i ends; False if nothing was learned."""
    finalize(members, m)
    branch = _branch(members, m, rows, i)
    if branch >= 0 and has_weight(members.branches[m, branch]):
        copy_weights(members.branches[m, branch], work[0])
        return True
    copy_weights(members.totals[m], work[0])
    return has_weight(work[0])


@inner
def _branch(members, m, rows, i):
    """Return the branch that example i takes, -1 if it takes none: no question, or a value never seen in training."""
    a = members.chosen[m]
    if a < 0:
        return -1
    j = members.place[a]
    if members.numeric[a] == 1:
        x = rows.numbers[i, j]
        if math.isnan(x):
            return 0
        return FIRST_BRANCH + interval_of(members.edges[m], 0, members.n_edges[m], x)
    v = rows.codes[i, j]
    if v == -1:
        return 0
    if v < 0 and members.rules[BINARY] == 0.0:
        return -1
    return _branch_of_value(members, m, v - members.first[j])


@inner
def _branch_of_value(members, m, value):
    """Return the branch of a value that is not missing; `value`: its number within the attribute."""
    if members.rules[BINARY] == 1.0:
        return FIRST_BRANCH if value == members.edges[m, 0] else FIRST_BRANCH + 1
    return FIRST_BRANCH + value


@kernel
def _count_branches(members, m, rows, labels, weights):
    for i in range(labels.shape[0]):
        branch = _branch(members, m, rows, i)
        if branch >= 0:
            members.branches[m, branch, labels[i]] += weights[i]
