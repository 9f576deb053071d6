"""Significance on each data set, in tables: the thesis' table of marked means, and all pairs of learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.errors import InvalidParameter
from ensembles.evaluation.checks import check_level, check_whole
from ensembles.evaluation.influence import OF_PREDICTED
from ensembles.evaluation.significance import ASSUMES, Finding, corrected_t_test, paired_t_test, t_tests, verdicts
from ensembles.experiments.results import Results, check_learners
from ensembles.registry import within_sentence
from ensembles.reports import formatting
from ensembles.reports.tables import mean_table, single_models

__all__ = [
    "TESTABLE",
    "TESTS",
    "AllPairs",
    "MarkedMeans",
    "Question",
    "Splits",
    "all_pairs",
    "can_be_tested",
    "cell_finding",
    "default_reference",
    "marked_means",
    "pair_verdicts",
    "split_values",
]

TESTS = {"corrected": "Corrected resampled t-test", "paired": "Paired t-test, as in the thesis"}
"""Tests of two learners on one data set, by key; the first is the default."""

TESTABLE = "two or more splits of a data set"
"""What a test on one data set needs."""
_SINGLE = "the single model of the same base model"


@dataclass(frozen=True)
class Question:
    """What is tested: a measure, by a test of `TESTS`, at a level in (0, 1)."""

    measure: str
    test: str = "corrected"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_level("question", self.alpha)
        if self.test not in TESTS:
            raise InvalidParameter(f"question: test must be one of {', '.join(TESTS)}, got {self.test!r}")

    @property
    def lower_is_better(self) -> bool:
        """Whether a smaller value is the better one."""
        return formatting.lower_is_better(self.measure)

    @property
    def words(self) -> str:
        """Return test and level: "corrected resampled t-test at 0.05"."""
        return f"{within_sentence(TESTS[self.test])}, at {self.alpha:g}"


@dataclass(frozen=True)
class MarkedMeans:
    """Means, each with its verdict against a reference, and against one more learner.

    Attributes
    ----------
    means : DataFrame of float, shape (n_datasets, n_learners)
        By the names people read; NaN where no trial has finished.
    marks, daggers : DataFrame of str
        Shaped alike: better, worse, equal or unknown, against the reference and against the other learner.
    reference : str
        What the marks compare with, as it stands in a sentence.
    other : str or None
        The learner that daggers compare with.
    """

    question: Question
    means: pd.DataFrame
    marks: pd.DataFrame
    daggers: pd.DataFrame
    reference: str
    other: str | None

    def legend(self, better: str = "Bold", worse: str = "italic") -> str:
        """What the marks mean, by the names of the two signs."""
        daggers = f" † better, ‡ worse than {self.other}." if self.other else ""
        return f"{better}: significantly better than {self.reference}, {worse}: worse; {self.question.words}.{daggers}"

    @property
    def assumes(self) -> str:
        """What the test takes for granted."""
        return ASSUMES[self.question.test]

    @property
    def is_tested(self) -> bool:
        """Whether any cell could be tested against the reference."""
        return bool((self.marks != "unknown").to_numpy().any())

    @property
    def sentence(self) -> str:
        """How many cells differ, or why none can be told."""
        if not self.is_tested:
            return (
                f"No cell can be tested: {self.needed}. On a stream or given test set, the verdict tells learners apart by "
                "examples, McNemar's test by predictions that are kept."
            )
        better, worse, equal = (int((self.marks == one).to_numpy().sum()) for one in ("better", "worse", "equal"))
        cells = formatting.pluralize(better + worse + equal, "tested cell")
        return f"Of {cells}, {better:,} better and {worse:,} worse than {self.reference}."

    @property
    def needed(self) -> str:
        """What a test of a cell needs."""
        return f"a test by splits takes {self.reference}, another learner, and two or more splits with both"

    @property
    def caption(self) -> str:
        """What the table says, how to read it and what it assumes; or why nothing is tested."""
        return f"{self.sentence} {self.legend()} {self.assumes}" if self.is_tested else self.sentence

    def dagger_signs(self) -> pd.DataFrame:
        """Return "†" for better, "‡" for worse, else nothing, shaped like `means`."""
        return self.daggers.map(lambda verdict: {"better": "†", "worse": "‡"}.get(verdict, ""))

    def to_frame(self) -> pd.DataFrame:
        """Return numbers and verdicts side by side, one row a data set."""
        columns: dict[str, Sequence[object]] = {"Data set": list(self.means.index)}
        for learner in self.means.columns:
            columns[learner] = self.means[learner].tolist()
            columns[f"{learner}, against {self.reference}"] = self.marks[learner].tolist()
            if self.other:
                columns[f"{learner}, against {self.other}"] = self.daggers[learner].tolist()
        return pd.DataFrame(columns)


@dataclass(frozen=True)
class AllPairs:
    """On how many data sets the learner of a row is significantly better, not different, or worse than a column's.

    `wins`, `ties` and `losses` are arrays of int, shape (n_learners, n_learners).
    """

    question: Question
    names: tuple[str, ...]
    wins: npt.NDArray[np.int64]
    ties: npt.NDArray[np.int64]
    losses: npt.NDArray[np.int64]

    @property
    def sentence(self) -> str:
        """How to read it."""
        tested = self.wins + self.ties + self.losses
        if not tested.any():
            return "No pair of learners can be tested: that needs two or more splits of a data set with both."
        return (
            "Each cell: on how many data sets the learner of the row is significantly better / not different / worse "
            f"than the learner of the column ({self.question.words})."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return "3 / 1 / 0" for each pair; a dash on the diagonal and where nothing can be tested."""
        cells = [
            [f"{w} / {t} / {v}" if w + t + v else formatting.UNKNOWN for w, t, v in zip(*row, strict=True)]
            for row in zip(self.wins.tolist(), self.ties.tolist(), self.losses.tolist(), strict=True)
        ]
        return pd.DataFrame(cells, index=list(self.names), columns=list(self.names))


def can_be_tested(results: Results) -> bool:
    """Whether any data set has the splits that a test on one data set needs."""
    return bool((results.n_splits > 1).any())


def default_reference(results: Results) -> int | None:
    """Return which learner all are compared with before one is chosen.

    None is the single model of the same base model; where no other learner has one it is the first learner.
    """
    singles = single_models(results.config.learners)
    return None if any(single not in (None, learner) for learner, single in enumerate(singles)) else 0


def marked_means(
    results: Results, question: Question, reference: int | None = None, other: int | None = None
) -> MarkedMeans:
    """Return the thesis' table: means, marked where they differ from a reference.

    Parameters
    ----------
    reference : int, optional
        Position of the learner that all are compared with; by default each with the single model of its base model.
    other : int, optional
        Position of the learner that daggers compare with.
    """
    check_learners("marked_means", results, reference=reference, other=other)
    singles = single_models(results.config.learners)
    references = singles if reference is None else (reference,) * len(results.learners)

    def named(grid: npt.NDArray[Any]) -> pd.DataFrame:
        return pd.DataFrame(grid, index=list(results.datasets), columns=list(results.learners))

    return MarkedMeans(
        question,
        mean_table(results, question.measure),
        named(_against(results, question, references)),
        named(_against(results, question, (other,) * len(references))),
        _SINGLE if reference is None else results.learners[reference],
        None if other is None else results.learners[other],
    )


def all_pairs(results: Results, question: Question) -> AllPairs:
    """Return how often each learner is significantly better than each other one."""
    counts = np.zeros((3, len(results.learners), len(results.learners)), dtype=np.int64)
    for values, ratio, n_test, grain in split_values(results, question):
        gains = _signed(question, values[:, :, np.newaxis] - values[:, np.newaxis, :])
        found = verdicts(t_tests(gains, ratio, n_test, grain), question.alpha)
        counts += [found == verdict for verdict in ("better", "equal", "worse")]
    counts[:, range(len(results.learners)), range(len(results.learners))] = 0
    return AllPairs(question, results.learners, *counts)


def cell_finding(results: Results, question: Question, dataset: int, first: int, second: int) -> Finding:
    """Return what the test says of two learners (by position) on one data set."""
    check_learners("cell_finding", results, first=first, second=second)
    check_whole("cell_finding", "dataset", dataset, 0, len(results.datasets) - 1)
    values, ratio, n_test, grain = split_values(results, question)[dataset]
    test = paired_t_test if question.test == "paired" else partial(corrected_t_test, test_train_ratio=ratio)
    told = partial(test, n_test=n_test, grain=grain, names=(results.learners[first], results.learners[second]))
    return told(*values[:, [first, second]].T, lower_is_better=question.lower_is_better, alpha=question.alpha)


def pair_verdicts(results: Results, question: Question, first: int, second: int) -> tuple[str, ...]:
    """Return for each data set what the test says of the second learner: better, worse, equal or unknown."""
    check_learners("pair_verdicts", results, first=first, second=second)
    if first == second:
        return ("unknown",) * len(results.datasets)
    references = [first if place == second else None for place in range(len(results.learners))]
    return tuple(_against(results, question, references)[:, second].tolist())


def _against(results: Results, question: Question, references: Sequence[int | None]) -> npt.NDArray[np.str_]:
    """Return the verdict of every learner against its reference; unknown against none and against itself."""
    pairs = [(place, other) for place, other in enumerate(references) if other is not None and other != place]
    tested, others = [place for place, _ in pairs], [other for _, other in pairs]
    found = np.full((len(results.datasets), len(references)), "unknown", dtype="<U7")
    for dataset, (values, ratio, n_test, grain) in enumerate(split_values(results, question)):
        gains = _signed(question, values[:, tested] - values[:, others])
        found[dataset, tested] = verdicts(t_tests(gains, ratio, n_test, grain), question.alpha)
    return found


class Splits(NamedTuple):
    """The splits of a data set.

    Attributes
    ----------
    values : ndarray of float, shape (n_splits, n_learners)
    ratio : float
        Test by training examples, 0 for the test that makes no correction; of experiments put together the largest.
    n_test, grain
        Test examples of each, where values are of predicted classes, and how many are a difference; see `t_tests`.
    """

    values: npt.NDArray[np.float64]
    ratio: float
    n_test: npt.NDArray[np.float64] | None
    grain: float


def split_values(results: Results, question: Question) -> list[Splits]:
    """Return the splits of each data set."""
    table = results.pairs(question.measure).reindex(columns=range(len(results.learners)))
    owner, values = table.index.get_level_values("dataset").to_numpy(), table.to_numpy()
    sizes = results.over_trials("n_test", "mean") / results.over_trials("n_train", "mean").clip(lower=1)
    ratios = sizes.max(axis=1).dropna().to_dict()
    counts = results.pairs("n_test").max(axis=1).to_numpy() if question.measure in OF_PREDICTED else None
    return [
        Splits(
            values[owner == dataset],
            float(ratios.get(dataset, 0.0)) if question.test == "corrected" else 0.0,
            None if counts is None else counts[owner == dataset],
            0.0 if question.measure in ("accuracy", "error") else 1.0,
        )
        for dataset in range(len(results.datasets))
    ]


def _signed(question: Question, gains: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return -gains if question.lower_is_better else gains
