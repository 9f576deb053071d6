"""Numeric values rounded to a grid of equal cells over their range: tables of bounded size for endless streams.

Cells are a power of two wide and begin at multiples of their width. Where the range outgrows the grid, the width doubles and
cells merge whole: in the end the tables depend on the examples alone, not on their order.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["CELLS", "round_to_grid"]

CELLS = 200  #: at most, for an attribute

_LOW, _HIGH, _WIDTH = range(3)  # columns of `members.grid`


def round_to_grid(members: Any, numbers: npt.NDArray[np.float64]) -> tuple[Any, npt.NDArray[np.float64]]:
    """Return the members, their cells merged where ranges have grown, and the numbers rounded to the middle of cells."""
    rounded, grown = numbers.copy(), False
    for n in range(numbers.shape[1]):
        known = numbers[~np.isnan(numbers[:, n]), n]
        if len(known) == 0:
            continue
        grid = members.grid[n]
        grid[_LOW], grid[_HIGH] = min(grid[_LOW], known.min()), max(grid[_HIGH], known.max())
        width = cell_width(grid[_LOW], grid[_HIGH])
        if width > grid[_WIDTH]:
            grid[_WIDTH] = width
            grown = _merge_cells(members, n, width) or grown
        rounded[:, n] = _middles(numbers[:, n], width)
    return (_without_gaps(members) if grown else members), rounded


def cell_width(low: float, high: float) -> float:
    """Return the least power of two of which at most `CELLS` cells hold the range; 0 for one value."""
    if low == high:
        return 0.0
    mantissa, exponent = math.frexp((high - low) / (CELLS - 1))
    return math.ldexp(1.0, exponent - 1 if mantissa == 0.5 else exponent)


def _middles(numbers: npt.NDArray[np.float64], width: float) -> npt.NDArray[np.float64]:
    return (np.floor(numbers / width) + 0.5) * width if width else numbers


def _merge_cells(members: Any, n: int, width: float) -> bool:
    """Add up the slots of attribute n whose values fall into one cell; return whether there are any values."""
    slots = members.order[n, : members.counts[n]]
    middles, firsts, cells = np.unique(_middles(members.values[slots], width), return_index=True, return_inverse=True)
    kept = slots[firsts]
    for slot, target in zip(slots, kept[cells], strict=True):
        if slot != target:
            members.slots[:, target] += members.slots[:, slot]
    members.values[kept] = middles
    members.order[n, : len(kept)] = kept
    members.counts[n] = len(kept)
    members.stale[:] = 1
    return len(slots) > 0


def _without_gaps(members: Any) -> Any:
    """Return the members with the slots in use moved to the front."""
    used = np.concatenate([members.order[n, :count] for n, count in enumerate(members.counts)])
    slots, values = np.zeros_like(members.slots), np.zeros_like(members.values)
    slots[:, : len(used)], values[: len(used)] = members.slots[:, used], members.values[used]
    ends = np.cumsum(members.counts)
    for n, (end, count) in enumerate(zip(ends, members.counts, strict=True)):
        members.order[n, :count] = np.arange(end - count, end)
    return members._replace(slots=slots, values=values)
