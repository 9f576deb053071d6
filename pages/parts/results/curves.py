"""Learning curves, and the errors of the members: means with bands, one data set at a time."""

from typing import Literal

import streamlit as st

from ensembles.reports.figures import curve_figure
from ensembles.reports.look import learner_looks
from ensembles.reports.results import Results
from ensembles.reports.series import Band, curve_bands, curve_frame, curves_of
from pages.parts.results.chart import draw_chart
from pages.parts.results.load import ground

__all__ = ["draw_learning_curves", "draw_member_errors"]

_OVER: dict[Literal["trials", "repeats"], str] = {"trials": "Over trials", "repeats": "Over repeats"}


def draw_learning_curves(results: Results) -> None:
    """Draw accuracy on the test set against the number of training examples."""
    chosen = _choose(results, "learning_curve")
    if chosen is None:
        st.info("This experiment was launched without learning curves.", icon=":material/info:")
        return
    dataset, over = chosen
    bands = curve_bands(results, dataset, over=over)
    figure = curve_figure(
        bands,
        learner_looks(results.config.learners),
        ground(),
        x_title="training examples",
        y_title="accuracy on the test set",
    )
    caption = (
        f"{results.datasets[dataset]}: accuracy on the test set after growing numbers of training examples. "
        f"{_average(bands, over)} Open symbols learn online."
    )
    numbers = curve_frame(bands, "Training examples", "Accuracy")
    draw_chart(figure, caption, key="learning_curve", numbers=numbers)


def draw_member_errors(results: Results) -> None:
    """Draw the weighted training error of each member."""
    chosen = _choose(results, "member_errors")
    if chosen is None:
        st.info("This experiment was launched without the errors of the members.", icon=":material/info:")
        return
    dataset, over = chosen
    bands = curve_bands(results, dataset, "member_errors", over=over)
    figure = curve_figure(
        bands,
        learner_looks(results.config.learners),
        ground(),
        x_title="member",
        y_title="error on its training examples",
        reference=(0.5, "0.5: where boosting ends"),
    )
    caption = (
        f"{results.datasets[dataset]}: error of each member on the examples it was trained on, with their weights. "
        f"{_average(bands, over)}"
    )
    draw_chart(figure, caption, key="member_errors", numbers=curve_frame(bands, "Member", "Error"))


def _choose(results: Results, curve: str) -> tuple[int, Literal["trials", "repeats"]] | None:
    """Draw the choices; None when no trial left such a curve."""
    datasets = curves_of(results, curve)
    if not datasets:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = st.selectbox(
            "Data set",
            datasets,
            format_func=results.datasets.__getitem__,
            key="data",
            bind="query-params",
            width=320,
        )
        over: Literal["trials", "repeats"] = "trials"
        if results.trials["repeat"].nunique() > 1:
            over = st.segmented_control(
                "Average",
                list(_OVER),
                format_func=_OVER.__getitem__,
                default="trials",
                required=True,
                key="over",
                bind="query-params",
            )
    return dataset, over


def _average(bands: tuple[Band, ...], over: str) -> str:
    most = max((band.n for band in bands), default=0)
    if most < 2:
        return "One trial each."
    unit = "trials" if over == "trials" else "repeats (their means)"
    return f"Mean over up to {most:,} {unit}, the band is one standard deviation on either side."
