"""The table of an uploaded table's columns: what each was taken for, and of what kind it shall be."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ensembles.data import Preview
from ensembles.data.attribute_kinds import KINDS
from ensembles.data.dates import DATE_KINDS, holds_dates

__all__ = ["draw_columns", "set_kinds"]

_FIXED = ("Column", "Different values", "Missing", "Examples", "Why")


def draw_columns(preview: Preview, target: str | None, *, key: str) -> dict[str, str]:
    """Draw the table of columns and return the kind of each that is not the class."""
    st.header("Columns", anchor=False)
    st.caption("Nominal: one of a few words. Numeric: a number. Ignore: left out. The kind can be changed.")
    given: dict[str, str] = st.session_state.get(f"{key}_given_kinds", {})
    columns = [column for column in preview.columns if column.name != target]
    dates = any(column.kind != "numeric" and holds_dates(preview.find_reading(column.name)) for column in columns[:200])
    kinds = [*KINDS, *DATE_KINDS] if dates else [*KINDS]
    table = pd.DataFrame(
        {
            "Column": [column.name for column in columns],
            "Kind": pd.Categorical([given.get(column.name, column.kind) for column in columns], [*KINDS, *DATE_KINDS]),
            "Different values": [column.distinct for column in columns],
            "Missing": [column.missing for column in columns],
            "Examples": [" · ".join(column.examples) for column in columns],
            "Why": [column.reason for column in columns],
        }
    )
    edited = st.data_editor(
        table,
        hide_index=True,
        height="content" if len(table) < 12 else 420,
        disabled=list(_FIXED),
        column_config={
            "Kind": st.column_config.SelectboxColumn(options=kinds, required=True, width="small"),
            "Different values": st.column_config.NumberColumn(format="localized"),
            "Missing": st.column_config.NumberColumn(format="localized"),
            "Examples": st.column_config.TextColumn(width="medium"),  # 16 digits would push out why
        },
        # what is given anew is another table: edits of the one before are in it already
        key=f"{key}_columns_{target}_{st.session_state.get(f'{key}_given', 0)}",
    )
    chosen = dict(zip(edited["Column"], edited["Kind"].astype(str), strict=True))
    st.session_state[f"{key}_kinds"] = chosen
    if len(columns) > 2:
        _draw_several([column.name for column in columns], kinds, key)
    return chosen


def set_kinds(key: str, columns: Sequence[str], kind: str) -> None:
    """Give columns another kind at the next run; what was edited by hand stays."""
    chosen: dict[str, str] = st.session_state.get(f"{key}_kinds", {})
    st.session_state[f"{key}_given_kinds"] = chosen | dict.fromkeys(columns, kind)
    st.session_state[f"{key}_given"] = st.session_state.get(f"{key}_given", 0) + 1


def _draw_several(names: Sequence[str], kinds: Sequence[str], key: str) -> None:
    """Let several columns be given one kind at once."""
    with st.popover("Change several columns", icon=":material/checklist:"):
        chosen = st.multiselect("Columns to change", names, key=f"{key}_several")
        kind = st.selectbox("Kind for all of them", kinds, key=f"{key}_several_kind")
        st.button(
            "Change",
            on_click=set_kinds,
            args=(key, chosen, kind),
            disabled=not chosen,
            key=f"{key}_several_change",
        )
