"""The leaderboard over data sets, and who beats whom how often: as tables and as figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from ensembles.evaluation.leaderboard import Leaderboard, Score, make_leaderboard, win_rates
from ensembles.evaluation.relative import distances_to_perfect
from ensembles.experiments.results import Results
from ensembles.registry import within_sentence
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.plot_template import row_room, template, wrapped
from ensembles.reports.shared_means import compared_learners, independent_means, with_notes
from ensembles.reports.significance import Question, split_values
from ensembles.reports.style import THEMES, VERDICTS, LearnerStyle, Theme, cell_colour, learner_styles

__all__ = ["SCORES", "WIN_RATES", "board_figure", "leaderboard_chart", "win_rate_chart"]

SCORES = {"elo": "Elo", "mean_rank": "Mean rank", "win_rate": "Win rate", "improvability": "Improvability"}
"""What people read for the scores of a leaderboard, by key."""

WIN_RATES = "Who beats whom"

_MEANS = {
    "elo": "Elo: ratings by the model of Bradley and Terry, mean 1,000; who is 400 higher wins ten times out of eleven",
    "mean_rank": "Mean rank: 1 is best",
    "win_rate": "Win rate: share of the comparisons with the others that a learner wins, ties half",
    "improvability": "Improvability: mean share of its loss that the best learner of each data set saves, 0 is best",
}
_LOWER = ("mean_rank", "improvability")
_LABEL, _AXIS = 28, 70
_MOST_NUMBERED = 15  # learners whose cells have room for a number


def leaderboard_chart(results: Results, measure: str, by: str = "elo") -> Chart:
    """Draw one score of `SCORES` of all learners over the data sets that all of them have, the best on top."""
    losses = distances_to_perfect(measure, independent_means(results, measure))
    learners = compared_learners(losses)
    shared = losses[:, learners][np.isfinite(losses[:, learners]).all(axis=1)]
    if len(learners) < 2 or len(shared) < 2:
        needs = "A leaderboard needs two learners with results on two data sets or more."
        return Chart.empty(with_notes(needs, results, learners))
    board = make_leaderboard(shared)
    score: Score = getattr(board, by)
    order = np.argsort(score.value if by in _LOWER else -score.value, kind="stable")
    caption = with_notes(
        f"{_MEANS[by]}. By {within_sentence(formatting.measure_name(measure))} over {board.n:,} data sets. Bars: 95 % "
        "intervals, from drawing as many data sets from these again and again; they say nothing of other kinds of data.",
        results,
        learners,
    )
    names = [results.learners[learners[place]] for place in order]
    styles = learner_styles(results.config.learners)
    drawn = [styles[learners[place]] for place in order]
    picked = Score(*(series[order] for series in (score.value, score.low, score.high)))
    draw = partial(board_figure, picked, names, drawn, SCORES[by])
    title = f"{SCORES[by]} by {formatting.measure_name(measure)}"
    return Chart(caption, _frame(board, order, names), draw, title=title)


def win_rate_chart(results: Results, measure: str) -> Chart:
    """Draw on which share of data sets, of one data set on which share of splits, each learner beats each other one."""
    question = Question(measure)
    if len(results.datasets) > 1:
        values, unit = independent_means(results, measure), "data set"
    else:
        values, unit = split_values(results, question)[0].values, "split"
    learners = np.flatnonzero(np.isfinite(values).any(axis=0))
    known = np.isfinite(values[:, learners])
    known = known[known.sum(axis=1) > 1]
    if len(known) < 2:
        there = f"there is {'1' if len(known) else 'no'} {unit} with results of two learners"
        told = f"How often each learner beats each other one is told of two {unit}s or more; {there}."
        return Chart.empty(with_notes(told, results, range(len(results.learners))))
    rows = formatting.pluralize(len(known), unit)
    shared = rows if known.all() else f"those of {rows} that both have results on,"
    rates = win_rates(values[:, learners] if question.lower_is_better else -values[:, learners])
    mean = np.nan_to_num(rates, nan=0.5).sum(axis=1)
    order = np.argsort(-mean, kind="stable")
    names = [results.learners[learners[place]] for place in order]
    ordered = rates[np.ix_(order, order)]
    numbers = pd.DataFrame(100.0 * ordered, columns=names)
    numbers.insert(0, "Learner", names)
    caption = with_notes(
        f"Share (in %) of {shared} on which the learner of a row is better than that of a column in "
        f"{within_sentence(formatting.measure_name(measure))}, ties half; who wins most is on top, and columns are numbered "
        "as rows. Winning says nothing of by how much, or whether it is by chance.",
        results,
        range(len(results.learners)),
    )
    title = f"{WIN_RATES} in {formatting.measure_name(measure)}"
    return Chart(caption, numbers, partial(_matrix_figure, ordered, names), title=title)


def _frame(board: Leaderboard, order: npt.NDArray[np.intp], names: Sequence[str]) -> pd.DataFrame:
    columns: dict[str, Sequence[object]] = {"Learner": names}
    for key, title in SCORES.items():
        score: Score = getattr(board, key)
        columns[title] = score.value[order].tolist()
        columns[f"{title}, from"] = score.low[order].tolist()
        columns[f"{title}, to"] = score.high[order].tolist()
    return pd.DataFrame(columns)


def _rows_axis(names: Sequence[str], theme: Theme) -> tuple[dict[str, object], int]:
    """Return the axis of one row a learner, the first on top, and the height of the rows in pixels."""
    labels = [wrapped(name, _LABEL) for name in names]
    lines = max(label.count("<br>") for label in labels) + 1
    letters, line, gap = row_room(len(names))
    axis = {
        "tickvals": list(range(len(names))),
        "ticktext": labels,
        "range": [len(names) - 0.5, -0.5],
        "tickfont": {"color": THEMES[theme].text, "size": letters},
        "showgrid": False,
    }
    return axis, (line * lines + gap) * len(names)


def board_figure(
    score: Score, names: Sequence[str], styles: Sequence[LearnerStyle], title: str, theme: Theme
) -> go.Figure:
    """Draw a score, one row a learner, the first on top; where the interval is not a number, without a bar."""
    axis, height = _rows_axis(names, theme)
    figure = go.Figure()
    for place, style in enumerate(styles):
        value, low, high = (float(series[place]) for series in (score.value, score.low, score.high))
        colour = style.colour(theme)
        bar = {"type": "data", "symmetric": False, "array": [high - value], "arrayminus": [value - low]}
        said = f" [{_said(low)}, {_said(high)}]" if np.isfinite(low) else ""
        figure.add_scatter(
            x=[value],
            y=[place],
            mode="markers",
            error_x={**bar, "color": colour, "thickness": 2, "width": 5} if said else None,
            marker={"color": colour, "symbol": style.symbol, "size": 12},
            hovertext=[f"<b>{wrapped(names[place])}</b><br>{title} {_said(value)}{said}"],
            hoverinfo="text",
            cliponaxis=False,
        )
    figure.update_layout(template=template(theme), height=_AXIS + height, showlegend=False)
    figure.update_xaxes(title_text=title, nticks=7)
    return figure.update_yaxes(**axis)


def _said(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _matrix_figure(rates: npt.NDArray[np.float64], names: Sequence[str], theme: Theme) -> go.Figure:
    axis, height = _rows_axis([f"{place}. {name}" for place, name in enumerate(names, 1)], theme)
    words = [["" if np.isnan(rate) else f"{100 * rate:.0f}" for rate in row] for row in rates]
    hover = [
        [
            "" if np.isnan(rate) else f"{wrapped(names[row])}<br>beats {wrapped(names[column])}<br>{100 * rate:.1f} %"
            for column, rate in enumerate(series)
        ]
        for row, series in enumerate(rates)
    ]
    figure = go.Figure(
        go.Heatmap(
            z=rates.tolist(),
            x=[str(place) for place in range(1, len(names) + 1)],
            y=list(range(len(names))),
            zmin=0.0,
            zmax=1.0,
            colorscale=[
                [0.0, cell_colour(VERDICTS["worse"], theme)],
                [0.5, THEMES[theme].grid],
                [1.0, cell_colour(VERDICTS["better"], theme)],
            ],
            showscale=False,
            xgap=2,
            ygap=2,
            text=words if len(names) <= _MOST_NUMBERED else None,
            texttemplate="%{text}" if len(names) <= _MOST_NUMBERED else None,
            textfont={"color": THEMES[theme].text},
            hovertext=hover,
            hoverinfo="text",
        )
    )
    figure.update_layout(template=template(theme), height=_AXIS + max(height, 30 * len(names)))
    figure.update_xaxes(title_text="against learner", type="category", side="bottom", showgrid=False)
    return figure.update_yaxes(**axis)
