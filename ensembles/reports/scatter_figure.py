"""The scatterplot of two learners as a Plotly figure, from the numbers in `figure_data`.

Marks are SVG (`go.Scatter`), because browsers drop the oldest WebGL charts of a page without a word.
Text that users brought passes `plot_template.escaped` on its way into a figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from ensembles.reports import formatting
from ensembles.reports.figure_data import MAX_POINTS, Scatter, ScatterPoint, thinned
from ensembles.reports.label_layout import FONT_SIZE, NamedPoint, place_names
from ensembles.reports.plot_template import escaped, template, wrapped
from ensembles.reports.style import THEMES, VERDICTS, Theme

__all__ = ["scatter_figure"]

_NAMED_POINTS, _FARTHEST = 8, 4
_TRIED_POINTS = 20
_NAME, _CUT_NAME = 32, 20
_SIGNIFICANCE = {True: ", significant", False: ", not significant", None: ", not tested"}
_NOTE = 24
_AXIS = 36
_HEIGHT = 390


def scatter_figure(scatter: Scatter, theme: Theme = "light") -> go.Figure:
    """Draw one learner against another: one point a data set, equal axes, the diagonal, and which side wins."""
    low, high = _equal_range(scatter.points)
    diagonal = go.Scatter(
        x=[low, high],
        y=[low, high],
        mode="lines",
        line={"color": THEMES[theme].muted, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name="equal",
    )
    below, above = notes = _notes(scatter)
    figure = go.Figure([diagonal, _scatter_marks(scatter, theme, low, high, notes)])
    _add_note(figure, theme, below, x=1, xanchor="right", y=0, yanchor="bottom")
    _add_note(figure, theme, above, x=0, xanchor="left", y=1, yanchor="top")
    measure = formatting.measure_name(scatter.measure)
    axis = {"range": [low, high], "nticks": 7, "constrain": "domain"}
    figure.update_layout(template=template(theme), height=_HEIGHT, showlegend=False, hovermode="closest")
    figure.update_xaxes(title_text=wrapped(f"{measure} of {scatter.across}", _AXIS), **axis)
    figure.update_yaxes(
        title_text=wrapped(f"{measure} of {scatter.up}", _AXIS), scaleanchor="x", constraintoward="top", **axis
    )
    return figure


def _notes(scatter: Scatter) -> tuple[str, str]:
    """Return who wins below the line, and who above it."""
    winner_below, winner_above = scatter.up, scatter.across
    if not formatting.lower_is_better(scatter.measure):
        winner_below, winner_above = winner_above, winner_below
    below, above = formatting.shortened_apart((winner_below, winner_above), _NOTE)
    return f"below the line: {below} wins", f"above the line: {above} wins"


def _add_note(figure: go.Figure, theme: Theme, note: str, **place: Any) -> None:
    figure.add_annotation(
        text=escaped(note, len(note)),
        xref="x domain",
        yref="y domain",
        showarrow=False,
        font={"size": FONT_SIZE, "color": THEMES[theme].muted},
        **place,
    )


def _scatter_marks(scatter: Scatter, theme: Theme, low: float, high: float, notes: tuple[str, str]) -> go.Scatter:
    points = [scatter.points[position] for position in thinned(len(scatter.points), MAX_POINTS)]
    names, placed = _place_names(points, low, high, notes)
    colours = THEMES[theme]
    is_filled = [bool(point.significant) for point in points]
    return go.Scatter(
        x=[point.across for point in points],
        y=[point.up for point in points],
        mode="markers+text",
        name="data sets",
        marker={
            "size": 11,
            "color": [VERDICTS[point.verdict] for point in points],
            "symbol": ["circle" if filled else "circle-open" for filled in is_filled],
            "line": {
                "width": [1 if filled else 2 for filled in is_filled],
                "color": [
                    colours.text if filled else VERDICTS[point.verdict]
                    for point, filled in zip(points, is_filled, strict=True)
                ],
            },
        },
        text=[escaped(name, len(name)) if row in placed else "" for row, name in enumerate(names)],
        textposition=[placed.get(row, "middle right") for row in range(len(points))],
        textfont={"size": FONT_SIZE, "color": colours.muted},
        hovertext=[_scatter_hover(scatter, point) for point in points],
        hoverinfo="text",
        cliponaxis=False,
    )


def _place_names(
    points: Sequence[ScatterPoint], low: float, high: float, notes: tuple[str, str]
) -> tuple[tuple[str, ...], dict[int, str]]:
    """Return the names of data sets, and by position where those stand for which there is room.

    First the few that are farthest from the diagonal, then those on it, then the others, as far as there is room. Names are
    cut where more of them fit then.
    """
    span = high - low
    apart = [row for row, point in enumerate(points) if point.verdict != "equal"]
    apart.sort(key=lambda row: abs(points[row].up - points[row].across), reverse=True)
    equal = [row for row, point in enumerate(points) if point.verdict == "equal"]
    wanted = [*apart[:_FARTHEST], *equal[:_TRIED_POINTS], *apart[_FARTHEST:_TRIED_POINTS]]

    def placed(limit: int) -> tuple[tuple[str, ...], dict[int, str]]:
        names = formatting.shortened_apart([point.dataset for point in points], limit)
        squares = [
            NamedPoint((point.across - low) / span, (point.up - low) / span, name)
            for point, name in zip(points, names, strict=True)
        ]
        return names, place_names(squares, wanted, most=_NAMED_POINTS, notes=notes)

    return max(placed(_NAME), placed(_CUT_NAME), key=lambda found: len(found[1]))


def _scatter_hover(scatter: Scatter, point: ScatterPoint) -> str:
    lines = (
        f"<b>{escaped(point.dataset)}</b>",
        f"{wrapped(scatter.across)}: {formatting.number(point.across)}",
        f"{wrapped(scatter.up)}: {formatting.number(point.up)} ({point.verdict}{_SIGNIFICANCE[point.significant]})",
    )
    return "<br>".join(lines)


def _equal_range(points: Sequence[ScatterPoint]) -> tuple[float, float]:
    values = [value for point in points for value in (point.across, point.up)]
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    if low < high / 2:
        low = min(low, 0.0)
    if low == high:
        low, high = (low, low + 0.1) if low < 0.5 else (low - 0.1, low)  # an error of 0 has no place below 0
    room = 0.12 * (high - low)  # corners stay free for the words that stand there
    return low - room, high + room
