"""The verdict as a figure: one row a learner, how far each is behind the best, and whether a test can tell."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from ensembles.evaluation.finding import format_p
from ensembles.evaluation.verdict import Beside
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import Chart
from ensembles.reports.plot_template import row_room, template, wrapped
from ensembles.reports.style import THEMES, VERDICT_TEXT, VERDICTS, LearnerStyle, Theme, learner_styles
from ensembles.reports.verdict import Verdict, verdict_of
from ensembles.reports.verdict_rows import Drawn, Group, Units, rows_of
from ensembles.reports.verdict_words import how_it_was_tested, how_to_read, measure_words, verdict_sentences, why_none

__all__ = ["HEADING", "verdict_chart", "verdict_charts", "verdict_figure", "verdict_note"]

HEADING = "Verdict"

_LABEL = 28  # letters of a line of a label
_AXIS = 70  # pixels
_COLOURS = {"best": "better", "tied": "equal", "worse": "worse", "undecided": "equal"}


def verdict_charts(results: Results) -> Iterator[Chart]:
    """Yield the one chart of the verdict, as the report shows it."""
    verdict = verdict_of(results)
    chart = verdict_chart(results, verdict)
    yield (
        chart
        if chart.numbers.empty
        else replace(chart, caption=f"{chart.caption} {how_it_was_tested(verdict)}".strip())
    )


def verdict_note(results: Results) -> str:
    """Return what stands above it, a line for each thing to know: "Best: ..."."""
    return "\n".join(verdict_sentences(verdict_of(results)))


def verdict_chart(results: Results, verdict: Verdict, units: Units = "rank", group: Group = "none") -> Chart:
    """Draw how far learners are behind the best one; without two of them, say so.

    Parameters
    ----------
    units : {"rank", "relative"}
        Over several data sets, mean ranks or mean relative errors.
    group : {"none", "method", "base"}
    """
    drawn = rows_of(results, verdict, units, group)
    if len(drawn.rows) < 2:
        reason = "A comparison needs results of two learners."
        if len(results.learners) == 1:
            reason = "A comparison needs two learners; this experiment has one."
        elif verdict.measure and not verdict.rows:
            reason = f"Nothing to draw: {why_none(verdict)}"
        return Chart(reason, pd.DataFrame(), lambda _: go.Figure(), heading=HEADING)
    styles = learner_styles(results.config.learners)
    numbers = verdict.to_frame()
    if units == "relative" and verdict.comparison.test == "wilcoxon":
        values = {verdict.labels[row.learner]: row.value for row in drawn.rows}
        numbers["Relative error"] = numbers["Learner"].map(values)
    return Chart(
        how_to_read(verdict, drawn.unit),
        numbers,
        partial(verdict_figure, verdict, drawn, styles),
        heading=HEADING,
        title=f"Verdict by {measure_words(verdict)}",
    )


def verdict_figure(verdict: Verdict, drawn: Drawn, styles: Sequence[LearnerStyle], theme: Theme = "light") -> go.Figure:
    """Draw one row a learner, as high as its name; the axis counts pixels.

    Parameters
    ----------
    styles : sequence of LearnerStyle
        By position of the learner in the experiment.
    """
    rows = drawn.rows
    best = next((row.value for row in rows if row.standing == "best"), rows[0].value) if drawn.absolute else 0.0
    names = [wrapped(verdict.labels[row.learner], _LABEL) for row in rows]
    letters, line, gap = row_room(len(rows))
    edges = [0, *itertools.accumulate(line * (name.count("<br>") + 2) + gap for name in names)]
    places = [(top + bottom) / 2 for top, bottom in itertools.pairwise(edges)]
    figure = go.Figure(
        [_mark(place, row, verdict, styles[row.learner], theme, drawn) for place, row in zip(places, rows, strict=True)]
    )
    quiet = {"color": THEMES[theme].muted, "width": 1, "dash": "dot"}
    figure.add_vline(x=best, line=quiet, layer="below")
    for end in drawn.ends:
        figure.add_hline(y=edges[end], line={"color": THEMES[theme].muted, "width": 1}, layer="below")
    figure.update_layout(template=template(theme), height=_AXIS + edges[-1], showlegend=False)
    figure.update_xaxes(title_text=drawn.title, nticks=7, range=_reach(rows, best))
    figure.update_yaxes(
        tickvals=places,
        ticktext=[f"{name}<br>{_word(row, verdict, theme, letters)}" for name, row in zip(names, rows, strict=True)],
        range=[edges[-1], 0],
        tickfont={"color": THEMES[theme].text, "size": letters},
        showgrid=False,
    )
    return figure


def _word(row: Beside, verdict: Verdict, theme: Theme, letters: int) -> str:
    colour = VERDICT_TEXT[theme][_COLOURS[row.standing]]
    return f'<span style="color: {colour}; font-size: {letters - 1}px">{verdict.word(row)}</span>'


def _reach(rows: Sequence[Beside], best: float) -> list[float]:
    """Return the range of the axis: all marks and bars, and some room, so that no mark lies on the labels."""
    ends = [best + value for row in rows for value in (row.behind, row.low, row.high) if not math.isnan(value)]
    low, high = min(ends), max(ends)
    room = 0.06 * (high - low) or 0.01
    return [low - room, high + room]


def _mark(place: float, row: Beside, verdict: Verdict, style: LearnerStyle, theme: Theme, drawn: Drawn) -> go.Scatter:
    has_bar = not math.isnan(row.low) and row.standing != "best"
    at = row.value if drawn.absolute else row.behind
    bar = {
        "type": "data",
        "symmetric": False,
        "array": [row.high - row.behind],
        "arrayminus": [row.behind - row.low],
        "color": VERDICTS[_COLOURS[row.standing]],
        "thickness": 2.5,
        "width": 5,
    }
    return go.Scatter(
        x=[at],
        y=[place],
        mode="markers",
        error_x=bar if has_bar else None,
        marker={
            "color": style.colour(theme),
            "symbol": style.symbol,
            "size": 13,
            "line": {"width": 2 if style.symbol.endswith("-open") else 0},
        },
        hovertext=[_hover(row, verdict, drawn)],
        hoverinfo="text",
        cliponaxis=False,
    )


def _hover(row: Beside, verdict: Verdict, drawn: Drawn) -> str:
    mean = formatting.number(verdict.means[row.learner])
    lines = [
        f"<b>{wrapped(verdict.labels[row.learner])}</b>",
        verdict.word(row),
        f"{measure_words(verdict)} {mean}",
    ]
    if drawn.absolute:
        lines.append(f"{drawn.title} {row.value:.2f}")
    if row.standing != "best":
        say = "{:.2f}".format if drawn.absolute else formatting.number
        interval = "" if math.isnan(row.low) else f" [{say(row.low)}, {say(row.high)}]"
        lines.append(f"behind the best {say(row.behind)}{interval}".replace("-", "−"))
    if not math.isnan(row.adjusted):
        lines.append(f"adjusted {format_p(row.adjusted)}")
    return "<br>".join(lines)
