"""Dates as numbers: days, or their parts. Nothing is learned of a date as such."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.numbers import Reading

__all__ = ["DATE_KINDS", "date_columns", "holds_dates"]

DATE_KINDS = ("date as number", "date as parts")
"""What a column of dates can be made: days since 1970, or year, month, day, weekday, and the hour where there is one."""

_SAMPLE = 200
_ENOUGH = 0.95  # of the values that are there


def holds_dates(reading: Reading) -> bool:
    """Whether nearly all values of a column of text are dates."""
    if reading.is_numeric or reading.column.holds_numbers:
        return False
    positions = np.flatnonzero(~reading.missing)[:_SAMPLE]
    if len(positions) < 2:
        return False
    texts = reading.column.texts(positions)
    if not all(len(text) >= 6 and any(mark in text for mark in "-/.:") for text in texts[:5]):
        return False  # quickly: most text is none
    return float(np.mean(~np.isnat(_moments(texts)))) >= _ENOUGH


def date_columns(reading: Reading, kind: str) -> dict[str, npt.NDArray[np.float64]]:
    """Return columns of numbers by their names, a value for each row; NaN where there is no date.

    Parameters
    ----------
    kind : {"date as number", "date as parts"}
    """
    name = reading.column.name
    moments = _moments(reading.column.texts(np.arange(len(reading.missing))))
    moments[reading.missing] = np.datetime64("NaT", "ns")
    found = pd.DatetimeIndex(moments)
    if kind == DATE_KINDS[0]:
        days = (found - pd.Timestamp(0)) / pd.Timedelta(days=1)
        return {name: days.to_numpy(dtype=float)[reading.column.codes]}
    parts: dict[str, Any] = {
        "year": found.year,
        "month": found.month,
        "day": found.day,
        "weekday": found.day_of_week + 1,
    }
    if (hours := np.asarray(found.hour + found.minute / 60.0))[~np.isnat(moments)].any():
        parts["hour"] = hours
    return {f"{name} {part}": np.asarray(own, dtype=float)[reading.column.codes] for part, own in parts.items()}


def _moments(texts: list[str]) -> npt.NDArray[np.datetime64]:
    """Return moments in UTC: the year first where it stands first, else the month or the day as most values allow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about formats that pandas has to guess
        iso = pd.to_datetime(texts, errors="coerce", format="ISO8601", utc=True)
        tries = [iso, *(pd.to_datetime(texts, errors="coerce", dayfirst=first, utc=True) for first in (False, True))]
    best = max(tries, key=lambda found: int(np.sum(found.notna())))
    return np.asarray(best.tz_localize(None).to_numpy(), dtype="datetime64[ns]").copy()
