"""Error scatterplots: one learner against another, or against all others."""

import streamlit as st

from ensembles.evaluation.significance import ASSUMES
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import first_pair, scatter_chart
from ensembles.reports.significance import can_be_tested
from pages.parts.address import choose_page
from pages.parts.chart import draw_chart
from pages.parts.look import on_phone, side_by_side
from pages.parts.results.choices import choose_learner, choose_pair

__all__ = ["draw_pair", "draw_pair_beside", "draw_scatterplots"]

_AXES = ("Horizontal axis", "Vertical axis")
_AT_ONCE, _AT_ONCE_ON_PHONE = 12, 4
_WIDTH = 470  # pixels: two stand beside each other on a usual screen, three on a wide one


def draw_pair(results: Results) -> None:
    """Draw one scatterplot of two learners to choose."""
    _draw(results, *choose_pair(results, _AXES))
    if can_be_tested(results):
        st.caption(ASSUMES["corrected"])


def draw_pair_beside(results: Results) -> None:
    """Draw the same with the choice at its left: the plot is square, and would stand in the middle of an empty row."""
    with side_by_side("pair"):
        left, right = st.columns(2, gap="large")
    with left:
        first, second = choose_pair(results, _AXES, stacked=True)
        if can_be_tested(results):
            st.caption(ASSUMES["corrected"])
    with right, st.container(width=_WIDTH):
        _draw(results, first, second)


def draw_scatterplots(results: Results) -> None:
    """Draw one learner against each of the others, as the thesis does."""
    if len(results.learners) < 2:
        st.info("A scatterplot needs two learners; this experiment has one.", icon=":material/info:")
        return
    across = choose_learner("Horizontal axis", results, first_pair(results)[0], key="across", width=_WIDTH)
    if can_be_tested(results):
        st.caption(f"Whether a point is filled: {ASSUMES['corrected'][:1].lower()}{ASSUMES['corrected'][1:]}")
    others = [learner for learner in range(len(results.learners)) if learner != across]
    many = _AT_ONCE_ON_PHONE if on_phone() else _AT_ONCE
    plots, start = st.container(horizontal=True, gap="medium"), 0
    if len(others) > many:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(formatting.pluralize(len(others), "scatterplot"))
            start = many * (choose_page(-(-len(others) // many), key="plots") - 1)
    with plots:
        for up in others[start : start + many]:
            with st.container(width=_WIDTH):
                _draw(results, across, up)


def _draw(results: Results, across: int, up: int) -> None:
    draw_chart(scatter_chart(results, across, up), key=f"scatter_{up}")
