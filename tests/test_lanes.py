"""Lanes give the bits of numbers alone, and touch nothing beyond the end of an array."""

import numpy as np
import pytest

from ensembles.jit import kernel
from ensembles.lanes import WIDTH, lanes_at, lanes_of, put_lanes, where_less


@kernel
def _work_out(table, places, factor, out):
    """Write for each column what `alone` does, eight columns at a time."""
    for c in range(0, table.shape[1], WIDTH):
        total = lanes_of(1.0)
        for place in places:
            total = (2.0 - lanes_at(table, (place, c))) / (total + factor) * lanes_at(table, (0, c)) - 0.1
            total = where_less(total, 0.5, total * total, factor)
        put_lanes(out, (1, c), total)


def alone(table, places, factor, c):
    total = 1.0
    for place in places:
        total = (2.0 - table[place, c]) / (total + factor) * table[0, c] - 0.1
        total = total * total if total < 0.5 else factor
    return float(total)


@pytest.mark.parametrize("columns", [1, 2, 3, 7, 8, 9, 16, 26])
def test_each_lane_is_worked_out_as_a_number_alone(columns):
    table = np.random.default_rng(columns).uniform(0.1, 3.0, (5, columns))
    places = np.array([3, 1, 4, 4, 0], dtype=np.int32)
    out = np.full((3, columns), -7.0)
    _work_out(table, places, 0.37, out)
    assert out[1].tolist() == [alone(table, places, 0.37, c) for c in range(columns)]
    assert (out[[0, 2]] == -7.0).all(), "a lane beyond the end was written"
