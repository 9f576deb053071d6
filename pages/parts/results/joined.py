"""Results of several experiments as one: what is put together, and what has to be known of it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import streamlit as st

from ensembles.data import catalogue
from ensembles.errors import InvalidInput, NotFound
from ensembles.experiments.joined import Joined, join_results
from ensembles.experiments.results import Results
from ensembles.reports.formatting import and_list, file_stem, pluralize
from ensembles.reports.tables import summary_table, to_csv, trial_table
from ensembles.reports.unasked import unasked_heads
from pages.parts.chart import draw_download
from pages.parts.experiment_rows import state_badge, trials_done
from pages.parts.kept import Kept
from pages.parts.links import EXPERIMENTS, RESULTS
from pages.parts.live import experiment_now
from pages.parts.results.load import load_results, size_of
from pages.parts.results.share import draw_share
from pages.parts.store import store
from pages.parts.text import escape_markdown
from runner.exports import export_results, reads_curves, sources_of
from storage import ExperimentRecord

__all__ = ["MOST_EXPERIMENTS", "MOST_TRIALS", "comparison_stem", "draw_joined_header", "find_experiments", "join"]

MOST_EXPERIMENTS = 50
MOST_TRIALS = 1_000_000
_MOST_BYTES = 2**29
_SHORT_NAMES, _FEW_DATASETS = 60, 3

_Part = tuple[str, str, datetime | None, int, int]


def find_experiments(address: str) -> tuple[list[ExperimentRecord], list[str]]:
    """Return the experiments of an address, and what is to be said of others and of those that are not finished.

    Raises
    ------
    InvalidInput
        There are too many of them, or too many trials.
    NotFound
        None of them exists.
    """
    ids = list(dict.fromkeys(filter(None, re.split(r"[,\s]+", address))))
    if len(ids) > MOST_EXPERIMENTS:
        raise InvalidInput(f"experiments: at most {MOST_EXPERIMENTS} can be compared at once, got {len(ids):,}")
    records, gone = [], 0
    for experiment in ids:
        try:
            records.append(experiment_now(experiment))
        except NotFound:
            gone += 1
    if not records:
        raise NotFound("none of the experiments of this address exists, or not any more")
    if (trials := sum(record.done for record in records)) > MOST_TRIALS:
        raise InvalidInput(f"experiments: at most {MOST_TRIALS:,} trials can be compared at once, got {trials:,}")
    notes = [f"{pluralize(gone, 'experiment')} of this address {'is' if gone == 1 else 'are'} not there any more."]
    return records, [*notes[: min(gone, 1)], *_unfinished(records)]


def join(records: Sequence[ExperimentRecord], on: str | None, *, with_curves: bool | tuple[str, ...]) -> Joined:
    """Return the results of experiments as one; kept as long as no further trial has ended.

    Whether who asks may see them is asked each time.

    Raises
    ------
    InvalidInput
        Their protocols are of different kinds, or none has the data set.
    NotFound
        One of them is not there for who asks.
    """
    for record in records:
        experiment_now(record.id)
    parts = tuple((one.id, one.name, one.started, one.done, one.failed) for one in records)
    ids = tuple(record.id for record in records)
    whole = _kept.get((ids, on, False), parts, lambda: _read(parts, on, False))
    if not with_curves:
        return whole
    found = _kept.get((ids, on, with_curves), parts, lambda: _read(parts, on, with_curves, separate=whole.is_separate))
    curves, means = found.results.curves, found.results.curve_means
    return replace(whole, results=replace(whole.results, curves=curves, curve_means=means))


def draw_joined_header(
    records: Sequence[ExperimentRecord], joined: Joined, notes: Sequence[str], on: str | None, *, is_alone: bool
) -> None:
    """Draw what is put together, what can be done with it unless it stands alone, and what has to be known of it."""
    reads = store().actor.may("read") and not is_alone
    if reads:
        st.page_link(EXPERIMENTS, label="Experiments", icon=":material/arrow_back:")
    title, actions = st.columns([5, 4], vertical_alignment="bottom")
    title.title(escape_markdown(_title(joined.results, on)), anchor=False)
    if reads:
        with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall", key="results_actions"):
            draw_share(records)
            with st.popover("Export", icon=":material/download:"), st.container(width=360):
                _draw_exports(records, joined, notes, on)
    sizes = (len(joined.results.datasets), "data set"), (len(joined.results.learners), "learner")
    facts = [pluralize(*size) for size in (*sizes, (len(joined.results.trials), "trial"))]
    with st.expander(f"{pluralize(len(records), 'experiment')} · {' · '.join(facts)}", icon=":material/stacks:"):
        for record in records:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                name = escape_markdown(record.name)
                if reads:
                    st.page_link(RESULTS, label=name, query_params={"experiment": record.id})
                else:
                    st.markdown(name, width="content")
                about = f"{record.config.protocol.sentence}, seed {record.config.seed}, {trials_done(record)}"
                st.markdown(f"{state_badge(record)} :small[:gray[{escape_markdown(about)}]]")
    if told := [*notes, *joined.notes, *unasked_heads(joined.results)]:
        st.info("  \n".join(map(escape_markdown, told)), icon=":material/info:")


def comparison_stem(records: Sequence[ExperimentRecord], results: Results, on: str | None) -> str:
    """Return what files of a comparison begin with: the experiments where their names are short, else the data."""
    named = f"Comparison of {and_list([record.name for record in records])}"
    if on is None and len(named) <= _SHORT_NAMES:
        return file_stem(named)
    title = _title(results, on)
    return file_stem(title if on is not None else f"{title} on {_data(results)}")


def _data(results: Results) -> str:
    several = len(results.datasets) > _FEW_DATASETS
    return pluralize(len(results.datasets), "data set") if several else and_list(results.datasets)


def _title(results: Results, on: str | None) -> str:
    if on is None or len(results.datasets) != 1:
        return results.config.name
    return f"All results on {catalogue()[on].name if on in catalogue() else results.datasets[0]}"


def _unfinished(records: Sequence[ExperimentRecord]) -> list[str]:
    """Say which experiments may have more to tell than is here."""
    running = sum(not record.is_final for record in records)
    cut = sum(record.state in ("cancelled", "failed") or record.failed > 0 for record in records)
    said = [f"{running:,} still {'runs' if running == 1 else 'run'}"] if running else []
    said += [f"{cut:,} {'was' if cut == 1 else 'were'} cancelled or had failures"] if cut else []
    return [f"What has ended counts: of {pluralize(len(records), 'experiment')} {and_list(said)}."] if said else []


def _draw_exports(records: Sequence[ExperimentRecord], joined: Joined, notes: Sequence[str], on: str | None) -> None:
    results, stem = joined.results, comparison_stem(records, joined.results, on)
    for label, write, ending, mime in (
        ("Summary (CSV)", lambda: to_csv(summary_table(results)), "-summary.csv", "text/csv"),
        ("Every trial (CSV)", lambda: to_csv(trial_table(results)), "-trials.csv", "text/csv"),
        ("Report with figures (HTML)", partial(_report, records, notes, on), ".html", "text/html"),
        (
            "Tables with significance (LaTeX)",
            lambda: export_results(results, "latex").decode(),
            ".tex",
            "application/x-tex",
        ),
    ):
        draw_download(label, write, f"{stem}{ending}", key=f"joined_{ending.strip('-.')}", mime=mime)
    st.caption("Programs, notebooks and bundles are of single experiments: each is opened by its name below.")


def _report(records: Sequence[ExperimentRecord], notes: Sequence[str], on: str | None) -> str:
    """Return the comparison as one HTML file."""
    curves = reads_curves("html", join(records, on, with_curves=False).results.config)
    joined = join(records, on, with_curves=curves)
    results = replace(
        joined.results, config=joined.results.config.model_copy(update={"name": _title(joined.results, on)})
    )
    told = [*notes, *joined.notes]
    page = export_results(results, "html", find_stored=store().open_dataset, sources=sources_of(records), notes=told)
    return page.decode()


def _read(
    parts: tuple[_Part, ...], on: str | None, with_curves: bool | tuple[str, ...], *, separate: bool = False
) -> Joined:
    """Return the results of experiments as one; with curves, without trials: these are kept already, and are large."""
    records = [store().get_experiment(experiment) for experiment, *_ in parts]
    with st.spinner("Reading the curves" if with_curves else "Putting the results together"):
        found = [(one.name, load_results(one, with_curves=with_curves, alone=separate)) for one in records]
        joined = join_results(found, on=on)
    if not with_curves:
        return joined
    return replace(joined, results=replace(joined.results, trials=joined.results.trials.iloc[:0]))


_kept: Kept[Joined] = Kept(_MOST_BYTES, lambda joined: size_of(joined.results))
