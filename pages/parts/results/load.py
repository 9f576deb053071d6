"""What the results page reads, kept as long as no further trial has ended."""

from typing import Literal

import streamlit as st

from ensembles.experiments.results import CONFUSION, Results
from pages.parts.live import experiment_now
from pages.parts.store import store
from storage import ExperimentRecord

__all__ = ["load_results"]


def load_results(
    record: ExperimentRecord, *, with_curves: bool | tuple[str, ...] = False, alone: bool = True
) -> Results:
    """Return the results of an experiment as it stands; they are shared between sessions and must not be changed.

    Whether who asks may see it is asked each time.

    Confusion matrices among the curves are summed where the experiment stands `alone`: of trials that are put together with
    those of others, some may not count.

    Curves are many times as many numbers as trials, so only the views that draw them ask for them, by their names.

    Raises
    ------
    NotFound
        There is no such experiment for who asks.
    """
    experiment_now(record.id)
    if not with_curves:
        return _read_trials(record.id, record.done, record.failed)
    return _read_curves((record.id, record.done, record.failed), with_curves, alone)


# The counts are part of the key: a new trial makes a new entry.
@st.cache_resource(max_entries=16, ttl="1h", show_spinner=False)
def _read_trials(experiment_id: str, done: int, failed: int) -> Results:  # noqa: ARG001
    return store().load_results(experiment_id, with_curves=False)


@st.cache_resource(max_entries=4, ttl="1h", show_spinner="Reading the curves")
def _read_curves(key: tuple[str, int, int], curves: bool | tuple[str, ...], alone: bool) -> Results:
    confusion: bool | Literal["summed"] = curves is True or (curves is not False and CONFUSION in curves)
    if confusion and alone:
        confusion = "summed"
    return store().load_results(key[0], with_curves=curves, with_confusion=confusion)
