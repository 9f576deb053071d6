"""Results of one experiment (`?experiment=<id>&view=<view>`), or of several as one (`?experiments=<id>,<id>`).

The address is the permalink that people send each other.
"""

import streamlit as st

from ensembles.errors import InvalidInput, NotFound
from pages.parts.address import end_nowhere
from pages.parts.experiment_rows import draw_newest
from pages.parts.links import EXPERIMENTS, draw_new_link
from pages.parts.results.page import draw_comparison, draw_experiment
from pages.parts.store import show_errors, store

NEWEST = 10


def draw_choice() -> None:
    """Draw the newest experiments to choose from."""
    st.title("Results", anchor=False)
    with show_errors():
        total = store().count_experiments()
    if not total:
        st.info("No experiment yet. Launch one, and its results appear here.", icon=":material/science:")
        draw_new_link()
        return
    st.caption("Choose an experiment.")
    draw_newest(NEWEST)
    st.page_link(EXPERIMENTS, label="All experiments", icon=":material/list:")


several, experiment = st.query_params.get("experiments"), st.query_params.get("experiment")
try:
    if several:
        draw_comparison(several, st.query_params.get("on"))
    elif experiment:
        draw_experiment(experiment)
    else:
        draw_choice()
except (InvalidInput, NotFound) as error:
    end_nowhere("Results", error, EXPERIMENTS, "All experiments")
