"""What the results page reads, kept as long as no further trial has ended."""

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports.style import Theme
from pages.parts.store import store
from storage import ExperimentRecord

__all__ = ["choose_learners", "load_results", "theme"]


def load_results(record: ExperimentRecord, *, with_curves: bool = False) -> Results:
    """Return the results of an experiment as it stands; they are shared between sessions and must not be changed.

    Curves are many times as many numbers as trials, so only the views that draw them ask for them.
    """
    read = _read_curves if with_curves else _read_trials
    return read(record.id, record.done, record.failed)


def theme() -> Theme:
    """Return whether the page is light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def choose_learners(results: Results) -> list[int]:
    """Draw a filter of learners, kept in the address; nothing chosen means all of them."""
    return st.multiselect(
        "Learners",
        range(len(results.learners)),
        format_func=results.learners.__getitem__,
        placeholder="All learners",
        filter_mode="contains",
        select_all=False,
        key="learners",
        bind="query-params",
        width=420,
    ) or list(range(len(results.learners)))


# The counts are part of the key: a new trial makes a new entry.
@st.cache_resource(max_entries=16, ttl="1h", show_spinner=False)
def _read_trials(experiment_id: str, done: int, failed: int) -> Results:  # noqa: ARG001
    return store().load_results(experiment_id, with_curves=False)


@st.cache_resource(max_entries=4, ttl="1h", show_spinner="Reading the curves")
def _read_curves(experiment_id: str, done: int, failed: int) -> Results:  # noqa: ARG001
    return store().load_results(experiment_id)
