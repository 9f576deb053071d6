"""What the card of a data set says at first sight; of a large one it is kept, so that nobody waits for its rows."""

from contextlib import suppress

import streamlit as st

from ensembles.errors import EnsembleLabError
from ensembles.reports.dataset_facts import Facts
from pages.parts.dataset_library import Place, find_record, load_by_ref
from pages.parts.store import store

__all__ = ["facts_of"]

_LARGE = 1_000_000  # cells: what is smaller is read in no time


@st.cache_data(max_entries=32, show_spinner="Looking at the attributes")
def facts_of(place: Place) -> Facts:
    """Return what is kept of a data set, or else read it, work it out, and keep it if it is large; raises as `load_by_ref`.

    Where it cannot be kept, whoever asks next in another process tries again.
    """
    ref, _ = place
    record = find_record(ref)
    if record and (told := store().get_facts(ref)) and (facts := Facts.from_json(told)):
        return facts
    facts = Facts.of(load_by_ref(*place))
    if record and record.rows * (record.nominal + record.numeric) >= _LARGE:
        with suppress(EnsembleLabError):
            store().keep_facts(ref, facts.to_json())  # at once: of a tab that is closed now nothing else is done
    return facts
