"""Upload a table: what was recognised, what the user makes of it, and storing it."""

from typing import Any

import pandas as pd
import streamlit as st

from ensembles.data import Preview, build_dataset, preview_file
from ensembles.data.sniffing import DELIMITERS
from ensembles.errors import EnsembleLabError
from pages.parts.dataset_library import find_record
from pages.parts.links import open_dataset
from pages.parts.notice import leave_notice
from pages.parts.store import explained, store
from pages.parts.text import and_list, counted, plain

__all__ = ["draw_upload", "recognised"]

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
_ENCODINGS = {"cp1252": "Windows-1252", "utf_8": "UTF-8"}
_RECOGNISE = "recognise"
_KINDS = ["nominal", "numeric", "ignore"]


def draw_upload() -> None:
    """Draw the upload, step by step; nothing is stored before the last one."""
    generation = st.session_state.setdefault("datasets_upload_generation", 0)
    file = st.file_uploader(
        "A table as a text file, one example a line",
        help="Comma, semicolon, tab or blanks between values; decimal point or comma; with or without a header.",
        key=f"datasets_file_{generation}",
    )
    if file is None:
        st.session_state.pop("datasets_preview", None)
        return
    preview = _preview(file, _draw_layout(f"datasets_{file.file_id}"))
    if preview is None:
        return
    st.caption(plain(recognised(preview)))
    for notice in preview.notices:
        st.info(plain(notice), icon=":material/info:")
    _draw_choices(preview, file.name, key=f"datasets_{file.file_id}")


def recognised(preview: Preview) -> str:
    """Return what was recognised about the file, in one sentence."""
    delimiter = _DELIMITERS.get(preview.delimiter, f"“{preview.delimiter}”")
    encoding = _ENCODINGS.get(preview.encoding, preview.encoding.upper())
    marks = [f"“{mark}”" if mark else "an empty cell" for mark in preview.missing_marks]
    return (
        f"Recognised: {counted(preview.rows, 'row')} of {counted(len(preview.columns), 'column')}, "
        f"separated by {delimiter}, {encoding}, decimal {'comma' if preview.decimal == ',' else 'point'}, "
        f"{'with' if preview.has_header else 'without'} a header, "
        + (f"missing values written as {and_list(marks)}." if marks else "no missing values.")
    )


def _draw_layout(key: str) -> dict[str, Any]:
    """Draw what a user may know better about the file; None is left to recognition."""
    with st.expander("Read it differently", icon=":material/tune:"):
        delimiter, decimal, header = st.columns(3)
        return {
            "delimiter": delimiter.selectbox(
                "Delimiter",
                [None, *DELIMITERS],
                format_func=lambda mark: _DELIMITERS[mark] if mark else _RECOGNISE,
                key=f"{key}_delimiter",
            ),
            "decimal": decimal.selectbox(
                "Decimal mark",
                [None, ".", ","],
                format_func={None: _RECOGNISE, ".": "point", ",": "comma"}.__getitem__,
                key=f"{key}_decimal",
            ),
            "has_header": header.selectbox(
                "First row",
                [None, True, False],
                format_func={None: _RECOGNISE, True: "names of the columns", False: "values"}.__getitem__,
                key=f"{key}_header",
            ),
        }


def _preview(file: Any, layout: dict[str, Any]) -> Preview | None:
    """Return the preview of an uploaded file, read once for each layout; say why when it cannot be used."""
    wanted = (file.file_id, tuple(layout.values()))
    kept = st.session_state.get("datasets_preview")
    if kept is None or kept[0] != wanted:
        try:
            with st.spinner("Reading the table"):
                outcome: Preview | str = preview_file(file.getvalue(), filename=file.name, **layout)
        except EnsembleLabError as error:
            outcome = str(error)
        kept = (wanted, outcome)
        st.session_state["datasets_preview"] = kept
    if isinstance(kept[1], str):
        st.error(plain(kept[1]), icon=":material/error:")
        return None
    preview: Preview = kept[1]
    return preview


def _draw_choices(preview: Preview, filename: str, key: str) -> None:
    names = [column.name for column in preview.columns]
    left, right = st.columns(2)
    name = left.text_input("Name", value=filename.rsplit(".", 1)[0][:120], max_chars=120, key=f"{key}_name")
    target = right.selectbox(
        "Class column",
        names,
        index=names.index(preview.target) if preview.target in names else len(names) - 1,
        help="The column to be predicted.",
        key=f"{key}_target",
    )
    kinds = _draw_columns(preview, target, key)
    st.subheader("The first rows", anchor=False)
    st.dataframe(preview.head, hide_index=True, height=220)
    if st.button("Save", type="primary", icon=":material/save:", key=f"{key}_save", disabled=not name.strip()):
        _save(preview, filename, name.strip(), target, kinds)


def _draw_columns(preview: Preview, target: str, key: str) -> dict[str, str]:
    """Draw the table of columns and return the kind of each that is not the class."""
    st.subheader("Columns", anchor=False)
    st.caption("Nominal: one of a few words. Numeric: a number. The kind can be changed.")
    columns = [column for column in preview.columns if column.name != target]
    table = pd.DataFrame(
        {
            "Column": [column.name for column in columns],
            "Kind": pd.Categorical([column.kind for column in columns], categories=_KINDS),
            "Different values": [column.distinct for column in columns],
            "Missing": [column.missing for column in columns],
            "Examples": [", ".join(column.examples) for column in columns],
            "Why": [column.reason for column in columns],
        }
    )
    edited = st.data_editor(
        table,
        hide_index=True,
        height="content" if len(table) < 12 else 420,
        disabled=["Column", "Different values", "Missing", "Examples", "Why"],
        column_config={
            "Kind": st.column_config.SelectboxColumn(options=_KINDS, required=True, width="small"),
            "Different values": st.column_config.NumberColumn(format="localized"),
            "Missing": st.column_config.NumberColumn(format="localized"),
        },
        key=f"{key}_columns_{target}",
    )
    return dict(zip(edited["Column"], edited["Kind"].astype(str), strict=True))


def _save(preview: Preview, filename: str, name: str, target: str, kinds: dict[str, str]) -> None:
    with explained(), st.spinner("Storing the data set"):
        dataset = build_dataset(preview, name=name, target=target, kinds=kinds, source=f"uploaded {filename}")
        known = find_record(dataset.sha256)
        if known is None:
            store().save_dataset(dataset)
    leave_notice(
        f"Stored {plain(name)}" if known is None else f"Already there as {plain(known.name)}; nothing was added"
    )
    st.session_state.pop("datasets_preview", None)
    st.session_state["datasets_upload_generation"] += 1
    open_dataset(dataset.sha256)
