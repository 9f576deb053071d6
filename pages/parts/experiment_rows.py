"""How an experiment stands in a list: name, state, progress, facts."""

from typing import Literal, NamedTuple

import streamlit as st

from ensembles.experiments.config import ExperimentConfig
from ensembles.reports.words import seconds
from pages.parts.links import RESULTS
from pages.parts.store import explained, store
from pages.parts.text import counted, plain, said
from storage import ExperimentRecord

__all__ = ["draw_experiment", "draw_newest", "draw_state", "facts", "progress_words"]

_ACTIVE = "newest_active"


class _StateLook(NamedTuple):
    word: str
    icon: str
    colour: Literal["gray", "blue", "green", "orange", "red"]


_STATES = {
    "waiting": _StateLook("Waiting", ":material/schedule:", "gray"),
    "running": _StateLook("Running", ":material/progress_activity:", "blue"),
    "cancelling": _StateLook("Cancelling", ":material/hourglass_bottom:", "orange"),
    "finished": _StateLook("Finished", ":material/check:", "green"),
    "cancelled": _StateLook("Cancelled", ":material/block:", "gray"),
    "failed": _StateLook("Failed", ":material/error:", "red"),
}


def draw_experiment(record: ExperimentRecord) -> None:
    """Draw one experiment: a link to its results, its state, how far it is, what it compares."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(RESULTS, label=f"**{plain(record.name)}**", query_params={"experiment": record.id})
        draw_state(record)
    if not record.is_final:
        st.progress(min(record.done / record.total, 1.0) if record.total else 0.0, text=progress_words(record))
    st.caption(plain(facts(record)))


def draw_newest(number: int) -> None:
    """Draw the newest experiments, every two seconds while one of them is not over."""
    st.fragment(_draw_newest, run_every="2s" if st.session_state.get(_ACTIVE) else None)(number)


def _draw_newest(number: int) -> None:
    """Draw them; when the first of them starts or the last of them ends, the page is drawn again for its timer."""
    with explained():
        records = store().list_experiments(limit=number)
    if not records:
        st.caption("Nothing was launched yet.")
    for record in records:
        with st.container(border=True):
            draw_experiment(record)
    active = any(not record.is_final for record in records)
    if st.session_state.get(_ACTIVE, False) != active:
        st.session_state[_ACTIVE] = active
        st.rerun()


def draw_state(record: ExperimentRecord) -> None:
    """Draw the state as a word with its sign and colour."""
    look = _STATES[record.state]
    st.badge(look.word, icon=look.icon, color=look.colour)


def progress_words(record: ExperimentRecord) -> str:
    """Return "412 of 1,050 trials · 2 failed · about 12 s left"."""
    if record.state == "waiting":
        return "Waiting for the worker"
    parts = [f"{record.done:,} of {counted(record.total, 'trial')}" if record.total else "Planning the trials"]
    if record.failed:
        parts.append(f"{record.failed:,} failed")
    if record.seconds_left is not None and record.state == "running":
        parts.append(f"about {seconds(record.seconds_left)} left")
    return " · ".join(parts)


def facts(record: ExperimentRecord) -> str:
    """Return what an experiment compares, how it ended and when it was launched, in one line."""
    parts = [*_size(record.config), record.config.protocol.sentence]
    if record.is_final and record.total:
        done = counted(record.done, "trial")
        took = record.finished - record.started if record.finished and record.started else None
        parts.append(f"{done} in {seconds(took.total_seconds())}" if took else done)
        if record.failed:
            parts.append(f"{record.failed:,} failed")
    if record.message:
        parts.append(record.message)
    return " · ".join([*parts, said(record.created)])


def _size(config: ExperimentConfig) -> tuple[str, str]:
    return counted(len(config.datasets), "data set"), counted(len(config.learners), "learner")
