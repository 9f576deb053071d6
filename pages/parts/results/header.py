"""The head of an experiment: its name, what can be done with it, how it stands, one line of facts."""

from functools import partial

import streamlit as st

from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.formatting import pluralize
from ensembles.reports.members import members_that_voted
from ensembles.reports.program import notebook, script
from ensembles.reports.tables import summary_table, to_csv, trial_table
from pages.parts.address import address_query
from pages.parts.chart import draw_download
from pages.parts.experiment_actions import act, draw_menu
from pages.parts.experiment_rows import draw_state, trials_done
from pages.parts.links import EXPERIMENTS, open_new
from pages.parts.results.load import load_results
from pages.parts.results.share import draw_share
from pages.parts.rights import rights_to
from pages.parts.sign_in import draw_ways_in
from pages.parts.store import later, show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from runner.bundles import write_bundle
from runner.exports import export_results, reads_curves, state_notes
from storage import ExperimentRecord

__all__ = ["draw_header", "draw_status", "file_stem"]

#: What programs and bundles lack of data that no catalogue has.
_BESIDE = " Program and notebook read what was uploaded from the folder `data` of the bundle, unpacked beside them."
_IN_BATCHES = " A file that is read in batches is not in it: there the same file has to be added, too."


def draw_header(record: ExperimentRecord, *, is_alone: bool = False) -> None:
    """Draw the name of the experiment and what who looks at it can do with it; nothing of that where it stands alone."""
    if is_alone:
        st.title(escape_markdown(record.name), anchor=False)
        return
    reads = store().actor.may("read")
    if reads:
        st.page_link(EXPERIMENTS, label="Experiments", icon=":material/arrow_back:")
    title, actions = st.columns([4, 5], vertical_alignment="bottom")
    title.title(escape_markdown(record.name), anchor=False)
    with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall", key="results_actions"):
        if reads:
            _draw_actions(record)
        else:
            draw_ways_in("secondary")


def draw_status(record: ExperimentRecord) -> None:
    """Draw the line under the name: the state and the facts."""
    with show_errors():
        results = load_results(record)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        draw_state(record)
        st.caption(escape_markdown(_facts(record, results)))


def file_stem(record: ExperimentRecord) -> str:
    """Return the name of the experiment as the beginning of a file name."""
    return formatting.file_stem(record.name) or "experiment"


def _draw_actions(record: ExperimentRecord) -> None:
    draw_share([record])
    with st.popover("Export", icon=":material/download:"), st.container(width=360):
        _draw_exports(record)
    rights = rights_to(record)
    if rights.may_launch and st.button(
        "Clone", icon=":material/content_copy:", key="results_clone", help="Start a new experiment from this one"
    ):
        open_new(clone=record.id)
    is_active = record.state in {"waiting", "running"}
    if rights.may_change and is_active and st.button("Cancel", icon=":material/block:", key="results_cancel"):
        act("cancel", [record])
    draw_menu(record)


def _draw_exports(record: ExperimentRecord) -> None:
    stem = file_stem(record)
    draw_download(
        "Summary (CSV)",
        lambda: to_csv(summary_table(_load(record))),
        f"{stem}-summary.csv",
        key="export_summary",
    )
    draw_download(
        "Every trial (CSV)",
        lambda: to_csv(trial_table(_load(record))),
        f"{stem}-trials.csv",
        key="export_trials",
    )
    for label, form, ending, mime in (
        ("Report with figures (HTML)", "html", "html", "text/html"),
        ("Tables with significance (LaTeX)", "latex", "tex", "application/x-tex"),
    ):
        draw_download(
            label,
            partial(_exported, record, form),
            f"{stem}.{ending}",
            key=f"export_{form}",
            mime=mime,
        )
    draw_download(
        "Experiment (YAML)", record.document.to_yaml, f"{stem}.yaml", key="export_yaml", mime="application/yaml"
    )
    _draw_shared(record, stem)
    st.caption("Link to this page")
    st.code(f"{st.context.url or ''}?{address_query()}", language=None, wrap_lines=True)


def _draw_shared(record: ExperimentRecord, stem: str) -> None:
    """Draw what runs the experiment again, and what holds all of it."""
    for label, write, ending, mime in (
        ("Python program", script, "py", "text/x-python"),
        ("Notebook (Jupyter)", notebook, "ipynb", "application/x-ipynb+json"),
    ):
        draw_download(label, partial(write, record.document), f"{stem}.{ending}", key=f"export_{ending}", mime=mime)
    st.caption(
        "The YAML file runs again, here or on the command line; the program and the notebook run it in Python. All of "
        "them give the same numbers." + (_BESIDE if _is_uploaded(record.config) else "")
    )
    st.download_button(
        "Bundle (ZIP)",
        later(partial(_bundled, record)),
        file_name=f"{stem}.zip",
        mime="application/zip",
        icon=":material/folder_zip:",
        on_click="ignore",
        key="results_download_export_bundle",
    )
    st.caption(
        "Experiment, data and results in one file, which another installation imports under New experiment."
        + (_IN_BATCHES if _is_uploaded(record.config) and isinstance(record.config.protocol, Prequential) else "")
    )


def _is_uploaded(config: ExperimentConfig) -> bool:
    return any(reference.sha256 is not None for reference in config.datasets)


def _bundled(record: ExperimentRecord) -> bytes:
    return write_bundle(store(), record.id)


def _exported(record: ExperimentRecord, form: str) -> str:
    present = store().get_experiment(record.id)
    results = load_results(present, with_curves=reads_curves(form, record.config))
    return export_results(results, form, find_stored=store().open_dataset, notes=state_notes(present)).decode()


def _load(record: ExperimentRecord) -> Results:
    """Return the results as they stand when a file is asked for, which may be long after the page was drawn.

    Raises
    ------
    NotFound
        The experiment was deleted meanwhile.
    """
    return load_results(store().get_experiment(record.id))


def _facts(record: ExperimentRecord, results: Results) -> str:
    """Return data sets, learners, protocol, members, seed, trials, duration and when, in one line."""
    config = record.config
    parts = [
        pluralize(len(config.datasets), "data set"),
        pluralize(len(config.learners), "learner"),
        config.protocol.sentence,
        _members([learner.n_members for learner in config.learners if learner.method != "single"], results),
        f"seed {config.seed}",
        trials_done(record) if record.is_final else "",
        _when(record),
    ]
    return " · ".join(part for part in parts if part)


def _when(record: ExperimentRecord) -> str:
    """Return when an experiment ended, or, before that, was launched; of one that ran elsewhere, when it came."""
    if record.finished is None:
        return f"launched {format_datetime(record.created)}"
    word = "ended" if record.seconds is not None or not record.done else "stored"
    return f"{word} {format_datetime(record.finished)}"


def _members(numbers: list[int], results: Results) -> str:
    """Return how many members the ensembles may have, and how many of them voted where these were fewer."""
    if not numbers:
        return ""
    asked = min(numbers), max(numbers)
    told = f"{formatting.count_range(*asked)} member{'' if asked == (1, 1) else 's'}"
    voted = members_that_voted(results)
    return told if voted is None else f"{told}, of which {formatting.count_range(*voted)} voted"
