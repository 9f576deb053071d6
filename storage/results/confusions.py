"""Confusion matrices of many trials: their sums, which are all that is shown of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from storage.models import TrialBlockRow, TrialRow

__all__ = ["Sums", "read_sums", "sums_to_text"]

Sums = dict[tuple[int, int], npt.NDArray[np.int64]]
"""By positions of a data set and a learner: examples of a true class, down, by predicted class, across."""


def read_sums(connection: Connection, experiment: int, after: int = 0) -> Sums:
    """Return the sums over the trials of an experiment that are stored behind a number at which blocks end, or all.

    A learner without a matrix on a data set has none.
    """
    mine = (TrialBlockRow.experiment_id == experiment, TrialBlockRow.last_id > after)
    blocks = connection.execute(select(TrialBlockRow.confusion, TrialBlockRow.last_id).where(*mine)).all()
    last = max((one.last_id for one in blocks), default=after)
    known = [(*place, matrix, 1) for one in blocks for *place, matrix in json.loads(one.confusion)]
    return _added([*known, *_after(connection, experiment, last)])


def sums_to_text(sums: Sums) -> str:
    """Return sums as they are stored."""
    return json.dumps([[*place, matrix.tolist()] for place, matrix in sums.items()], separators=(",", ":"))


def _after(connection: Connection, experiment: int, last: int) -> Iterable[tuple[int, int, list[list[int]], int]]:
    """Return the different matrices of the trials that are stored behind a number, and how often each came."""
    columns = (TrialRow.dataset, TrialRow.learner, TrialRow.confusion)
    rows = connection.execute(select(*columns).where(TrialRow.experiment_id == experiment, TrialRow.id > last))
    counts: Counter[tuple[int, int, str]] = Counter((dataset, learner, text) for dataset, learner, text in rows)
    return [(dataset, learner, json.loads(text), n) for (dataset, learner, text), n in counts.items()]


def _added(matrices: Iterable[tuple[int, int, list[list[int]], int]]) -> Sums:
    sums: Sums = {}
    for dataset, learner, matrix, n in matrices:
        if matrix:
            place, own = (dataset, learner), n * np.array(matrix, dtype=np.int64)
            sums[place] = sums[place] + own if place in sums else own
    return sums
