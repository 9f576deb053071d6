"""Experiments: what was launched, live, and what can be done with each."""

from functools import partial

import streamlit as st

from pages.parts.experiment_rows import draw_experiment, watch
from pages.parts.links import NEW_EXPERIMENT, open_new, open_results
from pages.parts.live import ask_anew, newest_experiments
from pages.parts.notice import leave_notice
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from storage import ExperimentRecord

PAGE_SIZE = 10
QUESTION = "experiments_question"
ACTIONS = {
    "open": ":material/open_in_new: Open",
    "clone": ":material/content_copy: Clone",
    "rename": ":material/edit: Rename",
    "cancel": ":material/block: Cancel",
    "delete": ":material/delete: Delete",
}


def draw_list(offset: int, part: str) -> None:
    """Draw one page of the list; when something in it changes but for its progress, the whole page is drawn again."""
    read = partial(newest_experiments, PAGE_SIZE, offset, part)
    with show_errors():
        records = read()
    for record in records:
        with st.container(border=True, key=f"experiments_row_{record.id}"):
            left, right = st.columns([6, 1], vertical_alignment="center")
            with left:
                draw_experiment(record)
            action = right.menu_button(
                "Actions",
                [name for name in ACTIONS if name != "cancel" or not record.is_final],
                format_func=ACTIONS.__getitem__,
                key=f"experiments_action_{record.id}",
                width="stretch",
            )
        if action:
            act(action, record)
    watch(records, read)


def act(action: str, record: ExperimentRecord) -> None:
    """Do what was chosen; questions are asked by the page, as they stay open when it is drawn again."""
    if action == "open":
        open_results(record.id)
    if action == "clone":
        open_new(clone=record.id)
    if action == "cancel":
        with show_errors():
            store().request_cancel(record.id)
        ask_anew()
        leave_notice(f"{escape_markdown(record.name)} is being cancelled; finished trials stay")
    else:
        st.session_state[QUESTION] = (action, record)
    st.rerun()


def forget_question() -> None:
    """Close the question."""
    st.session_state.pop(QUESTION, None)


@st.dialog("Rename the experiment", on_dismiss=forget_question)
def ask_name(record: ExperimentRecord) -> None:
    """Ask for a new name."""
    with st.form("experiments_rename", border=False):
        name = st.text_input("Name", value=record.name, max_chars=200)
        renamed = st.form_submit_button("Rename", type="primary")
    if renamed:
        with show_errors():
            store().rename_experiment(record.id, name)
        ask_anew()
        forget_question()
        st.rerun()


@st.dialog("Delete this experiment?", on_dismiss=forget_question)
def ask_delete(record: ExperimentRecord) -> None:
    """Ask before an experiment is deleted."""
    st.text(f"{record.name} and its results are deleted. Links to it stop working. This cannot be undone.")
    if st.button("Delete", type="primary", icon=":material/delete:", key="experiments_delete_confirm"):
        with show_errors():
            store().delete_experiment(record.id)
        ask_anew()
        forget_question()
        leave_notice(f"Deleted {escape_markdown(record.name)}")
        st.rerun()


title, new = st.columns([3, 1], vertical_alignment="bottom")
title.title("Experiments", anchor=False)
with show_errors():
    total = store().count_experiments()
if total == 0:
    st.info("No experiment yet. Choose data sets and learners, launch, and it appears here.", icon=":material/science:")
    st.page_link(NEW_EXPERIMENT, label="New experiment", icon=":material/add_circle:")
    st.stop()
with new.container(horizontal_alignment="right"):
    st.page_link(NEW_EXPERIMENT, label="New experiment", icon=":material/add_circle:")

part = ""
if total > PAGE_SIZE:
    part = st.text_input(
        "Search",
        key="experiments_search",
        max_chars=200,
        placeholder=f"Search {total:,} experiments by name",
        icon=":material/search:",
        label_visibility="collapsed",
    ).strip()
    if part:
        with show_errors():
            total = store().count_experiments(part)
    if total == 0:
        st.info(f"No experiment has “{escape_markdown(part)}” in its name.", icon=":material/search_off:")
        st.stop()

pages = -(-total // PAGE_SIZE)
page = min(int(st.session_state.get("experiments_page", 1)), pages)
draw_list((page - 1) * PAGE_SIZE, part)
if pages > 1:
    st.pagination(pages, key="experiments_page")

if question := st.session_state.get(QUESTION):
    {"rename": ask_name, "delete": ask_delete}[question[0]](question[1])
