"""What a column is: nominal, numeric or better ignored, and which column is the class; every guess with its reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ensembles.data.columns import MOST_CATEGORIES, Column, ColumnKind
from ensembles.data.header import TARGET_NAMES
from ensembles.data.numbers import Reading

__all__ = ["ColumnGuess", "class_problem", "guess_column", "guess_many", "guess_target"]

_MOST_CLASSES = 1_000
_MOST_CLEAR_CLASSES = 50  # in a column that nobody calls the class
_MOST_NUMBERS_AS_CLASSES = 100
_MOST_FRACTIONS_AS_CLASSES = 20
_MOST_CODES = 3  # 0/1 flags and small codes; from four values on, whole numbers are more often counts or grades
_MOST_NAMED_CODES = 200
_FEW = 20
_EXAMPLES = 5

_ID_NAME = re.compile(
    r"(.*[ _-])?(id|ids|uuid|guid|index|idx|row|rownames|nr|no|number)|unnamed: 0|__index_level_0__|#", re.IGNORECASE
)
_CODE_WORDS = {
    *("code", "codes", "recode", "zip", "zipcode", "postcode", "postal", "plz"),
    *("category", "type", "group", "region", "district", "status", "sex", "gender"),
}


@dataclass(frozen=True)
class ColumnGuess:
    """What a column was taken for.

    Attributes
    ----------
    kind : {"nominal", "numeric", "ignore"}
    distinct : int
        Number of different values, missing ones not counted: categories as they are written, else 1 and 1.0 are one number.
    missing : int
        Number of missing cells.
    examples : tuple of str
        Up to five different values as they stand in the file.
    reason : str
        One sentence.
    """

    name: str
    kind: ColumnKind
    distinct: int
    missing: int
    examples: tuple[str, ...]
    reason: str


def guess_column(reading: Reading) -> ColumnGuess:
    """Guess the kind of one column."""
    column = reading.column
    kind, reason = _number_kind(reading) if reading.is_numeric else _text_kind(reading)
    if column.declared and reading.distinct > 0 and (column.declared != "nominal" or _countable(reading)):
        kind, reason = column.declared, column.reason
    return ColumnGuess(
        name=column.name,
        kind=kind,
        distinct=reading.n_categories if kind == "nominal" else reading.distinct,
        missing=column.n_rows - reading.present,
        examples=tuple(column.texts(np.flatnonzero(~reading.missing)[:_EXAMPLES])),
        reason=reason,
    )


def guess_many(column: Column, examples: tuple[str, ...], missing: int, *, numeric: bool, whole: bool) -> ColumnGuess:
    """Guess the kind of a column that has more than 10,000 different values, of which only a few examples are held.

    Parameters
    ----------
    column : Column
        Its name and what the file declares, and whether it counts the rows.
    numeric, whole : bool
        Whether every cell that is not missing is a number, and a whole one.
    """
    kind: ColumnKind = "ignore"
    reason = f"Text with more than {MOST_CATEGORIES:,} different values, too many to count."
    if numeric and whole and column.counts_up:
        reason = "Counts the rows."
    elif numeric and whole and _ID_NAME.fullmatch(column.name):
        reason = f"Named like a number of the row, with more than {MOST_CATEGORIES:,} different values."
    elif numeric:
        kind, reason = "numeric", f"Numbers, more than {MOST_CATEGORIES:,} different values."
    if column.declared and column.declared != "nominal":
        kind, reason = column.declared, column.reason
    return ColumnGuess(column.name, kind, MOST_CATEGORIES + 1, missing, examples, reason)


def guess_target(readings: Sequence[Reading], guesses: Sequence[ColumnGuess], named: bool = True) -> str | None:
    """Return the class column where it is clear, else None.

    It is clear when a column is called so. Else the last one is the class if it is nominal with at most 50 values; where
    the columns have no names of their own (`named` is False), and it is not, the first one if that is. Quantities, dates
    and what numbers or names the rows are nobody's guess.
    """
    names = {reading.column.name.casefold(): reading.column.name for reading in reversed(readings)}
    for wanted in TARGET_NAMES:
        if wanted in names:
            return names[wanted]
    for place in (-1,) if named else (-1, 0):
        if guesses[place].kind == "nominal" and guesses[place].distinct <= _MOST_CLEAR_CLASSES:
            return guesses[place].name if class_problem(readings[place]) is None else None
    return None


def class_problem(reading: Reading) -> str | None:
    """Say what keeps a column from being the class, or None.

    A class column needs two classes, which count as they are written. Numbers with more than 100 different values,
    fractions with more than 20, and texts with more than 1,000, or with more than 10 when that is more than half of the
    rows, are refused: quantities and names are not classes.
    """
    distinct, n_classes, present = reading.distinct, reading.n_categories, reading.present
    if present == 0:
        return "has no value in any row, so there is no class to predict"
    if n_classes < 2:
        only = reading.column.texts(np.flatnonzero(~reading.missing)[:1])[0]
        return f"needs at least two different classes, got only {only!r}"
    most = _MOST_NUMBERS_AS_CLASSES if reading.is_whole else _MOST_FRACTIONS_AS_CLASSES
    if reading.is_numeric and distinct > most:
        numbers = "numbers" if distinct > _MOST_NUMBERS_AS_CLASSES else "fractions"
        return (
            f"holds {distinct:,} different {numbers}, so it is a quantity and not a class; "
            f"choose a column with at most {most} different values, or have the numbers grouped (bins)"
        )
    if n_classes > _MOST_CLASSES or n_classes > max(10, present / 2):
        return f"has {n_classes:,} different values in {present:,} rows, so it holds names and not classes"
    return None


def _text_kind(reading: Reading) -> tuple[ColumnKind, str]:
    distinct = reading.distinct
    if distinct == 0:
        return "ignore", "Every cell is missing."
    if distinct == 1:
        return "nominal", "One value only, so it cannot tell classes apart."
    if distinct > MOST_CATEGORIES:
        return "ignore", f"Text with {distinct:,} different values, too many to count."
    if distinct > _FEW and distinct > reading.present / 2:
        return "ignore", "Text that differs in nearly every row, like a name."
    if reading.wrong.sum() < distinct / 2:
        stranger = reading.column.texts(np.flatnonzero(reading.wrong)[:1])[0]
        return "nominal", f"Text, {distinct:,} different values: most are numbers, but {stranger!r} is not."
    return "nominal", f"Text, {distinct:,} different values."


def _number_kind(reading: Reading) -> tuple[ColumnKind, str]:
    distinct, name = reading.distinct, reading.column.name
    if distinct == 1:
        return "numeric", "One value only, so it cannot tell classes apart."
    if not reading.is_whole:
        return "numeric", f"Numbers, {distinct:,} different values."
    if _counts_rows(reading):
        return "ignore", "Counts the rows."
    if _ID_NAME.fullmatch(name) and distinct > _FEW and distinct > 0.9 * reading.present:
        return "ignore", "Named like a number of the row, and different in nearly every one."
    few = distinct <= _MOST_CODES and distinct <= reading.present / 2
    named = distinct <= _MOST_NAMED_CODES and not _CODE_WORDS.isdisjoint(re.findall(r"[a-z]+", name.casefold()))
    if (few or named) and reading.n_categories > distinct:
        written = f"written in {reading.n_categories:,} ways, so not as codes are"
        return "numeric", f"Whole numbers, {distinct:,} different values, {written}."
    if few:
        return "nominal", f"Whole numbers, but only {distinct} different ones: taken as codes."
    if named:
        return "nominal", f"Whole numbers, {distinct:,} different ones, under a name that speaks of codes."
    return "numeric", f"Whole numbers, {distinct:,} different values."


def _countable(reading: Reading) -> bool:
    return reading.n_categories <= MOST_CATEGORIES


def _counts_rows(reading: Reading) -> bool:
    rows = reading.column.n_rows
    if reading.distinct != rows or (rows < _FEW and not _ID_NAME.fullmatch(reading.column.name)):
        return False
    if reading.column.counts_up is not None:
        return reading.column.counts_up
    numbers = reading.numbers[reading.column.codes]
    return bool(numbers[0] in (0.0, 1.0) and (np.diff(numbers) == 1.0).all())
