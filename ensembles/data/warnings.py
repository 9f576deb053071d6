"""What the user should know of a table before it is stored, each with what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from ensembles.data.dates import DATE_KINDS, holds_dates
from ensembles.data.inference import class_problem
from ensembles.data.numbers import Reading
from ensembles.data.preview import ColumnGuess, Preview
from ensembles.data.row_choice import duplicated

__all__ = ["DataWarning", "class_balance", "find_warnings", "n_duplicates"]

Remedy = Literal["kind", "bins", "leave_out", "shuffle", "unique", "missing", "none"]

_NEARLY_ALL = 0.9
_FEWEST_ROWS = 20
_MOST_STRANGERS, _FEWEST_NUMBERS = 3, 4  # different values
_NAMED = 5
_LEAST_SPREAD = 1e-6  # naive Bayes has no smaller deviation
_MOST_CELLS, _MOST_COLUMNS = 5_000_000, 1_000  # more take too long to look at while a page waits


@dataclass(frozen=True)
class DataWarning:
    """One thing to know.

    Attributes
    ----------
    sentence : str
        May hold names of the user.
    remedy : {"kind", "bins", "leave_out", "shuffle", "unique", "missing", "none"}
        Give columns another kind, group the numbers of the class, leave out the rows of classes, shuffle the rows, keep
        one of equal rows, or take values of columns for missing ones; or there is none but another file.
    label : str
        What the remedy does, in a word or two; empty where there is none.
    columns : tuple of str
        Of "kind", the columns; of "leave_out", the classes.
    kind : str
        Of "kind": which one.
    values : tuple of str
        Of "missing": which ones.
    """

    sentence: str
    remedy: Remedy
    label: str
    columns: tuple[str, ...] = ()
    kind: str = "ignore"
    values: tuple[str, ...] = ()


def class_balance(preview: Preview, target: str) -> pd.DataFrame:
    """Return how many rows each class has, the largest first; text of the user."""
    reading = preview.find_reading(target)
    positions = np.flatnonzero(~reading.missing)
    counts = reading.column.counts[positions]
    order = np.argsort(-counts, kind="stable")
    share = counts[order] / max(int(counts.sum()), 1)
    return pd.DataFrame({"Class": reading.column.texts(positions[order]), "Examples": counts[order], "Share": share})


def find_warnings(preview: Preview, target: str | None, kinds: Mapping[str, str]) -> list[DataWarning]:
    """Return what to know about the class, then about rows, then about the first 1,000 columns that are not left out yet.

    Parameters
    ----------
    kinds : mapping
        The kind of each column besides the class, as it stands now.
    """
    found = _of_class(preview, target) if target is not None else []
    for reading, guess in zip(preview.readings[:_MOST_COLUMNS], preview.columns, strict=False):
        name = reading.column.name
        if name != target:
            found += _of_column(reading, guess, kinds.get(name, "ignore"))
    return found


def n_duplicates(preview: Preview, target: str | None, kinds: Mapping[str, str]) -> int:
    """Return how many rows say in all columns that are used what an earlier row says; 0 of a table too large to tell."""
    used = [r for r in preview.readings if r.column.name == target or kinds.get(r.column.name, "ignore") != "ignore"]
    if (
        all(reading.column.name == target for reading in used)
        or len(used) > _MOST_COLUMNS
        or preview.rows * len(used) > _MOST_CELLS
    ):
        return 0
    return int(duplicated(used, kinds).sum())


def _of_class(preview: Preview, target: str) -> list[DataWarning]:
    reading = preview.find_reading(target)
    found = []
    if reading.is_numeric and class_problem(reading) and reading.distinct > 2:
        sentence = f"The class column “{target}” holds {reading.distinct:,} different numbers: a quantity, not classes."
        found.append(DataWarning(sentence, "bins", "Group into 3 classes of equal size"))
        return found
    counts = reading.column.counts[~reading.missing]
    single = reading.column.texts(np.flatnonzero(~reading.missing)[counts == 1])
    if single and len(counts) - len(single) >= 2:
        are = f"1 class has one example only: {_listed(single)}"
        are = are if len(single) == 1 else f"{len(single):,} classes have one example only: {_listed(single)}"
        sentence = f"{are}. Who trains on it is not tested on it, and the other way round."
        found.append(DataWarning(sentence, "leave_out", "Leave out these rows", tuple(single)))
    codes = reading.column.codes[~reading.missing[reading.column.codes]]
    n_classes = int((counts > 0).sum())
    if len(codes) >= _FEWEST_ROWS and 2 <= n_classes <= len(codes) / 2 and _is_sorted(codes, n_classes):
        sentence = (
            "The rows are sorted by class. Cross-validation deals them out at random, but a stream in the order of the data "
            "would show one class after the other."
        )
        found.append(DataWarning(sentence, "shuffle", "Shuffle the rows"))
    return found


def _is_sorted(codes: np.ndarray[tuple[int], np.dtype[np.int32]], n_classes: int) -> bool:
    return int((np.diff(codes) != 0).sum()) == n_classes - 1


def _of_column(reading: Reading, guess: ColumnGuess, kind: str) -> list[DataWarning]:
    column, n = reading.column, len(reading.column.codes)
    name, missing, distinct = column.name, guess.missing / max(n, 1), guess.distinct
    if kind not in DATE_KINDS and kind != "numeric" and holds_dates(reading):
        said = "is left out" if kind == "ignore" else "is taken for words"
        sentence = f"Column “{name}” holds dates and {said}."
        return [DataWarning(sentence, "kind", f"Make it a {which}", (name,), which) for which in DATE_KINDS]
    if kind != "numeric" and (strangers := _strangers(reading)):
        said = "is left out" if kind == "ignore" else "is taken for words"
        sentence = f"Column “{name}” holds numbers but for {_listed(strangers)}, so it {said}."
        label = f"Take {'it' if len(strangers) == 1 else 'them'} as missing"
        return [DataWarning(sentence, "missing", label, (name,), "numeric", tuple(strangers))]
    if kind == "ignore":
        return []
    if distinct <= 1:
        return [
            DataWarning(f"Column “{name}” has one value only, so it tells nothing.", "kind", "Leave it out", (name,))
        ]
    if missing >= _NEARLY_ALL:
        sentence = f"Column “{name}” is missing in {missing:.0%} of the rows."
        return [DataWarning(sentence, "kind", "Leave it out", (name,))]
    if n >= _FEWEST_ROWS and distinct == n and (kind == "nominal" or reading.is_whole):
        sentence = f"Column “{name}” differs in every row, like the number of a row: a learner may learn it by heart."
        return [DataWarning(sentence, "kind", "Leave it out", (name,))]
    if kind == "numeric" and 0.0 < reading.span < _LEAST_SPREAD:
        sentence = (
            f"The numbers of “{name}” differ by less than a millionth, which tells nothing to naive Bayes, also in leaves "
            "of Hoeffding trees: give them in a smaller unit."
        )
        return [DataWarning(sentence, "none", "")]
    return []


def _strangers(reading: Reading) -> list[str]:
    """Return the few values that keep a column from being numbers: units, a sum, "unknown"."""
    counts, numbers = reading.column.counts, ~np.isnan(reading.numbers) & ~reading.missing
    n_strangers, n_numbers = int(reading.wrong.sum()), int(numbers.sum())
    if reading.column.declared or not 0 < n_strangers <= _MOST_STRANGERS or n_numbers < _FEWEST_NUMBERS:
        return []
    return reading.column.texts(np.flatnonzero(reading.wrong)) if counts[numbers].sum() > reading.present / 2 else []


def _listed(words: list[str]) -> str:
    shown = ", ".join(f"“{word}”" for word in words[:_NAMED])
    return shown if len(words) <= _NAMED else f"{shown} and {len(words) - _NAMED:,} more"
