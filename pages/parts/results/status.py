"""How far an experiment is, live; and in words why there is nothing, or not everything, to see."""

import time
from datetime import UTC, datetime, timedelta

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports.early_stops import early_stops
from ensembles.reports.first_defaults import first_defaults
from ensembles.reports.formatting import pluralize
from ensembles.reports.tables import LEFT_OUT, failure_table
from ensembles.reports.unasked import unasked_heads
from pages.parts.apart import fragment
from pages.parts.chart import draw_numbers
from pages.parts.experiment_rows import draw_progress, worker_advice
from pages.parts.live import ask_now, experiment_now
from pages.parts.results.header import draw_status
from pages.parts.results.live_stream import draw_live_streams, has_live_streams, has_snapshots
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from storage import ExperimentRecord

__all__ = ["draw_live", "draw_outcome", "draw_waiting", "note_drawn"]

_SECONDS_BETWEEN_REDRAWS = 4.0
_REST = 10.0  # times as long as drawing took: with many tabs open, each of them takes longer and comes less often
_BEGUN, _DRAWN = "results_begun", "results_drawn"
_SENTENCES = 3
_SECONDS_BETWEEN_LOOKS = 10.0
_UNTIL_A_WORKER_IS_THERE = timedelta(minutes=1)


def draw_live(record: ExperimentRecord) -> None:
    """Draw state, facts and progress of an experiment that is not over every two seconds, and the page when it moved on.

    The whole page is drawn again at most every few seconds, and drawing it takes at most a tenth of the time.
    """
    st.session_state[_BEGUN] = time.monotonic()
    st.session_state.pop(_DRAWN, None)
    fragment(_draw_live, run_every=2.0)(record, _streams_known(record))


def note_drawn() -> None:
    """Note that the page is drawn to its end, and so how long that takes."""
    st.session_state[_DRAWN] = time.monotonic()


def _draw_live(shown: ExperimentRecord, streams_known: int) -> None:
    with show_errors():
        record = experiment_now(shown.id)
    draw_status(record)
    draw_progress(record)
    draw_live_streams(record)
    moved = record.done != shown.done and (_has_rested() or not shown.done)
    if moved or _standing(record) != _standing(shown) or _streams_known(record) > streams_known:
        st.rerun()


def _streams_known(record: ExperimentRecord) -> int:
    """Return how much is known of streams that run: nothing, how far they are, or also what they are by a snapshot."""
    return has_live_streams(record) + has_snapshots(record)


def _standing(record: ExperimentRecord) -> tuple[str, bool, bool, str | None]:
    return record.state, record.is_stalled, record.paused, record.message


def _has_rested() -> bool:
    """Return whether the page has been left alone for long enough, by how long it took to draw it."""
    begun: float = st.session_state.get(_BEGUN, 0.0)
    drawn: float = st.session_state.get(_DRAWN, begun)
    return time.monotonic() - drawn > max(_SECONDS_BETWEEN_REDRAWS, _REST * (drawn - begun))


def draw_waiting(record: ExperimentRecord) -> None:
    """Say why there are no results."""
    if record.paused and record.state == "waiting":
        where = "*Go on*" if has_live_streams(record) else "*More*, *Go on*"
        st.info(f"It is paused. {where} lets it wait for its turn again.", icon=":material/pause:")
    elif record.state == "waiting":
        fragment(_draw_queued, run_every=_SECONDS_BETWEEN_LOOKS)(record)
    elif record.is_stalled:
        st.warning(
            "Its worker is not heard any more, so there are no results yet. Another one goes on with it as soon as there "
            "is one.",
            icon=":material/warning:",
        )
    elif has_live_streams(record):
        return
    elif not record.is_final:
        st.info(
            "The first trials are under way; a learner that is new to this machine is compiled first, "
            "which takes some seconds. Results appear here as trials end.",
            icon=":material/hourglass_top:",
        )
    elif record.state == "cancelled":
        st.info("It was cancelled before a trial had ended, so there are no results.", icon=":material/block:")
    elif not record.message:
        st.info("It ended without a trial, so there are no results.", icon=":material/info:")


def _draw_queued(record: ExperimentRecord) -> None:
    with show_errors():
        is_heard = ask_now("has_runners", lambda storage: storage.has_runners())
    if is_heard or datetime.now(UTC) - record.created < _UNTIL_A_WORKER_IS_THERE:
        st.info("It waits for the worker. Results appear here as soon as trials end.", icon=":material/schedule:")
    else:
        st.warning(f"It waits, and no worker is there. {worker_advice()}", icon=":material/warning:")


def draw_outcome(record: ExperimentRecord, results: Results | None) -> None:
    """Say what went wrong or was left out: the message of a failed experiment, the sentences of failed trials."""
    if record.message:
        show = st.error if record.state == "failed" else st.info
        show(escape_markdown(record.message), icon=":material/info:")
    if record.state == "cancelled" and record.done:
        total = f" of {pluralize(record.total, 'trial')}" if record.total else ""
        st.info(f"Cancelled after {record.done:,}{total}. What had ended is below.", icon=":material/block:")
    if results is not None:
        _draw_early_stops(results)
        if told := " ".join([*unasked_heads(results), *first_defaults(results.config.learners)]):
            st.caption(escape_markdown(told))
    if results is None or results.failed.empty:
        return
    failures = failure_table(results)
    failed = len(results.failed)
    of_all = f"{failed:,} of {pluralize(len(results.trials), 'trial')} failed"
    with st.container(border=True, key="results_failures"):
        means = "" if results.finished.empty else f" and {'is' if failed == 1 else 'are'} {LEFT_OUT}"
        st.markdown(f":material/warning: **{of_all}**{means}.")
        sentences = failures["Failure"].drop_duplicates()
        for sentence in sentences.head(_SENTENCES):
            st.caption(escape_markdown(sentence))
        if len(sentences) > _SENTENCES:
            st.caption(f"And {pluralize(len(sentences) - _SENTENCES, 'other sentence')}, see the numbers.")
        draw_numbers(failures, "failures")


def _draw_early_stops(results: Results) -> None:
    """Say of which learners fewer members voted than they might have: their numbers are those of smaller ensembles."""
    sentences = early_stops(results)
    told = " ".join(sentences[:_SENTENCES])
    if len(sentences) > _SENTENCES:
        why = "" if store().actor.kind == "link" else "; the view Trials says of each why"
        told += f" So did {pluralize(len(sentences) - _SENTENCES, 'other learner')}{why}."
    if told:
        st.caption(escape_markdown(told))
