"""Plotly figures from the numbers in `series`.

Marks are SVG (`go.Scatter`), because browsers drop the oldest WebGL charts of a page without a word.
Text that users brought passes `canvas.escaped` on its way into a figure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ensembles.reports import formatting
from ensembles.reports.figure_data import MAX_POINTS, Band, Scatter, ScatterPoint, TimePoint, thinned
from ensembles.reports.label_layout import FONT_SIZE, NamedPoint, place_names
from ensembles.reports.plot_template import count_ticks, escaped, legend_room, second_ticks, template, wrapped
from ensembles.reports.style import THEMES, VERDICTS, LearnerStyle, Theme, translucent

__all__ = ["curve_figure", "scatter_figure", "time_by_dataset_figure", "time_figure"]

_NAMED_POINTS, _FARTHEST = 8, 4
_TRIED_POINTS = 20
_NAME = 20
_SIGNIFICANCE = {True: ", significant", False: ", not significant", None: ", not tested"}
_FEW_MARKERS = 30
_FEW_TICKS = 4
_NOTE = _TICK = 24
_AXIS = 36


def scatter_figure(scatter: Scatter, theme: Theme = "light", *, height: int = 390) -> go.Figure:
    """Draw one learner against another: one point a data set, equal axes, the diagonal, and which side wins."""
    colours = THEMES[theme]
    low, high = _equal_range(scatter.points)
    diagonal = go.Scatter(
        x=[low, high],
        y=[low, high],
        mode="lines",
        line={"color": colours.muted, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name="equal",
    )
    winner_below, winner_above = scatter.up, scatter.across
    if not formatting.lower_is_better(scatter.measure):
        winner_below, winner_above = winner_above, winner_below
    above, below = (
        f"{side} the line: {winner} wins"
        for side, winner in zip(
            ("above", "below"), formatting.shortened_apart((winner_above, winner_below), _NOTE), strict=True
        )
    )
    figure = go.Figure([diagonal, _scatter_marks(scatter, theme, low, high, (above, below))])
    for note, x, xanchor, y, yanchor in ((below, 1, "right", 0, "bottom"), (above, 0, "left", 1, "top")):
        figure.add_annotation(
            text=escaped(note, len(note)),
            x=x,
            y=y,
            xref="x domain",
            yref="y domain",
            xanchor=xanchor,
            yanchor=yanchor,
            showarrow=False,
            font={"size": FONT_SIZE, "color": colours.muted},
        )
    measure = formatting.measure_name(scatter.measure)
    axis = {"range": [low, high], "nticks": 7, "constrain": "domain"}
    figure.update_layout(template=template(theme), height=height, showlegend=False, hovermode="closest")
    figure.update_xaxes(title_text=wrapped(f"{measure} of {scatter.across}", _AXIS), **axis)
    figure.update_yaxes(
        title_text=wrapped(f"{measure} of {scatter.up}", _AXIS), scaleanchor="x", constraintoward="top", **axis
    )
    return figure


def _scatter_marks(scatter: Scatter, theme: Theme, low: float, high: float, notes: tuple[str, str]) -> go.Scatter:
    points = [scatter.points[position] for position in thinned(len(scatter.points), MAX_POINTS)]
    names = formatting.shortened_apart([point.dataset for point in points], _NAME)
    placed = _place_names(points, names, low, high, notes)
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
    points: Sequence[ScatterPoint], names: Sequence[str], low: float, high: float, notes: tuple[str, str]
) -> dict[int, str]:
    """Return by position where the names of some data sets stand.

    First the few that are farthest from the diagonal, then those on it, then the others, as far as there is room.
    """
    span = high - low
    squares = [
        NamedPoint((point.across - low) / span, (point.up - low) / span, name)
        for point, name in zip(points, names, strict=True)
    ]
    apart = [row for row, point in enumerate(points) if point.verdict != "equal"]
    apart.sort(key=lambda row: abs(points[row].up - points[row].across), reverse=True)
    equal = [row for row, point in enumerate(points) if point.verdict == "equal"]
    wanted = [*apart[:_FARTHEST], *equal[:_TRIED_POINTS], *apart[_FARTHEST:_TRIED_POINTS]]
    return place_names(squares, wanted, most=_NAMED_POINTS, notes=notes)


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


def curve_figure(
    bands: Sequence[Band],
    styles: Sequence[LearnerStyle],
    theme: Theme = "light",
    *,
    x_title: str,
    y_title: str,
    height: int = 460,
    reference: tuple[float, str] | None = None,
    faint: Sequence[Band] = (),
    x_format: str = ",d",
) -> go.Figure:
    """Draw curves with bands.

    Parameters
    ----------
    looks : sequence of LearnerStyle
        By position of the learner in the experiment.
    reference : (float, str), optional
        A level that readers need, with its words.
    faint : sequence of Band
        Curves drawn as thin dotted lines behind, without bands.
    x_format : str
        D3 format of `x`.
    """
    figure = go.Figure()
    limit = max(2, MAX_POINTS // max(1, len(bands) + len(faint)))
    for band in faint:
        rows = thinned(len(band.x), limit)
        figure.add_scatter(
            x=np.asarray(band.x)[rows].tolist(),
            y=np.asarray(band.mean)[rows].tolist(),
            mode="lines",
            line={"color": styles[band.learner].colour(theme), "width": 1.5, "dash": "dot"},
            hovertemplate="%{y:.4f}",
            showlegend=False,
            legendgroup=str(band.learner),
            name=wrapped(band.label),
        )
    opacity = min(0.13, 0.8 / max(1, len(bands)))
    for band in bands:
        rows = thinned(len(band.x), limit)
        x, mean, low, high = (np.asarray(part)[rows] for part in (band.x, band.mean, band.low, band.high))
        style = styles[band.learner]
        colour = style.colour(theme)
        known = np.isfinite(low) & np.isfinite(high)
        figure.add_scatter(
            x=np.concatenate([x[known], x[known][::-1]]).tolist(),
            y=np.concatenate([high[known], low[known][::-1]]).tolist(),
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=translucent(colour, opacity),
            hoverinfo="skip",
            showlegend=False,
            legendgroup=str(band.learner),
            name=f"{wrapped(band.label)}, band",
        )
        figure.add_scatter(
            x=x.tolist(),
            y=mean.tolist(),
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": style.dash},
            marker={"color": colour, "symbol": style.symbol, "size": 9, "maxdisplayed": _FEW_MARKERS},
            customdata=(high - mean).tolist(),
            hovertemplate="%{y:.4f} ± %{customdata:.4f}",
            legendgroup=str(band.learner),
            name=wrapped(band.label),
        )
    figure.update_layout(
        template=template(theme),
        height=height + legend_room([band.label for band in bands]),
        hovermode="x unified",
        showlegend=True,
    )
    figure.update_xaxes(title_text=x_title, tickformat=x_format, hoverformat=x_format)
    if x_format == ",d" and len({x for band in bands for x in band.x}) <= _FEW_TICKS:
        figure.update_xaxes(dtick=1)
    figure.update_yaxes(title_text=y_title)
    if reference is not None:
        _add_reference(figure, *reference, theme)
    return figure


def _add_reference(figure: go.Figure, level: float, text: str, theme: Theme) -> None:
    colour = THEMES[theme].muted
    figure.add_hline(
        y=level,
        line={"color": colour, "width": 1, "dash": "dot"},
        annotation={"text": text, "font": {"size": 12, "color": colour}, "xanchor": "right", "x": 1},
    )


def time_figure(
    points: Sequence[TimePoint],
    styles: Sequence[LearnerStyle],
    theme: Theme = "light",
    *,
    y_title: str,
    height: int = 460,
) -> go.Figure:
    """Draw seconds against the number of training examples, both logarithmic, one point a data set and learner."""
    figure = go.Figure()
    learners = _by_learner(points)
    for learner, own in learners.items():
        figure.add_scatter(
            x=[point.n_train for point in own],
            y=_drawable(own),
            mode="markers",
            **_marks(own, styles[learner], theme),
        )
    height += legend_room([own[0].label for own in learners.values()])
    figure.update_layout(template=template(theme), height=height, hovermode="closest", showlegend=True)
    figure.update_xaxes(title_text="training examples", **count_ticks([point.n_train for point in points]))
    figure.update_yaxes(title_text=y_title, **second_ticks(_drawable(points)))
    return figure


def time_by_dataset_figure(
    points: Sequence[TimePoint], styles: Sequence[LearnerStyle], theme: Theme = "light", *, y_title: str
) -> go.Figure:
    """Draw seconds (logarithmic, to the right) for each data set (down, the largest at the bottom)."""
    sizes = {point.dataset: point.n_train for point in points}
    rows = {name: row for row, name in enumerate(sorted(sizes, key=lambda name: sizes[name]))}
    ticks = formatting.shortened_apart([*rows], _TICK)
    figure = go.Figure()
    learners = _by_learner(points)
    for learner, own in learners.items():
        figure.add_scatter(
            x=_drawable(own),
            y=[rows[point.dataset] for point in own],
            mode="markers",
            **_marks(own, styles[learner], theme),
        )
    figure.update_layout(
        template=template(theme),
        height=160 + legend_room([own[0].label for own in learners.values()]) + 30 * len(rows),
        hovermode="closest",
        showlegend=True,
    )
    figure.update_xaxes(title_text=y_title, **second_ticks(_drawable(points)))
    figure.update_yaxes(
        tickvals=list(rows.values()),
        ticktext=[escaped(name, len(name)) for name in ticks],
        range=[len(rows) - 0.5, -0.5],
    )
    return figure


def _by_learner(points: Sequence[TimePoint]) -> dict[int, list[TimePoint]]:
    kept = [points[position] for position in thinned(len(points), MAX_POINTS)]
    return {
        learner: [point for point in kept if point.learner == learner] for learner in sorted({p.learner for p in kept})
    }


def _drawable(points: Sequence[TimePoint]) -> list[float]:
    return [max(point.seconds, 1e-6) for point in points]


def _marks(points: Sequence[TimePoint], style: LearnerStyle, theme: Theme) -> dict[str, object]:
    colour = style.colour(theme)
    return {
        "name": wrapped(points[0].label),
        "marker": {"color": colour, "symbol": style.symbol, "size": 10},
        "hovertext": [
            f"<b>{escaped(point.dataset)}</b><br>{wrapped(point.label)}: {formatting.seconds(point.seconds)}"
            f"<br>{formatting.pluralize(point.n_train, 'training example')}"
            for point in points
        ],
        "hoverinfo": "text",
    }
