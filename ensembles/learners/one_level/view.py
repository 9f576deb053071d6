"""A question of one attribute as people read it: a tree of one level."""

import itertools

import numpy as np

from ensembles.data.table import Schema
from ensembles.learners.core.tree_view import LEAF, TreeNode, value_words
from ensembles.learners.one_level.members import Members
from ensembles.learners.one_level.split_search import BINARY, FIRST_BRANCH

__all__ = ["tree_of"]


def tree_of(members: Members, m: int, schema: Schema) -> TreeNode | None:
    """Return the question of member m, None if it has learned nothing."""
    totals = members.totals[m].copy()
    if not totals.any():
        return None
    attribute = int(members.chosen[m])
    label = int(totals.argmax())
    if attribute < 0:
        return TreeNode(LEAF, label, totals)
    words = _words(members, m, attribute, schema)
    weights = members.branches[m, : len(words)]
    branches = [
        (word, TreeNode(LEAF, _label(weights[b], totals), weights[b].copy()))
        for b, word in enumerate(words)
        if weights[b].any()
    ]
    return TreeNode(attribute, label, totals, [*branches[1:], branches[0]] if weights[0].any() else branches)


def _words(members: Members, m: int, attribute: int, schema: Schema) -> list[str]:
    """Return what leads to each branch, "missing" the first of them."""
    if members.numeric[attribute] == 0:
        *values, missing = value_words(schema, attribute)
        if members.rules[BINARY] == 1.0:
            asked = schema.attributes[attribute].categories[int(members.edges[m, 0])]
            values = [f"= {asked}", f"is not {asked}"]
        return [missing] * FIRST_BRANCH + values
    cuts = [f"{cut:g}" for cut in members.edges[m, : members.n_edges[m]]]
    if not cuts:
        return ["is missing"] * FIRST_BRANCH + ["is known"]
    between = [f"in [{low}, {high})" for low, high in itertools.pairwise(cuts)]
    return ["is missing"] * FIRST_BRANCH + [f"< {cuts[0]}", *between, f">= {cuts[-1]}"]


def _label(weights: np.ndarray, totals: np.ndarray) -> int:
    most = np.flatnonzero(weights == weights.max())
    return int(most[totals[most].argmax()])
