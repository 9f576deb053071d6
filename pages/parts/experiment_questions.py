"""What is asked before something is done with experiments: a name, tags, notes, or whether it is meant."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from ensembles.errors import NotFound
from ensembles.reports.formatting import pluralize, rough_seconds
from pages.parts.address import place
from pages.parts.annotate import draw_annotations, draw_tags
from pages.parts.apart import dialog
from pages.parts.experiment_actions import QUESTION, cancel, told_of
from pages.parts.live import ask_anew
from pages.parts.notice import leave_notice
from pages.parts.store import show_errors, store
from pages.parts.visibility import choose_visibility
from storage import ExperimentRecord
from storage.experiments.bin import BIN_DAYS

__all__ = ["draw_question"]

_NAMED = 5  # in a question
PRIORITIES = {-2: "A quarter", -1: "Half", 0: "Normal", 1: "Twice", 2: "Four times"}
"""How much of the workers an experiment gets, by its priority."""


def draw_question() -> None:
    """Ask what is to be asked, if anything; a question that was left open elsewhere is asked no more."""
    action, records, asked_at = st.session_state.get(QUESTION, (None, (), None))
    if asked_at != place():
        _forget()
    else:
        ask = {
            "rename": _ask_name,
            "annotate": _ask_notes,
            "tag": _ask_tags,
            "delete": _ask_delete,
            "cancel": _ask_cancel,
            "show": _ask_visibility,
            "priority": _ask_priority,
        }
        ask[action](records)


def _forget() -> None:
    st.session_state.pop(QUESTION, None)


def _done(said: str = "") -> None:
    """Close the question, and draw the page as it is now."""
    ask_anew()
    _forget()
    if said:
        leave_notice(said)
    st.rerun()


@dialog("Rename the experiment", on_dismiss=_forget)
def _ask_name(records: Sequence[ExperimentRecord]) -> None:
    [record] = records
    with st.form("experiments_rename", border=False):
        name = st.text_input("Name", value=record.name, max_chars=200)
        renamed = st.form_submit_button("Rename", type="primary")
    if renamed:
        with show_errors():
            store().rename_experiment(record.id, name)
        _done()


@dialog("Notes and tags", width="medium", on_dismiss=_forget)
def _ask_notes(records: Sequence[ExperimentRecord]) -> None:
    if draw_annotations(records[0], key="experiments"):
        _done()


@dialog("Tag experiments", on_dismiss=_forget)
def _ask_tags(records: Sequence[ExperimentRecord]) -> None:
    present = sorted({tag for record in records for tag in record.tags})
    with st.form("experiments_tag", border=False):
        add = draw_tags("Add", key="experiments_add_tags")
        remove = st.pills("Remove", present, selection_mode="multi") if present else []
        saved = st.form_submit_button("Save", type="primary")
    if saved:
        with show_errors():
            store().tag_experiments([record.id for record in records], add=add, remove=remove or ())
        _done(f"Tagged {pluralize(len(records), 'experiment')}")


@dialog("Who sees it", on_dismiss=_forget)
def _ask_visibility(records: Sequence[ExperimentRecord]) -> None:
    [record] = records
    wanted = choose_visibility(record.name, record.visibility, key="experiments_visibility")
    if st.button("Save", type="primary", key="experiments_visibility_save"):
        with show_errors():
            store().set_experiment_visibility(record.id, wanted)
        _done()


@dialog("Priority", on_dismiss=_forget)
def _ask_priority(records: Sequence[ExperimentRecord]) -> None:
    [record] = records
    offered = {number: word for number, word in PRIORITIES.items() if number <= 0 or store().actor.may("administrate")}
    st.caption("Beside a normal one it gets as much more, or less, of the workers.")
    chosen = st.segmented_control(
        "Priority",
        sorted({*offered, record.priority}),
        default=record.priority,
        required=True,
        format_func=PRIORITIES.__getitem__,
        key="experiments_priority",
        label_visibility="collapsed",
    )
    if st.button("Save", type="primary", key="experiments_priority_save"):
        if chosen != record.priority:
            with show_errors():
                store().set_priority(record.id, chosen)
        _done()


@dialog("Cancel while it runs?", on_dismiss=_forget)
def _ask_cancel(records: Sequence[ExperimentRecord]) -> None:
    active = [record for record in records if not record.is_final]
    left = max((record.seconds_left or 0.0 for record in active), default=0.0)  # they share the workers
    told = f", about {rough_seconds(left)}" if left else ""
    st.markdown(
        f"More than a minute of work is left{told}. Trials that have finished stay, and *Resume* goes on with the rest."
    )
    if st.button("Cancel the rest", type="primary", icon=":material/block:", key="experiments_cancel_confirm"):
        _forget()
        cancel(active)
        st.rerun()


@dialog("Delete?", on_dismiss=_forget)
def _ask_delete(records: Sequence[ExperimentRecord]) -> None:
    several = len(records) > 1
    names = [record.name for record in records[:_NAMED]]
    if len(records) > _NAMED:
        names.append(f"and {pluralize(len(records) - _NAMED, 'other')}")
    st.text("\n".join(names))
    what = f"These {len(records):,} experiments and their results go" if several else "It goes, with its results,"
    back = "them" if several else "it"
    st.text(f"{what} to the bin for {BIN_DAYS} days. You can take {back} back from there; links rest meanwhile.")
    if st.button("Delete", type="primary", icon=":material/delete:", key="experiments_delete_confirm"):
        with show_errors():
            for record in records:
                with suppress(NotFound):  # deleted elsewhere, while this was asked
                    store().delete_experiment(record.id)
        _done(told_of(records, "is in the bin"))
