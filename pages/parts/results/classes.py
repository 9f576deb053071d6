"""Classes: which are taken for which, how well each learner finds each of them, and how sure it is."""

import streamlit as st

from ensembles.errors import EnsembleLabError
from ensembles.experiments.results import Results
from ensembles.reports.calibration import HEADING, calibration_chart, calibrations
from ensembles.reports.classes import CLASS_SCORES, class_scores_chart, confusion_chart
from pages.parts.address import choose_segment
from pages.parts.chart import draw_chart
from pages.parts.dataset_library import load_reference
from pages.parts.results.choices import choose_dataset, choose_learner, choose_learners

__all__ = ["draw_classes"]


def draw_classes(results: Results) -> None:
    """Draw the view."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = choose_dataset(results)
        of = choose_segment("Score", list(CLASS_SCORES), say=CLASS_SCORES.__getitem__, key="score")
    names = _class_names(results, dataset)
    chart = class_scores_chart(results, dataset, of, names)
    draw_chart(chart, key="class_scores")
    if not chart.numbers.empty:
        st.header("Confusion matrix", anchor=False)
        learner = choose_learner("Learner", results, 0, key="learner", width=420)
        draw_chart(confusion_chart(results, dataset, learner, names), key="confusion")
    learners = None
    if calibrations(results, dataset):
        st.header(HEADING, anchor=False)
        learners = choose_learners(results)
    draw_chart(calibration_chart(results, dataset, learners), key="calibration")


def _class_names(results: Results, dataset: int) -> tuple[str, ...]:
    """Return the names of the classes; none where the data set is not here any more: classes are numbered then."""
    try:
        return tuple(load_reference(results.config.datasets[dataset]).classes)
    except EnsembleLabError:
        return ()
