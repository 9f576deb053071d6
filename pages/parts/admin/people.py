"""People: their roles, locks and limits."""

import streamlit as st

from pages.parts.account import LIMITS
from pages.parts.apart import dialog
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from pages.parts.who import forget_actors
from storage import UserRecord
from storage.access import ROLES

__all__ = ["draw_people"]

_LIMITED = "admin_limited"


def draw_people() -> None:
    """Draw everybody who has signed in, with what admins may change."""
    with show_errors():
        users = store().list_users()
    part = st.text_input(
        "Search", placeholder="Search names and addresses", label_visibility="collapsed", width=320, key="admin_search"
    )
    found = [user for user in users if part.casefold() in f"{user.name} {user.email} {user.subject}".casefold()]
    for user in found:
        _draw(user)
    asked = st.session_state.get(_LIMITED)
    for user in users:
        if user.id == asked:
            _ask_limits(user)


def _draw(user: UserRecord) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        locked = " :red-badge[:material/lock: Locked]" if user.locked else ""
        with st.container(width="stretch", gap=None):
            st.markdown(f"**{escape_markdown(user.name)}**{locked}")
            about = escape_markdown(user.email or user.subject)
            st.caption(
                f"{about} · last seen {format_datetime(user.seen)}", help=f"Known as {escape_markdown(user.subject)}"
            )
        role = st.selectbox(
            "Role",
            ROLES,
            ROLES.index(user.role),
            label_visibility="collapsed",
            width=120,
            key=f"admin_role_{user.id}_{user.role}",
        )
        if role != user.role:
            with show_errors():
                store().set_role(user.id, role)
            _done()
        if st.button("Unlock" if user.locked else "Lock", width=90, key=f"admin_lock_{user.id}_{user.locked}"):
            with show_errors():
                store().set_locked(user.id, not user.locked)
            _done()
        if st.button(f"Limits ({len(user.limits)})" if user.limits else "Limits", key=f"admin_limits_{user.id}"):
            st.session_state[_LIMITED] = user.id


def _done() -> None:
    forget_actors()
    st.rerun()


def _forget() -> None:
    st.session_state.pop(_LIMITED, None)


@dialog("Limits", on_dismiss=_forget)
def _ask_limits(user: UserRecord) -> None:
    st.caption(f"What is left empty is for {escape_markdown(user.name)} as for everybody; -1 lifts a limit.")
    with st.form("admin_limits", border=False):
        values = {
            name: st.number_input(
                label,
                min_value=-1,
                value=-1 if name in user.limits and user.limits[name] is None else user.limits.get(name),
                step=1,
                placeholder="as for everybody",
                key=f"admin_limit_{name}",
            )
            for name, label in LIMITS.items()
        }
        saved = st.form_submit_button("Save", type="primary")
    if saved:
        wanted = {name: None if value < 0 else value for name, value in values.items() if value is not None}
        with show_errors():
            store().set_limits(user.id, wanted)
        _forget()
        _done()
