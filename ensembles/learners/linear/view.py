"""A perceptron as people read it: the weights of each class by attributes and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema
from ensembles.learners.core.inputs import LIMIT, MEAN, MOMENTS

__all__ = ["lines_of"]

_FACTOR = MOMENTS - 1  # row of the moments, see `inputs`
_STANDARD, _RANGE, _UNIT = 0, 1, 2  # ways of scaling, see `rule`

_SCALED = {
    _STANDARD: f"numbers: in standard deviations from the mean, as (mean +- deviation), {LIMIT:g} at most",
    _RANGE: f"numbers: from -1 for the least value to 1 for the greatest, as (least to greatest), {LIMIT:g} at most",
    _UNIT: "all but the bias: divided by the length of the example's inputs",
}


def lines_of(members: Any, m: int, schema: Schema, classes: list[Any]) -> list[str]:
    """Return a line for each input with a weight, class by class; of two classes for the second, against the first."""
    if len(classes) == 1:
        return [f"class: {classes[0]}"]
    vectors, scale = _vectors(members, m), _scale_of(members)
    said = _inputs(members, m, schema, scale)
    numeric = len(schema.numeric) > 0 or scale == _UNIT
    lines = [_SCALED[scale]] if numeric and scale in _SCALED else []
    for v, vector in enumerate(vectors):
        lines.append(f"class: {classes[1]}, against {classes[0]}" if len(vectors) == 1 else f"class: {classes[v]}")
        lines.extend(f"|--- {words}: {weight:.6g}" for words, weight in zip(said, vector, strict=True) if weight != 0.0)
    return lines


def _scale_of(members: Any) -> int:
    return int(members.scale[0]) if hasattr(members, "scale") else _STANDARD


def _vectors(members: Any, m: int) -> npt.NDArray[np.float64]:
    """Return the weights that predict, averaged ones if it averages, shape (vectors, inputs)."""
    weights: npt.NDArray[np.float64] = members.weights[m]
    past, seen = getattr(members, "past", None), members.totals[m].sum()
    return weights - past[m] / seen if past is not None and past.shape[2] > 0 and seen > 0 else weights


def _inputs(members: Any, m: int, schema: Schema, scale: int) -> list[str]:
    """Return what each input is, in the order of `inputs`."""
    said = []
    for position in schema.nominal:
        attribute = schema.attributes[position]
        said += [f"{attribute.name} = {value}" for value in attribute.categories] + [f"{attribute.name} is missing"]
    names = [schema.attributes[position].name for position in schema.numeric]
    said += [f"{name}{size}" for name, size in zip(names, _sizes(members, m, scale), strict=False)]
    return [*said, "bias", *(f"{name} is missing" for name in names)]


def _sizes(members: Any, m: int, scale: int) -> Iterator[str]:
    """Yield how each number is scaled."""
    moments = getattr(members, "moments", np.empty((m + 1, MOMENTS, 0)))[m]
    for n in range(moments.shape[1]):
        if scale == _STANDARD:
            factor = moments[_FACTOR, n]
            yield f" ({moments[MEAN, n]:.6g} +- {1.0 / factor:.6g})" if factor > 0 else " (constant)"
        elif scale == _RANGE:
            yield " ({:.6g} to {:.6g})".format(*members.ends[m, :, n])
        else:
            yield ""
