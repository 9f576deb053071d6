"""Running times as Plotly figures, from the numbers in `figure_data`."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from ensembles.reports import formatting
from ensembles.reports.figure_data import MAX_POINTS, TimePoint, thinned
from ensembles.reports.plot_template import count_ticks, escaped, legend_room, second_ticks, template, wrapped
from ensembles.reports.style import LearnerStyle, Theme

__all__ = ["time_by_dataset_figure", "time_figure"]

_TICK = 24


def time_figure(
    points: Sequence[TimePoint], styles: Sequence[LearnerStyle], theme: Theme = "light", *, y_title: str
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
    height = 460 + legend_room([own[0].label for own in learners.values()])
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
