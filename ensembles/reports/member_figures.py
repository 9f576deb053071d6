"""Plotly figures from the numbers in `members`."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from ensembles.reports import formatting
from ensembles.reports.members import Cloud, HardExample
from ensembles.reports.plot_template import escaped, legend_room, template, wrapped
from ensembles.reports.style import THEMES, LearnerStyle, Theme, translucent

__all__ = ["diversity_figure", "hard_figure"]


def diversity_figure(clouds: Sequence[Cloud], styles: Sequence[LearnerStyle], theme: Theme = "light") -> go.Figure:
    """Draw the kappa-error diagram: a small mark a pair of members, a large one the mean of a learner.

    Parameters
    ----------
    styles : sequence of LearnerStyle
        By position of the learner in the experiment.
    """
    figure = go.Figure([_pair_marks(cloud, styles[cloud.learner], theme) for cloud in clouds])
    figure.add_traces([_mean_mark(cloud, styles[cloud.learner], theme) for cloud in clouds])
    figure.update_layout(
        template=template(theme),
        height=460 + legend_room([cloud.label for cloud in clouds]),
        hovermode="closest",
        showlegend=True,
    )
    figure.update_xaxes(title_text="kappa of two members (left: more diverse)")
    figure.update_yaxes(title_text="mean error of the two")
    return figure


def _pair_marks(cloud: Cloud, style: LearnerStyle, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=list(cloud.kappa),
        y=list(cloud.error),
        mode="markers",
        marker={
            "color": translucent(style.colour(theme), 0.35),
            "symbol": style.symbol.removesuffix("-open"),
            "size": 5,
        },
        hoverinfo="skip",
        showlegend=False,
        legendgroup=str(cloud.learner),
        name=f"{wrapped(cloud.label)}, pairs",
    )


def _mean_mark(cloud: Cloud, style: LearnerStyle, theme: Theme) -> go.Scatter:
    colour = style.colour(theme)
    return go.Scatter(
        x=[cloud.mean_kappa],
        y=[cloud.mean_error],
        mode="markers",
        marker={
            "color": colour,
            "symbol": style.symbol,
            "size": 15,
            "line": {"width": 2, "color": colour if "open" in style.symbol else THEMES[theme].text},
        },
        hovertext=f"<b>{wrapped(cloud.label)}</b><br>kappa {formatting.number(cloud.mean_kappa)}, "
        f"error {formatting.number(cloud.mean_error)}<br>{formatting.pluralize(cloud.n, 'pair')} of members",
        hoverinfo="text",
        legendgroup=str(cloud.learner),
        name=wrapped(cloud.label),
    )


def hard_figure(
    examples: Sequence[HardExample], names: Sequence[str], style: LearnerStyle, theme: Theme = "light"
) -> go.Figure:
    """Draw the weights of the hardest examples, the heaviest at the top.

    Parameters
    ----------
    names : sequence of str
        What people read for each example; data of the user.
    """
    places = list(range(len(examples)))
    figure = go.Figure(
        go.Bar(
            x=[example.weight for example in examples],
            y=places,
            orientation="h",
            marker={"color": style.colour(theme)},
            hovertext=[
                f"<b>{escaped(name)}</b><br>weight {example.weight:,.2f}, in {formatting.pluralize(example.trials, 'trial')}"
                for example, name in zip(examples, names, strict=True)
            ],
            hoverinfo="text",
        )
    )
    figure.add_vline(x=1, line={"color": THEMES[theme].muted, "width": 1, "dash": "dot"})
    figure.update_layout(template=template(theme), height=110 + 24 * len(places), showlegend=False, bargap=0.35)
    figure.update_xaxes(title_text="mean weight (1: the average example)", rangemode="tozero")
    figure.update_yaxes(
        tickvals=places,
        ticktext=[escaped(name, len(name)) for name in formatting.shortened_apart(names, 24)],
        range=[len(places) - 0.5, -0.5],
    )
    return figure
