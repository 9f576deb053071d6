"""All learners against the best one on the predictions of one test set or stream: by error, or by a measure of classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import check_level, numbers_in, sizes_in
from ensembles.evaluation.comparable import as_table, best_of, compared_in, means_of
from ensembles.evaluation.finding import DECIMALS, Values
from ensembles.evaluation.influence import OF_PREDICTED, influences
from ensembles.evaluation.long_run import LongRun, long_run_errors, long_run_errors_of_sums
from ensembles.evaluation.significance import mcnemar_test
from ensembles.evaluation.standings import Comparison, Floats, Test, Tested, judge, nothing, number_of_pairs

__all__ = ["BY_CLASS", "FEWEST_EXAMPLES", "FEWEST_OF_A_CLASS", "on_examples", "on_predictions", "on_stretches"]

FEWEST_EXAMPLES = 30
"""Examples from which the spread of other measures than the error is taken: of fewer their influences are no guide."""

FEWEST_OF_A_CLASS = 20
"""Examples from which that of measures is taken in which one of a rare class counts for many of others: see `BY_CLASS`."""

BY_CLASS = ("balanced_accuracy", "macro_f1", "matthews_correlation")
"""The first needs so many examples of each class; the second too, and so many predictions of one that does not occur; the
last so many of both beside the most frequent class."""


def on_examples(
    right: Values, *, lower_is_better: bool = True, in_order: bool = True, alpha: float = 0.05
) -> Comparison:
    """Compare learners on the examples of a test set by McNemar's exact test, on those of a stream by a t-test as well.

    Neighbours on a stream resemble each other, which McNemar's test does not know: of equal learners it would call one
    clearly worse in up to all of the experiments. So there a p-value is the larger one of its and that of Student's t for
    the mean difference, with the standard error of `long_run_errors`. Values are error rates, or accuracies where higher
    is better.

    Parameters
    ----------
    right : array_like of float, shape (n_examples, n_learners)
        1 where a prediction was right, 0 where it was wrong, in the order of the stream; NaN is missing.
    in_order : bool
        Whether the examples have one, as on a stream.
    """
    check_level("on_examples", alpha)
    table = as_table("on_examples", right)
    compared, shared = compared_in(table)
    if not (compared.any() and shared.any()):
        return nothing("mcnemar", alpha)
    wrong = 1.0 - table[shared]
    value = np.where(compared, means_of(wrong), np.nan)
    best = best_of(value, lower_is_better=True)
    errors = partial(long_run_errors, in_order=in_order)
    behind, own, p_value = _by_series(np.round(value - value[best], DECIMALS), wrong, best, errors, alpha)
    if not in_order:
        p_value = np.full(len(value), np.nan)
    for learner in np.flatnonzero(compared):
        exact = mcnemar_test(1.0 - wrong[:, learner], 1.0 - wrong[:, best], alpha=alpha).p_value
        p_value[learner] = np.fmax(p_value[learner], np.nan if exact is None else exact)
    same = np.nan_to_num(np.abs(wrong - wrong[:, [best]]), nan=1.0).max(axis=0) == 0.0
    shown = value if lower_is_better else 1.0 - value
    tested = Tested(shown, *behind, p_value, behind[0] > 0, same)
    could_tell = 2.0 ** (1 - len(wrong)) * number_of_pairs(int(compared.sum())) < alpha
    found = judge("mcnemar", tested, best, compared, np.full(len(value), could_tell), alpha, len(wrong))
    return found._replace(low=float(shown[best]) - own, high=float(shown[best]) + own)


def on_stretches(
    right: npt.ArrayLike, sizes: npt.ArrayLike, *, lower_is_better: bool = True, alpha: float = 0.05
) -> Comparison:
    """Compare learners on a stream by how often each was right on stretches of it: by the t-test of `on_examples`.

    For McNemar's test, which takes examples for independent, one would have to know each of them.

    Parameters
    ----------
    right : array_like of float, shape (n_stretches, n_learners)
        How many predictions were right, in the order of the stream; NaN is missing.
    sizes : array_like of int, shape (n_stretches,)
        How many predictions there were.
    """
    check_level("on_stretches", alpha)
    table = as_table("on_stretches", right, "right", "stretch")
    lengths = sizes_in("on_stretches", "sizes", sizes, len(table))
    if (odd := np.argwhere((table < 0.0) | (table > lengths[:, np.newaxis]))).size:
        n, size = table[*odd[0]], lengths[odd[0][0]]
        raise InvalidInput(f"on_stretches: right must be in [0, size of the stretch], got {n:g} of {size:g}")
    compared, shared = compared_in(np.where(np.isnan(lengths)[:, np.newaxis], np.nan, table))
    lengths = lengths[shared]
    if not (compared.any() and lengths.any()):
        return nothing("long_run", alpha)
    wrong, n = lengths[:, np.newaxis] - table[shared], int(lengths.sum())
    value = np.where(compared, wrong.sum(axis=0) / n, np.nan)
    best = best_of(value, lower_is_better=True)
    errors = partial(long_run_errors_of_sums, sizes=lengths)
    behind, own, p_value = _by_series(np.round(value - value[best], DECIMALS), wrong, best, errors, alpha)
    shown, nobody = value if lower_is_better else 1.0 - value, np.zeros(len(value), dtype=bool)
    tested = Tested(shown, *behind, p_value, behind[0] > 0, nobody)
    found = judge("long_run", tested, best, compared, np.full(len(value), n >= FEWEST_EXAMPLES), alpha, n)
    return found._replace(low=float(shown[best]) - own, high=float(shown[best]) + own)


def on_predictions(
    measure: str,
    true: npt.ArrayLike,
    predicted: npt.ArrayLike,
    *,
    in_order: bool = True,
    alpha: float = 0.05,
) -> Comparison:
    """Compare learners by a measure of predicted classes (higher is better), which has no test of single examples.

    Student's t for the difference of two learners, its standard error from the influences of examples on it (the delta
    method): on a stream by `long_run_errors`, else the ordinary one.

    Parameters
    ----------
    measure : str
        A key of `OF_PREDICTED` but `error`.
    true : array_like of int, shape (n_examples,) or (n_examples, n_learners)
        Classes, from 0, in the order of the stream, or of each learner's own.
    predicted : array_like of float, shape (n_examples, n_learners)
        NaN is missing.
    """
    check_level("on_predictions", alpha)
    if measure not in OF_PREDICTED or measure == "error":
        known = ", ".join(key for key in OF_PREDICTED if key != "error")
        raise InvalidInput(f"on_predictions: measure must be one of {known}, got {measure!r}")
    table = as_table("on_predictions", predicted, "predicted")
    by_learner = _classes_for(table, true)
    compared, shared = compared_in(table)
    test: Test = "long_run" if in_order else "delta"
    if not (compared.any() and shared.any()):
        return nothing(test, alpha)
    told, classes = table[shared], by_learner[shared]
    value, series = _influences(measure, classes, told, compared)
    if np.isnan(value).all():
        return nothing(test, alpha)
    compared = compared & ~np.isnan(value)
    best = best_of(value, lower_is_better=False)
    errors = partial(long_run_errors, in_order=in_order)
    behind, own, p_value = _by_series(np.round(value[best] - value, DECIMALS), -series, best, errors, alpha)
    same = np.nan_to_num(np.abs(told - told[:, [best]]), nan=1.0).max(axis=0) == 0.0
    tested = Tested(value, *behind, p_value, behind[0] > 0, same)
    could_tell = _can_tell(measure, classes[:, best], told, best)
    found = judge(test, tested, best, compared, could_tell, alpha, len(told))
    return found._replace(low=float(value[best]) - own, high=float(value[best]) + own)


def _classes_for(predicted: Floats, true: npt.ArrayLike) -> Floats:
    """Return the true class of each prediction; raise `InvalidInput` where there is none, or what is no class."""
    own = numbers_in("on_predictions", "true", true)
    if own.shape not in (predicted.shape, predicted.shape[:1]):
        raise InvalidInput(
            f"on_predictions: true must be of {len(predicted)} examples, as predicted, got shape {own.shape}"
        )
    classes = np.broadcast_to(own[:, np.newaxis] if own.ndim == 1 else own, predicted.shape)
    odd = [told[(told < 0.0) | (told % 1.0 > 0.0)] for told in (own, predicted)]
    odd.append(classes[np.isnan(classes) & ~np.isnan(predicted)])
    if (wrong := np.concatenate(odd)).size:
        raise InvalidInput(f"on_predictions: classes must be integers >= 0, got {wrong[0]:g}")
    return classes


def _can_tell(measure: str, true: Floats, told: Floats, best: int) -> npt.NDArray[np.bool_]:
    """Return of which learners examples are enough to take the spread of a measure from."""
    n = len(true)
    fewest = np.full(told.shape[1], float(n))
    if measure == "balanced_accuracy":
        fewest[:] = _counts(true).min()
    if measure == "macro_f1":
        seen = [np.concatenate([true, one[~np.isin(one, true)]]) for one in told.T]
        least = np.array([_counts(one).min() for one in seen])
        fewest = np.minimum(least, least[best])
    if measure == "matthews_correlation":
        beside = np.array([n - _counts(one).max() for one in told.T])
        fewest = np.minimum(beside, min(beside[best], n - _counts(true).max()))
    return (fewest >= FEWEST_OF_A_CLASS) & (n >= FEWEST_EXAMPLES)


def _counts(classes: Floats) -> npt.NDArray[np.int64]:
    return np.unique(classes, return_counts=True)[1]


def _influences(measure: str, true: Floats, told: Floats, compared: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the measure of each compared learner, and the influence of every example on it."""
    n_classes = int(max(np.nanmax(true), np.nanmax(told))) + 1
    value, series = np.full(told.shape[1], np.nan), np.full(told.shape, np.nan)
    for learner in np.flatnonzero(compared):
        own, said = true[:, learner].astype(np.int64), told[:, learner].astype(np.int64)
        value[learner], series[:, learner] = influences(measure, own, said, n_classes)
    return np.round(value, DECIMALS), series


def _by_series(
    behind: Floats, series: Floats, best: int, errors_of: Callable[[Floats], LongRun], alpha: float
) -> tuple[tuple[Floats, Floats, Floats], float, Floats]:
    """Return how far learners are behind with intervals, half the interval of the best itself, and p-values.

    Parameters
    ----------
    series : ndarray of float, shape (n_examples, n_learners)
        Whose means spread as the values of the learners do; NaN of those that are not compared.
    errors_of : callable
        Tells how far they spread.
    """
    apart = np.nan_to_num(series - series[:, [best]])
    found, own = (errors_of(one) for one in (apart, series[:, [best]]))
    unknown = np.isnan(behind) | (found.freedom < 1)
    scale = np.where(unknown, np.nan, found.scale)
    reach, own_reach = (stats.t.isf(alpha / 2.0, max(one.freedom, 1)) for one in (found, own))
    certain = np.where(behind == 0.0, 1.0, 0.0)
    spread = np.where(scale > 0.0, scale, 1.0)
    p_value = np.where(scale > 0.0, 2.0 * stats.t.sf(np.abs(behind) / spread, max(found.freedom, 1)), certain)
    ends = behind - reach * scale, behind + reach * scale
    own_scale = own.scale[0] if own.scale[0] > 0.0 else np.nan  # nothing tells how sure it is to be right everywhere
    return (behind, *ends), float(own_reach * own_scale), np.where(unknown, np.nan, p_value)
