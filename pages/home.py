"""Home: what this is, a first experiment in one click, the newest experiments."""

import streamlit as st

from ensembles.experiments.first_experiment import first_experiment
from pages.parts.experiment_rows import draw_newest
from pages.parts.launch import draw_launch
from pages.parts.links import DATASETS, EXPERIMENTS, draw_new_link
from pages.parts.store import store

NEWEST = 5


def draw_first() -> None:
    """Draw the button that launches a first experiment, and what it is."""
    config = first_experiment()
    draw_launch("Run a first experiment", config, key="home_first")
    st.caption(
        f"Decision stumps, alone and in {len(config.learners) - 1} ensembles of {config.learners[-1].n_members}, on "
        f"{config.datasets[0].label} ({config.protocol.sentence}). It ends in a verdict, on two idle processors within "
        "a minute; right after the installation learners are compiled first, which takes longer."
    )


st.title("Ensemble Lab", anchor=False)
st.markdown(
    "Compare ensemble learners, batch and online, on your data or on data sets from the catalogue. "
    "Choose data sets, methods and a base model, launch, and watch it run. "
    "Read error scatterplots, learning curves and running times, and send a teammate the link."
)
about, newest = st.columns([2, 3], gap="large")
with about:
    st.header("Start here", anchor=False)
    if store().actor.may("launch"):
        draw_first()
    draw_new_link("Set up your own experiment")
    if store().actor.may("upload"):
        st.page_link(DATASETS, label="Upload a table", icon=":material/upload_file:", query_params={"shelf": "Upload"})
    st.page_link(DATASETS, label="Look at the data sets", icon=":material/table_chart:")
with newest:
    st.header("Newest experiments", anchor=False)
    draw_newest(NEWEST)
    st.page_link(EXPERIMENTS, label="All experiments", icon=":material/list:")
