"""Perceptron: a weighted sum of the inputs for each class, corrected whenever it does not put the right class first.

Chen, Lin & Lu (2012); Bai, Lam & Sclaroff (2016), section 5. The kernels are in `rule`, and in
`nominal` those of two classes and nominal attributes.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import choice, flag
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.inputs import MOMENTS, count_inputs, input_rows, moved_inputs
from ensembles.learners.core.learner import CATEGORICAL
from ensembles.learners.core.protocol import Rows
from ensembles.learners.linear.nominal import NominalPerceptronMembers
from ensembles.learners.linear.rule import STALE, PerceptronMembers
from ensembles.learners.linear.view import lines_of

__all__ = ["PerceptronClassifier"]

Members = NominalPerceptronMembers | PerceptronMembers

_SCALES = ("standard", "range", "unit", "none")  # in the order of the kernels' numbers


class PerceptronClassifier(BaseModel):
    """Perceptron, for two classes or more, online.

    Nominal attributes are one-hot, with an input for "missing"; a missing number counts as the mean so far, and switches an
    input of its own on. An example's weight is the length of the step. Batch training is one pass in the order given.

    Notes
    -----
    An example of weight w makes a step w times as long; relative weights, see `fit`, are one on average first.
    Probabilities: with s the score and n = max(1, length of the weights), (1 + clip(s / n, -1, 1)) / 2 for two classes,
    softmax of s / n for more.

    References
    ----------
    Rosenblatt (1958); Chen, Lin & Lu (2012); Bai, Lam & Sclaroff (2016), section 5.
    """

    key = "perceptron"
    name = "Perceptron"
    position = 60
    family = "linear"
    summary = "Adds up weighted inputs for each class, and shifts the weights whenever the sum is wrong."
    source = "Bai, Lam & Sclaroff (2016), section 5"
    order_matters = True
    rows_alike = True
    averaged: bool = flag(
        default=False,
        label="Averaged",
        help="Predict by the average of the weights over the examples, which is steadier.",
    )
    normalise: str = choice(
        default="standard",
        label="Scaling of numbers",
        help="How numeric attributes are brought to comparable sizes, by what has been seen so far.",
        choices=_SCALES,
        labels=("standard deviations from the mean", "between -1 and 1", "every example to length 1", "none"),
    )
    categorical_features: Any = CATEGORICAL

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> Members:
        inputs, n_numeric = count_inputs(schema), len(schema.numeric)
        vectors = 1 if n_classes <= 2 else n_classes
        if n_classes == 2 and not (n_numeric or self.averaged or self.normalise == "unit"):
            return NominalPerceptronMembers(
                weights=np.zeros((n_members, vectors, inputs), order="F"),
                totals=np.zeros((n_members, n_classes)),
                norms=np.full(n_members, STALE),
                cached_scores=np.zeros(n_members + 1),
            )
        return PerceptronMembers(
            weights=np.zeros((n_members, vectors, inputs)),
            past=np.zeros((n_members, vectors, inputs if self.averaged else 0)),
            totals=np.zeros((n_members, n_classes)),
            moments=np.zeros((n_members, MOMENTS, n_numeric)),
            ends=np.tile([[np.inf], [-np.inf]], (n_members, 1, n_numeric)),
            norms=np.full(n_members, STALE),
            x=np.zeros(n_numeric),
            scores=np.zeros(n_classes),
            scale=np.array([_SCALES.index(self.normalise)]),
        )

    def extend_schema(
        self, members: Any, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> Any:
        grown: Any = self.init_members(len(members.totals), new, n_classes, batch=False)
        inputs = moved_inputs(old, new)
        for name in ("weights", "past") if self.averaged else ("weights",):
            before, after = getattr(members, name), getattr(grown, name)
            if len(positions) < 2:  # with one class nothing has moved yet
                continue
            if len(positions) == 2 and n_classes > 2:
                before = np.concatenate([-before, before], axis=1)
            vectors = positions if n_classes > 2 else np.array([0])
            after[:, vectors[:, None], inputs] = before
        grown.totals[:, positions] = members.totals
        return grown._replace(moments=members.moments, ends=members.ends) if len(new.numeric) else grown

    def _lines_of(self, members: Any, m: int, schema: Schema, classes: list[Any]) -> list[str] | None:
        return lines_of(members, m, schema, classes)

    def rows(self, members: Members, table: Table, *, learning: bool) -> Rows:
        return input_rows(table)
