"""Curves of learners: means with bands, one data set at a time."""

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports.curve_charts import CURVE_DISPLAYS, SETS, CurveDisplay, Over, curve_chart, datasets_with
from pages.parts.address import choose_segment
from pages.parts.chart import draw_chart
from pages.parts.results.choices import choose_dataset, choose_learners

__all__ = ["draw_curve"]

_OVER: dict[Over, str] = {"trials": "Over trials", "repeats": "Over repeats"}


def draw_curve(results: Results, curve: str) -> None:
    """Draw one kind of curve with its choices."""
    display = CURVE_DISPLAYS[curve]
    if not datasets_with(results, display):
        st.info(display.absent, icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset, over = _choose(results)
        of = _choose_set(display)
        learners = choose_learners(results)
    draw_chart(curve_chart(results, display, dataset, of, over=over, learners=learners), key=curve)


def _choose_set(display: CurveDisplay) -> str:
    """Draw the choice of the examples that a curve is about, where there is one."""
    if len(display.sets) < 2:
        return display.sets[0]
    return choose_segment("Examples", list(display.sets), say=SETS.__getitem__, key=f"{display.curve}_of")


def _choose(results: Results) -> tuple[int, Over]:
    dataset = choose_dataset(results)
    if results.trials["repeat"].nunique() < 2:
        return dataset, "trials"
    return dataset, choose_segment("Average", list(_OVER), say=_OVER.__getitem__, key="over")
