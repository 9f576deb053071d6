"""Error against time: each learner a point, the front of those that nothing beats, and its knee in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ensembles.evaluation.relative import relative_losses
from ensembles.evaluation.trade_off import knee_of, pareto_front
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.plot_template import legend_room, second_ticks, template, wrapped
from ensembles.reports.shared_means import shared_means
from ensembles.reports.style import THEMES, LearnerStyle, Theme, learner_styles

__all__ = ["HEADING", "SPENT", "Spent", "TradeOff", "trade_off_chart", "trade_off_of"]

HEADING = "Error against time"

Spent = Literal["both", "fit", "predict"]
SPENT: dict[Spent, str] = {"both": "Train and predict", "fit": "Train", "predict": "Predict"}
"""What people read for the time that is meant, by key."""

_TO = {"both": "train on and predict", "fit": "train on", "predict": "predict"}
_PER = 1000  # examples
_LEAST = 1e-9  # seconds: the clock of the processor does not see less


@dataclass(frozen=True)
class TradeOff:
    """Learners by what they cost and how much they err.

    Attributes
    ----------
    learners : tuple of int
        Positions of those drawn.
    labels : tuple of str
    seconds : tuple of float
        Of the processor for a thousand examples: medians over trials, geometric means over data sets.
    errors : tuple of float
        Mean error; over several data sets, mean of the error relative to that of the average learner.
    n_datasets : int
    spent : {"both", "fit", "predict"}
    """

    learners: tuple[int, ...]
    labels: tuple[str, ...]
    seconds: tuple[float, ...]
    errors: tuple[float, ...]
    n_datasets: int
    spent: Spent

    @property
    def front(self) -> tuple[int, ...]:
        """Places of those that no other one beats in both, the quickest first."""
        return pareto_front(self.seconds, self.errors)

    @property
    def error_name(self) -> str:
        """What is drawn upwards."""
        return "error" if self.n_datasets == 1 else "error relative to the average learner"

    @property
    def sentence(self) -> str:
        """Who is worth its time."""
        front = self.front
        quick, best = front[0], front[-1]
        if self.errors[quick] == self.errors[best]:
            return f"{formatting.and_list(self.labels[i] for i in front)}: nothing is quicker, and nothing errs less."
        knee = knee_of(self.seconds, self.errors)
        if knee is None:
            return f"{self.labels[best]} errs least: {self._beside(best, quick)}, the quickest."
        return (
            f"Worth its time: {self.labels[knee]}, with {self._beside(knee, quick)}, the quickest, and "
            f"{self._beside(knee, best)}, which errs least."
        )

    def _beside(self, one: int, other: int) -> str:
        times = self.errors[one] / self.errors[other] if self.errors[other] else np.nan
        error = f"{times:.2f} ×" if 1.0 < times < 2.0 else formatting.ratio(times)  # 1.0 would be said of 1.04
        time = formatting.ratio(self.seconds[one] / self.seconds[other])
        return f"{error} the error and {time} the time of {self.labels[other]}"

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a table, the quickest first."""
        order = sorted(range(len(self.learners)), key=lambda place: self.seconds[place])
        return pd.DataFrame(
            {
                "Learner": [self.labels[place] for place in order],
                f"Seconds for {_PER:,} examples": [self.seconds[place] for place in order],
                self.error_name.capitalize(): [self.errors[place] for place in order],
                "Beaten in both": ["" if place in self.front else "yes" for place in order],
            }
        )


def trade_off_of(results: Results, spent: Spent = "both") -> TradeOff | None:
    """Return what learners cost and how much they err, over the data sets that all drawn ones have; None without any.

    Learners that have fewer data sets than others are left out.
    """
    errors, seconds = shared_means(results, "error"), _seconds(results, spent)
    known = np.isfinite(errors) & np.isfinite(seconds)
    counts = known.sum(axis=0)
    drawn = np.flatnonzero((counts > 0) & (counts == counts.max(initial=0)))
    shared = np.flatnonzero(known[:, drawn].all(axis=1)) if len(drawn) else np.array([], dtype=int)
    if not len(shared):
        return None
    cells = np.ix_(shared, drawn)
    error = errors[cells][0] if len(results.datasets) == 1 else relative_losses(errors[cells]).mean(axis=0)
    return TradeOff(
        tuple(drawn.tolist()),
        tuple(results.learners[learner] for learner in drawn),
        tuple(np.exp(np.log(seconds[cells]).mean(axis=0)).tolist()),
        tuple(error.tolist()),
        len(results.datasets) if len(results.datasets) == 1 else len(shared),
        spent,
    )


def _seconds(results: Results, spent: Spent) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return seconds of the processor for a thousand examples, by data set and learner; a stream has one time for both."""
    finished = results.finished
    train = results.values("fit_cpu_seconds") / finished["n_train"].clip(lower=1)
    test = results.values("predict_cpu_seconds") / finished["n_test"].clip(lower=1)
    if spent == "both" and test.isna().all():
        test = test.fillna(0.0)
    taken = {"both": train + test, "fit": train, "predict": test}[spent]
    return (results.by_cell(taken, "median").to_numpy(dtype=float) * _PER).clip(min=_LEAST)


def trade_off_chart(results: Results, spent: Spent = "both") -> Chart:
    """Draw error against time, one point a learner."""
    found = None if results.finished.empty else trade_off_of(results, spent)
    if found is None or len(found.learners) < 2:
        return Chart.empty("Error against time compares two learners or more on the same data sets.")
    over = "" if found.n_datasets == 1 else (
        f" Over {formatting.pluralize(found.n_datasets, 'data set')}: geometric mean of the time, and mean of the error by "
        "the mean error of all learners on the data set."
    )  # fmt: skip
    caption = (
        f"{found.sentence} One point a learner: median processor time to {_TO[spent]} {_PER:,} examples, and mean error. "
        f"The line joins those that no other one beats in both.{over} Times are comparable where trials ran one at a time."
    )
    if lacking := [name for name in results.learners if name not in found.labels]:
        caption += f" Left out, with fewer data sets than others: {formatting.and_list(lacking)}."
    styles = learner_styles(results.config.learners)
    return Chart(
        caption,
        found.to_frame(),
        lambda theme: trade_off_figure(found, styles, theme),
        heading=HEADING,
        title=f"{HEADING} to {_TO[found.spent]}",
    )


def trade_off_figure(found: TradeOff, styles: Sequence[LearnerStyle], theme: Theme = "light") -> go.Figure:
    """Draw the points and the front; `styles` by position of the learner in the experiment."""
    front = found.front
    line = go.Scatter(
        x=[found.seconds[place] for place in front],
        y=[found.errors[place] for place in front],
        mode="lines",
        line={"color": THEMES[theme].muted, "width": 1.5, "dash": "dot", "shape": "hv"},
        hoverinfo="skip",
        showlegend=False,
    )
    figure = go.Figure([line, *(_mark(found, place, styles, theme) for place in range(len(found.learners)))])
    height = 420 + legend_room(found.labels)
    figure.update_layout(template=template(theme), height=height, hovermode="closest", showlegend=True)
    title = f"processor time for {_PER:,} examples"  # what of it, heading and caption say: a longer one a phone cuts
    figure.update_xaxes(title_text=title, **second_ticks(found.seconds))
    figure.update_yaxes(title_text=found.error_name)
    return figure


def _mark(found: TradeOff, place: int, styles: Sequence[LearnerStyle], theme: Theme) -> go.Scatter:
    style = styles[found.learners[place]]
    beaten = "" if place in found.front else "<br>another one is quicker and errs less"
    return go.Scatter(
        x=[found.seconds[place]],
        y=[found.errors[place]],
        mode="markers",
        name=wrapped(found.labels[place]),
        marker={"color": style.colour(theme), "symbol": style.symbol, "size": 12},
        hovertext=[
            f"<b>{wrapped(found.labels[place])}</b><br>{found.error_name} {formatting.number(found.errors[place])}<br>"
            f"{formatting.seconds(found.seconds[place])}{beaten}"
        ],
        hoverinfo="text",
        cliponaxis=False,
    )
