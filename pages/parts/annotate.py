"""Notes and tags of an experiment: read and written on the page of results and in the table."""

import re

import streamlit as st

from pages.parts.live import words_now
from pages.parts.store import show_errors, store
from storage import ExperimentRecord

__all__ = ["draw_annotations", "draw_notes"]

_LONGEST_NOTES = 20_000
_IMAGE = re.compile(r"!(?=\[)")
_DIRECTIVE = re.compile(r"(?<!\\):(?=[\w-]+(?:\[|:))")


def draw_annotations(record: ExperimentRecord, *, key: str) -> bool:
    """Draw the form for tags and notes; return whether it was saved."""
    with show_errors():
        known = [word.word for word in words_now().get("tag", [])]
    with st.form(f"{key}_annotations", border=False):
        tags = st.multiselect(
            "Tags",
            sorted({*known, *record.tags}),
            default=list(record.tags),
            accept_new_options=True,
            select_all=False,
            placeholder="Choose, or write a new one",
            help="Short words of letters, digits and . + / - _; experiments are found by them.",
        )
        notes = st.text_area(
            "Notes",
            value=record.notes,
            max_chars=_LONGEST_NOTES,
            height=220,
            help="Markdown: **bold**, *italic*, lists, tables, links, formulas between dollar signs.",
        )
        saved = st.form_submit_button("Save", type="primary")
    if saved:
        with show_errors():
            store().tag_experiments([record.id], add=tags, remove=set(record.tags) - set(tags))
            store().write_notes(record.id, notes)
    return saved


def draw_notes(notes: str) -> None:
    """Draw notes: Markdown without HTML, which Streamlit shows as text, and without images, which would ask other hosts."""
    st.markdown(harmless(notes), anchors=False)


def harmless(notes: str) -> str:
    """Return Markdown in which images have become links, and the signs of Streamlit's own language are text."""
    return _DIRECTIVE.sub(r"\\:", _IMAGE.sub("", notes))
