"""Data sets: the catalogue, what users stored, upload, and the card of one data set (`?dataset=<key or hash>`)."""

import pandas as pd
import streamlit as st

from ensembles.reports.formatting import pluralize
from pages.parts.address import choose_view, in_address
from pages.parts.bin import draw_bin_of_datasets
from pages.parts.dataset_card import draw_card
from pages.parts.dataset_catalogue import catalogue_table, draw_fetch, draw_filters
from pages.parts.dataset_files import ON_SERVER, draw_server_files, offers_files
from pages.parts.dataset_library import find_entry, stored_table
from pages.parts.dataset_upload import draw_upload
from pages.parts.links import open_dataset
from pages.parts.store import show_errors, store

_HOW_TO_OPEN = "Tick a row, or press Shift and Space on it, to open its card."
_NUMBERS = st.column_config.NumberColumn(format="localized")


def draw_table(table: pd.DataFrame, name: str) -> None:
    """Draw a table of data sets; choosing a row opens its card.

    Each visit has a table of its own: after a quick Back the browser may still send what was chosen in the one before. So
    has each list, as the browser says where in the list the row stood.
    """
    visit = st.session_state.setdefault("datasets_visit", 0)
    chosen = st.dataframe(
        table,
        hide_index=True,
        height="content" if len(table) < 15 else 600,
        on_select="rerun",
        selection_mode="single-row",
        column_config=dict.fromkeys(("Examples", "Classes", "Missing values", "Used in"), _NUMBERS),
        key=f"{name}_{visit}_{hash(tuple(table.index))}",
    )
    if chosen.selection.rows:
        st.session_state["datasets_visit"] = visit + 1
        open_dataset(str(table.index[chosen.selection.rows[0]]))


def draw_stored() -> None:
    """Draw what was stored here: where people sign in, by them and by others."""
    with show_errors():
        records = store().list_datasets()
    actor = store().actor
    mine = [record for record in records if record.user_id == actor.user_id]
    has_others = actor.kind == "user" and len(mine) < len(records)
    if has_others and st.toggle("Only mine", **in_address("mine")):
        records = mine
    if records:
        st.caption(f"What is stored here. {_HOW_TO_OPEN}")
        draw_table(stored_table(records), "datasets_stored")
    else:
        st.info("Nothing is stored yet. Upload a table to see it here.", icon=":material/upload_file:")
    draw_bin_of_datasets()


def draw_library() -> None:
    """Draw one section: the catalogue, what users stored, the upload, or files that are on the server already."""
    st.title("Data sets", anchor=False)
    may_upload = store().actor.may("upload")
    adding = ("Upload", *((ON_SERVER,) if offers_files() else ())) if may_upload else ()
    section = choose_view(("Catalogue", "Yours", *adding), key="shelf")
    if section == "Upload":
        draw_upload()
    elif section == ON_SERVER:
        draw_server_files()
    elif section == "Yours":
        draw_stored()
    else:
        if entries := draw_filters():
            st.caption(f"{pluralize(len(entries), 'data set')}. {_HOW_TO_OPEN}")
            draw_table(catalogue_table(entries), "datasets_catalogue")
        else:
            st.info("No data set of the catalogue is like that.", icon=":material/search_off:")


if ref := st.query_params.get("dataset"):
    if (entry := find_entry(ref)) and not entry.here:
        draw_fetch(entry)
    else:
        draw_card(ref)
else:
    draw_library()
