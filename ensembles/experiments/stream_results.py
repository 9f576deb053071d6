"""What is written down of a trial on a stream, and what is left of it at the end."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.calibration import CALIBRATION, calibration_curve
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.curves import curves_after
from ensembles.evaluation.error_curves import ErrorCurves
from ensembles.evaluation.measures import evaluate
from ensembles.evaluation.predictions import Predictions, confusion_matrix
from ensembles.evaluation.prequential import KeptPredictions, begin_final, error_curves, replaced_curve
from ensembles.evaluation.right_or_wrong import RightOrWrong
from ensembles.evaluation.stream_course import StreamCourse
from ensembles.evaluation.stream_pass import StreamPass
from ensembles.evaluation.stream_record import StreamRecord
from ensembles.evaluation.trained_model import TrainedModel
from ensembles.experiments.config import Prequential
from ensembles.experiments.trial_data import Trial

__all__ = ["MOST_CLASSES_SHOWN", "AllKept", "StreamResults", "Summed", "shown_confusion", "single_predictions"]

MOST_CLASSES_SHOWN = 100

Labels = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64] | None


class StreamResults(NamedTuple):
    """What a stream leaves behind."""

    measures: dict[str, float]
    curves: dict[str, Curve]
    confusion: tuple[tuple[int, ...], ...]


class AllKept:
    """All predictions, of a data set in memory; n: examples of the stream, those before `first` are not predicted."""

    def __init__(self, trial: Trial, protocol: Prequential, first: int, n: int) -> None:
        self._trial, self._n, self._first = trial, n, first
        self._final = max(begin_final(n, protocol.final_fraction) - first, 0)
        examples = trial.examples()
        self._kept = KeptPredictions(
            examples.y_train[first:], examples.n_classes, probabilities=trial.needs_probabilities
        )
        self._errors = ErrorCurves(first, n - first)

    def add(self, at: int, true: Labels, predicted: Labels, probabilities: Shares) -> None:
        """Write down what was said of the next examples, of which the first is the prediction `at`."""
        self._kept.add(at, predicted, probabilities)
        if self._trial.watch is not None:
            late = max(-at, 0)
            self._errors.add(true[late:] != predicted[late:])

    def errors_now(self) -> tuple[float, float, float]:
        """Return the errors so far, as `ErrorCurves.now`."""
        return self._errors.now

    def state(self, position: int) -> dict[str, Any]:
        """Return what a snapshot needs."""
        n, kept = max(position - self._first, 0), self._kept
        shares = None if kept.probabilities is None else kept.probabilities[:n]
        return {"predicted": kept.predicted[:n], "probabilities": shares, "errors": self._errors}

    def take_over(self, state: dict[str, Any]) -> None:
        """Go on from the state of a snapshot."""
        self._kept.add(0, state["predicted"], state["probabilities"])
        self._errors = state["errors"]

    def results(self, way: StreamPass, trained: TrainedModel, course: StreamCourse) -> StreamResults:
        """Return what is left, once all predictions have come."""
        stream, wanted = self._kept.stream(way), self._trial.config.curves
        n_classes = self._trial.examples().n_classes
        predictions = Predictions(stream.true, stream.predicted, n_classes, stream.probabilities, True, trained, course)
        right = stream.true == stream.predicted
        curves = curves_after(wanted, trained) | course.curves()
        if "prequential_error" in wanted:
            curves |= error_curves(stream)
        if "predictions" in wanted:
            curves |= single_predictions(np.arange(stream.first, self._n), predictions)
        kept = RightOrWrong(stream.first, len(right))
        kept.add(right)
        curves |= kept.curves()
        if predictions.probabilities is not None:
            curves[CALIBRATION] = calibration_curve(predictions)
        final = float(np.mean(right[self._final :]))
        measures = {**evaluate(self._trial.measures, predictions), "final_accuracy": final}
        return StreamResults(measures, curves, shown_confusion(confusion_matrix(predictions)))


class Summed:
    """What can be added up, of a source of any length; as `AllKept`."""

    def __init__(self, trial: Trial, protocol: Prequential, first: int, n: int) -> None:
        final = max(begin_final(n, protocol.final_fraction) - first, 0)
        sizes, probabilities = (first, n - first, final), trial.needs_probabilities
        self._record = StreamRecord(*sizes, len(trial.dataset.classes), trial.measures, probabilities=probabilities)
        self._wanted = trial.config.curves

    def add(self, at: int, true: Labels, predicted: Labels, probabilities: Shares) -> None:
        """See `AllKept`."""
        late = max(-at, 0)
        self._record.add(true[late:], predicted[late:], None if probabilities is None else probabilities[late:])

    def errors_now(self) -> tuple[float, float, float]:
        """See `AllKept`."""
        return self._record.errors_now

    def state(self, position: int) -> dict[str, Any]:  # noqa: ARG002
        """See `AllKept`."""
        return {"record": self._record}

    def take_over(self, state: dict[str, Any]) -> None:
        """See `AllKept`."""
        self._record = state["record"]

    def results(self, way: StreamPass, trained: TrainedModel, course: StreamCourse) -> StreamResults:
        """See `AllKept`."""
        measures = self._record.measures(trained, course)
        curves = self._record.right_or_wrong() | course.curves()
        if "prequential_error" in self._wanted:
            replaced = [(at, n) for at, n in way.replaced if at > way.told_from]
            curves |= self._record.errors.curves() | replaced_curve(replaced)
        return StreamResults(measures, curves, shown_confusion(self._record.confusion))


def single_predictions(places: Labels, predictions: Predictions) -> dict[str, Curve]:
    """Return the class predicted for each example beside the true one, at the places of the examples."""
    x = tuple(map(float, places))
    told = {"predictions": predictions.predicted, "predictions_true": predictions.true}
    return {name: Curve(x, tuple(map(float, classes))) for name, classes in told.items()}


def shown_confusion(confusion: npt.NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    """Return a confusion matrix as plain numbers; empty with more classes than a person reads."""
    return tuple(map(tuple, confusion.tolist())) if len(confusion) <= MOST_CLASSES_SHOWN else ()
