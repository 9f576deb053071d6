"""What a learner said about a test set."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.stream_course import StreamCourse
from ensembles.evaluation.trained_model import TrainedModel

__all__ = ["Predictions", "confusion_matrix", "of_counts"]


@dataclass(frozen=True)
class Predictions:
    """What a learner said about a test set.

    Attributes
    ----------
    true, predicted : ndarray of int, shape (n_examples,)
        Index into the classes of the data set.
    n_classes : int
        Classes of the data set, whether or not they were seen in training.
    probabilities : ndarray of float, shape (n_examples, n_classes), or None
        None when no measure needs them; 0 for a class that was not seen in training.
    in_order : bool
        The examples came one after the other, each predicted before it was learned.
    trained : TrainedModel or None
        The learner; None where only its predictions are known.
    course : StreamCourse or None
        How the stream went; None where it is no stream, or only its predictions are known.
    counts : ndarray of int, shape (n_examples,), or None
        How many examples each stands for; None: one.
    """

    true: npt.NDArray[np.int64]
    predicted: npt.NDArray[np.int64]
    n_classes: int
    probabilities: npt.NDArray[np.float64] | None = None
    in_order: bool = False
    trained: TrainedModel | None = None
    course: StreamCourse | None = None
    counts: npt.NDArray[np.int64] | None = None

    @property
    def of_true_class(self) -> npt.NDArray[np.float64]:
        """Probability given to the true class of each example."""
        assert self.probabilities is not None
        return self.probabilities[np.arange(len(self.true)), self.true]


def confusion_matrix(predictions: Predictions) -> npt.NDArray[np.int64]:
    """Return counts of test examples, shape (n_classes, n_classes): rows are true classes, columns predicted ones."""
    k = predictions.n_classes
    return np.bincount(predictions.true * k + predictions.predicted, minlength=k * k).reshape(k, k)


def of_counts(confusion: npt.NDArray[np.int64]) -> Predictions:
    """Return predictions of this confusion matrix, one for each pair of classes that occurs."""
    true, predicted = np.nonzero(confusion)
    return Predictions(true, predicted, len(confusion), counts=confusion[true, predicted])
