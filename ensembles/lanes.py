"""Lanes: eight numbers that kernels work on at once, most often those of eight classes.

A loop over classes keeps its sums and products in memory, where each step waits for the one before. Lanes stay in registers.
Every lane is worked out as a number alone would be: interpreted, lanes are arrays of NumPy, and give the same bits.

Lanes are read from the end of the last axis of an array; those beyond it hold anything, and are never written.
"""

import inspect
import operator
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable

__all__ = ["WIDTH", "lanes_at", "lanes_of", "put_lanes", "where_less"]

WIDTH = 8
_NUMBERS, _FLAGS = ir.VectorType(ir.DoubleType(), WIDTH), ir.VectorType(ir.IntType(1), WIDTH)
_WORD = ir.IntType(32)
_POINTER = _NUMBERS.as_pointer()


class _Lanes(types.Type):  # type: ignore[misc]
    pass


_LANES = _Lanes("Lanes")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _NUMBERS)


def lanes_of(number: float) -> npt.NDArray[np.float64]:
    """Return lanes that all hold one number."""
    return np.full(WIDTH, number)


def lanes_at(array: npt.NDArray[np.float64], place: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return the numbers of an array from a place on, which must be in the array."""
    lanes = np.ones(WIDTH)  # so that those beyond the end raise no warnings
    row = array[place[:-1]][place[-1] : place[-1] + WIDTH]
    lanes[: len(row)] = row
    return lanes


def put_lanes(array: npt.NDArray[np.float64], place: tuple[int, ...], lanes: npt.NDArray[np.float64]) -> None:
    """Write lanes to an array from a place on."""
    row = array[place[:-1]][place[-1] : place[-1] + WIDTH]
    row[:] = lanes[: len(row)]


def where_less(first: Any, second: Any, then: Any, otherwise: Any) -> npt.NDArray[np.float64]:
    """Return lane by lane `then` where `first` is less than `second`, and else `otherwise`: lanes or numbers, all."""
    chosen: npt.NDArray[np.float64] = np.where(np.broadcast_to(first < second, WIDTH), then, otherwise)
    return chosen


def _spread(builder: Any, value: Any) -> Any:
    """Return lanes that all hold one value."""
    kind = ir.VectorType(value.type, WIDTH)
    single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, _WORD(0))
    return builder.shuffle_vector(single, single, ir.Constant(ir.VectorType(_WORD, WIDTH), [0] * WIDTH))


def _as_lanes(builder: Any, call: Any, values: Any) -> list[Any]:
    return [value if kind == _LANES else _spread(builder, value) for kind, value in zip(call.args, values, strict=True)]


def _masked(context: Any, builder: Any, call: Any, values: Any) -> tuple[Any, Any]:
    """Return a pointer to the numbers at a place, and which of the eight lie in the array."""
    kind, places = call.args[:2]
    array = context.make_array(kind)(context, builder, values[0])
    indices = [
        context.cast(builder, index, given, types.intp)
        for index, given in zip(cgutils.unpack_tuple(builder, values[1]), places, strict=True)
    ]
    pointer = cgutils.get_item_pointer(context, builder, kind, array, indices, boundscheck=context.enable_boundscheck)
    left = builder.sub(cgutils.unpack_tuple(builder, array.shape)[-1], indices[-1])
    inside = builder.icmp_signed(
        "<", ir.Constant(ir.VectorType(left.type, WIDTH), [*range(WIDTH)]), _spread(builder, left)
    )
    return builder.bitcast(pointer, _POINTER), inside


def _returns(called: Any, result: Any) -> None:
    """Say of what type a function's result is in kernels."""

    @type_callable(called)
    def type_call(_: Any) -> Any:
        def returned(*_: Any) -> Any:
            return result

        returned.__signature__ = inspect.signature(called)  # type: ignore[attr-defined]
        return returned


_returns(lanes_of, _LANES)
_returns(lanes_at, _LANES)
_returns(put_lanes, types.none)
_returns(where_less, _LANES)


@lower_builtin(lanes_of, types.Float)
def _write_lanes_of(context: Any, builder: Any, call: Any, values: Any) -> Any:
    return _spread(builder, values[0])


@lower_builtin(lanes_at, types.Array, types.BaseTuple)
def _write_lanes_at(context: Any, builder: Any, call: Any, values: Any) -> Any:
    pointer, inside = _masked(context, builder, call, values)
    load = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_NUMBERS, [_POINTER, _WORD, _FLAGS, _NUMBERS]), "llvm.masked.load.v8f64.p0"
    )
    return builder.call(load, [pointer, _WORD(8), inside, ir.Constant(_NUMBERS, ir.Undefined)])


@lower_builtin(put_lanes, types.Array, types.BaseTuple, _Lanes)
def _write_put_lanes(context: Any, builder: Any, call: Any, values: Any) -> Any:
    pointer, inside = _masked(context, builder, call, values)
    store = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(ir.VoidType(), [_NUMBERS, _POINTER, _WORD, _FLAGS]),
        "llvm.masked.store.v8f64.p0",
    )
    builder.call(store, [values[2], pointer, _WORD(8), inside])
    return context.get_dummy_value()


@lower_builtin(where_less, types.VarArg(types.Any))
def _write_where_less(context: Any, builder: Any, call: Any, values: Any) -> Any:
    first, second, then, otherwise = _as_lanes(builder, call, values)
    return builder.select(builder.fcmp_ordered("<", first, second), then, otherwise)


def _let_operator(symbol: Any, write: str) -> None:
    @type_callable(symbol)
    def type_call(_: Any) -> Any:
        return lambda a, b: _LANES if _LANES in (a, b) and {a, b} <= {_LANES, types.float64} else None

    def write_call(context: Any, builder: Any, call: Any, values: Any) -> Any:
        return getattr(builder, write)(*_as_lanes(builder, call, values))

    for kinds in ((_LANES, _LANES), (_LANES, types.float64), (types.float64, _LANES)):
        lower_builtin(symbol, *kinds)(write_call)


for _symbol, _write in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _let_operator(_symbol, _write)
