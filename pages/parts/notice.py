"""A sentence about what was just done, kept across the rerun or the change of page that follows."""

import streamlit as st

__all__ = ["draw_notice", "leave_notice"]

_KEY = "notice"


def leave_notice(text: str) -> None:
    """Have `text` (Markdown; names of users escaped by the caller) shown once at the next run of any page."""
    st.session_state[_KEY] = text


def draw_notice() -> None:
    """Show the sentence that was left, if any."""
    text = st.session_state.pop(_KEY, None)
    if text is not None:
        st.toast(text, icon=":material/check:")
