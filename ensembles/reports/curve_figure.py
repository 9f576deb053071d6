"""Curves with bands as a Plotly figure, from the numbers in `figure_data`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ensembles.reports.end_labels import Start, add_end_labels, value_range
from ensembles.reports.figure_data import MAX_POINTS, Band, thinned
from ensembles.reports.plot_template import legend_room, template, wrapped
from ensembles.reports.style import THEMES, LearnerStyle, Theme, translucent

__all__ = ["curve_figure"]

_FEW_MARKERS = 30
_ROOM_FOR_WORDS = 0.08  # of an axis: those of a reference stand above its line
_FEW_TICKS = 4
_HEIGHT = 460


def curve_figure(
    bands: Sequence[Band],
    styles: Sequence[LearnerStyle],
    theme: Theme = "light",
    *,
    x_title: str,
    y_title: str,
    reference: tuple[float, str] | None = None,
    faint: Sequence[Band] = (),
    x_format: str = ",d",
    start: Start | None = None,
) -> go.Figure:
    """Draw curves with bands.

    Parameters
    ----------
    styles : sequence of LearnerStyle
        By position of the learner in the experiment.
    reference : (float, str), optional
        A level that readers need, with its words.
    faint : sequence of Band
        Curves drawn as thin dotted lines behind, without bands.
    x_format : str
        D3 format of `x`.
    start : Start, optional
        Points that may lie beyond the axis.
    """
    limit = max(2, MAX_POINTS // max(1, len(bands) + len(faint)))
    opacity = min(0.13, 0.8 / max(1, len(bands)))
    figure = go.Figure([_faint_line(band, limit, styles[band.learner].colour(theme)) for band in faint])
    for band in bands:
        figure.add_traces(_band_and_line(band, limit, styles[band.learner], theme, opacity))
    figure.update_layout(template=template(theme), height=_HEIGHT, hovermode="x unified", showlegend=True)
    figure.update_xaxes(title_text=x_title, tickformat=x_format, hoverformat=x_format)
    places = [x for band in bands for x in band.x]
    if x_format == ",d" and places and max(places) - min(places) < _FEW_TICKS:
        figure.update_xaxes(dtick=1)
    limits = value_range([*bands, *faint], start=start)
    if limits is not None and reference is not None:
        low, high = min(limits[0], reference[0]), max(limits[1], reference[0])
        limits = low, max(high, reference[0] + _ROOM_FOR_WORDS * (high - low))
    figure.update_yaxes(title_text=y_title, range=limits)
    if limits is None or faint or not add_end_labels(figure, bands, styles, theme, limits, _HEIGHT):
        figure.update_layout(height=_HEIGHT + legend_room([band.label for band in bands]))
    if reference is not None:
        _add_reference(figure, *reference, theme)
    return figure


def _faint_line(band: Band, limit: int, colour: str) -> go.Scatter:
    rows = thinned(len(band.x), limit)
    return go.Scatter(
        x=np.asarray(band.x)[rows].tolist(),
        y=np.asarray(band.mean)[rows].tolist(),
        mode="lines",
        line={"color": colour, "width": 1.5, "dash": "dot"},
        hovertemplate="%{y:.4f}",
        showlegend=False,
        legendgroup=str(band.learner),
        name=wrapped(band.label),
    )


def _band_and_line(
    band: Band, limit: int, style: LearnerStyle, theme: Theme, opacity: float
) -> tuple[go.Scatter, go.Scatter]:
    rows = thinned(len(band.x), limit)
    x, mean, low, high = (np.asarray(part)[rows] for part in (band.x, band.mean, band.low, band.high))
    colour = style.colour(theme)
    known = np.isfinite(low) & np.isfinite(high)
    area = go.Scatter(
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
    line = go.Scatter(
        x=x.tolist(),
        y=mean.tolist(),
        mode="lines+markers",
        line={"color": colour, "width": 2, "dash": style.dash},
        marker={"color": colour, "symbol": style.symbol, "size": 9, "maxdisplayed": _FEW_MARKERS},
        customdata=["" if np.isnan(spread) else f" ± {spread:.4f}" for spread in high - mean],
        hovertemplate="%{y:.4f}%{customdata}",
        legendgroup=str(band.learner),
        name=wrapped(band.label),
    )
    return area, line


def _add_reference(figure: go.Figure, level: float, text: str, theme: Theme) -> None:
    colour = THEMES[theme].muted
    figure.add_hline(
        y=level,
        line={"color": colour, "width": 1, "dash": "dot"},
        annotation={"text": text, "font": {"size": 12, "color": colour}, "xanchor": "right", "x": 1},
    )
