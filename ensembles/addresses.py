"""Calls by address: one kernel uses any base model, and is compiled once.

A base model's operations are C callbacks, compiled once for the types of its arrays and kept on disk; a kernel of a method
calls them through their addresses and hands on where the arrays lie. Only Numba's public interface for extensions is used.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba import cfunc, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from ensembles.jit import kernel, own_cache
from ensembles.numba_compiler import KernelCompiler

__all__ = [
    "FLAG", "NOTHING", "NUMBER", "WEIGHT", "address_of", "call_by_address", "compiles", "floats_at", "kind_of", "put",
    "size_of", "structure_at", "table_at",
]  # fmt: skip

NUMBER, WEIGHT, FLAG, NOTHING = (
    types.int64,
    types.float64,
    types.boolean,
    types.void,
)  #: what operations take and return

_CALLBACK: dict[str, Any] = {
    "nopython": True,
    "_nrt": False,
    "error_model": "numpy",
    "forceinline": True,
    "pipeline_class": KernelCompiler,
}
_WORD = ir.IntType(32)

kind_of = numba.typeof  #: of a structure of arrays: what callbacks are compiled for


def compiles() -> bool:
    """Whether kernels are compiled and check no bounds: a callback could not report what it runs into."""
    return not (numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK)


def address_of(
    function: Callable[..., Any], result: Any, structures: Sequence[Any], arguments: Sequence[Any]
) -> tuple[int, Any]:
    """Return where the machine code of `function` is, and what keeps it there.

    Parameters
    ----------
    structures : sequence of kinds
        Of what lies at the addresses that the function takes first.
    arguments : sequence of {NUMBER, WEIGHT, FLAG}
        What it takes besides.
    """
    signature = result(*(types.CPointer(kind) for kind in structures), *arguments)
    try:
        with own_cache():
            callback = cfunc(signature, cache=True, **_CALLBACK)(function)
    except OSError:  # no room on the disk: the next process compiles it again
        callback = cfunc(signature, **_CALLBACK)(function)
    return callback.address, callback


def call_by_address(result: Any, arguments: Sequence[Any]) -> Any:
    """Return what calls, within a kernel, code by its address, with two addresses of structures and a tuple of arguments."""
    llvm = {NUMBER: ir.IntType(64), WEIGHT: ir.DoubleType(), FLAG: ir.IntType(8), NOTHING: ir.VoidType()}
    prototype = ir.FunctionType(llvm[result], [ir.IntType(64)] * 2 + [llvm[kind] for kind in arguments])

    @intrinsic
    def call(typing_context, code, first, second, given):
        def generate(context, builder, signature, values):
            code, first, second, given = values
            parts = cgutils.unpack_tuple(builder, given, len(arguments))
            cast = [
                context.cast(builder, part, had, wanted)
                for part, had, wanted in zip(parts, signature.args[3], arguments, strict=True)
            ]
            cast = [
                context.get_value_as_argument(builder, wanted, one) for wanted, one in zip(arguments, cast, strict=True)
            ]
            told = builder.call(builder.inttoptr(code, prototype.as_pointer()), [first, second, *cast])
            return context.get_dummy_value() if result == NOTHING else told

        return result(NUMBER, NUMBER, NUMBER, given), generate

    return call


@intrinsic
def structure_at(typing_context, address):
    """Return the structure at an address; what is not used of it is not read."""

    def generate(context, builder, signature, values):
        kind = context.get_data_type(signature.return_type)
        data = _read(builder, values[0], kind)
        return context.data_model_manager[signature.return_type].from_data(builder, data)

    return address.dtype(address), generate


def _read(builder: Any, pointer: Any, kind: Any) -> Any:
    if isinstance(kind, ir.LiteralStructType):
        inside = list(kind.elements)
    elif isinstance(kind, ir.ArrayType):
        inside = [kind.element] * kind.count
    else:
        loaded = builder.load(pointer)
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))  # so it may wait until it is needed
        return loaded
    whole = ir.Constant(kind, ir.Undefined)
    for place, part in enumerate(inside):
        where = builder.gep(pointer, [_WORD(0), _WORD(place)], inbounds=True)
        whole = builder.insert_value(whole, _read(builder, where, part), place)
    return whole


def _array_at(dimensions: int) -> Any:
    """Return what makes, within a kernel, an array of floats of the memory at an address, which somebody else owns."""
    kind = types.Array(WEIGHT, dimensions, "C")

    @intrinsic
    def view(typing_context, address, shape):
        def generate(context, builder, signature, values):
            array = context.make_array(kind)(context, builder)
            size = context.get_constant(types.intp, 8)
            lengths = cgutils.unpack_tuple(builder, values[1], dimensions)
            strides = [size]
            for length in reversed(lengths[1:]):
                strides.insert(0, builder.mul(strides[0], length))
            arrayobj.populate_array(
                array,
                data=builder.inttoptr(values[0], context.get_data_type(WEIGHT).as_pointer()),
                shape=cgutils.pack_array(builder, lengths),
                strides=cgutils.pack_array(builder, strides),
                itemsize=size,
                meminfo=None,
                parent=None,
            )
            return array._getvalue()

        return kind(NUMBER, types.UniTuple(NUMBER, dimensions)), generate

    return view


floats_at, table_at = _array_at(1), _array_at(2)


@intrinsic
def _put(typing_context, structure, address):
    def generate(context, builder, signature, values):
        model = context.data_model_manager[structure]
        pointer = builder.inttoptr(values[1], model.get_data_type().as_pointer())
        builder.store(model.as_data(builder, values[0]), pointer)
        return context.get_dummy_value()

    return NOTHING(structure, NUMBER), generate


@intrinsic
def _size_of(typing_context, structure):
    def generate(context, builder, signature, values):
        return context.get_constant(NUMBER, context.get_abi_sizeof(context.get_data_type(structure)))

    return NUMBER(structure), generate


@kernel
def put(structure, address):
    """Write a structure of arrays to an address: where they lie, not what they hold."""
    _put(structure, address)


@kernel
def size_of(structure):
    """Return how many bytes `put` writes."""
    return _size_of(structure)
