"""What all rows of the table of experiments have in common: widths, and a cell."""

import streamlit as st

from pages.parts.text import escape_markdown

__all__ = ["DATE_WIDTH", "ERROR_WIDTH", "MENU_WIDTH", "SHARES", "TIME_WIDTH", "draw_cell"]

SHARES = (1.0, 1.36)  # of the width: what an experiment is, and how it went
ERROR_WIDTH, TIME_WIDTH, DATE_WIDTH, MENU_WIDTH = 140, 84, 98, 96  # pixels


def draw_cell(words: str, below: str = "", *, width: int) -> None:
    """Draw text of a user, and smaller below it some more."""
    with st.container(width=width, gap="xxsmall"):
        st.markdown(escape_markdown(words) + (f"  \n:small[:gray[{escape_markdown(below)}]]" if below else ""))
