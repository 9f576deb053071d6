"""Which rows of a table become examples, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
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
        Of rows that are the same in all columns that are used, the first one is kept.
    shuffled : bool
        The rows come in an order drawn once and for all, the same every time.
    """

    leave_out: tuple[str, ...] = ()
    unique: bool = False
    shuffled: bool = False


AS_THEY_ARE = RowChoice()


def chosen_rows(choice: RowChoice, class_reading: Reading, used: Sequence[Reading]) -> npt.NDArray[np.int64] | None:
    """Return the positions of the rows to keep, in their order; None for all of them as they are.

    Parameters
    ----------
    used : sequence of Reading
        The columns by which rows are the same, the class among them.
    """
    column = class_reading.column
    kept = ~class_reading.missing[column.codes]
    if choice.leave_out:
        texts = column.texts(np.arange(len(class_reading.missing)))
        kept &= ~np.isin(texts, choice.leave_out)[column.codes]
    if choice.unique:
        kept &= ~duplicated(used)
    if kept.all() and not choice.shuffled:
        return None
    rows = np.flatnonzero(kept)
    return np.random.default_rng(_SEED).permutation(rows) if choice.shuffled else rows


def duplicated(readings: Sequence[Reading]) -> npt.NDArray[np.bool_]:
    """Return for each row whether an earlier one is the same in these columns."""
    columns = {str(j): r.numbers[r.column.codes] if r.is_numeric else r.column.codes for j, r in enumerate(readings)}
    return np.asarray(pd.DataFrame(columns).duplicated().to_numpy(), dtype=bool)
