"""A data set that goes in pieces and is put together again."""

import numpy as np
import pytest

from ensembles.data import Attribute, Dataset, Schema, Table
from ensembles.data.pieces import Assembly, Heading, array_bytes
from ensembles.errors import InvalidData

ROW_BYTES = 4 + 2 * 8 + 8


def make_dataset(n_rows: int = 101) -> Dataset:
    rng = np.random.default_rng(1)
    kinds = (
        Attribute("size", "numeric"),
        Attribute("colour", "nominal", ("red", "green")),
        Attribute("age", "numeric"),
    )
    numbers = rng.normal(size=(n_rows, 2))
    numbers[3, 1] = np.nan
    codes = rng.integers(-1, 2, size=(n_rows, 1)).astype(np.int32)
    return Dataset("Mine", Table(Schema(kinds), codes, numbers), np.arange(n_rows) % 2, ("yes", "no"))


def test_pieces_in_any_order_make_the_same_data_set() -> None:
    dataset = make_dataset()
    heading = Heading.of(dataset, piece_bytes=10 * ROW_BYTES)
    assert (heading.n_pieces, heading.rows_each, heading.n_bytes) == (11, 10, array_bytes(dataset))
    assembly = Assembly(heading)
    for position in [*np.random.default_rng(2).permutation(11), 4]:
        assert not assembly.is_whole or position == 4
        assembly.add(int(position), heading.cut(dataset, int(position)))
    found = assembly.finish()
    assert (found.name, found.target, found.classes, found.sha256) == ("Mine", "class", ("yes", "no"), dataset.sha256)
    np.testing.assert_array_equal(found.table.numbers, dataset.table.numbers)


def test_a_small_data_set_is_one_piece_and_a_wide_row_is_one_too() -> None:
    assert Heading.of(make_dataset()).n_pieces == 1
    assert Heading.of(make_dataset(), piece_bytes=1).n_pieces == 101


def test_what_is_wrong_with_a_piece_is_told_in_a_sentence() -> None:
    dataset = make_dataset()
    heading = Heading.of(dataset, piece_bytes=50 * ROW_BYTES)
    assembly, piece = Assembly(heading), heading.cut(dataset, 1)
    with pytest.raises(InvalidData, match=r"^data set 'Mine', sent in 3 pieces: piece 2 is damaged$"):
        assembly.add(1, piece[: len(piece) // 2])
    with pytest.raises(InvalidData, match=r"^data set 'Mine', sent in 3 pieces: piece 3 has 50 examples, not 1$"):
        assembly.add(2, piece)
    assembly.add(1, piece)
    with pytest.raises(InvalidData, match=r"^data set 'Mine', sent in 3 pieces: piece 1 is missing$"):
        assembly.finish()
    assembly.add(0, piece)  # as large as it should be, and another one
    assembly.add(2, heading.cut(dataset, 2))
    with pytest.raises(InvalidData, match=r"^data set 'Mine', sent in 3 pieces: what was put together is not what was"):
        assembly.finish()
