"""What an uploaded table is like: how large its classes are, and what the user should know, each with its remedy."""

from collections.abc import Mapping, Sequence

import streamlit as st

from ensembles.data import Preview
from ensembles.data.row_choice import RowChoice
from ensembles.data.warnings import DataWarning, class_balance, find_warnings, n_duplicates
from ensembles.reports.formatting import pluralize
from pages.parts.text import escape_markdown
from pages.parts.upload_columns import set_kinds

__all__ = ["draw_checks"]

_BINS = 3
_MOST_SHOWN = 12
_TOGGLES = {"leave_out": "leave_out", "shuffle": "shuffled", "unique": "unique"}


def draw_checks(
    preview: Preview, target: str | None, kinds: Mapping[str, str], *, key: str, marks_key: str
) -> RowChoice:
    """Draw class balance and warnings; return what the remedies do to the rows.

    `marks_key` is the key of the box that says what stands for missing values.
    """
    balance, warned = st.columns([2, 3], gap="large") if target is not None else (st.container(), st.container())
    if target is not None:
        with balance:
            _draw_balance(preview, target)
    found = find_warnings(preview, target, kinds)
    if (n := _count_duplicates(preview, target, kinds, key)) > 0:
        said = f"{pluralize(n, 'row')} of {preview.rows:,} {'is' if n == 1 else 'are'} the same as an earlier one"
        sentence = f"{said}: what is learned of one is known of the other when it is tested."
        found.append(DataWarning(sentence, "unique", "Keep one of each"))
    chosen: dict[str, bool] = {}
    left_out: tuple[str, ...] = ()
    with warned:
        for number, one in enumerate(found[:_MOST_SHOWN]):
            if one.remedy == "missing":
                _draw_strangers(one, preview, f"{key}_{target}_{number}", key, marks_key)
                continue
            is_on = _draw_warning(one, f"{key}_{target}_{number}", key, target)
            if is_on and one.remedy == "leave_out":
                left_out = one.columns
            elif is_on:
                chosen[_TOGGLES[one.remedy]] = True
        if len(found) > _MOST_SHOWN:
            st.caption(f"And {pluralize(len(found) - _MOST_SHOWN, 'other column')} like these: see the table below.")
    return RowChoice(left_out, **chosen)


def _draw_balance(preview: Preview, target: str) -> None:
    table = class_balance(preview, target)
    st.header("Classes", anchor=False)
    st.dataframe(
        table.head(1000),
        hide_index=True,
        height="content" if len(table) <= 6 else 250,
        column_config={
            "Examples": st.column_config.NumberColumn(format="localized"),
            "Share": st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0),
        },
    )


def _draw_warning(warning: DataWarning, own_key: str, key: str, target: str | None) -> bool:
    """Draw a sentence and its remedy: a switch for rows, which can be taken back, else a button; return the switch."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/warning: {escape_markdown(warning.sentence)}")
        if warning.remedy in _TOGGLES:
            return st.toggle(warning.label, key=f"{key}_{warning.remedy}_{target}")
        if warning.remedy == "bins":
            st.button(warning.label, on_click=_set_bins, args=(f"{key}_bins_{target}",), key=f"{own_key}_bins")
        else:
            given = (key, warning.columns, warning.kind)
            st.button(warning.label, on_click=set_kinds, args=given, key=f"{own_key}_{warning.kind}")
    return False


def _draw_strangers(warning: DataWarning, preview: Preview, own_key: str, key: str, marks_key: str) -> None:
    """Draw which values keep a column from being numbers, and the button that takes them for missing ones."""
    marks = [mark for mark in (*preview.missing_marks, *warning.values) if mark]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/warning: {escape_markdown(warning.sentence)}")
        if not any("," in mark for mark in marks):  # which stands between marks in the box
            given = (key, warning.columns, marks_key, ", ".join(marks))
            st.button(warning.label, on_click=_set_marks, args=given, key=f"{own_key}_marks")


def _set_marks(key: str, columns: Sequence[str], widget: str, marks: str) -> None:
    st.session_state[widget] = marks
    set_kinds(key, columns, "numeric")


def _set_bins(widget: str) -> None:
    st.session_state[widget] = _BINS


def _count_duplicates(preview: Preview, target: str | None, kinds: Mapping[str, str], key: str) -> int:
    """Count once for each choice of columns."""
    asked = (target, tuple(kinds.items()))
    kept = st.session_state.get(f"{key}_duplicates")
    if kept is None or kept[0] != asked:
        kept = (asked, n_duplicates(preview, target, kinds))
        st.session_state[f"{key}_duplicates"] = kept
    return int(kept[1])
