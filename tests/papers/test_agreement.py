"""Agreement of made-up cells, beside the plainest counting."""

import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from ensembles.papers import Cell, agreement_of


def cell(published: float, ours: float, **fields: object) -> Cell:
    plain = {"table": "t", "dataset": "d", "method": "m", "base": "b", "metric": "accuracy", "std_error": math.nan}
    return Cell(**{**plain, "published": published, "ours": ours, "sd": 0.01, "n": 50, "counts": True, **fields})


@pytest.fixture
def cells() -> list[Cell]:
    rng = np.random.default_rng(3)
    return [
        cell(
            round(float(published), 2),
            float(published + rng.normal(scale=0.02)),
            dataset=f"d{rng.integers(12)}",
            method=f"m{i}",
            std_error=[math.nan, 0.015][i % 2],
            sd=0.05,
        )
        for i, published in enumerate(rng.uniform(0.7, 0.9, size=80))
    ]


def test_shares_are_counts(cells: list[Cell]) -> None:
    found = agreement_of(cells)
    gaps = [abs(one.ours - one.published) for one in cells]
    two = 2 * math.hypot(0.015, 0.05 / math.sqrt(50))
    given = [gap for gap, one in zip(gaps, cells, strict=True) if one.std_error == 0.015]
    either = [gap < two if one.std_error == 0.015 else gap < 0.02 for gap, one in zip(gaps, cells, strict=True)]
    assert (found.cells, found.compared) == (80, 80)
    assert found.within_001 == sum(gap < 0.01 for gap in gaps) / 80
    assert found.within_002 == sum(gap < 0.02 for gap in gaps) / 80
    assert found.within_errors == sum(gap < two for gap in given) / len(given)
    assert found.agree == sum(either) / 80
    assert 0.0 < found.within_001 < found.within_002 < found.agree < 1.0


def test_rank_correlation_is_that_of_scipy(cells: list[Cell]) -> None:
    expected = spearmanr([one.published for one in cells], [one.ours for one in cells]).statistic
    assert agreement_of(cells).rank_correlation == pytest.approx(expected)
    assert math.isnan(agreement_of([cell(0.5, 0.5)] * 3).rank_correlation)


def test_signs_are_those_of_pairs_that_stand_side_by_side(cells: list[Cell]) -> None:
    significant = same = 0
    for i, one in enumerate(cells):
        for other in cells[:i]:
            gap = one.ours - other.ours
            told = one.published - other.published
            if one.dataset == other.dataset and abs(gap) > 2 * math.sqrt(2 * 0.05**2 / 50) and told != 0:
                significant += 1
                same += gap * told > 0
    found = agreement_of(cells)
    assert found.significant == significant > 50
    assert found.same_sign == same / significant < 1.0


def test_a_distance_of_just_a_hundredth_is_within_it() -> None:
    found = agreement_of([cell(0.82, 0.83), cell(0.82, 0.8301)])
    assert found.within_001 == 0.5


def test_distances_are_those_of_numbers_as_printed() -> None:
    printed, ours = 0.253, 0.2734  # what is printed so may be up to 0.2535
    assert agreement_of([cell(printed, ours, decimals=3)]).within_002 == 1
    assert agreement_of([cell(printed, ours, decimals=4)]).within_002 == 0
    assert agreement_of([cell(printed, 0.2736, decimals=3)]).within_002 == 0
    assert cell(printed, 0.2736, decimals=3).is_far
    assert not cell(printed, ours, decimals=3).is_far


def test_cells_that_do_not_count_are_not_compared() -> None:
    found = agreement_of([cell(0.5, 0.9, counts=False), cell(0.5, math.nan), cell(0.5, 0.5)])
    assert (found.cells, found.compared, found.within_001) == (3, 1, 1.0)


def test_times_are_told_by_sums_and_a_mean_factor() -> None:
    times = [
        cell(p, o, metric="seconds", counts=False) for p, o in ((8.0, 2.0), (90.0, 1.0), (0.0, 1.0), (5.0, math.nan))
    ]
    found = agreement_of(times)
    assert (found.timed, found.published_seconds, found.our_seconds) == (2, 98.0, 3.0)
    assert found.factor == pytest.approx(math.sqrt(4 * 90))
    assert found.compared == 0


def test_nothing_agrees_with_nothing() -> None:
    plain = agreement_of([]).describe()
    assert plain["within_002"] is None
    assert plain["cells"] == 0
