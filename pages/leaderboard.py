"""Leaderboard: learners across all experiments, by data set, by method, over time."""

import streamlit as st

from pages.parts.address import choose_view
from pages.parts.leaderboard.choices import choose_data, choose_protocol
from pages.parts.leaderboard.views import draw_by_data_set, draw_by_method, draw_over_time
from pages.parts.links import draw_new_link
from pages.parts.live import ask_now
from pages.parts.store import show_errors

st.title("Leaderboard", anchor=False)
with show_errors():
    scored = ask_now("scored", lambda storage: storage.list_scored())
if not scored:
    st.info(
        "No experiment is over yet. When one ends, its learners stand here beside those of all others.",
        icon=":material/leaderboard:",
    )
    draw_new_link()
    st.stop()
by = choose_view(["By data set", "By method", "Over time"], key="by")
said = st.container()
with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
    protocol = choose_protocol(scored, said)
    data = None if by == "By method" else choose_data([one for one in scored if one.protocol == protocol], said)
if data is None:
    draw_by_method(protocol)
elif by == "By data set":
    draw_by_data_set(protocol, data)
else:
    draw_over_time(protocol, data)
