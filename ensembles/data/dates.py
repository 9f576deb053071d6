"""Dates as numbers: days, or their parts. Nothing is learned of a date as such."""

from __future__ import annotations

import re
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

_CLOCK = re.compile(r"\d{1,2}:[\d:.,]+\s*([ap]\.?m\.?)?\s*(z|utc|gmt|[+-][\d:]+)?", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_DAY_AND_MONTH = re.compile(r"(?<![\w.:/-])(\d{1,2})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{4}|\d{2})(?![\d:])")
_YEAR = re.compile(r"((?:(?:\d{1,2}|[a-z]+)[-/., ]+){2,3}|)(\d{4})(?=[-/., ]|$)", re.IGNORECASE)
_FOUR_DIGITS = re.compile(r"\d{4}")
_CENTURY, _LAST_SHORT_YEAR = np.timedelta64(36_525, "D"), 2068  # of two digits, as POSIX has them; none between is 2100
_SHORT_YEAR_FIRST = re.compile(r"(\d{2})(?=([-/.])\d{1,2}\2\d{1,2}(?!\d))")
_FIRST_YEAR = 1800  # of the 400 that all versions of pandas read
_CYCLE = np.timedelta64(146_097, "D")  # after 400 years the calendar repeats, weekdays too


def holds_dates(reading: Reading) -> bool:
    """Whether nearly all values of a column of text are dates; times of day alone are none."""
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
    moments[reading.missing] = np.datetime64("NaT", "us")
    if kind == DATE_KINDS[0]:
        days = moments.astype(np.int64) * 1e3 / 86_400e9  # of nanoseconds: what pandas gives, to the last bit
        return {name: np.where(np.isnat(moments), np.nan, days)[reading.column.codes]}
    found = pd.DatetimeIndex(moments)
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
    """Return moments in UTC, in microseconds; NaT where there is no date: neither time of day nor day of the year is one.

    The year comes first where it stands first, of two digits where any value says so. Else the month does, or the day if
    more values allow that; in a tie it is the month. What does not go with the order of the others is no date. Years of
    two digits are those from 1969 to 2068.
    """
    placed = [("", 0) if _is_of_today(text) else _nearer(text) for text in texts]
    near = [text for text, _ in placed]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about formats that pandas has to guess
        tries = [pd.to_datetime(near, errors="coerce", format="ISO8601", utc=True)]
        if any((found := _SHORT_YEAR_FIRST.match(text)) and not 0 < int(found[1]) <= 31 for text in near):
            tries.append(pd.to_datetime([*map(_with_long_year, near)], errors="coerce", yearfirst=True, utc=True))
        for first in (False, True):
            ordered = [text if _goes_with(text, dayfirst=first) else "" for text in near]
            tries.append(pd.to_datetime(ordered, errors="coerce", dayfirst=first, utc=True))
    best = max(tries, key=lambda found: int(np.sum(found.notna())))
    moments = best.tz_localize(None).to_numpy().astype("datetime64[us]")
    moments[moments < np.datetime64("0002")] = np.datetime64("NaT", "us")  # where pandas puts what has no year
    moments += np.array([cycles for _, cycles in placed]) * _CYCLE
    is_short = np.array([_FOUR_DIGITS.search(_CLOCK.sub("", text)) is None for text in texts], dtype=bool)
    # pandas reads two digits as a year of the fifty before or behind the present one, so otherwise every year
    moments[is_short & (moments >= np.datetime64(f"{_LAST_SHORT_YEAR + 1}"))] -= _CENTURY
    return moments


def _is_of_today(text: str) -> bool:
    """Whether pandas would add something of the present day: after a time, day, month and year are needed."""
    clock = _CLOCK.match(text)
    return text in {"now", "today"} or (clock is not None and len(_WORD.findall(text, clock.end())) < 3)


def _nearer(text: str) -> tuple[str, int]:
    """Return the text with its year in [1800, 2200), and how many times 400 years were taken off."""
    found = _YEAR.match(text)
    if found is None or not (cycles := (int(found[2]) - _FIRST_YEAR) // 400):
        return text, 0
    return f"{found[1]}{int(found[2]) - 400 * cycles}{text[found.end() :]}", cycles


def _with_long_year(text: str) -> str:
    """Return a text that starts with a year of two digits with one of four; "" for another one."""
    found = _SHORT_YEAR_FIRST.match(text)
    if found is None:
        return ""
    year = int(found[1])
    return f"{year + (2000 if year <= _LAST_SHORT_YEAR - 2000 else 1900)}{text[2:]}"


def _goes_with(text: str, *, dayfirst: bool) -> bool:
    """Whether two numbers before a year can be day and month in this order; pandas would swap them where they cannot."""
    found = _DAY_AND_MONTH.search(text)
    month = int(found[2 if dayfirst else 1]) if found else 0
    return not 12 < month <= 31  # a larger one is a year that stands first
