"""Two learners on a stream, stretch by stretch: which is clearly better where."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pandas as pd
import plotly.graph_objects as go

from ensembles.evaluation.over_time import FEWEST_COMPARED, Stretch, differences_over_time
from ensembles.evaluation.right_or_wrong import MOST_KEPT
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.plot_template import template, wrapped
from ensembles.reports.predictions import right_answers
from ensembles.reports.style import THEMES, VERDICTS, Theme

__all__ = ["HEADING", "stream_comparison_chart", "stretches_sentence"]

HEADING = "Two learners along the stream"

_COLOURS = {1: VERDICTS["better"], 0: VERDICTS["equal"], -1: VERDICTS["worse"]}
_SYMBOLS = {1: "triangle-up", 0: "circle-open", -1: "triangle-down"}
_AXIS = 44


def stream_comparison_chart(results: Results, dataset: int, first: int, second: int, alpha: float = 0.05) -> Chart:
    """Draw the difference in error of two learners (by position) along one stream, or say why there is none."""
    if first == second:
        return Chart.empty("Choose two different learners.")
    names = results.learners[first], results.learners[second]
    trials = results.finished[results.finished["dataset"] == dataset]
    if lacking := [results.learners[one] for one in (first, second) if one not in trials["learner"].values]:
        return Chart.empty(f"{results.datasets[dataset]}: no trial of {' and of '.join(lacking)} has finished.")
    right = right_answers(results, dataset)[:, [first, second]]
    stretches = differences_over_time(right[:, 0], right[:, 1], alpha=alpha)
    if not stretches:
        return Chart.empty(
            f"{results.datasets[dataset]}: no {FEWEST_COMPARED} examples that both were asked about are kept. Streams of up "
            f"to {MOST_KEPT:,} examples keep whether each was right; those that are older, once they are launched anew."
        )
    size = stretches[0].last - stretches[0].first + 1
    caption = (
        f"{results.datasets[dataset]}, first order. {stretches_sentence(stretches, names)} A mark: error of {names[0]} "
        f"minus error of {names[1]} on {formatting.pluralize(size, 'example')}, so above 0 {names[1]} is better. Bars "
        f"hold all at once with about {100 * (1 - alpha):g} % (Student's t with the variance over the long run; Bonferroni "
        f"for {len(stretches)} stretches)."
    )
    return Chart(
        caption,
        _frame(stretches, names),
        lambda theme: _figure(stretches, names, theme),
        heading=HEADING,
        title=f"{results.datasets[dataset]}, {names[0]} and {names[1]} along the stream",
    )


def stretches_sentence(stretches: Sequence[Stretch], names: tuple[str, str]) -> str:
    """Return where along the stream which of the two is clearly better."""
    runs = [(side, list(own)) for side, own in groupby(stretches, key=lambda stretch: stretch.clearly)]
    parts = []
    for side, name in ((1, names[1]), (-1, names[0])):
        spans = [f"{own[0].first + 1:,} to {own[-1].last + 1:,}" for which, own in runs if which == side]
        if spans:
            parts.append(f"{name} is clearly better on examples {formatting.and_list(spans)}")
    if not parts:
        return f"Nowhere along the stream is {names[0]} or {names[1]} clearly better."
    if not all(stretch.clearly for stretch in stretches):
        parts.append("elsewhere they cannot be told apart")
    return f"{'; '.join(parts)}."


def _frame(stretches: Sequence[Stretch], names: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "From example": [stretch.first + 1 for stretch in stretches],
            "To example": [stretch.last + 1 for stretch in stretches],
            f"Error of {names[0]}": [stretch.errors[0] for stretch in stretches],
            f"Error of {names[1]}": [stretch.errors[1] for stretch in stretches],
            "Difference": [stretch.difference for stretch in stretches],
            "Interval from": [stretch.low for stretch in stretches],
            "Interval to": [stretch.high for stretch in stretches],
            "Clearly better": [{1: names[1], -1: names[0], 0: ""}[stretch.clearly] for stretch in stretches],
        }
    )


def _figure(stretches: Sequence[Stretch], names: tuple[str, str], theme: Theme) -> go.Figure:
    figure = go.Figure()
    for side, word in ((1, f"{names[1]} better"), (0, "cannot be told"), (-1, f"{names[0]} better")):
        own = [stretch for stretch in stretches if stretch.clearly == side]
        if own:
            figure.add_trace(_marks(own, side, word))
    figure.add_hline(y=0, line={"color": THEMES[theme].muted, "width": 1, "dash": "dot"}, layer="below")
    figure.update_layout(template=template(theme), height=400, showlegend=True, hovermode="closest")
    figure.update_xaxes(title_text="examples of the stream", tickformat=",d")
    figure.update_yaxes(title_text=f"error of {wrapped(names[0], _AXIS)}<br>minus that of {wrapped(names[1], _AXIS)}")
    return figure


def _marks(stretches: Sequence[Stretch], side: int, word: str) -> go.Scatter:
    return go.Scatter(
        x=[stretch.last + 1 for stretch in stretches],
        y=[stretch.difference for stretch in stretches],
        error_y={
            "type": "data",
            "array": [stretch.high - stretch.difference for stretch in stretches],
            "color": _COLOURS[side],
            "thickness": 1.5,
            "width": 3,
        },
        mode="markers",
        marker={"color": _COLOURS[side], "symbol": _SYMBOLS[side], "size": 8},
        name=wrapped(word),
        hovertext=[
            f"examples {stretch.first + 1:,} to {stretch.last + 1:,}<br>{formatting.difference(stretch.difference)} "
            f"[{formatting.difference(stretch.low)}, {formatting.difference(stretch.high)}]"
            for stretch in stretches
        ],
        hoverinfo="text",
    )
