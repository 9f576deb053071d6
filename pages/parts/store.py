"""The one connection of all pages to the database, and the sentence shown when it refuses."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ensembles.errors import EnsembleLabError
from pages.parts.text import escape_markdown
from storage import Storage, open_storage

__all__ = ["show_errors", "store"]


@st.cache_resource(show_spinner=False)
def store() -> Storage:
    """Return the storage that every page and every session shares."""
    return open_storage()


@contextmanager
def show_errors() -> Iterator[None]:
    """Show an error that is meant for people as one sentence and end the page there."""
    try:
        yield
    except EnsembleLabError as error:
        message = escape_markdown(str(error))
    else:
        return
    st.error(message, icon=":material/error:")
    st.stop()
