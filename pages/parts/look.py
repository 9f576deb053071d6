"""What themes cannot say of the look, in the style of a page."""

import streamlit as st

__all__ = ["draw_look"]

# Streamlit writes white on its accent, which on the dark ground is too light for that; an accent dark enough for white would
# be too dark for the names of chosen segments, which are written in it. Links to the page one is on are no chosen entries of
# a menu, and stand in line with the text around them.
_STYLE = """<style>
[data-testid="stBaseButton-primary"]:not(:disabled), [data-tag], [data-tag] button { color: light-dark(#ffffff, #11171a); }
[data-testid="stPageLink-NavLink"] { position: relative; left: -0.5rem; }
[data-testid="stPageLink-NavLink"]:not(:hover):not(:focus-visible) { background-color: transparent; }
</style>"""


def draw_look() -> None:
    """Draw nothing but the style."""
    st.html(_STYLE)
