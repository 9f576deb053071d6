"""What runs, what waits, what is stored."""

import streamlit as st

from ensembles.reports.formatting import pluralize
from pages.parts.experiment_rows import STATE_WORDS
from pages.parts.live import ask_now
from pages.parts.store import open_store, show_errors
from pages.parts.text import escape_markdown, format_datetime

__all__ = ["draw_overview"]

_SECONDS = 5.0
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def draw_overview() -> None:
    """Draw it, and again every few seconds."""
    st.fragment(_draw, run_every=_SECONDS)()


def _draw() -> None:
    with show_errors():
        now = ask_now("statistics", lambda storage: storage.get_statistics())
        problems = open_store().check_health().problems
    for problem in problems:
        st.warning(escape_markdown(problem), icon=":material/warning:")
    with st.container(horizontal=True):
        st.metric("Runners", f"{now.runners:,}", border=True)
        st.metric(
            "Workers", f"{now.workers:,}", f"{now.busy:,} busy", delta_color="off", delta_arrow="off", border=True
        )
        st.metric("Trials to come", f"{now.trials_waiting:,}", border=True)
        st.metric(
            "Trials done",
            f"{now.trials_done:,}",
            f"{now.trials_failed:,} failed",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )
        st.metric("Database", _bytes(now.database_bytes), border=True)
        stored = _bytes(now.dataset_bytes)
        st.metric("Data sets", f"{now.datasets:,}", stored, delta_color="off", delta_arrow="off", border=True)
    states = [f"{number:,} {STATE_WORDS[state].lower()}" for state, number in now.experiments.items() if number]
    paused = f", {now.paused:,} of them paused" if now.paused else ""
    with show_errors():
        runners = ask_now("runners", lambda storage: storage.list_runners())
    for runner in runners:
        busy = f"{runner.busy:,} of {pluralize(runner.workers, 'worker')} busy"
        held = pluralize(runner.experiments, "experiment")
        seen = f"since {format_datetime(runner.started)}, seen {format_datetime(runner.seen)}"
        st.markdown(
            f"**{escape_markdown(runner.host)}** :small[:gray[process {runner.pid} · {busy} · {held} · {seen}]]"
        )
    st.caption(f"{pluralize(sum(now.experiments.values()), 'experiment')}: {', '.join(states) or 'none'}{paused}.")


def _bytes(number: int) -> str:
    for unit, name in _UNITS:
        if number >= unit:
            return f"{number / unit:,.1f} {name}"
    return pluralize(number, "byte")
