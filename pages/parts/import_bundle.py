"""Import an experiment with its data and results, as another installation exported it."""

import streamlit as st

from ensembles.errors import EnsembleLabError
from pages.parts.links import open_results
from pages.parts.live import ask_anew
from pages.parts.store import store
from pages.parts.text import escape_lines
from runner.bundles import import_bundle

__all__ = ["draw_import"]


def draw_import() -> None:
    """Draw the upload of a bundle; once it is imported, its results open."""
    file = st.file_uploader("A bundle (ZIP) as the results page exports it", type=["zip"], key="new_bundle")
    st.caption("Its data sets, trials and results are checked and stored here as a new experiment; nothing is run.")
    if file is None or not st.button("Import", icon=":material/input:", key="new_import"):
        return
    with st.spinner("Checking and storing the bundle"):
        try:
            record = import_bundle(store(), file.getvalue())
        except EnsembleLabError as error:
            st.error(escape_lines(str(error)), icon=":material/error:")
            return
    ask_anew()
    open_results(record.id)
