"""Published numbers beside ours: the table side by side, what differs and by how much, and the two figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from ensembles.papers.comparison import Cell
from ensembles.papers.findings import find_finding
from ensembles.papers.tables import PublishedTable
from ensembles.registry import base_models, methods, within_sentence
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.plot_template import escaped, second_ticks, template
from ensembles.reports.style import THEMES, VERDICTS, Theme

__all__ = [
    "SideBySide",
    "agreement_chart",
    "cell_table",
    "differences",
    "reasons",
    "side_by_side",
    "speed_chart",
    "standard_errors",
    "verdict",
]

_APART = 2.0
_HEIGHT = 460


@dataclass(frozen=True)
class SideBySide:
    """A published table with ours, data sets down and learners across, by the names people read.

    Attributes
    ----------
    ours : DataFrame of float
        NaN where there is none.
    notes : DataFrame of str
        The published number and the difference; "" where the paper has no such cell.
    verdicts : DataFrame of {"better", "worse", "equal", ""}
    """

    ours: pd.DataFrame
    notes: pd.DataFrame
    verdicts: pd.DataFrame


def standard_errors(cell: Cell) -> float:
    """Return the difference in standard errors, those of the paper (where it gives one) and ours taken together.

    Ours takes the trials as independent, which those that share examples are not: it is somewhat too small. NaN where
    there is nothing to measure by.
    """
    squares = [cell.std_error**2, cell.sd**2 / cell.n if cell.n > 1 else math.nan]
    together = math.sqrt(sum(square for square in squares if math.isfinite(square)))
    return cell.difference / together if together > 0.0 else math.nan


def verdict(cell: Cell) -> str:
    """Return whether ours is better, worse or, within two standard errors, equal; "" where that cannot be told."""
    apart = standard_errors(cell)
    if cell.is_time or not math.isfinite(apart):
        return ""
    if abs(apart) <= _APART:
        return "equal"
    return "better" if (apart > 0.0) != (cell.metric == "error") else "worse"


def side_by_side(table: PublishedTable, cells: Sequence[Cell]) -> SideBySide:
    """Return the cells of one table in its own form."""
    names = _learner_names(cells)
    rows = [
        {
            "data set": dataset_name(table, cell),
            "learner": names[cell.method, cell.base, cell.is_time],
            "ours": cell.ours,
            "notes": _note(cell),
            "verdicts": verdict(cell),
        }
        for cell in cells
    ]
    frame = pd.DataFrame(rows)
    index, columns = frame["data set"].unique(), frame["learner"].unique()

    def spread(column: str) -> pd.DataFrame:
        wide = frame.pivot(index="data set", columns="learner", values=column)
        return wide.reindex(index=index, columns=columns).rename_axis(index=None, columns=None)

    return SideBySide(spread("ours"), spread("notes").fillna(""), spread("verdicts").fillna(""))


def cell_table(table: PublishedTable, cells: Sequence[Cell]) -> pd.DataFrame:
    """Return one row a cell: published, ours, how far apart, and why there is none."""
    return pd.DataFrame(
        {
            "Data set": [dataset_name(table, cell) for cell in cells],
            "Method": [methods()[cell.method].name for cell in cells],
            "Base model": [base_name(cell.base) for cell in cells],
            "Measure": [_measure(cell) for cell in cells],
            "Published": [cell.published for cell in cells],
            "Standard error": [cell.std_error for cell in cells],
            "Ours": [cell.ours for cell in cells],
            "Standard deviation": [cell.sd for cell in cells],
            "Trials": [cell.n for cell in cells],
            "Difference": [cell.difference for cell in cells],
            "In standard errors": [standard_errors(cell) for cell in cells],
            "Note": [cell.note for cell in cells],
        }
    )


def reasons(table: PublishedTable, cells: Sequence[Cell]) -> pd.DataFrame:
    """Return why cells have no number of ours, or one that does not count: one row a reason."""
    without = [cell for cell in cells if not cell.is_compared]
    frame = pd.DataFrame(
        [(dataset_name(table, cell), cell.note) for cell in without], columns=["Data sets", "Reason"], dtype=object
    )
    grouped = frame.groupby("Reason", sort=False)["Data sets"]
    return pd.DataFrame(
        {
            "Reason": list(grouped.groups),
            "Cells": grouped.size().to_list(),
            "Data sets": [", ".join(names.unique()) for _, names in grouped],
        }
    )


def differences(table: PublishedTable, cells: Sequence[Cell]) -> dict[str, list[tuple[str, str]]]:
    """Return the cells that are off by more than 0.02, the farthest first, by what was found out: which, and by how much."""
    found: dict[str, list[tuple[str, str]]] = {}
    for cell in sorted((cell for cell in cells if cell.is_far), key=lambda cell: -abs(cell.difference)):
        which = f"{dataset_name(table, cell)}, {_learner_name(cell)}"
        numbers = f"{formatting.number(cell.ours)} for {formatting.number(cell.published)}"
        how_far = f"{numbers}, {formatting.difference(cell.difference)}"
        found.setdefault(find_finding(cell) or "not found out yet", []).append((which, how_far))
    return found


def agreement_chart(table: PublishedTable, cells: Sequence[Cell]) -> Chart:
    """Draw the published number of each cell against ours, times left out."""
    found = [cell for cell in cells if not cell.is_time and math.isfinite(cell.ours)]
    if not found:
        return Chart.empty("No cell with a measure has a number of ours yet.")
    counted = [cell for cell in found if cell.counts]
    close = f"{sum(cell.is_within(0.02) for cell in counted):,} of {len(counted):,} within 0.02."
    shares = close if counted else "None counts into shares of agreement."
    return Chart(
        f"One point a cell: across what the paper prints, up what came out here; on the line both are the same. "
        f"{shares} Colour: beyond two standard errors (the paper's and ours together, trials taken as independent) ours is "
        "better (green) or worse (orange), else grey."
        + ("" if all(map(verdict, found)) else " Hollow: not tested, without standard errors."),
        cell_table(table, found),
        partial(_agreement_figure, table, found),
        title=f"{_name(table)}, published and ours",
    )


def speed_chart(table: PublishedTable, cells: Sequence[Cell]) -> Chart:
    """Draw published seconds against ours."""
    found = [cell for cell in cells if cell.is_time and cell.ours > 0.0 and cell.published > 0.0]
    if not found:
        return Chart.empty("No cell with seconds has a number of ours yet.")
    return Chart(
        "One point a cell, both axes logarithmic: across the seconds that the paper prints, on the machine of its time, up "
        "ours, wall clock without compilation. On the line both are the same; below it ours is faster.",
        cell_table(table, found),
        partial(_speed_figure, table, found),
        title=f"{_name(table)}, seconds published and ours",
    )


def _name(table: PublishedTable) -> str:
    return f"{table.paper.name}, {table.number}"


def dataset_name(table: PublishedTable, cell: Cell) -> str:
    """Return a cell's data set as the paper prints it."""
    return table.paper.datasets[cell.dataset].name


def base_name(base: str) -> str:
    """Return a base model as people read it: "Naive Bayes", "Network, 10 updates"."""
    if base in base_models():
        return base_models()[base].name
    first, _, rest = base.partition("_")
    return f"{first.capitalize()}, {rest.replace('_', ' ')}"


def _learner_name(cell: Cell) -> str:
    return f"{methods()[cell.method].name}, {within_sentence(base_name(cell.base))}"


def _measure(cell: Cell) -> str:
    return "Seconds" if cell.is_time else formatting.measure_name(cell.metric)


def _learner_names(cells: Sequence[Cell]) -> dict[tuple[str, str, bool], str]:
    """Return what tells the columns of a table apart: the method, and the base model and measure if they differ."""
    columns = dict.fromkeys((cell.method, cell.base, cell.is_time) for cell in cells)
    several_bases = len({base for _, base, _ in columns}) > 1
    several_measures = len({is_time for _, _, is_time in columns}) > 1
    return {
        (method, base, is_time): methods()[method].name
        + (f", {within_sentence(base_name(base))}" if several_bases else "")
        + (", time" if several_measures and is_time else "")
        for method, base, is_time in columns
    }


def say(cell_value: float, *, is_time: bool) -> str:
    """Return a number of a cell as people read it."""
    return formatting.seconds(cell_value) if is_time else formatting.number(cell_value)


def _say_published(cell: Cell) -> str:
    return "< " * cell.is_bound + say(cell.published, is_time=cell.is_time)


def _note(cell: Cell) -> str:
    published = _say_published(cell)
    if not math.isfinite(cell.ours):
        return published
    if cell.is_time:
        at_most = "up to " * cell.is_bound
        return f"{published}, {at_most}{formatting.ratio(cell.published / cell.ours)}" if cell.ours > 0.0 else published
    apart = standard_errors(cell)
    how_far = f"{published} {formatting.difference(cell.difference)}"
    return f"{how_far} ({abs(apart):.1f})" if math.isfinite(apart) else how_far


def _hover(table: PublishedTable, cell: Cell) -> str:
    ours, published = say(cell.ours, is_time=cell.is_time), escaped(_say_published(cell))
    return f"<b>{escaped(dataset_name(table, cell))}</b><br>{_learner_name(cell)}<br>published {published}, ours {ours}"


def _agreement_figure(table: PublishedTable, cells: Sequence[Cell], theme: Theme) -> go.Figure:
    values = [value for cell in cells for value in (cell.published, cell.ours)]
    room = 0.05 * (max(values) - min(values)) or 0.05
    figure = _figure(table, cells, theme, [VERDICTS[verdict(cell) or "equal"] for cell in cells])
    figure.update_traces(
        marker_symbol=["circle" if verdict(cell) else "circle-open" for cell in cells], selector={"mode": "markers"}
    )
    axis = {"range": [min(values) - room, max(values) + room], "nticks": 7, "constrain": "domain"}
    figure.update_xaxes(title_text="published", **axis)
    return figure.update_yaxes(title_text="ours", scaleanchor="x", constraintoward="top", **axis)


def _speed_figure(table: PublishedTable, cells: Sequence[Cell], theme: Theme) -> go.Figure:
    figure = _figure(table, cells, theme, [THEMES[theme].muted] * len(cells))
    figure.update_xaxes(title_text="published", **second_ticks([cell.published for cell in cells]))
    return figure.update_yaxes(title_text="ours", **second_ticks([cell.ours for cell in cells]))


def _figure(table: PublishedTable, cells: Sequence[Cell], theme: Theme, colours: Sequence[str]) -> go.Figure:
    ends = [f(value for cell in cells for value in (cell.published, cell.ours)) for f in (min, max)]
    quiet = THEMES[theme]
    marker = {"size": 9, "color": list(colours), "line": {"width": 1, "color": quiet.text}}
    points = go.Scatter(
        x=[cell.published for cell in cells],
        y=[cell.ours for cell in cells],
        mode="markers",
        marker=marker,
        hovertext=[_hover(table, cell) for cell in cells],
        hoverinfo="text",
        cliponaxis=False,
    )
    line = {"color": quiet.muted, "width": 1, "dash": "dot"}
    figure = go.Figure([go.Scatter(x=ends, y=ends, mode="lines", line=line, hoverinfo="skip"), points])
    return figure.update_layout(template=template(theme), height=_HEIGHT, showlegend=False, hovermode="closest")
