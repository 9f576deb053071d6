"""Learners: what each method and base model is, how it is called, its settings, where it comes from."""

import streamlit as st

from ensembles.experiments.learner_choice import base_rows, method_rows
from ensembles.registry import base_models, methods
from ensembles.reports.reference import overview_of, reference_of
from pages.parts.address import in_address
from pages.parts.links import draw_new_link
from pages.parts.text import escape_markdown

st.title("Learners", anchor=False)
by_name = {entry.name: entry for entry in (*methods().values(), *base_models().values())}
wanted = st.query_params.get("learner")  # the choice below drops one that does not exist without a word
if wanted and wanted not in by_name:
    said = f"No learner is called “{wanted}” here. Those that there are stand below."
    st.warning(escape_markdown(said), icon=":material/link_off:")
name = st.selectbox(
    "Method or base model",
    [*by_name],
    index=None,
    placeholder="Choose one to read about",
    **in_address("learner"),
    width=360,
)
if name is None:
    st.markdown(overview_of("Methods", method_rows()) + "\n" + overview_of("Base models", base_rows()))
else:
    st.markdown(reference_of(by_name[name]))
    draw_new_link()
