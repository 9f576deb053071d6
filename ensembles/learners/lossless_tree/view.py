"""A lossless tree as people read it: what is pruned is a leaf."""

from ensembles.data.table import Schema
from ensembles.learners.core.tree_view import LEAF, TreeNode
from ensembles.learners.lossless_tree.nodes import COLUMN, CUT, END, LEFT, RIGHT, STATE, VALUE, label_of
from ensembles.learners.lossless_tree.store import LosslessMembers

__all__ = ["tree_of"]


def tree_of(members: LosslessMembers, m: int, schema: Schema) -> TreeNode | None:
    """Return the tree of member m, None if it has learned nothing."""
    root = int(members.root[m])
    return None if root < 0 else _node(members, root, schema)


def _node(members: LosslessMembers, v: int, schema: Schema) -> TreeNode:
    node, weights = members.nodes[v], members.weights[v].copy()
    label = int(label_of(members.nodes, members.weights, v))
    if node[STATE] == END:
        return TreeNode(LEAF, label, weights)
    column, n_nominal = int(node[COLUMN]), len(schema.nominal)
    if column < n_nominal:
        attribute = schema.nominal[column]
        # values are numbered through all attributes, with one more for "missing" in each
        value = int(node[VALUE]) - int(members.first[column])
        categories = schema.attributes[attribute].categories
        words = ["is missing", "is known"]
        if value < len(categories):
            words = [f"= {categories[value]}", f"is not {categories[value]}"]
    else:
        attribute, cut = schema.numeric[column - n_nominal], members.node_statistics[v, CUT]
        words = [f"< {cut:g}", f">= {cut:g} or missing"]
    below = [_node(members, int(node[side]), schema) for side in (LEFT, RIGHT)]
    return TreeNode(attribute, label, weights, list(zip(words, below, strict=True)))
