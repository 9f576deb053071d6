"""Share: the address for teammates, who sees the experiments, and links for people outside."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, quote, urlsplit

import streamlit as st

from ensembles.reports.formatting import pluralize
from pages.parts.address import address_query
from pages.parts.apart import dialog
from pages.parts.live import ask_anew
from pages.parts.results.copy_link import draw_copy_link
from pages.parts.rights import rights_to_all
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from pages.parts.visibility import choose_visibility
from storage import ExperimentRecord, LinkRecord

__all__ = ["draw_share"]

_OPEN, _MADE = "results_sharing", "results_link_made"
_EXPIRY = {"30 days": 30, "7 days": 7, "Never": None}


def draw_share(records: Sequence[ExperimentRecord]) -> None:
    """Draw the button "Share": it copies the address, or for who may show the experiments to others asks how."""
    if not rights_to_all(records).may_share:
        draw_copy_link()
        return
    ids = tuple(record.id for record in records)
    if st.button("Share", icon=":material/link:", key="results_share_with"):
        st.session_state[_OPEN] = ids
        st.session_state.pop(_MADE, None)
    if st.session_state.get(_OPEN) == ids:
        _ask_how(records)


def _forget() -> None:
    st.session_state.pop(_OPEN, None)
    st.session_state.pop(_MADE, None)


@dialog("Share", width="medium", on_dismiss=_forget)
def _ask_how(records: Sequence[ExperimentRecord]) -> None:
    if len(records) == 1:
        _draw_visibility(records[0])
    st.caption("Whoever may see it opens it by its address, with the view and the choices of this page.")
    draw_copy_link("Copy the address")
    st.markdown("**People outside**")
    st.caption(
        "A link shows this view as it is set now, read-only, and nothing else: no other view, page, file or data set, and "
        "nobody's name."
    )
    with st.form("results_link", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        days = _EXPIRY[st.selectbox("Ends after", [*_EXPIRY], key="results_link_days", width=140)]
        signed_in = st.toggle("Only for people who sign in", key="results_link_signed_in")
        if st.form_submit_button("Make a link", icon=":material/add_link:"):
            _make(records, days, needs_sign_in=signed_in)
    if made := st.session_state.get(_MADE):
        st.success("Copy it now: it is not shown again.", icon=":material/check:")
        st.code(made, language=None, wrap_lines=True)
    _draw_links(records)


def _draw_visibility(record: ExperimentRecord) -> None:
    wanted = choose_visibility("Who sees it", record.visibility, key="results_visibility")
    if wanted != record.visibility:
        with show_errors():
            store().set_experiment_visibility(record.id, wanted)
        ask_anew()
        st.rerun()


def _make(records: Sequence[ExperimentRecord], days: int | None, *, needs_sign_in: bool) -> None:
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    view = address_query()
    with show_errors():
        _, token = store().create_link(
            [record.id for record in records],
            page="results",
            view=view,
            expires=expires,
            needs_sign_in=needs_sign_in,
        )
    st.session_state[_MADE] = _address(token, view)


def _address(token: str, view: str) -> str:
    """Return the address of a link, on the server by the name that this page is looked at by."""
    here = urlsplit(st.context.url or "")
    base = here.path.rstrip("/").rpartition("/")[0]
    return f"{here.scheme}://{here.netloc}{base}/shared?token={quote(token)}&{view}"


def _draw_links(records: Sequence[ExperimentRecord]) -> None:
    """Draw the links to these experiments that still open, and how often they were opened."""
    with show_errors():
        found = {link.id: link for record in records for link in store().list_links(record.id)}
    links = [link for link in found.values() if link.revoked is None]
    for link in links:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(_described(link), width="stretch")
            if st.button("Revoke", icon=":material/link_off:", key=f"results_revoke_{link.id}"):
                with show_errors():
                    store().revoke_link(link.id)
                st.rerun()


def _described(link: LinkRecord) -> str:
    opened = f"opened {pluralize(link.opened, 'time')}" if link.opened else "not opened yet"
    if link.last_opened is not None:
        opened += f", the last {format_datetime(link.last_opened)}"
    ends = "never ends" if link.expires is None else f"ends {format_datetime(link.expires)}"
    by = "" if link.user_id == store().actor.user_id else f" by {escape_markdown(link.user_name or 'the program')}"
    over = link.expires is not None and link.expires <= datetime.now(UTC)
    parts = [
        f"**{escape_markdown(dict(parse_qsl(link.view)).get('view', 'First view'))}**",
        f"made {format_datetime(link.created)}{by}",
        "**over**" if over else ends,
        *(["for people who sign in"] if link.needs_sign_in else []),
        opened,
    ]
    return " · ".join(parts)
