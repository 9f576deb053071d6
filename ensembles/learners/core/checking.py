"""Checks of what a learner is given: attributes, classes and examples, encoded as it knows them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from ensembles.data.encoding import encode_array, encode_frame, has_nominal, merge_schemas, nominal_positions, recode
from ensembles.data.frames import framed, typed
from ensembles.data.table import Table
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.wording import listed, written

__all__ = [
    "FEW_OF_EACH",
    "check_as_many",
    "checked_classes",
    "checked_targets",
    "flat_targets",
    "nominal_in",
    "table_to_predict",
    "training_table",
    "truths",
]

#: What scikit-learn warns of where there are few examples of each class; that they are classes was checked before.
FEW_OF_EACH = "The number of unique classes"

Classes = npt.NDArray[Any]


def checked_classes(learner: Any, present: Classes, declared: Any, first: bool) -> tuple[Classes, Classes]:
    """Return the classes known so far, or declared, and those known from now on."""
    known = present if first else learner.classes_
    if declared is not None:
        stated = _stated(learner, declared)
        if not first and not np.array_equal(stated, known):
            raise InvalidData(
                f"{learner.key}: classes must be those declared at the start, {listed(known)}, got {listed(stated)}"
            )
        known = stated if first else known
        if not _are_among(present, known):
            raise InvalidData(
                f"{learner.key}: y must be among the declared classes {listed(known)}, got {listed(present)}"
            )
    grown = known if first or _are_among(present, known) else _joined(known, present)
    if grown is None:
        raise _other_kind(learner, known, present)
    if learner.binary_only and len(grown) > 2:
        raise InvalidData(f"{learner.key}: y must have two classes at most, got {len(grown)}: {listed(grown)}")
    if learner.needs_classes and len(grown) > len(known):
        raise InvalidData(
            f"{learner.key}: all classes must be declared at the start, {listed(known)}, got {listed(present)}"
        )
    return known, grown


def _stated(learner: Any, declared: Any) -> Classes:
    """Return the classes that are declared, distinct and in order."""
    if not isinstance(declared, Iterable) or isinstance(declared, str | bytes):
        raise InvalidData(f"{learner.key}: classes must be a list of all classes, got {written(declared)}")
    held = declared if hasattr(declared, "__array__") else [*declared]
    stated = _joined(_of_numpy(held))
    if stated is None:
        raise InvalidData(f"{learner.key}: classes must be of one kind, got {listed(held)}")
    if not len(stated):
        raise InvalidData(f"{learner.key}: classes must be a list of all classes, got none")
    return stated


def _joined(*parts: Any) -> Classes | None:
    """Return distinct classes in order; None where NumPy makes others of them, of numbers texts or numbers cut short."""
    try:
        joined = np.unique(np.concatenate([np.ravel(part) for part in parts]))
    except TypeError:
        return None
    given = [np.ravel(np.asarray(part, dtype=object)).tolist() for part in parts]
    return joined if {*joined.tolist()} == {label for labels in given for label in labels} else None


def _are_among(present: Classes, known: Classes) -> bool:
    return {*present.tolist()} <= {*known.tolist()}  # for few classes far quicker than NumPy


def nominal_in(learner: Any, X: Any) -> frozenset[int]:
    """Return the positions of the attributes that `categorical_features` names; in a table, they are nominal already."""
    features = learner.base_model().categorical_features
    if features is None:
        return frozenset()
    if isinstance(X, Table):
        names = [attribute.name for attribute in X.schema.attributes]
        named = nominal_positions(features, names, len(names), learner.key)
        if not named <= {*X.schema.nominal}:
            numeric = names[min(named.difference(X.schema.nominal))]
            raise InvalidParameter(f"{learner.key}: categorical_features must be nominal in a Table, got {numeric!r}")
        return named
    shape = np.shape(X)
    width = shape[1] if len(shape) == 2 else 0  # what is no table is refused where X is checked
    return nominal_positions(features, _names_of(X), width, learner.key)


def training_table(
    learner: Any, X: Any, y: Any, first: bool, nominal: frozenset[int]
) -> tuple[Table, npt.NDArray[Any]]:
    """Check and encode training examples; return them and their classes.

    `nominal`: positions of the attributes that are nominal whatever their values look like.
    """
    if isinstance(X, Table):
        plain = type(y) is np.ndarray and y.dtype.kind in "biuU"
        if not (plain and y.shape == (len(X),)):  # to look closer takes 30 us
            y = flat_targets(learner.key, y)
            check_consistent_length(X, y)
            check_classification_targets(y)
        if len(X) == 0:
            raise InvalidData(f"{learner.key}: X needs at least one example, got none")
        if first:
            learner.n_features_in_ = len(X.schema.attributes)
        return X.to_learn(), y
    known = None if first else learner._schema
    names = _names_of(X)
    y = checked_targets(learner.key, y)
    if isinstance(X, pd.DataFrame):
        X = typed(X, nominal, known)
    if isinstance(X, pd.DataFrame) and has_nominal(X, nominal, known):
        validate_data(learner, X, reset=first, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        if len(X) == 0:
            raise InvalidData(f"{learner.key}: X needs at least one example, got none")
        table = encode_frame(X, nominal, known)
    else:
        kind = None if nominal else np.float64
        X, y = validate_data(learner, X, y, reset=first, dtype=kind, ensure_all_finite=False)
        table = encode_array(X, nominal, names)
    check_classification_targets(y)
    return table.writable(), y


def checked_targets(who: str, y: Any) -> Any:
    """Return classes as they are, or as an array of numbers where they are numbers that are held as objects.

    Raises
    ------
    InvalidData
        An example without a class, or texts beside what is none. What else is no class scikit-learn refuses.
    """
    if y is None:
        return y
    missing = np.ravel(pd.isna([*y] if isinstance(y, tuple) else y))
    if isinstance(y, np.ma.MaskedArray):
        missing = np.asarray(missing) | np.ravel(np.ma.getmaskarray(y))
    if missing.any():
        raise InvalidData(f"{who}: y must have a class for each example, got none in row {missing.argmax()}")
    if isinstance(_dtype_of(y), pd.IntervalDtype):
        raise InvalidData(
            f"{who}: y must hold texts, numbers or truth values, got intervals: y.astype(str) makes texts of them"
        )
    y = _of_numpy(y)
    if getattr(y, "dtype", None) != np.dtype(object):
        return y
    kinds = {isinstance(label, str): label for label in np.ravel(y).tolist()}
    if len(kinds) > 1:
        raise InvalidData(f"{who}: y must hold classes of one kind, got {listed(kinds.values())}")
    plain = y if True in kinds else pd.Series(np.ravel(y)).infer_objects().to_numpy().reshape(np.shape(y))
    return plain if plain.dtype.kind in "biuf" else y


def _of_numpy(y: Any) -> Any:
    """Return classes, none of them missing, in types of NumPy that scikit-learn reads.

    Of numbers and truth values in pandas' own types, and of truth values as categories, it makes floating-point numbers, in
    which two large ones may be the same.
    """
    dtype = _dtype_of(y)
    if getattr(dtype, "kind", "") == "T":  # texts of any length
        return y.astype(object)
    plain = getattr(dtype, "numpy_dtype", dtype)
    is_plain = getattr(y, "dtype", None) is plain
    return y if is_plain or not isinstance(plain, np.dtype) or plain.kind not in "biuf" else y.astype(plain)


def _dtype_of(y: Any) -> Any:
    """Return the type of classes, or of the categories that they are; None of lists and the like."""
    dtype = y.dtypes.iloc[0] if isinstance(y, pd.DataFrame) and y.shape[1] == 1 else getattr(y, "dtype", None)
    return dtype.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype


def flat_targets(who: str, y: Any) -> npt.NDArray[Any]:
    """Return classes as the array that `fit` takes them for: of one column, whoever holds it."""
    flat: npt.NDArray[Any] = column_or_1d(checked_targets(who, y))
    return flat


def truths(learner: Any, y: Any) -> npt.NDArray[Any]:
    """Return the classes that predictions are held against, refused where they are of another kind than those known."""
    true = flat_targets(learner.key, y)
    present = np.unique(true)
    if len(true) and _joined(learner.classes_, present) is None:
        raise _other_kind(learner, learner.classes_, present)
    return true


def _other_kind(learner: Any, known: Classes, present: Classes) -> InvalidData:
    return InvalidData(
        f"{learner.key}: y must hold classes of the kind of those known, {listed(known)}, got {listed(present)}"
    )


def check_as_many(who: str, n_examples: int, y: npt.NDArray[Any]) -> None:
    """Refuse more classes, or fewer, than there are examples."""
    if len(y) != n_examples:
        raise InvalidData(f"{who}: y must have a class for each of {n_examples} examples, got {len(y)}")


def table_to_predict(learner: Any, X: Any) -> Table:
    """Check and encode examples to predict."""
    if not isinstance(X, Table):
        X = _encoded(learner, framed(X, learner._schema))
    known: Table = X.writable()
    if known.schema is learner._schema:
        return known
    merge_schemas(learner._schema, known.schema)  # raises where kinds differ
    return recode(known, learner._schema)


def _encoded(learner: Any, X: Any) -> Table:
    nominal, names = learner._nominal, _names_of(X)
    if isinstance(X, pd.DataFrame):
        X = typed(X, nominal, learner._schema)
        if has_nominal(X, nominal, learner._schema):
            validate_data(learner, X, reset=False, skip_check_array=True)
            return encode_frame(X, nominal, learner._schema)
    kind = None if nominal else np.float64
    X = validate_data(learner, X, reset=False, dtype=kind, ensure_all_finite=False)
    return encode_array(X, nominal, names)


def _names_of(X: Any) -> list[Any] | None:
    """Return the names of the attributes of a DataFrame, if users gave them names."""
    return [*X.columns] if isinstance(X, pd.DataFrame) and not isinstance(X.columns, pd.RangeIndex) else None
