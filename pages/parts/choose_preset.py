"""Start the form from a preset, which leaves the chosen data sets alone; save what is chosen as one; delete one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from ensembles.data import catalogue
from ensembles.errors import EnsembleLabError
from ensembles.experiments.config import DatasetRef, ExperimentConfig
from ensembles.experiments.presets import BUILT_IN, Preset, comes_along, saved_preset
from pages.parts.draft import Draft, Start
from pages.parts.notice import leave_notice
from pages.parts.store import store
from pages.parts.text import escape_markdown
from storage import DatasetRecord
from storage.access import may_change

__all__ = ["draw_presets", "draw_save_preset", "is_just_opened", "keep_chosen", "with_preset"]

_WIDGET, _CHOSEN, _STARTED, _FROM = "new_preset", "new_chosen", "new_preset_start", "new_preset_from"
_LONGEST_NAME = 60


@dataclass(frozen=True)
class _Started:
    """What the form was filled in with: a preset, if any, the data sets that were chosen, and how often before."""

    preset: str | None
    datasets: tuple[DatasetRef, ...]
    number: int


def with_preset(start: Start, records: Sequence[DatasetRecord]) -> Start:
    """Return the start with the learners, protocol and records of the chosen preset, and the data sets chosen before.

    What comes after the preset counts: a file, say, that the form then starts from, which chooses none.
    """
    if is_just_opened():
        st.session_state.pop(_STARTED, None)
    elif st.session_state.get(_FROM) != start.prefix:
        st.session_state[_STARTED] = st.session_state[_WIDGET] = None
    st.session_state[_FROM] = start.prefix
    started: _Started | None = st.session_state.get(_STARTED)
    if started is None:
        return start
    draft = replace(start.draft, datasets=started.datasets)
    preset = next((one for one in _all() if one.name == started.preset), None)
    if preset is not None:
        filled = Draft.of(preset.config(_most_rows(started.datasets, records)))
        draft = replace(filled, name=start.draft.name, seed=start.draft.seed, datasets=started.datasets)
    return Start(draft, f"{start.prefix}_preset{started.number}", start.problem)


def is_just_opened() -> bool:
    """Return whether the form is drawn for the first time since its page was opened."""
    return _WIDGET not in st.session_state


def keep_chosen(datasets: tuple[DatasetRef, ...]) -> None:
    """Note which data sets are chosen, for a preset that is chosen next."""
    st.session_state[_CHOSEN] = datasets


def draw_presets() -> None:
    """Draw the choice of a preset."""
    presets = {preset.name: preset for preset in _all()}
    st.pills(
        "Start from a preset",
        [*presets],
        format_func=escape_markdown,
        on_change=_start,
        key=_WIDGET,
    )
    if (chosen := st.session_state.get(_WIDGET)) in presets:
        st.caption(presets[chosen].summary)


def draw_save_preset(config: ExperimentConfig | None) -> None:
    """Draw what keeps the learners, protocol and records of an experiment for later, and what deletes those kept.

    Without an experiment that could be launched there is nothing to keep.
    """
    with st.popover("Save as a preset", icon=":material/bookmark_add:"):
        st.caption("Learners, protocol, measures and curves, for any data sets. Everybody here can start from it.")
        name = st.text_input("Name of the preset", max_chars=_LONGEST_NAME, key="new_preset_name").strip()
        if st.button("Save", disabled=not name or config is None, key="new_preset_save") and config is not None:
            _save(name, config)
        actor = store().actor
        deletable = [one.name for one in store().list_presets() if may_change(actor, one.user_id, "launch")]
        if deletable:
            gone = st.selectbox("Saved ones", deletable, index=None, placeholder="Choose one", key="new_preset_own")
            if st.button("Delete", disabled=gone is None, icon=":material/delete:", key="new_preset_delete"):
                _delete(str(gone))


def _save(name: str, config: ExperimentConfig) -> None:
    before = [record.name for record in store().list_presets()]
    try:
        saved = store().save_preset(name, config).name
    except EnsembleLabError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    leave_notice(f"{'Replaced' if saved in before else 'Saved'} the preset {escape_markdown(saved)}")
    st.rerun()


def _delete(name: str) -> None:
    try:
        store().delete_preset(name)
    except EnsembleLabError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    leave_notice(f"Deleted the preset {escape_markdown(name)}")
    st.rerun()


def _all() -> tuple[Preset, ...]:
    saved = [record.readable for record in store().list_presets()]
    return (*BUILT_IN, *(saved_preset(kept) for kept in saved if kept is not None and not comes_along(kept.name)))


def _start() -> None:
    before: _Started | None = st.session_state.get(_STARTED)
    chosen = st.session_state.get(_CHOSEN, ())
    st.session_state[_STARTED] = _Started(st.session_state[_WIDGET], chosen, before.number + 1 if before else 1)


def _most_rows(datasets: Sequence[DatasetRef], records: Sequence[DatasetRecord]) -> int:
    stored = {record.sha256: record.rows for record in records}
    return max((_rows(reference, stored) for reference in datasets), default=0)


def _rows(reference: DatasetRef, stored: dict[str, int]) -> int:
    if reference.key is not None:
        return int(reference.settings.get("rows", catalogue()[reference.key].rows))
    return stored.get(str(reference.sha256), 0)
