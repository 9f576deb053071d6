"""Naive Bayes: class counts and, given the class, independent attributes.

Counts and products are in `products`; numeric attributes have normal distributions (`normals`) or are cut into
intervals (`intervals`); here is the learner.

Thesis, section 2.1.2 and figure 2.3; Bauer & Kohavi, section 2 (Laplace correction, entropy discretisation).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import choice, integer, real
from ensembles.learners.bayes.intervals import (
    IntervalBayesMembers,
    add_numbers,
    allocate_intervals,
    carry_intervals,
    clear_intervals,
    keep_intervals,
)
from ensembles.learners.bayes.normals import NaiveBayesMembers, allocate_normals, carry_normals, prepare_for
from ensembles.learners.bayes.products import smoothing_of
from ensembles.learners.core.base import BaseModel, learn_more
from ensembles.learners.core.learner import CATEGORICAL
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.rows import numbered_rows
from ensembles.learners.core.value_tables import MAX_VALUES, table_rows

__all__ = ["NaiveBayesClassifier"]

Members = IntervalBayesMembers | NaiveBayesMembers


class NaiveBayesClassifier(BaseModel):
    """Naive Bayes for nominal and numeric attributes; lossless online.

    Notes
    -----
    Weights count examples, and smoothing adds as much as one of them; relative ones, see `fit`, are one on average first, so
    that their scale does not matter. A missing value leaves its attribute out of the product. A value never seen in
    training counts as one value more.

    "gaussian", "entropy" and "grid" end in the same model whatever the order of the examples, online and in batch; "frozen"
    does so for the same first examples. After each example that is followed by a prediction "entropy" and "grid" cut anew,
    which makes online boosting slow; memory is bounded by `max_values` and by the cells.

    References
    ----------
    Oza (2001), section 2.1.2, figure 2.3; Bauer & Kohavi (1999), section 2; Fayyad & Irani (1993).
    """

    key = "naive_bayes"
    name = "Naive Bayes"
    position = 0
    family = "bayes"
    summary = "Multiplies the shares of each attribute value within a class as if attributes were independent."
    source = "Oza (2001), section 2.1.2, figure 2.3"
    lossless = True
    smoothing: str = choice(
        default="laplace",
        label="Smoothing",
        help="What is added to every count, so that a value never seen with a class does not rule the class out.",
        details=(
            "Added to every count: 1, one over the number of examples, or nothing. A value never seen with a "
            'class is then a share of zero: the class with the fewest of them wins ("none"); or, as the thesis '
            'prints it, the product is zero, and the first class wins where all products are ("literal").'
        ),
        choices=("laplace", "laplace_m", "none", "literal"),
        labels=("Laplace (1)", "one over the number of examples", "none: fewest zeros win", "none: zero is zero"),
    )
    numeric: str = choice(
        default="gaussian",
        label="Numeric attributes",
        help=(
            "A normal distribution a class; or intervals that are counted like values: cut by all values so far, by values "
            "rounded to a grid, or by the first examples only."
        ),
        details=(
            'How numeric attributes are read. "gaussian": a normal distribution a class. The others cut them into'
            ' intervals that count like nominal values, where Fayyad and Irani\'s method says: "entropy" by all '
            'values so far, "grid" by values rounded to 200 equal cells over their range, "frozen" by the first '
            "examples only."
        ),
        choices=("gaussian", "entropy", "grid", "frozen"),
        labels=(
            "normal distributions",
            "entropy intervals",
            "intervals of a grid",
            "intervals of the first examples",
        ),
    )
    variance_floor: float = real(
        default=1e-9,
        label="Least variance",
        help="As a share of the attribute's own over all classes: larger where classes hold few different values.",
        details=(
            "Least variance of a normal distribution, as a share of the attribute's own variance over all "
            "classes, in [0, 1]."
        ),
        low=0.0,
        high=1.0,
    )
    flat_numbers: str = choice(
        default="floor",
        label="Numbers below it",
        help=(
            "What becomes of a number that hardly varies within some class: it gets the least variance there, and decides "
            "nearly alone; or it is left out."
        ),
        choices=("floor", "skip"),
        labels=("get the least variance", "are left out"),
    )
    prior: str = choice(
        default="counts",
        label="Classes",
        help="Whether frequent classes are likelier before any attribute is looked at.",
        choices=("counts", "equal"),
        labels=("as likely as they are frequent", "all alike"),
    )
    freeze_after: int = integer(
        default=1000,
        label="Cuts stay after",
        help="How many examples a member cuts numeric attributes by, if by the first ones only.",
        low=1,
        high=1_000_000,
    )
    max_values: int = MAX_VALUES
    categorical_features: Any = CATEGORICAL

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> Members:
        smoothing, skip = smoothing_of(self.smoothing, self.prior), self.flat_numbers == "skip"
        if self.numeric == "gaussian" or not schema.numeric:
            return allocate_normals(n_members, schema, n_classes, smoothing, self.variance_floor, skip=skip)
        freeze_at = self.freeze_after if self.numeric == "frozen" else np.inf
        return allocate_intervals(n_members, schema, n_classes, smoothing, freeze_at, batch=batch)

    def extend_schema(
        self, members: Members, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> Members:
        grown: Any = self.init_members(len(members.totals), new, n_classes, batch=False)
        if isinstance(members, IntervalBayesMembers):
            return carry_intervals(members, grown, old, new, positions)
        return carry_normals(members, grown, old, new, positions)

    def ensure_capacity(self, members: Members, table: Table) -> Members:
        if isinstance(members, IntervalBayesMembers):
            return add_numbers(members, table.numbers, self.max_values, grid=self.numeric == "grid")
        return prepare_for(members, table)

    def rows(self, members: Members, table: Table, *, learning: bool) -> Rows:
        if isinstance(members, IntervalBayesMembers):
            return table_rows(members, table, learning=learning)
        return numbered_rows(table, table.schema.value_starts)

    def fit_member(
        self,
        members: Members,
        m: int,
        rows: Rows,
        labels: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> Members:
        members = super().fit_member(members, m, rows, labels, weights)
        return keep_intervals(members, m) if isinstance(members, IntervalBayesMembers) else members

    def backfit_member(
        self,
        members: Members,
        m: int,
        rows: Rows,
        labels: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> None:
        """Count these examples instead of those that member m has learned; the cuts of numeric attributes stay."""
        if isinstance(members, IntervalBayesMembers):
            clear_intervals(members, m)
            learn_more(members, m, rows, labels, weights)
        else:
            self.fit_member(members, m, rows, labels, weights)
