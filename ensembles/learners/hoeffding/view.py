"""A Hoeffding tree as people read it: its leaves are told by their majority, whatever else they predict by."""

import numpy as np

from ensembles.data.table import Schema
from ensembles.learners.core.tree_view import LEAF as NO_TEST
from ensembles.learners.core.tree_view import TreeNode, value_words
from ensembles.learners.hoeffding.members import CUT, LEAF, HoeffdingMembers

__all__ = ["tree_of"]


def tree_of(members: HoeffdingMembers, m: int, schema: Schema) -> TreeNode | None:
    """Return the tree of member m, None if it has learned nothing."""
    return _node(members, m, 0, schema) if members.totals[m].any() else None


def _node(members: HoeffdingMembers, m: int, node: int, schema: Schema) -> TreeNode:
    weights = members.weights[m, node].copy()
    most = np.flatnonzero(weights == weights.max())
    label = int(most[members.totals[m, most].argmax()])
    test, first, _ = members.nodes[m, node]
    if test == LEAF:
        return TreeNode(NO_TEST, label, weights)
    n_nominal = len(schema.nominal)
    if test < n_nominal:
        attribute = schema.nominal[test]
        words = value_words(schema, attribute)
    else:
        attribute, cut = schema.numeric[test - n_nominal], members.node_statistics[m, node, CUT]
        words = [f"<= {cut:g}", f"> {cut:g}", "is missing"]
    taken = [b for b in range(len(words)) if members.weights[m, first + b].any()]
    branches = [(words[b], _node(members, m, int(first) + b, schema)) for b in taken]
    return TreeNode(attribute, label, weights, branches)
