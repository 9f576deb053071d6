"""The catalogue: finding a data set among many, and fetching one that OpenML keeps."""

import re
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ensembles.data import CatalogueEntry, catalogue, load_dataset
from ensembles.data.catalogue import PAPERS
from ensembles.reports.formatting import pluralize
from pages.parts.address import in_address, tell_unknown
from pages.parts.dataset_library import attributes_said
from pages.parts.links import DATASETS
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown

__all__ = ["catalogue_table", "draw_fetch", "draw_filters", "draw_way_back"]

_SIZES = {
    "Up to 1,000 examples": (0, 1_000),
    "1,000 to 20,000": (1_000, 20_000),
    "20,000 and more": (20_000, 10**9),
}
_LEFT = "datasets_filters"
_HERE, _GENERATED, _ON_DEMAND = "Ready", "Generated", "On demand"


def draw_filters() -> list[CatalogueEntry]:
    """Draw the search box and the filters, and return the entries they leave: first those whose names are searched for.

    They stand in the address, and the link back from a card says them again.
    """
    places = [_HERE, _GENERATED, _ON_DEMAND]
    tell_unknown(
        ("paper", PAPERS.values(), "paper"),
        ("size", _SIZES, "size"),
        ("place", places, "availability"),
        instead="The list is not filtered by that.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search",
            **in_address("search"),
            max_chars=200,
            placeholder="Name, source or note",
            icon=":material/search:",
        )
        paper = st.selectbox(
            "Used in",
            PAPERS,
            index=None,
            format_func=PAPERS.__getitem__,
            placeholder="Any paper",
            **in_address("paper"),
        )
        size = st.selectbox("Size", _SIZES, index=None, placeholder="Any size", **in_address("size"))
        place = st.selectbox("Availability", places, index=None, placeholder="Any", **in_address("place"))
    asked = {"search": search, "paper": PAPERS.get(paper or ""), "size": size, "place": place}
    st.session_state[_LEFT] = {name: value for name, value in asked.items() if value}
    low, high = _SIZES.get(size or "", (0, 10**9))
    words = (search or "").casefold().split()
    found = [
        entry
        for entry in catalogue().values()
        if all(word in _searched(entry) for word in words)
        and (paper is None or paper in entry.papers)
        and low <= entry.rows <= high
        and (place is None or place == _availability(entry))
    ]
    return sorted(found, key=lambda entry: (not _is_named(entry, words), entry.name.casefold()))


def catalogue_table(entries: list[CatalogueEntry]) -> pd.DataFrame:
    """Return one row per entry, keys as index."""
    return pd.DataFrame(
        {
            "Data set": [entry.name for entry in entries],
            "Examples": [entry.rows for entry in entries],
            "Attributes": [attributes_said(entry.nominal, entry.numeric) for entry in entries],
            "Classes": [entry.classes for entry in entries],
            "Availability": [_availability(entry) for entry in entries],
            "Papers": [[_short(paper) for paper in entry.papers] for entry in entries],
        },
        index=[entry.key for entry in entries],
    )


def draw_way_back(*, stored: bool = False) -> None:
    """Draw the link from the card of a data set to the section it stands in, the catalogue as it was filtered."""
    section = {"shelf": "Yours"} if stored else st.session_state.get(_LEFT)
    st.page_link(DATASETS, label="All data sets", icon=":material/arrow_back:", query_params=section)


def draw_fetch(entry: CatalogueEntry) -> None:
    """Draw what the catalogue knows of a data set that is not here yet, and the button that fetches it."""
    draw_way_back()
    st.title(escape_markdown(entry.name), anchor=False)
    attributes = f"{pluralize(entry.attributes, 'attribute')} ({attributes_said(entry.nominal, entry.numeric)})"
    st.caption(f"{pluralize(entry.rows, 'example')} · {attributes} · {pluralize(entry.classes, 'class', 'classes')}")
    st.markdown(escape_markdown(f"{entry.citation}. Used in: {entry.used_in}. {entry.note}"))
    st.caption(escape_markdown(f"Licence: {entry.licence}."))
    st.write("This data set does not come with the program. OpenML keeps it; once fetched, it stays on this machine.")
    if not store().actor.may("upload"):
        st.info("Who may store data sets can fetch it.", icon=":material/lock:")
    elif st.button("Fetch from OpenML", icon=":material/download:", type="primary", key="datasets_fetch"):
        with show_errors(), st.status("Asking OpenML") as status:
            load_dataset(entry.key, progress=lambda size: status.update(label=f"{size / 1e6:.1f} MB have come"))
        st.rerun()


def _availability(entry: CatalogueEntry) -> str:
    if not entry.here:
        return _ON_DEMAND
    return _GENERATED if entry.settings else _HERE


def _short(paper: str) -> str:
    """Return first author and year of a paper."""
    return f"{PAPERS[paper].split()[0].rstrip(',')} {paper[-4:]}"


def _is_named(entry: CatalogueEntry, words: Sequence[str]) -> bool:
    """Return whether each of the words begins a word of the name."""
    return all(re.search(rf"(?<!\w){re.escape(word)}", entry.name.casefold()) for word in words)


def _searched(entry: CatalogueEntry) -> str:
    return " ".join((entry.key, entry.name, entry.citation, entry.note, entry.used_in)).casefold()
