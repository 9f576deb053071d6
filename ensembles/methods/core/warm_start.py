"""Add members to those that are trained: where each draws for itself, or learns of those before, none has to begin anew."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ensembles.declarations import argument
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.keeping import changes_since
from ensembles.learners.core.learner import TrainingBatch
from ensembles.wording import written

__all__ = ["WARM_START", "begin_or_go_on", "members_to_keep", "take_in_again"]

WARM_START = argument(
    default=False,
    what="bool",
    help="Let `fit` keep the members that are trained and add those that `n_estimators` is more.",
    kw_only=True,
)


def members_to_keep(ensemble: Any) -> int:
    """Return how many trained members `fit` keeps: none unless it was told to.

    Raises
    ------
    InvalidParameter
        Fewer members are wanted than there are, or other parameters have changed.
    """
    if not isinstance(ensemble.warm_start, bool):
        raise InvalidParameter(f"{ensemble.key}: warm_start must be true or false, got {written(ensemble.warm_start)}")
    if not ensemble.warm_start or not hasattr(ensemble, "classes_"):
        return 0
    kept, wanted = ensemble.n_members_, ensemble.n_estimators
    if wanted < kept:
        raise InvalidParameter(
            f"{ensemble.key}: n_estimators must be at least the {kept} members there are, with warm_start, got {wanted}"
        )
    before, ensemble._kept.n_estimators, ensemble._kept.warm_start = ensemble._kept.n_estimators, wanted, True
    try:
        changes_since(ensemble._kept, ensemble)
    except InvalidParameter:
        ensemble._kept.n_estimators = before
        raise
    return int(kept)


def begin_or_go_on(ensemble: Any, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingBatch, int]:
    """Return the examples, checked, and how many members are trained and kept: none unless `warm_start` says so.

    Raises
    ------
    InvalidParameter, InvalidData
        As `members_to_keep` and `take_in_again`.
    """
    if kept := members_to_keep(ensemble):
        return take_in_again(ensemble, kept, X, y, sample_weight)
    ensemble._forget()
    return ensemble._validated_examples(X, y, sample_weight, batch=True), 0


def take_in_again(ensemble: Any, kept: int, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingBatch, int]:
    """Check the examples and make room for more members; return the examples, and how many members are trained.

    Where the arrays of a kind of members cannot be made longer, all members are trained anew, which ends in the same ones.

    Raises
    ------
    InvalidData
        The examples have other classes, attributes or values than those before.
    """
    twin = clone(ensemble)
    examples: TrainingBatch = twin._validated_examples(X, y, sample_weight, batch=True)
    if twin._schema != ensemble._schema or not np.array_equal(twin.classes_, ensemble.classes_):
        raise InvalidData(
            f"{ensemble.key}: X and y must have the attributes, values and classes they had, with warm_start"
        )
    for name, value in changes_since(ensemble._kept, ensemble).items():
        setattr(ensemble._kept, name, value)
    base_model = ensemble.base_model()
    fresh = base_model.init_members(ensemble.n_estimators, ensemble._schema, len(ensemble.classes_), batch=True)
    longer = _lengthened(base_model, ensemble, fresh, kept)
    ensemble._changing = True
    ensemble._members = base_model.ensure_capacity(fresh if longer is None else longer, examples.table)
    return examples, 0 if longer is None else kept


def _lengthened(base_model: BaseModel, ensemble: Any, fresh: Any, kept: int) -> Any:
    """Return the trained members followed by those of `fresh` behind them; None if it is not known how."""
    trained, n = ensemble._members, ensemble.n_estimators
    few = base_model.init_members(kept, ensemble._schema, len(ensemble.classes_), batch=True)
    fields = {}
    for name in trained._fields:
        old, short, long = (getattr(each, name) for each in (trained, few, fresh))
        if isinstance(old, list) and (len(short), len(long)) == (kept, n):
            fields[name] = old[:kept] + long[kept:]
        elif isinstance(old, np.ndarray) and short.shape != long.shape:
            if (short.shape[0], long.shape[0]) != (kept, n) or short.shape[1:] != long.shape[1:]:
                return None
            by_columns = old.flags.f_contiguous and not old.flags.c_contiguous
            longer = np.zeros((n, *old.shape[1:]), dtype=old.dtype, order="F" if by_columns else "C")
            longer[(slice(kept, n), *(slice(0, size) for size in long.shape[1:]))] = long[kept:]
            longer[:kept] = old[:kept]
            fields[name] = longer
    return trained._replace(**fields)
