"""How sure learners are of their predictions, and how often they are right: from sums that trials keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from ensembles.evaluation.calibration import BINS, CALIBRATION
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.plot_template import legend_room, template, wrapped
from ensembles.reports.style import THEMES, LearnerStyle, Theme, learner_styles

__all__ = ["HEADING", "Calibration", "calibration_chart", "calibration_figure", "calibrations"]

HEADING = "Calibration"

_EVEN = 0.005  # a gap that nobody would call one
_NONE = (
    "No trial on {} has kept how sure its predictions are. Experiments with a measure of class probabilities do, such as "
    "the calibration error."
)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """The predictions of one learner in parts, from the least sure to the surest.

    Attributes
    ----------
    sure, right : ndarray of float
        How sure they are on average, and the share of right ones; by part, those without predictions left out.
    n : ndarray of float
        Predictions in each part.
    """

    learner: int
    label: str
    sure: Floats
    right: Floats
    n: Floats

    @property
    def gap(self) -> float:
        """How much surer than right they are on average; negative where they are less sure."""
        return float(((self.sure - self.right) * self.n).sum() / self.n.sum())


def calibrations(results: Results, dataset: int, learners: Sequence[int] | None = None) -> list[Calibration]:
    """Return the predictions of learners on a data set, all trials together; learners without probabilities left out."""
    curves = results.curves
    mine = curves[(curves["curve"] == CALIBRATION) & (curves["dataset"] == dataset)]
    sums = mine.groupby(["learner", "x"])["y"].sum()
    found = []
    for learner in range(len(results.learners)) if learners is None else learners:
        if learner not in sums.index.get_level_values("learner"):
            continue
        sure, right, n = sums.loc[learner].to_numpy(dtype=float).reshape(3, BINS)
        held = np.flatnonzero(n > 0)
        held = held[np.argsort(sure[held] / n[held], kind="stable")]  # parts of different trials need not come in order
        found.append(
            Calibration(learner, results.learners[learner], sure[held] / n[held], right[held] / n[held], n[held])
        )
    return found


def calibration_chart(results: Results, dataset: int, learners: Sequence[int] | None = None) -> Chart:
    """Draw how often learners are right where they are so sure."""
    found = calibrations(results, dataset, learners)
    if not found:
        return Chart.empty(_NONE.format(results.datasets[dataset]))
    caption = (
        f"{results.datasets[dataset]}, all trials together: how often predictions are right, against how sure the learner "
        "is of them, which is the largest of its class probabilities. Each mark is a tenth of its predictions, the surest "
        "to the right, or less where many are equally sure. Below the dotted line a learner is surer than it is right. "
        f"{_extremes(found)}"
    )
    styles = learner_styles(results.config.learners)
    return Chart(
        caption,
        _table(found),
        lambda theme: calibration_figure(found, styles, theme),
        heading=HEADING,
        title=f"{results.datasets[dataset]}, calibration",
    )


def calibration_figure(found: Sequence[Calibration], styles: Sequence[LearnerStyle], theme: Theme) -> go.Figure:
    """Draw a line for each learner; `styles` by position of the learner in the experiment."""
    starts = min(one.sure.min() for one in found), min(one.right.min() for one in found)
    left, bottom = (max(float(low) - 0.05 * (1.0 - float(low)) - 0.01, -0.02) for low in starts)
    ends, quiet = [min(left, bottom), 1.0], {"color": THEMES[theme].muted, "width": 1, "dash": "dot"}
    figure = go.Figure(go.Scatter(x=ends, y=ends, mode="lines", line=quiet, hoverinfo="skip", showlegend=False))
    for one in found:
        style = styles[one.learner]
        colour = style.colour(theme)
        figure.add_scatter(
            x=one.sure.tolist(),
            y=one.right.tolist(),
            mode="lines+markers",
            name=wrapped(one.label),
            line={"color": colour, "width": 2, "dash": style.dash},
            marker={"color": colour, "symbol": style.symbol, "size": 10},
            hovertext=[
                f"<b>{wrapped(one.label)}</b><br>sure to {formatting.number(sure)}, right in {formatting.number(right)}"
                f"<br>of {formatting.pluralize(round(n), 'prediction')}"
                for sure, right, n in zip(one.sure, one.right, one.n, strict=True)
            ],
            hoverinfo="text",
            cliponaxis=False,
        )
    height = 420 + legend_room([one.label for one in found])
    figure.update_layout(template=template(theme), height=height, hovermode="closest", showlegend=True)
    figure.update_xaxes(title_text="how sure (largest class probability)", range=[left, 1.02], nticks=7)
    return figure.update_yaxes(title_text="share of right predictions", range=[bottom, 1.02], nticks=7)


def _extremes(found: Sequence[Calibration]) -> str:
    """Say who is too sure, and who not sure enough, on average."""
    most, least = max(found, key=lambda one: one.gap), min(found, key=lambda one: one.gap)
    told = []
    if most.gap >= _EVEN:
        told.append(f"{most.label} is too sure by {formatting.number(most.gap)} on average")
    if least.gap <= -_EVEN:
        told.append(f"{least.label} not sure enough by {formatting.number(-least.gap)}")
    if not told:
        return "On average none is surer or less sure than it is right."
    return f"{'Most of all ' if len(found) > 1 else ''}{', and '.join(told)}."


def _table(found: Sequence[Calibration]) -> pd.DataFrame:
    parts = [
        pd.DataFrame(
            {
                "Learner": one.label,
                "Part": np.arange(1, len(one.n) + 1),
                "Sure": one.sure,
                "Right": one.right,
                "Predictions": one.n.astype(int),
            }
        )
        for one in found
    ]
    return pd.concat(parts, ignore_index=True)
