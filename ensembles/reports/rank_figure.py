"""The critical-difference diagram: average ranks of learners, and bars over those that do not differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from ensembles.evaluation.rank_tests import RankComparison
from ensembles.reports.plot_template import row_room, template, wrapped
from ensembles.reports.style import THEMES, LearnerStyle, Theme

__all__ = ["RankBar", "RankDiagram", "RankRow", "rank_diagram", "rank_figure"]

_LABEL = 28
_LANE = 10


@dataclass(frozen=True)
class RankRow:
    """One learner: its position in the experiment, its name, its average rank (1 is best)."""

    learner: int
    label: str
    rank: float


@dataclass(frozen=True)
class RankBar:
    """A group of learners that do not differ: rows `first` to `last` of the diagram.

    Bars that share rows stand in different lanes.
    """

    first: int
    last: int
    lane: int


@dataclass(frozen=True)
class RankDiagram:
    """What the diagram shows; the best rank is the first row."""

    rows: tuple[RankRow, ...]
    bars: tuple[RankBar, ...]
    critical_difference: float
    n_datasets: int
    alpha: float

    @property
    def caption(self) -> str:
        """What the figure says, in words."""
        best = [row.label for row in self.rows if row.rank == self.rows[0].rank]
        leads = f"{best[0]} leads with" if len(best) == 1 else f"{len(best)} learners share"
        bars = "A bar joins learners that do not differ." if self.bars else "All learners differ from each other."
        return (
            f"Average rank over {self.n_datasets:,} data sets, 1 is best: {leads} {self.rows[0].rank:.2f}. "
            f"Ranks {self.critical_difference:.2f} apart differ significantly (Nemenyi, at {self.alpha:g}). {bars}"
        )


def rank_diagram(ranks: RankComparison) -> RankDiagram:
    """Lay out a comparison that has an answer."""
    assert ranks.critical_difference is not None, ranks.sentence
    order = sorted(range(len(ranks.names)), key=lambda learner: ranks.average_ranks[learner])
    place = {learner: row for row, learner in enumerate(order)}
    rows = tuple(RankRow(learner, ranks.names[learner], ranks.average_ranks[learner]) for learner in order)
    bars: list[RankBar] = []
    for clique in ranks.cliques:
        first, last = place[clique[0]], place[clique[-1]]
        taken = {bar.lane for bar in bars if bar.last >= first}
        lane = next(lane for lane in range(len(bars) + 1) if lane not in taken)
        bars.append(RankBar(first, last, lane))
    return RankDiagram(rows, tuple(bars), ranks.critical_difference, ranks.n, ranks.alpha)


def rank_figure(diagram: RankDiagram, styles: Sequence[LearnerStyle], theme: Theme = "light") -> go.Figure:
    """Draw one row a learner, with the critical difference above them and the groups to the right.

    Parameters
    ----------
    styles : sequence of LearnerStyle
        By position of the learner in the experiment.
    """
    colours = THEMES[theme]
    last = len(diagram.rows) - 1
    best, worst = diagram.rows[0].rank, diagram.rows[-1].rank
    reach = best + diagram.critical_difference
    room = 0.1 + 0.06 * (max(worst, reach) - best)  # markers stay clear of the labels on a phone
    labels = [wrapped(row.label, _LABEL) for row in diagram.rows]
    letters, line, gap = row_room(len(labels))
    room_of_a_row = gap + line * max(1 + label.count("<br>") for label in labels)
    figure = go.Figure([_marks(diagram, styles, theme)])
    figure.add_shape(
        type="line", x0=best, x1=reach, y0=-0.9, y1=-0.9, line={"color": colours.text, "width": 3}
    )  # fmt: skip
    figure.add_annotation(
        x=best, y=-0.9, text=f"critical difference {diagram.critical_difference:.2f}", showarrow=False,
        xanchor="left", yanchor="bottom", font={"size": 12, "color": colours.muted},
    )  # fmt: skip
    lanes = 0
    for bar in diagram.bars:
        lanes = max(lanes, bar.lane + 1)
        figure.add_shape(
            type="line", xref="paper", xsizemode="pixel", xanchor=1, x0=_LANE * (bar.lane + 1), x1=_LANE * (bar.lane + 1),
            y0=bar.first - 0.25, y1=bar.last + 0.25, line={"color": colours.text, "width": 5},
        )  # fmt: skip
    figure.update_layout(
        template=template(theme),
        height=110 + room_of_a_row * (last + 2),
        showlegend=False,
        margin={"r": _LANE * (lanes + 1)},
    )
    figure.update_xaxes(title_text="average rank (1 is best)", range=[best - room, max(worst, reach) + room], nticks=8)
    figure.update_yaxes(
        tickvals=list(range(last + 1)),
        ticktext=labels,
        tickfont_size=letters,
        range=[last + 0.6, -1.7],
    )
    return figure


def _marks(diagram: RankDiagram, styles: Sequence[LearnerStyle], theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[row.rank for row in diagram.rows],
        y=list(range(len(diagram.rows))),
        mode="markers",
        marker={
            "color": [styles[row.learner].colour(theme) for row in diagram.rows],
            "symbol": [styles[row.learner].symbol for row in diagram.rows],
            "size": 13,
        },
        hovertext=[f"<b>{wrapped(row.label)}</b><br>average rank {row.rank:.2f}" for row in diagram.rows],
        hoverinfo="text",
        cliponaxis=False,
    )
