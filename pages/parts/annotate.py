"""Notes and tags of an experiment: read and written on the page of results and in the table."""

import re

import streamlit as st

from pages.parts.live import words_now
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from storage import ExperimentRecord

__all__ = ["draw_annotations", "draw_marks", "harmless"]

_LONGEST_NOTES, _SHORT = 20_000, 600
_IMAGE = re.compile(r"!+(?=\[)")


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


def draw_marks(record: ExperimentRecord) -> None:
    """Draw star, tags and notes of an experiment, where it has any."""
    marks = ["⭐"] * record.starred + [":gray-badge[:material/archive: Archived]"] * record.archived
    marks += [f":blue-badge[{escape_markdown(tag)}]" for tag in record.tags]
    if marks:
        st.markdown(" ".join(marks))
    if record.notes:
        with st.expander("Notes", icon=":material/notes:", expanded=len(record.notes) <= _SHORT):
            st.markdown(harmless(record.notes), anchors=False)


def harmless(notes: str) -> str:
    """Return Markdown in which images have become links: browsers would ask other hosts for them. HTML is text anyway."""
    return _IMAGE.sub("", notes)
