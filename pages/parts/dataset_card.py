"""The card of one data set: what it holds, where it comes from, and what can be done with it."""

import streamlit as st

from ensembles.data import CatalogueEntry, Dataset
from pages.parts.dataset_facts import class_counts, distribution
from pages.parts.dataset_library import find_entry, find_record, load_attribute_facts, load_by_ref
from pages.parts.links import DATASETS, open_new
from pages.parts.notice import leave_notice
from pages.parts.store import explained, store
from pages.parts.text import counted, plain, said
from storage import DatasetRecord

__all__ = ["draw_card"]

_QUESTION = "datasets_question"


def draw_card(ref: str) -> None:
    """Draw the card of a data set by catalogue key or content hash."""
    if st.button("All data sets", icon=":material/arrow_back:", type="tertiary", key="datasets_all"):
        st.switch_page(DATASETS, query_params={"shelf": "Catalogue" if find_entry(ref) else "Yours"})
    with explained():
        dataset = load_by_ref(ref)
        entry, record = find_entry(ref), find_record(ref)
    name = record.name if record else dataset.name
    title, actions = st.columns(2, vertical_alignment="center")
    title.title(plain(name), anchor=False)
    with actions.container(horizontal=True, horizontal_alignment="right"):
        if record:
            _draw_rename(record)
            if st.button("Delete", icon=":material/delete:", key="datasets_delete"):
                st.session_state[_QUESTION] = ref
            if st.session_state.get(_QUESTION) == ref:
                _confirm_delete(record)
        if st.button("Use in a new experiment", icon=":material/add_circle:", type="primary", key="datasets_use"):
            open_new(dataset=ref)
    st.caption(_facts(dataset))
    _draw_origin(entry, record)
    left, right = st.columns(2, gap="large")
    with left:
        _draw_attributes(dataset, ref)
    with right:
        _draw_classes(dataset)
        _draw_distribution(dataset, ref)


def _facts(dataset: Dataset) -> str:
    missing = dataset.table.missing_cells
    cells = len(dataset) * len(dataset.attributes)
    return " · ".join(
        (
            counted(len(dataset), "example"),
            counted(len(dataset.attributes), "attribute"),
            counted(len(dataset.classes), "class", "classes"),
            f"{counted(missing, 'missing value')} ({missing / cells:.1%})" if missing else "no missing values",
        )
    )


def _draw_origin(entry: CatalogueEntry | None, record: DatasetRecord | None) -> None:
    if entry:
        st.caption(plain(f"{entry.citation}. Licence: {entry.licence}. Used in: {entry.used_in}."))
    elif record:
        used = f"used in {counted(record.experiments, 'experiment')}" if record.experiments else "not used yet"
        source = f"Source: {record.source}. " if record.source else ""
        st.caption(plain(f"{source}Added {said(record.created)}, {used}."))


def _draw_attributes(dataset: Dataset, ref: str) -> None:
    st.subheader("Attributes", anchor=False)
    st.dataframe(
        load_attribute_facts(ref),
        hide_index=True,
        height="content" if len(dataset.attributes) <= 16 else 600,
        column_config={
            "Kind": st.column_config.Column(help="Nominal: one of a few words. Numeric: a number."),
            "Missing": st.column_config.NumberColumn(format="localized", help="Examples without a value"),
        },
    )
    st.caption(plain(f"The class is in column “{dataset.target}”."))


def _draw_classes(dataset: Dataset) -> None:
    st.subheader("Classes", anchor=False)
    st.dataframe(
        class_counts(dataset),
        hide_index=True,
        height="content" if len(dataset.classes) <= 10 else 300,
        column_config={
            "Examples": st.column_config.NumberColumn(format="localized"),
            "Share": st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0),
        },
    )


def _draw_distribution(dataset: Dataset, ref: str) -> None:
    st.subheader("Distribution of an attribute", anchor=False)
    names = [attribute.name for attribute in dataset.attributes]
    position = st.selectbox(
        "Attribute", range(len(names)), format_func=names.__getitem__, key=f"datasets_attribute_{ref}"
    )
    counts = distribution(dataset, position)
    st.bar_chart(
        counts,
        sort=False,
        x_label=names[position],
        y_label="examples",
        height=300,
        alt=f"Bar chart: number of examples by value of {names[position]} and by class",
    )
    numeric = dataset.attributes[position].kind == "numeric"
    st.caption(
        "Examples by value, stacked by class."
        + (" Each bar of an interval is named by its lower end." if numeric and len(counts) > 20 else "")
    )
    with st.expander("The numbers of this figure", icon=":material/table_rows:"):
        st.dataframe(counts, height="content")


def _draw_rename(record: DatasetRecord) -> None:
    with st.popover("Rename", icon=":material/edit:"), st.form("datasets_rename", border=False):
        name = st.text_input("New name", value=record.name, max_chars=120)
        if st.form_submit_button("Rename", type="primary") and name.strip():
            with explained():
                store().rename_dataset(record.sha256, name.strip())
            leave_notice(f"Renamed to {plain(name)}")
            st.rerun()


def _forget_question() -> None:
    st.session_state.pop(_QUESTION, None)


@st.dialog("Delete this data set?", on_dismiss=_forget_question)
def _confirm_delete(record: DatasetRecord) -> None:
    st.text(f"{record.name}, {counted(record.rows, 'example')}. This cannot be undone.")
    if st.button("Delete", type="primary", icon=":material/delete:", key="datasets_delete_confirm"):
        with explained():
            store().delete_dataset(record.sha256)
        _forget_question()
        leave_notice(f"Deleted {plain(record.name)}")
        st.switch_page(DATASETS)
