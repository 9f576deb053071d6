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

__all__ = [
    "LANES", "NUMBERS", "WIDTH", "add_halves", "as_lanes", "exponents_of", "first_four", "four_lanes", "lanes_at",
    "lanes_below", "lanes_of", "mantissas_of", "pointer_at", "put_lanes", "put_whole_lanes", "rest_of_product", "returns",
    "roots_of", "where_less", "whole_lanes_at",
]  # fmt: skip

WIDTH = 8
NUMBERS, _FLAGS = ir.VectorType(ir.DoubleType(), WIDTH), ir.VectorType(ir.IntType(1), WIDTH)
_WORD, _BITS = ir.IntType(32), ir.VectorType(ir.IntType(64), WIDTH)
_FRACTION, _ONE, _BEYOND = 2**52 - 1, 1023 << 52, 1075 << 52  # bits: behind the binary point; of 1; of 2^52
_POINTER = NUMBERS.as_pointer()
_SPLITTER = 134217729.0  # 2^27 + 1


class _Lanes(types.Type):  # type: ignore[misc]
    pass


LANES = _Lanes("Lanes")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, NUMBERS)


def lanes_of(number: float) -> npt.NDArray[np.float64]:
    """Return lanes that all hold one number."""
    return np.full(WIDTH, number)


def lanes_at(array: npt.NDArray[np.float64], place: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return the numbers of an array from a place on, which must be in the array."""
    lanes = np.ones(WIDTH)  # so that those beyond the end raise no warnings
    row = array[place[:-1]][place[-1] : place[-1] + WIDTH]
    lanes[: len(row)] = row
    return lanes


def whole_lanes_at(array: npt.NDArray[np.float64], place: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """As `lanes_at`, where all eight lie in the array, which costs less."""
    return lanes_at(array, place)


def put_lanes(array: npt.NDArray[np.float64], place: tuple[int, ...], lanes: npt.NDArray[np.float64]) -> None:
    """Write lanes to an array from a place on."""
    row = array[place[:-1]][place[-1] : place[-1] + WIDTH]
    row[:] = lanes[: len(row)]


def put_whole_lanes(array: npt.NDArray[np.float64], place: tuple[int, ...], lanes: npt.NDArray[np.float64]) -> None:
    """As `put_lanes`, where all eight lie in the array, which costs less."""
    put_lanes(array, place, lanes)


def where_less(first: Any, second: Any, then: Any, otherwise: Any) -> npt.NDArray[np.float64]:
    """Return lane by lane `then` where `first` is less than `second`, and else `otherwise`: lanes or numbers, all."""
    chosen: npt.NDArray[np.float64] = np.where(np.broadcast_to(first < second, WIDTH), then, otherwise)
    return chosen


def exponents_of(lanes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return whole numbers e, for numbers m 2^e that are not negative, with m in [1, 2); -1023 for 0."""
    return ((lanes.view(np.int64) >> 52) - 1023).astype(np.float64)


def mantissas_of(lanes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return m in [1, 2) for numbers m 2^e that are not negative; 1 for 0."""
    return (lanes.view(np.int64) & _FRACTION | _ONE).view(np.float64)


def rest_of_product(
    a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], product: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return what was rounded away from the products of lanes (Dekker); compiled, by one fused step."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(lanes: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    times = _SPLITTER * lanes
    high = times - (times - lanes)
    return high, lanes - high


def roots_of(lanes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return square roots."""
    return np.sqrt(lanes)


def four_lanes(first: float) -> npt.NDArray[np.float64]:
    """Return lanes for four sums, of which the first begins with a number; the last four lanes hold anything."""
    return np.array([first] + [0.0] * (WIDTH - 1))


def add_halves(sums: npt.NDArray[np.float64], lanes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return four sums with the first four lanes and then the last four added to them."""
    half = WIDTH // 2
    return np.concatenate([(sums[:half] + lanes[:half]) + lanes[half:], np.ones(half)])


def first_four(lanes: npt.NDArray[np.float64]) -> tuple[float, ...]:
    """Return the numbers in the first four lanes."""
    return tuple(lanes[: WIDTH // 2].tolist())


def _spread(builder: Any, value: Any) -> Any:
    """Return lanes that all hold one value."""
    kind = ir.VectorType(value.type, WIDTH)
    single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, _WORD(0))
    return builder.shuffle_vector(single, single, ir.Constant(ir.VectorType(_WORD, WIDTH), [0] * WIDTH))


def as_lanes(builder: Any, call: Any, values: Any) -> list[Any]:
    return [value if kind == LANES else _spread(builder, value) for kind, value in zip(call.args, values, strict=False)]


def pointer_at(context: Any, builder: Any, call: Any, values: Any) -> tuple[Any, Any]:
    """Return a pointer to a place in an array, and how many of the row's numbers are left from there on."""
    kind, places = call.args[:2]
    array = context.make_array(kind)(context, builder, values[0])
    indices = [
        context.cast(builder, index, given, types.intp)
        for index, given in zip(cgutils.unpack_tuple(builder, values[1]), places, strict=True)
    ]
    pointer = cgutils.get_item_pointer(context, builder, kind, array, indices, boundscheck=context.enable_boundscheck)
    return pointer, builder.sub(cgutils.unpack_tuple(builder, array.shape)[-1], indices[-1])


def _masked(context: Any, builder: Any, call: Any, values: Any) -> tuple[Any, Any]:
    """Return a pointer to the numbers at a place, and which of the eight lie in the array."""
    pointer, left = pointer_at(context, builder, call, values)
    return builder.bitcast(pointer, _POINTER), lanes_below(builder, left)


def lanes_below(builder: Any, n: Any) -> Any:
    """Return flags of the first n lanes."""
    return builder.icmp_signed("<", ir.Constant(ir.VectorType(n.type, WIDTH), [*range(WIDTH)]), _spread(builder, n))


def returns(called: Any, result: Any) -> None:
    """Say of what type a function's result is in kernels."""

    @type_callable(called)
    def type_call(_: Any) -> Any:
        def returned(*_: Any) -> Any:
            return result

        returned.__signature__ = inspect.signature(called)  # type: ignore[attr-defined]
        return returned


returns(lanes_of, LANES)
returns(lanes_at, LANES)
returns(whole_lanes_at, LANES)
returns(four_lanes, LANES)
returns(add_halves, LANES)
returns(first_four, types.UniTuple(types.float64, WIDTH // 2))
returns(exponents_of, LANES)
returns(mantissas_of, LANES)
returns(roots_of, LANES)
returns(rest_of_product, LANES)
returns(put_lanes, types.none)
returns(put_whole_lanes, types.none)
returns(where_less, LANES)


@lower_builtin(lanes_of, types.Float)
def _write_lanes_of(context: Any, builder: Any, call: Any, values: Any) -> Any:
    return _spread(builder, values[0])


@lower_builtin(lanes_at, types.Array, types.BaseTuple)
def _write_lanes_at(context: Any, builder: Any, call: Any, values: Any) -> Any:
    pointer, inside = _masked(context, builder, call, values)
    load = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(NUMBERS, [_POINTER, _WORD, _FLAGS, NUMBERS]), "llvm.masked.load.v8f64.p0"
    )
    return builder.call(load, [pointer, _WORD(8), inside, ir.Constant(NUMBERS, ir.Undefined)])


@lower_builtin(whole_lanes_at, types.Array, types.BaseTuple)
def _write_whole_lanes_at(context: Any, builder: Any, call: Any, values: Any) -> Any:
    return builder.load(_masked(context, builder, call, values)[0], align=8)


@lower_builtin(four_lanes, types.Float)
def _write_four_lanes(context: Any, builder: Any, call: Any, values: Any) -> Any:
    return builder.insert_element(ir.Constant(NUMBERS, [0.0] * WIDTH), values[0], _WORD(0))


@lower_builtin(add_halves, LANES, LANES)
def _write_add_halves(context: Any, builder: Any, call: Any, values: Any) -> Any:
    sums, low, high = _half(builder, values[0], 0), _half(builder, values[1], 0), _half(builder, values[1], 1)
    added = builder.fadd(builder.fadd(sums, low), high)
    twice = ir.Constant(ir.VectorType(_WORD, WIDTH), [*range(WIDTH // 2)] * 2)
    return builder.shuffle_vector(added, added, twice)


def _half(builder: Any, lanes: Any, number: int) -> Any:
    some = [*range(WIDTH)][number * WIDTH // 2 :][: WIDTH // 2]
    return builder.shuffle_vector(lanes, lanes, ir.Constant(ir.VectorType(_WORD, WIDTH // 2), some))


@lower_builtin(first_four, LANES)
def _write_first_four(context: Any, builder: Any, call: Any, values: Any) -> Any:
    numbers = [builder.extract_element(values[0], _WORD(lane)) for lane in range(WIDTH // 2)]
    return context.make_tuple(builder, types.UniTuple(types.float64, WIDTH // 2), numbers)


@lower_builtin(put_lanes, types.Array, types.BaseTuple, _Lanes)
def _write_put_lanes(context: Any, builder: Any, call: Any, values: Any) -> Any:
    pointer, inside = _masked(context, builder, call, values)
    kind = ir.FunctionType(ir.VoidType(), [NUMBERS, _POINTER, _WORD, _FLAGS])
    store = cgutils.get_or_insert_function(builder.module, kind, "llvm.masked.store.v8f64.p0")
    builder.call(store, [values[2], pointer, _WORD(8), inside])
    return context.get_dummy_value()


@lower_builtin(put_whole_lanes, types.Array, types.BaseTuple, _Lanes)
def _write_put_whole_lanes(context: Any, builder: Any, call: Any, values: Any) -> Any:
    builder.store(values[2], _masked(context, builder, call, values)[0], align=8)
    return context.get_dummy_value()


@lower_builtin(exponents_of, LANES)
def _write_exponents_of(context: Any, builder: Any, call: Any, values: Any) -> Any:
    shifted = builder.lshr(builder.bitcast(values[0], _BITS), _all_bits(52))
    beyond = builder.bitcast(builder.or_(shifted, _all_bits(_BEYOND)), NUMBERS)  # 2^52 and the exponent
    return builder.fsub(beyond, ir.Constant(NUMBERS, [2.0**52 + 1023.0] * WIDTH))


@lower_builtin(mantissas_of, LANES)
def _write_mantissas_of(context: Any, builder: Any, call: Any, values: Any) -> Any:
    fraction = builder.and_(builder.bitcast(values[0], _BITS), _all_bits(_FRACTION))
    return builder.bitcast(builder.or_(fraction, _all_bits(_ONE)), NUMBERS)


@lower_builtin(roots_of, LANES)
def _write_roots_of(context: Any, builder: Any, call: Any, values: Any) -> Any:
    root = cgutils.get_or_insert_function(builder.module, ir.FunctionType(NUMBERS, [NUMBERS]), "llvm.sqrt.v8f64")
    return builder.call(root, [values[0]])


@lower_builtin(rest_of_product, LANES, LANES, LANES)
def _write_rest_of_product(context: Any, builder: Any, call: Any, values: Any) -> Any:
    fused = cgutils.get_or_insert_function(builder.module, ir.FunctionType(NUMBERS, [NUMBERS] * 3), "llvm.fma.v8f64")
    return builder.call(fused, [*values[:2], builder.fsub(ir.Constant(NUMBERS, [-0.0] * WIDTH), values[2])])


def _all_bits(bits: int) -> Any:
    return ir.Constant(_BITS, [bits] * WIDTH)


@lower_builtin(where_less, types.VarArg(types.Any))
def _write_where_less(context: Any, builder: Any, call: Any, values: Any) -> Any:
    first, second, then, otherwise = as_lanes(builder, call, values)
    return builder.select(builder.fcmp_ordered("<", first, second), then, otherwise)


def _let_operator(symbol: Any, write: str) -> None:
    @type_callable(symbol)
    def type_call(_: Any) -> Any:
        return lambda a, b: LANES if LANES in (a, b) and {a, b} <= {LANES, types.float64} else None

    def write_call(context: Any, builder: Any, call: Any, values: Any) -> Any:
        return getattr(builder, write)(*as_lanes(builder, call, values))

    for kinds in ((LANES, LANES), (LANES, types.float64), (types.float64, LANES)):
        lower_builtin(symbol, *kinds)(write_call)


for _symbol, _write in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _let_operator(_symbol, _write)
