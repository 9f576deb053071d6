"""What an uploaded table is like: which column is the class, how large classes are, what to know, each with its remedy."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import streamlit as st

from ensembles.data import Preview
from ensembles.data.header import TARGET_NAMES
from ensembles.data.row_choice import RowChoice
from ensembles.data.warnings import DataWarning, class_balance, find_warnings, n_duplicates
from ensembles.reports.formatting import pluralize
from pages.parts.look import side_by_side
from pages.parts.text import escape_markdown
from pages.parts.upload_columns import set_kinds

__all__ = ["draw_checks", "draw_proposal"]

_BINS = 3
_FEW_CLASSES = 10  # are shown whole: seven would be cut in the middle of the last one
_MOST_SHOWN = 12
_TOGGLES = {"leave_out": "leave_out", "shuffle": "shuffled", "unique": "unique"}


class _Upload(NamedTuple):
    """What remedies change: the choices of an upload, by the keys of their widgets."""

    preview: Preview
    target: str | None
    key: str
    marks_key: str


def draw_proposal(preview: Preview, target: str | None) -> None:
    """Say that the class is a proposal where it is one, and why; or that it has to be chosen."""
    if target is None:
        st.info(
            "Choose the class: no column is called so, and the last one does not look like it.", icon=":material/help:"
        )
    elif target == preview.target:
        why = "it is called so" if target.casefold() in TARGET_NAMES else "of where it stands and of what it holds"
        st.caption(
            f":material/lightbulb: {escape_markdown(f'“{target}” is proposed as the class, because {why}')}. "
            "If another column is to be predicted, choose it."
        )


def draw_checks(
    preview: Preview, target: str | None, kinds: Mapping[str, str], *, key: str, marks_key: str
) -> RowChoice:
    """Draw class balance and warnings; return what the remedies do to the rows.

    `marks_key` is the key of the box that says what stands for missing values.
    """
    with side_by_side("upload_checks"):
        balance, warned = st.columns([2, 3], gap="large") if target is not None else (st.container(), st.container())
    if target is not None:
        with balance:
            _draw_balance(preview, target)
    found = find_warnings(preview, target, kinds)
    if (n := _count_duplicates(preview, target, kinds, key)) > 0:
        said = f"{pluralize(n, 'row')} of {preview.rows:,} {'is' if n == 1 else 'are'} the same as an earlier one"
        sentence = f"{said}: what is learned of one is known of the other when it is tested."
        found.append(DataWarning(sentence, "unique", "Keep one of each"))
    upload = _Upload(preview, target, key, marks_key)
    with warned:
        chosen = [one for sentence, own in _by_sentence(found[:_MOST_SHOWN]) for one in _draw(sentence, own, upload)]
        if len(found) > _MOST_SHOWN:
            st.caption(f"And {pluralize(len(found) - _MOST_SHOWN, 'other column')} like these: see the table below.")
    left_out = next((one.columns for one in chosen if one.remedy == "leave_out"), ())
    return RowChoice(left_out, **{_TOGGLES[one.remedy]: True for one in chosen if one.remedy != "leave_out"})


def _by_sentence(found: Sequence[DataWarning]) -> list[tuple[str, list[DataWarning]]]:
    """Return each sentence once, with its remedies."""
    return [(sentence, list(own)) for sentence, own in groupby(found, key=lambda one: one.sentence)]


def _draw_balance(preview: Preview, target: str) -> None:
    table = class_balance(preview, target)
    st.header("Classes", anchor=False)
    st.dataframe(
        table.head(1000),
        hide_index=True,
        height="content" if len(table) <= _FEW_CLASSES else 250,
        column_config={
            "Examples": st.column_config.NumberColumn(format="localized"),
            "Share": st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0),
        },
    )


def _draw(sentence: str, remedies: Sequence[DataWarning], upload: _Upload) -> list[DataWarning]:
    """Draw a sentence and its remedies: a switch for rows, which can be taken back, else buttons; return what is on."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/warning: {escape_markdown(sentence)}")
        return [one for one in remedies if _draw_remedy(one, upload)]


def _draw_remedy(one: DataWarning, upload: _Upload) -> bool:
    key, target = upload.key, upload.target
    if one.remedy == "none":
        return False
    if one.remedy in _TOGGLES:
        return st.toggle(one.label, key=f"{key}_{one.remedy}_{target}")
    own_key = f"{key}_{target}_{one.remedy}_{one.kind}_{'_'.join(one.columns)}"
    if one.remedy == "bins":
        st.button(one.label, on_click=_set_bins, args=(f"{key}_bins_{target}",), key=own_key)
    elif one.remedy == "kind":
        st.button(one.label, on_click=set_kinds, args=(key, one.columns, one.kind), key=own_key)
    else:
        marks = [mark for mark in (*upload.preview.missing_marks, *one.values) if mark]
        if not any("," in mark for mark in marks):  # which stands between marks in the box
            given = (key, one.columns, upload.marks_key, ", ".join(marks))
            st.button(one.label, on_click=_set_marks, args=given, key=own_key)
    return False


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
