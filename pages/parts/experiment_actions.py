"""What can be done with experiments: at once, on another page, or after a question."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import streamlit as st

from ensembles.errors import NotFound
from ensembles.reports.formatting import pluralize
from pages.parts.address import place
from pages.parts.links import open_comparison, open_new, open_results
from pages.parts.live import ask_anew
from pages.parts.notice import leave_notice
from pages.parts.rights import rights_to, rights_to_all
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from storage import ExperimentRecord

__all__ = ["ACTIONS", "QUESTION", "act", "actions_for", "cancel", "draw_bar", "draw_menu", "told_of"]

QUESTION = "experiments_question"
ACTIONS = {
    "open": ":material/open_in_new: Open",
    "resume": ":material/resume: Resume",
    "retry": ":material/replay: Retry failed trials",
    "extend": ":material/add_chart: Extend",
    "clone": ":material/content_copy: Clone",
    "rename": ":material/edit: Rename",
    "annotate": ":material/notes: Notes and tags",
    "star": ":material/star: Give a star",
    "unstar": ":material/star: Take the star",
    "archive": ":material/archive: Archive",
    "restore": ":material/unarchive: Take out of the archive",
    "show": ":material/visibility: Who sees it",
    "pause": ":material/pause: Pause",
    "unpause": ":material/play_arrow: Go on",
    "priority": ":material/low_priority: Priority",
    "cancel": ":material/block: Cancel",
    "delete": ":material/delete: Delete",
}
_FEWEST = 2  # experiments that can be compared


def actions_for(record: ExperimentRecord) -> list[str]:
    """Return what who looks at an experiment can do with it as it stands."""
    left_out = {"archive" if record.archived else "restore", "star" if record.starred else "unstar"}
    left_out.add("pause" if record.paused else "unpause")
    if record.is_final:
        left_out |= {"cancel", "pause", "unpause", "priority"}
    if store().actor.kind != "user":
        left_out.add("show")
    if not record.is_final or record.state == "finished" or record.is_impossible:
        left_out.add("resume")
    if not record.is_final or not record.failed:
        left_out.add("retry")
    if record.unreadable is not None:
        left_out |= {"open", "clone", "extend", "resume", "retry"}
    rights = rights_to(record)
    if not rights.may_launch:
        left_out |= {"clone", "extend"}
    if not rights.may_change:
        left_out |= ACTIONS.keys() - {"open", "clone", "extend"}
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
    if action == "extend":
        open_new(extend=ids[0])
    if action in _DONE:
        archived = {"archive": True, "restore": False}.get(action)
        with show_errors():
            if action in ("resume", "retry"):
                store().reopen_experiment(ids[0], retry=action == "retry")
            elif action == "pause":
                store().pause_experiment(ids[0])
            elif action == "unpause":
                store().resume_experiment(ids[0])
            else:
                store().mark_experiments(ids, starred=_STARS.get(action), archived=archived)
        ask_anew()
        leave_notice(told_of(records, _DONE[action]))
    elif action == "cancel" and _seconds_left(records) <= _WORTH_ASKING:
        cancel(records)
    else:
        st.session_state[QUESTION] = (action, tuple(records), place())
    st.rerun()


_DONE = {
    "archive": "is in the archive now; *Archived* shows it",
    "restore": "is out of the archive",
    "star": "has a star now",
    "unstar": "has no star any more",
    "resume": "goes on with what is missing",
    "pause": "pauses; what has ended stays",
    "unpause": "goes on when it is its turn",
    "retry": "tries again what failed",
}
_OF_SEVERAL = {"is": "are", "has": "have"}
_STARS = {"star": True, "unstar": False}
_WORTH_ASKING = 60.0  # seconds of work that would be lost


def _seconds_left(records: Sequence[ExperimentRecord]) -> float:
    """Return how much work is left of what runs, as far as can be told."""
    return sum(_work_left(record) for record in records if record.state == "running")


def _work_left(record: ExperimentRecord) -> float:
    if record.seconds_left is not None:
        return record.seconds_left
    if not record.done or not record.total or record.started is None:
        return 0.0
    took = (datetime.now(UTC) - record.started).total_seconds()
    return took * (record.total - record.done) / record.done


def cancel(records: Sequence[ExperimentRecord]) -> None:
    """Ask for the end of experiments, and say so."""
    active = []
    with show_errors():
        for record in records:
            with suppress(NotFound):  # deleted elsewhere, which cancelled it
                if not record.is_final:
                    store().request_cancel(record.id)
                    active.append(record)
    ask_anew()
    leave_notice(told_of(active, "is being cancelled; finished trials stay") if active else "Nothing of it was running")


def draw_menu(record: ExperimentRecord) -> None:
    """Draw, on the page of an experiment, what can be done with it besides what has a button there."""
    elsewhere = ("open", "clone", "cancel", "delete")
    actions = [name for name in actions_for(record) if name not in elsewhere]
    if not actions:
        return
    if chosen := st.menu_button("More", actions, format_func=ACTIONS.__getitem__, key="results_more"):
        act(chosen, [record])


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
        may_change = rights_to_all(ticked).may_change
        shelf = "restore" if all(record.archived for record in ticked) else "archive"
        for action, label, icon in (
            ("tag", "Tag", "sell"),
            ("star", "Star", "star"),
            (shelf, "Take out of the archive" if shelf == "restore" else "Archive", "archive"),
            ("cancel", "Cancel", "block"),
            ("delete", "Delete", "delete"),
        ):
            is_offered = may_change and not (action == "cancel" and all(record.is_final for record in ticked))
            if is_offered and st.button(label, icon=f":material/{icon}:", key=f"experiments_bar_{action}"):
                chosen = action
    if chosen:
        act(chosen, ticked)


def told_of(records: Sequence[ExperimentRecord], words: str) -> str:
    """Return a sentence about experiments, by the words that follow the name of one: of several, how many they are."""
    if len(records) == 1:
        return f"{escape_markdown(records[0].name)} {words}"
    verb, space, rest = words.partition(" ")
    return f"{pluralize(len(records), 'experiment')} {_OF_SEVERAL.get(verb, verb)}{space}{rest}"
