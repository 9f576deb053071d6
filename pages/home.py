"""Home: what this is, a first experiment in one click, the newest experiments."""

import streamlit as st

from pages.parts.experiment_rows import draw_experiment
from pages.parts.first_experiment import first_experiment
from pages.parts.launch import draw_launch
from pages.parts.links import DATASETS, EXPERIMENTS, NEW_EXPERIMENT
from pages.parts.store import explained, store

NEWEST = 5


def draw_newest() -> None:
    """Draw the newest experiments; once none of them runs any more, the page is drawn again without a timer."""
    with explained():
        records = store().list_experiments(limit=NEWEST)
    if not records:
        st.caption("Nothing was launched yet.")
    for record in records:
        with st.container(border=True):
            draw_experiment(record)
    active = any(not record.is_final for record in records)
    if st.session_state.get("home_active") != active:
        st.session_state["home_active"] = active
        st.rerun()


st.title("Ensemble Lab", anchor=False)
st.markdown(
    "Compare ensemble learners, batch and online, on your data or on data sets from the catalogue. "
    "Choose data sets, methods and a base model, launch, and watch it run. "
    "Read error scatterplots, learning curves and running times, and send a teammate the link."
)
about, shelf = st.columns([2, 3], gap="large")
with about:
    st.subheader("Start here", anchor=False)
    config = first_experiment()
    draw_launch("Run a first experiment", config, key="home_first")
    st.caption(
        f"{len(config.datasets)} small data sets, naive Bayes alone and in five ensembles, "
        f"{config.protocol.sentence}. It takes less than half a minute."
    )
    st.page_link(NEW_EXPERIMENT, label="Set up your own experiment", icon=":material/add_circle:")
    st.page_link(DATASETS, label="Look at the data sets, or upload a table", icon=":material/table_chart:")
with shelf:
    st.subheader("Newest experiments", anchor=False)
    st.fragment(draw_newest, run_every="2s" if st.session_state.get("home_active") else None)()
    st.page_link(EXPERIMENTS, label="All experiments", icon=":material/list:")
