"""The views of a data set's card: attributes, missing values, associations, a projection, and the choice among them."""

import pandas as pd
import streamlit as st

from ensembles.reports.dataset_facts import Facts, distribution, is_cut
from ensembles.reports.dataset_figures import association_chart, distribution_chart, projection_chart
from ensembles.reports.dataset_summary import (
    Associations,
    Projection,
    associations,
    missing_patterns,
    missing_shares,
    project,
)
from ensembles.reports.formatting import pluralize
from pages.parts.address import choose_view, in_address, tell_unknown
from pages.parts.chart import draw_chart
from pages.parts.dataset_library import Place, load_by_ref
from pages.parts.look import side_by_side
from pages.parts.text import escape_markdown

__all__ = ["draw_views"]

_VIEWS = ("Attributes", "Missing values", "Associations", "Projection")
_SHARE = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0)
_COUNT = st.column_config.NumberColumn(format="localized")


def draw_views(facts: Facts, place: Place) -> None:
    """Draw the choice of a view, kept in the address, and the view; only what the facts do not say is read."""
    view = choose_view(_VIEWS, key="card")
    if view == "Missing values":
        _draw_missing(facts, place)
    elif view == "Associations":
        _draw_associations(facts, place)
    elif view == "Projection":
        st.header("The examples in two dimensions", anchor=False)
        draw_chart(projection_chart(load_by_ref(*place), _load_projection(place)), key="datasets_projection")
    else:
        with side_by_side("attributes"):
            left, right = st.columns([3, 2], gap="large")
        with left:
            _draw_attributes(facts)
        with right:
            _draw_classes(facts)
            _draw_distribution(facts, place)


@st.cache_data(max_entries=32, show_spinner="Counting what is missing")
def _load_missing(place: Place) -> tuple[pd.DataFrame, pd.DataFrame]:
    dataset = load_by_ref(*place)
    return missing_shares(dataset), missing_patterns(dataset)


@st.cache_data(max_entries=32, show_spinner="Comparing the attributes")
def _load_associations(place: Place, numbers: str) -> Associations:
    return associations(load_by_ref(*place), numbers)


def _load_distribution(place: Place, position: int) -> tuple[pd.DataFrame, bool]:
    dataset = load_by_ref(*place)
    counts = distribution(dataset, position)
    return counts, is_cut(dataset, position, counts)


@st.cache_data(max_entries=32, show_spinner="Projecting the examples")
def _load_projection(place: Place) -> Projection:
    return project(load_by_ref(*place))


def _draw_attributes(facts: Facts) -> None:
    st.header("Attributes", anchor=False)
    st.dataframe(
        facts.attributes,
        hide_index=True,
        height="content" if len(facts.attributes) <= 16 else 600,
        column_config={
            "Kind": st.column_config.Column(help="Nominal: one of a few words. Numeric: a number."),
            "Missing": st.column_config.NumberColumn(format="localized", help="Examples without a value"),
            "Distribution": st.column_config.BarChartColumn(
                help="How often values occur, from left to right as in the figure", y_min=0
            ),
        },
    )
    st.caption(escape_markdown(f"The class is in column “{facts.target}”."))


def _draw_classes(facts: Facts) -> None:
    st.header("Classes", anchor=False)
    st.dataframe(
        facts.classes,
        hide_index=True,
        height="content" if len(facts.classes) <= 10 else 300,
        column_config={"Examples": _COUNT, "Share": _SHARE},
    )


def _draw_distribution(facts: Facts, place: Place) -> None:
    st.header("Distribution of an attribute", anchor=False)
    names = facts.attributes["Attribute"]
    tell_unknown(("attribute", [*names], "attribute"))
    position = st.selectbox("Attribute", range(len(names)), format_func=names.__getitem__, **in_address("attribute"))
    counts, cut = (facts.first, facts.is_cut) if position == 0 else _load_distribution(place, position)
    classes = "stacked by class" if counts.shape[1] > 1 else "all classes together"
    caption = f"Examples by value, {classes}." + (" Each bar of an interval is named by its lower end." if cut else "")
    draw_chart(distribution_chart(counts, caption), key="datasets_distribution")


def _draw_missing(facts: Facts, place: Place) -> None:
    shares, patterns = _load_missing(place)
    if shares.empty:
        st.info("Every example has a value of every attribute.", icon=":material/check:")
        return
    with side_by_side("missing"):
        left, right = st.columns(2, gap="large")
    with left:
        st.header("Attributes that lack values", anchor=False)
        st.dataframe(
            shares,
            hide_index=True,
            height="content" if len(shares) <= 16 else 600,
            column_config={"Missing": _COUNT, "Share": _SHARE},
        )
        if complete := len(facts.attributes) - len(shares):
            st.caption(f"{pluralize(complete, 'attribute')} without missing values: not shown.")
    with right:
        st.header("Missing together", anchor=False)
        st.dataframe(
            patterns,
            hide_index=True,
            height="content",
            column_order=("Examples", "Share", "Missing together"),  # the widest last: what does not fit is cut off
            column_config={"Examples": _COUNT, "Share": _SHARE},
        )
        st.caption("The most frequent sets of attributes that lack a value in the same example.")


def _draw_associations(facts: Facts, place: Place) -> None:
    st.header("Which attributes go together", anchor=False)
    numbers = "Pearson"
    if (facts.attributes["Kind"] == "numeric").sum() > 1:
        numbers = st.segmented_control(
            "Correlation of numbers",
            ("Pearson", "Spearman"),
            default=numbers,
            required=True,
            help="Pearson: along a line. Spearman: of the ranks, so along any rising curve.",
            **in_address("correlation"),
        )
    found = _load_associations(place, numbers.lower())
    draw_chart(association_chart(found, numbers), key="datasets_associations")
