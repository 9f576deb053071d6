"""The log: who did what, when."""

from datetime import UTC, date, datetime, time, timedelta

import pandas as pd
import streamlit as st

from ensembles.reports.formatting import UNKNOWN
from pages.parts.store import show_errors, store
from pages.parts.text import format_datetime
from storage import PROGRAM, AuditRecord

__all__ = ["draw_log"]

_PAGE = 100
_ANYBODY = "Anybody"
_KINDS = {"experiment": "experiment", "dataset": "data set", "preset": "preset", "user": "person", "link": "link"} | {
    "token": "token",
    "archive": "archive",
}
"""What people read for each kind of thing."""


def draw_log() -> None:
    """Draw a page of it, with filters by person, kind and days."""
    with show_errors():
        people = {f"{user.name} ({user.id})": user.id for user in store().list_users()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox("Who", [_ANYBODY, *people], key="admin_who", width=220) if people else _ANYBODY
        kind = st.selectbox(
            "What",
            _KINDS,
            index=None,
            format_func=_KINDS.__getitem__,
            placeholder="Anything",
            key="admin_kind",
            width=180,
        )
        since = st.date_input("From", None, key="admin_since", width=160)
        until = st.date_input("To", None, key="admin_until", width=160)
        page = st.number_input("Page", min_value=1, value=1, step=1, key="admin_page", width=120)
    with show_errors():
        found = store().list_audit(
            _PAGE,
            (page - 1) * _PAGE,
            user_id=people.get(who),
            kind=kind,
            since=_start(since),
            until=_start(until + timedelta(days=1)) if isinstance(until, date) else None,
        )
    if not found:
        st.caption("Nothing was done that is like this.")
        return
    rows = [_row(one) for one in found]
    table = pd.DataFrame(rows, columns=["When", "Who", "Did", "What", "Detail", "Which"])
    which = st.column_config.TextColumn(width="small")  # so long of data sets that others would be cut
    st.dataframe(table, hide_index=True, height="content" if len(rows) < 15 else 600, column_config={"Which": which})


def _row(one: AuditRecord) -> tuple[str, ...]:
    is_known = one.who != PROGRAM.name or store().actor.kind == "user"
    who = one.who if is_known else UNKNOWN
    return format_datetime(one.moment), who, one.action, _KINDS.get(one.kind, one.kind), one.detail, one.subject


def _start(day: object) -> datetime | None:
    return datetime.combine(day, time(), UTC) if isinstance(day, date) else None
