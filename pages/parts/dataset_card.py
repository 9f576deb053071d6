"""The card of one data set: what it holds, where it comes from, and what can be done with it."""

from functools import partial
from typing import Any

import streamlit as st

from ensembles.data import CatalogueEntry
from ensembles.data.spreadsheets import to_csv
from ensembles.errors import NotFound
from ensembles.experiments.dataset_ref import content_of
from ensembles.registry import within_sentence
from ensembles.reports.formatting import pluralize
from pages.parts.address import end_nowhere
from pages.parts.apart import dialog
from pages.parts.dataset_catalogue import draw_way_back
from pages.parts.dataset_facts import facts_of
from pages.parts.dataset_library import Place, find_entry, find_record, forget_all, load_by_ref
from pages.parts.dataset_views import draw_views
from pages.parts.experiment_rows import draw_experiment
from pages.parts.links import DATASETS, RESULTS, open_new, open_section
from pages.parts.live import count_now, experiments_now
from pages.parts.notice import leave_notice
from pages.parts.rights import rights_to_dataset
from pages.parts.settings import draw_settings
from pages.parts.sign_in import draw_ways_in
from pages.parts.store import later, show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from pages.parts.visibility import choose_visibility, owner_badges
from storage import DatasetRecord, Wanted
from storage.experiments.bin import BIN_DAYS

__all__ = ["draw_card"]

_QUESTION = "datasets_question"
_SAMPLED = (
    "This file is read in batches where it lies. What is shown below is **sampled**: {} of its examples, spread evenly over "
    "the file. The numbers above, and which categories and classes there are, are those of the whole file. Learners that "
    "draw numbers draw others than on the same table uploaded, so their results differ as from one seed to another."
)
_MOST_USES = 10
_MOST_COMPARED = 50


def draw_card(ref: str) -> None:
    """Draw the card of a data set by catalogue key or content hash."""
    entry, record = find_entry(ref), find_record(ref)
    known = record or entry
    if known is None:
        end_nowhere("Data sets", NotFound("this data set does not exist, or not any more"), DATASETS, "All data sets")
    reads = store().actor.may("read")
    if reads:
        draw_way_back(stored=entry is None)
    title, actions = st.columns([2, 3], vertical_alignment="bottom")
    title.title(escape_markdown(known.name), anchor=False)
    settings = _draw_stream(entry)
    place: Place = (ref, tuple(sorted(settings.items())))
    size = st.empty()
    if record:  # of a large one there is something to read while it is read
        size.caption(_size(record.rows, record.nominal + record.numeric, record.classes, record.missing_cells))
    with show_errors():
        facts = facts_of(place)
    if not record:
        missing = int(facts.attributes["Missing"].sum())
        size.caption(_size(facts.n_examples, len(facts.attributes), len(facts.classes), missing))
    with actions.container(horizontal=True, horizontal_alignment="right"):
        _draw_download(place, known.name, is_sample=bool(record and record.in_batches))
        if record and rights_to_dataset(record).may_change:
            _draw_questions(record)
        if store().actor.may("launch") and st.button(
            "Use in a new experiment", icon=":material/add_circle:", type="primary", key="datasets_use"
        ):
            open_new(dataset=ref, settings=settings)
        if not reads:
            draw_ways_in("secondary")
    if record and record.in_batches:
        st.info(_SAMPLED.format(f"{facts.n_examples:,}"), icon=":material/blur_on:")
    _draw_origin(entry, record)
    with show_errors():
        draw_views(facts, place)
    if reads:
        _draw_uses(ref)


def _size(n: int, n_attributes: int, n_classes: int, missing: int) -> str:
    """Return how large it is."""
    cells = n * n_attributes
    return " · ".join(
        (
            pluralize(n, "example"),
            pluralize(n_attributes, "attribute"),
            pluralize(n_classes, "class", "classes"),
            f"{pluralize(missing, 'missing value')} ({missing / cells:.1%})" if missing else "no missing values",
        )
    )


def _draw_origin(entry: CatalogueEntry | None, record: DatasetRecord | None) -> None:
    if entry:
        st.caption(
            escape_markdown(f"{entry.citation}. Licence: {entry.licence}. Used in: {entry.used_in}. {entry.note}")
        )
    elif record:
        used = f"used in {pluralize(record.experiments, 'experiment')}" if record.experiments else "not used yet"
        source = f"Source: {record.source}. " if record.source else ""
        st.caption(escape_markdown(f"{source}Added {format_datetime(record.created)}, {used}."))
        if badges := owner_badges(record):
            st.markdown(" ".join(badges))


def _draw_stream(entry: CatalogueEntry | None) -> dict[str, Any]:
    """Draw the settings of a generated data set but for its size, and return those that differ from the defaults."""
    if entry is None or not entry.settings:
        return {}
    parameters = [parameter for parameter in entry.settings if parameter.name != "rows"]
    kept, key = f"datasets_settings_{entry.key}", f"datasets_{entry.key}"
    if f"{key}_{parameters[0].name}" not in st.session_state:  # when a card is left, Streamlit forgets its widgets
        st.session_state[f"{kept}_began"] = st.session_state.get(kept, {})
    began: dict[str, Any] = st.session_state.get(f"{kept}_began", {})
    settings: dict[str, Any] = {}
    with st.expander("Settings of this stream", icon=":material/tune:", expanded=bool(began)):
        for first in range(0, len(parameters), 3):  # row by row, so that they follow each other on a phone, too
            for column, parameter in zip(st.columns(3), parameters[first : first + 3], strict=False):
                with column:
                    settings |= draw_settings(entry.key, [parameter], began, key=key)
    st.session_state[kept] = settings
    return settings


def _draw_download(place: Place, name: str, *, is_sample: bool) -> None:
    """Draw the buttons that write the data set, when they are pressed and if it is still there, with the class last."""
    name = name.replace('"', "'")  # in names of files Streamlit writes it as %22
    name = f"{name} (sample)" if is_sample else name
    with st.popover("Download the sample" if is_sample else "Download", icon=":material/download:"):
        for label, write, mime, said_of_it in (
            ("CSV", _as_csv, "text/csv", "Text that a spreadsheet would run as a formula gets an apostrophe."),
            ("Parquet", _as_parquet, "application/octet-stream", "Every value as it is stored."),
        ):
            st.download_button(
                label,
                later(partial(write, place)),
                file_name=f"{name}.{label.lower()}",
                mime=mime,
                help=said_of_it,
                on_click="ignore",
                key=f"datasets_download_{label}",
            )


def _as_csv(place: Place) -> bytes:
    return to_csv(load_by_ref(*place).to_frame()).encode()


def _as_parquet(place: Place) -> bytes:
    return bytes(load_by_ref(*place).to_frame().to_parquet(index=False))


def _draw_uses(ref: str) -> None:
    """Draw links to the experiments with this data set, the latest first."""
    wanted = Wanted(words=(("dataset", content_of(ref)),), archived=None)
    with show_errors():
        latest, total = experiments_now(wanted, _MOST_USES), count_now(wanted)
    if latest:
        st.header("Used in", anchor=False)
        for record in latest:
            draw_experiment(record)
        if total > _MOST_USES:
            st.caption(f"and in {pluralize(total - _MOST_USES, 'earlier experiment')}")
        _draw_comparisons(ref)


def _draw_comparisons(ref: str) -> None:
    """Draw links to all results on this data set as one, for each kind of protocol."""
    with show_errors():
        used = experiments_now(Wanted(words=(("dataset", content_of(ref)),)), _MOST_COMPARED)
    kinds: dict[str, list[str]] = {}
    for record in used:
        if record.readable is not None and record.done > record.failed:
            kinds.setdefault(record.readable.protocol.name, []).append(record.id)
    for kind, ids in kinds.items():
        st.page_link(
            RESULTS,
            label=f"All results on this data set: {within_sentence(kind)}, {pluralize(len(ids), 'experiment')}",
            icon=":material/compare_arrows:",
            query_params={"experiments": ",".join(ids), "on": ref},
        )


def _draw_questions(record: DatasetRecord) -> None:
    """Draw what renames and deletes a stored data set, and the question that one of them asks; it stays until answered."""
    used = record.experiments
    reason = f"Used in {pluralize(used, 'experiment')}: to be deleted first." if used else None
    if st.button("Rename", icon=":material/edit:", key="datasets_rename"):
        st.session_state[_QUESTION] = ("rename", record.sha256)
    if st.button("Delete", icon=":material/delete:", help=reason, disabled=bool(used), key="datasets_delete"):
        st.session_state[_QUESTION] = ("delete", record.sha256)
    if store().actor.kind == "user" and st.button("Who sees it", icon=":material/visibility:", key="datasets_show"):
        st.session_state[_QUESTION] = ("show", record.sha256)
    question, about = st.session_state.get(_QUESTION, ("", ""))
    if about == record.sha256:
        {"rename": _ask_name, "show": _ask_visibility, "delete": _confirm_delete}[question](record)


def _forget_question() -> None:
    st.session_state.pop(_QUESTION, None)


@dialog("Rename the data set", on_dismiss=_forget_question)
def _ask_name(record: DatasetRecord) -> None:
    with st.form("datasets_rename_form", border=False):
        name = st.text_input("New name", value=record.name, max_chars=200)
        renamed = st.form_submit_button("Rename", type="primary")
    if renamed:
        with show_errors():
            store().rename_dataset(record.sha256, name)
        _forget_question()
        leave_notice(f"Renamed to {escape_markdown(name)}")
        st.rerun()


@dialog("Who sees it", on_dismiss=_forget_question)
def _ask_visibility(record: DatasetRecord) -> None:
    wanted = choose_visibility(record.name, record.visibility, key="datasets_visibility")
    if st.button("Save", type="primary", key="datasets_visibility_save"):
        with show_errors():
            store().set_dataset_visibility(record.sha256, wanted)
        _forget_question()
        st.rerun()


@dialog("Delete this data set?", on_dismiss=_forget_question)
def _confirm_delete(record: DatasetRecord) -> None:
    size = pluralize(record.rows, "example")
    st.text(f"{record.name}, {size}, goes to the bin for {BIN_DAYS} days. You can take it back from there.")
    if st.button("Delete", type="primary", icon=":material/delete:", key="datasets_delete_confirm"):
        with show_errors():
            store().delete_dataset(record.sha256)
        forget_all()
        _forget_question()
        leave_notice(f"{escape_markdown(record.name)} is in the bin")
        open_section("Yours")
