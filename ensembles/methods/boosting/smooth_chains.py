"""The chains of OSBoost: what passes examples from member to member, and counts votes.

Chen, Lin & Lu (2012), section 4.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.exact import quantise_one
from ensembles.jit import inner, kernel, part
from ensembles.learners.core.protocol import learn_one, predict_and_learn, predict_proba_one, prepare_example
from ensembles.methods.core.one_vs_rest import ask, side_of

__all__ = ["COMBINATIONS", "Chains", "Rules", "Workspace", "boost_rows", "project_votes", "score_rows"]

#: Ways to count the votes of a chain, and what kernels call them.
COMBINATIONS = {"equal": 0, "prefixes": 1, "learned": 2}
_PREFIXES, _LEARNED = 1, 2


class Chains(NamedTuple):
    """What chains of members have learned.

    expert_scores : of "prefixes" the weight of the examples that experts got wrong; of "learned" the votes
    """

    wrong: np.ndarray  # (chains, members) weight of examples that members got wrong
    expert_scores: np.ndarray  # (chains, members)
    seen: np.ndarray  # (1,) examples


class Rules(NamedTuple):
    """The edge; if members vote by probabilities; how votes are combined, by its number; if members know all classes."""

    gamma: float
    real: bool
    combination: int
    together: bool = False


class Workspace(NamedTuple):
    """Room to work in."""

    scores: np.ndarray  # (5, classes that members know)
    votes: np.ndarray  # (members of a chain,) as +1 right or -1 wrong


@kernel
def boost_rows(members, chains, block, rules, kept, workspace):
    """Pass the examples of a block through all chains.

    kept : room for their weights, or no rows; for the scores of chains before they learn, (examples, chains), or no rows;
        of classes instead, if members know them all
    """
    rows, labels, weights, votes, scores = block.rows, block.labels, block.weights, workspace.votes, kept.votes
    wrong, expert_scores, combination = chains.wrong, chains.expert_scores, rules.combination
    theta, decay = rules.gamma / (2.0 + rules.gamma), 0.5 * math.log(1.0 - rules.gamma)
    for i in range(block.start, block.stop):
        chains.seen[0] += 1
        prepare_example(members, rows, i)
        for chain in range(wrong.shape[0]):
            side, lead, weight, total = side_of(labels[i], chain, wrong.shape[0]), 0.0, 1.0, 0.0
            for j in range(wrong.shape[1]):
                m = chain * wrong.shape[1] + j
                if kept.weights.shape[0] > 0:
                    kept.weights[i, m] = weight * weights[i]
                share = quantise_one(weight * weights[i])
                counts = expert_scores[chain, j] if combination == _LEARNED else 1.0
                vote = _ask_and_teach(members, m, (block, i, side, share), rules, workspace, (scores, chain, counts))
                votes[j] = vote
                lead += vote - theta
                total += vote
                if vote <= 0.0:
                    wrong[chain, j] += weights[i]
                if combination == _PREFIXES and total <= 0.0:
                    expert_scores[chain, j] += weights[i]
                weight = 1.0 if lead <= 0.0 else math.exp(decay * lead)
            if combination == _LEARNED:
                _step(expert_scores, chain, votes, theta, weights[i] / math.sqrt(chains.seen[0]))


@inner
def _ask_and_teach(members, m, example, rules, workspace, kept):
    """Return whether member m is right, from -1 to 1, 0 if it has learned nothing; then show it the example.

    example : the block, the number of the example, what the members see as its class, and its weight
    kept : where the vote goes, in which column if not by its class, and how much it counts
    """
    block, i, side, share = example
    work = workspace.scores
    if rules.real:
        predict_proba_one(members, m, block.rows, i, work, work[4])
        vote = 2.0 * work[4, side] - 1.0 if rules.together else (2.0 * side - 1.0) * (work[4, 1] - work[4, 0])
        _keep_probabilities(rules.together, i, work, kept)
        if share > 0.0:
            learn_one(members, m, block.rows, i, side, share)
        return vote
    predicted = predict_and_learn(members, m, block.rows, i, side, share, False, work)
    if predicted < 0:
        return 0.0
    scores, chain, counts = kept
    if scores.shape[0] > 0 and rules.together:
        scores[i, predicted] += counts
    elif scores.shape[0] > 0:
        scores[i, chain] += counts * (2.0 * predicted - 1.0)
    return 1.0 if predicted == side else -1.0


@inner
def _keep_probabilities(together, i, work, kept):
    scores, chain, counts = kept
    if scores.shape[0] > 0 and together:
        for c in range(scores.shape[1]):
            scores[i, c] += counts * work[4, c]
    elif scores.shape[0] > 0:
        scores[i, chain] += counts * (work[4, 1] - work[4, 0])


@part
def _step(expert_scores, chain, votes, theta, length):
    """Move the votes of a chain down the slope of max(0, theta - score), and back to votes of sum one."""
    score = 0.0
    for j in range(votes.shape[0]):
        score += expert_scores[chain, j] * votes[j]
    if score < theta:
        for j in range(votes.shape[0]):
            expert_scores[chain, j] += length * votes[j]
        project_votes(expert_scores, chain)


@inner
def project_votes(expert_scores, chain):
    """Write the nearest votes that are positive with sum one (Michelot 1986): those below the excess drop out for good."""
    staying, excess = expert_scores.shape[1] + 1, -math.inf
    while True:
        total, above = 0.0, 0
        for j in range(expert_scores.shape[1]):
            if expert_scores[chain, j] > excess:
                total += expert_scores[chain, j]
                above += 1
        if above >= staying:  # rounding may take one back in that has just dropped out, for ever
            break
        staying, excess = above, (total - 1.0) / above
    for j in range(expert_scores.shape[1]):
        expert_scores[chain, j] = max(expert_scores[chain, j] - excess, 0.0)


@kernel
def score_rows(members, expert_weights, rows, combination, leads, votes, scores):
    """Add up what members, or experts, vote in each chain, class 1 as +1, class 0 as -1, a member without training as 0."""
    for chain in range(expert_weights.shape[0]):
        leads[:] = 0.0
        for j in range(expert_weights.shape[1]):
            ask(members, chain * expert_weights.shape[1] + j, rows, votes)
            for i in range(scores.shape[0]):
                vote = votes.signed[i]
                if combination == _PREFIXES:
                    leads[i] += vote
                    vote = 1.0 if leads[i] > 0.0 else -1.0 if leads[i] < 0.0 else 0.0
                scores[i, chain] += expert_weights[chain, j] * vote
