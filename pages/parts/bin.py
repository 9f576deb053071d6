"""The bin: what was deleted, until when it is kept, and the way back."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import islice
from typing import TypeVar

import streamlit as st

from pages.parts.live import ask_anew, ask_now
from pages.parts.notice import leave_notice
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from storage import DatasetRecord, ExperimentRecord
from storage.experiments.bin import BIN_DAYS

__all__ = ["draw_bin_of_datasets", "draw_bin_of_experiments"]

_Record = TypeVar("_Record", ExperimentRecord, DatasetRecord)
_MOST_SHOWN = 50


def draw_bin_of_experiments() -> None:
    """Draw the experiments that who looks has deleted, if any."""
    with show_errors():
        found = ask_now("bin", lambda storage: storage.list_bin()).experiments
    _draw({one.id: one for one in found}, "experiments", lambda key: store().restore_experiment(key))


def draw_bin_of_datasets() -> None:
    """Draw the data sets that who looks has deleted, if any."""
    with show_errors():
        found = ask_now("bin", lambda storage: storage.list_bin()).datasets
    _draw({one.sha256: one for one in found}, "datasets", lambda key: store().restore_dataset(key))


def _draw(records: Mapping[str, _Record], page: str, restore: Callable[[str], object]) -> None:
    if not records:
        return
    with st.expander(f"Bin ({len(records):,})", icon=":material/delete:", key=f"{page}_bin"):
        for key, record in islice(records.items(), _MOST_SHOWN):
            with st.container(horizontal=True, vertical_alignment="center"):
                gone = record.deleted and format_datetime(record.deleted + timedelta(days=BIN_DAYS))
                st.markdown(f"{escape_markdown(record.name)} :small[:gray[gone for good {gone}]]", width="stretch")
                if st.button("Restore", icon=":material/restore_from_trash:", key=f"{page}_restore_{key}"):
                    with show_errors():
                        restore(key)
                    ask_anew()
                    leave_notice(f"{escape_markdown(record.name)} is back")
                    st.rerun()
