"""Learning curves, and the errors of the members: means with bands, one data set at a time."""

from typing import Literal, NamedTuple

import streamlit as st

from ensembles.reports.figures import curve_figure
from ensembles.reports.look import learner_looks
from ensembles.reports.results import Results
from ensembles.reports.series import Band, curve_bands, curve_frame, curves_of
from pages.parts.results.chart import draw_chart
from pages.parts.results.load import choose_learners, ground

__all__ = ["draw_learning_curves", "draw_member_errors"]

_Over = Literal["trials", "repeats"]
_OVER: dict[_Over, str] = {"trials": "Over trials", "repeats": "Over repeats"}


class _Kind(NamedTuple):
    curve: str
    absent: str
    says: str
    x_title: str
    y_title: str
    columns: tuple[str, str]
    reference: tuple[float, str] | None = None


_LEARNING = _Kind(
    "learning_curve",
    "This experiment was launched without learning curves.",
    "accuracy on the test set after growing numbers of training examples; open symbols learn online",
    "training examples",
    "accuracy on the test set",
    ("Training examples", "Accuracy"),
)
_MEMBERS = _Kind(
    "member_errors",
    "No learner of this experiment left errors of its members.",
    "error of each member on the examples it was trained on, with their weights",
    "member",
    "error on its training examples",
    ("Member", "Error"),
    (0.5, "0.5: where boosting ends"),
)


def draw_learning_curves(results: Results) -> None:
    """Draw accuracy on the test set against the number of training examples."""
    _draw(results, _LEARNING)


def draw_member_errors(results: Results) -> None:
    """Draw the weighted training error of each member."""
    _draw(results, _MEMBERS)


def _draw(results: Results, kind: _Kind) -> None:
    datasets = curves_of(results, kind.curve)
    if not datasets:
        st.info(kind.absent, icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset, over = _choose(results, datasets)
        learners = choose_learners(results)
    bands = curve_bands(results, dataset, kind.curve, over=over, learners=learners)
    if not bands:
        st.info("None of the chosen learners left such a curve on this data set.", icon=":material/info:")
        return
    figure = curve_figure(
        bands,
        learner_looks(results.config.learners),
        ground(),
        x_title=kind.x_title,
        y_title=kind.y_title,
        reference=kind.reference,
    )
    caption = f"{results.datasets[dataset]}: {kind.says}. {_average(bands, over)}"
    draw_chart(figure, caption, key=kind.curve, numbers=curve_frame(bands, *kind.columns))


def _choose(results: Results, datasets: tuple[int, ...]) -> tuple[int, _Over]:
    dataset = st.selectbox(
        "Data set", datasets, format_func=results.datasets.__getitem__, key="data", bind="query-params", width=300
    )
    if results.trials["repeat"].nunique() < 2:
        return dataset, "trials"
    over: _Over = st.segmented_control(
        "Average",
        list(_OVER),
        format_func=_OVER.__getitem__,
        default="trials",
        required=True,
        key="over",
        bind="query-params",
    )
    return dataset, over


def _average(bands: tuple[Band, ...], over: _Over) -> str:
    most = max(band.n for band in bands)
    if most < 2:
        return "One trial each."
    unit = "trials" if over == "trials" else "repeats (their means)"
    return f"Mean over up to {most:,} {unit}, the band is one standard deviation on either side."
