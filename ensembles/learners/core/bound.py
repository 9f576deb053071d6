"""Members and examples bound by address: methods use every base model in the same way, and are compiled once.

`bind` puts down where the arrays of members and rows lie, and where the operations of this kind of member are. What it
returns stands for the members in kernels of methods, whose operations then go by address, and are for the bound rows.

A call costs 3 ns, and what it does not share with its caller some 10 to 40. So methods that do the same to all members, or
to many examples, do it with one call (`learn_all`, `predict_rows`, ...), which loses little. Where a method goes member by
member and a step is as short as a perceptron's, the call costs too much: there operations are inlined (`short_steps`), and
kernels compiled for this kind of members. Naive Bayes gains by that too, a third of its time, and costs the compiler three
seconds a kernel: it is inlined in online boosting alone (`brief_steps`).
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.addresses import (
    FLAG,
    NOTHING,
    NUMBER,
    WEIGHT,
    call_by_address,
    code_of,
    compiles,
    put,
    size_of,
)
from ensembles.jit import kernel
from ensembles.learners.core.operations_at import (
    add_probabilities_at,
    add_probabilities_stepwise,
    cached_prediction_at,
    finalize_at,
    foresee_hits_at,
    learn_all_at,
    learn_all_stepwise,
    learn_one_at,
    learn_one_stepwise,
    learn_rows_at,
    learn_rows_stepwise,
    predict_and_learn_all_at,
    predict_and_learn_all_stepwise,
    predict_and_learn_at,
    predict_and_learn_stepwise,
    predict_proba_rows_at,
    predict_rows_at,
    prepare_example_at,
    reset_at,
    vote_and_learn_all_at,
    vote_and_learn_all_stepwise,
    vote_and_learn_at,
    vote_and_learn_stepwise,
)
from ensembles.learners.core.protocol import (
    Rows,
    add_probabilities,
    cached_prediction,
    finalize,
    foresee_hits,
    learn_all,
    learn_one,
    learn_rows,
    predict_and_learn,
    predict_and_learn_all,
    predict_one,
    predict_proba_one,
    predict_proba_rows,
    predict_rows,
    prepare_example,
    reset,
    vote_and_learn,
    vote_and_learn_all,
    votes_in_turn,
)

__all__ = ["Bound", "bind"]

_WORDS = 1024  # room for the places of the arrays of members and rows: a dozen words an array


class Bound(NamedTuple):
    """Members of any kind and the rows they are shown: where these lie, and where the code of each operation is."""

    members: int
    rows: int
    codes: npt.NDArray[np.int64]
    kept: npt.NDArray[np.int64]  # members and rows themselves


def bind(members: Any, rows: Rows, *, one_by_one: bool = False, often: bool = False) -> Any:
    """Return what stands for `members` in kernels that show them `rows`, as long as both live.

    Where kernels are not compiled, these are the members themselves; and so they are for kernels that go member by member,
    `one_by_one`, and members of `short_steps`: then operations are inlined; where a kernel is used `often`, also those of
    members of `brief_steps`.
    """
    if (
        not compiles()
        or (one_by_one and hasattr(members, "short_steps"))
        or (often and hasattr(members, "brief_steps"))
    ):
        return members
    kept, codes = np.empty(_WORDS, dtype=np.int64), np.empty(_OPERATIONS + 1, dtype=np.int64)
    size = _put_down(members, rows, kept, codes)
    if size == 0:
        raise TypeError(
            f"members of a kind with {len(members)} arrays have no room to be bound, which takes {_WORDS} words"
        )
    place = int(codes[_OPERATIONS])  # to ask NumPy for an address takes as long as all else here
    return Bound(place, place + size, codes, kept)


def _by_address(function: Any, result: Any, *arguments: Any, stepwise: Any = None) -> tuple[Any, Any]:
    """Return what gives the address of an operation's code within a kernel, and what calls it there.

    `stepwise`: the same for members whose steps are long beside a call: their code is there once, and shorter to compile.
    """

    def choose(members: Any) -> Any:
        return stepwise if stepwise and hasattr(members, "long_steps") else function

    return code_of(choose, result, arguments), call_by_address(result, arguments)


_code_reset, _call_reset = _by_address(reset_at, NOTHING, NUMBER)
_code_finalize, _call_finalize = _by_address(finalize_at, NOTHING, NUMBER)
_code_learn_one, _call_learn_one = _by_address(
    learn_one_at, NOTHING, NUMBER, NUMBER, NUMBER, WEIGHT, stepwise=learn_one_stepwise
)
_code_learn_all, _call_learn_all = _by_address(learn_all_at, NOTHING, *[NUMBER] * 4, stepwise=learn_all_stepwise)
_code_learn_rows, _call_learn_rows = _by_address(learn_rows_at, NOTHING, *[NUMBER] * 4, stepwise=learn_rows_stepwise)
_code_predict_rows, _call_predict_rows = _by_address(predict_rows_at, NUMBER, *[NUMBER] * 6)
_code_proba_rows, _call_proba_rows = _by_address(predict_proba_rows_at, NOTHING, *[NUMBER] * 6)
_code_prepare, _call_prepare = _by_address(prepare_example_at, FLAG, NUMBER)
_code_cached, _call_cached = _by_address(cached_prediction_at, NUMBER, NUMBER)
_code_both, _call_both = _by_address(
    predict_and_learn_at,
    NUMBER,
    *[NUMBER] * 3,
    WEIGHT,
    FLAG,
    *[NUMBER] * 2,
    stepwise=predict_and_learn_stepwise,
)
_code_both_all, _call_both_all = _by_address(
    predict_and_learn_all_at, NOTHING, *[NUMBER] * 7, stepwise=predict_and_learn_all_stepwise
)
_code_add, _call_add = _by_address(add_probabilities_at, NOTHING, *[NUMBER] * 6, stepwise=add_probabilities_stepwise)
_code_vote, _call_vote = _by_address(
    vote_and_learn_at, NUMBER, *[NUMBER] * 3, WEIGHT, FLAG, *[NUMBER] * 3, stepwise=vote_and_learn_stepwise
)
_code_vote_all, _call_vote_all = _by_address(
    vote_and_learn_all_at, NOTHING, *[NUMBER] * 8, stepwise=vote_and_learn_all_stepwise
)
_code_foresee, _call_foresee = _by_address(foresee_hits_at, FLAG, *[NUMBER] * 9)
_OPERATIONS = 15


@kernel
def _put_down(members, rows, kept, codes):
    """Write down where all is, `kept` last; return where in `kept` the rows begin, in bytes, 0 if it is too small."""
    size, place = size_of(members), kept.ctypes.data
    if size + size_of(rows) > 8 * kept.shape[0]:
        return 0
    put(members, place)
    put(rows, place + size)
    codes[_OPERATIONS] = place
    codes[0] = _code_reset(members, rows)
    codes[1] = _code_finalize(members, rows)
    codes[2] = _code_learn_one(members, rows)
    codes[3] = _code_learn_all(members, rows)
    codes[4] = _code_learn_rows(members, rows)
    codes[5] = _code_predict_rows(members, rows)
    codes[6] = _code_proba_rows(members, rows)
    codes[7] = _code_prepare(members, rows)
    codes[8] = _code_cached(members, rows)
    codes[9] = _code_both(members, rows)
    codes[10] = _code_both_all(members, rows)
    codes[11] = _code_add(members, rows)
    codes[12] = _code_vote(members, rows)
    codes[13] = _code_vote_all(members, rows)
    codes[14] = _code_foresee(members, rows)
    return size


@reset.implement(Bound)
def _reset(members, m):
    _call_reset(members.codes[0], members.members, members.rows, (m,))


@finalize.implement(Bound)
def _finalize(members, m):
    _call_finalize(members.codes[1], members.members, members.rows, (m,))


@learn_one.implement(Bound)
def _learn_one(members, m, rows, i, label, weight):
    _call_learn_one(members.codes[2], members.members, members.rows, (m, i, label, weight))


@learn_all.implement(Bound)
def _learn_all(members, rows, i, label, weights):
    given = i, label, weights.ctypes.data, weights.shape[0]
    _call_learn_all(members.codes[3], members.members, members.rows, given)


@learn_rows.implement(Bound)
def _learn_rows(members, m, rows, labels, weights):
    given = m, labels.ctypes.data, weights.ctypes.data, labels.shape[0]
    _call_learn_rows(members.codes[4], members.members, members.rows, given)


@predict_one.implement(Bound)
def _predict_one(members, m, rows, i, work):
    given = m, i, work.ctypes.data, work.shape[1], 0, 1
    return _call_predict_rows(members.codes[5], members.members, members.rows, given)


@predict_rows.implement(Bound)
def _predict_rows(members, m, rows, start, work, predicted):
    given = m, start, work.ctypes.data, work.shape[1], predicted.ctypes.data, predicted.shape[0]
    _call_predict_rows(members.codes[5], members.members, members.rows, given)


@predict_proba_one.implement(Bound)
def _predict_proba_one(members, m, rows, i, work, out):
    given = m, i, work.ctypes.data, out.ctypes.data, 1, out.shape[0]
    _call_proba_rows(members.codes[6], members.members, members.rows, given)


@predict_proba_rows.implement(Bound)
def _predict_proba_rows(members, m, rows, start, work, out):
    given = m, start, work.ctypes.data, out.ctypes.data, out.shape[0], out.shape[1]
    _call_proba_rows(members.codes[6], members.members, members.rows, given)


@add_probabilities.implement(Bound)
def _add_probabilities(members, weights, rows, i, work, votes):
    given = weights.ctypes.data, weights.shape[0], i, work.ctypes.data, votes.ctypes.data, votes.shape[0]
    _call_add(members.codes[11], members.members, members.rows, given)


@prepare_example.implement(Bound)
def _prepare_example(members, rows, i):
    return _call_prepare(members.codes[7], members.members, members.rows, (i,))


@cached_prediction.implement(Bound)
def _cached_prediction(members, m):
    return _call_cached(members.codes[8], members.members, members.rows, (m,))


@predict_and_learn.implement(Bound)
def _predict_and_learn(members, m, rows, i, label, weight, after, work):
    given = m, i, label, weight, after, work.ctypes.data, work.shape[1]
    return _call_both(members.codes[9], members.members, members.rows, given)


@vote_and_learn.implement(Bound)
def _vote_and_learn(members, m, rows, i, label, weight, after, work, out):
    given = m, i, label, weight, after, work.ctypes.data, out.ctypes.data, out.shape[0]
    return _call_vote(members.codes[12], members.members, members.rows, given)


@votes_in_turn.implement(Bound)
def _votes_in_turn(members):
    return True  # if those do which are bound, which the method has asked them


@foresee_hits.implement(Bound)
def _foresee_hits(members, rows, i, label, hits, weights, work, votes):
    given = i, label, hits.ctypes.data, hits.shape[1], weights.ctypes.data, weights.shape[0]
    room = work.ctypes.data, votes.ctypes.data, votes.shape[0]
    return _call_foresee(members.codes[14], members.members, members.rows, (*given, *room))


@predict_and_learn_all.implement(Bound)
def _predict_and_learn_all(members, rows, i, label, weights, work, predicted):
    given = i, label, weights.ctypes.data, work.ctypes.data, work.shape[1], predicted.ctypes.data, predicted.shape[0]
    _call_both_all(members.codes[10], members.members, members.rows, given)


@vote_and_learn_all.implement(Bound)
def _vote_and_learn_all(members, counts, rows, i, label, weights, work, votes):
    places = counts.ctypes.data, weights.ctypes.data, work.ctypes.data, votes.ctypes.data
    given = places[0], i, label, places[1], weights.shape[0], places[2], places[3], votes.shape[0]
    _call_vote_all(members.codes[13], members.members, members.rows, given)
