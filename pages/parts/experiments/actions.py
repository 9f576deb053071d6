"""What can be done with experiments: at once, on another page, or after a question."""

from collections.abc import Sequence

import streamlit as st

from ensembles.reports.formatting import pluralize
from pages.parts.links import open_comparison, open_new, open_results
from pages.parts.live import ask_anew
from pages.parts.notice import leave_notice
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from storage import ExperimentRecord

__all__ = ["ACTIONS", "QUESTION", "act", "actions_for", "draw_bar"]

QUESTION = "experiments_question"
ACTIONS = {
    "open": ":material/open_in_new: Open",
    "clone": ":material/content_copy: Clone",
    "rename": ":material/edit: Rename",
    "annotate": ":material/notes: Notes and tags",
    "archive": ":material/archive: Archive",
    "restore": ":material/unarchive: Take out of the archive",
    "cancel": ":material/block: Cancel",
    "delete": ":material/delete: Delete",
}
_FEWEST = 2  # experiments that can be compared


def actions_for(record: ExperimentRecord) -> list[str]:
    """Return what can be done with one experiment as it stands."""
    left_out = {"cancel" if record.is_final else "", "archive" if record.archived else "restore"}
    return [name for name in ACTIONS if name not in left_out]


def act(action: str, records: Sequence[ExperimentRecord]) -> None:
    """Do what was chosen; questions are asked by the page, as they stay open when it is drawn again."""
    ids = [record.id for record in records]
    if action == "open":
        open_results(ids[0])
    if action == "clone":
        open_new(clone=ids[0])
    if action == "compare":
        open_comparison(ids)
    if action in ("archive", "restore", "star"):
        archived = {"archive": True, "restore": False}.get(action)
        with show_errors():
            store().mark_experiments(ids, starred=True if action == "star" else None, archived=archived)
        ask_anew()
        leave_notice(f"{_called(records)} {_DONE[action]}")
    elif action == "cancel":
        cancel(records)
    else:
        st.session_state[QUESTION] = (action, tuple(records))
    st.rerun()


_DONE = {
    "archive": "put into the archive; *Archived* shows it",
    "restore": "taken out of the archive",
    "star": "given a star",
}


def cancel(records: Sequence[ExperimentRecord]) -> None:
    """Ask for the end of experiments, and say so."""
    active = [record for record in records if not record.is_final]
    with show_errors():
        for record in active:
            store().request_cancel(record.id)
    ask_anew()
    leave_notice(
        f"{_called(active)} is being cancelled; finished trials stay" if active else "Nothing of it was running"
    )


def draw_bar(ticked: Sequence[ExperimentRecord]) -> None:
    """Draw, at the bottom of the window, what can be done with the experiments that are ticked."""
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", gap="small", key="experiments_bar"):
        st.markdown(f"**{pluralize(len(ticked), 'experiment')}** ticked", width="stretch")
        compare = st.button(
            "Compare",
            type="primary",
            icon=":material/compare_arrows:",
            key="experiments_compare",
            disabled=len(ticked) < _FEWEST,
            help="All results of these experiments as one"
            if len(ticked) >= _FEWEST
            else "Tick two or more to compare them",
        )
        chosen = "compare" if compare else None
        shelf = "restore" if all(record.archived for record in ticked) else "archive"
        for action, label, icon in (
            ("tag", "Tag", "sell"),
            ("star", "Star", "star"),
            (shelf, "Take out of the archive" if shelf == "restore" else "Archive", "archive"),
            ("cancel", "Cancel", "block"),
            ("delete", "Delete", "delete"),
        ):
            if action == "cancel" and all(record.is_final for record in ticked):
                continue
            if st.button(label, icon=f":material/{icon}:", key=f"experiments_bar_{action}"):
                chosen = action
    if chosen:
        act(chosen, ticked)


def _called(records: Sequence[ExperimentRecord]) -> str:
    """Return the name of one experiment, or how many they are."""
    return escape_markdown(records[0].name) if len(records) == 1 else pluralize(len(records), "experiment")
