"""Tables of examples: their rows by position, and codes that no category has."""

import pickle

import numpy as np
import pytest

from ensembles.data.table import MISSING, UNSEEN, Attribute, Schema, Table
from ensembles.errors import InvalidData

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


def test_a_schema_is_stored_alike_whatever_it_was_asked() -> None:
    schema = Schema(SCHEMA.attributes)
    before = pickle.dumps(schema)
    assert schema.value_starts.tolist() == [0]
    assert pickle.dumps(schema) == before
    again = pickle.loads(before)
    assert again == schema
    assert again.value_counts.tolist() == [2]


def test_values_that_are_not_known_are_missing_to_whoever_learns() -> None:
    for n in (4, 400):  # few cells are looked through otherwise than many
        codes = np.zeros((n, 1), dtype=np.int32)
        codes[1], codes[-1] = UNSEEN, MISSING
        table = Table(SCHEMA, codes, np.zeros((n, 1)))
        learned = table.to_learn()
        assert table.holds_unseen
        assert not learned.holds_unseen
        assert learned.codes[:, 0].tolist() == [0, MISSING, *[0] * (n - 3), MISSING]
        assert table.codes[1, 0] == UNSEEN
        assert np.shares_memory(learned.numbers, table.numbers)
        assert learned.to_learn() is learned
        assert not table[:0].holds_unseen


@pytest.mark.parametrize("code", [2, -3])
def test_a_code_without_a_category_is_refused(code: int) -> None:
    codes = np.array([[0], [MISSING], [code], [UNSEEN]], dtype=np.int32)
    with pytest.raises(
        InvalidData,
        match=rf"table: codes of attribute 'colour' must be from -2 \(unseen\) to 1, got {code} in row 2",
    ):
        Table(SCHEMA, codes, np.zeros((4, 1)))
    with pytest.raises(InvalidData, match="must be from -2"):
        Table.from_columns(SCHEMA.attributes, [codes[:, 0], np.zeros(4)])
