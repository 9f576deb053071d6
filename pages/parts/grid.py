"""A table of data sets (down) and learners (across) that fits the page and says what people say."""

from collections.abc import Callable

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from ensembles.wording import distinct
from pages.parts.text import escape_markdown

__all__ = ["draw_grid"]

_SHOWN_ROWS = 100


def draw_grid(
    values: pd.DataFrame,
    say: Callable[[float], str],
    *,
    notes: pd.DataFrame | None = None,
    marked: pd.DataFrame | None = None,
    verdicts: pd.DataFrame | None = None,
    signs: pd.DataFrame | None = None,
    rows: str = "Data set",
    alt: str,
) -> None:
    """Draw one number a cell.

    Parameters
    ----------
    values : DataFrame of float
        Rows and columns by the names people read.
    say : callable
        From a number to its words.
    notes : DataFrame of str, optional
        A small second line for each cell.
    marked : DataFrame of bool, optional
        Cells in bold.
    verdicts : DataFrame of str, optional
        Better cells are bold and green, worse ones italic and orange.
    signs : DataFrame of str, optional
        A sign behind each cell.
    rows : str
        What a row is.
    """
    cells = values.map(lambda value: _unbroken(say(value)))
    if marked is not None:
        cells = cells.where(~marked, "**" + cells + "**")
    if verdicts is not None:
        cells = cells.where(verdicts != "better", ":green[**" + cells + "**]")
        cells = cells.where(verdicts != "worse", ":orange[*" + cells + "*]")
    if signs is not None:
        cells = cells + signs
    if notes is not None:
        cells = cells + notes.map(lambda note: f"  \n:small[:gray[{_unbroken(note)}]]" if note else "")
    _draw_cells(cells.rename_axis(rows), alt)


def _draw_cells(cells: pd.DataFrame, alt: str) -> None:
    cells = cells.set_axis(_escaped(cells.index), axis=0).set_axis(_escaped(cells.columns), axis=1)
    st.table(_to_the_right(cells.head(_SHOWN_ROWS)), border="horizontal", alt=alt)
    if len(cells) > _SHOWN_ROWS:
        st.caption(f"The first {_SHOWN_ROWS} of {len(cells):,} rows; all of them are in the numbers.")


def _escaped(names: pd.Index) -> pd.Index:
    """Return names as Markdown that shows them letter by letter; names that differ only in blanks are alike then."""
    return pd.Index(distinct([escape_markdown(name) for name in names]), name=names.name)


def _unbroken(text: str) -> str:
    return escape_markdown(text).replace(" ", "\N{NO-BREAK SPACE}")


def _to_the_right(cells: pd.DataFrame) -> Styler:
    """Return text aligned like numbers; `st.table` sets it to the left unless this is marked as important."""
    right = cells.style.set_properties(None, **{"text-align": "right !important"})
    return right.set_table_styles([{"selector": "th.col_heading", "props": [("text-align", "right !important")]}])
