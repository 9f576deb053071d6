"""How an experiment stands in a list: name, state, progress, facts."""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Literal, NamedTuple

import streamlit as st

from ensembles.errors import NotFound, StorageError
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.reports.formatting import pluralize, rough_seconds, seconds
from pages.parts.apart import fragment
from pages.parts.links import RESULTS
from pages.parts.live import experiment_now, experiments_now, shared
from pages.parts.store import open_store, show_errors
from pages.parts.text import escape_markdown, format_datetime
from storage import ExperimentRecord, Folded, Wanted
from storage.records import State

__all__ = [
    "STATE_WORDS",
    "counted_badge",
    "draw_experiment",
    "draw_moving",
    "draw_name",
    "draw_newest",
    "draw_progress",
    "draw_state",
    "facts",
    "progress_words",
    "share_done",
    "state_badge",
    "trials_done",
    "trials_ended",
    "watch",
    "worker_advice",
]

_PROGRESS_SECONDS, _LIST_SECONDS, _QUIET_SECONDS = 2.0, 5.0, 20.0


class _StateStyle(NamedTuple):
    word: str
    icon: str
    colour: Literal["gray", "blue", "green", "orange", "red"]


_STATES = {
    "waiting": _StateStyle("Waiting", ":material/schedule:", "gray"),
    "running": _StateStyle("Running", ":material/progress_activity:", "blue"),
    "cancelling": _StateStyle("Cancelling", ":material/hourglass_bottom:", "orange"),
    "finished": _StateStyle("Finished", ":material/check:", "green"),
    "cancelled": _StateStyle("Cancelled", ":material/block:", "gray"),
    "failed": _StateStyle("Failed", ":material/error:", "red"),
}
STATE_WORDS = {state: style.word for state, style in _STATES.items()}
"""What people read for each state, by its key."""

_PAUSED = _StateStyle("Paused", ":material/pause:", "gray")
"""How it looks when nobody goes on with it until it is resumed."""

_ALL_FAILED = _StateStyle("All failed", ":material/error:", "red")
"""How it looks when it has come to its end without a result."""

_STALLED = _StateStyle("Stalled", ":material/warning:", "orange")
"""How it looks when its runner has gone silent and no other has taken it over yet."""


def draw_experiment(record: ExperimentRecord) -> None:
    """Draw one experiment: a link to its results, its state, how far it is, what it compares.

    Its progress goes on while it runs; when its state changes, the page is drawn again.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        draw_name(record)
        draw_state(record)
    draw_moving(record)
    st.caption(escape_markdown(facts(record)))


def draw_name(record: ExperimentRecord, *, width: Literal["content", "stretch"] = "content") -> None:
    """Draw the name of an experiment, which leads to its results if it can be opened here."""
    name = f"**{escape_markdown(record.name)}**"
    if record.unreadable is None:
        st.page_link(RESULTS, label=name, query_params={"experiment": record.id}, width=width)
    else:
        st.markdown(name, width=width)


def draw_moving(record: ExperimentRecord) -> None:
    """Draw how far an experiment is, every two seconds while it runs; nothing when it is over."""
    if record.state in {"running", "cancelling"} and record.unreadable is None:
        fragment(_draw_moving, run_every=_PROGRESS_SECONDS)(record)
    elif not record.is_final:
        draw_progress(record)


def draw_progress(record: ExperimentRecord) -> None:
    """Draw how far an experiment is that is not over."""
    st.progress(share_done(record, datetime.now(UTC)), text=progress_words(record))


def share_done(record: ExperimentRecord, now: datetime) -> float:
    """Return how far an experiment is, or came before a pause, in [0, 1]: by its trials, or, as of one stream, its time."""
    share = min(record.done / record.total, 1.0) if record.total else 0.0
    if record.seconds_left is None or record.state not in {"running", "waiting"}:
        return share
    since = 0.0 if record.started is None else max((now - record.started).total_seconds(), 0.0)
    taken = (record.seconds or 0.0) + since
    return max(share, taken / (taken + max(record.seconds_left, 1.0)))


def _draw_moving(shown: ExperimentRecord) -> None:
    try:
        record = experiment_now(shown.id)
    except NotFound:
        st.rerun()
    except StorageError as error:  # the next look may find it again
        st.caption(escape_markdown(str(error)))
        return
    draw_progress(record)
    if _status_of(record) != _status_of(shown):
        st.rerun()


Listed = ExperimentRecord | Folded


def watch(shown: Sequence[Listed], read: Callable[[], Sequence[Listed]]) -> None:
    """Have the page drawn again when the list that is shown is no longer what `read` returns, but for its progress."""
    active = any(not record.is_final for record in shown)
    seconds = _LIST_SECONDS if active else _QUIET_SECONDS
    fragment(_compare, run_every=seconds)([*map(_status_of, shown)], read)


def _compare(shown: Sequence[object], read: Callable[[], Sequence[Listed]]) -> None:
    with show_errors():
        if [*map(_status_of, read())] != shown:
            st.rerun()


def _status_of(record: Listed) -> object:
    """Return what a row says besides progress."""
    if isinstance(record, Folded):
        return record.tags, record.experiments, record.states
    marks = record.starred, record.archived, record.tags, record.notes
    return record.id, record.name, record.state, record.is_stalled, record.paused, record.message, marks


def draw_newest(number: int) -> None:
    """Draw the newest experiments, and look after them."""
    with show_errors():
        records = experiments_now(Wanted(), number)
    if not records:
        st.caption("Nothing was launched yet.")
    for record in records:
        with st.container(border=True):
            draw_experiment(record)
    watch(records, partial(experiments_now, Wanted(), number))


def draw_state(record: ExperimentRecord) -> None:
    """Draw the state as a word with its sign and colour."""
    style = _style(record)
    st.badge(style.word, icon=style.icon, color=style.colour)


def state_badge(record: ExperimentRecord) -> str:
    """Return the same as Markdown, to stand in a line of text."""
    style = _style(record)
    return f":{style.colour}-badge[{style.icon} {style.word}]"


def _style(record: ExperimentRecord) -> _StateStyle:
    if record.paused and record.state in {"waiting", "running"}:
        return _PAUSED
    if record.state == "finished" and record.failed == record.done > 0:
        return _ALL_FAILED
    return _STALLED if record.is_stalled else _STATES[record.state]


def counted_badge(state: State, number: int) -> str:
    """Return how many experiments are in a state, as Markdown."""
    style = _STATES[state]
    return f":{style.colour}-badge[{style.icon} {number:,} {style.word.lower()}]"


def progress_words(record: ExperimentRecord) -> str:
    """Return "412 of 1,050 trials · 2 failed · about 12 s left"; where nobody is heard to work, that instead of a time."""
    if record.paused and record.state == "running":
        streams = record.readable is not None and isinstance(record.readable.protocol, Prequential)
        return "Pauses with a snapshot of each stream" if streams else "Pauses after the trials that run now"
    if record.paused and record.state == "waiting":
        return f"Paused after {record.done:,} of {pluralize(record.total, 'trial')}" if record.total else "Paused"
    if record.state == "waiting":
        return "Waiting for the worker"
    parts = [f"{record.done:,} of {pluralize(record.total, 'trial')}" if record.total else "Planning the trials"]
    if record.failed:
        parts.append(f"{record.failed:,} failed")
    if record.silent_since is not None:
        parts += [f"nothing heard from its worker since {format_datetime(record.silent_since)}", *troubles(record)]
    elif record.seconds_left is not None and record.state == "running":
        parts.append(f"about {rough_seconds(record.seconds_left)} left")
    return " · ".join(parts)


def troubles(record: ExperimentRecord) -> list[str]:
    """Return what is wrong with the database besides this silence, as it may be its cause: a full disk, say."""
    found = shared.get("health", lambda: open_store().check_health().problems)
    return [escape_markdown(problem) for problem in found if not problem.startswith(f"{record.name}: ")]


def worker_advice() -> str:
    """Return how a worker is started where none is there; one of its own the application has unless it is told not to."""
    again = (
        "; or start the application again, which brings its own" if os.environ.get("ENSEMBLE_LAB_WORKER") != "0" else ""
    )
    return f"Whoever runs the server can start a worker: `python -m runner worker`{again}."


def facts(record: ExperimentRecord) -> str:
    """Return what an experiment compares, how it ended and when it was launched, in one line."""
    parts = [*_size(record.config), record.config.protocol.sentence] if record.readable else [str(record.unreadable)]
    if record.is_final and record.total:
        parts.append(trials_done(record))
        if record.failed:
            parts.append(f"{record.failed:,} failed")
    if record.message:
        parts.append(record.message)
    return " · ".join([*parts, f"launched {format_datetime(record.created)}"])


def trials_done(record: ExperimentRecord) -> str:
    """Return how many trials of an experiment that has ended are there, of how many, and how long it took."""
    done = trials_ended(record)
    return done if record.seconds is None else f"{done} in {seconds(record.seconds)}"


def trials_ended(record: ExperimentRecord) -> str:
    """Return how many trials of an experiment that has ended are there, and of how many where some are missing."""
    if record.total and record.done < record.total:
        return f"{record.done:,} of {pluralize(record.total, 'trial')}"
    return pluralize(record.done, "trial")


def _size(config: ExperimentConfig) -> tuple[str, str]:
    return pluralize(len(config.datasets), "data set"), pluralize(len(config.learners), "learner")
