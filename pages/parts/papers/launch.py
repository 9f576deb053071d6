"""Run a published table again: its data sets, the button, and the progress of its experiments."""

from collections.abc import Mapping, Sequence

import streamlit as st

from ensembles.data import catalogue
from ensembles.papers import PublishedTable
from ensembles.reports.formatting import pluralize
from pages.parts.address import in_address
from pages.parts.apart import fragment
from pages.parts.experiment_rows import progress_words
from pages.parts.links import DATASETS, RESULTS
from pages.parts.live import ask_anew, ask_now
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from runner.papers import PaperData, find_runs, launch, plan_table
from storage import ExperimentRecord

__all__ = ["draw_run_again", "draw_runs", "draw_scale", "on_the_page"]

_UNUSABLE = "papers_unusable"
_REDRAWS = 10  # of the page, at most, while an experiment runs
_SCALES = {4.0: "Four times", 1.0: "As published", 0.5: "Half", 0.2: "A fifth", 0.1: "A tenth", 0.02: "A fiftieth"}


def draw_scale() -> float:
    """Draw the choice of the scale, kept in the address."""
    return float(
        st.selectbox(
            "Scale",
            list(_SCALES),
            index=list(_SCALES).index(0.1),
            format_func=_SCALES.__getitem__,
            **in_address("scale"),
            help="Share of the published repeats, at least one; what that cannot save is saved in orders. Folds and "
            "examples stay as they are. More repeats than published take our own chance out of the differences.",
            width=200,
        )
    )


def on_the_page(missing: Mapping[str, str]) -> dict[str, str]:
    """Return how to get data sets, by key, in words that hold for a page too."""
    return {key: advice.replace("--data", "--data on the command line") for key, advice in missing.items()}


def draw_run_again(
    table: PublishedTable, scale: float, runs: Mapping[str, ExperimentRecord], missing: Mapping[str, str]
) -> None:
    """Draw the button that launches what has not run, and what data sets, by key with advice, are not here."""
    here = [one for one in table.experiments() if one.dataset.key not in missing]
    left = [one for one in here if one.key not in runs or _can_go_on(runs[one.key])]
    trials = pluralize(sum(one.count_trials(scale) for one in left), "trial")
    if not store().actor.may("launch"):
        return
    rest = "All have run" if all(run.is_final for run in runs.values()) else "Running"
    label = f"Run {trials}" if left else rest if here or runs else "Its data are not here"
    if st.button(label, type="primary", icon=":material/play_arrow:", disabled=not left, key="papers_launch"):
        with st.spinner("Preparing the data sets"), show_errors():
            planned, unusable = plan_table(table, scale, PaperData(store()), [one.dataset.key for one in left])
            for one in planned:
                launch(store(), one)
            ask_anew()
        st.session_state[_UNUSABLE] = (table.key, list(unusable.values()))  # the page is drawn anew at once
        st.rerun()
    _draw_missing(on_the_page(missing))
    launched, sentences = st.session_state.get(_UNUSABLE, ("", []))
    for sentence in sentences if launched == table.key else []:
        st.error(escape_markdown(sentence), icon=":material/error:")


def _can_go_on(run: ExperimentRecord) -> bool:
    return run.is_final and run.total is not None and run.done < run.total


def _draw_missing(missing: Mapping[str, str]) -> None:
    if not missing:
        return
    with st.popover(f"{pluralize(len(missing), 'data set')} not here", icon=":material/cloud_download:"):
        for key, advice in missing.items():
            entry = catalogue().get(key)
            st.markdown(f"**{escape_markdown(entry.name if entry else key)}**: {escape_markdown(advice)}.")
            if entry:
                st.page_link(DATASETS, label=f"Open {escape_markdown(entry.name)}", query_params={"dataset": key})


def draw_runs(table: PublishedTable, scale: float, shown: Mapping[str, ExperimentRecord]) -> None:
    """Draw the experiments behind the table with their progress, every two seconds while one of them runs."""
    active = any(not run.is_final for run in shown.values())
    with st.container(width="stretch" if active else "content"):  # the name of the list is whole in a narrow window
        fragment(_draw_progress, run_every=2.0 if active else None)(table, scale, shown)


def _draw_progress(table: PublishedTable, scale: float, shown: Mapping[str, ExperimentRecord]) -> None:
    with show_errors():
        runs = ask_now(("runs", table.key, scale), lambda storage: find_runs(storage, table.experiments(), scale))
    active = [run for run in runs.values() if not run.is_final]
    if _statuses(runs) != _statuses(shown):
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        if runs:
            with st.popover(pluralize(len(runs), "experiment"), icon=":material/list:"):
                for run in runs.values():
                    st.page_link(RESULTS, label=escape_markdown(run.name), query_params={"experiment": run.id})
                    st.caption(progress_words(run))
        if active:
            done, total = (sum(getattr(run, name) or 0 for run in runs.values()) for name in ("done", "total"))
            stalled = sum(run.is_stalled for run in active)
            words = f"{done:,} of {pluralize(total, 'trial')}" + (f" · {stalled:,} stalled" if stalled else "")
            st.progress(min(done / total, 1.0) if total else 0.0, text=words)


def _statuses(runs: Mapping[str, ExperimentRecord]) -> Sequence[tuple[str, str, int]]:
    return sorted(
        (key, f"{run.state} {run.is_stalled}", _REDRAWS * run.done // (run.total or 1)) for key, run in runs.items()
    )
