"""The one place where Numba is switched on.

``kernel`` compiles a function and keeps it on disk; ``operation`` declares a generic kernel function, chosen by the type
of its first argument: by `numba.extending.overload` when compiled, by a plain table when not. With ``NUMBA_DISABLE_JIT=1``
the same sources run as plain Python and give the same numbers, bit for bit, provided that kernels keep three rules:
functions of `math` instead of `numpy` for logarithms and exponentials, no random generator inside, no ``fastmath``.
"""

import hashlib
import inspect
import os
import pathlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
from numba import njit
from numba.extending import overload

__all__ = ["inner", "kernel", "operation", "source_digest"]


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

_FLAGS: dict[str, Any] = {
    "nogil": True,  # kernels touch arrays only
    "_nrt": False,  # kernels allocate nothing, so arrays need no reference counts: these took half the time of a prediction
    "error_model": "numpy",  # division by zero gives inf or nan as in NumPy, without a branch at every division
}

#: Compile a function whole; ``cache`` keeps the machine code for the next process.
kernel = partial(njit, cache=True, **_FLAGS)

#: Compile a function into its callers: a call that hands over a NamedTuple of ten arrays copies a hundred words, which
#: costs more than a whole naive Bayes prediction (measured: 240 ns called, 70 ns inlined).
inner = partial(njit, forceinline=True, **_FLAGS)


def operation(signature: Callable[..., Any]) -> Any:
    """Turn a bare signature into a generic kernel function with ``.implement(members_type)``.

    Dispatch is on the type of the first argument, a NamedTuple of arrays: a kernel that takes or closes over compiled
    functions never hits the disk cache in a new process, one that dispatches on types does.
    """
    implementations: dict[Any, Callable[..., Any]] = {}

    def call(members: Any, *arguments: Any) -> Any:
        return implementations[type(members)](members, *arguments)

    def implement(members_type: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
            implementations[members_type] = implementation
            return implementation

        return register

    # overload() wants a chooser with the very parameter names of the implementations.
    parameters = list(inspect.signature(signature).parameters)
    source = (
        f"def choose({', '.join(parameters)}):\n"
        f"    return implementations.get(getattr({parameters[0]}, 'instance_class', None))\n"
    )
    namespace: dict[str, Any] = {"implementations": implementations}
    exec(source, namespace)
    overload(call, jit_options=_FLAGS | {"forceinline": True})(namespace["choose"])
    call.__name__, call.__doc__ = signature.__name__, signature.__doc__
    call.implement = implement  # type: ignore[attr-defined]
    return call
