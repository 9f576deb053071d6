"""Every trial as a row."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from ensembles.evaluation.measures import KNOWN
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.formatting import pluralize
from ensembles.reports.tables import to_csv, trial_table
from pages.parts.address import choose_page
from pages.parts.chart import draw_download

__all__ = ["draw_trials"]

_FOUR_DECIMALS = st.column_config.NumberColumn(format="%.4f")
_THREE_DIGITS = st.column_config.NumberColumn(format="%.3g")
_COUNT = st.column_config.NumberColumn(format="localized")
_BY_UNIT = {"bytes": _COUNT, "GB hours": _THREE_DIGITS}
_NARROW = {
    "Repeat": ("Repeat", 60),
    "Fold": ("Fold", 46),
    "Order": ("Order", 54),
    "Members that vote": ("Members", 74),
    "Training examples": ("Trained on", 82),
    "Test examples": ("Tested on", 78),
}
_TIMES = {
    "Processor seconds to train": ("Train CPU", 80, "Time of the processor to train"),
    "Seconds to train": ("Train", 66, "Time of the clock to train"),
    "Processor seconds to predict": ("Predict CPU", 90, "Time of the processor to predict the test set"),
    "Seconds to predict": ("Predict", 66, "Time of the clock to predict the test set"),
}
"""Columns whose names are wider than their numbers: what stands above them, their width in pixels, what they mean."""

_UNITS = {"s": 1.0, "ms": 1e3, "µs": 1e6}
_AT_ONCE = 10_000  # rows: a browser gets some megabytes of them, and no more
_LETTER, _LONGEST_NAME, _SENTENCE = 6.2, 240, 340  # pixels


def draw_trials(results: Results, stem: str) -> None:
    """Draw the table and its download."""
    table = trial_table(results)
    caption = f"{pluralize(len(table), 'trial')}. A trial is one learner on one split in one order of its examples."
    table = table.drop(columns=[name for name in ("Repeat", "Fold", "Order") if table[name].eq(1).all()])
    # of nothing but gaps, where all trials failed, older pandas warns
    unit = _unit(table["Seconds to train"].dropna().median()), _unit(table["Seconds to predict"].dropna().median())
    units = dict(zip(_TIMES, np.repeat(unit, 2), strict=True))
    for name in _TIMES:
        table[name] *= _UNITS[units[name]]
    caption += f" Training in {unit[0]}, prediction in {unit[1]}: of the processor (CPU), then of the clock."
    failures, reasons = table.pop("Failure"), table.pop("Stopped early")
    if failures.notna().any():
        table.insert(2, "Failure", failures)
    if stopped := reasons.notna().sum():
        table["Stopped early"] = reasons
        caption += f" {formatting.count(int(stopped))} stopped early: why stands at the right end."
    st.caption(caption)
    rows, start, several = st.container(), 0, len(table) > _AT_ONCE
    if several:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{_AT_ONCE:,} trials at a time; the file has all of them.")
            start = _AT_ONCE * (choose_page(-(-len(table) // _AT_ONCE), key="trials") - 1)
    rows.dataframe(
        table.iloc[start : start + _AT_ONCE],
        hide_index=True,
        height="content" if len(table) <= 15 else 560,
        column_config=_columns(results, units),
        placeholder=formatting.UNKNOWN,
        alt=f"Trials of the experiment, {_AT_ONCE:,} at a time" if several else "Every trial of the experiment",
    )
    draw_download("Every trial (CSV)", lambda: to_csv(trial_table(results)), f"{stem}-trials.csv", key="trials")


def _columns(results: Results, units: Mapping[str, str]) -> dict[str, ColumnConfig]:
    """Return how columns are shown; `units` are those of the columns of times."""
    return {
        **{formatting.measure_name(measure): _format_of(measure) for measure in results.measures},
        **{
            name: st.column_config.NumberColumn(label, help=name, format="localized", width=width)
            for name, (label, width) in _NARROW.items()
        },
        **{
            name: st.column_config.NumberColumn(label, help=f"{meaning}, in {units[name]}", format="%.3g", width=width)
            for name, (label, width, meaning) in _TIMES.items()
        },
        "Data set": st.column_config.TextColumn(pinned=True, width=_room(results.datasets)),
        "Learner": st.column_config.TextColumn(pinned=True, width=_room(results.learners)),
        **dict.fromkeys(("Failure", "Stopped early"), st.column_config.TextColumn(width=_SENTENCE)),
    }


def _room(names: Sequence[str]) -> int:
    """Return how many pixels a column of names takes; by itself it would fit those of the first rows only."""
    return min(_LONGEST_NAME, 24 + int(_LETTER * max(map(len, ("Data set", *names)))))


def _unit(seconds: float) -> str:
    """Return the unit in which a typical time has digits before its point."""
    return next((unit for unit, many in _UNITS.items() if seconds * many >= 1), "s")


def _format_of(measure: str) -> ColumnConfig:
    return _BY_UNIT.get(KNOWN[measure].unit, _FOUR_DECIMALS) if measure in KNOWN else _FOUR_DECIMALS
