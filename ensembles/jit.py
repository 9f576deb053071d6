"""The one place where Numba is switched on.

``kernel`` compiles a function and keeps it on disk: what Python calls. ``part`` and ``inner`` go into the kernels that call
them, and so does a kernel that another calls. ``operation`` is for a part that is chosen by the type of its first argument.
With ``NUMBA_DISABLE_JIT=1`` the same sources run as plain Python and give the same numbers, bit for bit, provided that
kernels keep three rules: functions of `math` instead of `numpy` for logarithms and exponentials, no random generator inside,
no ``fastmath``.
"""

import atexit
import functools
import hashlib
import inspect
import logging
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from threading import RLock
from typing import Any

import numba
from llvmlite.binding import get_host_cpu_name
from numba import njit

from ensembles.parts import KernelCompiler, as_part

__all__ = [
    "KERNEL_FILES",
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
_STREAMS = ("data/generators/moa/java_random.py", "data/generators/moa/kernels.py")
KERNEL_FILES = (
    "addresses.py",
    "draws.py",
    "exact.py",
    "fetching.py",
    "jit.py",
    "lanes.py",
    "parts.py",
    "data/table.py",
    *_STREAMS,
)
"""Besides learners and methods: what goes into kernels, or says how they are compiled."""
_one_at_a_time = RLock()
_log = logging.getLogger(__name__)


@functools.cache
def source_digest() -> str:
    """Return a digest of the package's sources: it names the version a trial was computed by."""
    return _digest_of(_ROOT.rglob("*.py"))


@functools.cache
def _kernel_digest() -> str:
    """Return a digest of the sources that go into kernels: code, and the constants it names."""
    rooms = ((_ROOT / "learners").rglob("*.py"), (_ROOT / "methods").rglob("*.py"))
    return _digest_of((*chain.from_iterable(rooms), *(_ROOT / name for name in KERNEL_FILES)))


def _digest_of(paths: Iterable[pathlib.Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(str(path.relative_to(_ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kernels_folder() -> pathlib.Path:
    """Return where compiled kernels are kept: one folder for each state of their sources, which can be written to."""
    own = os.path.join(os.path.expanduser("~"), ".cache", "ensemble-lab")
    return _writable_folder(pathlib.Path(os.environ.get("ENSEMBLE_LAB_CACHE") or own), pathlib.Path(own))


@functools.cache
def _writable_folder(home: pathlib.Path, own: pathlib.Path) -> pathlib.Path:
    """Return the folder of these sources in `home`; where that is only read, as in a container, one with links to its files.

    Numba takes no kernels from a folder that it cannot write to. It goes to others then, whose names hold no digest, and
    takes from there what an earlier version has left.
    """
    folder = home / "kernels" / _kernel_digest()
    if _is_writable(folder):
        return folder
    elsewhere = own / "kernels" / folder.name
    if not _is_writable(elsewhere):
        elsewhere = pathlib.Path(tempfile.mkdtemp(prefix="kernels-"))
        atexit.register(shutil.rmtree, elsewhere, ignore_errors=True)
    kept = [*folder.rglob("*.nb?"), *folder.glob("warm-*")] if os.path.isdir(folder) else []
    for file in kept:
        link = elsewhere / file.relative_to(folder)
        with suppress(OSError):  # it is there by another process, or was compiled here; without room it is compiled
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file)
    return elsewhere


def _is_writable(folder: pathlib.Path) -> bool:
    """Return whether a folder can be written to, or made; what one may not even look at cannot."""
    return os.access(next(place for place in (folder, *folder.parents) if os.path.exists(place)), os.W_OK)


def compiler_version() -> str:
    """Return what compiled kernels are for besides their sources: the version of Numba, and the kind of processor."""
    return f"{numba.__version__}-{get_host_cpu_name()}"


@contextmanager
def own_cache() -> Iterator[None]:
    """Let Numba keep in a folder of ours what is declared meanwhile.

    It looks only at the file of a kernel: a digest of the sources of all their parts in the folder's name keeps stale code
    out.
    """
    with _one_at_a_time:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(kernels_folder())
        try:
            yield
        finally:
            numba.config.CACHE_DIR = before


class _Compiler(KernelCompiler):
    def define_pipelines(self) -> list[Any]:
        _tell_that_it_takes_long()
        return super().define_pipelines()


@functools.cache
def _tell_that_it_takes_long() -> None:
    """Log, once a process, why the first call of a learner takes seconds or a minute: else it seems to hang."""
    _log.warning(
        "compiling learners that are new here, seconds or a minute each; the next time they are read from %s",
        kernels_folder(),
    )


_OPTIONS: dict[str, Any] = {
    "nogil": True,  # kernels touch arrays only
    "_nrt": False,  # kernels allocate nothing, so arrays need no reference counts: these took half the time of a prediction
    "error_model": "numpy",  # division by zero gives inf or nan as in NumPy, without a branch at every division
    "no_cfunc_wrapper": True,  # nobody asks for the address of a kernel
    "pipeline_class": _Compiler,
}


class Kernel:
    """A function whose machine code is kept for the next process."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        with own_cache():
            self.compiled = njit(cache=True, **_OPTIONS)(function)

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self.compiled(*arguments)
        except OSError:  # no room on the disk: it is compiled, and the next process compiles it again
            return self.compiled(*arguments)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function once, and keep the machine code for the next process."""
    return function if numba.config.DISABLE_JIT else _as_part(Kernel(function), function)


def part(function: Callable[..., Any]) -> Any:
    """Let a function go into the kernels that call it, once each."""
    return function if numba.config.DISABLE_JIT else _as_part(function, function)


def inner(function: Callable[..., Any]) -> Any:
    """As `part`, and always without a call.

    One that hands over a NamedTuple of ten arrays copies a hundred words, which costs more than a whole naive Bayes
    prediction (measured: 240 ns called, 70 ns inlined).
    """
    return function if numba.config.DISABLE_JIT else _as_part(function, function, inlined=True)


def _as_part(called: Any, function: Callable[..., Any], *, inlined: bool = False) -> Any:
    return as_part(called, lambda *_: function, inspect.signature(function), inlined=inlined)


def operation(signature: Callable[..., Any]) -> Any:
    """Turn a bare signature into a function of kernels with ``.implement(members_type)``.

    ``.otherwise`` takes what types do that have no implementation of their own. Dispatch is on the type of the first
    argument, a NamedTuple of arrays.
    """
    implementations: dict[Any, Callable[..., Any]] = {}

    def find(members_type: Any) -> Callable[..., Any]:
        return implementations.get(members_type) or implementations[None]

    def call(members: Any, *arguments: Any) -> Any:
        return find(type(members))(members, *arguments)

    def implement(members_type: type | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
            implementations[members_type] = implementation
            return implementation

        return register

    call.__name__, call.__doc__ = signature.__name__, signature.__doc__
    call.implement, call.otherwise = implement, implement(None)  # type: ignore[attr-defined]
    if not numba.config.DISABLE_JIT:
        as_part(call, lambda kind, *_: find(kind.instance_class), inspect.signature(signature), inlined=True)
    return call
