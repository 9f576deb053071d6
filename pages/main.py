"""The frame of every page: navigation, title, and one sentence instead of a broken page when the database refuses."""

import streamlit as st

from ensembles.errors import StorageError
from pages.parts.address import kept_address
from pages.parts.links import DATASETS, EXPERIMENTS, HOME, LEADERBOARD, LEARNERS, NEW_EXPERIMENT, PAPERS, RESULTS
from pages.parts.logo import favicon, logo
from pages.parts.look import draw_look
from pages.parts.notice import draw_notice
from pages.parts.text import escape_markdown

# Before the navigation: else the browser asks a font server on the internet for the page's icon.
st.set_page_config(
    page_icon=favicon(),
    layout="wide",
    menu_items={"About": "**Ensemble Lab** compares ensemble learners, batch and online."},
)
page = st.navigation(
    {
        "": [st.Page(HOME, title="Home", icon=":material/home:", default=True)],
        "Compare": [
            st.Page(NEW_EXPERIMENT, title="New experiment", icon=":material/add_circle:", url_path="new"),
            st.Page(EXPERIMENTS, title="Experiments", icon=":material/list:", url_path="experiments"),
            st.Page(RESULTS, title="Results", icon=":material/scatter_plot:", url_path="results"),
            st.Page(LEADERBOARD, title="Leaderboard", icon=":material/leaderboard:", url_path="leaderboard"),
        ],
        "Library": [
            st.Page(DATASETS, title="Data sets", icon=":material/table_chart:", url_path="datasets"),
            st.Page(LEARNERS, title="Learners", icon=":material/hub:", url_path="learners"),
            st.Page(PAPERS, title="Papers", icon=":material/menu_book:", url_path="papers"),
        ],
    }
)
st.set_page_config(page_title="Ensemble Lab" if page.title == "Home" else f"{page.title} · Ensemble Lab")
st.logo(logo(st.context.theme.type), size="large")
draw_look()
draw_notice()

try:
    with kept_address(page.url_path):
        page.run()
except StorageError as error:
    st.error(escape_markdown(str(error)), icon=":material/database_off:")
