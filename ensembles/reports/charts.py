"""Figures with their words and their numbers: what the results page and the report both show."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.rank_tests import RankComparison
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.decomposition import (
    decomposition_figure,
    decomposition_sentence,
    decomposition_table,
    has_main_parts,
)
from ensembles.reports.figure_data import scatter_points, time_points
from ensembles.reports.member_figures import diversity_figure, hard_figure
from ensembles.reports.members import (
    cloud_frame,
    diversity_clouds,
    hard_examples,
    hard_frame,
    hard_learners,
    mean_frame,
    missing_members,
)
from ensembles.reports.over_datasets import rank_table
from ensembles.reports.rank_figure import rank_diagram, rank_figure
from ensembles.reports.scatter_figure import scatter_figure
from ensembles.reports.style import Theme, learner_styles
from ensembles.reports.tables import time_table
from ensembles.reports.time_figures import time_by_dataset_figure, time_figure

if TYPE_CHECKING:
    from ensembles.data import Dataset

__all__ = [
    "Chart",
    "decomposition_chart",
    "diversity_chart",
    "first_pair",
    "hard_chart",
    "has_sizes",
    "rank_chart",
    "scatter_chart",
    "time_chart",
    "weighing_learners",
]

_BARS = (
    "Bars: bias in full colour, then variance, faint; together they are the mean error of the models trained on different "
    "examples. Bias is what they all get wrong, variance is where they differ."
)
_AFTER_KOHAVI = (
    "Assumes that the class of an example is certain, so that noise of the data counts as bias (Kohavi and Wolpert, "
    "1996)."
)
_AFTER_DOMINGOS = (
    "Around the main prediction, which is what most models predict of an example (Domingos, 2000). In full colour the bias, "
    "the share of examples on which the main prediction is wrong; then, faint, the variance that harms, where models "
    "differ from a main prediction that is right. What is hatched is taken back: variance that helps, where they "
    "differ from one that is wrong. What is left is the error."
)
_BATCH_OF = {"online_bagging": "bagging", "online_boosting": "adaboost", "primed_online_boosting": "adaboost"}


@dataclass(frozen=True)
class Chart:
    """A figure, what it says in words, and what it draws.

    Attributes
    ----------
    caption : str
        Plain text; without numbers, why there are none.
    numbers : DataFrame
        What is drawn; no rows when there is nothing to draw.
    draw : callable
        From a theme to the figure.
    means : DataFrame, optional
        Means of the numbers that the figure shows as well.
    heading : str
        What it stands under where its view shows charts of several kinds; "" for the title of the view.
    title : str
        What a picture of it is called; "" for the beginning of the caption. May hold text of users.
    """

    caption: str
    numbers: pd.DataFrame
    draw: Callable[[Theme], go.Figure]
    means: pd.DataFrame | None = None
    heading: str = ""
    title: str = ""

    @property
    def file_name(self) -> str:
        """What a picture of it is called, in letters that any system takes."""
        called = self.title or re.split(r"[.;]", self.caption, maxsplit=1)[0]
        return formatting.file_stem(called) or "figure"

    @classmethod
    def empty(cls, reason: str) -> Chart:
        """Return a chart with nothing to draw."""
        return cls(reason, pd.DataFrame(), lambda _: go.Figure())


def first_pair(results: Results) -> tuple[int, int]:
    """Return the pair to begin with: the last online method with its batch counterpart on one base model, if any.

    It depends on the experiment only, not on the trials that have ended: an address that leaves it out stays the same
    picture, whoever opens it and when.
    """
    learners = results.config.learners
    places = {(learner.method, learner.base): place for place, learner in reversed([*enumerate(learners)])}
    for online in ("online_boosting", "online_bagging", "primed_online_boosting"):
        for place, learner in enumerate(learners):
            batch = places.get((_BATCH_OF[online], learner.base))
            if learner.method == online and batch is not None:
                return batch, place
    return 0, min(1, len(learners) - 1)


def scatter_chart(results: Results, across: int, up: int) -> Chart:
    """Compare the errors of two learners, by position, data set by data set."""
    scatter = scatter_points(results, across, up)
    if not scatter.points:
        return Chart.empty(scatter.caption)
    return Chart(
        scatter.caption,
        scatter.to_frame(),
        partial(scatter_figure, scatter),
        heading="Error scatterplots",
        title=f"Errors of {scatter.up} and {scatter.across}",
    )


def has_sizes(results: Results) -> bool:
    """Whether data sets differ in the number of training examples, so that time can be drawn against it."""
    return len({point.n_train for point in time_points(results)}) > 1


def time_chart(
    results: Results, part: str = "fit_cpu_seconds", *, learners: Sequence[int] | None = None, by_size: bool = True
) -> Chart:
    """Draw the median seconds that learners take.

    Parameters
    ----------
    part : {"fit_cpu_seconds", "predict_cpu_seconds"}
        Training or prediction.
    by_size : bool
        Whether against the number of training examples, or data set by data set.
    """
    chosen = results.select(learners=learners)
    seconds = f"processor seconds to {'train' if part == 'fit_cpu_seconds' else 'predict the test set'}"
    points = time_points(chosen, part)
    if not points:
        return Chart.empty("No trial has left this time.")
    draw = time_figure if by_size else time_by_dataset_figure
    return Chart(
        f"Median {seconds}, on a logarithmic axis; one mark a learner and data set. Seconds that the processor worked "
        f"for {_once(results)}; wall time, which other work stretches, stands beside them in the numbers. Compilation is "
        "left out. To compare times, run with one worker.",
        time_table(chosen),
        lambda theme: draw(points, learner_styles(results.config.learners), theme, y_title=seconds),
        title=seconds.capitalize(),
    )


def _once(results: Results) -> str:
    """Return what seconds are of."""
    trainings = results.config.protocol.trainings
    return "the trial" if trainings == 1 else f"one of the {trainings:,} training sets of a trial, their mean"


def decomposition_chart(results: Results, learners: Sequence[int] | None = None, *, around_main: bool = False) -> Chart:
    """Draw bias and variance of learners on each data set, after Kohavi and Wolpert or around the main prediction."""
    table = decomposition_table(results.select(learners=learners))
    if table.empty or (around_main and not has_main_parts(table)):
        return Chart.empty("No trial has left bias and variance.")
    styles = learner_styles(results.config.learners)
    heading = "Bias and variance of the main prediction" if around_main else "Bias and variance"
    return Chart(
        _AFTER_DOMINGOS
        if around_main
        else f"{_BARS} {decomposition_sentence(table)} {_AFTER_KOHAVI}".replace("  ", " "),
        table,
        lambda theme: decomposition_figure(table, results.learners, styles, theme, around_main=around_main),
        heading=heading,
        title=heading,
    )


def rank_chart(results: Results, ranks: RankComparison, measure: str) -> Chart:
    """Draw the critical-difference diagram of ranks by a measure that have an answer."""
    diagram = rank_diagram(ranks)
    looks = dict(zip(results.learners, learner_styles(results.config.learners), strict=True))
    styles = [looks[name] for name in ranks.names]
    title = f"Ranks by {formatting.measure_name(measure)}"
    return Chart(diagram.caption, rank_table(ranks), partial(rank_figure, diagram, styles), title=title)


def diversity_chart(results: Results, dataset: int, learners: Sequence[int] | None = None) -> Chart:
    """Draw kappa and error of pairs of members on one data set."""
    clouds = diversity_clouds(results, dataset, range(len(results.learners)) if learners is None else learners)
    if not clouds:
        return Chart.empty("None of the chosen learners has two members that can be compared here.")
    drawn, there = sum(len(cloud.kappa) for cloud in clouds), sum(cloud.n for cloud in clouds)
    how_many = (
        f" Small marks are {drawn:,} of {there:,} pairs, evenly spaced; means are of all." if drawn < there else ""
    )
    return Chart(
        f"{results.datasets[dataset]}, test examples: a small mark is a pair of members of one trial, a large one the mean "
        f"of a learner.{how_many} To the left members decide more differently, further down they err less; a vote gains "
        "where they do both. Assumes votes of equal weight: that of a poor member may count little.",
        cloud_frame(clouds),
        partial(diversity_figure, clouds, learner_styles(results.config.learners)),
        mean_frame(clouds),
        CURVES["diversity"].name,
        f"{results.datasets[dataset]}, {CURVES['diversity'].name}",
    )


def weighing_learners(results: Results) -> list[int]:
    """Return the learners that keep the weights of their examples, whether or not a trial has left them yet."""
    learners = enumerate(results.config.learners)
    return [
        place
        for place, learner in learners
        if learner.entry.family == "boosting" and hasattr(learner.make(None), "keep_weights")
    ]


def hard_chart(results: Results, dataset: int, learner: int, content: Dataset | None = None) -> Chart:
    """Draw the examples that a learner found hardest on a data set; its `content` gives them class and values.

    There is nothing to draw where it stopped before any example weighed more than another.
    """
    examples, missing = hard_examples(results, dataset, learner), missing_members(results, dataset, learner)
    if learner not in hard_learners(results, dataset):
        return Chart.empty(f"No trial of {results.learners[learner]} on {results.datasets[dataset]} has left weights.")
    if not examples:
        return Chart.empty(f"{missing} No example came to weigh more than another.".strip())
    names = [f"{example.row + 1:,}" for example in examples]
    if content is not None:
        names = [
            f"{name}: {content.classes[content.labels[example.row]]}"
            for name, example in zip(names, examples, strict=True)
        ]
    style = learner_styles(results.config.learners)[learner]
    return Chart(
        f"{results.datasets[dataset]}: the training examples, by row, that {results.learners[learner]} gave the highest "
        "weight, mean over its members and over the trials that list them among their hundred hardest, by the sum over "
        "trials. Wrong classes and outliers are often among them, but so are examples between two classes."
        f"{' ' if missing else ''}{missing}",
        hard_frame(examples, content),
        partial(hard_figure, examples, names, style),
        title=f"{results.datasets[dataset]}, hard examples of {results.learners[learner]}",
    )
