"""Error against a setting as a chart: lines with intervals, and dashed levels for learners without the setting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ensembles.experiments.results import Results
from ensembles.registry import within_sentence
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.plot_template import legend_room, template, wrapped
from ensembles.reports.setting_curves import Line, Setting, numbers_of, swept_measure, swept_settings
from ensembles.reports.style import LearnerStyle, Theme, learner_styles

__all__ = ["has_sweep", "setting_chart", "setting_charts", "setting_note"]

_FAR_APART = 10  # the largest value is so many times the smallest: the axis is logarithmic
_MOST_TICKS = 12
_ASIDE = 0.012  # of the axis: lines stand so far beside each other, or their intervals would cover one another
_DASHES = ("dash", "dot", "dashdot", "longdash")
_INTERVALS = (
    "Bars are 95 % intervals of each mean over splits, corrected for the training examples that splits share. They may "
    "overlap where the difference of two learners, taken split by split, is clear: the verdict in Summary tells that."
)


def has_sweep(results: Results) -> bool:
    """Whether learners differ in the values of a setting only."""
    return bool(swept_settings(results.config.learners))


def setting_note(results: Results) -> str:
    """Return what the bars in the charts are."""
    return _INTERVALS if results.config.protocol.splits != (1, 1) else ""


def setting_charts(results: Results) -> Iterator[Chart]:
    """Yield charts for each such setting: of the means over data sets, where there are several, and of each data set."""
    measure = swept_measure(results)
    places = [*([None] if len(results.datasets) > 1 else []), *range(len(results.datasets))]
    if measure and not results.finished.empty:
        for setting in swept_settings(results.config.learners):
            yield from (setting_chart(results, setting, measure, place) for place in places)


def setting_chart(results: Results, setting: Setting, measure: str, dataset: int | None) -> Chart:
    """Draw a measure against a setting on one data set; without one, the means over data sets."""
    numbers = numbers_of(results, setting, measure, dataset)
    name, against = formatting.measure_name(measure), within_sentence(setting.label)
    if numbers.empty:
        return Chart.empty("No data set has finished trials of all learners yet.")
    over_all = f"Mean of the {within_sentence(name)} over the data sets that all learners have finished,"
    where = over_all if dataset is None else f"{results.datasets[dataset]}: {within_sentence(name)}"
    levels = " Dashed: learners without this setting." if any(not line.values for line in setting.lines) else ""
    styles = learner_styles(results.config.learners)
    return Chart(
        f"{where} against {against}; one line for learners that differ in nothing else.{levels}",
        numbers,
        lambda theme: _figure(setting, numbers, styles, theme, name),
        heading=f"{name} against {against}",
        title=f"{name} against {against}, {'mean' if dataset is None else results.datasets[dataset]}",
    )


def _figure(
    setting: Setting, numbers: pd.DataFrame, styles: Sequence[LearnerStyle], theme: Theme, measure: str
) -> go.Figure:
    by_line = [(line, numbers[numbers["Learner"] == line.label]) for line in setting.lines]
    drawn = [(line, own) for line, own in by_line if len(own)]
    values = _values(setting)
    sloping = [(line, own) for line, own in drawn if line.values]
    figure = go.Figure()
    for place, (line, own) in enumerate(sloping):
        aside = _ASIDE * (place - (len(sloping) - 1) / 2)
        x = _places(setting, own[setting.label].tolist(), values, aside)
        figure.add_trace(_line(setting, line, own, x, measure, styles[line.learners[0]], theme))
    for place, (line, own) in enumerate(pair for pair in drawn if not pair[0].values):
        level, ends = float(own[measure].iloc[0]), _places(setting, [values[0], values[-1]], values)
        colour = styles[line.learners[0]].colour(theme)
        figure.add_trace(_level(line, level, ends, colour, _DASHES[place % len(_DASHES)]))
    height = 380 + legend_room([line.label for line, _ in drawn])
    figure.update_layout(template=template(theme), height=height, hovermode="closest", showlegend=True)
    figure.update_yaxes(title_text=within_sentence(measure))
    return figure.update_xaxes(title_text=within_sentence(setting.label), **_axis(setting, values))


def _values(setting: Setting) -> list[Any]:
    found = list(dict.fromkeys(value for line in setting.lines for value in line.values))
    return sorted(found) if setting.is_number else found


def _places(setting: Setting, own: Sequence[Any], values: Sequence[Any], aside: float = 0.0) -> list[float]:
    """Return where values stand on the axis, moved by a share of its length; words stand side by side."""
    if not setting.is_number:
        return [values.index(value) + aside * len(values) for value in own]
    if _is_logarithmic(values):
        return [value * (values[-1] / values[0]) ** aside for value in own]
    return [value + aside * (values[-1] - values[0]) for value in own]


def _line(
    setting: Setting,
    line: Line,
    own: pd.DataFrame,
    x: list[float],
    measure: str,
    style: LearnerStyle,
    theme: Theme,
) -> go.Scatter:
    colour, half = style.colour(theme), (own["To"] - own[measure]).to_numpy()
    words = [setting.word(value) for value in own[setting.label]]
    shown = [formatting.number(value) for value in own[measure]]
    spread = [f" ± {formatting.number(value)}" if np.isfinite(value) else "" for value in half]
    label, against = wrapped(line.label), within_sentence(setting.label)
    told = zip(words, shown, spread, strict=True)
    return go.Scatter(
        x=x,
        y=own[measure].tolist(),
        mode="lines+markers" if setting.is_number else "markers",
        line={"color": colour, "width": 2, "dash": style.dash},
        marker={"color": colour, "symbol": style.symbol, "size": 9},
        error_y={"array": np.nan_to_num(half).tolist(), "color": colour, "thickness": 1.2, "width": 3},
        hovertext=[f"<b>{label}</b><br>{against} {word}: {mean}{more}" for word, mean, more in told],
        hoverinfo="text",
        name=label,
    )


def _level(line: Line, level: float, ends: list[float], colour: str, dash: str) -> go.Scatter:
    text = f"<b>{wrapped(line.label)}</b><br>{formatting.number(level)}"
    return go.Scatter(
        x=ends,
        y=[level, level],
        mode="lines",
        line={"color": colour, "width": 1.5, "dash": dash},
        hovertext=[text, text],
        hoverinfo="text",
        name=wrapped(line.label),
    )


def _is_logarithmic(values: Sequence[Any]) -> bool:
    return bool(values[0] > 0 and values[-1] >= _FAR_APART * values[0])


def _axis(setting: Setting, values: Sequence[Any]) -> dict[str, Any]:
    words = [setting.word(value) for value in values]
    if not setting.is_number:
        return {"tickvals": list(range(len(values))), "ticktext": words, "range": [-0.5, len(values) - 0.5]}
    axis: dict[str, Any] = {"type": "log"} if _is_logarithmic(values) else {}
    if len(values) > _MOST_TICKS and not axis:
        return axis
    ticks = _apart(values) if len(values) > _MOST_TICKS else list(values)  # Plotly would write 20 as a small 2
    return axis | {"tickvals": ticks, "ticktext": [setting.word(value) for value in ticks]}


def _apart(values: Sequence[Any]) -> list[Any]:
    """Return those of many values that stand apart on a logarithmic axis."""
    step = (values[-1] / values[0]) ** (1 / _MOST_TICKS)
    kept = [values[0]]
    for value in values:
        if value >= kept[-1] * step:
            kept.append(value)
    return kept
