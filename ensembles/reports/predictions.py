"""McNemar's test from the single predictions that trials keep: two learners on one test set."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.evaluation.prequential import begin_final
from ensembles.evaluation.right_or_wrong import RIGHT_ON_STRETCHES, RIGHT_OR_WRONG, unpack_right
from ensembles.evaluation.significance import ASSUMES, Finding, mcnemar_test
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.results import Results

__all__ = [
    "final_answers",
    "has_predictions",
    "left_classes",
    "left_predictions",
    "left_stretches",
    "mcnemar_finding",
    "mcnemar_reads",
    "mcnemar_table",
    "predicted_classes",
    "right_answers",
    "right_on_stretches",
]

_SPLIT = ["repeat", "fold", "order"]
_PREDICTIONS = (RIGHT_OR_WRONG, RIGHT_ON_STRETCHES, "predictions", "predictions_true")


def has_predictions(config: ExperimentConfig) -> bool:
    """Whether trials of this experiment keep their predictions, or of a stream whether they were right."""
    return "predictions" in (*config.curves, *config.protocol.own_curves)


def left_predictions(results: Results) -> bool:
    """Whether any trial has left some: streams did not always, and those of over five million examples leave sums."""
    return bool(results.curves["curve"].isin(("predictions", RIGHT_OR_WRONG)).any())


def left_stretches(results: Results) -> bool:
    """Whether any trial has left how often it was right on stretches of a long stream."""
    return bool((results.curves["curve"] == RIGHT_ON_STRETCHES).any())


def left_classes(results: Results) -> bool:
    """Whether any trial has left the classes that it predicted, as the curve `predictions` does."""
    return bool((results.curves["curve"] == "predictions").any())


def mcnemar_finding(results: Results, dataset: int, first: int, second: int, alpha: float = 0.05) -> Finding:
    """Compare two learners (by position) on the test examples of the first split and order that both were tested on.

    One split only: the training sets of several overlap, and every example would count several times.
    """
    right = {learner: _right(results, dataset, learner) for learner in (first, second)}
    return _compare(results, right, first, second, alpha)


def _compare(results: Results, right: Mapping[int, "pd.Series[Any]"], first: int, second: int, alpha: float) -> Finding:
    one, other = right[first], right[second]
    if isinstance(one.index, pd.MultiIndex):
        splits = [{*right.groupby(level=_SPLIT).size().index} for right in (one, other)]
        shared = min(set.intersection(*splits), default=None)
        one, other = (right.iloc[:0] if shared is None else right.loc[shared] for right in (one, other))
    one, other = one.align(other, join="inner")
    names, in_order = (results.learners[first], results.learners[second]), _is_stream(results)
    return mcnemar_test(one, other, in_order=in_order, alpha=alpha, names=names)


def mcnemar_reads(results: Results) -> str:
    """Return what the table is about, and what the test takes for granted."""
    gain = "Gain: right predictions of the other learner more than of the learner, by test examples."
    if not _is_stream(results):
        return f"McNemar's test on the test examples of the first split and order. {gain} {ASSUMES['mcnemar']}"
    return (
        "McNemar's test on the examples of the first order takes them for independent, and neighbours on a stream resemble "
        f"each other: so p is the larger one of its p-value and that of a t-test over the long run. {gain} "
        f"{ASSUMES['long_run']}"
    )


def _is_stream(results: Results) -> bool:
    return isinstance(results.config.protocol, Prequential)


def mcnemar_table(results: Results, learners: tuple[int, ...] | None = None, alpha: float = 0.05) -> pd.DataFrame:
    """Return one row a data set and pair of learners (all pairs by default): test examples, gain, p-value, sentence."""
    chosen = range(len(results.learners)) if learners is None else learners
    rows = []
    for dataset, name in enumerate(results.datasets):
        right = {learner: _right(results, dataset, learner) for learner in chosen}
        for first, second in combinations(chosen, 2):
            found = _compare(results, right, first, second, alpha)
            names = results.learners[first], results.learners[second]
            rows.append((name, *names, found.n, found.gain, found.p_value, found.sentence))
    columns = ["Data set", "Learner", "Other learner", "Test examples", "Gain of the other", "p", "Finding"]
    return pd.DataFrame(rows, columns=columns).astype({"Gain of the other": float, "p": float})


def right_answers(results: Results, dataset: int) -> npt.NDArray[np.float64]:
    """Return whether the predictions of each learner's first split and order were right, in the order of their examples.

    Of a stream from its first example on, whoever was asked. Learners of experiments put together may have orders of their
    own.

    Returns
    -------
    ndarray of float, shape (n_examples, n_learners)
        1 or 0; NaN where a learner has none.
    """
    found = [_of_first_split(results, dataset, learner) for learner in range(len(results.learners))]
    together = pd.concat(found, axis=1, sort=True)
    if _is_stream(results) and len(together):
        together = together.reindex(np.arange(together.index.max() + 1.0))
    return together.to_numpy(dtype=float)


def right_on_stretches(results: Results, dataset: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return how often the predictions of each learner's first order were right on stretches of a stream, in order.

    Returns
    -------
    right : ndarray of float, shape (n_stretches, n_learners)
        NaN where a learner has none: one whose encoder learned the head of the stream has the first stretch to itself.
    sizes : ndarray of float, shape (n_stretches,)
        How many predictions.
    """
    counts, sizes = [], []
    for learner in range(len(results.learners)):
        mine = _first_split(results, dataset, learner)
        mine = mine[mine["curve"] == RIGHT_ON_STRETCHES].sort_values("x")
        starts = pd.Index(mine["x"].to_numpy(dtype=float)[:-1], name="x")
        counts.append(pd.Series(mine["y"].to_numpy(dtype=float)[:-1], index=starts))
        sizes.append(pd.Series(np.diff(mine["x"].to_numpy(dtype=float)), index=starts))
    right, lengths = (pd.concat(some, axis=1, sort=True) for some in (counts, sizes))
    return right.to_numpy(dtype=float), lengths.max(axis=1).to_numpy(dtype=float)


def final_answers(results: Results, dataset: int) -> npt.NDArray[np.float64]:
    """Return those of `right_answers` that are in the final part of a stream."""
    protocol = results.config.protocol
    assert isinstance(protocol, Prequential)
    right = right_answers(results, dataset)
    n = int(results.finished.loc[results.finished["dataset"] == dataset, "n_train"].max())
    return right[-min(n - begin_final(n, protocol.final_fraction), len(right)) :]


def predicted_classes(results: Results, dataset: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the true and the predicted classes of the examples of each learner's first split and order, in their order.

    Returns
    -------
    ndarray, ndarray of float, shape (n_examples, n_learners)
        Positions in the classes of the data set; NaN where a learner has none.
    """
    firsts = [_first_split(results, dataset, learner) for learner in range(len(results.learners))]
    true, told = (
        pd.concat([one[one["curve"] == name].set_index("x")["y"] for one in firsts], axis=1, sort=True)
        for name in ("predictions_true", "predictions")
    )
    return true.reindex(told.index).to_numpy(dtype=float), told.to_numpy(dtype=float)


def _right(results: Results, dataset: int, learner: int) -> "pd.Series[Any]":
    """Return whether each prediction was right, by repeat, fold, order and example; of a stream's first order by example."""
    curves = results.curves
    if isinstance(results.config.protocol, Prequential):
        return _of_first_split(results, dataset, learner)
    return _were_right(curves[(curves["dataset"] == dataset) & (curves["learner"] == learner)], [*_SPLIT, "x"])


def _first_split(results: Results, dataset: int, learner: int) -> pd.DataFrame:
    """Return what a learner has left of its predictions in its first split and order."""
    curves = results.curves
    kept = curves["curve"].isin(_PREDICTIONS)
    mine = curves[(curves["dataset"] == dataset) & (curves["learner"] == learner) & kept]
    if mine.empty:
        return mine
    return mine[(mine[_SPLIT] == min(mine[_SPLIT].drop_duplicates().to_numpy().tolist())).all(axis=1)]


def _of_first_split(results: Results, dataset: int, learner: int) -> "pd.Series[float]":
    """Return whether each prediction of its first split and order was right, by example."""
    mine = _first_split(results, dataset, learner)
    packed = mine[mine["curve"] == RIGHT_OR_WRONG]
    if packed.empty:
        return _were_right(mine, ["x"]).astype(float)
    places, right = unpack_right(packed["x"].to_numpy(dtype=float), packed["y"].to_numpy(dtype=float))
    return pd.Series(right.astype(float), index=pd.Index(places.astype(float), name="x"))


def _were_right(curves: pd.DataFrame, by: list[str]) -> "pd.Series[Any]":
    """Return whether each prediction among the points was right, by what names it."""
    told, true = (curves[curves["curve"] == name].set_index(by)["y"] for name in ("predictions", "predictions_true"))
    return pd.Series(np.equal(told, true.reindex(told.index)), index=told.index)
