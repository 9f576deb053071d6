"""Choices that several views of the results offer, kept in the address."""

from typing import Literal

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import first_pair
from ensembles.reports.verdict import default_measure
from pages.parts.address import in_address

__all__ = ["choose_dataset", "choose_learner", "choose_learners", "choose_measure", "choose_pair"]


def choose_dataset(results: Results) -> int:
    """Draw the choice of one of the data sets, kept in the address.

    All are offered from the start: the first one of those that have curves would be another one as trials end.
    """
    return st.selectbox(
        "Data set",
        range(len(results.datasets)),
        format_func=results.datasets.__getitem__,
        **in_address("data"),
        width=300,
    )


def choose_learners(results: Results) -> list[int]:
    """Draw a filter of learners, kept in the address; nothing chosen means all of them."""
    return st.multiselect(
        "Learners",
        range(len(results.learners)),
        format_func=results.learners.__getitem__,
        placeholder="All learners",
        filter_mode="contains",
        select_all=False,
        **in_address("learners"),
        width=400,  # stands in one row with a data set and three segments
    ) or list(range(len(results.learners)))


def choose_measure(results: Results) -> str:
    """Draw the choice of the measure that learners are compared by, kept in the address; first that of the verdict."""
    measures, first = results.measures, default_measure(results)
    return st.selectbox(
        "Measure",
        measures,
        index=measures.index(first) if first in measures else 0,
        format_func=formatting.measure_name,
        **in_address("measure"),
        width=260,
    )


def choose_pair(results: Results, labels: tuple[str, str], *, stacked: bool = False) -> tuple[int, int]:
    """Draw the choice of two learners, side by side or stacked, kept in the address, and return their positions."""
    first, second = first_pair(results)
    left, right = (st.container(), st.container()) if stacked else st.columns(2)
    with left:
        first = choose_learner(labels[0], results, first, key="across")
    with right:
        second = choose_learner(labels[1], results, second, key="up")
    return first, second


def choose_learner(
    label: str, results: Results, default: int, *, key: str, width: int | Literal["stretch"] = "stretch"
) -> int:
    """Draw the choice of one learner, kept in the address."""
    return st.selectbox(
        label,
        range(len(results.learners)),
        index=default,
        format_func=results.learners.__getitem__,
        **in_address(key),
        width=width,
    )
