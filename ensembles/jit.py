"""The one place where Numba is switched on.

``kernel`` compiles a function and keeps it on disk, ``callee`` one that only kernels call, ``part`` and ``inner`` one that
goes into kernels. ``operation`` is for a generic kernel function, chosen by the type of its first argument: by
`numba.extending.overload` when compiled, by a plain table when not. With ``NUMBA_DISABLE_JIT=1`` the same sources run as
plain Python and give the same numbers, bit for bit, provided that kernels keep three rules: functions of `math` instead of
`numpy` for logarithms and exponentials, no random generator inside, no ``fastmath``.

Numba would optimise a function, and make machine code of it, by itself and again in each function that calls it, directly or
not. Here that happens once for each kernel.
"""

import gc
import hashlib
import importlib
import inspect
import os
import pathlib
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numba
from llvmlite import binding as llvm
from llvmlite.binding.newpassmanagers import create_pass_builder, create_pipeline_tuning_options
from llvmlite.ir import IRBuilder
from llvmlite.ir.instructions import InsertValue
from numba import njit, types
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.ir import Assign
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typed_passes import NativeLowering
from numba.extending import overload

__all__ = ["callee", "inner", "kernel", "operation", "part", "source_digest"]


def source_digest() -> str:
    """Return a digest of the package's sources: it names the cache folder and the version a trial was computed by."""
    digest = hashlib.sha256()
    root = pathlib.Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> str:
    home = os.environ.get("ENSEMBLE_LAB_CACHE") or os.path.join(os.path.expanduser("~"), ".cache", "ensemble-lab")
    return os.path.join(home, "kernels", source_digest())


# Numba looks only at the file of the outer kernel: a digest of all sources in the folder's name keeps stale code out.
numba.config.CACHE_DIR = _cache_folder()


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


def _do_nothing() -> None:
    pass


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


class _Compiler(Compiler):  # type: ignore[misc]
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
        self.state.targetctx.refresh = _do_nothing  # hundreds of looks for news of other packages were a twentieth
        collects = gc.isenabled()
        gc.disable()  # a tenth of the time of the compiler went into looking through all that is alive
        try:
            return super().compile_extra(func)
        finally:
            if collects:
                gc.enable()


class _PartCompiler(_Compiler):
    library = _PartLibrary


class _Function(CPUDispatcher):  # type: ignore[misc]
    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile once for all constants and widths of integers, where Numba would compile anew for each."""
        return super().get_call_template([_widened(kind) for kind in args], kws)


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) else kind


class _Kernel(_Function):
    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        function = self.py_func
        callee = _Callee(function.__module__, function.__name__, cres.signature.args, cres.fndesc.llvm_func_name)
        callee.announce(cres)
        cres.library.callee = callee


class _Part(_Function):
    def __call__(self, *arguments: Any) -> Any:
        """Run as plain Python: there is no machine code to be called from Python."""
        return self.py_func(*arguments)


class _CalledKernel(_Part, _Kernel):
    pass


def _compiled(kind: type[_Function], options: dict[str, Any], function: Any) -> Any:
    compiled = njit(**options)(function)
    if not numba.config.DISABLE_JIT:
        compiled.__class__ = kind
    return compiled


_OPTIONS: dict[str, Any] = {
    "nogil": True,  # kernels touch arrays only
    "_nrt": False,  # kernels allocate nothing, so arrays need no reference counts: these took half the time of a prediction
    "error_model": "numpy",  # division by zero gives inf or nan as in NumPy, without a branch at every division
    "no_cfunc_wrapper": True,  # nobody asks for the address of a kernel
}
_PART = _OPTIONS | {"no_cpython_wrapper": True, "pipeline_class": _PartCompiler}
_INNER = _PART | {"forceinline": True}

_KERNEL = _OPTIONS | {"cache": True, "pipeline_class": _Compiler}

#: Compile a function once, by itself, and keep the machine code for the next process: what Python calls.
kernel = partial(_compiled, _Kernel, _KERNEL)

#: As `kernel`, for what is long and only kernels call: it needs no code that takes members over from Python.
callee = partial(_compiled, _CalledKernel, _KERNEL | {"no_cpython_wrapper": True})

#: Compile a function as part of the kernels that call it.
part = partial(_compiled, _Part, _PART)

#: As `part`, and always without a call: one that hands over a NamedTuple of ten arrays copies a hundred words, which costs
#: more than a whole naive Bayes prediction (measured: 240 ns called, 70 ns inlined).
inner = partial(_compiled, _Part, _INNER)


def operation(signature: Callable[..., Any]) -> Any:
    """Turn a bare signature into a generic kernel function with ``.implement(members_type)``.

    ``.otherwise`` takes what types do that have no implementation of their own.
    Dispatch is on the type of the first argument, a NamedTuple of arrays: a kernel that takes or closes over compiled
    functions never hits the disk cache in a new process, one that dispatches on types does.
    """
    implementations: dict[Any, Callable[..., Any]] = {}

    def find(members_type: Any) -> Any:
        return implementations.get(members_type, implementations.get(None))

    def call(members: Any, *arguments: Any) -> Any:
        return find(type(members))(members, *arguments)

    def implement(members_type: type | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
            implementations[members_type] = implementation
            return implementation

        return register

    # overload() wants a chooser with the very parameter names of the implementations.
    parameters = list(inspect.signature(signature).parameters)
    source = (
        f"def choose({', '.join(parameters)}):\n    return find(getattr({parameters[0]}, 'instance_class', None))\n"
    )
    namespace: dict[str, Any] = {"find": find}
    exec(source, namespace)
    overload(call, jit_options=_INNER)(namespace["choose"])
    call.__name__, call.__doc__ = signature.__name__, signature.__doc__
    call.implement, call.otherwise = implement, implement(None)  # type: ignore[attr-defined]
    return call
