"""Leaderboard: learners across all experiments, by data set, by method, over time."""

import streamlit as st

from pages.parts.address import choose_view
from pages.parts.leaderboard.choices import choose_data, choose_protocol
from pages.parts.leaderboard.views import draw_by_data_set, draw_by_method, draw_over_time
from pages.parts.links import NEW_EXPERIMENT
from pages.parts.live import shared
from pages.parts.store import show_errors, store

st.title("Leaderboard", anchor=False)
with show_errors():
    scored = shared.get("scored", lambda: store().list_scored())
if not scored:
    st.info(
        "No experiment is over yet. When one ends, its learners stand here beside those of all others.",
        icon=":material/leaderboard:",
    )
    st.page_link(NEW_EXPERIMENT, label="New experiment", icon=":material/add_circle:")
    st.stop()
by = choose_view(["By data set", "By method", "Over time"], key="by")
with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
    protocol = choose_protocol(scored)
    data = None if by == "By method" else choose_data([one for one in scored if one.protocol == protocol])
if data is None:
    draw_by_method(protocol)
elif by == "By data set":
    draw_by_data_set(protocol, data)
else:
    draw_over_time(protocol, data)
