"""From what users pass as X (a Table, a DataFrame, an array) to a Table, keeping the schema that a learner has seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.frames import typed
from ensembles.data.table import MISSING, UNSEEN, Attribute, Schema, Table
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.wording import written

__all__ = ["encode_array", "encode_frame", "has_nominal", "merge_schemas", "nominal_positions", "recode", "text_of"]

LARGEST = 1e150  #: numeric values beyond this overflow when squared
_MOST_NAMES = 10


def text_of(value: Any) -> str:
    """Return the text that stands for a nominal value: 1.0 and 1 are the same value."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def nominal_positions(features: Any, names: Sequence[Any] | None, n: int, who: str) -> frozenset[int]:
    """Return the positions of the attributes that a learner was told are nominal.

    Parameters
    ----------
    features : sequence of names and positions from 0, or truth values for all attributes; None for no attribute
    names : sequence, optional
        Of the `n` attributes of X; None if they have none.
    who : str
        Key of the learner.

    Raises
    ------
    InvalidParameter
        One of them is not there, or comes twice.
    """
    if features is None or n == 0:
        return frozenset()
    if isinstance(features, str | bytes) or not isinstance(features, Iterable):
        raise InvalidParameter(
            f"{who}: categorical_features must be a list of names or positions, got {written(features)}"
        )
    listed = [feature.item() if isinstance(feature, np.generic) else feature for feature in features]
    if listed and all(isinstance(feature, bool) for feature in listed):
        if len(listed) != n:
            raise InvalidParameter(
                f"{who}: categorical_features must have a truth value for each of {n} attributes, got {len(listed)} values"
            )
        return frozenset(np.flatnonzero(listed).tolist())
    found: dict[int, Any] = {}
    for feature in listed:
        positions = _positions_of(feature, names, n)
        if not positions:
            there = "attributes of X, which have no names" if names is None else f"attributes of X, {_few(names)}"
            raise InvalidParameter(
                f"{who}: categorical_features must be {there}, by position from 0 to {n - 1}"
                f"{'' if names is None else ' or by name'}, got {feature!r}"
            )
        for position in positions:
            if position in found:
                raise InvalidParameter(
                    f"{who}: categorical_features must tell each attribute once, got {found[position]!r} and {feature!r}"
                )
            found[position] = feature
    return frozenset(found)


def _few(names: Sequence[Any]) -> str:
    """Return the names, or the first of many."""
    more = ["..."] if len(names) > _MOST_NAMES else []
    return ", ".join([*map(repr, names[:_MOST_NAMES]), *more])


def has_nominal(frame: pd.DataFrame, nominal: Collection[int] = (), known: Schema | None = None) -> bool:
    """Say whether any column of `frame` is nominal by its type, by position or in the schema seen in training."""
    return bool(nominal or (known and known.nominal)) or not all(map(_is_numeric, frame.dtypes))


def encode_frame(frame: pd.DataFrame, positions: Collection[int] = (), known: Schema | None = None) -> Table:
    """Encode a DataFrame: categorical, text and truth columns, and those at `positions`, are nominal; the rest is numeric.

    A column without any value says nothing of its kind: it has the kind it has in `known`, the schema seen in training.
    What is refused tells `typed`.
    """
    frame = typed(frame, positions, known)
    attributes: list[Attribute] = []
    columns: list[npt.NDArray[np.int32] | npt.NDArray[np.float64]] = []
    for j, name in enumerate(frame.columns):
        column = frame.iloc[:, j]
        nominal = j in positions or not _is_numeric(column.dtype)
        if known and j < len(known.attributes) and column.isna().all():
            nominal = known.attributes[j].kind == "nominal"
        if nominal:
            attribute, codes = _nominal(str(name), column)
            attributes.append(attribute)
            columns.append(codes)
        else:
            attributes.append(Attribute(str(name), "numeric"))
            columns.append(_within_range(column.to_numpy(dtype=np.float64, na_value=np.nan), [str(name)]))
    return Table.from_columns(attributes, columns)


def encode_array(X: npt.NDArray[Any], positions: Collection[int] = (), names: Sequence[Any] | None = None) -> Table:
    """Encode a two-dimensional array; `positions` are those of nominal attributes, `names` those of all, if any."""
    if not positions:
        numbers = np.asarray(X, dtype=np.float64)
        schema = _numeric_schema(X.shape[1] if names is None else tuple(map(str, names)))
        return Table.unchecked(schema, np.empty((len(X), 0), dtype=np.int32), _within_range(numbers, names))
    return encode_frame(pd.DataFrame(X).infer_objects(), positions)


def merge_schemas(known: Schema, new: Schema) -> Schema:
    """Return `known` with the categories of `new` added.

    Raises
    ------
    InvalidData
        Numbers or kinds of attributes differ, or they are the same ones in another order.
    """
    if known == new:
        return known
    if len(known.attributes) != len(new.attributes):
        raise InvalidData(f"X must have {len(known.attributes)} attributes as in training, got {len(new.attributes)}")
    names, others = ([attribute.name for attribute in schema.attributes] for schema in (known, new))
    if names != others and sorted(names) == sorted(others):
        raise InvalidData(
            f"X must have the attributes in the order of training, {_few(names)}, got {_few(others)}: choose them by name"
        )
    merged = []
    for old, fresh in zip(known.attributes, new.attributes, strict=True):
        if old.kind != fresh.kind:
            raise InvalidData(f"attribute {old.name!r} must be {old.kind} as in training, got {fresh.kind}")
        if set(fresh.categories) <= set(old.categories):
            merged.append(old)
        else:  # sorted, so that the schema is a function of the values seen and not of their order
            merged.append(Attribute(old.name, old.kind, tuple(sorted({*old.categories, *fresh.categories}))))
    return Schema(tuple(merged))


def recode(table: Table, schema: Schema) -> Table:
    """Express `table` in the codes of `schema`; values it does not know become `UNSEEN`."""
    if table.schema == schema:
        return table
    codes = table.codes.copy()
    for j, (old, new) in enumerate(zip(table.schema.nominal, schema.nominal, strict=True)):
        mapping = category_map(table.schema.attributes[old].categories, schema.attributes[new].categories)
        codes[:, j] = np.append(mapping, [UNSEEN, MISSING])[codes[:, j]]  # codes -1 and -2 count from the end
    return Table.unchecked(schema, codes, table.numbers)


def category_map(old: Sequence[str], new: Sequence[str]) -> npt.NDArray[np.int32]:
    """Return for each category of `old` its position in `new`, or `UNSEEN`."""
    position = {category: code for code, category in enumerate(new)}
    return np.array([position.get(category, UNSEEN) for category in old], dtype=np.int32)


def _positions_of(feature: Any, names: Sequence[Any] | None, n: int) -> list[int]:
    """Return where the attribute of this name or position stands; nothing if there is none."""
    if isinstance(feature, bool):
        return []
    if isinstance(feature, int):
        return [feature] if 0 <= feature < n else []
    return [j for j, name in enumerate(names or ()) if name == feature]


def _is_numeric(dtype: Any) -> bool:
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _nominal(name: str, column: pd.Series[Any]) -> tuple[Attribute, npt.NDArray[np.int32]]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = tuple(text_of(value) for value in column.cat.categories)
        codes = column.cat.codes.to_numpy().astype(np.int32)
    else:
        found, values = pd.factorize(column, use_na_sentinel=True)
        texts = [text_of(value) for value in values]
        categories = tuple(sorted(set(texts)))
        position = {category: code for code, category in enumerate(categories)}
        codes = np.array([*(position[text] for text in texts), MISSING], dtype=np.int32)[found]
    if len(set(categories)) < len(categories):
        raise InvalidData(f"attribute {name!r}: categories must differ as text, got {', '.join(categories[:5])}, ...")
    return Attribute(name, "nominal", categories), codes


def _within_range(numbers: npt.NDArray[np.float64], names: Sequence[Any] | None) -> npt.NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        if numbers.size and np.nanmax(np.abs(numbers), initial=0.0) > LARGEST:
            row, j = np.argwhere(np.abs(numbers.reshape(len(numbers), -1)) > LARGEST)[0]
            raise InvalidData(
                f"{f'x{j}' if names is None else names[j]}: numeric values must lie in [-1e150, 1e150] or be missing, "
                f"got {written(numbers.reshape(len(numbers), -1)[row, j])} in row {row}"
            )
    return numbers


@lru_cache(maxsize=16)
def _numeric_schema(names: int | tuple[str, ...]) -> Schema:
    """Return the attributes of these names, or so many without one."""
    told = names if isinstance(names, tuple) else [f"x{j}" for j in range(names)]
    return Schema(tuple(Attribute(name, "numeric") for name in told))
