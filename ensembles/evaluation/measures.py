"""The measures: what each number says, and how it is computed from the predictions on a test set (`scores`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ensembles.evaluation import scores
from ensembles.evaluation.diversity import mean_disagreement, mean_kappa, mean_q
from ensembles.evaluation.meanings import PROTOCOL_MEASURES, Meaning
from ensembles.evaluation.piecewise import AtEnd, Bins, Mean, Pairs, Piecewise, Repeats
from ensembles.evaluation.predictions import Predictions

__all__ = [
    "KNOWN",
    "MEASURES",
    "PROTOCOL_MEASURES",
    "Meaning",
    "Measure",
    "evaluate",
]


@dataclass(frozen=True, kw_only=True)
class Measure(Meaning):
    """A number computed from predictions, or from the learner that made them: NaN where it has none.

    Attributes
    ----------
    needs_probabilities : bool
    needs_order : bool
        Only the predictions of a stream have it.
    piecewise : callable or None
        From `compute` to what takes the measure piece by piece, of a stream that is too long to be kept; None where all
        predictions are needed at once.
    """

    needs_probabilities: bool = False
    needs_order: bool = False
    compute: Callable[[Predictions], float]
    piecewise: Callable[[Callable[[Predictions], float]], Piecewise] | None = None


#: Every measure, by key, in the order in which people are offered them.
MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure(
            key="accuracy",
            name="Accuracy",
            group="Predicted classes",
            unit="share",
            better="higher",
            summary="Share of test examples whose class is predicted right.",
            compute=scores.accuracy,
            piecewise=Pairs,
        ),
        Measure(
            key="error",
            name="Error",
            group="Predicted classes",
            unit="share",
            better="lower",
            summary="Share of test examples whose class is predicted wrong.",
            compute=scores.error,
            piecewise=Pairs,
        ),
        Measure(
            key="balanced_accuracy",
            name="Balanced accuracy",
            group="Predicted classes",
            unit="share",
            better="higher",
            summary="Accuracy within each class of the test set, averaged over these classes.",
            compute=scores.balanced_accuracy,
            piecewise=Pairs,
        ),
        Measure(
            key="macro_f1",
            name="Macro F1",
            group="Predicted classes",
            better="higher",
            summary="Harmonic mean of precision and recall, averaged over the classes that occur or are predicted.",
            compute=scores.macro_f1,
            piecewise=Pairs,
        ),
        Measure(
            key="kappa",
            name="Cohen's kappa",
            group="Predicted classes",
            better="higher",
            low=-1.0,
            summary="Agreement beyond chance: 0 is as good as chance, 1 is perfect.",
            compute=scores.kappa,
            piecewise=Pairs,
        ),
        Measure(
            key="matthews_correlation",
            name="Matthews correlation",
            group="Predicted classes",
            better="higher",
            low=-1.0,
            summary="Correlation of predicted and true classes: 0 is as good as chance, 1 is perfect.",
            compute=scores.matthews_correlation,
            piecewise=Pairs,
        ),
        Measure(
            key="mse",
            name="Mean squared error",
            group="Class probabilities",
            better="lower",
            needs_probabilities=True,
            summary="Mean over the test examples of (1 - probability of the true class) squared.",
            compute=scores.mse,
            piecewise=Mean,
        ),
        Measure(
            key="brier_score",
            name="Brier score",
            group="Class probabilities",
            better="lower",
            needs_probabilities=True,
            high=2.0,
            summary="Mean over the test examples of the squared errors of the probabilities of all classes, summed.",
            compute=scores.brier_score,
            piecewise=Mean,
        ),
        Measure(
            key="calibration_error",
            name="Calibration error",
            group="Class probabilities",
            better="lower",
            needs_probabilities=True,
            summary="How far the probability of the predicted class lies from how often it is right, in 15 bins.",
            compute=scores.calibration_error,
            piecewise=Bins,
        ),
        Measure(
            key="log_loss",
            name="Logarithmic loss",
            group="Class probabilities",
            unit="nats",
            better="lower",
            needs_probabilities=True,
            high=float("inf"),
            summary="Mean of -ln(probability of the true class); a probability of 0 counts as about 2e-16.",
            compute=scores.mean_log_loss,
            piecewise=Mean,
        ),
        Measure(
            key="auc",
            name="Area under the ROC curve",
            group="Class probabilities",
            better="higher",
            summary="How often an example of a class gets a higher probability of it than one of another class; "
            "the mean over the classes of the test set.",
            compute=scores.auc,
            needs_probabilities=True,
        ),
        Measure(
            key="kappa_temporal",
            name="Kappa-temporal",
            group="Streams",
            better="higher",
            needs_order=True,
            low=float("-inf"),
            summary="Accuracy beyond repeating the class of the example before: 0 is as good as that, 1 is perfect.",
            compute=scores.kappa_temporal,
            piecewise=Repeats,
        ),
        Measure(
            key="recovery",
            name="Recovery after a change",
            group="Streams",
            unit="examples",
            better="lower",
            needs_order=True,
            high=float("inf"),
            summary="Examples until the error of a window is at most 0.02 above that before a known change, mean of them.",
            compute=scores.recovery,
            piecewise=AtEnd,
        ),
        Measure(
            key="throughput",
            name="Examples a second",
            group="Streams",
            unit="examples",
            better="higher",
            needs_order=True,
            high=float("inf"),
            summary="Examples of the stream that are predicted and learned in a second, reading not counted.",
            compute=scores.throughput,
            piecewise=AtEnd,
        ),
        Measure(
            key="ram_hours",
            name="Millionths of RAM-hours",
            group="Streams",
            unit="GB hours",
            better="lower",
            needs_order=True,
            high=float("inf"),
            summary="Memory of the model for the time it took: a millionth is 1 GB for 3.6 ms of the processor, as in MOA.",
            compute=scores.ram_hours,
            piecewise=AtEnd,
        ),
        Measure(
            key="tree_nodes",
            name="Nodes of the trees",
            group="Model",
            better="lower",
            summary="Mean number of nodes, leaves among them, of the members that are trees.",
            compute=scores.tree_nodes,
            piecewise=AtEnd,
            unit="nodes",
            low=1.0,
            high=float("inf"),
        ),
        Measure(
            key="tree_depth",
            name="Depth of the trees",
            group="Model",
            better="lower",
            summary="Mean number of questions on the longest path of the members that are trees.",
            compute=scores.tree_depth,
            piecewise=AtEnd,
            unit="questions",
            high=float("inf"),
        ),
        Measure(
            key="model_bytes",
            name="Bytes of the model",
            group="Model",
            better="lower",
            summary="Bytes of all arrays that the trained learner holds, without room that trees have reserved to grow; of "
            "XGBoost, LightGBM and CatBoost also of the model as they write it down.",
            compute=scores.model_bytes,
            piecewise=AtEnd,
            unit="bytes",
            high=float("inf"),
        ),
        Measure(
            key="q_statistic",
            name="Q statistic of the members",
            group="Diversity of the members",
            better="lower",
            summary="Whether two members are right on the same test examples: 1 on the same, 0 by chance, -1 on others.",
            compute=scores.of_pairs(mean_q),
            low=-1.0,
        ),
        Measure(
            key="disagreement",
            name="Disagreement of the members",
            group="Diversity of the members",
            better="higher",
            summary="Share of test examples that one of two members gets right and the other wrong, mean over the pairs.",
            compute=scores.of_pairs(mean_disagreement),
            unit="share",
        ),
        Measure(
            key="mean_kappa",
            name="Kappa between members",
            group="Diversity of the members",
            better="lower",
            summary="Agreement of two members beyond chance on the test set, mean over the pairs: 1 means all are alike.",
            compute=scores.of_pairs(mean_kappa),
            low=-1.0,
        ),
    )
}


#: Every number that a trial may leave behind, by key.
KNOWN: dict[str, Meaning] = {**MEASURES, **PROTOCOL_MEASURES}


def evaluate(keys: Sequence[str], predictions: Predictions) -> dict[str, float]:
    """Return the measures called `keys`; NaN where a measure is not defined for these predictions."""
    return {key: MEASURES[key].compute(predictions) for key in keys}
