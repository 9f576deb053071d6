"""Bias and variance: the error of every learner on every data set, taken apart."""

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import decomposition_chart
from pages.parts.chart import as_in_text, draw_chart, number_columns
from pages.parts.look import side_by_side
from pages.parts.results.choices import choose_learners

__all__ = ["draw_decomposition"]


def draw_decomposition(results: Results) -> None:
    """Draw the bars, after Kohavi and Wolpert and after Domingos, and the table of what they show."""
    learners = choose_learners(results)
    chart, other = (decomposition_chart(results, learners, around_main=main) for main in (False, True))
    with side_by_side("decomposition"):
        # Trials of earlier releases have one of them.
        places = [st.container()] if other.numbers.empty else st.columns(2, gap="large")
    for place, one, key in zip(places, (chart, other), ("decomposition", "around_main"), strict=False):
        with place:
            st.header(one.heading, anchor=False)
            draw_chart(one, key=key)
    st.dataframe(
        as_in_text(chart.numbers),
        hide_index=True,
        height="content" if len(chart.numbers) <= 15 else 560,
        column_config=number_columns(chart.numbers)
        | {"Share of variance": st.column_config.NumberColumn(format="percent")},
        placeholder=formatting.UNKNOWN,
        alt="Error, bias and variance of every learner on every data set",
    )
