"""What lanes hold together: which of them lie how, the greatest, the sum; of the first n, as those behind hold anything."""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin

from ensembles.lanes import LANES, NUMBERS, WIDTH, as_lanes, lanes_below, returns

__all__ = ["any_less", "greatest_of", "sum_in_order", "sum_of", "which_reach"]


def which_reach(lanes: npt.NDArray[np.float64], least: float, n: int) -> int:
    """Return a number whose bit c says whether lane c is not below `least`, of the first n lanes."""
    return sum(1 << c for c, lane in enumerate(lanes[:n].tolist()) if lane >= least)


def any_less(first: Any, second: Any, n: int) -> bool:
    """Return whether any of the first n lanes of `first` is less than that of `second`."""
    return bool(np.broadcast_to(first < second, WIDTH)[:n].any())


def greatest_of(lanes: npt.NDArray[np.float64], n: int) -> float:
    """Return the greatest of the first n lanes that are numbers, minus infinity if none is."""
    return float(np.nanmax(lanes[:n], initial=-np.inf))


def sum_in_order(lanes: npt.NDArray[np.float64], n: int) -> float:
    """Return the sum of the first n lanes, added up from 0 one after another; none is -0."""
    total = 0.0
    for lane in lanes[:n].tolist():
        total += lane
    return total


def sum_of(lanes: npt.NDArray[np.float64]) -> float:
    """Return the sum of all lanes, added up by halves."""
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = lanes[:half] + lanes[half:]
    return float(lanes[0])


returns(which_reach, types.int64)
returns(any_less, types.boolean)
returns(greatest_of, types.float64)
returns(sum_in_order, types.float64)
returns(sum_of, types.float64)


def _first_lanes(context: Any, builder: Any, kind: Any, n: Any) -> Any:
    """Return flags of the first n lanes."""
    return lanes_below(builder, context.cast(builder, n, kind, types.intp))


def _bits(context: Any, builder: Any, sign: str, call: Any, values: Any) -> Any:
    """Return which of the first lanes of two are as asked, a bit each."""
    first, second = as_lanes(builder, call, values[:2])
    asked = _first_lanes(context, builder, call.args[2], values[2])
    found = builder.and_(builder.fcmp_ordered(sign, first, second), asked)
    return builder.bitcast(found, ir.IntType(WIDTH))


@lower_builtin(which_reach, LANES, types.Float, types.Integer)
def _write_which_reach(context: Any, builder: Any, call: Any, values: Any) -> Any:
    return builder.zext(_bits(context, builder, ">=", call, values), ir.IntType(64))


@lower_builtin(any_less, types.Any, types.Any, types.Integer)
def _write_any_less(context: Any, builder: Any, call: Any, values: Any) -> Any:
    return builder.icmp_unsigned("!=", _bits(context, builder, "<", call, values), ir.IntType(WIDTH)(0))


@lower_builtin(greatest_of, LANES, types.Integer)
def _write_greatest_of(context: Any, builder: Any, call: Any, values: Any) -> Any:
    asked = _first_lanes(context, builder, call.args[1], values[1])
    known = builder.and_(asked, builder.fcmp_ordered("==", values[0], values[0]))
    lanes = builder.select(known, values[0], ir.Constant(NUMBERS, [-np.inf] * WIDTH))
    step = WIDTH // 2
    while step:
        turned = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [(c + step) % WIDTH for c in range(WIDTH)])
        other = builder.shuffle_vector(lanes, lanes, turned)
        lanes = builder.select(builder.fcmp_ordered(">", lanes, other), lanes, other)
        step //= 2
    return builder.extract_element(lanes, ir.IntType(32)(0))


@lower_builtin(sum_in_order, LANES, types.Integer)
def _write_sum_in_order(context: Any, builder: Any, call: Any, values: Any) -> Any:
    asked = _first_lanes(context, builder, call.args[1], values[1])
    lanes = builder.select(asked, values[0], ir.Constant(NUMBERS, [0.0] * WIDTH))
    total = builder.extract_element(lanes, ir.IntType(32)(0))
    for c in range(1, WIDTH):
        total = builder.fadd(total, builder.extract_element(lanes, ir.IntType(32)(c)))
    return total


@lower_builtin(sum_of, LANES)
def _write_sum_of(context: Any, builder: Any, call: Any, values: Any) -> Any:
    lanes, left = values[0], WIDTH
    while left > 1:
        left //= 2
        low, high = (
            builder.shuffle_vector(
                lanes, lanes, ir.Constant(ir.VectorType(ir.IntType(32), left), [*range(n, n + left)])
            )
            for n in (0, left)
        )
        lanes = builder.fadd(low, high)
    return builder.extract_element(lanes, ir.IntType(32)(0))
