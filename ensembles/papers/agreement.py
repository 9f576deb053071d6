"""How far our numbers agree with the published ones, over many cells."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ensembles.papers.comparison import Cell

__all__ = ["Agreement", "agreement_of"]

_NAN = float("nan")
_ERRORS_APART = 2.0


@dataclass(frozen=True)
class Agreement:
    """Agreement of the cells that count, and speed over the cells told in seconds.

    Attributes
    ----------
    cells, compared : int
        Cells given; those among them that count and have a number of ours.
    within_001, within_002 : float
        Shares of the compared cells, to the decimals of the paper.
    within_errors : float
        Share within two standard errors, the paper's and ours together, of the cells for which the paper gives one.
    agree : float
        Share within 0.02, or within two standard errors where the paper gives them.
    rank_correlation : float
        Spearman's, over the compared cells.
    significant : int
        Pairs of methods on one data set, in one table, whose difference in our results is more than twice its standard
        error (trials taken as independent).
    same_sign : float
        Share of those pairs that the paper orders as we do.
    timed : int
        Cells with seconds of both.
    published_seconds, our_seconds : float
        Sums over those.
    factor : float
        Geometric mean of published by ours.

    Shares of nothing are NaN.
    """

    cells: int
    compared: int
    within_001: float
    within_002: float
    within_errors: float
    agree: float
    rank_correlation: float
    significant: int
    same_sign: float
    timed: int
    published_seconds: float
    our_seconds: float
    factor: float

    def describe(self) -> dict[str, Any]:
        """Return it as plain values; what is unknown is null."""
        return {name: value if math.isfinite(value) else None for name, value in asdict(self).items()}


def agreement_of(cells: Sequence[Cell]) -> Agreement:
    """Return how far the cells agree."""
    compared = [cell for cell in cells if cell.counts and math.isfinite(cell.ours)]
    timed = [cell for cell in cells if cell.is_time and cell.ours > 0.0 and cell.published > 0.0]
    signs = [same for pair in _pairs(compared) if (same := _ordered_alike(*pair)) is not None]
    ratios = [math.log(cell.published / cell.ours) for cell in timed]
    return Agreement(
        cells=len(cells),
        compared=len(compared),
        within_001=_share(compared, lambda cell: cell.is_within(0.01)),
        within_002=_share(compared, lambda cell: cell.is_within(0.02)),
        within_errors=_share([cell for cell in compared if math.isfinite(cell.std_error)], _within_errors),
        agree=_share(compared, lambda cell: cell.is_within(0.02) or _within_errors(cell)),
        rank_correlation=_rank_correlation(compared),
        significant=len(signs),
        same_sign=float(np.mean(signs)) if signs else _NAN,
        timed=len(timed),
        published_seconds=sum(cell.published for cell in timed),
        our_seconds=sum(cell.ours for cell in timed),
        factor=math.exp(float(np.mean(ratios))) if ratios else _NAN,
    )


def _share(cells: Sequence[Cell], holds: Callable[[Cell], bool]) -> float:
    return float(np.mean([holds(cell) for cell in cells])) if cells else _NAN


def _within_errors(cell: Cell) -> bool:
    ours = cell.sd / math.sqrt(cell.n) if cell.n > 1 else 0.0
    return cell.is_within(_ERRORS_APART * math.hypot(cell.std_error, ours))  # never within NaN


def _rank_correlation(cells: Sequence[Cell]) -> float:
    if len(cells) < 2:
        return _NAN
    ranks = [rankdata([getattr(cell, name) for cell in cells]) for name in ("published", "ours")]
    if any(np.ptp(some) == 0.0 for some in ranks):
        return _NAN
    return float(np.corrcoef(ranks)[0, 1])


def _pairs(cells: Iterable[Cell]) -> Iterable[tuple[Cell, Cell]]:
    """Yield the pairs of cells that a table sets side by side."""
    rows = defaultdict(list)
    for cell in cells:
        rows[cell.table, cell.dataset, cell.metric].append(cell)
    return (pair for row in rows.values() for pair in combinations(row, 2))


def _ordered_alike(one: Cell, other: Cell) -> bool | None:
    """Return whether the paper orders two cells as we do; None where our difference may be chance."""
    if min(one.n, other.n) < 2 or one.published == other.published:
        return None
    gap = one.ours - other.ours
    if abs(gap) <= _ERRORS_APART * math.sqrt(one.sd**2 / one.n + other.sd**2 / other.n):
        return None
    return (gap > 0.0) == (one.published > other.published)
