"""Learners: what each method and base model is, how it is called, its settings, where it comes from."""

import streamlit as st

from ensembles.experiments.learner_choice import base_rows, method_rows
from ensembles.libraries import lack_of
from ensembles.registry import base_models, methods
from ensembles.reports.reference import overview_of, reference_of
from pages.parts.address import in_address, tell_unknown
from pages.parts.links import draw_new_link

st.title("Learners", anchor=False)
by_name = {entry.name: entry for entry in (*methods().values(), *base_models().values())}
tell_unknown(("learner", by_name, "learner"), instead="Those that there are stand below.")
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
    if lack := lack_of(by_name[name].cls):
        st.info(f"{lack}.", icon=":material/extension_off:")
    st.markdown(reference_of(by_name[name]))
    draw_new_link()
