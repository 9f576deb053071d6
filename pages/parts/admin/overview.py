"""What runs, what waits, what is stored."""

import streamlit as st

from ensembles.reports.formatting import pluralize
from pages.parts.apart import fragment
from pages.parts.experiment_rows import STATE_WORDS, draw_state, progress_words, worker_advice
from pages.parts.links import RESULTS
from pages.parts.live import ask_now, experiments_now
from pages.parts.store import open_store, show_errors
from pages.parts.text import escape_markdown, format_datetime
from storage import ExperimentRecord, Wanted
from storage.keeping.statistics import Statistics

__all__ = ["draw_overview"]

_SECONDS = 5.0
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_QUEUE = Wanted(states=("running", "waiting"), sort="oldest")
_MOST_QUEUED = 20


def draw_overview() -> None:
    """Draw it, and again every few seconds."""
    fragment(_draw, run_every=_SECONDS)()


def _draw() -> None:
    with show_errors():
        now = ask_now("statistics", lambda storage: storage.get_statistics())
        runners = ask_now("runners", lambda storage: storage.list_runners())
        queue = experiments_now(_QUEUE, _MOST_QUEUED)
        problems = open_store().check_health().problems
    for problem in problems:
        st.warning(escape_markdown(problem), icon=":material/warning:")
    if problems and queue and not runners:
        st.caption(worker_advice())
    _draw_numbers(now)
    for runner in runners:
        busy = f"{runner.busy:,} of {pluralize(runner.workers, 'worker')} busy"
        held = pluralize(runner.experiments, "experiment")
        seen = f"since {format_datetime(runner.started)}, seen {format_datetime(runner.seen)}"
        st.markdown(
            f"**{escape_markdown(runner.host)}** :small[:gray[process {runner.pid} · {busy} · {held} · {seen}]]"
        )
    states = [f"{number:,} {STATE_WORDS[state].lower()}" for state, number in now.experiments.items() if number]
    paused = f", {now.paused:,} of them paused" if now.paused else ""
    total = sum(now.experiments.values())
    st.caption(f"{pluralize(total, 'experiment')}: {', '.join(states)}{paused}." if total else "No experiment yet.")
    for record in queue:
        _draw_queued(record)


def _draw_numbers(now: Statistics) -> None:
    numbers = (
        ("Runners", f"{now.runners:,}", None),
        ("Workers", f"{now.workers:,}", f"{now.busy:,} busy"),
        ("Trials to come", f"{now.trials_waiting:,}", None),
        ("Trials done", f"{now.trials_done:,}", f"{now.trials_failed:,} failed"),
        ("Database", _bytes(now.database_bytes), None),
        ("Data sets", f"{now.datasets:,}", _bytes(now.dataset_bytes)),
    )
    with st.container(horizontal=True):
        for label, value, more in numbers:
            st.metric(label, value, more, delta_color="off", delta_arrow="off", border=True, height="stretch")


def _draw_queued(record: ExperimentRecord) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(RESULTS, label=escape_markdown(record.name), query_params={"experiment": record.id})
        draw_state(record)
        owner = escape_markdown(record.user_name or "")
        st.caption(" · ".join(filter(None, (owner, progress_words(record)))))


def _bytes(number: int) -> str:
    for unit, name in _UNITS:
        if number >= unit:
            return f"{number / unit:,.1f} {name}"
    return pluralize(number, "byte")
