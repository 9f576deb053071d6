"""Error scatterplots: one learner against another, or against all others."""

import streamlit as st

from ensembles.evaluation.significance import ASSUMES
from ensembles.experiments.results import Results
from ensembles.reports.charts import first_pair, scatter_chart
from ensembles.reports.significance import can_be_tested
from pages.parts.chart import draw_chart
from pages.parts.look import side_by_side
from pages.parts.results.choices import choose_learner, choose_pair

__all__ = ["draw_pair", "draw_scatterplots"]

_MOST = 12


def draw_pair(results: Results) -> None:
    """Draw one scatterplot of two learners to choose."""
    _draw(results, *choose_pair(results, ("Horizontal axis", "Vertical axis")))
    if can_be_tested(results):
        st.caption(ASSUMES["corrected"])


def draw_scatterplots(results: Results) -> None:
    """Draw one learner against each of the others, as the thesis does."""
    if len(results.learners) < 2:
        st.info("A scatterplot needs two learners; this experiment has one.", icon=":material/info:")
        return
    across = choose_learner("Horizontal axis", results, first_pair(results)[0], key="across")
    if can_be_tested(results):
        st.caption(f"Whether a point is filled: {ASSUMES['corrected'][:1].lower()}{ASSUMES['corrected'][1:]}")
    others = [learner for learner in range(len(results.learners)) if learner != across]
    for start in range(0, min(len(others), _MOST), 2):
        with side_by_side(f"scatter_{start}"):
            columns = st.columns(2, gap="large")
        for column, up in zip(columns, others[start : start + 2], strict=False):
            with column:
                _draw(results, across, up)
    if len(others) > _MOST:
        st.caption(f"The first {_MOST} of {len(others)} learners; any other pair can be chosen in the summary.")


def _draw(results: Results, across: int, up: int) -> None:
    draw_chart(scatter_chart(results, across, up), key=f"scatter_{up}")
