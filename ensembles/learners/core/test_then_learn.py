"""One member on its way through a stream: it is asked about each example, and then shown it, or another one."""

from ensembles.jit import kernel
from ensembles.learners.core.protocol import finalize, learn_one, predict_one, predict_proba_one

__all__ = ["predict_late_then_learn_rows", "predict_then_learn_rows"]


@kernel
def predict_then_learn_rows(members, rows, labels, work, predicted, probabilities):
    """Ask member 0 for class and probabilities of each example, then show it the example."""
    for i in range(labels.shape[0]):
        predicted[i] = predict_one(members, 0, rows, i, work)
        predict_proba_one(members, 0, rows, i, work, probabilities[i])
        learn_one(members, 0, rows, i, labels[i], 1.0)
    finalize(members, 0)


@kernel
def predict_late_then_learn_rows(members, rows, until, labels, work, predicted, probabilities):
    """As `predict_then_learn_rows`, with other examples that are asked about: until[i] of them before i is shown.

    members, rows : as they are shown, and as they are asked about
    """
    told, (shown, asked), (rows, others) = 0, members, rows
    for i in range(labels.shape[0]):
        for k in range(told, until[i]):
            predicted[k] = predict_one(asked, 0, others, k, work)
            predict_proba_one(asked, 0, others, k, work, probabilities[k])
        told = until[i]
        learn_one(shown, 0, rows, i, labels[i], 1.0)
    finalize(shown, 0)
