"""What the results page reads, kept as long as no further trial has ended, within a bound of memory."""

import math
from contextlib import nullcontext

import streamlit as st

from ensembles.experiments.results import CONFUSION, Results
from pages.parts.kept import Kept
from pages.parts.live import experiment_now
from pages.parts.store import store
from storage import ExperimentRecord

__all__ = ["load_results", "size_of"]

_MOST_BYTES = 2**30
_MANY = 20_000  # trials, whose curves take a tenth of a second
_A_TENTH = 1.1
_WORKED_OUT = 3  # times as much as trials are they and what is kept of them: 2.3 with a million and one measure


def load_results(
    record: ExperimentRecord,
    *,
    with_curves: bool | tuple[str, ...] = False,
    alone: bool = True,
    may_lag: bool = False,
) -> Results:
    """Return the results of an experiment as it stands; they are shared between sessions and must not be changed.

    Whether who asks may see it is asked each time.

    Curves come summed up, as `Storage.load_results` says, where the experiment stands `alone`, or all trials of a learner on
    a data set count or none: of those that are put together with others, some may not.

    Curves are many times as many numbers as trials, so only the views that draw them ask for them, by their names. Where
    results `may_lag` behind, those of a large experiment that runs are read again when a tenth more trials have ended.

    Raises
    ------
    NotFound
        There is no such experiment for who asks.
    """
    experiment_now(record.id)
    curves = with_curves or ()
    summed = alone or not curves
    run = record.started  # trials that failed and are run again may end as many as before
    state = (record.name, run, record.done, record.failed)  # a new trial makes a new state
    if may_lag and curves and not record.is_final and record.done > _MANY:
        state = (record.name, run, -round(math.log(record.done, _A_TENTH)), 0)
    return _kept.get((record.id, curves, summed), state, lambda: _read(record.id, curves, summed))


def size_of(results: Results) -> int:
    """Return about how many bytes results take, with what is worked out from their trials."""
    trials, *curves = (int(one.memory_usage().sum()) for one in (results.trials, results.curves, results.curve_means))
    return _WORKED_OUT * trials + sum(curves)


def _read(experiment: str, curves: bool | tuple[str, ...], summed: bool) -> Results:
    confusion = curves is True or (curves is not False and CONFUSION in curves)
    with st.spinner("Reading the curves") if curves else nullcontext():
        return store().load_results(experiment, with_curves=curves, with_confusion=confusion, summed=summed)


_kept = Kept(_MOST_BYTES, size_of)
