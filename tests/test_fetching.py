"""To fetch memory changes nothing, also at the end of an array and beyond."""

import numpy as np
import pytest

from ensembles.fetching import fetch
from ensembles.jit import kernel


@kernel
def _fetch_and_double(table, n):
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            fetch(table, (row, column), n)
            table[row, column] *= 2.0


@pytest.mark.parametrize("n", [-1, 0, 1, 40])
def test_an_array_whose_lines_are_fetched_stays_as_it_is(n):
    table = np.arange(30.0).reshape(3, 10)
    _fetch_and_double(table, n)
    assert table.tolist() == (2 * np.arange(30.0).reshape(3, 10)).tolist()
