"""Signing in and out, and who one is."""

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from ensembles.errors import NotFound
from pages.parts.dataset_library import find_record
from pages.parts.links import ACCOUNT, DATASETS, RESULTS
from pages.parts.live import experiment_now
from pages.parts.store import show_errors
from pages.parts.text import escape_markdown
from pages.parts.who import is_open_to_all, sign_in_mode
from storage import Actor

__all__ = ["draw_sign_in", "draw_way_out", "draw_ways_in", "draw_who", "is_for_strangers"]

_OPEN = (
    "Nobody has to sign in, and other machines reach this server: whoever does can see, change and delete everything. "
    "*Operation* in the manual says how people sign in."
)
_FAILED = (
    "You are not signed in: the provider refused, or did not answer as it should. The log of the server says why; you can "
    "try again."
)
_BACK = "ensemble_lab_came_back"  # the cookie of who came back from a provider a moment ago: `server.kept_address`


def draw_sign_in() -> None:
    """Draw what strangers see: the name of the product and the way in."""
    with st.container(horizontal_alignment="center", vertical_alignment="center", gap="medium", key="stranger"):
        st.title("Ensemble Lab", anchor=False, width="content")
        if sign_in_mode() == "proxy":
            st.caption("The proxy before this server has not said who you are.", width="content")
            return
        draw_ways_in("primary")


def draw_ways_in(kind: Literal["primary", "secondary"]) -> None:
    """Draw a button for each provider by which one can sign in, if any; who has just tried in vain is told so."""
    if sign_in_mode() != "oidc":
        return
    if st.context.cookies.get(_BACK) == "1":
        st.error(_FAILED, icon=":material/error:")
    for provider, label in _providers().items():
        st.button(label, type=kind, on_click=st.login, args=(provider,), key=f"sign_in_{provider}")


def draw_who(actor: Actor) -> None:
    """Draw, in the sidebar, who has signed in and the way out; where nobody has to, a warning if others reach the server."""
    with st.sidebar, st.container(key="who", horizontal=True, vertical_alignment="center"):
        if actor.kind == "user":
            st.page_link(ACCOUNT, label=escape_markdown(actor.name), icon=":material/person:", width="stretch")
            draw_way_out()
        elif is_open_to_all():
            st.caption(f":material/warning: {_OPEN}")


def draw_way_out() -> None:
    """Draw the button "Sign out", for who came in by a provider."""
    if sign_in_mode() == "oidc" and st.user.get("is_logged_in"):
        st.button("Sign out", type="tertiary", on_click=st.logout, key="sign_out")


def is_for_strangers(page: str) -> bool:
    """Return whether the address names results, or a stored data set, that whoever has it may see."""
    if page == DATASETS:
        return find_record(st.query_params.get("dataset", "")) is not None
    if page != RESULTS:
        return False
    named = st.query_params.get("experiments", st.query_params.get("experiment", ""))
    ids = [one for one in named.split(",") if one]
    with show_errors():
        try:
            return bool(ids) and all(experiment_now(experiment) for experiment in ids)
        except NotFound:
            return False


def _providers() -> dict[str | None, str]:
    """Return what stands on the buttons, by the names of the providers; None where there is but one."""
    settings = st.secrets["auth"]
    if "client_id" in settings:
        return {None: "Sign in"}
    return {
        name: f"Sign in with {name[:1].upper()}{name[1:]}"
        for name, values in settings.items()
        if isinstance(values, Mapping) and "client_id" in values
    }
