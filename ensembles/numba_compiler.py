"""Numba's compiler without what kernels do not need: users wait for it.

Numba optimises a function, and makes machine code of it, by itself and again in each function that calls it, directly or
not; here that happens once for each kernel. It tries every kind of `+` wherever a `+` stands, takes structures apart that
it has just put together, and has steps for what kernels never do. The code does the same in the same order, bit for bit.

Most of this overrides what Numba does not promise to keep: `requirements.txt` pins it narrowly. It does so while a kernel is
compiled, under Numba's lock, and for nobody else.
"""

import functools
import gc
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, NamedTuple

from llvmlite import binding as llvm
from llvmlite.binding.newpassmanagers import create_pass_builder, create_pipeline_tuning_options
from llvmlite.ir import IRBuilder
from llvmlite.ir.instructions import InsertValue
from numba import types
from numba.core import base
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.ir import Assign
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj

__all__ = ["CalledKernel", "Kernel", "KernelCompiler", "Part", "PartCompiler"]


class _Callee(NamedTuple):
    """A kernel that another kernel calls: who takes the caller from the disk has to have the callee first."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    symbol: str  # its name when the caller was compiled: Numba numbers names by process

    def __call__(self) -> None:
        kernel_called = getattr(importlib.import_module(self.module), self.name)
        kernel_called.compile(self.arguments)
        self.announce(kernel_called.overloads[self.arguments])

    def announce(self, compiled: Any) -> None:
        """Tell the linker where the callee is."""
        llvm.add_symbol(self.symbol, compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel and of its parts; other kernels are jumped to, where Numba would copy and compile them again."""

    def add_linking_library(self, library: Any) -> None:
        callee = getattr(library, "callee", None)
        if library is rtsys.library:
            pass  # counts references, which kernels have none of
        elif callee is None:
            super().add_linking_library(library)
        else:
            self._reload_init.add(callee)

    def _optimize_functions(self, module: Any) -> None:
        """Optimise functions by themselves, without the way into a kernel from Python, which took as long as the kernel."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration and not function.name.startswith("_ZN7cpython"):
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        """Optimise as Numba does, in one go (its first one prunes reference counts), and repeat no body of a loop.

        Loops over classes are short: repeating their bodies for the longer ones that never come doubled a kernel, and a
        fifth of the time went there, for nothing. Loops of a constant length were unrolled before, function by function.
        """
        options = create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization, options.loop_unrolling = True, False
        builder = create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)


class _PartLibrary(_Library):
    """Code that only goes into kernels, which are optimised as a whole: by itself it is neither optimised nor run."""

    codegen = property(lambda self: self)

    def set_env(self, name: str, environment: Any) -> None:
        pass  # there is nothing in memory yet to set it in, and kernels use no Python objects

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _Flags(Flags):  # type: ignore[misc]
    """Settings of the compiler, of which equal ones are one object: Numba compares them 50,000 times for a tree."""

    _known: ClassVar[dict[str, "_Flags"]] = {}
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def copy(self) -> "_Flags":
        return self._known.setdefault(self.summary(), self)


def _remembering(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Find out once what `+` gives for some types: a tenth of the time went into finding out again."""
    known: dict[Any, Any] = {}

    def recall(function: Any, context: Any, arguments: Any, keywords: Any) -> Any:
        call = (function, context, *arguments, *(keywords or {}).items())
        if call not in known:
            known[call] = resolve(function, context, arguments, keywords)
        return known[call]

    return recall


class _Array:
    """An array that is read: its parts are taken from it, where Numba would copy it to the stack first."""

    def __init__(self, builder: Any, array: Any, fields: Any) -> None:
        self._builder, self._array, self._fields = builder, array, fields

    def __getattr__(self, field: str) -> Any:
        return self._builder.extract_value(self._array, self._fields.get_field_position(field))


def _reading(make_array: Callable[..., Any]) -> Callable[..., Any]:
    def make(kind: Any) -> Any:
        structure = make_array(kind)

        def build(context: Any, builder: Any, value: Any = None, ref: Any = None) -> Any:
            if value is None or ref is not None or context.enable_nrt:
                return structure(context, builder, value, ref)
            return _Array(builder, value, context.data_model_manager[kind.as_array])

        return build

    return make


_OURS = (
    (types.BaseFunction, "get_call_type", _remembering(types.BaseFunction.get_call_type)),
    (arrayobj, "make_array", _reading(arrayobj.make_array)),
    (
        base,
        "_has_loc",
        functools.cache(base._has_loc),
    ),  # reads the signature of a function that writes down an operation
)


@contextmanager
def _in_our_way() -> Iterator[None]:
    """Let Numba work as kernels need it, and as it did before afterwards; under its lock, as compiling is."""
    before = [getattr(owner, name) for owner, name, _ in _OURS]
    for owner, name, ours in _OURS:
        setattr(owner, name, ours)
    try:
        yield
    finally:
        for (owner, name, _), theirs in zip(_OURS, before, strict=True):
            setattr(owner, name, theirs)


class _Builder(IRBuilder):  # type: ignore[misc]
    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        """Return what was put into a structure, without an instruction if it is known."""
        places = tuple(idx) if isinstance(idx, tuple | list) else (idx,)
        while isinstance(agg, InsertValue):
            filled = tuple(agg.indices)
            if filled == places:
                return agg.value
            if filled == places[: len(filled)] or places == filled[: len(places)]:
                break
            agg = agg.aggregate
        return super().extract_value(agg, places, name)


class _Lower(Lower):  # type: ignore[misc]
    """Write down a third fewer instructions than Numba: a NamedTuple of arrays is a hundred words.

    Numba puts it together in each function and takes it apart again, and copies it to the stack and back for every loop that
    uses it. All that came to nothing once it was optimised, and took a tenth of the time.
    """

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)
        self.builder.__class__ = _Builder

    def _find_singly_assigned_variable(self) -> None:
        """Find variables that need no place on the stack: their one assignment comes before every use, on all ways to it."""
        assigned: dict[str, list[int]] = {}
        for place, block in self.blocks.items():
            for step in block.find_insts(Assign):
                assigned.setdefault(step.target.name, []).append(place)
        single = {name: places[0] for name, places in assigned.items() if len(places) == 1}
        dominators = compute_cfg_from_blocks(self.blocks).dominators()
        uses = compute_use_defs(self.blocks).usemap  # without those of what the same block assigned before
        for place, names in uses.items():
            for name in names & single.keys():
                if single[name] not in dominators[place] or single[name] >= place:  # lower numbers are written first
                    del single[name]
        self._singly_assigned_vars = set(single)
        self._blk_local_varmap: dict[str, Any] = {}


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):  # type: ignore[misc]
    _name = "kernel_lowering"
    lowering_class = _Lower


#: Steps for what kernels do not have: closures, `with`, implementations that copy themselves into callers, branches that go
#: by a type, sums of whole arrays, references to give up at the end of a variable's life; and one that writes it all down
#: for people. They took a twentieth of the time.
_LEFT_OUT = {
    "annotate_types", "dead_branch_prune", "inline_closure_likes", "inline_inlinables", "inline_overloads",
    "ir_legalization", "nopython_rewrites", "with_lifting",
}  # fmt: skip


class KernelCompiler(Compiler):  # type: ignore[misc]
    """The steps from a kernel's source to its machine code."""

    library = _Library

    def define_pipelines(self) -> list[Any]:
        [pipeline] = super().define_pipelines()
        steps = [step for step in pipeline.passes if step[0].name() not in _LEFT_OUT]
        pipeline.passes = [(_Lowering if step is NativeLowering else step, why) for step, why in steps]
        pipeline.finalize()
        return [pipeline]

    def compile_extra(self, func: Any) -> Any:
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        self.state.flags = _Flags(self.state.flags)
        collects = gc.isenabled()
        gc.disable()  # a tenth of the time of the compiler went into looking through all that is alive
        try:
            with _in_our_way():
                result = super().compile_extra(func)
            return result._replace(reload_init=self.state.library._reload_init)  # callbacks would come without
        finally:
            if collects:
                gc.enable()


class PartCompiler(KernelCompiler):
    """As far as a part goes by itself."""

    library = _PartLibrary


class _Function(CPUDispatcher):  # type: ignore[misc]
    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile once for all constants and widths of integers, where Numba would compile anew for each."""
        return super().get_call_template([_widened(kind) for kind in args], kws)


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) else kind


class _Cache(FunctionCache):  # type: ignore[misc]
    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep the machine code if there is room: on a full disk the next process compiles it again."""
        with suppress(OSError):
            super().save_overload(signature, compiled)


class Kernel(_Function):
    """A function with machine code of its own, which other kernels jump to."""

    def enable_caching(self) -> None:
        self._cache = _Cache(self.py_func)

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        function = self.py_func
        callee = _Callee(function.__module__, function.__name__, cres.signature.args, cres.fndesc.llvm_func_name)
        callee.announce(cres)
        cres.library.callee = callee


class Part(_Function):
    """A function that goes into kernels."""

    def __call__(self, *arguments: Any) -> Any:
        """Run as plain Python: there is no machine code to be called from Python."""
        return self.py_func(*arguments)


class CalledKernel(Part, Kernel):
    """A kernel that only kernels call."""
