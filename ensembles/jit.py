"""The one place where Numba is switched on.

``kernel`` compiles a function and keeps it on disk, ``callee`` one that only kernels call, ``part`` and ``inner`` one that
goes into kernels. ``operation`` is for a generic kernel function, chosen by the type of its first argument: by
`numba.extending.overload` when compiled, by a plain table when not. With ``NUMBA_DISABLE_JIT=1`` the same sources run as
plain Python and give the same numbers, bit for bit, provided that kernels keep three rules: functions of `math` instead of
`numpy` for logarithms and exponentials, no random generator inside, no ``fastmath``.

How they are compiled, and how that is made quick, is in `numba_compiler`.
"""

import hashlib
import inspect
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain
from threading import RLock
from typing import Any

import numba
from llvmlite.binding import get_host_cpu_name
from numba import njit
from numba.extending import overload

from ensembles.numba_compiler import CalledKernel, Kernel, KernelCompiler, Part, PartCompiler

__all__ = [
    "callee",
    "compiler_version",
    "inner",
    "kernel",
    "kernels_folder",
    "operation",
    "own_cache",
    "part",
    "source_digest",
]


_ROOT = pathlib.Path(__file__).parent
_one_at_a_time = RLock()


@cache
def source_digest() -> str:
    """Return a digest of the package's sources: it names the version a trial was computed by."""
    return _digest_of(_ROOT.rglob("*.py"))


@cache
def _kernel_digest() -> str:
    """Return a digest of the sources that go into kernels: code, and the constants it names."""
    rooms = (_ROOT.glob("*.py"), (_ROOT / "learners").rglob("*.py"), (_ROOT / "methods").rglob("*.py"))
    return _digest_of((*chain.from_iterable(rooms), _ROOT / "data" / "table.py"))


def _digest_of(paths: Iterable[pathlib.Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(str(path.relative_to(_ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kernels_folder() -> pathlib.Path:
    """Return where compiled kernels are kept: one folder for each state of their sources."""
    home = os.environ.get("ENSEMBLE_LAB_CACHE") or os.path.join(os.path.expanduser("~"), ".cache", "ensemble-lab")
    return pathlib.Path(home, "kernels", _kernel_digest())


def compiler_version() -> str:
    """Return what compiled kernels are for besides their sources: the version of Numba, and the kind of processor."""
    return f"{numba.__version__}-{get_host_cpu_name()}"


@contextmanager
def own_cache() -> Iterator[None]:
    """Let Numba keep in a folder of ours what is declared meanwhile.

    It looks only at the file of the outer kernel: a digest of all their sources in the folder's name keeps stale code out.
    """
    with _one_at_a_time:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(kernels_folder())
        try:
            yield
        finally:
            numba.config.CACHE_DIR = before


def _compiled(kind: type[Part | Kernel], options: dict[str, Any], function: Any) -> Any:
    compiled = njit(**options)(function)
    if not numba.config.DISABLE_JIT:
        compiled.__class__ = kind
        if issubclass(kind, Kernel):
            with own_cache():
                compiled.enable_caching()
    return compiled


_OPTIONS: dict[str, Any] = {
    "nogil": True,  # kernels touch arrays only
    "_nrt": False,  # kernels allocate nothing, so arrays need no reference counts: these took half the time of a prediction
    "error_model": "numpy",  # division by zero gives inf or nan as in NumPy, without a branch at every division
    "no_cfunc_wrapper": True,  # nobody asks for the address of a kernel
}
_PART = _OPTIONS | {"no_cpython_wrapper": True, "pipeline_class": PartCompiler}
_INNER = _PART | {"forceinline": True}

_KERNEL = _OPTIONS | {"pipeline_class": KernelCompiler}

#: Compile a function once, by itself, and keep the machine code for the next process: what Python calls.
kernel = partial(_compiled, Kernel, _KERNEL)

#: As `kernel`, for what is long and only kernels call: it needs no code that takes members over from Python.
callee = partial(_compiled, CalledKernel, _KERNEL | {"no_cpython_wrapper": True})

#: Compile a function as part of the kernels that call it.
part = partial(_compiled, Part, _PART)

#: As `part`, and always without a call: one that hands over a NamedTuple of ten arrays copies a hundred words, which costs
#: more than a whole naive Bayes prediction (measured: 240 ns called, 70 ns inlined).
inner = partial(_compiled, Part, _INNER)


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

    def choose(members: Any, *_: Any) -> Any:
        return find(getattr(members, "instance_class", None))

    # A chooser has to have the very parameters of the implementations.
    choose.__signature__ = inspect.signature(signature)  # type: ignore[attr-defined]
    overload(call, jit_options=_INNER)(choose)
    call.__name__, call.__doc__ = signature.__name__, signature.__doc__
    call.implement, call.otherwise = implement, implement(None)  # type: ignore[attr-defined]
    return call
