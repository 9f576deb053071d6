"""The rows of the figure of a verdict: in ranks, in relative errors or in the measure, one by one or in groups."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from ensembles.evaluation.relative import behind_in_loss, distances_to_perfect
from ensembles.evaluation.verdict import Beside
from ensembles.experiments.results import Results
from ensembles.registry import within_sentence
from ensembles.reports import formatting
from ensembles.reports.shared_means import independent_means
from ensembles.reports.verdict import Verdict

__all__ = ["GROUPS", "UNITS", "Drawn", "Group", "Units", "rows_of"]

Units = Literal["rank", "relative"]
UNITS: dict[Units, str] = {"rank": "Mean rank", "relative": "Relative error"}
"""What the figure over data sets may show."""

Group = Literal["none", "method", "base"]
GROUPS: dict[Group, str] = {"none": "None", "method": "Method", "base": "Base model"}
"""What rows may be grouped by."""


class Drawn(NamedTuple):
    """Rows from the top, where a group ends and another begins, and what their values are.

    Attributes
    ----------
    absolute : bool
        Whether values are drawn, or how far learners are behind the best.
    ends : tuple of int
        Places of the rows that begin another group.
    """

    rows: tuple[Beside, ...]
    absolute: bool
    title: str
    unit: str
    ends: tuple[int, ...] = ()


def rows_of(results: Results, verdict: Verdict, units: Units = "rank", group: Group = "none") -> Drawn:
    """Return the rows of learners with a value."""
    rows = tuple(row for row in verdict.rows if not math.isnan(row.value))
    measure = within_sentence(formatting.measure_name(verdict.measure))
    datasets = formatting.pluralize(verdict.comparison.n, "data set")
    if verdict.comparison.test != "wilcoxon":
        unit = f"by how much it is behind the best in {measure}"
        drawn = Drawn(rows, False, f"behind the best, in {measure}", unit)
    elif units == "rank":
        unit = f"mean rank over {datasets}, 1 is best"
        drawn = Drawn(rows, True, "mean rank (1 is best)", unit)
    else:
        loss = (
            "error" if verdict.measure in ("accuracy", "error") else f"distance from the best {measure} there could be"
        )
        unit = f"{loss} by that of the average learner on the same data set, mean over {datasets}"
        drawn = Drawn(_relative(results, verdict, rows), True, "relative error (1 is the average learner)", unit)
    return drawn if group == "none" else _grouped(results, drawn, group)


def _relative(results: Results, verdict: Verdict, rows: tuple[Beside, ...]) -> tuple[Beside, ...]:
    """Return the same learners in relative losses over the data sets that all of them have, the least first."""
    losses = distances_to_perfect(verdict.measure, independent_means(results, verdict.measure))
    own = losses[:, [row.learner for row in rows]]
    own = own[np.isfinite(own).all(axis=1)]
    if not own.size:  # no data set, or no learner with a value, is left
        return ()
    found = behind_in_loss(own, 0, alpha=verdict.comparison.alpha)
    values = [tuple(map(float, numbers)) for numbers in zip(*found, strict=True)]
    told = [
        row._replace(value=value, behind=behind, low=low, high=high)
        for row, (value, behind, low, high) in zip(rows, values, strict=True)
    ]
    return tuple(sorted(told, key=lambda row: row.value))


def _grouped(results: Results, drawn: Drawn, group: Group) -> Drawn:
    """Return rows of the same method or base model beside each other, the group of the best row first."""
    learners = results.config.learners
    names = [getattr(learners[row.learner], "method" if group == "method" else "base") for row in drawn.rows]
    order = sorted(range(len(names)), key=lambda place: (names.index(names[place]), place))
    ends = [place for place in range(1, len(order)) if names[order[place]] != names[order[place - 1]]]
    return drawn._replace(rows=tuple(drawn.rows[place] for place in order), ends=tuple(ends))
