"""The one connection of all pages to the database, as who looks at them sees it, and the sentence shown when it refuses."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import streamlit as st

from ensembles.errors import EnsembleLabError, StorageError
from ensembles.folders import data_folder
from pages.parts.text import escape_lines
from pages.parts.who import who_asks
from storage import Actor, Storage, open_storage

__all__ = ["later", "open_store", "show_errors", "store"]

_T = TypeVar("_T")
_asking: ContextVar[Callable[[], Actor] | None] = ContextVar("asking", default=None)


@st.cache_resource(show_spinner=False)
def open_store() -> Storage:
    """Return the storage that every page and every session shares; it acts for the program.

    Presets that earlier releases kept in files beside it are taken over first.
    """
    opened = open_storage()
    try:
        opened.take_over_presets(data_folder() / "presets")
    except StorageError as error:  # they wait for the next start
        logging.getLogger("server").error("presets in files were not taken over: %s", error.detail)
    return opened


def store() -> Storage:
    """Return the storage as who looks at this page sees it.

    Raises
    ------
    Forbidden
        They are locked out.
    """
    opened = open_store()
    actor = (_asking.get() or who_asks(opened))()
    return opened if actor.kind == "program" else opened.acting_as(actor)


def later(write: Callable[[], _T]) -> Callable[[], _T]:
    """Return `write` for a download button: called where Streamlit knows of no session, it still acts for this one."""
    asks = _asking.get() or who_asks(open_store())

    def asked() -> _T:
        token = _asking.set(asks)
        try:
            return write()
        finally:
            _asking.reset(token)

    return asked


@contextmanager
def show_errors() -> Iterator[None]:
    """Show an error that is meant for people as one sentence and end the page there."""
    try:
        yield
    except EnsembleLabError as error:
        message = escape_lines(str(error))
    else:
        return
    st.error(message, icon=":material/error:")
    st.stop()
