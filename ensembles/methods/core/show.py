"""Examples shown to all members of an ensemble, which are asked about the same ones before, or about others meanwhile."""

from typing import NamedTuple

import numpy as np

from ensembles.exact import WEIGHT_STEP, quantise_one
from ensembles.jit import inner, kernel
from ensembles.learners.core.protocol import (
    Rows,
    add_probabilities,
    best_class,
    cached_prediction,
    learn_all,
    predict_and_learn_all,
    predict_one,
    prepare_example,
    vote_and_learn_all,
)

__all__ = [
    "Late",
    "Room",
    "add_votes",
    "most_voted_in_order",
    "most_voted_late",
    "predict_late_then_show",
    "predict_then_show",
    "show_rows",
]


class Late(NamedTuple):
    """Examples that are predicted while others are learned, whose labels came late."""

    rows: Rows
    until: np.ndarray  # (learned,) how many of them are predicted before each of the others is learned
    votes: np.ndarray  # (predicted, classes) to which the votes for them are added


class Room(NamedTuple):
    """Room for what members are shown an example with, and for what they say."""

    weights: np.ndarray  # (members,)
    ones: np.ndarray  # (members,) how much each counts
    predicted: np.ndarray  # (members,)


@inner
def _fill_weights(weight, multipliers, each):
    """Write what an example weighs for each member: 0, or at least the smallest weight there is."""
    for m in range(multipliers.shape[0]):
        each[m] = 0.0
        if multipliers[m] > 0:
            each[m] = max(quantise_one(multipliers[m] * weight), WEIGHT_STEP)


@kernel
def show_rows(members, block, multipliers, each):
    """Show the examples of a block to every member, their weights multiplied; multipliers: (examples, members)."""
    for j in range(multipliers.shape[0]):
        i = block.start + j
        _fill_weights(block.weights[i], multipliers[j], each)
        learn_all(members, block.rows, i, block.labels[i], each)


@kernel
def predict_then_show(members, block, multipliers, soft, room, work, votes):
    """As `show_rows`, each member after it has voted; work: five rows of classes."""
    rows, labels, each, ones, predicted = block.rows, block.labels, room.weights, room.ones, room.predicted
    for j in range(multipliers.shape[0]):
        i = block.start + j
        _fill_weights(block.weights[i], multipliers[j], each)
        prepare_example(members, rows, i)
        if soft:
            vote_and_learn_all(members, ones, rows, i, labels[i], each, work, votes[i])
        else:
            predict_and_learn_all(members, rows, i, labels[i], each, work, predicted)
            for m in range(each.shape[0]):
                if predicted[m] >= 0:
                    votes[i, predicted[m]] += 1.0


@kernel
def predict_late_then_show(members, block, multipliers, soft, asked, late, room, work):
    """As `show_rows`; before an example is learned, members vote for those that are predicted before, bound in `asked`."""
    for j in range(multipliers.shape[0]):
        i = block.start + j
        for k in range(late.until[i - 1] if i > 0 else 0, late.until[i]):
            if soft:
                add_probabilities(asked, room.ones, late.rows, k, work, late.votes[k])
            else:
                add_votes(asked, room.ones, late.rows, k, False, work, late.votes)
        _fill_weights(block.weights[i], multipliers[j], room.weights)
        learn_all(members, block.rows, i, block.labels[i], room.weights)


@inner
def add_votes(members, weights, rows, i, prepared, work, votes):
    """Add the weight of each member to the class it predicts for example i; `prepared`: what `prepare_example` said."""
    for m in range(weights.shape[0]):
        c = cached_prediction(members, m) if prepared else predict_one(members, m, rows, i, work)
        if c >= 0:
            votes[i, c] += weights[m]


@kernel
def most_voted_in_order(votes, labels, prior, chosen):
    """Write the class of most votes for each example; ties go to the class more frequent in those before it."""
    for i in range(labels.shape[0]):
        chosen[i] = best_class(votes[i], prior)
        prior[labels[i]] += 1.0


@kernel
def most_voted_late(votes, until, labels, prior, chosen):
    """As `most_voted_in_order`, of examples of which until[j] are predicted before example j is learned."""
    for j in range(labels.shape[0]):
        for k in range(until[j - 1] if j > 0 else 0, until[j]):
            chosen[k] = best_class(votes[k], prior)
        prior[labels[j]] += 1.0
