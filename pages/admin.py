"""Admin: what runs and what is stored, people, who did what; where nobody signs in, tokens too."""

import streamlit as st

from pages.parts.account import draw_tokens
from pages.parts.address import choose_view
from pages.parts.admin.log import draw_log
from pages.parts.admin.overview import draw_overview
from pages.parts.admin.people import draw_people
from pages.parts.store import store

DRAWN = {"Overview": draw_overview, "People": draw_people, "Log": draw_log, "Tokens": draw_tokens}

st.title("Admin", anchor=False)
offered = ["Overview", "People", "Log"] if store().actor.kind == "user" else ["Overview", "Log", "Tokens"]
DRAWN[choose_view(offered, key="about")]()
