"""Every trial as a row."""

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from ensembles.evaluation.measures import KNOWN
from ensembles.reports import words
from ensembles.reports.results import Results
from ensembles.reports.tables import to_csv, trial_table
from pages.parts.results.chart import draw_download
from pages.parts.text import counted

__all__ = ["draw_trials"]

_FOUR_DECIMALS = st.column_config.NumberColumn(format="%.4f")
_COUNT = st.column_config.NumberColumn(format="localized")
_SECONDS = "%.3g"  # of microseconds as well, which four decimals show as 0
_NARROW = {
    "Repeat": ("Repeat", "localized", 62),
    "Fold": ("Fold", "localized", 50),
    "Order": ("Order", "localized", 56),
    "Processor seconds to train": ("Train CPU (s)", _SECONDS, 100),
    "Seconds to train": ("Train (s)", _SECONDS, 84),
    "Processor seconds to predict": ("Predict CPU (s)", _SECONDS, 112),
    "Seconds to predict": ("Predict (s)", _SECONDS, 90),
    "Members that vote": ("Members", "localized", 76),
    "Training examples": ("Trained on", "localized", 84),
    "Test examples": ("Tested on", "localized", 78),
}
"""Columns whose names are wider than their numbers: what stands above them, their format, their width in pixels."""


def draw_trials(results: Results, stem: str) -> None:
    """Draw the table and its download."""
    table = trial_table(results)
    for name in ("Stopped early", "Failure"):
        if (sentences := table.pop(name)).notna().any():
            table.insert(2, name, sentences)
    st.caption(f"{counted(len(table), 'trial')}. A trial is one learner on one split in one order of its examples.")
    st.dataframe(
        table,
        hide_index=True,
        height="content" if len(table) <= 15 else 560,
        column_config={
            **{words.measure_name(measure): _format_of(measure) for measure in results.measures},
            **{
                name: st.column_config.NumberColumn(label, help=name, format=form, width=width)
                for name, (label, form, width) in _NARROW.items()
            },
            **dict.fromkeys(("Data set", "Learner"), st.column_config.TextColumn(pinned=True)),
        },
        placeholder=words.UNKNOWN,
        alt="Every trial of the experiment",
    )
    draw_download("Every trial (CSV)", lambda: to_csv(trial_table(results)), f"{stem}-trials.csv", key="trials")


def _format_of(measure: str) -> ColumnConfig:
    return _COUNT if measure in KNOWN and KNOWN[measure].unit == "bytes" else _FOUR_DECIMALS
