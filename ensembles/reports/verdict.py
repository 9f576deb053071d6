"""The verdict on an experiment: which learner is best, which cannot be told from it, which are clearly worse, at what cost.

`verdict_of` compares, by the test that fits the experiment; `verdict_words` says it in sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from ensembles.evaluation.influence import OF_PREDICTED
from ensembles.evaluation.standings import Floats
from ensembles.evaluation.verdict import Beside, Comparison, Standing, fair_means, on_splits, over_datasets
from ensembles.evaluation.verdict_on_examples import on_examples, on_predictions, on_stretches
from ensembles.experiments.config import ExperimentConfig, Prequential, Protocol
from ensembles.experiments.learner_keys import learner_keys
from ensembles.experiments.results import Results, check_learners
from ensembles.experiments.trials import n_orders
from ensembles.reports import formatting
from ensembles.reports.predictions import (
    final_answers,
    has_predictions,
    left_classes,
    left_predictions,
    left_stretches,
    predicted_classes,
    right_answers,
    right_on_stretches,
)
from ensembles.reports.shared_means import counted_once, independent_means, sources_of
from ensembles.reports.significance import Question, split_values
from ensembles.reports.unasked import are_asked_alike

__all__ = ["CHANCES", "OF_CLASSES", "Verdict", "default_measure", "reads_predictions", "verdict_of"]

_STANDINGS: dict[Standing, str] = {
    "best": "best",
    "tied": "cannot be told apart",
    "worse": "clearly worse",
    "undecided": "too little to tell",
}

CHANCES = ("Probably better", "Probably the same", "Probably worse")
"""What people read for the three probabilities of the Bayesian correlated t-test."""

OF_CLASSES = ("accuracy", "error")
"""Measures of which single predictions tell."""


@dataclass(frozen=True)
class Verdict:
    """Learners beside the best one, with what they are called and what they cost.

    Attributes
    ----------
    measure : str
        Key of the measure; "" without a finished trial.
    comparison : Comparison
    means : tuple of float
        Of the measure, by learner: over the splits, data sets or examples compared.
    labels, keys : tuple of str
        By position of the learner: what people and what programs read.
    costs : tuple of float
        Processor seconds to train and to predict, the median over trials, summed over data sets; NaN where unknown.
    n_datasets : int
    protocol : Protocol
    orders : int
        In how many the training examples came, to learners to whom that matters.
    counted_once : str
        Which data sets count as one, and why.
    """

    measure: str
    comparison: Comparison
    means: tuple[float, ...]
    labels: tuple[str, ...]
    keys: tuple[str, ...]
    costs: tuple[float, ...]
    n_datasets: int
    protocol: Protocol
    orders: int
    counted_once: str = ""

    @property
    def rows(self) -> tuple[Beside, ...]:
        """Every learner, the best first."""
        return self.comparison.rows

    @property
    def is_tested(self) -> bool:
        """Whether a test told anything of any learner, or there was nothing to test: all never differ from the best."""
        told = self.standing("tied", "worse")
        return any(not row.same for row in told) or (bool(told) and all(row.why != "few" for row in self.rows))

    @property
    def level(self) -> tuple[Beside, ...]:
        """The learners that come as far as the first, itself among them; those that never differ from it are the same."""
        return tuple(row for row in self.rows if row.standing == "best" or (row.behind == 0.0 and not row.same))

    @property
    def is_level(self) -> bool:
        """Whether nothing was tested and others come as far as the first, which then is ahead of nobody."""
        return not self.is_tested and len(self.level) > 1

    def standing(self, *standings: Standing) -> list[Beside]:
        """Return the learners that stand so."""
        return [row for row in self.rows if row.standing in standings]

    def word(self, row: Beside) -> str:
        """Return what people read for the standing of a learner."""
        if row.same or row.why == "missing":
            return "the same" if row.same else "not compared"
        if self.is_level and row in self.level:
            return "level with others"
        return "ahead" if row.standing == "best" and not self.is_tested else _STANDINGS[row.standing]

    def to_plain(self) -> dict[str, Any]:
        """Return what programs read: learners by their keys; null and empty without a finished trial."""

        def keys(standing: Standing) -> list[str]:
            return [self.keys[row.learner] for row in self.standing(standing)]

        return {
            "measure": self.measure or None,
            "best": next(iter(keys("best")), None),
            "tied": keys("tied"),
            "worse": keys("worse"),
            "undecided": keys("undecided"),
            "test": self.comparison.test if self.is_tested else None,
            "cost": {
                key: None if np.isnan(cost) else cost
                for key, cost in zip(self.keys, self.costs, strict=True)
                if self.rows
            },
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers behind it, one row a learner, the best first."""
        by_rank = self.comparison.test == "wilcoxon"
        name = formatting.measure_name(self.measure)
        columns: dict[str, list[Any]] = {
            "Learner": [self.labels[row.learner] for row in self.rows],
            "Verdict": [self.word(row) for row in self.rows],
            "Ranks behind the best" if by_rank else "Behind the best": [row.behind for row in self.rows],
            "From": [row.low for row in self.rows],
            "To": [row.high for row in self.rows],
            "p adjusted": [row.adjusted for row in self.rows],
            "p": [row.p_value for row in self.rows],
            f"{name}, mean": [self.means[row.learner] for row in self.rows],
            "Processor seconds": [self.costs[row.learner] for row in self.rows],
        }
        if by_rank:
            columns["Mean rank"] = [row.value for row in self.rows]
        if any(row.to_tell for row in self.rows):
            unit = "Data sets" if by_rank else "Splits"
            columns[f"{unit} that would tell"] = [str(row.to_tell or "") for row in self.rows]
        if any(row.chances for row in self.rows):
            told = np.array([row.chances or (np.nan,) * 3 for row in self.rows])
            columns |= dict(zip(CHANCES, told.T.tolist(), strict=True))
        return pd.DataFrame(columns)

    def to_chances(self) -> pd.DataFrame:
        """Return how probable it is that learners are better than the best one, practically the same, or worse.

        Returns
        -------
        DataFrame of float, shape (n_tested, 3)
            By labels of the learners, columns `CHANCES`; no row where splits were not compared.
        """
        told = {self.labels[row.learner]: row.chances for row in self.rows if row.chances}
        return pd.DataFrame(list(told.values()), index=list(told), columns=list(CHANCES), dtype=float)


def reads_predictions(config: ExperimentConfig) -> bool:
    """Whether the verdict reads single predictions, so curves: there is one data set, one split, and they are kept."""
    return len(config.datasets) == 1 and config.protocol.splits == (1, 1) and has_predictions(config)


_verdicts: WeakKeyDictionary[Results, dict[str, Verdict]] = WeakKeyDictionary()


def verdict_of(results: Results, measure: str = "") -> Verdict:
    """Compare all learners with the best one, at the level 0.05; once for the same results, which never change.

    On one data set by its splits; on one split, as a stream is, by the kept predictions; else over data sets.

    Parameters
    ----------
    measure : str
        A measure of the results; `default_measure` by default.
    """
    check_learners("verdict_of", results)
    known = _verdicts.setdefault(results, {})
    measure = measure or default_measure(results)
    if measure not in known:
        known[measure] = _verdict_of(results, measure)
    return known[measure]


def default_measure(results: Results) -> str:
    """Return what learners are compared by where nobody chose: "" without a finished trial.

    The first of accuracy and error that the experiment asks for, else accuracy, else any measure; of kept predictions
    the error. Of means over streams of whose head some were not asked, the final accuracy, if all were asked about that.
    """
    if results.finished.empty:
        return ""
    wanted = [*results.config.measures, *results.measures]
    known = [measure for measure in wanted if measure in results.measures and results.values(measure).notna().any()]
    found = next((measure for measure in known if measure in OF_CLASSES), next(iter(known), ""))
    if found not in OF_CLASSES:
        return found
    if _by_predictions(results):
        return "error"
    final = "final_accuracy"
    is_fairer = not are_asked_alike(results, found) and are_asked_alike(results, final) and final in results.measures
    return final if is_fairer else found


def _by_predictions(results: Results) -> bool:
    """Whether learners are compared on examples. It goes by what trials have left: older ones of streams left nothing."""
    return reads_predictions(results.config) and (left_predictions(results) or left_stretches(results))


def _verdict_of(results: Results, measure: str) -> Verdict:
    comparison, means = _compare(results, measure)
    return Verdict(
        measure,
        comparison,
        tuple(means.tolist()),
        results.learners,
        learner_keys(results.config.learners),
        _costs(results),
        len(results.datasets),
        results.config.protocol,
        max(n_orders(results.config, learner) for learner in results.config.learners),
        counted_once(results),
    )


def _compare(results: Results, measure: str) -> tuple[Comparison, Floats]:
    """Return the comparison, and the means of the measure that it is of."""
    if not measure:
        return on_splits(np.empty((0, len(results.learners))), test_train_ratio=0.0), np.empty(0)
    question = Question(measure)
    datasets = split_values(results, question)
    lower = question.lower_is_better
    if len(datasets) > 1:
        means = independent_means(results, measure)
        splits = [np.vstack([datasets[place].values for place in places]) for places in sources_of(results)]
        complete = over_datasets(means, lower_is_better=lower, splits=splits)
        ranked = [row.learner for row in complete.rows if not np.isnan(row.value)]
        shared = np.isfinite(means[:, ranked]).all(axis=1)
        return complete, means[shared].mean(axis=0) if shared.any() else np.full(means.shape[1], np.nan)
    if _by_predictions(results) and (found := _compare_examples(results, measure, lower)):
        return found
    [(values, ratio, n_test, grain)] = datasets
    amounts = formatting.is_amount(measure)
    compared = on_splits(
        values, test_train_ratio=ratio, lower_is_better=lower, amounts=amounts, n_test=n_test, grain=grain
    )
    return compared, fair_means(values)


def _compare_examples(results: Results, measure: str, lower: bool) -> tuple[Comparison, Floats] | None:
    """Return the comparison on the examples of one test set or stream, and the means; None of measures they do not tell."""
    in_order = isinstance(results.config.protocol, Prequential)
    if not left_predictions(results):
        if measure not in OF_CLASSES:
            return None
        comparison = on_stretches(*right_on_stretches(results, 0), lower_is_better=lower)
        return comparison, _values_of(comparison, len(results.learners))
    if measure in OF_CLASSES or (measure == "final_accuracy" and in_order):
        right = right_answers(results, 0) if measure in OF_CLASSES else final_answers(results, 0)
        means = fair_means(1.0 - right if lower else right)
        return on_examples(right, lower_is_better=lower, in_order=in_order), means
    if measure not in OF_PREDICTED or not left_classes(results):
        return None
    comparison = on_predictions(measure, *predicted_classes(results, 0), in_order=in_order)
    return comparison, _values_of(comparison, len(results.learners))


def _values_of(comparison: Comparison, n_learners: int) -> Floats:
    values = np.full(n_learners, np.nan)
    for row in comparison.rows:
        values[row.learner] = row.value
    return values


def _costs(results: Results) -> tuple[float, ...]:
    """Return seconds by learner, over the data sets that any has finished; a stream has no time to predict of its own."""
    if results.finished.empty:
        return (float("nan"),) * len(results.learners)
    seconds = results.values("fit_cpu_seconds") + results.values("predict_cpu_seconds").fillna(0.0)
    sums = results.by_cell(seconds, "median").loc[results.n_splits.index].sum(axis=0, skipna=False)
    return tuple(float(seconds) for seconds in sums)
