"""Reading numbers as people write them: decimal point or comma, groups of thousands, marks for what is missing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ensembles.data.columns import Column
from ensembles.data.missing_markers import NUMERIC_MARKERS, TEXT_MARKERS

__all__ = ["LARGEST", "Reading", "commas_are_decimal", "read_numbers", "read_so", "sniff_decimal"]

LARGEST = 1e150  #: a larger value would overflow when a learner squares it
_SAMPLE = 200
_FEW = 1000  # of which a set is made sooner than a table of hashes

_PLAIN = {
    ".": r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$",
    ",": r"^[+-]?([0-9]+,?[0-9]*|,[0-9]+)([eE][+-]?[0-9]+)?$",
}
#: A group never starts with 0, so that 0.125 stays a fraction.
_GROUPED = {
    ".": r"^[+-]?[1-9][0-9]{0,2}([,' \x{a0}\x{202f}][0-9]{3})+(\.[0-9]+)?$",
    ",": r"^[+-]?[1-9][0-9]{0,2}([.' \x{a0}\x{202f}][0-9]{3})+(,[0-9]+)?$",
}
_GROUPERS = {".": r"[,' \x{a0}\x{202f}]", ",": r"[.' \x{a0}\x{202f}]"}
_PLAIN_NUMBER = re.compile(_PLAIN["."])
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+([eE][-+]?[0-9]+)?")
_FRACTION = re.compile(r"[+-]?[0-9]*([.,])[0-9]+([eE][+-]?[0-9]+)?")
_COULD_GROUP = re.compile(r"[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+")
_GROUPED_FRACTION = re.compile("[+-]?[1-9][0-9]{0,2}(?:([.,' \u00a0\u202f])[0-9]{3})+(?!\\1)([.,])[0-9]+")
_PARTS = re.compile(r"[+-]?[0-9]+([.,])[0-9]+(\1[0-9]+)+")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}([.,])[0-9]{3}(\1[0-9]{3})+")
_ADDRESS = re.compile(r"[0-9]+(\.(1[0-9]{2}|2[0-4][0-9]|25[0-5])){3}")  # of a computer, which looks like thousands
_OTHER_SIGN = {".": ",", ",": "."}


@dataclass(frozen=True, eq=False)
class Reading:
    """A column, read as far as possible as numbers. All masks are over the column's different values.

    Attributes
    ----------
    missing : ndarray of bool
        Values that stand for a missing cell.
    wrong : ndarray of bool
        Values that are neither missing nor a number.
    numbers : ndarray of float64
        NaN where missing or wrong.
    grouped : bool
        Thousands are grouped.
    """

    column: Column
    missing: npt.NDArray[np.bool_]
    wrong: npt.NDArray[np.bool_]
    numbers: npt.NDArray[np.float64]
    grouped: bool = False

    @property
    def is_numeric(self) -> bool:
        """Every value is a number or missing."""
        return not self.wrong.any() and not self.missing.all()

    @property
    def is_whole(self) -> bool:
        """Every value is a whole number or missing. Of fractions a few are looked at."""
        numbers = self._there
        return self.is_numeric and _are_whole(numbers[:_FEW]) and _are_whole(numbers)

    @cached_property
    def present(self) -> int:
        """Number of cells that are not missing."""
        return int(self.column.counts[~self.missing].sum()) if self.missing.any() else self.column.n_rows

    @property
    def distinct(self) -> int:
        """Number of different values that are not missing; 1 and 1.0 are one number."""
        kept = vars(self)  # as a cached property would; that of Python 3.11 works out one column at a time
        if "_distinct" not in kept:
            kept["_distinct"] = self._count_distinct()
        distinct: int = kept["_distinct"]
        return distinct

    @cached_property
    def span(self) -> float:
        """How far apart the smallest and the largest number are; 0 without a number."""
        return float(np.ptp(self._there)) if self.is_numeric else 0.0

    @cached_property
    def n_categories(self) -> int:
        """Number of categories that these values make. Texts count as they are written: 1 and 1.0 are two."""
        return self.distinct if self.column.holds_numbers else int((~self.missing).sum())

    def _count_distinct(self) -> int:
        if self.is_numeric:
            numbers = self._there
            return len(set(numbers.tolist())) if len(numbers) <= _FEW else _n_different(numbers)
        return int((~self.missing).sum())

    @property
    def _there(self) -> npt.NDArray[np.float64]:
        return self.numbers[~self.missing] if self.missing.any() else self.numbers


def _are_whole(numbers: npt.NDArray[np.float64]) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def _n_different(numbers: npt.NDArray[np.float64]) -> int:
    """Return how many different numbers there are, none missing: sorting is quicker than a table of hashes."""
    ordered = np.sort(numbers)
    return int((ordered[1:] != ordered[:-1]).sum()) + 1


def sniff_decimal(columns: Iterable[Column], delimiter: str) -> str:
    """Return `","` when more cells of the first values can only be read with a decimal comma than with a point."""
    votes = {",": 0, ".": 0}
    doubtful = 0
    for column in columns:
        others = []
        for text in column.spelled or column.values.slice(0, _SAMPLE).to_pylist():
            match = _FRACTION.fullmatch(text)
            if match and _COULD_GROUP.fullmatch(text):
                doubtful += match.group(1) == ","
            elif match:
                votes[match.group(1)] += 1
            elif grouped := _GROUPED_FRACTION.fullmatch(text):
                votes[grouped.group(2)] += 1
            else:
                others.append(text)
        for group in _groups_of_thousands(others):
            votes[_OTHER_SIGN[group]] += 1
    if votes[","] == votes["."] == 0 and delimiter != ",":
        return "," if doubtful else "."
    return "," if votes[","] > votes["."] else "."


def _groups_of_thousands(texts: Iterable[str]) -> list[str]:
    """Return the sign that stands more than once in each text, where in all that hold such a one it parts thousands only.

    It does not in dates, versions and addresses.
    """
    parted = [text for text in texts if _PARTS.fullmatch(text)]
    found = [match for match in map(_THOUSANDS.fullmatch, parted) if match]
    if len(found) < len(parted) or all(map(_ADDRESS.fullmatch, parted)):
        return []
    return [match.group(1) for match in found]


def read_numbers(column: Column, decimal: str, missing: Collection[str] | None = None) -> Reading:
    """Read a column as numbers.

    Parameters
    ----------
    column : Column
    decimal : {".", ","}
        The decimal sign of the file, unless the column has its own; the other one is tried when only that fits.
    missing : collection of str, optional
        What stands for a missing cell besides an empty one and the sign of the format, instead of the usual marks.
    """
    decimal = column.decimal or decimal
    if column.holds_numbers:
        reading = _take_numbers(column)
    elif missing is not None:
        reading = _read_texts(column, decimal, ("", *(column.marks or ()), *missing), ())
    else:
        reading = _read_texts(column, decimal, column.marks or TEXT_MARKERS, () if column.marks else NUMERIC_MARKERS)
    return _without(reading, missing or ())


def read_so(column: Column, decimal: str, missing: Collection[str], *, may_group: bool = True) -> Reading:
    """Read a part of a column as numbers, where it is known what stands for a missing cell and for the decimal sign."""
    if column.holds_numbers:
        return _without(_take_numbers(column), missing)
    absent = _is_in(column.values, tuple(missing))
    numbers = np.full(len(column.values), np.nan)
    numbers[~absent], grouped = _as_numbers(column.values.filter(pa.array(~absent)), decimal, may_group)
    return _without(Reading(column, absent, np.isnan(numbers) & ~absent, numbers, grouped), missing)


def _without(reading: Reading, missing: Collection[str]) -> Reading:
    """Return the reading with the numbers that stand for a missing cell taken out."""
    wanted = [float(mark) for mark in missing if _PLAIN_NUMBER.fullmatch(mark)]
    if wanted and (found := np.isin(reading.numbers, wanted)).any():
        numbers = np.where(found, np.nan, reading.numbers)
        reading = replace(reading, missing=reading.missing | found, numbers=numbers)
    return reading


def _take_numbers(column: Column) -> Reading:
    numbers = column.values.to_numpy()
    missing = ~np.isfinite(numbers)
    return Reading(column, missing, ~missing & (np.abs(numbers) > LARGEST), _within_range(numbers))


def _read_texts(
    column: Column, decimal: str, always_missing: tuple[str, ...], number_marks: tuple[str, ...]
) -> Reading:
    always = _is_in(column.values, always_missing)
    sometimes = _is_in(column.values, number_marks)
    candidates = np.flatnonzero(~(always | sometimes))
    texts = column.values if len(candidates) == len(column.values) else column.values.take(pa.array(candidates))
    found, grouped = _as_numbers(texts, decimal)
    if np.isnan(found).any():
        other, _ = _as_numbers(texts, "," if decimal == "." else ".", may_group=False)
        if not np.isnan(other).any():
            found, grouped = other, False
    numbers = np.full(len(column.values), np.nan)
    numbers[candidates] = found
    wrong = np.isnan(numbers) & ~always
    if sometimes.any() and not wrong[candidates].any() and len(pd.unique(found)) > 1:
        wrong &= ~sometimes
        always |= sometimes
    return Reading(column, always, wrong, numbers, grouped)


def _is_in(values: Any, marks: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = pc.is_in(values, value_set=_as_array(marks)).to_numpy(zero_copy_only=False)
    return found


@lru_cache(16)
def _as_array(marks: tuple[str, ...]) -> Any:
    return pa.array(marks, pa.string())


def _as_numbers(texts: Any, decimal: str, may_group: bool = True) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the number that each text holds, NaN where it holds none, and whether thousands are grouped."""
    if decimal == ".":
        try:
            return _within_range(pc.cast(texts, pa.float64()).to_numpy()), False
        except pa.ArrowInvalid:
            pass
    plain = _matches(texts, _PLAIN[decimal])
    grouped = _matches(texts, _GROUPED[decimal]) & ~plain if may_group else np.zeros(len(texts), dtype=bool)
    numbers = np.full(len(texts), np.nan)
    fit = plain | grouped
    cleaned = pc.filter(texts, pa.array(fit))
    if grouped.any():
        cleaned = pc.replace_substring_regex(cleaned, _GROUPERS[decimal], "")
    if decimal == ",":
        cleaned = pc.replace_substring(cleaned, ",", ".")
    numbers[fit] = _within_range(pc.cast(cleaned, pa.float64()).to_numpy())
    return numbers, bool(grouped.any())


def _matches(texts: Any, pattern: str) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return found


def _within_range(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    inside = np.abs(numbers) <= LARGEST
    return numbers if inside.all() else np.where(inside, numbers, np.nan)


def commas_are_decimal(rows: Collection[Collection[str]]) -> bool:
    """Return whether rows, taken apart at blanks, are numbers with decimal commas, two or more in most of them."""
    if len({*map(len, rows)}) != 1:
        return False
    found = [[cell for cell in row if "," in cell] for row in rows]
    several = sum(len(cells) > 1 for cells in found)
    return 2 * several > len(rows) and all(_DECIMAL_COMMA.fullmatch(cell) for cells in found for cell in cells)
