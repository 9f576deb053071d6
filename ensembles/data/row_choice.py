"""Which rows of a table become examples, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.numbers import Reading

__all__ = ["AS_THEY_ARE", "RowChoice", "chosen_rows", "duplicated"]

_SEED = 1


@dataclass(frozen=True)
class RowChoice:
    """What is done to the rows of a table; those without a class are left out in any case.

    Attributes
    ----------
    leave_out : tuple of str
        Classes whose rows are left out.
    unique : bool
        Of rows that are the same in all columns that are used, the first one is kept. Where a column is numeric, numbers
        are compared, else texts as they are written, as categories and classes are.
    shuffled : bool
        The rows come in an order drawn once and for all, the same every time.
    """

    leave_out: tuple[str, ...] = ()
    unique: bool = False
    shuffled: bool = False


AS_THEY_ARE = RowChoice()


def chosen_rows(
    choice: RowChoice, class_reading: Reading, used: Sequence[Reading], kinds: Mapping[str, str]
) -> npt.NDArray[np.int64] | None:
    """Return the positions of the rows to keep, in their order; None for all of them as they are.

    Parameters
    ----------
    used : sequence of Reading
        The columns by which rows are the same, the class among them.
    kinds : mapping
        The kind of each.
    """
    column = class_reading.column
    kept = ~class_reading.missing[column.codes]
    if choice.leave_out:
        texts = column.texts(np.arange(len(class_reading.missing)))
        kept &= ~np.isin(texts, choice.leave_out)[column.codes]
    if choice.unique:
        kept &= ~duplicated(used, kinds)
    if kept.all() and not choice.shuffled:
        return None
    rows = np.flatnonzero(kept)
    return np.random.default_rng(_SEED).permutation(rows) if choice.shuffled else rows


def duplicated(readings: Sequence[Reading], kinds: Mapping[str, str]) -> npt.NDArray[np.bool_]:
    """Return for each row whether an earlier one is the same in these columns."""
    columns = {str(j): _compared(one, kinds.get(one.column.name, "nominal")) for j, one in enumerate(readings)}
    return np.asarray(pd.DataFrame(columns).duplicated().to_numpy(), dtype=bool)


def _compared(reading: Reading, kind: str) -> npt.NDArray[np.float64] | npt.NDArray[np.int32]:
    """Return for each row what is the same where its values are."""
    codes = reading.column.codes
    if reading.is_numeric and (kind == "numeric" or reading.column.holds_numbers):
        return reading.numbers[codes]
    return np.where(reading.missing[codes], np.int32(-1), codes)
