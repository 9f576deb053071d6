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
    cached_prediction,
    finalize,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    prepare_example,
    reset,
)

__all__ = ["Bound", "bind"]


class Bound(NamedTuple):
    """Members of any kind and the rows they are shown: where these lie, and where the code of each operation is."""

    members: int
    rows: int
    reset: int
    learn_one: int
    finalize: int
    predict_one: int
    predict_proba_one: int
    prepare_example: int
    cached_prediction: int
    predict_and_learn: int
    kept: npt.NDArray[np.int64]  # members and rows themselves


def reset_at(members, rows, m):
    reset(structure_at(members), m)


def learn_one_at(members, rows, m, i, label, weight):
    learn_one(structure_at(members), m, structure_at(rows), i, label, weight)


def finalize_at(members, rows, m):
    finalize(structure_at(members), m)


def predict_one_at(members, rows, m, i, work, n_classes):
    return predict_one(structure_at(members), m, structure_at(rows), i, table_at(work, (4, n_classes)))


def predict_proba_one_at(members, rows, m, i, work, out, n_classes):
    work, out = table_at(work, (4, n_classes)), floats_at(out, (n_classes,))
    predict_proba_one(structure_at(members), m, structure_at(rows), i, work, out)


def prepare_example_at(members, rows, i):
    return prepare_example(structure_at(members), structure_at(rows), i)


def cached_prediction_at(members, rows, m):
    return cached_prediction(structure_at(members), m)


def predict_and_learn_at(members, rows, m, i, label, weight, after, work, n_classes):
    work = table_at(work, (4, n_classes))
    return predict_and_learn(structure_at(members), m, structure_at(rows), i, label, weight, after, work)


_SIGNATURES: dict[Callable[..., Any], tuple[Any, tuple[Any, ...]]] = {
    reset_at: (NOTHING, (NUMBER,)),
    learn_one_at: (NOTHING, (NUMBER, NUMBER, NUMBER, WEIGHT)),
    finalize_at: (NOTHING, (NUMBER,)),
    predict_one_at: (NUMBER, (NUMBER, NUMBER, NUMBER, NUMBER)),
    predict_proba_one_at: (NOTHING, (NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)),
    prepare_example_at: (FLAG, (NUMBER,)),
    cached_prediction_at: (NUMBER, (NUMBER,)),
    predict_and_learn_at: (NUMBER, (NUMBER, NUMBER, NUMBER, WEIGHT, FLAG, NUMBER, NUMBER)),
}
(
    _call_reset,
    _call_learn_one,
    _call_finalize,
    _call_predict_one,
    _call_predict_proba_one,
    _call_prepare_example,
    _call_cached_prediction,
    _call_predict_and_learn,
) = (call_by_address(*signature) for signature in _SIGNATURES.values())


@reset.implement(Bound)
def _reset(members, m):
    _call_reset(members.reset, members.members, members.rows, (m,))


@learn_one.implement(Bound)
def _learn_one(members, m, rows, i, label, weight):
    _call_learn_one(members.learn_one, members.members, members.rows, (m, i, label, weight))


@finalize.implement(Bound)
def _finalize(members, m):
    _call_finalize(members.finalize, members.members, members.rows, (m,))


@predict_one.implement(Bound)
def _predict_one(members, m, rows, i, work):
    return _call_predict_one(
        members.predict_one, members.members, members.rows, (m, i, work.ctypes.data, work.shape[1])
    )


@predict_proba_one.implement(Bound)
def _predict_proba_one(members, m, rows, i, work, out):
    places = work.ctypes.data, out.ctypes.data
    _call_predict_proba_one(members.predict_proba_one, members.members, members.rows, (m, i, *places, work.shape[1]))


@prepare_example.implement(Bound)
def _prepare_example(members, rows, i):
    return _call_prepare_example(members.prepare_example, members.members, members.rows, (i,))


@cached_prediction.implement(Bound)
def _cached_prediction(members, m):
    return _call_cached_prediction(members.cached_prediction, members.members, members.rows, (m,))


@predict_and_learn.implement(Bound)
def _predict_and_learn(members, m, rows, i, label, weight, after, work):
    shown = m, i, label, weight, after, work.ctypes.data, work.shape[1]
    return _call_predict_and_learn(members.predict_and_learn, members.members, members.rows, shown)


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
