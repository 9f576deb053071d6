"""What an example does at the leaf where it ends: it is predicted, counted, and may make the leaf split."""

from ensembles.jit import inner
from ensembles.learners.core.protocol import best_scored
from ensembles.learners.hoeffding.densities import renew
from ensembles.learners.hoeffding.leaf import ADAPTIVE, asks_bayes, descend, heaviest, majority_of, score_bayes
from ensembles.learners.hoeffding.members import (
    FRESH,
    GRACE,
    LEAF,
    MAX_NODES,
    PREDICTION,
    RIGHT_BAYES,
    RIGHT_MAJORITY,
    SINCE,
)
from ensembles.learners.hoeffding.revisits import walk
from ensembles.learners.hoeffding.split import add_to_tables, comes_back, take_slot, try_split

__all__ = ["majority_near", "predict_and_visit", "visit", "write_probabilities", "write_shares"]


@inner
def predict_and_visit(members, m, rows, example, out):
    """As `predict_and_learn`, and write into `out`, if it has room, the class probabilities before the example is learned.

    example : its number, label, weight, and whether it is learned before the class is predicted
    """
    i, label, weight, after = example
    predicted, path = -1, (0, -1)
    apart = weight > 0.0 and (after or comes_back(members.revisits))
    visits = 2 if apart else 1
    for at in range(visits):  # a loop, so that the compiler sees the code of a visit once
        learns = weight > 0.0 and (not apart or after == (at == 0))
        predicts = not (apart and learns)
        told = at == 0 and out.shape[0] > 0
        if at == 0 or comes_back(members.revisits) or members.nodes[m, path[0], 0] != LEAF:  # else it ends where it did
            path = (
                walk(members.revisits, members, m, rows, i, label, weight) if learns else descend(members, m, rows, i)
            )
        asked = out if told else out[:0]
        found = visit(members, m, path, predicts or told, rows, i, label, weight if learns else 0.0, asked)
        predicted = found if predicts else predicted
    return predicted


@inner
def write_probabilities(scores, out):
    """Write probabilities of classes that scores[0] is proportional to: uniform if all are 0."""
    total = 0.0
    for c in range(out.shape[0]):
        total += scores[0, c]
    for c in range(out.shape[0]):
        out[c] = scores[0, c] / total if total > 0.0 else 1.0 / out.shape[0]


@inner
def visit(members, m, path, predicts, rows, i, label, weight, out):
    """Return the class that the end of a path predicts, if it `predicts`, and learn example i unless its weight is 0.

    path : the node where the example ends, and the one above. The scores of naive Bayes are computed once for both. Class
    probabilities before the example is learned go to `out`, if it has room.
    """
    nodes, totals, work = members.nodes, members.totals, members.work
    node, parent = path
    bayes = predicts and asks_bayes(members, m, node)
    s = nodes[m, node, 2]
    if weight > 0.0 and s == FRESH and nodes[m, node, 0] == LEAF:
        s = take_slot(members, m, node)
    compares = weight > 0.0 and s >= 0 and members.settings[PREDICTION] == ADAPTIVE and heaviest(members, m, node) > 0.0
    if bayes or compares:
        score_bayes(members, m, node, s, rows, i, bayes and out.shape[0] > 0, work)
    predicted = -1
    if predicts:
        predicted = best_scored(work, totals, m) if bayes else majority_near(members, m, node, parent)
    if out.shape[0] > 0 and bayes:
        write_probabilities(work, out)
    elif out.shape[0] > 0:
        write_shares(members, m, node, parent, out)
    if weight > 0.0:
        totals[m, label] += weight
        if compares:
            _compare(members, m, node, label, weight, work)
        _count(members, m, node, s, rows, i, label, weight)
    return predicted


@inner
def _compare(members, m, node, label, weight, work):
    """Note which ways of predicting tell the class of an example of which work[0] holds the scores."""
    if majority_of(members, m, node) == label:
        members.node_statistics[m, node, RIGHT_MAJORITY] += weight
    if best_scored(work, members.totals, m) == label:
        members.node_statistics[m, node, RIGHT_BAYES] += weight


@inner
def _count(members, m, node, s, rows, i, label, weight):
    """Count example i at the node where it ends, and split that if it is time."""
    node_statistics, weights = members.node_statistics, members.weights
    weights[m, node, label] += weight
    if s < 0:
        return
    add_to_tables(members, s, rows, i, label, weight)
    if rows.numbers.shape[1] > 0 and members.settings[PREDICTION] == ADAPTIVE:
        renew(members, s, label, weights[m, node, label])  # the next example here asks, and the tables are near now
    since = node_statistics[m, node, SINCE] + weight
    node_statistics[m, node, SINCE] = since
    if since >= members.split_parameters[m, GRACE] and members.sizes[m] + 2 <= members.settings[MAX_NODES]:
        present = 0
        for c in range(weights.shape[2]):
            present += members.seen[s, c] > 0.0
        if present > 1:
            try_split(members, m, node)


@inner
def write_shares(members, m, node, parent, out):
    """Write the shares of classes in the weight of a node, or of the one above where no example has come to it."""
    if parent >= 0 and not heaviest(members, m, node) > 0.0:
        node = parent
    total = 0.0
    for c in range(out.shape[0]):
        total += members.weights[m, node, c]
    for c in range(out.shape[0]):
        out[c] = members.weights[m, node, c] / total if total > 0.0 else 1.0 / out.shape[0]


@inner
def majority_near(members, m, node, parent):
    """Return the majority of a node, or of the one above where no example has come to it."""
    majority = majority_of(members, m, node)
    if majority < 0 and parent >= 0:
        majority = majority_of(members, m, parent)
    return majority
