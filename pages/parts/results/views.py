"""A view of the results: with choices, or as its charts."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports.charts import Chart
from ensembles.reports.views import View
from pages.parts.chart import draw_chart
from pages.parts.look import side_by_side
from pages.parts.results.classes import draw_classes
from pages.parts.results.curves import draw_curve
from pages.parts.results.decomposition import draw_decomposition
from pages.parts.results.hard import draw_hard_examples
from pages.parts.results.leaderboard import draw_leaderboard
from pages.parts.results.members import draw_members
from pages.parts.results.scatterplots import draw_scatterplots
from pages.parts.results.settings import draw_setting_curves
from pages.parts.results.significance import draw_significance
from pages.parts.results.stream import draw_stream
from pages.parts.results.summary import draw_summary
from pages.parts.results.times import draw_times
from pages.parts.results.trials import draw_trials
from pages.parts.text import escape_markdown

__all__ = ["draw_view"]


def draw_view(view: View, results: Results, stem: str) -> None:
    """Draw a view of `results`; files that it offers are called `stem` and more."""
    with_choices: dict[str, Callable[[Results], None]] = {
        "summary": draw_summary,
        "leaderboard": draw_leaderboard,
        "scatterplots": draw_scatterplots,
        "significance": partial(draw_significance, stem=stem),
        "settings": draw_setting_curves,
        "classes": draw_classes,
        "bias_and_variance": draw_decomposition,
        "learning_curves": partial(draw_curve, curve="learning_curve"),
        "stream": draw_stream,
        "members": draw_members,
        "hard_examples": draw_hard_examples,
        "running_time": draw_times,
        "trials": partial(draw_trials, stem=stem),
    }
    draw = with_choices.get(view.key, partial(_draw_charts, view))
    draw(results)


def _draw_charts(view: View, results: Results) -> None:
    """Draw every chart of a view, as the report shows them."""
    sections = view.sections(results)
    if not sections:
        st.info("No trial has left anything to show here.", icon=":material/info:")
    for heading, charts in sections.items():
        if heading != view.title:
            st.header(escape_markdown(heading), anchor=False)
        if note := view.note(results):
            st.caption(escape_markdown(note))
        _draw_in_columns(charts, 2 if view.side_by_side else 1, key=f"{view.key}_{heading}")


def _draw_in_columns(charts: list[Chart], n_columns: int, key: str) -> None:
    for start in range(0, len(charts), n_columns):
        with side_by_side(f"{key}_{start}"):
            columns = st.columns(n_columns, gap="large")
        for place, column in enumerate(columns, start):
            if place < len(charts):
                with column:
                    draw_chart(charts[place], key=f"{key}_{place}")
