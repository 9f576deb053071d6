"""Comments: what people who signed in say about an experiment, as text."""

import streamlit as st

from pages.parts.live import ask_anew, ask_now
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from storage import CommentRecord, ExperimentRecord

__all__ = ["draw_comments"]

_LONGEST = 5_000


def draw_comments(record: ExperimentRecord) -> None:
    """Draw what was said, and room to say more; nothing where nobody signs in, as nobody would be known by name."""
    actor = store().actor
    if actor.kind != "user":
        return
    with show_errors():
        said = ask_now(("comments", record.id), lambda storage: storage.list_comments(record.id))
    if not said and not actor.may("comment"):
        return
    label = f"Comments ({len(said):,})" if said else "Comments"
    with st.expander(label, icon=":material/chat:", expanded=bool(said), key=f"results_comments_{bool(said)}"):
        for comment in said:
            _draw(comment, may_delete=actor.sees_all or comment.user_id == actor.user_id)
        if actor.may("comment"):
            _draw_form(record)


def _draw(comment: CommentRecord, *, may_delete: bool) -> None:
    with st.container(border=True, gap="xxsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            who = f"**{escape_markdown(comment.user_name)}** :small[:gray[{format_datetime(comment.created)}]]"
            st.markdown(who, width="stretch")
            if may_delete and st.button(
                "Delete", type="tertiary", icon=":material/delete:", key=f"results_uncomment_{comment.id}"
            ):
                with show_errors():
                    store().delete_comment(comment.id)
                ask_anew()
                st.rerun()
        st.text(comment.text)


def _draw_form(record: ExperimentRecord) -> None:
    with st.form("results_comment", border=False, clear_on_submit=True):
        text = st.text_area(
            "Comment",
            max_chars=_LONGEST,
            height=80,
            placeholder="Seen by everybody who sees this experiment",
            label_visibility="collapsed",
            key="results_comment_text",
        )
        sent = st.form_submit_button("Comment", icon=":material/send:")
    if sent and text.strip():
        with show_errors():
            store().add_comment(record.id, text)
        ask_anew()
        st.rerun()
