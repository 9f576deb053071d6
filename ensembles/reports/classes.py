"""Which classes learners take for which, and how well they find each: from the confusion matrices that trials keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from ensembles.experiments.results import CONFUSION, Results
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.plot_template import escaped, legend_room, template, wrapped
from ensembles.reports.style import THEMES, LearnerStyle, Theme, cell_colour, learner_styles
from ensembles.wording import distinct

__all__ = ["CLASS_SCORES", "ClassScore", "class_scores_chart", "confusion_chart", "confusion_of", "has_confusion"]

ClassScore = Literal["recall", "precision"]
CLASS_SCORES: dict[ClassScore, str] = {"recall": "Recall", "precision": "Precision"}
"""What people read for the scores of a class, by key."""

_MEANS = {
    "recall": "Recall of a class: share of its examples that are found",
    "precision": "Precision of a class: share of its predictions that are right",
}
_MOST_ROWS, _MOST_NUMBERED = 30, 14
_NAME = 24
_LOUD: dict[Theme, str] = {"light": "#0072B2", "dark": "#56B4E9"}
_NONE = "No trial on {} has left a confusion matrix; data sets of over 100 classes have none."

Counts = npt.NDArray[np.float64]


def has_confusion(results: Results, dataset: int) -> bool:
    """Whether any trial on a data set has left a confusion matrix."""
    curves = results.curves
    return bool(((curves["curve"] == CONFUSION) & (curves["dataset"] == dataset)).any())


def confusion_of(results: Results, dataset: int) -> dict[int, Counts]:
    """Return by learner the sum of the confusion matrices of all its trials: rows are true classes, columns predicted."""
    curves = results.curves
    mine = curves[(curves["curve"] == CONFUSION) & (curves["dataset"] == dataset)]
    found: dict[int, Counts] = {}
    for learner in sorted(map(int, mine["learner"].unique())):
        points = mine[mine["learner"] == learner]
        k = round(float(points["x"].max()) ** 0.5)  # the last point says where the matrix ends
        cells = points[points["x"] < k * k]
        sums = np.bincount(cells["x"].to_numpy(dtype=int), weights=cells["y"].to_numpy(dtype=float), minlength=k * k)
        found[learner] = sums.astype(float).reshape(k, k)
    return found


def confusion_chart(results: Results, dataset: int, learner: int, classes: Sequence[str] = ()) -> Chart:
    """Draw which classes one learner takes for which on one data set; without names of classes, by their numbers."""
    matrix = confusion_of(results, dataset).get(learner)
    if matrix is None:
        return Chart.empty(_NONE.format(results.datasets[dataset]))
    names = _names(len(matrix), classes)
    wrong = np.where(np.eye(len(matrix), dtype=bool), 0.0, matrix)
    sentence = "It never takes a class for another."
    if wrong.any():
        true, told = np.unravel_index(wrong.argmax(), wrong.shape)
        share = wrong[true, told] / matrix[true].sum()
        sentence = (
            f"Taken for another most often: {names[true]} for {names[told]} ({100 * share:.0f} % of its examples)."
        )
    caption = (
        f"{results.learners[learner]} on {results.datasets[dataset]}, all trials together: a row is a true class, a column "
        f"what it is predicted as, in % of the row. {sentence}"
    )
    numbers = pd.DataFrame(matrix.astype(int), columns=list(distinct(["True class", *names])[1:]))
    numbers.insert(0, "True class", names)
    return Chart(
        caption,
        numbers,
        lambda theme: _matrix_figure(matrix, names, theme),
        heading="Confusion matrix",
        title=f"{results.datasets[dataset]}, confusion matrix of {results.learners[learner]}",
    )


def class_scores_chart(results: Results, dataset: int, of: ClassScore = "recall", classes: Sequence[str] = ()) -> Chart:
    """Draw recall or precision of each class (down) by each learner on one data set."""
    matrices = confusion_of(results, dataset)
    if not matrices:
        return Chart.empty(_NONE.format(results.datasets[dataset]))
    scores = {learner: _scores(matrix, of) for learner, matrix in matrices.items()}
    counts = next(iter(matrices.values())).sum(axis=1)
    mean = np.nan_to_num([*scores.values()]).mean(axis=0)
    rows = np.sort(np.argsort(mean, kind="stable")[:_MOST_ROWS])
    names = _names(len(counts), classes)
    hidden = f" The {_MOST_ROWS} of {len(counts)} classes with the lowest values." if len(counts) > _MOST_ROWS else ""
    caption = (
        f"{results.datasets[dataset]}, all trials together. {_MEANS[of]}; a row is a class, a mark a learner.{hidden} Of "
        f"{'a class without examples' if of == 'recall' else 'a class that is never predicted'} there is none."
    )
    numbers = pd.DataFrame({"Class": names, "Share of the examples": counts / counts.sum()})
    for learner, values in scores.items():
        numbers[results.learners[learner]] = values
    styles = learner_styles(results.config.learners)
    drawn = {learner: values[rows] for learner, values in scores.items()}
    labels = [names[row] for row in rows]
    return Chart(
        caption,
        numbers,
        lambda theme: _scores_figure(drawn, labels, results.learners, styles, CLASS_SCORES[of], theme),
        heading=f"{CLASS_SCORES[of]} of each class",
        title=f"{results.datasets[dataset]}, {of} of each class",
    )


def _scores(matrix: Counts, of: ClassScore) -> Counts:
    totals = matrix.sum(axis=1 if of == "recall" else 0)
    scores: Counts = np.divide(np.diag(matrix), totals, out=np.full(len(matrix), np.nan), where=totals > 0)
    return scores


def _names(n: int, classes: Sequence[str]) -> list[str]:
    return list(classes) if len(classes) == n else [f"class {place}" for place in range(1, n + 1)]


def _matrix_figure(matrix: Counts, names: Sequence[str], theme: Theme) -> go.Figure:
    ticks = [escaped(name, _NAME) for name in formatting.shortened_apart(names, _NAME)]
    places = list(range(len(names)))
    columns = [str(place) for place in places]  # of a category, so that cells are as wide as they can be
    figure = go.Figure(go.Heatmap(x=columns, y=places, **_cells(matrix, names, theme)))
    height = 150 + (30 if len(names) <= _MOST_NUMBERED else 14) * len(names)
    figure.update_layout(template=template(theme), height=height)
    figure.update_xaxes(title_text="predicted as", type="category", tickvals=columns, ticktext=ticks, showgrid=False)
    figure.update_yaxes(
        title_text="true class", tickvals=places, ticktext=ticks, range=[len(names) - 0.5, -0.5], showgrid=False
    )
    return figure


def _cells(matrix: Counts, names: Sequence[str], theme: Theme) -> dict[str, Any]:
    """Return colours, numbers and hover of the cells, by the share of their row."""
    totals = matrix.sum(axis=1, keepdims=True)
    shares = np.divide(matrix, totals, out=np.zeros_like(matrix), where=totals > 0)
    numbered = len(names) <= _MOST_NUMBERED
    # without numbers on them cells need not be as pale as letters want them
    colour = cell_colour("#0072B2", theme) if numbered else _LOUD[theme]
    return {
        "z": shares.tolist(),
        "zmin": 0.0,
        "zmax": 1.0,
        "colorscale": [[0.0, THEMES[theme].background], [1.0, colour]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "text": [[f"{100 * share:.0f}" if share else "" for share in row] for row in shares] if numbered else None,
        "texttemplate": "%{text}" if numbered else None,
        "textfont": {"color": THEMES[theme].text},
        "hovertext": [
            [
                f"{escaped(true)} predicted as {escaped(told)}<br>{int(matrix[i, j]):,} of {int(totals[i, 0]):,}"
                for j, told in enumerate(names)
            ]
            for i, true in enumerate(names)
        ],
        "hoverinfo": "text",
    }


def _scores_figure(
    scores: dict[int, Counts],
    names: Sequence[str],
    learners: Sequence[str],
    styles: Sequence[LearnerStyle],
    title: str,
    theme: Theme,
) -> go.Figure:
    figure = go.Figure()
    for learner, values in scores.items():
        known = np.flatnonzero(np.isfinite(values)).tolist()
        style = styles[learner]
        figure.add_scatter(
            x=values[known].tolist(),
            y=known,
            mode="markers",
            name=wrapped(learners[learner]),
            marker={"color": style.colour(theme), "symbol": style.symbol, "size": 10},
            hovertext=[
                f"<b>{escaped(names[row])}</b><br>{wrapped(learners[learner])}: {formatting.number(values[row])}"
                for row in known
            ],
            hoverinfo="text",
            cliponaxis=False,
        )
    height = 200 + legend_room([learners[learner] for learner in scores]) + 30 * len(names)
    figure.update_layout(template=template(theme), height=height, hovermode="closest", showlegend=True)
    figure.update_xaxes(title_text=title.lower(), nticks=7, rangemode="nonnegative", autorangeoptions_clipmax=1.0)
    return figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[escaped(name, _NAME) for name in formatting.shortened_apart(names, _NAME)],
        range=[len(names) - 0.5, -0.5],
    )
