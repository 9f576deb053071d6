"""Open what a link shows: asked each time, counted once a visit."""

import streamlit as st

from pages.parts.store import open_store
from storage import Actor, LinkRecord

__all__ = ["open_shared"]

_OPENED = "shared_opened"


def open_shared(token: str, *, signed_in: bool) -> tuple[LinkRecord, Actor]:
    """Return a link and who looks at what it shows.

    Raises
    ------
    Forbidden
        It is unknown, over or revoked, or it needs a sign-in.
    """
    counted: set[str] = st.session_state.setdefault(_OPENED, set())
    opened = open_store().open_link(token, signed_in=signed_in, count=token not in counted)
    counted.add(token)
    return opened
