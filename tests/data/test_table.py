"""Tables of examples: their rows by position."""

import numpy as np

from ensembles.data.table import Attribute, Schema, Table

SCHEMA = Schema((Attribute("colour", "nominal", ("red", "blue")), Attribute("x", "numeric")))
TABLE = Table(SCHEMA, np.array([[0], [1], [0], [1]], dtype=np.int32), np.arange(4.0).reshape(4, 1))


def test_rows_are_taken_as_numpy_takes_them() -> None:
    for rows in (slice(1, 3), slice(None, None, -2), [3, 0], np.array([True, False, True, False]), 2, -1):
        found = TABLE[rows]
        assert np.array_equal(found.numbers, np.atleast_2d(TABLE.numbers[rows]))
        assert np.array_equal(found.codes, np.atleast_2d(TABLE.codes[rows]))


def test_a_slice_copies_nothing() -> None:
    assert np.shares_memory(TABLE[1:3].numbers, TABLE.numbers)
    assert np.shares_memory(TABLE[1:3].codes, TABLE.codes)
    assert not np.shares_memory(TABLE[[1, 2]].numbers, TABLE.numbers)
