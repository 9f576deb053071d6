"""The views of results: which there are, when they are offered, which curves they read and which charts they show.

One table for the results page and for the HTML report. A new view is one entry of `VIEWS`: both show its charts. Where
the page offers choices as well, `pages/parts/results/views.py` names the function that draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ensembles.data import Dataset
from ensembles.evaluation.calibration import CALIBRATION
from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.right_or_wrong import RIGHT_ON_STRETCHES, RIGHT_OR_WRONG
from ensembles.evaluation.significance import ASSUMES
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.results import CONFUSION, Results
from ensembles.reports.calibration import calibration_chart
from ensembles.reports.charts import (
    Chart,
    decomposition_chart,
    diversity_chart,
    first_pair,
    hard_chart,
    has_sizes,
    scatter_chart,
    time_chart,
)
from ensembles.reports.classes import CLASS_SCORES, class_scores_chart, confusion_chart, has_confusion
from ensembles.reports.curve_charts import CURVE_DISPLAYS, curve_chart, datasets_with
from ensembles.reports.decomposition import is_decomposed
from ensembles.reports.figure_data import curves_of
from ensembles.reports.leaderboard import leaderboard_chart
from ensembles.reports.members import hard_learners
from ensembles.reports.predictions import left_predictions
from ensembles.reports.setting_figure import has_sweep, setting_charts, setting_note
from ensembles.reports.significance import can_be_tested
from ensembles.reports.stream_comparison import stream_comparison_chart
from ensembles.reports.trade_off import trade_off_chart
from ensembles.reports.verdict import default_measure, reads_predictions
from ensembles.reports.verdict_figure import verdict_charts, verdict_note

__all__ = ["MEMBER_CURVES", "TRIALS", "VIEWS", "View", "views_of"]

MEMBER_CURVES = ("member_errors", "trial_graph", "margins", "diversity")
"""What can be shown about members: keys of `CURVES`."""


@dataclass(frozen=True)
class View:
    """One view of the results of an experiment.

    Attributes
    ----------
    key : str
        What code calls it.
    title : str
        What people read. It stands in addresses that people share (`?view=Running+time`), so it stays.
    applies : callable
        From results to whether the view is offered.
    charts : callable
        From results to what it shows without a choice being made; nothing for a view of tables, which the page draws and
        the report writes by themselves. A chart without numbers is shown as the sentence that says why.
    curves : tuple of str
        Keys of `CURVES` that it draws, which are loaded where the experiment records them; and names of curves that trials
        leave by themselves, as `CONFUSION`.
    note : callable
        From results to what stands above the charts: "", a sentence, or lines that each begin with words and a colon.
    side_by_side : bool
        Whether the charts are small, so that two fit beside each other.
    needs_curves : callable
        From an experiment to whether it reads curves of it at all.
    """

    key: str
    title: str
    applies: Callable[[Results], bool]
    charts: Callable[[Results], Iterable[Chart]]
    curves: tuple[str, ...] = ()
    note: Callable[[Results], str] = lambda _: ""
    side_by_side: bool = False
    needs_curves: Callable[[ExperimentConfig], bool] = lambda _: True

    def reads_curves(self, config: ExperimentConfig) -> bool:
        """Whether the view needs results with their curves, which are many times as many numbers as trials."""
        return not set(self.curves).isdisjoint(_kept(config)) and self.needs_curves(config)

    def names_of_curves(self, config: ExperimentConfig) -> tuple[str, ...]:
        """Return the names of the curves that the view needs: of others there may be many times as many numbers."""
        if not self.reads_curves(config):
            return ()
        wanted = [key for key in self.curves if key not in CURVES or key in _kept(config)]
        return tuple(name for key in wanted for name in (CURVES[key].series if key in CURVES else (key,)))

    def sections(self, results: Results) -> dict[str, list[Chart]]:
        """Return the charts under their headings: their own, else the title of the view."""
        found: dict[str, list[Chart]] = {}
        for chart in self.charts(results):
            found.setdefault(chart.heading or self.title, []).append(chart)
        return found


def _kept(config: ExperimentConfig) -> tuple[str, ...]:
    return (CONFUSION, *config.curves, *config.protocol.own_curves)


def views_of(results: Results) -> list[View]:
    """Return the views that apply to an experiment, in the order in which people are offered them."""
    return [view for view in VIEWS if view.applies(results)]


def _always(_: Results) -> bool:
    return True


def _no_charts(_: Results) -> tuple[Chart, ...]:
    return ()


def _offers_learning_curves(results: Results) -> bool:
    return "learning_curve" in results.config.protocol.offered_curves()


def _records(*curves: str) -> Callable[[Results], bool]:
    """Return whether an experiment records one of these curves, as a function of its results."""
    return lambda results: not set(curves).isdisjoint(results.config.curves)


def _scatter_charts(results: Results) -> Iterator[Chart]:
    """Yield the first learner against each other one; a single data set would be a single point, which tells nothing."""
    if len(results.datasets) == 1:
        return
    across = first_pair(results)[0]
    others = (up for up in range(len(results.learners)) if up != across)
    yield from _with_numbers(scatter_chart(results, across, up) for up in others)


def _what_filled_points_assume(results: Results) -> str:
    return ASSUMES["corrected"] if can_be_tested(results) else ""


def _decomposition_charts(results: Results) -> Iterator[Chart]:
    yield from _with_numbers(decomposition_chart(results, around_main=main) for main in (False, True))


def _line_charts(results: Results, curve: str) -> Iterator[Chart]:
    display = CURVE_DISPLAYS[curve]
    sets = ("both",) if "both" in display.sets else display.sets
    datasets = datasets_with(results, display)
    yield from _with_numbers(curve_chart(results, display, dataset, of) for dataset in datasets for of in sets)


def _is_stream(results: Results) -> bool:
    return isinstance(results.config.protocol, Prequential) or "prequential_error" in results.config.curves


def _stream_charts(results: Results) -> Iterator[Chart]:
    yield from _line_charts(results, "prequential_error")
    first, second = first_pair(results)
    if first != second and left_predictions(results):
        datasets = range(len(results.datasets))
        yield from _with_numbers(stream_comparison_chart(results, dataset, first, second) for dataset in datasets)


def _member_charts(results: Results) -> Iterator[Chart]:
    for curve in MEMBER_CURVES:
        if curve in CURVE_DISPLAYS:
            yield from _line_charts(results, curve)
    yield from _with_numbers(diversity_chart(results, dataset) for dataset in curves_of(results, "diversity"))


def _hard_charts(results: Results) -> Iterator[Chart]:
    """Yield also those without numbers: they say why no example was hard."""
    for dataset in range(len(results.datasets)):
        for learner in hard_learners(results, dataset):
            content = results.content(dataset)
            yield hard_chart(results, dataset, learner, content if isinstance(content, Dataset) else None)


def _has_leaderboard(results: Results) -> bool:
    return len(results.datasets) > 1 and len(results.learners) > 1


def _leaderboard_charts(results: Results) -> Iterator[Chart]:
    yield from _with_numbers(leaderboard_chart(results, measure) for measure in [default_measure(results)] if measure)


def _class_charts(results: Results) -> Iterator[Chart]:
    """Yield recall and precision by all learners, the confusion matrix of the one that errs least, and calibration."""
    for dataset in range(len(results.datasets)):
        if has_confusion(results, dataset):
            content = results.content(dataset)
            names = () if content is None else content.classes
            errors = np.nan_to_num(results.mean("error").to_numpy()[dataset], nan=np.inf)
            yield from _with_numbers(class_scores_chart(results, dataset, of, names) for of in CLASS_SCORES)
            yield from _with_numbers([confusion_chart(results, dataset, int(np.argmin(errors)), names)])
        yield from _with_numbers([calibration_chart(results, dataset)])


def _time_charts(results: Results) -> Iterator[Chart]:
    yield from _with_numbers([trade_off_chart(results)])
    by_size = has_sizes(results)
    parts = ("fit_cpu_seconds", "predict_cpu_seconds")
    yield from _with_numbers(time_chart(results, part, by_size=by_size) for part in parts)


def _with_numbers(charts: Iterable[Chart]) -> Iterator[Chart]:
    return (chart for chart in charts if not chart.numbers.empty)


TRIALS = View("trials", "Trials", _always, _no_charts)
"""Every trial as a row: the view of an experiment of which no trial has finished."""

VIEWS = (
    View(
        "summary",
        "Summary",
        _always,
        verdict_charts,
        ("predictions", RIGHT_OR_WRONG, RIGHT_ON_STRETCHES),
        verdict_note,
        needs_curves=reads_predictions,
    ),
    View("leaderboard", "Leaderboard", _has_leaderboard, _leaderboard_charts),
    View("scatterplots", "Scatterplots", _always, _scatter_charts, note=_what_filled_points_assume, side_by_side=True),
    View("significance", "Significance", _always, _no_charts, ("predictions", RIGHT_OR_WRONG, RIGHT_ON_STRETCHES)),
    View("settings", "Settings", has_sweep, setting_charts, note=setting_note, side_by_side=True),
    View("classes", "Classes", _always, _class_charts, (CONFUSION, CALIBRATION)),
    View("bias_and_variance", "Bias and variance", is_decomposed, _decomposition_charts),
    View(
        "learning_curves",
        "Learning curves",
        _offers_learning_curves,
        partial(_line_charts, curve="learning_curve"),
        ("learning_curve",),
    ),
    View(
        "stream",
        "Stream",
        _is_stream,
        _stream_charts,
        ("prequential_error", "predictions", RIGHT_OR_WRONG),
    ),
    View("members", "Members", _records(*MEMBER_CURVES), _member_charts, MEMBER_CURVES),
    View("hard_examples", "Hard examples", _records("hard_examples"), _hard_charts, ("hard_examples",)),
    View("running_time", "Running time", _always, _time_charts),
    TRIALS,
)
"""Every view, in the order in which people are offered them."""
