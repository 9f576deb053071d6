"""A stream: errors along it, and two learners beside each other, stretch by stretch."""

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports.curve_charts import CURVE_DISPLAYS, datasets_with
from ensembles.reports.predictions import left_predictions
from ensembles.reports.stream_comparison import HEADING, stream_comparison_chart
from pages.parts.chart import draw_chart
from pages.parts.results.choices import choose_dataset, choose_pair
from pages.parts.results.curves import draw_curve

__all__ = ["draw_stream"]


def draw_stream(results: Results) -> None:
    """Draw the view."""
    has_curves = bool(datasets_with(results, CURVE_DISPLAYS["prequential_error"]))
    draw_curve(results, "prequential_error")
    if len(results.learners) < 2 or not left_predictions(results):
        return
    st.header(HEADING, anchor=False)
    dataset = st.session_state["data"] if has_curves else choose_dataset(results)
    first, second = choose_pair(results, ("One learner", "Compared with"))
    draw_chart(stream_comparison_chart(results, dataset, first, second), key="stream_comparison")
