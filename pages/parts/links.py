"""Ways from page to page; file names are relative to `pages/main.py`, query parameters are the permalinks."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

import streamlit as st

__all__ = [
    "DATASETS",
    "EXPERIMENTS",
    "HOME",
    "NEW_EXPERIMENT",
    "PAPERS",
    "RESULTS",
    "open_dataset",
    "open_new",
    "open_results",
]

HOME = "home.py"
NEW_EXPERIMENT = "new_experiment.py"
EXPERIMENTS = "experiments.py"
RESULTS = "results.py"
DATASETS = "datasets.py"
PAPERS = "papers.py"


def open_results(experiment: str) -> NoReturn:
    """Go to the results of an experiment."""
    st.switch_page(RESULTS, query_params={"experiment": experiment})


def open_dataset(ref: str) -> NoReturn:
    """Go to the card of a data set, by catalogue key or content hash."""
    st.switch_page(DATASETS, query_params={"dataset": ref})


def open_new(
    *, clone: str | None = None, dataset: str | None = None, settings: Mapping[str, Any] | None = None
) -> NoReturn:
    """Go to a new experiment that starts as a copy of another, or with a data set, and its settings, chosen."""
    given = {"clone": clone, "dataset": dataset, "settings": json.dumps(settings) if settings else None}
    st.switch_page(NEW_EXPERIMENT, query_params={name: value for name, value in given.items() if value})
