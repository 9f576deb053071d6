"""Running time: a figure over data sets, and a table with the ratio to the single model."""

import pandas as pd
import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import has_sizes, time_chart
from ensembles.reports.tables import median_table, time_ratio_table
from ensembles.reports.trade_off import HEADING, SPENT, Spent, trade_off_chart
from pages.parts.address import choose_segment
from pages.parts.chart import draw_chart
from pages.parts.grid import draw_grid
from pages.parts.results.choices import choose_learners

__all__ = ["draw_times"]

_PARTS = {"fit_cpu_seconds": "Training", "predict_cpu_seconds": "Prediction"}
_AGAINST = {"examples": "Training examples", "datasets": "Data sets"}


def draw_times(results: Results) -> None:
    """Draw the view."""
    _draw_trade_off(results)
    st.header("Times", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part, against = _choose(results)
        learners = choose_learners(results)
    draw_chart(time_chart(results, part, learners=learners, by_size=against == "examples"), key="times")
    _draw_table(results, part)


def _draw_trade_off(results: Results) -> None:
    if len(results.learners) < 2:
        return
    st.header(HEADING, anchor=False)
    spent: Spent = "both"
    if results.values("predict_cpu_seconds").notna().any():  # streams have one time
        spent = choose_segment("Time to", list(SPENT), say=SPENT.__getitem__, key="spent")
    draw_chart(trade_off_chart(results, spent), key="trade_off")


def _choose(results: Results) -> tuple[str, str]:
    parts = [part for part in _PARTS if part == "fit_cpu_seconds" or results.values(part).notna().any()]
    part = choose_segment("Time of", parts, say=_PARTS.__getitem__, key="part")  # streams have one time
    if not has_sizes(results):
        return part, "datasets"
    return part, choose_segment("Against", list(_AGAINST), say=_AGAINST.__getitem__, key="against")


def _draw_table(results: Results, part: str) -> None:
    notes = median_table(results, part.replace("_cpu", "")).map(_wall)
    if part == "fit_cpu_seconds":
        ratios = time_ratio_table(results)
        notes += ratios.map(lambda ratio: f", {formatting.ratio(ratio)}" if pd.notna(ratio) else "")
        compared = ", and how many times the processor time of the single model of the same base model"
        st.caption(
            f"Median processor time to train; below it wall time{compared if ratios.notna().any(axis=None) else ''}."
        )
    else:
        st.caption("Median processor time to predict the class of every example in the test set; below it wall time.")
    draw_grid(
        median_table(results, part),
        formatting.seconds,
        notes=notes,
        alt=f"{_PARTS[part]} time: data sets down, learners across",
    )


def _wall(seconds: float) -> str:
    return f"{formatting.seconds(seconds)} wall" if pd.notna(seconds) else ""
