"""Error against the settings that have several values: one chart for each, on one data set or over all of them."""

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports.setting_curves import swept_measure, swept_settings
from ensembles.reports.setting_figure import setting_chart, setting_note
from pages.parts.address import in_address
from pages.parts.chart import draw_chart
from pages.parts.look import side_by_side
from pages.parts.text import escape_markdown

__all__ = ["draw_setting_curves"]

_ALL = -1


def draw_setting_curves(results: Results) -> None:
    """Draw the view."""
    measure = swept_measure(results)
    if not measure or results.finished.empty:
        st.info("No trial has left anything to show here.", icon=":material/info:")
        return
    dataset = _choose_dataset(results)
    if dataset != _ALL and (note := setting_note(results)):  # means over data sets have no bars
        st.caption(escape_markdown(note))
    settings = swept_settings(results.config.learners)
    for start in range(0, len(settings), 2):
        with side_by_side(f"settings_{start}"):
            columns = st.columns(2, gap="large")
        for place, column in zip(range(start, len(settings)), columns, strict=False):
            with column:
                chart = setting_chart(results, settings[place], measure, None if dataset == _ALL else dataset)
                if chart.heading:
                    st.header(escape_markdown(chart.heading), anchor=False)
                draw_chart(chart, key=f"settings_{place}")


def _choose_dataset(results: Results) -> int:
    """Draw the choice of a data set or of the means over all, kept in the address; without a choice, the only one."""
    if len(results.datasets) == 1:
        return 0
    chosen: int = st.selectbox(
        "Data set",
        [_ALL, *range(len(results.datasets))],
        format_func=lambda place: "All data sets, on average" if place == _ALL else results.datasets[place],
        **in_address("swept_on"),
        width=300,
    )
    return chosen
