"""What a link shows to people outside (`?token=<token>`): one view of some experiments, and nothing else."""

from urllib.parse import parse_qs

import streamlit as st

from ensembles.errors import EnsembleLabError
from pages.parts.address import switch_subject
from pages.parts.links import SHARED
from pages.parts.results.page import draw_comparison, draw_experiment
from pages.parts.shared_link import open_shared
from pages.parts.sign_in import draw_ways_in
from pages.parts.store import store
from pages.parts.text import escape_markdown
from pages.parts.who import open_by_link
from storage import LinkRecord


def draw(link: LinkRecord) -> None:
    """Draw the view of a link; choices that it was made with come first, what is changed then stands in the address."""
    choices = parse_qs(link.view)
    if len(st.query_params) == 1:
        switch_subject(SHARED, {"token": st.query_params["token"], **choices})
    shown = {name: values[-1] for name, values in choices.items()}
    view = shown.get("view", "")
    if "experiments" in shown:
        draw_comparison(shown["experiments"], shown.get("on"), only=view)
    else:
        draw_experiment(shown.get("experiment", ""), only=view)


signed_in = store().actor.kind == "user"
try:
    opened, viewer = open_shared(st.query_params.get("token", ""), signed_in=signed_in)
    open_by_link(viewer)
    draw(opened)
except EnsembleLabError as error:
    st.title("Ensemble Lab", anchor=False)
    sentence = str(error)
    st.error(escape_markdown(f"{sentence[:1].upper()}{sentence[1:]}."), icon=":material/link_off:")
    if not signed_in:
        draw_ways_in("secondary")
