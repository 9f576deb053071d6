"""Notes and tags of an experiment: read and written on the page of results and in the table."""

import re
from collections.abc import Iterable

import streamlit as st

from ensembles.errors import Conflict
from pages.parts.live import words_now
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from pages.parts.visibility import owner_badges
from storage import ExperimentRecord

__all__ = ["draw_annotations", "draw_marks", "draw_tags", "harmless"]

_LONGEST_NOTES, _SHORT = 20_000, 600
_KNOWN, _LONGEST_TAGS = 5, 400
_IMAGE = re.compile(r"!+(?=\[)")


def draw_annotations(record: ExperimentRecord, *, key: str) -> bool:
    """Draw the form for tags and notes; return whether it was saved."""
    with st.form(f"{key}_annotations", border=False):
        tags = draw_tags("Tags", record.tags, key=f"{key}_tags_{record.id}")
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
            known, wanted = set(record.tags), set(tags)
            store().tag_experiments([record.id], add=wanted - known, remove=known - wanted)
            if notes != record.notes:
                _write_notes(record, notes)
    return saved


def _write_notes(record: ExperimentRecord, notes: str) -> None:
    """Replace the notes that were read when the form was opened; where there are others now, say so and lose neither."""
    try:
        store().write_notes(record.id, notes, known=record.notes)
    except Conflict as error:
        raise Conflict(f"{error}. Copy what you wrote, close this, and open it anew to add it.") from None


def draw_tags(label: str, tags: Iterable[str] = (), *, key: str) -> list[str]:
    """Draw a line for tags, with those that other experiments have as its hint; return what stands there.

    By its key it stays the same line, and keeps what was typed, where the hint becomes another one meanwhile.
    """
    with show_errors():
        known = [word.word for word in words_now().get("tag", [])]
    written = st.text_input(
        label,
        value=" ".join(tags),
        placeholder=f"for example {' '.join(known[:_KNOWN]) or 'thesis draft'}",
        max_chars=_LONGEST_TAGS,
        help="Short words of letters, digits and . + / - _, with spaces or commas between them.",
        key=key,
    )
    return re.split(r"[\s,;]+", written or "")


def draw_marks(record: ExperimentRecord) -> None:
    """Draw star, tags and notes of an experiment, where it has any."""
    marks = [*owner_badges(record), *[":orange[★]"] * record.starred]
    marks += [":gray-badge[:material/archive: Archived]"] * record.archived
    marks += [f":blue-badge[{escape_markdown(tag)}]" for tag in record.tags]
    if marks:
        st.markdown(" ".join(marks))
    if record.notes:
        with st.expander("Notes", icon=":material/notes:", expanded=len(record.notes) <= _SHORT):
            st.markdown(harmless(record.notes), anchors=False)


def harmless(notes: str) -> str:
    """Return Markdown in which images have become links: browsers would ask other hosts for them. HTML is text anyway."""
    return _IMAGE.sub("", notes)
