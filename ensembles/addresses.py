"""Calls by address: one kernel uses any base model, and is compiled once.

A base model's operations are functions with addresses, compiled once for the types of its arrays and kept on disk; a kernel
of a method calls them through their addresses and hands on where the arrays lie.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    type_callable,
)
from numba.np import arrayobj

from ensembles.parts import part_for, use

__all__ = [
    "FLAG", "NOTHING", "NUMBER", "WEIGHT", "call_by_address", "code_of", "compiles", "floats_at", "hidden", "numbers_at",
    "put", "size_of", "structure_at", "table_at",
]  # fmt: skip

NUMBER, WEIGHT, FLAG, NOTHING = (
    types.int64,
    types.float64,
    types.boolean,
    types.void,
)  #: what operations take and return
_WORD = ir.IntType(32)
_FEW = 3  # fields of a small structure, as of examples
_LLVM = {NUMBER: ir.IntType(64), WEIGHT: ir.DoubleType(), FLAG: ir.IntType(8), NOTHING: ir.VoidType()}


def compiles() -> bool:
    """Whether kernels are compiled and check no bounds: what is called by address could not report what it runs into."""
    return not (numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK)


def _prototype(result: Any, arguments: Sequence[Any]) -> Any:
    return ir.FunctionType(_LLVM[result], [ir.IntType(64)] * 2 + [_LLVM[kind] for kind in arguments])


def code_of(choose: Callable[[type], Callable[..., Any]], result: Any, arguments: Sequence[Any]) -> Any:
    """Return what gives, within a kernel, the address of the code of a function for two kinds of structures.

    Parameters
    ----------
    choose : callable
        From the class of the first structure to the function, which takes the addresses of both, and `arguments`.
    result, arguments : NUMBER, WEIGHT, FLAG or (result) NOTHING
    """

    @intrinsic
    def code(typing_context, first, second):
        def generate(context, builder, signature, values):
            structures = tuple(types.CPointer(kind) for kind in signature.args)
            function = choose(signature.args[0].instance_class)
            part = part_for(function, (*structures, *arguments), inlined=True)
            use(part, context)
            entry = ir.Function(builder.module, _prototype(result, arguments), f"{part.name}.by_address")
            entry.linkage = "internal"
            within = ir.IRBuilder(entry.append_basic_block())
            places = [
                within.inttoptr(place, context.get_value_type(kind))
                for place, kind in zip(entry.args, structures, strict=False)
            ]
            given = [
                context.data_model_manager[kind].from_argument(within, value)
                for value, kind in zip(entry.args[2:], arguments, strict=True)
            ]
            _, told = context.call_internal_no_propagate(within, part.described, part.signature, [*places, *given])
            if result == NOTHING:
                within.ret_void()
            else:
                told = context.cast(within, told, part.signature.return_type, result)
                within.ret(context.get_value_as_argument(within, result, told))
            return builder.ptrtoint(entry, _LLVM[NUMBER])

        return NUMBER(first, second), generate

    return code


def call_by_address(result: Any, arguments: Sequence[Any]) -> Any:
    """Return what calls, within a kernel, code by its address, with two addresses of structures and a tuple of arguments."""
    prototype = _prototype(result, arguments)

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
            if result == NOTHING:
                return context.get_dummy_value()
            return context.data_model_manager[result].from_argument(builder, told)

        return result(NUMBER, NUMBER, NUMBER, given), generate

    return call


class _Placed(types.Type):  # type: ignore[misc]
    """A structure at an address: its fields are read where they are used, and handing it on hands the address on."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.instance_class = kind, kind.instance_class
        super().__init__(name=f"Placed({kind})")


@register_model(_Placed)
class _PlacedModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, placed: Any) -> None:
        super().__init__(manager, placed, manager[placed.kind].get_data_type().as_pointer())


@infer_getattr
class _FieldsOfPlaced(AttributeTemplate):  # type: ignore[misc]
    key = _Placed

    def generic_resolve(self, placed: Any, name: str) -> Any:
        if name not in placed.kind.fields:
            return None
        field = placed.kind[placed.kind.fields.index(name)]
        return _Placed(field) if isinstance(field, types.BaseNamedTuple) else field


@lower_getattr_generic(_Placed)
def _read_field(context: Any, builder: Any, placed: Any, pointer: Any, name: str) -> Any:
    number = placed.kind.fields.index(name)
    where, field = builder.gep(pointer, [_WORD(0), _WORD(number)], inbounds=True), placed.kind[number]
    if isinstance(field, types.BaseNamedTuple):
        return where
    model = context.data_model_manager[field]
    return model.from_data(builder, _read(builder, where, model.get_data_type()))


@intrinsic
def structure_at(typing_context, address):
    """Return the structure at an address; what is not used of it is not read.

    All is read where it has few fields, `short_steps` or `many_nodes`: once, before loops over examples or nodes. Where
    fields are read within, perceptrons and Mondrian forests learn a fifth more slowly.
    """
    kind = address.dtype
    at_once = len(kind) <= _FEW or any(hasattr(kind.instance_class, name) for name in ("short_steps", "many_nodes"))

    def generate(context, builder, signature, values):
        model = context.data_model_manager[kind]
        return model.from_data(builder, _read(builder, values[0], model.get_data_type())) if at_once else values[0]

    return (kind if at_once else _Placed(kind))(address), generate


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


def _array_at(content: Any, dimensions: int) -> Any:
    """Return what makes, within a kernel, an array of the memory at an address, which somebody else owns."""
    kind = types.Array(content, dimensions, "C")

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
                data=builder.inttoptr(values[0], context.get_data_type(content).as_pointer()),
                shape=cgutils.pack_array(builder, lengths),
                strides=cgutils.pack_array(builder, strides),
                itemsize=size,
                meminfo=None,
                parent=None,
            )
            return array._getvalue()

        return kind(NUMBER, types.UniTuple(NUMBER, dimensions)), generate

    return view


numbers_at, floats_at, table_at = _array_at(NUMBER, 1), _array_at(WEIGHT, 1), _array_at(WEIGHT, 2)


@intrinsic
def put(typing_context, structure, address):
    """Write a structure of arrays to an address: where they lie, not what they hold."""

    def generate(context, builder, signature, values):
        model = context.data_model_manager[structure]
        pointer = builder.inttoptr(values[1], model.get_data_type().as_pointer())
        builder.store(model.as_data(builder, values[0]), pointer)
        return context.get_dummy_value()

    return NOTHING(structure, NUMBER), generate


@intrinsic
def size_of(typing_context, structure):
    """Return how many bytes `put` writes."""

    def generate(context, builder, signature, values):
        return context.get_constant(NUMBER, context.get_abi_sizeof(context.get_data_type(structure)))

    return NUMBER(structure), generate


def hidden(number: int) -> int:
    """Return a number of which the compiler knows nothing: the member, in loops over members.

    Otherwise it asks once, before such a loop, whether the rows of an array overlap for any member, finds that those of one
    lie between those of others, and goes one attribute at a time: naive Bayes learned eight numbers in 170 ns instead of 65.
    """
    return number


@type_callable(hidden)
def _type_hidden(_: Any) -> Any:
    return lambda _: NUMBER


@lower_builtin(hidden, types.Integer)
def _hide(context: Any, builder: Any, call: Any, values: Any) -> Any:
    number = context.cast(builder, values[0], call.args[0], NUMBER)
    return builder.asm(ir.FunctionType(_LLVM[NUMBER], [_LLVM[NUMBER]]), "", "=r,0", [number], side_effect=False)
