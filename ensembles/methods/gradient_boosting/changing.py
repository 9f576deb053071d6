"""How a regression tree learns an example and follows changes: errors are watched, and alternate trees take over.

Each node above the leaves watches its errors by a Page-Hinkley test. Where it sounds, an alternate tree begins to learn what
comes to the node, while nothing below the node grows; every 150 examples the one with the smaller faded error is kept, and
an alternate that has not won after 1,500 is dropped.

Ikonomovska, Gama & Džeroski (2011), section 4.3; MOA's FIMTDD.
"""

import math

from ensembles.jit import inner, part
from ensembles.methods.gradient_boosting.growing import child_of, give_back_slot, learn_leaf, new_leaf, value_at
from ensembles.methods.gradient_boosting.trees import (
    ALTERNATE,
    ATTRIBUTE,
    COMPARED,
    ERRORS,
    LAST,
    LEAF,
    LEFT,
    LOSS_NEW,
    LOSS_OLD,
    LOWEST,
    MAX_NODES,
    NONE,
    PARENT,
    RIGHT,
    THRESHOLD,
    WATCHES,
    WEIGHT,
)

__all__ = ["learn_target"]

_ALPHA = 0.005  # change of errors that is allowed for
_FADING = 0.995
_ROUNDING = 1e-12  # a smaller variance, beside the square of the mean, is none
_EVERY, _PATIENCE = 150, 1500  # examples from one comparison to the next, and before an alternate tree is dropped


@part
def learn_target(trees, t, rows, i, target, weight):
    """Show tree t the target of example i."""
    predicted = value_at(trees, t, trees.roots[t], rows, i)
    error = abs(target - predicted) / _deviation(trees, t)
    loss = (target - predicted) * (target - predicted)
    node, grows = trees.roots[t], True
    while trees.nodes[t, node, ATTRIBUTE] != LEAF:
        trees.values[t, node, WEIGHT] += weight
        trees.values[t, node, ERRORS] += weight * error
        watched, at = node, node
        if trees.nodes[t, node, ALTERNATE] != NONE:
            at = _compare(trees, t, node, rows, i, target, loss)
            if at != node:
                watched = NONE
            elif trees.nodes[t, node, ALTERNATE] != NONE:
                grows = False
                _learn_alternate(trees, t, trees.nodes[t, node, ALTERNATE], rows, i, target, weight, error)
        if watched != NONE and trees.nodes[t, node, WATCHES] == 1 and _sounds(trees, t, node, error):
            grows = not _begin_alternate(trees, t, node) and grows
        node = at
        if trees.nodes[t, node, ATTRIBUTE] != LEAF:
            node = child_of(trees, t, node, rows, i)
    learn_leaf(trees, t, node, rows, i, target, weight, error, grows)
    trees.targets[t, 0] += weight
    trees.targets[t, 1] += weight * target
    trees.targets[t, 2] += weight * target * target


@inner
def _deviation(trees, t):
    """Return the standard deviation of all targets so far; infinite if there is none, so that errors are 0 by it."""
    weight = trees.targets[t, 0]
    if weight <= 1.0:
        return math.inf
    mean = trees.targets[t, 1] / weight
    variance = trees.targets[t, 2] / weight - mean * mean
    return math.sqrt(variance) if variance > _ROUNDING * mean * mean else math.inf


@inner
def _sounds(trees, t, node, error):
    """Take an error into the Page-Hinkley test of a node; return whether it sounds."""
    values = trees.values
    values[t, node, LAST] += error - values[t, node, ERRORS] / values[t, node, WEIGHT] - _ALPHA
    values[t, node, LOWEST] = min(values[t, node, LOWEST], values[t, node, LAST])
    return values[t, node, LAST] - values[t, node, LOWEST] > trees.settings[THRESHOLD]


@inner
def _begin_alternate(trees, t, node):
    """Give a node an alternate tree instead of those below it; return whether there was room for one."""
    _drop_alternates(trees, t, node)
    full = trees.sizes[t, 0] - trees.sizes[t, 2] + 1 > trees.settings[MAX_NODES]
    _watch(trees, t, node, 1 if full else 0)
    if full:
        return False
    trees.nodes[t, node, ALTERNATE] = new_leaf(trees, t, NONE, 1)
    trees.values[t, node, LOSS_OLD], trees.values[t, node, LOSS_NEW] = 0.0, 0.0
    trees.values[t, node, COMPARED] = 0.0
    return True


@inner
def _compare(trees, t, node, rows, i, target, loss):
    """Compare a node with its alternate tree on example i; return the node that stays, itself or the alternate's root."""
    nodes, values, alternate = trees.nodes, trees.values, trees.nodes[t, node, ALTERNATE]
    gap = target - value_at(trees, t, alternate, rows, i)
    values[t, node, LOSS_OLD] = loss + _FADING * values[t, node, LOSS_OLD]
    values[t, node, LOSS_NEW] = gap * gap + _FADING * values[t, node, LOSS_NEW]
    values[t, node, COMPARED] += 1.0
    if values[t, node, COMPARED] % _EVERY != 0.0:
        return node
    if values[t, node, LOSS_OLD] > values[t, node, LOSS_NEW]:
        parent = nodes[t, node, PARENT]
        nodes[t, alternate, PARENT] = parent
        if parent == NONE:
            trees.roots[t] = alternate
        elif nodes[t, parent, LEFT] == node:
            nodes[t, parent, LEFT] = alternate
        else:
            nodes[t, parent, RIGHT] = alternate
        nodes[t, node, ALTERNATE] = NONE
        _free(trees, t, node)
        _watch(trees, t, alternate, 1)
        return alternate
    if values[t, node, COMPARED] >= _PATIENCE:
        nodes[t, node, ALTERNATE] = NONE
        _free(trees, t, alternate)
        _watch(trees, t, node, 1)
    return node


@inner
def _learn_alternate(trees, t, node, rows, i, target, weight, error):
    """Show an alternate tree the target of example i: it grows, and is not watched."""
    while trees.nodes[t, node, ATTRIBUTE] != LEAF:
        trees.values[t, node, WEIGHT] += weight
        trees.values[t, node, ERRORS] += weight * error
        node = child_of(trees, t, node, rows, i)
    learn_leaf(trees, t, node, rows, i, target, weight, error, True)


@inner
def _next_node(nodes, t, node, top):
    """Return the node after another one in the subtree of `top`, from the left; NONE after the last."""
    if nodes[t, node, ATTRIBUTE] != LEAF:
        return nodes[t, node, LEFT]
    while node != top:
        parent = nodes[t, node, PARENT]
        if nodes[t, parent, LEFT] == node:
            return nodes[t, parent, RIGHT]
        node = parent
    return NONE


@part
def _watch(trees, t, top, watches):
    """Watch the errors of all nodes of a subtree, from now on, or none of them."""
    node = top
    while node != NONE:
        trees.nodes[t, node, WATCHES] = watches
        if watches == 1:
            trees.values[t, node, LAST], trees.values[t, node, LOWEST] = 0.0, math.inf
        node = _next_node(trees.nodes, t, node, top)


@part
def _drop_alternates(trees, t, top):
    """Free the alternate trees of all nodes of a subtree."""
    node = top
    while node != NONE:
        alternate = trees.nodes[t, node, ALTERNATE]
        if alternate != NONE:
            trees.nodes[t, node, ALTERNATE] = NONE
            _free(trees, t, alternate)
        node = _next_node(trees.nodes, t, node, top)


@part
def _free(trees, t, top):
    """Give back all nodes of a subtree without alternate trees, and their tables."""
    nodes, waiting = trees.nodes, top
    nodes[t, top, PARENT] = NONE  # from here on it names the node that waits behind
    while waiting != NONE:
        node = waiting
        waiting = nodes[t, node, PARENT]
        if nodes[t, node, ATTRIBUTE] != LEAF:
            left, right = nodes[t, node, LEFT], nodes[t, node, RIGHT]
            nodes[t, right, PARENT], nodes[t, left, PARENT] = waiting, right
            waiting = left
        give_back_slot(trees, t, node)
        nodes[t, node, LEFT] = trees.sizes[t, 1]
        trees.sizes[t, 1] = node
        trees.sizes[t, 2] += 1
