"""What somebody may have, and the tokens by which programs act for them."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import streamlit as st

from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from storage import Limits, Scope, TokenRecord

__all__ = ["LIMITS", "draw_limits", "draw_tokens"]

LIMITS = {
    "upload_bytes": "Bytes of a file",
    "rows": "Examples of a data set",
    "stored_bytes": "Bytes of all data sets",
    "experiments": "Experiments that wait or run at once",
    "trials": "Trials of an experiment",
}
"""What people read for each limit, by its name."""

_SCOPES: dict[Scope, str] = {
    "read": "See what I see",
    "launch": "Launch and change experiments",
    "data": "Store and change data sets",
    "admin": "What admins may",
}
_EXPIRY = {"90 days": 90, "A year": 365, "Never": None}
_LONGEST_NAME = 100


def draw_limits() -> None:
    """Draw how much one may have, where there is a limit."""
    with show_errors():
        limits = store().get_limits()
    if limits != Limits():
        told = [f"{LIMITS[name].lower()}: {value:,}" for name, value in asdict(limits).items() if value is not None]
        st.caption(f"At most, {'; '.join(told)}.")


def draw_tokens() -> None:
    """Draw the tokens that one has, and the form for another, which is shown once."""
    st.header("Tokens", anchor=False)
    st.markdown(  # a link in a caption is too faint to read
        f"A token lets a notebook or a program of yours act for you by the [JSON interface]({_interface()}); whoever has "
        "it can do what it is good for."
    )
    with st.container(border=True):
        _draw_form()
    with show_errors():
        tokens = [token for token in store().list_tokens() if token.revoked is None]
    for token in tokens:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(f"**{escape_markdown(token.name)}** :small[:gray[{_described(token)}]]", width="stretch")
            if st.button("Revoke", icon=":material/key_off:", key=f"account_revoke_{token.id}"):
                with show_errors():
                    store().revoke_token(token.id)
                st.rerun()


def _draw_form() -> None:
    scopes = [scope for scope in _SCOPES if _may(scope)]
    with st.form("account_new_token", border=False, clear_on_submit=True):
        name = st.text_input("What it is for", max_chars=_LONGEST_NAME, placeholder="my notebook", key="account_name")
        wanted = st.pills(
            "Good for",
            scopes,
            selection_mode="multi",
            default=["read"],
            format_func=_SCOPES.__getitem__,
            key="account_scopes",
        )
        days = _EXPIRY[st.selectbox("Ends after", [*_EXPIRY], width=160, key="account_days")]
        made = st.form_submit_button("Make a token", icon=":material/key:")
    if made:
        expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
        with show_errors():
            _, token = store().create_token(name, [scope for scope in _SCOPES if scope in wanted], expires)
        st.success("Copy it now: it is not shown again.", icon=":material/check:")
        st.code(token, language=None, wrap_lines=True)


def _may(scope: Scope) -> bool:
    actor = store().actor
    needed = {"read": "read", "launch": "launch", "data": "upload", "admin": "administrate"}
    return actor.may(needed[scope])  # type: ignore[arg-type]


def _described(token: TokenRecord) -> str:
    used = "not used yet" if token.last_used is None else f"used {format_datetime(token.last_used)}"
    if token.expires is None:
        ends = "never ends"
    else:
        ends = f"{'ended' if token.expires <= datetime.now(UTC) else 'ends'} {format_datetime(token.expires)}"
    return " · ".join((", ".join(_SCOPES[scope] for scope in token.scopes), ends, used))


def _interface() -> str:
    """Return the address of the description of the JSON interface, on the server by the name that one looks at it by."""
    return f"{(st.context.url or '').rpartition('/')[0]}/api/v1/"
