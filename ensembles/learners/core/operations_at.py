"""The operations of members as functions of addresses: where members and rows lie, and numbers.

`..._stepwise` are for members whose steps are long beside a call: the code of a step is there once, and shorter to compile.
"""

from ensembles.addresses import floats_at, numbers_at, structure_at, table_at
from ensembles.jit import part
from ensembles.learners.core.protocol import (
    add_probabilities,
    cached_prediction,
    finalize,
    foresee_hits,
    learn_all,
    learn_one,
    learn_rows,
    predict_and_learn,
    predict_and_learn_all,
    predict_one,
    predict_proba_one,
    predict_proba_rows,
    prepare_example,
    reset,
    vote_and_learn,
    vote_and_learn_all,
)

__all__ = [
    "add_probabilities_at",
    "add_probabilities_stepwise",
    "cached_prediction_at",
    "finalize_at",
    "foresee_hits_at",
    "learn_all_at",
    "learn_all_stepwise",
    "learn_one_at",
    "learn_one_stepwise",
    "learn_rows_at",
    "learn_rows_stepwise",
    "predict_and_learn_all_at",
    "predict_and_learn_all_stepwise",
    "predict_and_learn_at",
    "predict_and_learn_stepwise",
    "predict_proba_rows_at",
    "predict_rows_at",
    "prepare_example_at",
    "reset_at",
    "vote_and_learn_all_at",
    "vote_and_learn_all_stepwise",
    "vote_and_learn_at",
    "vote_and_learn_stepwise",
]


def reset_at(members, rows, m):
    reset(structure_at(members), m)


def finalize_at(members, rows, m):
    finalize(structure_at(members), m)


def learn_one_at(members, rows, m, i, label, weight):
    learn_one(structure_at(members), m, structure_at(rows), i, label, weight)


def learn_all_at(members, rows, i, label, weights, n):
    learn_all(structure_at(members), structure_at(rows), i, label, floats_at(weights, (n,)))


def learn_rows_at(members, rows, m, labels, weights, n):
    learn_rows(structure_at(members), m, structure_at(rows), numbers_at(labels, (n,)), floats_at(weights, (n,)))


def predict_rows_at(members, rows, m, start, work, n_classes, predicted, n):
    """Return the class of the last example; those of all go to address `predicted` unless it is 0."""
    kept, work, last = numbers_at(predicted, (n,)), table_at(work, (4, n_classes)), -1
    for i in range(n):
        last = predict_one(structure_at(members), m, structure_at(rows), start + i, work)
        if predicted != 0:
            kept[i] = last
    return last


def predict_proba_rows_at(members, rows, m, start, work, out, n, n_classes):
    work, out = table_at(work, (4, n_classes)), table_at(out, (n, n_classes))
    predict_proba_rows(structure_at(members), m, structure_at(rows), start, work, out)


def add_probabilities_at(members, rows, weights, n, i, work, votes, n_classes):
    work, votes = table_at(work, (5, n_classes)), floats_at(votes, (n_classes,))
    add_probabilities(structure_at(members), floats_at(weights, (n,)), structure_at(rows), i, work, votes)


def prepare_example_at(members, rows, i):
    return prepare_example(structure_at(members), structure_at(rows), i)


def cached_prediction_at(members, rows, m):
    return cached_prediction(structure_at(members), m)


def predict_and_learn_at(members, rows, m, i, label, weight, after, work, n_classes):
    work = table_at(work, (4, n_classes))
    return predict_and_learn(structure_at(members), m, structure_at(rows), i, label, weight, after, work)


def vote_and_learn_at(members, rows, m, i, label, weight, after, work, out, n_classes):
    work, out = table_at(work, (5, n_classes)), floats_at(out, (n_classes,))
    return vote_and_learn(structure_at(members), m, structure_at(rows), i, label, weight, after, work, out)


def foresee_hits_at(members, rows, i, label, hits, n, weights, n_voting, work, votes, n_classes):
    work, votes, hits = table_at(work, (5, n_classes)), floats_at(votes, (n_classes,)), table_at(hits, (2, n))
    weights = floats_at(weights, (n_voting,))
    return foresee_hits(structure_at(members), structure_at(rows), i, label, hits, weights, work, votes)


def predict_and_learn_all_at(members, rows, i, label, weights, work, n_classes, predicted, n):
    work, predicted = table_at(work, (4, n_classes)), numbers_at(predicted, (n,))
    predict_and_learn_all(
        structure_at(members), structure_at(rows), i, label, floats_at(weights, (n,)), work, predicted
    )


def vote_and_learn_all_at(members, rows, counts, i, label, weights, n, work, votes, n_classes):
    counts, weights, work = floats_at(counts, (n,)), floats_at(weights, (n,)), table_at(work, (5, n_classes))
    votes = floats_at(votes, (n_classes,))
    vote_and_learn_all(structure_at(members), counts, structure_at(rows), i, label, weights, work, votes)


@part
def _learn_step(members, rows, m, i, label, weight):
    learn_one(structure_at(members), m, structure_at(rows), i, label, weight)


@part
def _predict_and_learn_step(members, rows, m, i, label, weight, after, work, n_classes):
    work = table_at(work, (4, n_classes))
    return predict_and_learn(structure_at(members), m, structure_at(rows), i, label, weight, after, work)


@part
def _proba_step(members, rows, m, i, work, out):
    predict_proba_one(structure_at(members), m, structure_at(rows), i, work, out)


def add_probabilities_stepwise(members, rows, weights, n, i, work, votes, n_classes):
    weights, work, votes = floats_at(weights, (n,)), table_at(work, (5, n_classes)), floats_at(votes, (n_classes,))
    told = work[4]
    for m in range(n):
        _proba_step(members, rows, m, i, work, told)
        for c in range(n_classes):
            votes[c] += weights[m] * told[c]


def learn_one_stepwise(members, rows, m, i, label, weight):
    _learn_step(members, rows, m, i, label, weight)


def learn_all_stepwise(members, rows, i, label, weights, n):
    weights = floats_at(weights, (n,))
    for m in range(n):
        if weights[m] > 0.0:
            _learn_step(members, rows, m, i, label, weights[m])


def learn_rows_stepwise(members, rows, m, labels, weights, n):
    labels, weights = numbers_at(labels, (n,)), floats_at(weights, (n,))
    for i in range(n):
        if weights[i] > 0.0:
            _learn_step(members, rows, m, i, labels[i], weights[i])
    finalize(structure_at(members), m)


def predict_and_learn_stepwise(members, rows, m, i, label, weight, after, work, n_classes):
    return _predict_and_learn_step(members, rows, m, i, label, weight, after, work, n_classes)


def vote_and_learn_stepwise(members, rows, m, i, label, weight, after, work, out, n_classes):
    _proba_step(members, rows, m, i, table_at(work, (5, n_classes)), floats_at(out, (n_classes,)))
    return _predict_and_learn_step(members, rows, m, i, label, weight, after, work, n_classes)


def predict_and_learn_all_stepwise(members, rows, i, label, weights, work, n_classes, predicted, n):
    weights, predicted = floats_at(weights, (n,)), numbers_at(predicted, (n,))
    for m in range(n):
        predicted[m] = _predict_and_learn_step(members, rows, m, i, label, weights[m], False, work, n_classes)


def vote_and_learn_all_stepwise(members, rows, counts, i, label, weights, n, work, votes, n_classes):
    weights, told, votes = floats_at(weights, (n,)), table_at(work, (5, n_classes))[4], floats_at(votes, (n_classes,))
    counts = floats_at(counts, (n,))
    for m in range(n):
        _proba_step(members, rows, m, i, table_at(work, (5, n_classes)), told)
        if weights[m] > 0.0:
            _learn_step(members, rows, m, i, label, weights[m])
        for c in range(n_classes):
            votes[c] += counts[m] * told[c]
