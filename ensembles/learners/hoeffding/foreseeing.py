"""What trees on nominal attributes will predict once they have learned an example, foreseen before any of them does.

A tree that is not shown an example predicts of it what it did. One that predicts its class goes on to, unless its leaf
splits: the class weighs more there then, and so do its Laplace shares; of majority and naive Bayes, those that are right
are trusted more, and a leaf that had seen no example knows by naive Bayes of this class alone.
"""

import numpy as np

from ensembles.across_lanes import any_less, greatest_of, sum_in_order, which_reach
from ensembles.addresses import hidden
from ensembles.jit import inner
from ensembles.lanes import WIDTH, lanes_at, lanes_of, put_lanes, where_less
from ensembles.learners.core.protocol import TIE
from ensembles.learners.hoeffding.leaf import asks_bayes, bring_to_one_scale, descend
from ensembles.learners.hoeffding.members import GRACE, MAX_NODES, OFF, SINCE
from ensembles.learners.hoeffding.shares import has_gaps, share_products
from ensembles.learners.hoeffding.split import comes_back

__all__ = ["foresee_all"]

_AHEAD = 1e-6  # of its score a class leads by more whatever is rounded


@inner
def foresee_all(members, rows, i, label, hits, weights, work, votes):
    """As `foresee_hits` of the protocol."""
    able = not comes_back(members.revisits) and rows.numbers.shape[1] == 0 and votes.shape[0] <= WIDTH
    if able:
        _foresee_few(members, rows, i, label, hits, weights, work, votes)
    return able


@inner
def _foresee_few(members, rows, i, label, hits, weights, work, votes):
    """As `foresee_all`, for as many classes as lanes, which stay in registers."""
    n_classes, all_votes, gaps = votes.shape[0], lanes_at(votes, (0,)), has_gaps(members.first, rows.codes, i)
    for number in range(hits.shape[1]):
        m = hidden(number)
        node, parent = descend(members, m, rows, i)
        s, sure = members.nodes[m, node, 2], True
        if asks_bayes(members, m, node):
            scores, best = _score_bayes(members, m, node, s, rows, i, gaps or members.gaps[s], work)
            near = which_reach(scores, best - TIE, n_classes)
            sure = which_reach(scores, 1.0 - _AHEAD, n_classes) == 1 << label
        else:
            scores = _weights_near(members, m, node, parent)
            best = greatest_of(scores, n_classes)
            near = which_reach(scores, best - TIE * max(1.0, best), n_classes) if best > 0.0 else 0
        hit = near == 1 << label
        if not hit and (near >> label) & 1:
            hit = _wins_tie(members, m, near, label)
        limit = _weight_before_try(members, m, node, s)
        hits[0, m], hits[1, m] = limit if hit and sure else 0.0, 1.0 if hit else 0.0
        if m < weights.shape[0]:
            all_votes = all_votes + weights[m] * _shares_of(scores, n_classes)
    put_lanes(votes, (0,), all_votes)


@inner
def _score_bayes(members, m, node, s, rows, i, gaps, work):
    """Return what `score_bayes` writes, and the largest of it: 1, or 0 if all are."""
    score, exponent = share_products(members, m, node, s, 0, rows.codes, i, gaps)
    top = greatest_of(score, work.shape[1])
    if any_less(where_less(0.0, score, exponent, 0.0), 0.0, work.shape[1]):
        put_lanes(work, (0, 0), score)
        put_lanes(work, (1, 0), exponent)
        bring_to_one_scale(work)
        score = lanes_at(work, (0, 0))
    else:
        score = score / (top if top > 0.0 else 1.0)
    return score, 1.0 if top > 0.0 else 0.0


@inner
def _weights_near(members, m, node, parent):
    """Return the weights of a node, or of the one above where no example has come to it."""
    weights = lanes_at(members.weights, (m, node, 0))
    if parent >= 0 and not any_less(0.0, weights, members.weights.shape[2]):
        return lanes_at(members.weights, (m, parent, 0))
    return weights


@inner
def _wins_tie(members, m, near, label):
    """Return whether of classes near each other the one with most weight in training, then the first, is this."""
    totals, chosen = members.totals, -1
    for c in range(totals.shape[1]):
        if (near >> c) & 1 and (chosen < 0 or totals[m, c] > totals[m, chosen]):
            chosen = c
    return chosen == label


@inner
def _shares_of(scores, n_classes):
    total = sum_in_order(scores, n_classes)
    if total > 0.0:
        return scores / total
    return lanes_of(1.0 / n_classes)


@inner
def _weight_before_try(members, m, node, s):
    """Return up to which weight an example does not make a leaf try to split."""
    if s == OFF or members.sizes[m] + 2 > members.settings[MAX_NODES]:
        return np.inf
    return max(0.0, members.split_parameters[m, GRACE] - members.node_statistics[m, node, SINCE] - 1.0)
