"""Members: their errors, what the first of them do together, how clearly they decide, and how much they differ."""

import streamlit as st

from ensembles.evaluation.curves import CURVES
from ensembles.experiments.results import Results
from ensembles.reports.charts import diversity_chart
from ensembles.reports.figure_data import curves_of
from ensembles.reports.views import MEMBER_CURVES
from pages.parts.address import choose_segment
from pages.parts.chart import draw_chart
from pages.parts.results.choices import choose_dataset, choose_learners
from pages.parts.results.curves import draw_curve

__all__ = ["draw_members"]


def draw_members(results: Results) -> None:
    """Draw one of the curves about members that the experiment asked for."""
    recorded = [curve for curve in MEMBER_CURVES if curve in results.config.curves]
    curve = choose_segment("Show", recorded, say=lambda curve: CURVES[curve].name, key="show")
    if curve == "diversity":
        _draw_diversity(results)
    else:
        draw_curve(results, curve)


def _draw_diversity(results: Results) -> None:
    if not curves_of(results, "diversity"):
        st.info("No learner of this experiment has two members that can be compared.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = choose_dataset(results)
        learners = choose_learners(results)
    draw_chart(diversity_chart(results, dataset, learners), key="diversity")
