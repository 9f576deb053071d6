"""What the address of a page says: which view is open, and what to say when it leads nowhere."""

from collections.abc import Sequence
from typing import NoReturn

import streamlit as st

from pages.parts.text import plain

__all__ = ["choose_view", "end_nowhere"]


def choose_view(views: Sequence[str], *, key: str) -> str:
    """Draw the choice of a view, the first one at the start, and return it; the address keeps it as `key`."""
    view: str = st.segmented_control(
        "View",
        views,
        default=views[0],
        required=True,
        key=key,
        bind="query-params",
        label_visibility="collapsed",
    )
    return view


def end_nowhere(title: str, error: Exception, page: str, label: str) -> NoReturn:
    """Say what the address asks for and is not there, show a way out, and end the page."""
    sentence = str(error)
    st.title(title, anchor=False)
    st.error(plain(f"{sentence[:1].upper()}{sentence[1:]}."), icon=":material/link_off:")
    st.page_link(page, label=label, icon=":material/arrow_back:")
    st.stop()
