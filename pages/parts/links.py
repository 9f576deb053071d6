"""Ways from page to page; file names are relative to `pages/main.py`, query parameters are the permalinks."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import streamlit as st

from pages.parts.address import switch_subject
from pages.parts.store import store

__all__ = [
    "ACCOUNT",
    "ADMIN",
    "DATASETS",
    "EXPERIMENTS",
    "HOME",
    "LEADERBOARD",
    "LEARNERS",
    "NEW_EXPERIMENT",
    "PAPERS",
    "RESULTS",
    "SHARED",
    "draw_new_link",
    "open_comparison",
    "open_dataset",
    "open_new",
    "open_results",
    "open_section",
]

HOME = "home.py"
NEW_EXPERIMENT = "new_experiment.py"
EXPERIMENTS = "experiments.py"
RESULTS = "results.py"
LEADERBOARD = "leaderboard.py"
DATASETS = "datasets.py"
LEARNERS = "learners.py"
PAPERS = "papers.py"
ACCOUNT = "account.py"
ADMIN = "admin.py"
SHARED = "shared.py"


_FOLLOW = "follow"
_TIMES_LOOKED = 300  # once a frame: five seconds, for a page whose link is loaded later

# A link pushes one entry of the browser's history, `st.switch_page` with parameters two: the old page with the new
# parameters first, so that Back would lead there.
_FOLLOW_JS = f"""
export default function ({{ data }}) {{
    let looked = 0;
    let frame = requestAnimationFrame(function look() {{
        const link = document.querySelector(".st-key-" + data.key + " a");
        if (link) link.click();
        else if (++looked < {_TIMES_LOOKED}) frame = requestAnimationFrame(look);
    }});
    return () => cancelAnimationFrame(frame);
}}
"""

_follow = st.components.v2.component("ensemble_lab_follow", js=_FOLLOW_JS)


def draw_new_link(label: str = "New experiment") -> None:
    """Draw a link to a new experiment, for who may launch one."""
    if store().actor.may("launch"):
        st.page_link(NEW_EXPERIMENT, label=label, icon=":material/add_circle:")


def open_results(experiment: str) -> NoReturn:
    """Go from another page to the results of an experiment."""
    _go(RESULTS, {"experiment": experiment})


def open_comparison(experiments: Iterable[str]) -> NoReturn:
    """Go from another page to the results of several experiments put together."""
    _go(RESULTS, {"experiments": ",".join(experiments)})


def open_new(
    *,
    clone: str | None = None,
    extend: str | None = None,
    dataset: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> NoReturn:
    """Go to a new experiment that starts as a copy of another, or goes on from it, or with a data set, and its settings."""
    given = {
        "clone": clone,
        "extend": extend,
        "dataset": dataset,
        "settings": json.dumps(settings) if settings else None,
    }
    _go(NEW_EXPERIMENT, {name: value for name, value in given.items() if value})


def open_dataset(ref: str) -> NoReturn:
    """Go, among the data sets, to the card of one, by catalogue key or content hash."""
    switch_subject(DATASETS, {"dataset": ref})


def open_section(section: str) -> NoReturn:
    """Go from the card of a data set to a section of the library that is not the first."""
    st.switch_page(DATASETS, query_params={"shelf": section})


def _go(page: str, query: Mapping[str, str]) -> NoReturn:
    """Draw a link to another page, have the browser follow it, and end the page here."""
    with st.container(key=_FOLLOW):
        st.page_link(page, label="Go on", icon=":material/arrow_forward:", query_params=query)
    _follow(data={"key": _FOLLOW}, key="follow_link")
    st.stop()
