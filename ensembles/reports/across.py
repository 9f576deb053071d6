"""Learners across experiments: by data set with intervals, in pairs over data sets, and the best error over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from ensembles.evaluation.leaderboard import Score, mean_ranks, win_rates
from ensembles.experiments.dataset_ref import source_of
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.leaderboard import board_figure
from ensembles.reports.plot_template import escaped, template, wrapped
from ensembles.reports.style import THEMES, LearnerStyle, Theme, learner_styles

__all__ = ["Entry", "history_chart", "interval", "pair_table", "ranks_chart", "standings_chart"]

_AXIS, _ROW, _LINE, _LABEL = 70, 40, 18, 34
_LEVEL = 0.95
_NO_SPREAD = 1e-12
_MINUTE = timedelta(minutes=1)
_OF_ERRORS: dict[str, Any] = {"rangemode": "nonnegative", "autorangeoptions_clipmax": 1.0}


@dataclass(frozen=True)
class Entry:
    """A learner on a data set, as some experiment found it.

    Attributes
    ----------
    label : str
        What people read for the learner.
    error, low, high : float
        Mean over splits and its interval of 95 %; NaN where they tell none.
    splits : int
    experiment : str
        Its name.
    when : datetime
    """

    label: str
    spec: LearnerSpec
    error: float
    low: float
    high: float
    splits: int
    experiment: str
    when: datetime


def interval(mean: float, spread: float | None, splits: int, ratio: float) -> tuple[float, float]:
    """Return the interval of 95 % of a mean error over splits, within [0, 1]; NaN below two, and where all are the same.

    Training sets of different splits overlap, so the variance is corrected (Nadeau and Bengio, 2003): 1/n + ratio instead of
    1/n, with `ratio` test examples for each training example.
    """
    if spread is None or splits < 2 or spread < _NO_SPREAD:
        return math.nan, math.nan
    reach = float(stats.t.ppf((1 + _LEVEL) / 2, splits - 1)) * spread * math.sqrt(1 / splits + ratio)
    return max(mean - reach, 0.0), min(mean + reach, 1.0)


def standings_chart(entries: Sequence[Entry]) -> Chart:
    """Draw one row a learner, the lowest error on top."""
    numbers = pd.DataFrame(
        {
            "Learner": [entry.label for entry in entries],
            "Error": [entry.error for entry in entries],
            "From": [entry.low for entry in entries],
            "To": [entry.high for entry in entries],
            "Splits": [entry.splits for entry in entries],
            "Experiment": [entry.experiment for entry in entries],
        }
    )
    return Chart(
        _standings_caption(entries), numbers, partial(_standings_figure, entries), title="Lowest errors by learner"
    )


def _standings_caption(entries: Sequence[Entry]) -> str:
    """Return what stands below the standings; of intervals it speaks where some are drawn."""
    alone = sum(entry.splits < 2 for entry in entries)
    unknown = sum(math.isnan(entry.low) for entry in entries)
    if alone == len(entries):
        return (
            "One row a learner: its error on a single split, in the newest experiment that has it. One split tells no "
            "interval, so ranks may be by chance."
        )
    same = " or the same error on each" if unknown > alone else ""
    single = f" Where there is a single split{same}, it tells no interval." if unknown else ""
    return (
        "One row a learner: its mean error and an interval of 95 % (corrected resampled t), in the experiment with the most "
        f"splits.{single} Where experiments split the data differently, intervals that do not overlap tell more than ranks "
        "do."
    )


def history_chart(entries: Sequence[Entry]) -> Chart:
    """Draw the best error of each experiment over time, and the best so far as a line."""
    ordered = sorted(entries, key=lambda entry: entry.when)
    numbers = pd.DataFrame(
        {
            "Launched": [entry.when for entry in ordered],
            "Error": [entry.error for entry in ordered],
            "Lowest so far": np.minimum.accumulate([entry.error for entry in ordered]) if ordered else [],
            "Learner": [entry.label for entry in ordered],
            "Experiment": [entry.experiment for entry in ordered],
        }
    )
    caption = "A mark is the lowest error of an experiment; the line is the lowest so far."
    draw = partial(_history_figure, ordered, numbers["Lowest so far"].tolist())
    return Chart(caption, numbers, draw, title="Lowest error over time")


def pair_table(errors: Mapping[str, Mapping[str, float]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare methods in pairs, on the data sets that both have.

    Parameters
    ----------
    errors : mapping
        By method, then by data set.

    Returns
    -------
    shares : DataFrame of float, shape (n_methods, n_methods)
        On which share of the shared data sets the method of the row has the lower error; a tie counts half. NaN without
        one. Sorted by the mean over the others.
    counts : DataFrame of int
        Shaped alike: how many data sets they share.
    """
    losses, names = _losses(errors)
    known = np.isfinite(losses).astype(int)
    met = known.T @ known
    np.fill_diagonal(met, 0)
    shares = pd.DataFrame(win_rates(losses), index=names, columns=names)
    counts = pd.DataFrame(met, index=names, columns=names)
    order = shares.mean(axis=1).sort_values(ascending=False, kind="stable", na_position="last").index
    return shares.loc[order, order], counts.loc[order, order]


def _losses(errors: Mapping[str, Mapping[str, float]]) -> tuple[npt.NDArray[np.float64], list[str]]:
    """Return errors by data set and method, NaN where there is none, and the methods."""
    return np.array([[own.get(data, math.nan) for own in errors.values()] for data in _data_of(errors)]), list(errors)


def _data_of(errors: Mapping[str, Mapping[str, float]]) -> list[str]:
    return sorted({data for own in errors.values() for data in own})


def ranks_chart(errors: Mapping[str, Mapping[str, float]], specs: Mapping[str, LearnerSpec], most: int) -> Chart:
    """Draw the mean rank over data sets of the `most` best methods, the best on top.

    Parameters
    ----------
    errors : mapping
        By method, then by data set (`DatasetRef.content`).
    specs : mapping
        By method, a learner that it is drawn as.
    """
    losses, names = _losses(errors)
    sources = [source_of(data) for data in _data_of(errors)]
    ranks = mean_ranks(losses, sources=sources)
    order = [place for place in np.argsort(ranks.value, kind="stable") if np.isfinite(ranks.low[place])]
    if not order:
        return Chart.empty("Mean ranks are told when two methods share two data sets.")
    series = [values[order] for values in (ranks.value, ranks.low, ranks.high)]
    columns = dict(zip(("Mean rank", "Mean rank, from", "Mean rank, to"), series, strict=True))
    numbers = pd.DataFrame({"Method": [names[place] for place in order], **columns})
    numbers["Data sets"] = [len(errors[name]) for name in numbers["Method"]]
    drawn = numbers["Method"].tolist()[:most]
    styles = learner_styles([specs[name] for name in drawn])
    left_out = len(names) - len(order)
    caption = (
        f"Mean rank over {formatting.pluralize(len(losses), 'data set')}, 1 is best: 1 and, for each other method, the "
        "share of the data sets of both on which that one has the lower error, ties half; one that shares none with it "
        "counts as the others do on average. Bars: 95 % intervals, from drawing as many data sets from these again and "
        "again."
        + (" Sizes and encodings of the same data weigh as much as one." if len(set(sources)) < len(sources) else "")
        + (f" Left out: {left_out:,} that share fewer than two data sets with others." if left_out else "")
    )
    picked = Score(*(values[:most] for values in series))
    return Chart(caption, numbers, partial(board_figure, picked, drawn, styles, "Mean rank"))


def _standings_figure(entries: Sequence[Entry], theme: Theme) -> go.Figure:
    names = [wrapped(entry.label, _LABEL) for entry in entries]
    tall = np.array(
        [max(_ROW, _LINE * (name.count("<br>") + 1)) for name in names]
    )  # pixels: a long name has more of them
    ends = np.cumsum(tall)
    places = (ends - tall / 2).tolist()
    rows = zip(places, entries, _styles(entries), strict=True)
    figure = go.Figure([_mark(place, entry, style, theme) for place, entry, style in rows])
    figure.update_layout(template=template(theme), height=_AXIS + int(tall.sum()), showlegend=False)
    figure.update_xaxes(title_text="error", nticks=7, **_OF_ERRORS)
    figure.update_traces(cliponaxis=False)  # marks at 0 are whole
    figure.update_yaxes(
        tickvals=places,
        ticktext=names,
        range=[int(tall.sum()), 0],
        tickfont={"color": THEMES[theme].text},
        showgrid=False,
        ticklabelstandoff=8,
    )
    return figure


def _styles(entries: Sequence[Entry]) -> list[LearnerStyle]:
    """Return the style of each entry: a learner has one, however often it is there."""
    specs = {entry.spec.canonical: entry.spec for entry in entries}
    styles = dict(zip(specs, learner_styles(list(specs.values())), strict=True))
    return [styles[entry.spec.canonical] for entry in entries]


def _mark(place: float, entry: Entry, style: LearnerStyle, theme: Theme) -> go.Scatter:
    has_bar, open_width = not math.isnan(entry.low), 2 * style.symbol.endswith("-open")
    bar = {
        "type": "data",
        "symmetric": False,
        "array": [entry.high - entry.error],
        "arrayminus": [entry.error - entry.low],
        "color": THEMES[theme].muted,
        "thickness": 2,
        "width": 5,
    }
    said = f" [{formatting.number(entry.low)}, {formatting.number(entry.high)}]" if has_bar else ""
    about = f"{formatting.pluralize(entry.splits, 'split')} in {escaped(entry.experiment)}"
    return go.Scatter(
        x=[entry.error],
        y=[place],
        mode="markers",
        error_x=bar if has_bar else None,
        marker={"color": style.colour(theme), "symbol": style.symbol, "size": 12, "line": {"width": open_width}},
        hovertext=[f"<b>{wrapped(entry.label)}</b><br>error {formatting.number(entry.error)}{said}<br>{about}"],
        hoverinfo="text",
        cliponaxis=False,
    )


def _history_figure(entries: Sequence[Entry], lowest: Sequence[float], theme: Theme) -> go.Figure:
    styles = _styles(entries)
    when = [entry.when for entry in entries]
    line = {"color": THEMES[theme].muted, "shape": "hv", "width": 2}
    figure = go.Figure(go.Scatter(x=when, y=lowest, mode="lines", line=line, hoverinfo="skip"))
    figure.add_scatter(
        x=when,
        y=[entry.error for entry in entries],
        mode="markers",
        marker={
            "color": [style.colour(theme) for style in styles],
            "symbol": [style.symbol for style in styles],
            "size": 9,
        },
        hovertext=[
            f"<b>{wrapped(entry.label)}</b><br>error {formatting.number(entry.error)}<br>{escaped(entry.experiment)}"
            for entry in entries
        ],
        hoverinfo="text",
    )
    figure.update_layout(template=template(theme), height=380, showlegend=False)
    around = [when[0] - _MINUTE, when[-1] + _MINUTE] if when else []  # of one launch, no axis of milliseconds
    figure.update_xaxes(autorangeoptions={"include": around})
    figure.update_yaxes(title_text="error", **_OF_ERRORS)
    return figure.update_traces(cliponaxis=False)
