"""How chains of regression trees learn and predict: kernels of streaming gradient boosting.

Gunasekara, Pfahringer, Gomes & Bifet (2024), algorithm 1.
"""

import math
from typing import NamedTuple

from ensembles.jit import inner, kernel
from ensembles.learners.core.protocol import best_class
from ensembles.methods.gradient_boosting.changing import learn_target
from ensembles.methods.gradient_boosting.growing import value_at
from ensembles.methods.gradient_boosting.trees import has_room

__all__ = ["FARTHEST", "Rules", "add_values", "boost_rows", "choose", "choose_in_order"]

FARTHEST = 30.0  #: scores beyond it are as sure as probabilities can tell


class Rules(NamedTuple):
    """What kernels are told: trees in a chain, and learning rate."""

    length: int
    rate: float


@kernel
def boost_rows(trees, block, rules, left_out, scores):
    """Show the examples of a block to all chains; return how far it came before there was no room for more.

    left_out: (examples of the block, chains); scores: room for what the chains say before they learn, unless it has no rows.
    """
    rows, labels, weights = block.rows, block.labels, block.weights
    n_chains = left_out.shape[1]
    for i in range(block.start, block.stop):
        if not has_room(trees):
            return i
        for c in range(n_chains):
            if scores.shape[0] > 0:
                for m in range(c * rules.length, (c + 1) * rules.length):
                    scores[i, c] += rules.rate * value_at(trees, m, trees.roots[m], rows, i)
            if not left_out[i - block.start, c]:
                own = labels[i] == 1 if n_chains == 1 else labels[i] == c
                _boost(trees, c, rows, i, own, weights[i], rules)
    return block.stop


@inner
def _boost(trees, chain, rows, i, own, weight, rules):
    """Show example i to the trees of a chain; `own`: whether it is of the chain's class."""
    score = 0.0
    for m in range(chain * rules.length, (chain + 1) * rules.length):
        near = min(max(score, -FARTHEST), FARTHEST)
        target = 1.0 + math.exp(-near) if own else -1.0 - math.exp(near)
        learn_target(trees, m, rows, i, target, weight)
        score += rules.rate * value_at(trees, m, trees.roots[m], rows, i)


@kernel
def add_values(trees, m, rows, rate, chain, scores):
    """Add what tree m says of all examples to the scores of a chain."""
    for i in range(scores.shape[0]):
        scores[i, chain] += rate * value_at(trees, m, trees.roots[m], rows, i)


@kernel
def choose(probabilities, prior, chosen):
    for i in range(chosen.shape[0]):
        chosen[i] = best_class(probabilities[i], prior)


@kernel
def choose_in_order(probabilities, labels, prior, chosen):
    """Write the most probable class of each example; ties go to the class more frequent in those before it."""
    for i in range(labels.shape[0]):
        chosen[i] = best_class(probabilities[i], prior)
        prior[labels[i]] += 1.0
