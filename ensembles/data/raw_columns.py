"""Tables as people hold them, raw, taken by the attributes of training: columns by name, values by what they say.

A file is read otherwise than it was for training: pandas makes numbers of a nominal attribute whose values look like
numbers, truth values of "true" and "false", and texts of numbers beside a "?". What is meant tells what training saw.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.class_cuts import cuts_of, grouped_classes
from ensembles.data.encoding import encode_array, text_of
from ensembles.data.frames import framed
from ensembles.data.missing_markers import NUMERIC_MARKERS, TEXT_MARKERS
from ensembles.data.table import MISSING, UNSEEN, Attribute, Schema, Table
from ensembles.errors import InvalidData
from ensembles.wording import listed, written

__all__ = ["labels_of_raw", "table_of_raw"]

_FOLDED = {True: "true", False: "false"}


def table_of_raw(X: Any, schema: Schema, *, widen: bool = False) -> Table:
    """Return X in the attributes of `schema`.

    Parameters
    ----------
    X : Table, DataFrame, Arrow table, or mapping of columns
        Columns are found by their names: in any order, and others beside them do not count.
    widen : bool
        Values of nominal attributes that were never seen become categories of the table; else they are `UNSEEN`.

    Raises
    ------
    InvalidData
        It has no named columns, lacks one, has several values in a cell, or what is no number where numbers are wanted.
    """
    if isinstance(X, Table):
        return X
    if isinstance(X, Mapping) and (single := [str(name) for name, values in X.items() if np.ndim(values) == 0]):
        raise InvalidData(
            f"X must have a value of {listed(single)} for each example, in a list, got one that is in none"
        )
    frame = framed(pd.DataFrame(X) if isinstance(X, Mapping) else X)
    if not isinstance(frame, pd.DataFrame):
        raise InvalidData(f"X must be a table with the names of its columns, got {type(X).__name__}")
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    wanted = [attribute.name for attribute in schema.attributes]
    if lacking := [name for name in wanted if name not in frame.columns]:
        raise InvalidData(f"X must have the attributes of training, {listed(wanted)}, but lacks {listed(lacking)}")
    if twice := sorted({*frame.columns[frame.columns.duplicated()]} & {*wanted}):
        raise InvalidData(f"X must have a name of its own for each attribute, got more than one {listed(twice)}")
    attributes: list[Attribute] = []
    columns: list[npt.NDArray[np.int32] | npt.NDArray[np.float64]] = []
    for attribute in schema.attributes:
        column = frame[attribute.name]
        if attribute.kind == "nominal":
            known, codes = _nominal(column, attribute, widen)
            attributes.append(known)
            columns.append(codes)
        else:
            attributes.append(attribute)
            columns.append(_numeric(column, attribute.name))
    return Table.from_columns(attributes, columns)


def labels_of_raw(y: Any, classes: Sequence[str]) -> npt.NDArray[np.object_]:
    """Return the name of the class of each example: of `classes` where one is meant, else its own.

    Of classes that numbers were grouped into, numbers mean those that they fall into.

    Raises
    ------
    InvalidData
        An example has no class.
    """
    find = _finder(tuple(classes))
    if (cuts := cuts_of(classes)) is not None:
        find = _grouping(cuts, find)
    places, values = _distinct(np.asarray(y, dtype=object).ravel(), "y")
    names = np.array([*map(find, values), None], dtype=object)[places]
    if missing := [row for row, name in enumerate(names) if name is None]:
        raise InvalidData(f"y must have a class for each example, got none in row {missing[0]}")
    return names


def _nominal(column: pd.Series[Any], attribute: Attribute, widen: bool) -> tuple[Attribute, npt.NDArray[np.int32]]:
    places, values = _distinct(column, f"attribute {attribute.name!r}")
    find = _finder(attribute.categories)
    texts = [find(value) for value in values]
    categories = attribute.categories
    if widen and (new := {text for text in texts if text is not None} - {*categories}):
        categories = tuple(sorted({*categories, *new}))
    codes = {text: code for code, text in enumerate(categories)}
    found = [MISSING if text is None else codes.get(text, UNSEEN) for text in texts]
    return Attribute(attribute.name, "nominal", categories), np.array([*found, MISSING], dtype=np.int32)[places]


def _distinct(values: Any, who: str) -> tuple[npt.NDArray[np.intp], Any]:
    """Return where each value stands among the distinct ones, -1 of one that is missing, and these."""
    try:
        return pd.factorize(values, use_na_sentinel=True)
    except TypeError:  # one that cannot be hashed, a list say
        row = next((row for row, value in enumerate(values) if not isinstance(value, Hashable)), 0)
        raise InvalidData(
            f"{who} must have one value in a cell, got {written(list(values)[row])} in row {row}"
        ) from None


def _finder(categories: tuple[str, ...]) -> Callable[[Any], str | None]:
    """Return what finds the category that a value stands for: its own text where there is none, None where it is missing."""
    known, folded = {*categories}, _where_single(categories, str.casefold)
    numbers = _where_single(categories, _number)

    def find(value: Any) -> str | None:
        text = text_of(value)
        if text in known:
            return text
        if isinstance(value, str):
            text = text.strip()
            return text if text in known or text not in TEXT_MARKERS else None
        if isinstance(value, bool | np.bool_):
            return folded.get(_FOLDED[bool(value)], text)
        if isinstance(value, Integral):  # exact, where floats are the same of several
            near = numbers.get(int(value), text)
            return near if Decimal(near) == int(value) else text
        if isinstance(value, Real | Decimal):
            return numbers.get(float(value), text)
        return text

    return find


def _grouping(cuts: Sequence[str], find: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    """Return what finds as `find` does, and of numbers the class between cuts."""
    names, edges = grouped_classes(cuts), [float(cut) for cut in cuts]

    def grouped(value: Any) -> str | None:
        text = find(value)
        number = None if text is None or isinstance(value, bool | np.bool_) else _number(text)
        return text if number is None else names[bisect_left(edges, number)]

    return grouped


def _where_single(categories: tuple[str, ...], read: Callable[[str], Any]) -> dict[Any, str]:
    """Return the category of each reading, without readings that two categories share."""
    found: dict[Any, str] = {}
    several = set()
    for category in categories:
        if (reading := read(category)) in found:
            several.add(reading)
        found[reading] = category
    return {reading: category for reading, category in found.items() if reading is not None and reading not in several}


def _number(text: str) -> float | None:
    """Return the number that a text is; None of what only Python takes for one, `1_0` and digits of other alphabets."""
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def _numeric(column: pd.Series[Any], name: str) -> npt.NDArray[np.float64]:
    dtype: Any = column.dtype
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype) and dtype.kind != "c":
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        places, values = _distinct(column, f"attribute {name!r}")
        read = [_read(value, name, column) for value in values]
        numbers = np.array([*read, np.nan], dtype=np.float64)[places]
    checked: npt.NDArray[np.float64] = encode_array(numbers[:, None], names=[name]).numbers[:, 0]
    return checked


def _as_float(value: Any) -> float:
    """Return a number; an infinite one, which is refused, for a whole number beyond those of its type."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _read(value: Any, name: str, column: pd.Series[Any]) -> float:
    """Return a number, NaN where a text says that there is none."""
    if isinstance(value, str):
        text = value.strip()
        number = np.nan if text in TEXT_MARKERS or text in NUMERIC_MARKERS else _number(text)
    else:
        number = (
            _as_float(value) if isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_) else None
        )
    if number is None:
        row = int(np.argmax(np.asarray(column == value)))
        raise InvalidData(f"attribute {name!r} must be numeric as in training, got {written(value)} in row {row}")
    return float(number)
