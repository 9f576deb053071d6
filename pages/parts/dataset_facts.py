"""What the card of a data set says at first sight; of a large one it is kept, so that nobody waits for its rows."""

from contextlib import suppress

import streamlit as st

from ensembles.errors import EnsembleLabError
from ensembles.reports.dataset_facts import Facts
from pages.parts.dataset_library import Place, find_record, load_by_ref
from pages.parts.store import store
from storage import DatasetRecord

__all__ = ["facts_of", "keep_facts"]

_LARGE = 1_000_000  # cells: what is smaller is read in no time
_kept: set[str] = set()
"""Data sets whose facts are kept, as far as this process knows, or are too many to be."""


@st.cache_data(max_entries=32, show_spinner="Looking at the attributes")
def facts_of(place: Place) -> Facts:
    """Return what is kept of a data set, or else read it and work it out; raises as `load_by_ref`."""
    told = store().get_facts(place[0]) if find_record(place[0]) else None
    if told and (facts := Facts.from_json(told)):
        _kept.add(place[0])
        return facts
    return Facts.of(load_by_ref(*place))


def keep_facts(record: DatasetRecord, facts: Facts) -> None:
    """Keep the facts of a large data set; where that fails the card stands, and whoever draws it next tries again."""
    if record.sha256 in _kept or record.rows * (record.nominal + record.numeric) < _LARGE:
        return
    with suppress(EnsembleLabError):
        store().keep_facts(record.sha256, facts.to_json())
        _kept.add(record.sha256)
