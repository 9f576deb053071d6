"""Charts of what trials record along the way: learning curves, errors on streams, and what members do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go

from ensembles.evaluation.curves import CURVES
from ensembles.experiments.curve_means import Over
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.curve_figure import curve_figure
from ensembles.reports.end_labels import Start, beyond, value_range
from ensembles.reports.figure_data import Band, curve_bands, curve_frame, curves_of
from ensembles.reports.stream_marks import add_stream_marks, concept_changes, marks_words, with_replaced
from ensembles.reports.style import LearnerStyle, Theme, learner_styles

__all__ = ["CURVE_DISPLAYS", "SETS", "CurveDisplay", "Over", "curve_chart", "datasets_with"]

SETS = {
    "test": "Test examples",
    "train": "Training examples",
    "both": "Both",
    "all": "All so far",
    "window": "Sliding window",
    "fading": "Fading",
}
"""What people read for the examples that a curve is about, by key."""

_OF = {
    "": "",
    "test": ", test examples",
    "train": ", training examples",
    "both": ", test examples (lines) and training examples (dots)",
    "all": ", all examples so far",
    "window": ", the last 1,000 examples, or the last twentieth of the stream if that is less",
    "fading": ", an example counts 0.999 times as much with each that follows",
}


class CurveDisplay(NamedTuple):
    """How one kind of curve is shown.

    Attributes
    ----------
    curve : str
        Key of the kind.
    absent : str
        What is said when no trial left one.
    says : str
        What the figure shows, as a clause.
    columns : (str, str)
        Of the table of numbers.
    reference : (float, str), optional
        A level that readers need, with its words.
    sets : tuple of str
        Keys of `SETS`, where a trial leaves a curve for each; empty where there is one only.
    x_format : str
        D3 format.
    start : Start, optional
        Which points may lie beyond the vertical axis.
    """

    curve: str
    absent: str
    says: str
    x_title: str
    y_title: str
    columns: tuple[str, str]
    reference: tuple[float, str] | None = None
    sets: tuple[str, ...] = ("",)
    x_format: str = ",d"
    start: Start | None = None


CURVE_DISPLAYS = {
    display.curve: display
    for display in (
        CurveDisplay(
            "learning_curve",
            "This experiment was launched without learning curves.",
            "accuracy on the test set after growing numbers of training examples; open symbols learn online",
            "training examples",
            "accuracy on the test set",
            ("Training examples", "Accuracy"),
            start=Start(0.12, 0.5),  # the first of ten steps, and its halves
        ),
        CurveDisplay(
            "prequential_error",
            "No learner of this experiment left its error on the stream.",
            "error on examples that are predicted before they are learned; a primed learner begins after its primed part",
            "examples of the stream",
            "error",
            ("Examples", "Error"),
            sets=("all", "window", "fading"),
            start=Start(0.05, 0.0),
        ),
        CurveDisplay(
            "member_errors",
            "No learner of this experiment left errors of its members.",
            "error of each member on the training examples, with the weights that the method gives them",
            "member",
            "error on its training examples",
            ("Member", "Error"),
            (0.5, "0.5: where boosting ends"),
        ),
        CurveDisplay(
            "trial_graph",
            "No learner of this experiment left a trial graph.",
            "error when only the first members vote; an ensemble that stopped early keeps its last value",
            "members that vote",
            "error",
            ("Members", "Error"),
            sets=("test", "train", "both"),
        ),
        CurveDisplay(
            "margins",
            "No learner of this experiment left margins.",
            "share of the examples whose margin is at most so much. The margin is the share of the votes for the true class "
            "minus the largest share of another class: 1 if all votes are right, negative if the prediction is wrong",
            "margin",
            "share of the examples",
            ("Margin", "Share"),
            sets=("train", "test"),
            x_format=".2f",
        ),
    )
}
"""The kinds of curves that are drawn as lines, by key."""


def datasets_with(results: Results, display: CurveDisplay) -> tuple[int, ...]:
    """Return the positions of the data sets that have such curves."""
    return curves_of(results, _name(display, display.sets[0]))


def curve_chart(
    results: Results,
    display: CurveDisplay,
    dataset: int,
    of: str = "",
    *,
    over: Over = "trials",
    learners: Sequence[int] | None = None,
) -> Chart:
    """Draw the mean curves of learners on one data set.

    Parameters
    ----------
    of : str
        One of `display.sets`.
    over : {"trials", "repeats"}
        What is averaged.
    """
    bands = curve_bands(results, dataset, _name(display, of), over=over, learners=learners)
    if not bands:
        return Chart.empty("None of the chosen learners left such a curve on this data set.")
    faint = (
        curve_bands(results, dataset, f"{display.curve}_train", over=over, learners=learners) if of == "both" else ()
    )
    changes: tuple[int, ...] = ()
    if display.curve == "prequential_error":
        bands, changes = with_replaced(bands, results, dataset), concept_changes(results, dataset)
    words = [f"{display.says}.", _average(bands, over), marks_words(bands, changes), _beyond(display, [*bands, *faint])]
    return Chart(
        f"{results.datasets[dataset]}{_OF[of]}: {' '.join(filter(None, words))}",
        _numbers(display, of, bands, faint),
        partial(_draw, display, bands, faint, learner_styles(results.config.learners), changes),
        heading=CURVES[display.curve].name,
        title=", ".join(filter(None, (results.datasets[dataset], CURVES[display.curve].name, SETS.get(of, "")))),
    )


def _draw(
    display: CurveDisplay,
    bands: tuple[Band, ...],
    faint: tuple[Band, ...],
    styles: Sequence[LearnerStyle],
    changes: Sequence[int],
    theme: Theme,
) -> go.Figure:
    figure = curve_figure(
        bands,
        styles,
        theme,
        x_title=display.x_title,
        y_title=display.y_title,
        reference=display.reference,
        faint=faint,
        x_format=display.x_format,
        start=display.start,
    )
    return add_stream_marks(figure, bands, styles, theme, changes)


def _beyond(display: CurveDisplay, bands: Sequence[Band]) -> str:
    """Return a sentence on points that lie beyond the axis; "" where all are on it."""
    n, farthest = beyond(bands, value_range(bands, start=display.start))
    if not n:
        return ""
    points, value = formatting.pluralize(n, "point"), formatting.number(farthest)
    return f"Beyond the axis: {points} at the start, the farthest at {value}; a double click shows all."


def _name(display: CurveDisplay, of: str) -> str:
    """Return the name of the curve that a trial leaves."""
    if of in ("", "all"):
        return display.curve
    return f"{display.curve}_{'test' if of == 'both' else of}"


def _numbers(display: CurveDisplay, of: str, bands: tuple[Band, ...], faint: tuple[Band, ...]) -> pd.DataFrame:
    if of != "both":
        return curve_frame(bands, *display.columns)
    parts = {SETS["test"]: bands, SETS["train"]: faint}
    frames = [curve_frame(some, *display.columns).assign(Examples=name) for name, some in parts.items()]
    return pd.concat(frames, ignore_index=True)


def _average(bands: tuple[Band, ...], over: Over) -> str:
    most = max(band.n for band in bands)
    if most < 2:
        return "One trial each."
    unit = "trials" if over == "trials" else "repeats (their means)"
    return (
        f"Mean over up to {most:,} {unit}; the band is one standard deviation on either side, which says how they vary, "
        "not whether learners differ."
    )
