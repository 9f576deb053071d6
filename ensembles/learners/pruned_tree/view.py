"""A pruned tree as people read it."""

import math

from ensembles.data.table import Schema
from ensembles.learners.core.tree_view import LEAF as NO_TEST
from ensembles.learners.core.tree_view import TreeNode, value_words
from ensembles.learners.pruned_tree.nodes import (
    BRANCH,
    COLUMN,
    FIRST,
    KIND,
    LABEL,
    LEAF,
    THRESHOLD,
    VALUES,
    WIDTH,
    TreeMembers,
)

__all__ = ["tree_of"]


def tree_of(members: TreeMembers, m: int, schema: Schema) -> TreeNode | None:
    """Return the tree of member m, None if it has learned nothing."""
    root = int(members.root[m])
    return None if root < 0 else _node(members, root, 0, schema)


def _node(members: TreeMembers, root: int, number: int, schema: Schema) -> TreeNode:
    v = root + number
    node, weights = members.nodes[v], members.weights[v].copy()
    if node[KIND] == LEAF:
        return TreeNode(NO_TEST, int(node[LABEL]), weights)
    positions = schema.numeric if node[KIND] == THRESHOLD else schema.nominal
    attribute, cut = positions[node[COLUMN]], members.cut[v]
    if node[KIND] == THRESHOLD:
        words = [f"< {cut:g}", "is known" if math.isnan(cut) else f">= {cut:g}", "is missing"]
    elif node[KIND] == VALUES:
        words = value_words(schema, attribute)
    else:
        value = schema.attributes[attribute].categories[int(cut)]
        words = [f"= {value}", f"is not {value}", "is missing"]
    children = range(int(node[FIRST]), int(node[FIRST] + node[WIDTH]))
    branches = [(words[members.nodes[root + c, BRANCH]], _node(members, root, c, schema)) for c in children]
    return TreeNode(attribute, int(node[LABEL]), weights, branches)
