"""Members and examples bound by address: methods use every base model in the same way, and are compiled once.

`bind` puts down where the arrays of members and rows lie, and where the operations of this kind of member are. What it
returns stands for the members in kernels of methods, whose operations then go by address, and are for the bound rows.

A call costs 3 ns, and what it does not share with its caller some 10 to 40: learning by address takes 1 to 1.1 times as long
as with operations inlined. Where a step is as short as a perceptron's that is too much (1.1 to 1.4), and so it is where
members are only asked (1.0 to 1.3): there operations are inlined, and kernels compiled for each kind of member.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.addresses import (
    FLAG,
    NOTHING,
    NUMBER,
    WEIGHT,
    address_of,
    call_by_address,
    compiles,
    floats_at,
    kind_of,
    put,
    size_of,
    structure_at,
    table_at,
)
from ensembles.learners.core.protocol import (
    Rows,
    begin,
    classify,
    distribute,
    foresee,
    foretell,
    learn,
    settle,
    teach,
)

__all__ = ["Bound", "bind"]


class Bound(NamedTuple):
    """Members of any kind and the rows they are shown: where these lie, and where the code of each operation is."""

    members: int
    rows: int
    begin: int
    learn: int
    settle: int
    classify: int
    distribute: int
    foresee: int
    foretell: int
    teach: int
    kept: npt.NDArray[np.int64]  # members and rows themselves


def begin_at(members, rows, m):
    begin(structure_at(members), m)


def learn_at(members, rows, m, i, label, weight):
    learn(structure_at(members), m, structure_at(rows), i, label, weight)


def settle_at(members, rows, m):
    settle(structure_at(members), m)


def classify_at(members, rows, m, i, work, n_classes):
    return classify(structure_at(members), m, structure_at(rows), i, table_at(work, (4, n_classes)))


def distribute_at(members, rows, m, i, work, out, n_classes):
    work, out = table_at(work, (4, n_classes)), floats_at(out, (n_classes,))
    distribute(structure_at(members), m, structure_at(rows), i, work, out)


def foresee_at(members, rows, i):
    return foresee(structure_at(members), structure_at(rows), i)


def foretell_at(members, rows, m):
    return foretell(structure_at(members), m)


def teach_at(members, rows, m, i, label, weight, after, work, n_classes):
    work = table_at(work, (4, n_classes))
    return teach(structure_at(members), m, structure_at(rows), i, label, weight, after, work)


_SIGNATURES: dict[Callable[..., Any], tuple[Any, tuple[Any, ...]]] = {
    begin_at: (NOTHING, (NUMBER,)),
    learn_at: (NOTHING, (NUMBER, NUMBER, NUMBER, WEIGHT)),
    settle_at: (NOTHING, (NUMBER,)),
    classify_at: (NUMBER, (NUMBER, NUMBER, NUMBER, NUMBER)),
    distribute_at: (NOTHING, (NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)),
    foresee_at: (FLAG, (NUMBER,)),
    foretell_at: (NUMBER, (NUMBER,)),
    teach_at: (NUMBER, (NUMBER, NUMBER, NUMBER, WEIGHT, FLAG, NUMBER, NUMBER)),
}
(
    _call_begin,
    _call_learn,
    _call_settle,
    _call_classify,
    _call_distribute,
    _call_foresee,
    _call_foretell,
    _call_teach,
) = (call_by_address(*signature) for signature in _SIGNATURES.values())


@begin.implement(Bound)
def _begin(members, m):
    _call_begin(members.begin, members.members, members.rows, (m,))


@learn.implement(Bound)
def _learn(members, m, rows, i, label, weight):
    _call_learn(members.learn, members.members, members.rows, (m, i, label, weight))


@settle.implement(Bound)
def _settle(members, m):
    _call_settle(members.settle, members.members, members.rows, (m,))


@classify.implement(Bound)
def _classify(members, m, rows, i, work):
    return _call_classify(members.classify, members.members, members.rows, (m, i, work.ctypes.data, work.shape[1]))


@distribute.implement(Bound)
def _distribute(members, m, rows, i, work, out):
    places = work.ctypes.data, out.ctypes.data
    _call_distribute(members.distribute, members.members, members.rows, (m, i, *places, work.shape[1]))


@foresee.implement(Bound)
def _foresee(members, rows, i):
    return _call_foresee(members.foresee, members.members, members.rows, (i,))


@foretell.implement(Bound)
def _foretell(members, m):
    return _call_foretell(members.foretell, members.members, members.rows, (m,))


@teach.implement(Bound)
def _teach(members, m, rows, i, label, weight, after, work):
    shown = m, i, label, weight, after, work.ctypes.data, work.shape[1]
    return _call_teach(members.teach, members.members, members.rows, shown)


def bind(members: Any, rows: Rows) -> Any:
    """Return what stands for `members` in kernels that show them `rows`, as long as both live.

    Where kernels are not compiled, or this kind of member is better inlined, these are the members themselves.
    """
    if getattr(members, "inlined", False) or not compiles():
        return members
    size = size_of(members)
    kept = np.empty((size + size_of(rows)) // 8, dtype=np.int64)
    places = kept.ctypes.data, kept.ctypes.data + size
    put(members, places[0])
    put(rows, places[1])
    codes, _ = _operations(kind_of(members), kind_of(rows))
    return Bound(members=places[0], rows=places[1], kept=kept, **codes)


@cache
def _operations(members: Any, rows: Any) -> tuple[dict[str, int], list[Any]]:
    """Return where the code of each operation is, and what keeps it there."""
    codes, callbacks = {}, []
    for function, (result, arguments) in _SIGNATURES.items():
        codes[function.__name__.removesuffix("_at")], callback = address_of(
            function, result, (members, rows), arguments
        )
        callbacks.append(callback)
    return codes, callbacks
