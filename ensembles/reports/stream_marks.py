"""What happened along a stream, beside its curves: where members began anew, and where the concept changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from ensembles.data.generators import GENERATORS
from ensembles.evaluation.prequential import REPLACED
from ensembles.experiments.config import Prequential
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.end_labels import END_LABEL
from ensembles.reports.figure_data import Band
from ensembles.reports.plot_template import legend_room, wrapped
from ensembles.reports.style import THEMES, LearnerStyle, Theme

__all__ = ["add_stream_marks", "concept_changes", "marks_words", "with_replaced"]

_LEGEND = "members replaced"
_TICK = {"symbol": "line-ns", "size": 6}
_ABOVE = 22  # pixels: room for words above the axes
_ROWS = 25  # of ticks, from the bottom to the top of the figure
_MOST_TOLD = 4
_ROOM = {
    "type": "category",
    "categoryorder": "array",
    "overlaying": "y",
    "fixedrange": True,
    "visible": False,
}


def with_replaced(bands: Sequence[Band], results: Results, dataset: int) -> tuple[Band, ...]:
    """Return bands of a stream with how many members began anew since the point before, in all trials together."""
    curves = results.curves
    mine = curves[(curves["dataset"] == dataset) & (curves["curve"] == REPLACED)]
    return tuple(
        replace(band, replaced=_at_points(band.x, own["x"].to_numpy(), own["y"].to_numpy()))
        if len(own := mine[mine["learner"] == band.learner])
        else band
        for band in bands
    )


def _at_points(points: Sequence[float], x: np.ndarray, n: np.ndarray) -> tuple[int, ...]:
    """Return the sum of `n` at each point, those between two at the later one."""
    places = np.searchsorted(points, x).clip(max=len(points) - 1)
    return tuple(np.bincount(places, n, len(points)).astype(int).tolist())


def concept_changes(results: Results, dataset: int) -> tuple[int, ...]:
    """Return after how many examples the concept of a generated stream changes; nothing where that is not known."""
    protocol, ref = results.config.protocol, results.config.datasets[dataset]
    generator = GENERATORS.get(ref.key or "")
    if generator is None or not isinstance(protocol, Prequential) or protocol.shuffle:
        return ()
    return generator.changes(**ref.settings)


def marks_words(bands: Sequence[Band], changes: Sequence[int]) -> str:
    """Return what the marks say, in sentences; "" without any."""
    told = []
    if counts := [(band.label, sum(band.replaced), band.n) for band in bands if any(band.replaced)]:
        of = formatting.and_list(f"{count:,} by {label}" for label, count, _ in counts)
        trials = ", in all trials together" if max(n for *_, n in counts) > 1 else ""
        told.append(f"Ticks at the bottom: members replaced ({of}{trials}).")
    if changes:
        places = [f"{place:,}" for place in changes[:_MOST_TOLD]]
        more = f" and {len(changes) - _MOST_TOLD:,} times more" if len(changes) > _MOST_TOLD else ""
        after = ", ".join(places) if more else formatting.and_list(places)
        told.append(f"The concept changes after {after} examples{more} (dotted).")
    return " ".join(told)


def add_stream_marks(
    figure: go.Figure, bands: Sequence[Band], styles: Sequence[LearnerStyle], theme: Theme, changes: Sequence[int]
) -> go.Figure:
    """Draw a row of ticks where members of a learner began anew, and dotted lines where the concept changes.

    Parameters
    ----------
    styles : sequence of LearnerStyle
        By position of the learner in the experiment.
    """
    if marked := [band for band in bands if any(band.replaced)]:
        figure.add_traces([_ticks(band, styles[band.learner].colour(theme)) for band in marked])
        rows = [wrapped(band.label) for band in reversed(marked)]
        figure.update_layout(yaxis2=_ROOM | {"categoryarray": rows, "range": [-0.7, max(_ROWS, 3 * len(rows)) - 0.7]})
        _add_legend(figure, [band.label for band in bands], THEMES[theme].muted)
    for place in changes:  # above the grid, whose lines stand at round numbers too
        figure.add_vline(x=place, line={"color": THEMES[theme].muted, "width": 1, "dash": "dot"})
    if changes:
        _add_words(figure, bands, changes, theme)
    return figure


def _ticks(band: Band, colour: str) -> go.Scatter:
    rows = np.flatnonzero(band.replaced)
    return go.Scatter(
        x=np.asarray(band.x)[rows].tolist(),
        y=[wrapped(band.label)] * len(rows),
        yaxis="y2",
        mode="markers",
        marker=_TICK | {"line": {"color": colour, "width": 3}},
        customdata=np.asarray(band.replaced)[rows].tolist(),
        hovertemplate="%{customdata:,d}",
        showlegend=False,
        legendgroup=_LEGEND,
        name=f"{wrapped(band.label)}, {_LEGEND}",
    )


def _add_legend(figure: go.Figure, names: Sequence[str], colour: str) -> None:
    """Say what a tick is: in the legend, and above the axes where names at the ends of lines stand for it."""
    mark = _TICK | {"line": {"color": colour, "width": 3}}
    figure.add_scatter(
        x=[None], y=[None], mode="markers", marker=mark, name=_LEGEND, legendgroup=_LEGEND, hoverinfo="skip"
    )
    if figure.layout.showlegend:
        room = legend_room([*names, _LEGEND]) - legend_room(names)
        figure.update_layout(height=figure.layout.height + room)
        return
    figure.update_layout(height=figure.layout.height + _ABOVE, margin={"t": 8 + _ABOVE})
    figure.add_annotation(
        name=END_LABEL,
        text=f"❘ {_LEGEND}",
        x=0,
        xref="paper",
        xanchor="left",
        y=1,
        yref="paper",
        yanchor="bottom",
        showarrow=False,
        font={"size": 12, "color": colour},
    )


def _add_words(figure: go.Figure, bands: Sequence[Band], changes: Sequence[int], theme: Theme) -> None:
    """Write at the first change what the line is, on the side where there is more room."""
    ends = [x for band in bands for x in band.x]
    is_left = 2 * changes[0] < min(ends) + max(ends)
    figure.add_annotation(
        text="concept changes",
        x=changes[0],
        xanchor="left" if is_left else "right",
        xshift=3 if is_left else -3,
        y=1,
        yref="paper",
        yanchor="top",
        showarrow=False,
        font={"size": 12, "color": THEMES[theme].muted},
    )
