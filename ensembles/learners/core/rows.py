"""Examples as kernels read them: contiguous, writable, nominal values numbered."""

from typing import Any

import numpy as np

from ensembles.data.table import MISSING, UNSEEN, Table
from ensembles.learners.core.protocol import Rows

__all__ = ["NO_SLOTS", "numbered_rows", "writable"]

NO_SLOTS = np.empty((0, 0), dtype=np.int32)  #: in the place of slots that are not needed


def writable(arrays: Any) -> Any:
    """Return a NamedTuple of arrays with those that are read-only (memory maps) copied: kernels compile for one kind."""
    if all(array.flags.carray for array in arrays):
        return arrays
    return type(arrays)(*(np.require(array, None, ["W", "C"]) for array in arrays))


def numbered_rows(
    table: Table, first: Any, missing: Any = MISSING, unseen: int = UNSEEN, slots: Any = NO_SLOTS
) -> Rows:
    """Return the examples as kernels read them, with nominal values numbered: those of attribute a from first[a] on.

    `missing` (for all attributes or one each) and `unseen` are the numbers of cells without a known value.
    """
    if not table.codes.shape[1]:
        plain: Rows = writable(Rows(table.codes, table.numbers, slots))
        return plain
    codes = table.codes + np.asarray(first, dtype=np.int32)
    if codes.size and table.codes.min() < 0:
        codes = np.where(table.codes >= 0, codes, np.where(table.codes == MISSING, missing, unseen))
    rows: Rows = writable(Rows(codes.astype(np.int32, copy=False), table.numbers, slots))
    return rows
