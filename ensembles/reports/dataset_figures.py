"""Figures of one data set, with their words and their numbers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ensembles.data import Dataset
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.dataset_summary import Associations, Projection
from ensembles.reports.plot_template import escaped, legend_room, template, wrapped
from ensembles.reports.style import THEMES, Theme, translucent
from ensembles.wording import distinct

__all__ = ["association_chart", "distribution_chart", "projection_chart"]

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7F5F00", "#868e91")
_ENDS = {"light": ("#D55E00", "#0072B2"), "dark": ("#E69F00", "#56B4E9")}  # of the scale from -1 to 1
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star", "hexagon")
_OTHERS = "all others"
_TICK = 24
_TOLD_CELLS = 12  # attributes; in a larger matrix numbers do not fit into the cells


def association_chart(found: Associations, numbers: str) -> Chart:
    """Return the matrix of associations as a figure; `numbers`: name of the correlation of two numeric attributes."""
    shown = len(found.matrix) - 1
    caption = (
        f"Between two numeric attributes: {numbers}'s correlation, from −1 to 1. Between two nominal ones: Cramér's V, from "
        "0 to 1. Between one of each: the correlation ratio, from 0 to 1. Empty where an attribute does not vary. "
        "The class is the last row."
    )
    if shown < found.attributes:
        caption += f" Of {found.attributes:,} attributes, the {shown} that go most with the class."
    if found.sampled < found.examples:
        caption += f" From a sample of {found.sampled:,} of {found.examples:,} examples."
    table = found.matrix.copy()
    table.insert(0, "Attribute", found.matrix.index, allow_duplicates=True)
    table.columns = pd.Index(distinct(["Attribute", *map(str, found.matrix.columns)]))
    return Chart(caption, table, partial(_draw_associations, found.matrix), title="Associations of attributes")


def distribution_chart(counts: pd.DataFrame, caption: str) -> Chart:
    """Return how often an attribute takes each value as a figure: one row of `counts` a bar, its columns stacked."""
    table = counts.reset_index(allow_duplicates=True)  # an attribute may be called like a class
    table.columns = pd.Index(distinct([*map(str, table.columns)]))
    return Chart(caption, table, partial(_draw_distribution, counts))


def projection_chart(dataset: Dataset, found: Projection) -> Chart:
    """Return the examples on their first two principal components as a figure, coloured by class."""
    first, second = (f"{share:.1%}" for share in found.explained)
    caption = (
        "One point an example, on the two directions in which examples differ most (principal components of standardised "
        f"numbers and one-hot nominal attributes). They show {first} and {second} of all variance."
    )
    if len(found.labels) < len(dataset):
        caption += f" A sample of {len(found.labels):,} of {len(dataset):,} examples."
    if found.left_out:
        caption += f" Left out: nominal attributes with more than 50 values ({found.left_out})."
    named = _named_classes(found, len(dataset.classes))
    told = [dataset.classes[label] if label in named else _OTHERS for label in found.labels]
    table = pd.DataFrame({"First": found.points[:, 0], "Second": found.points[:, 1], "Class": told})
    names = [*(dataset.classes[label] for label in named), *([_OTHERS] if len(named) < len(dataset.classes) else [])]
    return Chart(caption, table, partial(_draw_projection, table, names), title=f"{dataset.name}, principal components")


def _draw_associations(matrix: pd.DataFrame, theme: Theme) -> go.Figure:
    colours, names = (
        THEMES[theme],
        [escaped(name, len(name)) for name in formatting.shortened_apart([*map(str, matrix.columns)], 24)],
    )
    few, places = len(names) <= _TOLD_CELLS, list(range(len(names)))
    values = matrix.to_numpy()
    figure = go.Figure(
        go.Heatmap(
            x=places,
            y=places,
            z=values,
            zmin=-1,
            zmax=1,
            colorscale=[[0, _ENDS[theme][0]], [0.5, colours.background], [1, _ENDS[theme][1]]],
            texttemplate="%{z:.2f}" if few else None,
            hovertext=[[f"{a}<br>{b}" for b in names] for a in names],
            hovertemplate="%{hovertext}<br><b>%{z:.3f}</b><extra></extra>",
            hoverongaps=False,
            xgap=1,
            ygap=1,
            colorbar={"thickness": 12, "outlinewidth": 0, "tickvals": [-1, -0.5, 0, 0.5, 1]},
        )
    )
    ticks = {"tickvals": places, "ticktext": names, "showgrid": False, "tickfont": {"size": 13 if few else 10}}
    figure.update_layout(template=template(theme), height=max(320, 160 + 18 * len(names)))
    figure.update_xaxes(**ticks, tickangle=-60)
    figure.update_yaxes(**ticks, autorange="reversed")
    return figure


def _draw_distribution(counts: pd.DataFrame, theme: Theme) -> go.Figure:
    values, places = [str(value) for value in counts.index], list(range(len(counts)))
    figure = go.Figure()
    for place, name in enumerate(map(str, counts.columns)):
        figure.add_bar(
            x=places,
            y=counts.iloc[:, place].tolist(),
            marker={
                "color": _COLOURS[place % len(_COLOURS)],
                "pattern": {"shape": "/" if place >= len(_COLOURS) else ""},
            },
            name=wrapped(name),
            hovertext=[escaped(value) for value in values],
            hovertemplate="%{hovertext}<br>%{fullData.name}: %{y:,d}<extra></extra>",
        )
    figure.update_layout(
        template=template(theme), height=320 + legend_room([*map(str, counts.columns)]), barmode="stack", bargap=0.15
    )
    figure.update_layout(showlegend=counts.shape[1] > 1, legend={"traceorder": "normal"})
    ticks = [escaped(value, len(value)) for value in formatting.shortened_apart(values, _TICK)]
    figure.update_xaxes(title_text=escaped(str(counts.index.name)), tickvals=places, ticktext=ticks)
    return figure.update_yaxes(title_text="examples", tickformat=",d")


def _draw_projection(table: pd.DataFrame, classes: list[str], theme: Theme) -> go.Figure:
    figure = go.Figure()
    groups = [(name, points) for name in classes if len(points := table[table["Class"] == name])]
    for place, (name, points) in enumerate(groups):
        colour = _COLOURS[place % len(_COLOURS)]
        figure.add_scatter(
            x=points["First"],
            y=points["Second"],
            mode="markers",
            marker={
                "color": translucent(colour, 0.7) if theme == "light" else colour,  # dark blue fades into the dark
                "symbol": _SYMBOLS[place % len(_SYMBOLS)],
                "size": 7,
                "line": {"width": 0.5, "color": colour},
            },
            name=escaped(name),
            hovertemplate="%{fullData.name}<br>%{x:.2f}, %{y:.2f}<extra></extra>",
        )
    figure.update_layout(
        template=template(theme),
        height=480 + legend_room([name for name, _ in groups]),
        xaxis_title="first component",
        yaxis_title="second component",
        legend={"itemsizing": "constant"},
        showlegend=True,
    )
    return figure


def _named_classes(found: Projection, n_classes: int) -> list[int]:
    """Return the classes that have a colour of their own: all, or the most frequent where there are too many."""
    if n_classes <= len(_COLOURS):
        return list(range(n_classes))
    counts = np.bincount(found.labels, minlength=n_classes)
    return sorted(np.argsort(-counts, kind="stable")[: len(_COLOURS) - 1].tolist())
