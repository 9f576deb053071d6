"""Bias and variance beside the error they sum to, as numbers, words and bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.plot_template import escaped, legend_room, template, wrapped
from ensembles.reports.style import LearnerStyle, Theme, translucent

__all__ = ["decomposition_figure", "decomposition_sentence", "decomposition_table", "has_main_parts", "is_decomposed"]

_PARTS = ("error", "bias", "variance")
_MAIN = ("main_bias", "unbiased_variance", "biased_variance")
_ERROR, _BIAS, _VARIANCE = (formatting.measure_name(part) for part in _PARTS)
_MAIN_NAMES = tuple(formatting.measure_name(part) for part in _MAIN)
_FAINT = 0.4
_TITLE = "error = bias + variance (faint)"
_MAIN_TITLE = "error = bias + variance that harms (faint)<br>− variance that helps (hatched)"


def is_decomposed(results: Results) -> bool:
    """Whether trials left bias and variance."""
    return set(_PARTS) <= set(results.measures)


def decomposition_table(results: Results) -> pd.DataFrame:
    """Return one row for each data set and learner: mean error, bias, variance, and the share of the error that is variance.

    After them the parts around the main prediction, where trials left them (those of earlier releases did not). Rows
    without a finished trial are left out; the share of no error is unknown.
    """
    parts = (*_PARTS, *(part for part in _MAIN if part in results.measures))
    means = {part: results.mean(part).to_numpy() for part in parts}
    rows = [
        {"Data set": name, "Learner": learner, **{formatting.measure_name(part): means[part][d, m] for part in parts}}
        for d, name in enumerate(results.datasets)
        for m, learner in enumerate(results.learners)
    ]
    table = pd.DataFrame(rows).dropna(subset=[_ERROR, _BIAS, _VARIANCE], ignore_index=True)
    table.insert(5, "Share of variance", (table[_VARIANCE] / table[_ERROR]).where(table[_ERROR] > 0))
    return table


def decomposition_sentence(table: pd.DataFrame) -> str:
    """Return for which learners the share of variance is largest and smallest, over the data sets that have all of them."""
    complete = table.groupby("Data set")["Learner"].transform("size") == table["Learner"].nunique()
    sums = table[complete].groupby("Learner", sort=False)[[_VARIANCE, _ERROR]].sum()
    shares = (sums[_VARIANCE] / sums[_ERROR])[sums[_ERROR] > 0]
    if len(shares) < 2:
        return ""
    most, least = int(shares.argmax()), int(shares.argmin())
    over = formatting.pluralize(int(table.loc[complete, "Data set"].nunique()), "data set")
    return (
        f"Over {over}, the share of variance in the error is largest for {shares.index[most]} "
        f"({100 * shares.iloc[most]:.0f} %) and smallest for {shares.index[least]} ({100 * shares.iloc[least]:.0f} %)."
    )


def has_main_parts(table: pd.DataFrame) -> bool:
    """Whether a row of `decomposition_table` has the parts around the main prediction."""
    return _MAIN_NAMES[0] in table and bool(table[list(_MAIN_NAMES)].notna().all(axis=1).any())


def decomposition_figure(
    table: pd.DataFrame,
    learners: Sequence[str],
    styles: Sequence[LearnerStyle],
    theme: Theme = "light",
    *,
    around_main: bool = False,
) -> go.Figure:
    """Draw a bar for each data set (down) and learner: bias in full colour, then variance, faint, up to the error.

    Parameters
    ----------
    table : DataFrame
        From `decomposition_table`.
    learners : sequence of str
        Names of the learners by position in the experiment, as are their `styles`.
    around_main : bool
        Draw the parts after Domingos: behind the bias the variance that harms, and of both what variance that helps takes
        back, hatched, down to the error.
    """
    if around_main:
        table = table.dropna(subset=list(_MAIN_NAMES))
    datasets = list(table["Data set"].unique())
    drawn = [(place, table[table["Learner"] == name]) for place, name in enumerate(learners)]
    drawn = [(place, own) for place, own in drawn if len(own)]
    figure, bars = go.Figure(), _main_bars if around_main else _bars
    for place, own in drawn:
        rows = [datasets.index(name) for name in own["Data set"]]
        figure.add_traces(bars(own, rows, learners[place], group=str(place), colour=styles[place].colour(theme)))
    figure.update_layout(
        template=template(theme),
        height=150 + legend_room([learners[place] for place, _ in drawn]) + len(datasets) * (13 * len(drawn) + 16),
        barmode="group",
        bargap=0.2,
        hovermode="closest",
        showlegend=True,
    )
    figure.update_xaxes(title_text=_MAIN_TITLE if around_main else _TITLE, rangemode="tozero")
    figure.update_yaxes(
        tickvals=list(range(len(datasets))),
        ticktext=[escaped(name, len(name)) for name in formatting.shortened_apart(datasets, 24)],
        range=[len(datasets) - 0.5, -0.5],
        showgrid=False,
    )
    return figure


def _bars(own: pd.DataFrame, rows: list[int], learner: str, *, group: str, colour: str) -> list[go.Bar]:
    """Return the bars of bias and of variance of one learner."""
    name = wrapped(learner)
    hover = [
        f"<b>{escaped(dataset)}</b><br>{name}<br>"
        f"error {formatting.number(error)} = bias {formatting.number(bias)} + variance {formatting.number(variance)}"
        for dataset, error, bias, variance in own[["Data set", _ERROR, _BIAS, _VARIANCE]].itertuples(index=False)
    ]
    place = _Place(rows, hover, name, group)
    bias, variance = own[_BIAS].tolist(), own[_VARIANCE].tolist()
    return [
        place.bar(bias, {"color": colour}),
        place.bar(variance, {"color": translucent(colour, _FAINT)}, bias, "variance"),
    ]


def _main_bars(own: pd.DataFrame, rows: list[int], learner: str, *, group: str, colour: str) -> list[go.Bar]:
    """Return the bars of one learner after Domingos: bias, the variance that harms, and the one that helps."""
    name = wrapped(learner)
    hover = [
        f"<b>{escaped(dataset)}</b><br>{name}<br>error {formatting.number(error)} = bias {formatting.number(bias)} + "
        f"variance that harms {formatting.number(harm)} − variance that helps {formatting.number(helps)}"
        for dataset, error, bias, harm, helps in own[["Data set", _ERROR, *_MAIN_NAMES]].itertuples(index=False)
    ]
    place = _Place(rows, hover, name, group)
    bias, harm, helps = (own[part] for part in _MAIN_NAMES)
    hatched = {"color": "rgba(0, 0, 0, 0)", "pattern": {"shape": "/", "fgcolor": colour, "size": 5, "solidity": 0.4}}
    return [
        place.bar(bias.tolist(), {"color": colour}),
        place.bar(harm.tolist(), {"color": translucent(colour, _FAINT)}, bias.tolist(), "variance that harms"),
        place.bar(helps.tolist(), hatched, (bias + harm - helps).tolist(), "variance that helps"),
    ]


class _Place(NamedTuple):
    """Where the bars of a learner stand, and what they say."""

    rows: list[int]
    hover: list[str]
    name: str
    group: str

    def bar(
        self, lengths: list[float], marker: dict[str, Any], base: list[float] | None = None, part: str = ""
    ) -> go.Bar:
        """Return the bars of one part, the first of which stands in the legend; `base`: where they begin."""
        return go.Bar(
            x=lengths,
            y=self.rows,
            base=base,
            orientation="h",
            marker=marker,
            name=f"{self.name}, {part}" if part else self.name,
            showlegend=False if part else None,
            hovertext=self.hover,
            hoverinfo="text",
            offsetgroup=self.group,
            legendgroup=self.group,
        )
