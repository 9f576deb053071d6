"""What a member must be able to do, so that every method can use it without knowing it.

The members of an ensemble live together in one NamedTuple of arrays, *members*; its type decides which implementation of
an operation runs. Examples come as *rows*, the arrays that this kind of member reads; example i is named by its number.
"""

from typing import NamedTuple

import numpy as np

from ensembles.addresses import hidden
from ensembles.jit import inner, operation

__all__ = [
    "MOST_FORESEEN",
    "Rows",
    "add_probabilities",
    "best_class",
    "best_scored",
    "cached_prediction",
    "finalize",
    "foresee_hits",
    "learn_all",
    "learn_one",
    "learn_rows",
    "predict_and_learn",
    "predict_and_learn_all",
    "predict_one",
    "predict_proba_one",
    "predict_proba_rows",
    "predict_rows",
    "prepare_example",
    "reset",
    "vote_and_learn",
    "vote_and_learn_all",
    "votes_in_turn",
]  # fmt: skip

MOST_FORESEEN = 3.0  #: weight of an example up to which `foresee_hits` tries to tell, where not of any
TIE = 1e-12  #: scores closer than this, relative to the best, are tied


class Rows(NamedTuple):
    """Examples as kernels read them.

    codes : int32, (n, n_nominal); position of the value among all values of all nominal attributes, -1 missing, -2 unseen
    numbers : float64, (n, n_numeric); NaN missing
    slots : int32, (n, n_numeric); number of the value in the members' table of numeric values, or (0, 0) when not needed
    """

    codes: np.ndarray
    numbers: np.ndarray
    slots: np.ndarray


@operation
def reset(members, m):
    """Make member m forget everything."""


@operation
def learn_one(members, m, rows, i, label, weight):
    """Show example i, of class `label`, to member m; `weight` is positive."""


@learn_one.otherwise
def _learn_one(members, m, rows, i, label, weight):
    """Nobody shows single examples to members that learn in batch only."""


@operation
def finalize(members, m):
    """Bring what member m derives from its counts up to date."""


@operation
def predict_one(members, m, rows, i, work):
    """Return the class that member m predicts, or -1 if it has learned nothing; `work` has room for four rows of classes."""


@operation
def predict_proba_one(members, m, rows, i, work, out):
    """Write the class probabilities of member m into `out`: uniform if it has learned nothing."""


@operation
def prepare_example(members, rows, i):
    """Prepare for example i, which every member may then learn once; return whether `cached_prediction` can be asked."""


@prepare_example.otherwise
def _prepare_example(members, rows, i):
    return False


@operation
def cached_prediction(members, m):
    """Return what `predict_one` says of the example that was prepared, before member m learns it."""


@cached_prediction.otherwise
def _cached_prediction(members, m):
    return -1


@operation
def predict_and_learn(members, m, rows, i, label, weight, after, work):
    """Return what `predict_one` says of the example that was prepared, and show it to member m, unless its weight is 0.

    `after` tells the order: false, the member predicts and then learns; true, it learns and then predicts.
    """


@predict_and_learn.otherwise
def _predict_and_learn(members, m, rows, i, label, weight, after, work):
    predicted = -1
    for step in range(2):  # a loop, so that the compiler sees the code of both once
        if after == (step == 1):
            predicted = predict_one(members, m, rows, i, work)
        elif weight > 0.0:
            learn_one(members, m, rows, i, label, weight)
    return predicted


@operation
def vote_and_learn(members, m, rows, i, label, weight, after, work, out):
    """As `predict_and_learn`, and write into `out` the class probabilities of member m before it learned."""


@vote_and_learn.otherwise
def _vote_and_learn(members, m, rows, i, label, weight, after, work, out):
    predict_proba_one(members, m, rows, i, work, out)
    return predict_and_learn(members, m, rows, i, label, weight, after, work)


@operation
def learn_rows(members, m, rows, labels, weights):
    """Show all examples of positive weight to member m, then finalize it."""


@learn_rows.otherwise
def _learn_rows(members, m, rows, labels, weights):
    for i in range(labels.shape[0]):
        if weights[i] > 0.0:
            learn_one(members, m, rows, i, labels[i], weights[i])
    finalize(members, m)


@operation
def learn_all(members, rows, i, label, weights):
    """Show example i, of class `label`, to every member whose weight is positive; weights: (members,)."""


@learn_all.otherwise
def _learn_all(members, rows, i, label, weights):
    for m in range(weights.shape[0]):
        if weights[m] > 0.0:
            learn_one(members, hidden(m), rows, i, label, weights[m])


@operation
def predict_rows(members, m, rows, start, work, predicted):
    """Write the class that member m predicts for each example from `start` on: always by `predict_one`, see `bound`."""


@predict_rows.otherwise
def _predict_rows(members, m, rows, start, work, predicted):
    for i in range(predicted.shape[0]):
        predicted[i] = predict_one(members, m, rows, start + i, work)


@operation
def predict_proba_rows(members, m, rows, start, work, out):
    """Write the class probabilities of member m for each example from `start` on; out: (examples, classes)."""


@predict_proba_rows.otherwise
def _predict_proba_rows(members, m, rows, start, work, out):
    for i in range(out.shape[0]):
        predict_proba_one(members, m, rows, start + i, work, out[i])


@operation
def add_probabilities(members, weights, rows, i, work, votes):
    """Add to `votes` the class probabilities of each of the first members, times its weight.

    weights : one a member that votes; work : five rows of classes; votes : (classes,)
    """


@add_probabilities.otherwise
def _add_probabilities(members, weights, rows, i, work, votes):
    told = work[4]
    for m in range(weights.shape[0]):
        predict_proba_one(members, hidden(m), rows, i, work, told)
        for c in range(votes.shape[0]):
            votes[c] += weights[m] * told[c]


@operation
def vote_and_learn_all(members, counts, rows, i, label, weights, work, votes):
    """As `add_probabilities`, where each member counts as `counts` says, and then `learn_all`."""


@vote_and_learn_all.otherwise
def _vote_and_learn_all(members, counts, rows, i, label, weights, work, votes):
    add_probabilities(members, counts, rows, i, work, votes)
    learn_all(members, rows, i, label, weights)


@operation
def votes_in_turn(members):
    """Return whether it is quicker that each member votes right before it learns than that all vote before, at once."""


@votes_in_turn.otherwise
def _votes_in_turn(members):
    return False


@operation
def foresee_hits(members, rows, i, label, hits, weights, work, votes):
    """Write what each member will predict of example i, of class `label`, once it has learned it; hits: (2, members).

    First up to which weight that is known: infinity, or a number, -1 if the member has to be asked in any case; then 1 if it
    will predict the class of the example, and 0 if not. Return whether that was done; if not, all have to be asked.

    weights : of the first members, who vote in turn (`votes_in_turn`): if it was done, as `add_probabilities` does
    """


@foresee_hits.otherwise
def _foresee_hits(members, rows, i, label, hits, weights, work, votes):
    return False


@operation
def predict_and_learn_all(members, rows, i, label, weights, work, predicted):
    """As `predict_and_learn` for every member: it predicts, then learns if its weight is positive."""


@predict_and_learn_all.otherwise
def _predict_and_learn_all(members, rows, i, label, weights, work, predicted):
    for m in range(weights.shape[0]):
        predicted[m] = predict_and_learn(members, m, rows, i, label, weights[m], False, work)


@inner
def best_class(scores, prior):
    """Return the class of the largest score; ties go to the class with more training weight, then to the first."""
    best = scores[0]
    for c in range(1, scores.shape[0]):
        best = max(best, scores[c])
    slack = TIE * max(1.0, abs(best))
    chosen = -1
    for c in range(scores.shape[0]):
        if scores[c] >= best - slack and (chosen < 0 or prior[c] > prior[chosen]):
            chosen = c
    return chosen


@inner
def best_scored(work, prior, m):
    """As `best_class` for the scores in work[0], at most 1, and the prior in row m: no view is made in the inner loop."""
    best = work[0, 0]
    for c in range(1, prior.shape[1]):
        best = max(best, work[0, c])
    chosen = -1
    for c in range(prior.shape[1]):
        if work[0, c] >= best - TIE and (chosen < 0 or prior[m, c] > prior[m, chosen]):
            chosen = c
    return chosen
