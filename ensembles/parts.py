"""How the code of a part gets into the kernels that call it.

Numba would optimise a called function and make machine code of it by itself, and optimise it once more in each function that
calls it, directly or not. A part is typed and written down once, for the types of its arguments; every kernel that needs it
takes it in, with the parts that it needs itself, and is optimised as a whole. This goes by Numba's interfaces for
extensions: `type_callable` and `lower_builtin` for what calls mean, `pipeline_class` for the steps of the compiler.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from typing import Any
from weakref import WeakKeyDictionary

from llvmlite.ir import Block, MetaDataString
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, compile_extra
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import BaseNativeLowering, NativeLowering
from numba.extending import lower_builtin, type_callable

__all__ = ["KernelCompiler", "Part", "as_part", "part_for", "use"]


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that only goes into kernels: what it consists of and what it needs, not yet machine code."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.needs: dict[str, Part] = {}
        self.links: list[Any] = []  # code of Numba's own
        self.module: Any = None

    def add_linking_library(self, library: Any) -> None:
        self.links.append(library)

    def add_llvm_module(self, module: Any) -> None:
        for function in module.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"  # kernels take it in if they call it, and once
        self.module = module


class Part:
    """A function for some types of arguments, as kernels take it in."""

    def __init__(self, result: Any, library: _PartLibrary) -> None:
        self.described, self.signature = result.fndesc, result.signature
        self.name: str = self.described.mangled_name
        self.needs, self.links, self._module = library.needs, library.links, library.module

    def go_into(self, library: Any) -> None:
        """Add the code to that of a kernel."""
        library.add_llvm_module(self._module.clone())
        for link in self.links:
            library.add_linking_library(link)


_parts: dict[Any, Part] = {}
_needed_by_kernels: WeakKeyDictionary[Any, dict[str, Part]] = WeakKeyDictionary()


class _PartLower(Lower):  # type: ignore[misc]
    def lower_normal_function(self, described: Any) -> None:
        """Write down a function, and say how its loops are to be optimised."""
        super().lower_normal_function(described)
        _repeat_no_body(self.function)


def _repeat_no_body(function: Any) -> None:
    """Have LLVM repeat no body of a loop for more steps than it is known to have.

    Loops over classes are short: repeating their bodies for the longer ones that never come doubled the code of kernels.
    """
    module = function.module
    never = module.add_metadata([MetaDataString(module, "llvm.loop.unroll.runtime.disable")])
    names: dict[str, Any] = {}
    for end, start in _back_edges(function):
        if start.name not in names:
            names[start.name] = module.add_metadata([MetaDataString(module, f"{function.name} {start.name}")])
            names[start.name].operands = (names[start.name], never)  # the name of a loop begins with itself
        end.terminator.set_metadata("llvm.loop", names[start.name])


def _back_edges(function: Any) -> list[tuple[Any, Any]]:
    """Return the ends of loops, each with the block in which its loop starts."""
    found, seen, way = [], {function.entry_basic_block}, [function.entry_basic_block]
    ahead = [_next_blocks(function.entry_basic_block)]
    while way:
        following = next(ahead[-1], None)
        if following is None:
            way.pop()
            ahead.pop()
        elif following in way:
            found.append((way[-1], following))
        elif following not in seen:
            seen.add(following)
            way.append(following)
            ahead.append(_next_blocks(following))
    return found


def _next_blocks(block: Any) -> Iterator[Any]:
    return iter(
        [] if block.terminator is None else [one for one in block.terminator.operands if isinstance(one, Block)]
    )


class _Lower(_PartLower):
    def lower(self) -> None:
        """Write down a kernel, and take in the parts that it needs, and those that they need."""
        super().lower()
        for part in _callers_first(_needed_by_kernels.pop(self.library, {})):
            part.go_into(self.library)


def _callers_first(needed: dict[str, Part]) -> list[Part]:
    """Return some parts and all that they need, each after all that call it: what nobody calls yet would be left out."""
    waiting, found = [*needed.values()], dict(needed)
    while waiting:
        new = {name: part for name, part in waiting.pop().needs.items() if name not in found}
        found |= new
        waiting += new.values()
    return [found[name] for name in reversed([*TopologicalSorter({n: found[n].needs for n in found}).static_order()])]


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(BaseNativeLowering):  # type: ignore[misc]
    _name = "part_lowering"
    lowering_class = _PartLower


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(BaseNativeLowering):  # type: ignore[misc]
    _name = "kernel_lowering"
    lowering_class = _Lower


#: Steps for what kernels do not have: closures, `with`, implementations that copy themselves into callers, branches that go
#: by a type, sums of whole arrays, references to give up at the end of a variable's life; and one that writes it all down
#: for people. They took a twentieth of the time.
_LEFT_OUT = {
    "annotate_types", "dead_branch_prune", "inline_closure_likes", "inline_inlinables", "inline_overloads",
    "ir_legalization", "nopython_rewrites", "with_lifting",
}  # fmt: skip


class _PartCompiler(CompilerBase):  # type: ignore[misc]
    """The steps from the source of a part to code that kernels take in."""

    lowering: type[Any] = _PartLowering

    def define_pipelines(self) -> list[Any]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        kept = [(step, why) for step, why in pipeline.passes if step.name() not in _LEFT_OUT]
        pipeline.passes = [(self.lowering if step is NativeLowering else step, why) for step, why in kept]
        pipeline.finalize()
        return [pipeline]


class KernelCompiler(_PartCompiler):
    """The steps from the source of a kernel to machine code."""

    lowering = _Lowering


def as_part(called: Any, choose: Callable[..., Any], signature: inspect.Signature, *, inlined: bool) -> Any:
    """Let kernels call `called`; return it.

    Parameters
    ----------
    choose : callable
        From the types of the arguments to the function that is meant.
    signature : Signature
        Of that function.
    inlined : bool
        Whether it always becomes part of its caller, or where the compiler holds it for useful.
    """

    @type_callable(called)  # type: ignore[untyped-decorator]
    def type_call(_: Any) -> Any:
        def returned(*given: Any) -> Any:
            kinds = _widened(given)
            return part_for(choose(*kinds), kinds, inlined=inlined).signature.return_type

        returned.__signature__ = signature  # type: ignore[attr-defined]
        return returned

    @lower_builtin(called, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
    def write_call(context: Any, builder: Any, call: Any, values: Any) -> Any:
        kinds = _widened(call.args)
        part = part_for(choose(*kinds), kinds, inlined=inlined)
        use(part, context)
        arguments = [context.cast(builder, *given) for given in zip(values, call.args, kinds, strict=True)]
        return context.call_internal(builder, part.described, part.signature, arguments)

    return called


def part_for(function: Callable[..., Any], kinds: tuple[Any, ...], *, inlined: bool) -> Part:
    """Return a function as a part of the kernel that is being compiled, for some types of arguments."""
    flags = ConfigStack().top().copy()
    key = function, kinds, flags.boundscheck
    if key not in _parts:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        flags.forceinline = inlined
        target = cpu_target.target_context
        library = _PartLibrary(target.codegen(), function.__qualname__)
        compiled = compile_extra(
            cpu_target.typing_context, target, function, kinds, None, flags, {}, library, _PartCompiler
        )
        _parts[key] = Part(compiled, library)
    return _parts[key]


def use(part: Part, context: Any) -> None:
    """Note that what is being written down needs a part."""
    library = context.active_code_library
    needs = library.needs if isinstance(library, _PartLibrary) else _needed_by_kernels.setdefault(library, {})
    needs[part.name] = part


def _widened(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the types that a part is compiled for: one for all constants and widths of integers."""
    plain = map(types.unliteral, kinds)
    return tuple(types.int64 if isinstance(kind, types.Integer) else kind for kind in plain)
