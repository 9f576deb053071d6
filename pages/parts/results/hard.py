"""Hard examples: those that boosting gave the highest weight, with their class and attribute values."""

from dataclasses import replace

import streamlit as st

from ensembles.errors import EnsembleLabError
from ensembles.experiments.results import Results
from ensembles.reports.charts import hard_chart, weighing_learners
from ensembles.reports.figure_data import curves_of
from ensembles.reports.members import missing_members
from pages.parts.address import in_address
from pages.parts.chart import draw_chart
from pages.parts.dataset_library import load_reference
from pages.parts.results.choices import choose_dataset
from pages.parts.text import escape_markdown

__all__ = ["draw_hard_examples"]


def draw_hard_examples(results: Results) -> None:
    """Draw the weights of the hardest examples of one learner on one data set, and the examples themselves."""
    if not curves_of(results, "hard_examples"):
        st.info(
            "No learner of this experiment keeps the weights of its examples: boosting does.", icon=":material/info:"
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        position = choose_dataset(results)
        learner = st.selectbox(
            "Learner",
            weighing_learners(results),
            format_func=results.learners.__getitem__,
            **in_address("learner"),
            width=420,
        )
    try:
        dataset = load_reference(results.config.datasets[position])
    except EnsembleLabError as error:
        dataset = None
        st.info(escape_markdown(f"Class and values of the examples cannot be shown: {error}"), icon=":material/info:")
    chart = hard_chart(results, position, learner, dataset)
    if chart.numbers.empty:
        draw_chart(chart, key="hard_examples")
        return
    if missing := missing_members(results, position, learner):  # above, as the caption is below many bars
        st.info(escape_markdown(missing), icon=":material/info:")
        chart = replace(chart, caption=chart.caption.removesuffix(missing).rstrip())
    draw_chart(chart, key="hard_examples")
    st.dataframe(
        chart.numbers,
        hide_index=True,
        height="content" if len(chart.numbers) <= 12 else 460,
        column_config={"Weight": st.column_config.NumberColumn(format="%.2f")},
        alt="The hardest examples with their class and attribute values",
    )
