"""Learning curves, errors of the members, trial graphs and margins: means with bands, one data set at a time."""

from typing import Literal, NamedTuple

import pandas as pd
import streamlit as st

from ensembles.reports.figures import curve_figure
from ensembles.reports.look import learner_looks
from ensembles.reports.results import Results
from ensembles.reports.series import Band, curve_bands, curve_frame, curves_of
from pages.parts.results.chart import draw_chart
from pages.parts.results.load import choose_learners, ground

__all__ = [
    "choose_dataset",
    "draw_learning_curves",
    "draw_margins",
    "draw_member_errors",
    "draw_stream",
    "draw_trial_graph",
]

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
    sets: tuple[str, ...] = ()  # of examples, where a trial leaves a curve for each
    x_format: str = ",d"


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
_TRIAL_GRAPH = _Kind(
    "trial_graph",
    "No learner of this experiment left a trial graph.",
    "error when only the first members vote; an ensemble that stopped early keeps its last value",
    "members that vote",
    "error",
    ("Members", "Error"),
    sets=("test", "train", "both"),
)
_MARGINS = _Kind(
    "margins",
    "No learner of this experiment left margins.",
    "share of the examples whose margin is at most so much. The margin is the share of the votes for the true class "
    "minus the largest share of another class: 1 if all votes are right, negative if the prediction is wrong",
    "margin",
    "share of the examples",
    ("Margin", "Share"),
    sets=("train", "test"),
    x_format=".2f",
)
_STREAM = _Kind(
    "prequential_error",
    "No learner of this experiment left its error on the stream.",
    "error on examples that are predicted before they are learned",
    "examples of the stream",
    "error",
    ("Examples", "Error"),
    sets=("all", "window", "fading"),
)
_SETS = {
    "test": "Test examples",
    "train": "Training examples",
    "both": "Both",
    "all": "All so far",
    "window": "Sliding window",
    "fading": "Fading",
}
_WINDOWS = {
    "all": ", all examples so far",
    "window": ", the last 1,000 examples, or the last twentieth of the stream if that is less",
    "fading": ", an example counts 0.999 times as much with each that follows",
}


def draw_learning_curves(results: Results) -> None:
    """Draw accuracy on the test set against the number of training examples."""
    _draw(results, _LEARNING)


def draw_member_errors(results: Results) -> None:
    """Draw the weighted training error of each member."""
    _draw(results, _MEMBERS)


def draw_trial_graph(results: Results) -> None:
    """Draw training and test error against the number of members."""
    _draw(results, _TRIAL_GRAPH)


def draw_margins(results: Results) -> None:
    """Draw the distribution of the margins."""
    _draw(results, _MARGINS)


def draw_stream(results: Results) -> None:
    """Draw the error on a stream, each example predicted before it is learned."""
    _draw(results, _STREAM)


def _draw(results: Results, kind: _Kind) -> None:
    datasets = curves_of(results, _name(kind, kind.sets[0] if kind.sets else ""))
    if not datasets:
        st.info(kind.absent, icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset, over = _choose(results, datasets)
        of = _choose_set(kind)
        learners = choose_learners(results)
    bands = curve_bands(results, dataset, _name(kind, of), over=over, learners=learners)
    faint = curve_bands(results, dataset, f"{kind.curve}_train", over=over, learners=learners) if of == "both" else ()
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
        faint=faint,
        x_format=kind.x_format,
    )
    caption = f"{results.datasets[dataset]}{_of(of)}: {kind.says}. {_average(bands, over)}"
    draw_chart(figure, caption, key=kind.curve, numbers=_numbers(kind, of, bands, faint))


def _name(kind: _Kind, of: str) -> str:
    """Return the name of the curve that a trial leaves."""
    if of in ("", "all"):
        return kind.curve
    return f"{kind.curve}_{'test' if of == 'both' else of}"


def _choose_set(kind: _Kind) -> str:
    """Draw the choice of the examples that a curve is about; "" where there is none."""
    if not kind.sets:
        return ""
    return st.segmented_control(
        "Examples",
        list(kind.sets),
        format_func=_SETS.__getitem__,
        default=kind.sets[0],
        required=True,
        key=f"{kind.curve}_of",
        bind="query-params",
    )


def _of(of: str) -> str:
    if of == "both":
        return ", test examples (lines) and training examples (dots)"
    if of in _WINDOWS:
        return _WINDOWS[of]
    return f", {_SETS[of].lower()}" if of else ""


def _numbers(kind: _Kind, of: str, bands: tuple[Band, ...], faint: tuple[Band, ...]) -> pd.DataFrame:
    if of != "both":
        return curve_frame(bands, *kind.columns)
    parts = {_SETS["test"]: bands, _SETS["train"]: faint}
    frames = [curve_frame(some, *kind.columns).assign(Examples=name) for name, some in parts.items()]
    return pd.concat(frames, ignore_index=True)


def _choose(results: Results, datasets: tuple[int, ...]) -> tuple[int, _Over]:
    dataset = choose_dataset(results, datasets)
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


def choose_dataset(results: Results, datasets: tuple[int, ...]) -> int:
    """Draw the choice of one of the data sets, kept in the address."""
    return st.selectbox(
        "Data set", datasets, format_func=results.datasets.__getitem__, key="data", bind="query-params", width=300
    )


def _average(bands: tuple[Band, ...], over: _Over) -> str:
    most = max(band.n for band in bands)
    if most < 2:
        return "One trial each."
    unit = "trials" if over == "trials" else "repeats (their means)"
    return f"Mean over up to {most:,} {unit}, the band is one standard deviation on either side."
