"""Memory that kernels will read soon, asked for while they still work on something else.

A model that is larger than the processor's caches waits for memory at each step, some 100 ns at a time, unless it says
before what it will need. Nothing is read or written: what is computed stays the same.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin

from ensembles.lanes import pointer_at, returns

__all__ = ["LINE", "fetch"]

LINE = 64  #: bytes that come at a time
_BYTE, _WORD = ir.IntType(8), ir.IntType(32)
_READ, _KEEP, _DATA = _WORD(0), _WORD(3), _WORD(1)  # as LLVM names them: what for, how near, which cache


def fetch(array: npt.NDArray[np.float64], place: tuple[int, ...], n: int) -> None:
    """Have some lines of an array, from a place on, brought near."""


returns(fetch, types.none)


@lower_builtin(fetch, types.Array, types.BaseTuple, types.Integer)
def _write_fetch(context: Any, builder: Any, call: Any, values: Any) -> Any:
    first = builder.bitcast(pointer_at(context, builder, call, values)[0], _BYTE.as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _WORD, _WORD, _WORD])
    ask = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    with cgutils.for_range(builder, context.cast(builder, values[2], call.args[2], types.intp)) as loop:
        line = builder.gep(first, [builder.mul(loop.index, loop.index.type(LINE))])
        builder.call(ask, [line, _READ, _KEEP, _DATA])
    return context.get_dummy_value()
